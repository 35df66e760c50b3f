//! The typed functions as a user calls them: results, refusals that leave everything as it was, and
//! bindings.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{
    Argument, Bool, Complex, DType, Element, Error, Index, Layout, Op, Operand, Operator, Problem, Reduce,
    Scalar, Shape, View, ViewMut, bf16, embedding_backward, f16, index_add, index_add_into, index_copy,
    index_copy_into, index_fill, index_fill_into, reference, scatter, scatter_add, scatter_add_into,
    scatter_into, scatter_nd_add, scatter_nd_add_into, scatter_nd_update, scatter_nd_update_into,
    scatter_reduce, scatter_reduce_into, scatter_value, scatter_value_into,
};

fn view<'a, T>(data: &'a [T], shape: &[usize]) -> View<'a, T> {
    View::new(data, shape).unwrap()
}

fn view_mut<'a, T>(data: &'a mut [T], shape: &[usize]) -> ViewMut<'a, T> {
    ViewMut::new(data, shape).unwrap()
}

/// Rows of no elements, whose strides are 0, by an index that is the same along an axis.
#[test]
fn nothing_is_added_to_rows_without_elements() {
    let index = View::strided(&[0_i64, 2], &[2, 3, 1], &[1, 0, 1], 0).unwrap();
    let src = View::strided(&[0.0_f32; 0][..], &[2, 3, 0], &[0, 0, 0], 0).unwrap();
    let mut out = [0.0_f32; 0];
    let mut out = ViewMut::strided(&mut out[..], &[3, 0], &[0, 0], 0).unwrap();
    assert_eq!(scatter_nd_add(&mut out, &index, &src), Ok(()));
}

/// Rows of no elements: nothing is updated, and index is looked at all the same. f16 and i64 go
/// different ways, with and without slots.
#[test]
fn rows_without_elements_are_refused_for_their_index_alone() {
    fn add<T: Element>(index: &[i64]) -> Result<(), Error> {
        scatter_nd_add(&mut view_mut::<T>(&mut [], &[3, 0]), &view(index, &[2, 1]), &view(&[], &[2, 0]))
    }
    for add in [add::<f16>, add::<i64>] {
        assert_eq!(add(&[2, -3]), Ok(()));
        assert!(matches!(add(&[2, 3]), Err(Error::IndexOutOfRange { .. })), "{:?}", add(&[2, 3]));
    }
}

/// Rows of a src that doesn't move along them.
#[test]
fn a_number_is_added_to_whole_rows() {
    let targets = [3_i64, 1, 3, 0, 3, 1];
    let index = View::strided(&targets, &[6, 64], &[1, 0], 0).unwrap();
    let mut out = vec![0.5_f32; 5 * 64];
    scatter_value(&mut view_mut(&mut out, &[5, 64]), 0, &index, 2.0, Reduce::Add).unwrap();
    let rows: Vec<&[f32]> = out.chunks(64).collect();
    assert_eq!(rows, [2.5, 4.5, 0.5, 6.5, 0.5].map(|expected| [expected; 64]));
}

#[test]
fn every_function_has_its_into() {
    let self_ = [1.0_f32, 2.0, 3.0];
    let (index, src) = ([0_i64, 2, 0], [10.0, 20.0, 30.0]);
    let (self_view, index_view, src_view) = (view(&self_, &[3]), view(&index, &[3]), view(&src, &[3]));
    let nd_index = view(&index, &[3, 1]);
    let mut out = [0.0; 3];

    scatter_add_into(&self_view, 0, &index_view, &src_view, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [41.0, 2.0, 23.0]);
    scatter_nd_add_into(&self_view, &nd_index, &src_view, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [41.0, 2.0, 23.0]);
    scatter_into(&self_view, 0, &index_view, &src_view, Reduce::Mul, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [300.0, 2.0, 60.0]);
    scatter_value_into(&self_view, 0, &index_view, 7, Reduce::None, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [7.0, 2.0, 7.0]);
    let out_view = &mut view_mut(&mut out, &[3]);
    scatter_reduce_into(&self_view, 0, &index_view, &src_view, Reduce::Mean, false, out_view).unwrap();
    assert_eq!(out, [20.0, 2.0, 20.0]);
    scatter_nd_update_into(&self_view, &nd_index, &src_view, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [30.0, 2.0, 20.0]);
    index_copy_into(&self_view, -1, &index_view, &src_view, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [30.0, 2.0, 20.0]);
    index_fill_into(&self_view, 0, &index_view, -4, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [-4.0, 2.0, -4.0]);
    index_add_into(&self_view, 0, &index_view, &src_view, 0.5, &mut view_mut(&mut out, &[3])).unwrap();
    assert_eq!(out, [21.0, 2.0, 13.0]);
    assert_eq!(self_, [1.0, 2.0, 3.0]);
}

