//! Gathers, among them the gradient for src: their rules, and the CPU engine against the reference.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod call;
mod common;

mod random {
    use super::common::{Numbers, Random, Tensor, Values, proptest_config, same};
    use proptest::prelude::*;
    use scatter::cpu::internals::{Limits, Simd};
    use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
    use scatter::{DType, Index, Op, Operand, Problem, View, ViewMut, reference, with_element};

    /// grad of three axes, an index that is expanded or has gaps, and an out that has them too.
    fn cpu_is_reference<T: Random>(
        seed: u64,
        dim: usize,
        length: usize,
        ways: &[Limits],
    ) -> Result<(), TestCaseError> {
        let mut numbers = Numbers(seed);
        let shape = [1 + numbers.below(5), 1 + numbers.below(5), 1 + numbers.below(5)];
        let mut index_shape = shape.map(|size| 1 + numbers.below(size));
        index_shape[dim] = length;
        let size = shape[dim];
        let values = Values::random(&mut numbers);
        let grad = Tensor::random(&shape, true, &mut numbers, T::random);
        let index = Tensor::random(&index_shape, true, &mut numbers, |numbers| values.draw(size, numbers));
        let before = Tensor::random(&index_shape, false, &mut numbers, T::random);
        equals_reference(&grad, dim, &narrowed(&index), &before, ways)?;
        equals_reference(&grad, dim, &index, &before, ways)
    }

    /// The same index of i32.
    fn narrowed(index: &Tensor<i64>) -> Tensor<i32> {
        let (shape, strides) = (index.shape.clone(), index.strides.clone());
        let storage = index.storage.iter().map(|&value| value as i32).collect();
        Tensor { storage, shape, strides, offset: index.offset }
    }

    /// Compares what the engine does in each of these ways with the reference.
    fn equals_reference<T: Random, I: Index>(
        grad: &Tensor<T>,
        dim: usize,
        index: &Tensor<I>,
        before: &Tensor<T>,
        ways: &[Limits],
    ) -> Result<(), TestCaseError> {
        let axes = grad.shape.len() as i64;
        let (grad_view, index_view) = (grad.view(), index.view());
        let (grad_tensor, index_tensor) = (grad_view.as_tensor(), index_view.as_tensor());
        let mut expected = before.clone();
        let problem = |dim, out: &Operand| {
            Problem::new(Op::Gather { dim }, grad_tensor.operand(), index_tensor.operand(), None, out)
                .unwrap()
        };
        let of_reference = problem(dim as i64 - axes, &expected.operand());
        let out = &mut expected.storage;
        reference::run(&of_reference, Some(&grad.storage), &index.storage, None, out).unwrap();

        for limits in ways {
            let mut got = before.clone();
            let mut out_view = got.view_mut();
            let out = out_view.as_tensor_mut();
            let of_cpu = problem(dim as i64, out.operand());
            let mut memory = Memory { self_: Some(grad_tensor), index: index_tensor, src: None, out };
            cpu::internals::run_with(&of_cpu, &mut memory, limits).unwrap();
            prop_assert!(
                same(&got.storage, &expected.storage),
                "{limits:?}\ngot {got:?}\nexpected {expected:?}"
            );
        }
        Ok(())
    }

    /// What random problems are too small for: rows of an index with a stride of 0, of one that is
    /// constant along rows, and of one that is but for two values; lines; columns; and enough of
    /// each for several blocks.
    #[test]
    #[cfg_attr(miri, ignore = "too large for Miri")]
    fn rows_and_lines_equal_the_reference() {
        rows_and_lines::<scatter::Bool>();
        rows_and_lines::<scatter::f16>();
        rows_and_lines::<f32>();
        rows_and_lines::<i64>();
        rows_and_lines::<scatter::Complex<f64>>();
    }

