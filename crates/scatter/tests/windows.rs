//! `scatter_update`, with results that are written out.

#![allow(clippy::unwrap_used)]

use scatter::{
    Error, Op, Operator, Problem, Shape, View, ViewMut, cpu::AsTensor, scatter_update, scatter_update_into,
};

/// 0, 1, 2, …
fn counted(len: u8) -> Vec<f32> {
    (0..len).map(f32::from).collect()
}

/// Updates of a `[2, 3, 4]` along an axis; what becomes of it.
fn updated(indices: &View<'_, i64>, updates: &View<'_, f32>, axis: i64) -> Result<Vec<f32>, Error> {
    let mut data = counted(24);
    let done = scatter_update(&mut ViewMut::new(&mut data, &[2, 3, 4]).unwrap(), indices, updates, axis);
    if done.is_err() {
        assert_eq!(data, counted(24));
        return done.map(|()| data);
    }
    // Out of place is the same.
    let (from, mut out) = (counted(24), vec![-1.0; 24]);
    let from = View::new(&from, &[2, 3, 4]).unwrap();
    scatter_update_into(&from, indices, updates, axis, &mut ViewMut::new(&mut out, &[2, 3, 4]).unwrap())
        .unwrap();
    assert_eq!(data, out);
    Ok(out)
}

fn indices<'a>(values: &'a [i64], shape: &[usize]) -> View<'a, i64> {
    View::new(values, shape).unwrap()
}

const NEGATIVE: [f32; 3] = [-1.0, -2.0, -3.0];

#[test]
fn each_block_goes_to_where_indices_says() {
    // Of block 0 rows 1 and 2, of block 1 rows 0 and 1; the last axis is as long as data's.
    let updates: Vec<f32> = (0..16_u8).map(|value| -f32::from(value) - 1.0).collect();
    let updates = View::new(&updates, &[2, 2, 4]).unwrap();
    let mut expected = counted(24);
    for (at, value) in (4..20).zip(1_u8..) {
        expected[at] = -f32::from(value);
    }
    for axis in [1, -2] {
        assert_eq!(updated(&indices(&[1, 0], &[2]), &updates, axis).unwrap(), expected);
    }
    // -1 is the last place where two rows fit, 1, and -2 the one before.
    assert_eq!(updated(&indices(&[-1, -2], &[2]), &updates, 1).unwrap(), expected);
}

#[test]
fn a_window_may_be_one_element() {
    let mut expected = counted(24);
    for row in 0..3 {
        expected[row * 4 + 3] = NEGATIVE[row];
    }
    assert_eq!(
        updated(&indices(&[3], &[1]), &View::new(&NEGATIVE, &[1, 3, 1]).unwrap(), 2).unwrap(),
        expected
    );
    // An index without axes counts as one of one element.
    assert_eq!(
        updated(&indices(&[-1], &[]), &View::new(&NEGATIVE, &[1, 3, 1]).unwrap(), 2).unwrap(),
        expected
    );
}

#[test]
fn two_columns_name_the_block_too_and_the_last_writer_stays() {
    // Rows of three along the last axis: into block 1 at 0, then into the same block at 1.
    let (pairs, updates) = ([1, 0, -1, 1], (0..18_u8).map(|value| -f32::from(value) - 1.0));
    let updates: Vec<f32> = updates.collect();
    let mut expected = counted(24);
    for row in 0..3 {
        let line = &mut expected[12 + 4 * row..][..4];
        line[..3].copy_from_slice(&updates[3 * row..][..3]);
        line[1..].copy_from_slice(&updates[9 + 3 * row..][..3]);
    }
    let updates = View::new(&updates, &[2, 3, 3]).unwrap();
    assert_eq!(updated(&indices(&pairs, &[2, 2]), &updates, 2).unwrap(), expected);
}