#[test]
fn the_last_writer_stays_and_sums_are_rounded_once() {
    let mut last = [0; 2];
    let index = [1_i32; 1000];
    let src: Vec<i64> = (0..1000).collect();
    scatter(&mut view_mut(&mut last, &[2]), 0, &view(&index, &[1000]), &view(&src, &[1000]), Reduce::None)
        .unwrap();
    assert_eq!(last, [0, 999]);

    // 2048 + 1 is 2048 in f16; the sum of a thousand ones is not.
    let mut sum = [f16::from_f32(2048.0)];
    let (zeros, ones) = ([0_i32; 1000], [f16::ONE; 1000]);
    scatter_add(&mut view_mut(&mut sum, &[1]), 0, &view(&zeros, &[1000]), &view(&ones, &[1000])).unwrap();
    assert_eq!(sum[0], f16::from_f32(3048.0));
    let mut sum = [bf16::ONE];
    scatter_value(&mut view_mut(&mut sum, &[1]), 0, &view(&zeros, &[1000]), 1, Reduce::Add).unwrap();
    assert_eq!(sum[0], bf16::from_f32(1001.0));
}

/// What an element becomes by three updates.
fn reduced<T: Element>(self_: T, src: [T; 3], reduce: Reduce, include_self: bool) -> T {
    let mut data = [self_, src[0]];
    let (index, updates) = ([0_i64; 3], view(&src, &[3]));
    let mut out = view_mut(&mut data, &[2]);
    scatter_reduce(&mut out, 0, &view(&index, &[3]), &updates, reduce, include_self).unwrap();
    assert_eq!(data[1], src[0]);
    data[0]
}

#[test]
fn every_reduction_by_hand() {
    // Of 7, -2, -6 and -5, and of -7, 2, 6 and 5; with self, and without.
    for (reduce, negative, positive) in [
        (Reduce::None, [-5, -5], [5, 5]),
        (Reduce::Add, [-6, -13], [6, 13]),
        (Reduce::Mul, [-420, -60], [-420, 60]),
        (Reduce::Max, [7, -2], [6, 6]),
        (Reduce::Min, [-6, -6], [-7, 2]),
        (Reduce::Mean, [-2, -5], [1, 4]),
    ] {
        for (self_, src, expected) in [(7, [-2, -6, -5], negative), (-7, [2, 6, 5], positive)] {
            let (wide, values) = (f64::from(self_), src.map(f64::from));
            for (include_self, expected) in [true, false].into_iter().zip(expected) {
                let what = format!("{reduce} of {self_} and {src:?}, with self: {include_self}");
                assert_eq!(reduced(self_, src, reduce, include_self), expected, "{what}");
                let got = reduced(wide, values, reduce, include_self);
                assert_eq!(got.floor(), f64::from(expected), "{what}");
            }
        }
    }
    assert_eq!(reduced(7.0_f32, [-2.0, -6.0, -5.0], Reduce::Mean, true), -1.5);
}