    fn rows_and_lines<T: Random>() {
        let mut numbers = Numbers(11);
        let (rows, reads, width) = (41, 300, 330);
        let storage = (0..rows * width).map(|_| T::random(&mut numbers)).collect();
        let grad = Tensor::lines(storage, width, 1);
        let mut values = |count: usize, size: usize| -> Vec<i64> {
            (0..count).map(|_| numbers.below(2 * size) as i64 - size as i64).collect()
        };
        let of_rows = values(reads, rows);
        let full: Vec<i64> = of_rows.iter().flat_map(|&value| vec![value; width]).collect();
        let mut almost = full.clone();
        almost[137 * width + 200] = 5;
        almost[137 * width + 201] = -7;
        let mut expanded = Tensor::lines(of_rows, 1, 1);
        (expanded.shape[1], expanded.strides[1]) = (width, 0);
        let lines = |values, step| Tensor::lines(values, width, step);
        let (columns, in_lines) = (values(reads * width, rows), values(rows * width, width));
        for (dim, index) in [
            (0, expanded),
            (0, lines(full, 1)),
            (0, lines(almost, 1)),
            (0, lines(columns, 1)),
            (1, lines(in_lines.clone(), 1)),
            (1, lines(in_lines.clone(), -1)),
            // A few elements of each line, and some more; the same of each line.
            (1, Tensor::lines(in_lines[..rows * 32].to_vec(), 32, 1)),
            (1, Tensor::lines(in_lines[..rows * 33].to_vec(), 33, 1)),
            (1, Tensor { strides: vec![0, 1], ..Tensor::lines(in_lines[..rows * 32].to_vec(), 32, 1) }),
        ] {
            let (count, reads) = (index.shape.iter().product(), index.shape[1]);
            let before = Tensor::lines(vec![grad.storage[0]; count], reads, 1);
            let ways: Vec<Limits> = [None, Some(1), Some(3), Some(1000)]
                .into_iter()
                .flat_map(|tasks| Simd::all().into_iter().map(move |simd| (tasks, simd)))
                .map(|(tasks, simd)| Limits { tasks, simd, ..Limits::default() })
                .collect();
            for index in [index.without_negatives(grad.shape[dim]), index] {
                equals_reference(&grad, dim, &narrowed(&index), &before, &ways).unwrap();
                equals_reference(&grad, dim, &index, &before, &ways).unwrap();
            }
        }
    }

    /// A column is a line in memory, but index goes by rows.
    #[test]
    fn elements_of_a_transposed_tensor_equal_the_reference() {
        let (rows, columns, reads) = (9, 20, 7);
        let mut numbers = Numbers(17);
        let grad = Tensor::lines((0..rows * columns).map(|at| at as f32).collect(), rows, 1);
        let grad = Tensor { shape: vec![rows, columns], strides: vec![1, rows as isize], ..grad };
        let values = (0..reads * columns).map(|_| numbers.below(2 * rows) as i64 - rows as i64).collect();
        let before = Tensor::lines(vec![0.0; reads * columns], columns, 1);
        let ways = [None, Some(3)].map(|tasks| Limits { tasks, ..Limits::default() });
        equals_reference(&grad, 0, &Tensor::lines(values, columns, 1), &before, &ways).unwrap();
    }

    /// A few elements of each of more lines than a near cache holds, which are prefetched singly.
    #[test]
    #[cfg_attr(miri, ignore = "too large for Miri")]
    fn few_elements_of_many_lines_equal_the_reference() {
        let (rows, width, reads) = (3_001, 65, 3);
        let mut numbers = Numbers(5);
        let grad = Tensor::lines((0..rows * width).map(|_| f32::random(&mut numbers)).collect(), width, 1);
        let values = (0..rows * reads).map(|_| numbers.below(2 * width) as i64 - width as i64).collect();
        let index = Tensor::lines(values, reads, 1);
        let backward =
            Tensor { strides: vec![-(reads as isize), 1], offset: (rows - 1) * reads, ..index.clone() };
        let same = Tensor { strides: vec![0, 1], ..index.clone() };
        let before = Tensor::lines(vec![0.0; rows * reads], reads, 1);
        let ways = [None, Some(3)].map(|tasks| Limits { tasks, ..Limits::default() });
        for index in [index, backward, same] {
            equals_reference(&grad, 1, &index.without_negatives(width), &before, &ways).unwrap();
            equals_reference(&grad, 1, &index, &before, &ways).unwrap();
        }
    }

