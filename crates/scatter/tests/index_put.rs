//! `index_put`, with results that are written out.

#![allow(clippy::unwrap_used)]

use scatter::{
    Argument, DType, Error, IndexList, Layout, Operand, Operator, Shape, View, ViewMut, index_put,
    index_put_into,
};

fn view<'a, T>(data: &'a [T], shape: &[usize]) -> View<'a, T> {
    View::new(data, shape).unwrap()
}

/// 0, 1, 2, …
fn counted(len: u8) -> Vec<f32> {
    (0..len).map(f32::from).collect()
}

/// What becomes of a `[2, 3, 4]`, in place and out of place.
fn put(
    indices: &[Option<&View<'_, i64>>],
    values: &View<'_, f32>,
    accumulate: bool,
) -> Result<Vec<f32>, Error> {
    let shape = [2, 3, 4];
    let mut data = counted(24);
    let done = index_put(&mut ViewMut::new(&mut data, &shape).unwrap(), indices, values, accumulate);
    if done.is_err() {
        assert_eq!(data, counted(24));
        return done.map(|()| data);
    }
    let (from, mut out) = (counted(24), vec![-1.0; 24]);
    let mut into = ViewMut::new(&mut out, &shape).unwrap();
    index_put_into(&view(&from, &shape), indices, values, accumulate, &mut into).unwrap();
    assert_eq!(data, out);
    Ok(out)
}

#[test]
fn neighbouring_axes_leave_values_where_they_are() {
    // Axes 1 and 2 at three points: values are [2, 3].
    let (rows, columns) = ([0, 2, 0], [1, -1, 1]);
    let values: Vec<f32> = counted(6).iter().map(|value| 100.0 + value).collect();
    let indices = [None, Some(&view(&rows, &[3])), Some(&view(&columns, &[3]))];
    let mut expected = counted(24);
    for block in 0..2 {
        // Of the two values for one element the last stays.
        expected[12 * block + 1] = 102.0 + 3.0 * block as f32;
        expected[12 * block + 11] = 101.0 + 3.0 * block as f32;
    }
    assert_eq!(put(&indices, &view(&values, &[2, 3]), false).unwrap(), expected);
    for block in 0..2 {
        let first = 100.0 + 3.0 * block as f32;
        expected[12 * block + 1] = counted(24)[12 * block + 1] + first + (first + 2.0);
        expected[12 * block + 11] = counted(24)[12 * block + 11] + first + 1.0;
    }
    assert_eq!(put(&indices, &view(&values, &[2, 3]), true).unwrap(), expected);
}

#[test]
fn axes_that_are_apart_bring_their_values_to_the_front() {
    // Axes 0 and 2 at two points, axis 1 whole: values are [2, 3], or are broadcast from [3],
    // [2, 1] or nothing.
    let (blocks, columns) = ([1, 0], [0, 3]);
    let indices = [Some(&view(&blocks, &[2])), None, Some(&view(&columns, &[2]))];
    let at = |point: usize, row: usize| 12 * blocks[point] as usize + 4 * row + columns[point] as usize;
    for (values, shape) in [
        (vec![50.0, 51.0, 52.0, 53.0, 54.0, 55.0], &[2, 3][..]),
        (vec![50.0, 51.0, 52.0], &[3]),
        (vec![50.0, 53.0], &[2, 1]),
        (vec![50.0], &[]),
    ] {
        let mut expected = counted(24);
        for (point, row) in (0..2).flat_map(|point| (0..3).map(move |row| (point, row))) {
            let value = match shape {
                [2, 3] => values[3 * point + row],
                [3] => values[row],
                [2, 1] => values[point],
                _ => values[0],
            };
            expected[at(point, row)] = value;
        }
        assert_eq!(put(&indices, &view(&values, shape), false).unwrap(), expected, "{shape:?}");
    }
}

#[test]
fn indices_are_broadcast_together() {
    // [2, 1] and [3] name a grid.
    let (blocks, rows) = ([0, 1], [2, 0, -2]);
    let indices = [Some(&view(&blocks, &[2, 1])), Some(&view(&rows, &[3]))];
    let mut expected = counted(24);
    for (block, row) in [0, 1].into_iter().flat_map(|block| [2, 0, 1].map(|row| (block, row))) {
        for column in 0..4 {
            expected[12 * block + 4 * row + column] += 1.0;
        }
    }
    assert_eq!(put(&indices, &view(&[1.0], &[1]), true).unwrap(), expected);
}

#[test]
fn without_an_index_values_go_everywhere() {
    assert_eq!(put(&[], &view(&[7.0], &[]), false).unwrap(), [7.0; 24]);
    assert_eq!(put(&[None, None], &view(&counted(4), &[4]), false).unwrap(), counted(4).repeat(6));
    // An index of nothing changes nothing.
    assert_eq!(put(&[Some(&view(&[], &[0]))], &view(&[7.0], &[]), false).unwrap(), counted(24));
}

#[test]
fn a_bad_value_is_named_by_its_axis_and_nothing_is_written() {
    let (blocks, columns) = ([0, 1, 1], [3, 4, -5]);
    let indices = [Some(&view(&blocks, &[3])), None, Some(&view(&columns, &[3]))];
    let error = put(&indices, &view(&[1.0], &[]), true).unwrap_err();
    let position = Shape::new(&[1]).unwrap();
    let expected =
        Error::IndexOutOfRange { operator: Operator::IndexPut, axis: 2, position, value: 4, size: 4 };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "index_put: indices: value at [1] expected in -4 to below 4 (axis 2 of self), got 4"
    );
}