/// By hand: alpha and src are f16, but their product and the sum are f32 until the end.
#[test]
fn products_are_rounded_in_the_type_of_the_sum() {
    let mut sum = [f16::from_f32(1.0)];
    let (zeros, src) = ([0_i32; 3], [f16::from_f32(3.0); 3]);
    let (zeros, src) = (view(&zeros, &[3]), view(&src, &[3]));
    index_add(&mut view_mut(&mut sum, &[1]), 0, &zeros, &src, 100_000).unwrap();
    // 1 + 900,000 is more than f16 holds; but alpha alone, which is too, was no error.
    assert_eq!(sum[0], f16::INFINITY);
    // An alpha or products of f16 would give 0.29980469.
    let mut sum = [f16::ZERO];
    index_add(&mut view_mut(&mut sum, &[1]), 0, &zeros, &view(&[f16::ONE; 3], &[3]), 0.1).unwrap();
    assert_eq!(sum[0].to_f32(), 0.300_048_83);
    // (1 + e)(1 - e) is 1 - e * e, which rounds to 1; in one step with the sum, e * e would stay.
    let (e, mut sum) = (f32::EPSILON, [-1.0_f32]);
    let (zero, src) = ([0_i64], [1.0 - e]);
    let (zero, src) = (view(&zero, &[1]), view(&src, &[1]));
    index_add(&mut view_mut(&mut sum, &[1]), 0, &zero, &src, f64::from(1.0 + e)).unwrap();
    assert_eq!(sum, [0.0]);
    // (1 + 2i)(3 + 4i) is -5 + 10i.
    let (mut sum, src) = ([Complex::new(1.0_f32, 1.0)], [Complex::new(3.0, 4.0)]);
    let alpha = Complex::new(1.0, 2.0);
    index_add(&mut view_mut(&mut sum, &[1]), 0, &zero, &view(&src, &[1]), Scalar::Complex(alpha)).unwrap();
    assert_eq!(sum, [Complex::new(-4.0, 11.0)]);
    // An alpha that is 1 in the dtype of the sums multiplies nothing: 1 + 0i times infinity is NaN.
    let (mut sum, src) = ([Complex::new(0.0_f32, 0.0)], [Complex::new(f32::INFINITY, 0.0)]);
    let alpha = Scalar::Complex(Complex::new(1.0 + 1e-12, 0.0));
    index_add(&mut view_mut(&mut sum, &[1]), 0, &zero, &view(&src, &[1]), alpha).unwrap();
    assert_eq!(sum, src);
    // But it is converted, also where it is 1.
    let mut sum = [0.0_f32];
    let complex = Scalar::Complex(Complex::new(1.0, 0.0));
    let error = index_add(&mut view_mut(&mut sum, &[1]), 0, &zero, &view(&[1.0], &[1]), complex);
    assert!(matches!(error, Err(Error::Value { .. })), "{error:?}");
    // Integers truncate alpha, and wrap.
    let mut sum = [100_i8];
    index_add(&mut view_mut(&mut sum, &[1]), 0, &view(&[0_i64], &[1]), &view(&[50_i8], &[1]), 2.9).unwrap();
    assert_eq!(sum, [-56]);
    let error =
        index_add(&mut view_mut(&mut sum, &[1]), 0, &view(&[0_i64], &[1]), &view(&[50_i8], &[1]), 128);
    assert_eq!(
        error.unwrap_err().to_string(),
        "index_add: alpha: a number that i8 can represent expected, got 128"
    );
}

#[test]
fn bools_read_any_byte_and_rank_0_is_one_element() {
    let mut data = [Bool(0), Bool(2), Bool(9)];
    let src = [true, false];
    let src = View::from_bools(&src, &[2]).unwrap();
    scatter(&mut view_mut(&mut data, &[3]), 0, &view(&[0_i64, 1], &[2]), &src, Reduce::Mul).unwrap();
    assert_eq!(data, [Bool(0), Bool(0), Bool(9)]);
    scatter(&mut view_mut(&mut data, &[3]), 0, &view(&[0_i64], &[1]), &view(&[Bool(7)], &[1]), Reduce::None)
        .unwrap();
    assert_eq!(data, [Bool(1), Bool(0), Bool(9)]);

    let mut scalar = [Complex::new(1.0_f32, 2.0)];
    let src = [Complex::new(0.0, 1.0)];
    scatter(&mut view_mut(&mut scalar, &[]), -1, &view(&[-1_i32], &[1]), &view(&src, &[]), Reduce::Mul)
        .unwrap();
    assert_eq!(scalar, [Complex::new(-2.0, 1.0)]);
}