    /// An axis may be longer than memory if its stride is 0.
    #[test]
    fn values_of_an_axis_of_more_than_2_to_the_62_are_checked() {
        const SIZE: i64 = (1 << 62) + 1;
        let from = [7.0_f32];
        let from = View::strided(&from, &[SIZE as usize], &[0], 0).unwrap();
        let gathered = |value: i64| {
            let (index, mut out) = ([0, value], [0.0; 2]);
            let mut view = ViewMut::new(&mut out, &[2]).unwrap();
            let done = scatter::gather(&from, 0, &View::new(&index, &[2]).unwrap(), &mut view);
            (done.is_ok(), out)
        };
        for value in [-SIZE, -1, SIZE - 1] {
            assert_eq!(gathered(value), (true, [7.0; 2]), "{value}");
        }
        for value in [i64::MIN, -SIZE - 1, SIZE, i64::MAX] {
            assert_eq!(gathered(value), (false, [0.0; 2]), "{value}");
        }
    }

    /// How many random problems there are. Miri is slow.
    const CASES: u32 = if cfg!(miri) { 8 } else { 600 };

    proptest! {
        #![proptest_config(proptest_config(CASES))]

        #[test]
        fn cpu_equals_reference(seed in any::<u64>(), dtype in 0..12_usize, dim in 0..3_usize, length in 0..9_usize) {
            let ways = [None, Some(1), Some(1000)].map(|tasks| Limits { tasks, ..Limits::default() });
            with_element!(DType::ALL[dtype], T => cpu_is_reference::<T>(seed, dim, length, &ways))?;
        }
    }
}

use call::{INDEX, OUT, SELF, contiguous, nine_axes, strided};
use scatter::{
    Addresses, Argument, DType, Error, Layout, LayoutError, Op, Operand, Operator, Problem, Shape, Target,
    UnsupportedDType, View, ViewMut, gather, reference, scatter_src_grad,
};

/// grad, index and out, and dim.
type Call = (Operand, Operand, Operand, i64);

/// What breaks a rule, and the error.
type Rule = (fn(&mut Call), Error);

#[test]
fn every_rule_has_its_error_and_its_turn() {
    rules_of(Op::Gather { dim: 0 });
    rules_of(Op::ScatterSrcGrad { dim: 0 });
}