#[test]
fn shapes_are_checked() {
    let (two, three) = ([0; 2], [0; 3]);
    let (two, three) = (&view(&two, &[2]), &view(&three, &[3]));
    let one = &view(&[0], &[1, 1, 1, 1, 1, 1, 1]);
    let deep = &view(&[0], &[1; 8]);
    let values = [0.0; 24];
    for (indices, shape, expected) in [
        (
            &[Some(two), Some(three)][..],
            &[][..],
            "indices: size 2 or 1 expected on axis 0 of the one for axis 1 of self, got 3",
        ),
        (
            &[None, None, None, Some(two)],
            &[],
            "indices: an axis below 3, self's rank, expected, got one for axis 3",
        ),
        (&[Some(two)], &[4, 4], "values: size 3 or 1 on axis 0 expected, got 4"),
        (&[Some(two)], &[1, 1, 1, 1], "values: rank 3 at most expected, got 4"),
        (&[Some(one)], &[], "values: rank 8 at most expected, got 9"),
        (&[Some(deep)], &[], "indices: rank 7 at most expected, got 8"),
    ] {
        let values = &values[..shape.iter().product()];
        let error = put(indices, &view(values, shape), false).unwrap_err().to_string();
        assert_eq!(error, format!("index_put: {expected}"));
    }
}

#[test]
fn some_rules_about_the_other_tensors_come_before_those_about_the_list() {
    let of = |dtype, shape: &[usize]| Operand {
        dtype: Ok(dtype),
        layout: Layout::contiguous(shape, 64),
        address: 0,
    };
    let (f32, i64) = (|shape: &[usize]| of(DType::F32, shape), |shape: &[usize]| of(DType::I64, shape));
    let (self_, values) = (f32(&[3, 4]), f32(&[1]));
    let apart = [Some(i64(&[2])), Some(i64(&[3]))];
    let floats = [Some(f32(&[2]))];
    let told = |list: &[Option<Operand>], self_, values: &Operand, out| {
        IndexList::in_call(list, &self_, Some(values), &out).unwrap_err()
    };
    let operator = Operator::IndexPut;
    let broadcast = Error::IndexBroadcast { operator, indexed: 1, axis: 0, expected: 2, got: 3 };
    let dtype = Error::IndexDType { operator, got: DType::F32 };
    assert_eq!(told(&apart, self_, &values, self_), broadcast);
    assert_eq!(told(&floats, self_, &values, self_), dtype);
    // dtypes are first of all.
    let argument = Argument::Src;
    let mismatch = Error::DTypeMismatch { operator, argument, expected: DType::F32, got: DType::I64 };
    assert_eq!(told(&apart, self_, &i64(&[1]), self_), mismatch);
    assert_eq!(told(&floats, self_, &i64(&[1]), self_), mismatch);
    // Layouts, self's rank and out's shape come between.
    let nine = f32(&[1; 9]);
    let rank = Error::Rank { operator, argument: Argument::SelfTensor, expected: 8, got: 9 };
    assert_eq!((told(&apart, nine, &values, nine), told(&floats, nine, &values, nine)), (rank, dtype));
    let shape = Error::OutShape { operator, axis: Some(1), expected: 4, got: 5 };
    let out = f32(&[3, 5]);
    assert_eq!((told(&apart, self_, &values, out), told(&floats, self_, &values, out)), (shape, dtype));
    // The shape of values comes behind.
    assert_eq!(told(&apart, self_, &f32(&[7]), self_), broadcast);
}