#[test]
fn a_bad_value_is_named_and_nothing_is_written() {
    let bad = |axis, at: &[usize], value, size| Error::IndexOutOfRange {
        operator: Operator::ScatterUpdate,
        axis,
        position: Shape::new(at).unwrap(),
        value,
        size,
    };
    let two_rows = &[0.0; 16];
    let two_rows = View::new(two_rows, &[2, 2, 4]).unwrap();
    for value in [2, 3, -3, i64::MAX, i64::MIN] {
        assert_eq!(
            updated(&indices(&[0, value], &[2]), &two_rows, 1).unwrap_err(),
            bad(1, &[1], value, 2),
            "two rows of three fit at 0 and 1"
        );
        if value < 3 {
            let pairs = [0, 0, 1, value];
            let error = updated(&indices(&pairs, &[2, 2]), &two_rows, 1).unwrap_err();
            assert_eq!(error, bad(1, &[1, 1], value, 2));
        }
    }
    let pairs = [0, 0, 2, 5];
    let error = updated(&indices(&pairs, &[2, 2]), &two_rows, 1).unwrap_err();
    assert_eq!(error, bad(0, &[1, 0], 2, 2));
    assert_eq!(
        error.to_string(),
        "scatter_update: indices: value at [1, 0] expected in -2 to below 2 (axis 0 of data), got 2"
    );
    // Windows of one element along the last axis: the axis is the caller's.
    let one = View::new(&[0.0; 3], &[1, 3, 1]).unwrap();
    assert_eq!(updated(&indices(&[1, 4], &[1, 2]), &one, 2).unwrap_err(), bad(2, &[0, 1], 4, 4));
}

#[test]
fn shapes_are_checked() {
    let told = |values: &[i64], shape: &[usize], src: &[usize], axis| {
        let src_data = vec![0.0; src.iter().product()];
        updated(&indices(values, shape), &View::new(&src_data, src).unwrap(), axis).unwrap_err().to_string()
    };
    for (values, shape, src, axis, expected) in [
        (&[0; 2][..], &[1, 1, 2][..], &[1, 3, 4][..], 1, "indices: rank 2 at most expected, got 3"),
        (&[0; 3], &[1, 3], &[1, 3, 4], 1, "indices: size 2 on axis 1 expected, got 3"),
        (&[0; 2], &[2], &[2, 3], 1, "updates: rank 3 of data expected, got 2"),
        (&[0; 2], &[2], &[2, 3, 4], 3, "axis: -3 to below 3 expected, got 3"),
        (&[0; 2], &[2], &[2, 3, 4], -3, "axis: another axis than 0 expected, got -3"),
        (&[0; 2], &[2], &[1, 3, 4], 1, "updates: size 2 on axis 0 expected, got 1"),
        (&[0; 2], &[2], &[2, 1, 3], 1, "updates: size 4 on axis 2 expected, got 3"),
        (&[0; 2], &[2], &[2, 4, 4], 1, "updates: size 3 of data at most expected on axis 1, got 4"),
        (&[0; 3], &[3], &[2, 1, 4], 1, "indices: size 2 of data at most expected on axis 0, got 3"),
    ] {
        assert_eq!(told(values, shape, src, axis), format!("scatter_update: {expected}"));
    }
}

/// Without updates out becomes data, whatever indices says.
#[test]
fn no_updates_are_a_copy() {
    let nothing: [f32; 0] = [];
    for (shape, src) in [(&[1][..], [1, 0, 4]), (&[0], [0, 1, 4]), (&[0, 2], [0, 3, 4])] {
        let values = vec![77; shape.iter().product()];
        let updates = View::new(&nothing, &src).unwrap();
        assert_eq!(updated(&indices(&values, shape), &updates, 1).unwrap(), counted(24));
    }
}

#[test]
fn a_problem_says_along_which_axis_it_has_windows() {
    let (data, index) = (counted(24), [0_i64; 2]);
    let data = *View::new(&data, &[2, 3, 4]).unwrap().as_tensor().operand();
    let index = *View::new(&index, &[2]).unwrap().as_tensor().operand();
    for (extent, window) in [(1, None), (2, Some(1))] {
        let updates = vec![0.0_f32; 8 * extent];
        let updates = *View::new(&updates, &[2, extent, 4]).unwrap().as_tensor().operand();
        let problem =
            Problem::new(Op::ScatterUpdate { dim: 1 }, &data, &index, Some(&updates), &data).unwrap();
        assert_eq!(problem.window(), window);
    }
}