fn rules_of(op: Op) {
    let operator = op.operator();
    let outside = LayoutError::Outside { lowest: 0, highest: 9, storage_len: 1 };
    let unsupported = UnsupportedDType(-1);
    let base: Call = (
        contiguous(DType::F32, &[3, 4], SELF),
        contiguous(DType::I32, &[2, 4], INDEX),
        contiguous(DType::F32, &[2, 4], OUT),
        0,
    );
    let rules: [Rule; 14] = [
        (
            |call| call.0.dtype = Err(UnsupportedDType(-1)),
            Error::UnsupportedDType { operator, argument: Argument::SelfTensor, got: unsupported },
        ),
        (
            |call| call.2.dtype = Ok(DType::F16),
            Error::DTypeMismatch { operator, argument: Argument::Out, expected: DType::F32, got: DType::F16 },
        ),
        (|call| call.1.dtype = Ok(DType::F32), Error::IndexDType { operator, got: DType::F32 }),
        (
            |call| call.1.layout = Layout::new(&[10], &[1], 0, 1),
            Error::Layout { operator, argument: Argument::Index, got: outside },
        ),
        (
            |call| call.0.layout = nine_axes(),
            Error::Rank { operator, argument: Argument::SelfTensor, expected: 8, got: 9 },
        ),
        (
            |call| call.1.layout = nine_axes(),
            Error::Rank { operator, argument: Argument::Index, expected: 8, got: 9 },
        ),
        (
            |call| call.2 = contiguous(DType::F32, &[8], OUT),
            Error::OutShape { operator, axis: None, expected: 2, got: 1 },
        ),
        (
            |call| call.2 = contiguous(DType::F32, &[2, 6], OUT),
            Error::OutShape { operator, axis: Some(1), expected: 4, got: 6 },
        ),
        (
            |call| {
                call.1 = contiguous(DType::I32, &[2], INDEX);
                call.2 = contiguous(DType::F32, &[2], OUT);
            },
            Error::RankMismatch { operator, argument: Argument::Index, expected: 2, got: 1 },
        ),
        (
            |call| {
                call.1 = contiguous(DType::I32, &[2, 5], INDEX);
                call.2 = contiguous(DType::F32, &[2, 5], OUT);
            },
            Error::IndexExceedsSelf { operator, axis: 1, expected: 4, got: 5 },
        ),
        (|call| call.3 = -3, Error::Dim { operator, expected: 2, got: -3 }),
        (
            |call| call.2 = strided(call.2, &[2, 4], &[1, 1]),
            Error::SelfOverlap { operator, argument: Argument::Out, axis: 0, size: 2, stride: 1 },
        ),
        (|call| call.0.address = call.2.address, Error::Overlap { operator, argument: Argument::SelfTensor }),
        (|call| call.1.address = call.2.address, Error::Overlap { operator, argument: Argument::Index }),
    ];
    let check =
        |(grad, index, out, dim): Call| Problem::new(op.along(dim), &grad, &index, None, &out).map(drop);
    assert_eq!(check(base), Ok(()));
    for (later, (break_later, error)) in rules.iter().enumerate() {
        let mut broken = base;
        break_later(&mut broken);
        assert_eq!(check(broken), Err(*error));
        for (break_earlier, error) in &rules[..later] {
            let mut broken = base;
            break_later(&mut broken);
            break_earlier(&mut broken);
            let got = check(broken).unwrap_err();
            assert_eq!(core::mem::discriminant(&got), core::mem::discriminant(error), "{later}: {got}");
        }
    }
}