/// bf16 sums are rounded once.
#[test]
fn sums_of_short_floats_are_rounded_once() {
    use scatter::bf16;
    let mut data = [bf16::from_f32(256.0)];
    let index = view(&[0_i32; 2], &[2]);
    index_put(&mut ViewMut::new(&mut data, &[1]).unwrap(), &[Some(&index)], &view(&[bf16::ONE], &[]), true)
        .unwrap();
    assert_eq!(data[0].to_f32(), 258.0);
}

/// Enough values that their numbers are made in several chunks and on several threads; some axes
/// of self are not indexed, and the indexed ones may lie in memory as one or not.
#[test]
fn many_values_are_those_of_one_loop() {
    let (shape, count) = ([30, 20, 3], 70_000_usize);
    let numbers = |factor: usize, size: usize| -> Vec<i64> {
        (0..count).map(|at| (at * factor % (2 * size)) as i64 - size as i64).collect()
    };
    let (rows, columns) = (numbers(7919, shape[0]), numbers(104_729, shape[1]));
    let src: Vec<i32> = (0..count as i32 * 3).collect();
    let wrap = |value: i64, size: usize| value.rem_euclid(size as i64) as usize;
    for accumulate in [false, true] {
        for [step0, step1] in [[60, 3], [3, 90]] {
            let mut expected = vec![1_i32; 1800];
            for (at, values) in src.chunks(3).enumerate() {
                let to = wrap(rows[at], shape[0]) * step0 + wrap(columns[at], shape[1]) * step1;
                for (to, value) in expected[to..].iter_mut().zip(values) {
                    *to = if accumulate { to.wrapping_add(*value) } else { *value };
                }
            }
            let mut got = vec![1_i32; 1800];
            let strides = [step0 as isize, step1 as isize, 1];
            let mut self_ = ViewMut::strided(&mut got, &shape, &strides, 0).unwrap();
            let indices = [Some(&view(&rows, &[count])), Some(&view(&columns, &[count]))];
            index_put(&mut self_, &indices, &view(&src, &[count, 3]), accumulate).unwrap();
            assert_eq!(got, expected, "accumulate {accumulate}, strides {step0}, {step1}");
        }
    }
}

#[test]
fn a_bad_value_among_many_is_named_and_nothing_is_written() {
    let count = 70_000;
    let (mut rows, columns) = (vec![3_i32; count], vec![-1_i32; count]);
    for bad in [4, -5, i32::MIN, i32::MAX] {
        rows[50_001] = bad;
        let mut data = counted(12);
        let indices = [Some(&view(&rows, &[count])), Some(&view(&columns, &[count]))];
        let one = view(&[1.0], &[]);
        let error =
            index_put(&mut ViewMut::new(&mut data, &[4, 3]).unwrap(), &indices, &one, true).unwrap_err();
        let (operator, position) = (Operator::IndexPut, Shape::new(&[50_001]).unwrap());
        let expected = Error::IndexOutOfRange { operator, axis: 0, position, value: bad.into(), size: 4 };
        assert_eq!((error, data), (expected, counted(12)));
    }
}

/// An indexed axis of one element may have any stride.
#[test]
fn an_axis_of_one_element_is_indexed_like_others() {
    let (first, second, third) = ([1_i64, -1], [0_i64, -1], [2_i64, 1]);
    for strides in [[3, 1, 1], [3, 77, 1], [-3, 3, 1]] {
        let mut data = [0.0_f32; 6];
        let offset = if strides[0] < 0 { 3 } else { 0 };
        let mut self_ = ViewMut::strided(&mut data, &[2, 1, 3], &strides, offset).unwrap();
        let indices = [Some(&view(&first, &[2])), Some(&view(&second, &[2])), Some(&view(&third, &[2]))];
        index_put(&mut self_, &indices, &view(&[5.0, 7.0], &[2]), false).unwrap();
        let expected =
            if offset == 3 { [0.0, 7.0, 5.0, 0.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 0.0, 7.0, 5.0] };
        assert_eq!(data, expected, "{strides:?}");
    }
}