/// A bad value in an index of otherwise good ones, through every operator: the error, and nothing
/// written.
fn bad_index<I: Index>(bad: I, good: I, value: i64) {
    let before: Vec<f32> = (0_u8..12).map(f32::from).collect();
    let mut index = [good; 8];
    (index[5], index[7]) = (bad, bad);
    let src = [1.0_f32; 12];
    let src = view(&src, &[3, 4]);
    let position = |at: &[usize]| Shape::new(at).unwrap();
    let error = |operator, axis, at: &[usize], size| {
        Err(Error::IndexOutOfRange { operator, axis, position: position(at), value, size })
    };

    let mut data = before.clone();
    let out = &mut view_mut(&mut data, &[3, 4]);
    let by_dim = view(&index, &[2, 4]);
    let along = |operator| error(operator, 0, &[1, 1], 3);
    assert_eq!(scatter_add(out, 0, &by_dim, &src), along(Operator::ScatterAdd));
    assert_eq!(scatter(out, -2, &by_dim, &src, Reduce::None), along(Operator::Scatter));
    assert_eq!(scatter_value(out, 0, &by_dim, 1.5, Reduce::Mul), along(Operator::ScatterValue));
    assert_eq!(scatter_reduce(out, 0, &by_dim, &src, Reduce::Mean, false), along(Operator::ScatterReduce));
    let pairs = view(&index, &[4, 2]);
    assert_eq!(
        scatter_nd_add(out, &pairs, &view(&[1.0; 4], &[4])),
        // The last coordinate points into axis 1, of 4 elements.
        error(Operator::ScatterNdAdd, 1, &[2, 1], 4)
    );
    assert_eq!(
        scatter_nd_update(out, &pairs, &view(&[1.0; 4], &[4])),
        error(Operator::ScatterNdUpdate, 1, &[2, 1], 4)
    );
    let columns = view(&index, &[8]);
    assert_eq!(
        index_copy(out, 1, &columns, &view(&[1.0; 24], &[3, 8])),
        error(Operator::IndexCopy, 1, &[5], 4)
    );
    assert_eq!(index_fill(out, 1, &columns, 1.5), error(Operator::IndexFill, 1, &[5], 4));
    for alpha in [1.0, 2.5] {
        assert_eq!(
            index_add(out, 1, &columns, &view(&[1.0; 24], &[3, 8]), alpha),
            error(Operator::IndexAdd, 1, &[5], 4)
        );
    }
    for padding in [None, Some(0)] {
        assert_eq!(
            embedding_backward(&view(&[1.0; 32], &[2, 4, 4]), &view(&index, &[2, 4]), padding, true, out),
            error(Operator::EmbeddingBackward, 0, &[1, 1], 3)
        );
    }
    assert_eq!(data, before);

    let mut out = [-1.0; 12];
    assert!(
        scatter_add_into(&view(&before, &[3, 4]), 0, &by_dim, &src, &mut view_mut(&mut out, &[3, 4]))
            .is_err()
    );
    assert_eq!(out, [-1.0; 12]);
}

#[test]
fn a_bad_index_is_named_and_nothing_is_written() {
    for bad in [4, -5, i32::MAX, i32::MIN] {
        bad_index(bad, -1, bad.into());
        bad_index(i64::from(bad), 2, bad.into());
    }
    // As 32 bits these would be in range.
    for bad in [1 << 32, (1 << 32) + 1, i64::MAX, i64::MIN] {
        bad_index(bad, 0, bad);
    }
    let position = Shape::new(&[1, 1]).unwrap();
    let operator = Operator::ScatterAdd;
    let error = Error::IndexOutOfRange { operator, axis: 0, position, value: -5, size: 3 };
    assert_eq!(
        error.to_string(),
        "scatter_add: index: value at [1, 1] expected in -3 to below 3 (axis 0 of self), got -5"
    );
}

/// A tensor without axes counts as `[1]`, but the position is told in the caller's own axes.
#[test]
fn the_position_in_an_index_without_axes_has_no_coordinates() {
    let mut data = [0.0_f32; 3];
    let (index, src) = ([7_i64], [1.0]);
    let (index, src) = (view(&index, &[]), view(&src, &[]));
    let told = |error: Result<(), Error>| error.unwrap_err().to_string();
    assert_eq!(
        told(scatter_add(&mut view_mut(&mut data, &[3]), 0, &index, &src)),
        "scatter_add: index: value at [] expected in -3 to below 3 (axis 0 of self), got 7"
    );
    assert_eq!(
        told(index_add(&mut view_mut(&mut data, &[3]), 0, &index, &src, 1)),
        "index_add: index: value at [] expected in -3 to below 3 (axis 0 of self), got 7"
    );
    assert_eq!(
        told(scatter_nd_add(&mut view_mut(&mut data, &[3]), &index, &src)),
        "scatter_nd_add: indices: value at [] expected in -3 to below 3 (axis 0 of self), got 7"
    );
}