#[test]
fn messages_name_the_gradient() {
    let operator = Operator::ScatterSrcGrad;
    let argument = Argument::Index;
    for (error, message) in [
        (
            Error::RankMismatch { operator, argument, expected: 1, got: 2 },
            "scatter_src_grad: index: rank 1 of grad expected, got 2",
        ),
        (
            Error::IndexExceedsSelf { operator, axis: 1, expected: 4, got: 5 },
            "scatter_src_grad: index: size 4 of grad at most expected on axis 1, got 5",
        ),
        (
            Error::DTypeMismatch { operator, argument: Argument::Out, expected: DType::F32, got: DType::F16 },
            "scatter_src_grad: out: dtype f32 of grad expected, got f16",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn an_engine_finds_all_of_it_and_other_addresses() {
    let (grad, index) = (contiguous(DType::F32, &[3, 4], SELF), contiguous(DType::I32, &[2, 4], INDEX));
    let out = contiguous(DType::F32, &[2, 4], OUT);
    let problem = Problem::new(Op::ScatterSrcGrad { dim: -2 }, &grad, &index, None, &out).unwrap();
    assert_eq!((problem.target(), problem.index_dtype()), (Some(Target::Dim(0)), Some(DType::I32)));
    assert!(problem.gathers() && problem.has_work() && !problem.in_place());
    assert_eq!(problem.self_layout().shape()[..], [3, 4]);
    assert_eq!(problem.index_layout().unwrap().shape(), problem.out_layout().shape());
    let addresses = |self_, index, out| Addresses { self_, index, src: 0, out };
    assert!(problem.rebind(addresses(SELF + 4096, INDEX, OUT)).is_ok());
    let operator = Operator::ScatterSrcGrad;
    assert_eq!(
        problem.rebind(addresses(SELF, OUT + 4, OUT)),
        Err(Error::Overlap { operator, argument: Argument::Index })
    );
}

#[test]
fn engines_take_no_other_memory_than_the_problems() {
    let operator = Operator::ScatterSrcGrad;
    let refused = |argument| Err(Error::Binding { operator, argument });
    let (grad, index, out) = ([1.0_f32, 2.0, 3.0], [2_i64, 0], [0.0_f32; 2]);
    let operand = |dtype, len, address| contiguous(dtype, &[len], address);
    let of_grad = operand(DType::F32, 3, grad.as_ptr().addr());
    let of_out = operand(DType::F32, 2, out.as_ptr().addr());
    let of_index = operand(DType::I64, 2, index.as_ptr().addr());
    let op = Op::ScatterSrcGrad { dim: 0 };
    let problem = Problem::new(op, &of_grad, &of_index, None, &of_out).unwrap();
    let mut out = out;
    let other_index = reference::run(&problem, Some(&grad), &[2_i32, 0], None, &mut out);
    assert_eq!(other_index, refused(Argument::Index));
    fn run(problem: &Problem, grad: Option<&[f32]>, out: &mut [f32]) -> Result<(), Error> {
        reference::run(problem, grad, &[2_i64, 0], None, out)
    }
    assert_eq!(run(&problem, Some(&grad[..2]), &mut out), refused(Argument::SelfTensor));
    assert_eq!(run(&problem, None, &mut out), refused(Argument::SelfTensor));
    assert_eq!(run(&problem, Some(&grad), &mut out[..1]), refused(Argument::Out));
    let other_dtype = reference::run(&problem, Some(&[1, 2, 3]), &index, None, &mut [0; 2]);
    assert_eq!(other_dtype, refused(Argument::Out));
    run(&problem, Some(&grad), &mut out).unwrap();
    assert_eq!(out, [3.0, 1.0]);
}

#[test]
fn a_bad_index_is_named_and_nothing_is_written() {
    let grad = [1.0_f32, 2.0, 3.0];
    let mut out = [9.0; 3];
    let error = scatter_src_grad(
        &View::new(&grad, &[3]).unwrap(),
        0,
        &View::new(&[0_i64, 3, -4], &[3]).unwrap(),
        &mut ViewMut::new(&mut out, &[3]).unwrap(),
    )
    .unwrap_err();
    let position = Shape::new(&[1]).unwrap();
    let operator = Operator::ScatterSrcGrad;
    assert_eq!(error, Error::IndexOutOfRange { operator, axis: 0, position, value: 3, size: 3 });
    assert_eq!(
        error.to_string(),
        "scatter_src_grad: index: value at [1] expected in -3 to below 3 (axis 0 of grad), got 3"
    );
    assert_eq!(out, [9.0; 3]);
}

/// An index without elements: there is nothing to gather, whatever self is.
#[test]
fn an_empty_index_leaves_nothing_to_do() {
    let (self_, index) = (contiguous(DType::F32, &[3, 4], SELF), contiguous(DType::U8, &[5, 0], INDEX));
    let out = contiguous(DType::F32, &[5, 0], SELF);
    let problem = Problem::new(Op::Gather { dim: 9 }, &self_, &index, None, &out).unwrap();
    assert!(problem.is_copy() && !problem.has_work());
    let empty = View::<i32>::new(&[], &[0]).unwrap();
    gather(&View::new(&[1.0, 2.0], &[2]).unwrap(), 0, &empty, &mut ViewMut::new(&mut [], &[0]).unwrap())
        .unwrap();
}

/// Tensors that get their addresses later overlap nothing until then, whatever their shapes.
#[test]
fn null_addresses_are_apart_and_later_ones_are_checked() {
    let (self_, index) = (contiguous(DType::F32, &[3, 4], 0), contiguous(DType::I64, &[3, 4], 0));
    let problem = Problem::new(Op::Gather { dim: 0 }, &self_, &index, None, &self_).unwrap();
    assert!(problem.has_work() && !problem.in_place());
    let rebind = |self_, out| problem.rebind(Addresses { self_, index: INDEX, src: 0, out });
    assert!(rebind(SELF, OUT).is_ok());
    let operator = Operator::Gather;
    let overlap = Err(Error::Overlap { operator, argument: Argument::SelfTensor });
    assert_eq!(rebind(OUT, OUT), overlap);
    assert_eq!(rebind(OUT + 8, OUT), overlap);
}