#[test]
fn any_index_is_bad_where_the_axis_is_empty() {
    let mut nothing: [f32; 0] = [];
    let error = scatter_add(&mut view_mut(&mut nothing, &[0]), 0, &view(&[0_i64], &[1]), &view(&[1.0], &[1]));
    let position = Shape::new(&[0]).unwrap();
    let operator = Operator::ScatterAdd;
    assert_eq!(error, Err(Error::IndexOutOfRange { operator, axis: 0, position, value: 0, size: 0 }));
    // An empty slice has no updates, whatever the index says.
    scatter_nd_add(&mut view_mut(&mut nothing, &[3, 0]), &view(&[2_i64], &[1, 1]), &view(&[], &[1, 0]))
        .unwrap();
}

#[test]
fn an_empty_index_copies_self_even_onto_itself() {
    let index: [i64; 0] = [];
    let mut out = [0; 3];
    scatter_add_into(
        &view(&[1, 2, 3], &[3]),
        5,
        &view(&index, &[0, 7]),
        &view(&[9], &[]),
        &mut view_mut(&mut out, &[3]),
    )
    .unwrap();
    assert_eq!(out, [1, 2, 3]);

    // out one element behind self, in one storage.
    let mut storage = [1, 2, 3, 4];
    let layout = |offset| Layout::new(&[3], &[1], offset, 4);
    let start: *mut i32 = storage.as_mut_ptr();
    // SAFETY: both tensors lie inside `storage`, which nobody else uses until they are gone.
    let (self_, out) = unsafe {
        (cpu::TensorRef::from_raw(start.cast_const(), layout(0)), cpu::TensorMut::from_raw(start, layout(1)))
    };
    let index = view(&index, &[0]);
    let op = Op::ScatterAdd { dim: 0 };
    let src = view(&[0], &[1]);
    let problem = Problem::new(
        op,
        self_.operand(),
        index.as_tensor().operand(),
        Some(src.as_tensor().operand()),
        out.operand(),
    )
    .unwrap();
    let memory =
        &mut Memory { self_: Some(self_), index: index.as_tensor(), src: Some(src.as_tensor()), out };
    cpu::run(&problem, memory).unwrap();
    assert_eq!(storage, [1, 1, 2, 3]);
}

#[test]
fn engines_take_no_other_memory_than_the_problems() {
    let operator = Operator::ScatterAdd;
    let (mut data, index, src) = ([0.0_f32; 3], [0_i64, 1], [1.0_f32, 2.0]);
    let mut out = view_mut(&mut data, &[3]);
    let (index_view, src_view) = (view(&index, &[2]), view(&src, &[2]));
    let operand = *out.as_tensor().operand();
    let src_operand = *src_view.as_tensor().operand();
    let problem =
        |op, index: &Operand| Problem::new(op, &operand, index, Some(&src_operand), &operand).unwrap();
    let problem = problem(Op::ScatterAdd { dim: 0 }, index_view.as_tensor().operand());

    let other = [0_i64; 2];
    let other = view(&other, &[2]);
    let shorter = view(&src, &[1]);
    let mut run = |index: &View<'_, i64>, src: Option<&View<'_, f32>>| {
        let src = src.map(AsTensor::as_tensor);
        let memory = &mut Memory { self_: None, index: index.as_tensor(), src, out: out.as_tensor_mut() };
        cpu::run(&problem, memory)
    };
    assert_eq!(run(&other, Some(&src_view)), Err(Error::Binding { operator, argument: Argument::Index }));
    assert_eq!(run(&index_view, Some(&shorter)), Err(Error::Binding { operator, argument: Argument::Src }));
    assert_eq!(run(&index_view, None), Err(Error::Binding { operator, argument: Argument::Src }));
    assert_eq!(run(&index_view, Some(&src_view)), Ok(()));
    assert_eq!(data, [1.0, 2.0, 0.0]);

    // The reference takes slices: other lengths and other types are not the problem's.
    let refused = |argument| Err(Error::Binding { operator, argument });
    assert_eq!(reference::run(&problem, None, &index[..1], Some(&src), &mut data), refused(Argument::Index));
    assert_eq!(reference::run(&problem, None, &[0_i32; 2], Some(&src), &mut data), refused(Argument::Index));
    assert_eq!(reference::run(&problem, None, &index, Some(&src), &mut data[..2]), refused(Argument::Out));
    assert_eq!(reference::run(&problem, None, &index, None, &mut data), refused(Argument::Src));
    assert_eq!(reference::run(&problem, None, &index, Some(&[1, 2]), &mut [0; 3]), refused(Argument::Out));
}

#[test]
fn a_scatter_into_an_empty_tensor_is_a_scatter_for_the_reference_too() {
    let (self_, index, src, mut out): ([f32; 0], [i64; 0], [f32; 0], [f32; 0]) = ([], [], [], []);
    let empty = |address| Operand::new(DType::F32, Layout::contiguous(&[0], 0).unwrap(), address);
    let no_index = Operand { dtype: Ok(DType::I64), ..empty(index.as_ptr().addr()) };
    let (of_self, of_src) = (empty(self_.as_ptr().addr()), empty(src.as_ptr().addr()));
    let op = Op::ScatterAdd { dim: 0 };
    // Slices without elements all start at one address.
    let problem = Problem::new(op, &of_self, &no_index, Some(&of_src), &of_self).unwrap();
    reference::run(&problem, Some(&self_), &index, Some(&src), &mut out).unwrap();
}

#[test]
fn updates_of_a_scalar_end_in_no_axis_or_in_one() {
    let (indices, updates) = ([0_i64; 0], [1.0_f32, 2.0, 4.0]);
    for shape in [&[3][..], &[3, 1]] {
        let mut scalar = [8.0_f32];
        scatter_nd_add(&mut view_mut(&mut scalar, &[]), &view(&indices, &[3, 0]), &view(&updates, shape))
            .unwrap();
        assert_eq!(scalar, [15.0], "updates {shape:?}");
    }
}

#[test]
fn a_copy_onto_itself_takes_no_more_memory_than_self_has() {
    // A thousand rows that are all the first one: one row is kept while out is written.
    let index: [i64; 0] = [];
    let (self_, mut out) = ([1_u8, 2], [0_u8; 2]);
    scatter_add_into(
        &View::strided(&self_, &[1000, 2], &[0, 1], 0).unwrap(),
        0,
        &view(&index, &[0]),
        &view(&[0_u8], &[1]),
        &mut ViewMut::strided(&mut out, &[1000, 2], &[0, 1], 0).unwrap(),
    )
    .unwrap();
    assert_eq!(out, [1, 2]);
}

#[test]
fn tensors_without_elements_may_be_of_any_shape() {
    let (mut nothing, none): ([f32; 0], [i64; 0]) = ([], []);
    let big = 1 << 61;
    let index = View::strided(&[0_i64], &[1, 1], &[isize::MAX, isize::MAX], 0).unwrap();
    let updates = View::new(&[], &[1, 0]).unwrap();
    let out = &mut ViewMut::new(&mut nothing, &[big, 0]).unwrap();
    scatter_nd_add(out, &index, &updates).unwrap();
    let bad = [isize::MIN as i64];
    let error = scatter_nd_add(out, &view(&bad, &[1, 1]), &updates);
    let (operator, position) = (Operator::ScatterNdAdd, Shape::new(&[0, 0]).unwrap());
    assert_eq!(error, Err(Error::IndexOutOfRange { operator, axis: 0, position, value: bad[0], size: big }));
    scatter_add(out, 0, &view(&none, &[0]), &view(&[1.0], &[])).unwrap();
    let no_elements = View::strided(&none, &[3, 0], &[isize::MAX >> 2, 5], 0).unwrap();
    let mut two = [1.0_f32; 2];
    scatter_nd_add(
        &mut view_mut(&mut two, &[2]),
        &no_elements,
        &View::strided(&[1.0], &[3, 2], &[0, 0], 0).unwrap(),
    )
    .unwrap();
    assert_eq!(two, [4.0; 2]);
}

/// No element tells the stride of an axis of one element.
#[test]
fn an_axis_of_one_element_may_have_any_stride() {
    for stride in [0, 1, -7, isize::MAX] {
        for (shape, strides, targets) in [
            ([2, 3, 1], [3, 1, stride], [0, 1, 0, 1, 2, 0, 0, 1, 0]),
            ([2, 1, 3], [3, stride, 1], [0, 0, 1, 1, 0, 2, 0, 0, 1]),
            ([1, 2, 3], [stride, 3, 1], [0, 0, 1, 0, 1, 2, 0, 0, 1]),
        ] {
            let mut data = [0_i32; 6];
            let mut out = ViewMut::strided(&mut data[..], &shape, &strides, 0).unwrap();
            scatter_nd_add(&mut out, &view::<i64>(&targets, &[3, 3]), &view(&[1, 2, 4], &[3])).unwrap();
            assert_eq!(data, [0, 5, 0, 0, 0, 2], "{shape:?} {strides:?}");
        }
    }
}
