//! Every rule that `Problem` checks: what breaks it, the error that says so, and which rule speaks
//! first.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod call;

use core::mem::discriminant;

use call::{Call, INDEX, OUT, SRC, contiguous, nine_axes, strided};
use scatter::{Argument, DType, Error, LayoutError, Op, Operand, Operator, Reduce, UnsupportedDType};

/// One rule: what breaks it, the error, and the message.
type Rule = (fn(&mut Call), Error, &'static str);

const QUINT8: UnsupportedDType = UnsupportedDType(14);
const OUTSIDE: LayoutError = LayoutError::Outside { lowest: 0, highest: 11, storage_len: 4 };

/// In the contract's order.
fn rules_along_dim() -> Vec<Rule> {
    let operator = Operator::ScatterReduce;
    vec![
        (
            |call| call.src = None,
            Error::Operand { operator, argument: Argument::Src, expected: true },
            "scatter_reduce: src: a tensor expected",
        ),
        (
            |call| call.self_.dtype = Err(QUINT8),
            Error::UnsupportedDType { operator, argument: Argument::SelfTensor, got: QUINT8 },
            "scatter_reduce: self: one of the twelve scatter dtypes expected, got dtype code 14",
        ),
        (
            |call| call.set_src(|src| Operand { dtype: Ok(DType::F64), ..src }),
            Error::DTypeMismatch { operator, argument: Argument::Src, expected: DType::F32, got: DType::F64 },
            "scatter_reduce: src: dtype f32 of self expected, got f64",
        ),
        (
            |call| call.out.dtype = Ok(DType::I32),
            Error::DTypeMismatch { operator, argument: Argument::Out, expected: DType::F32, got: DType::I32 },
            "scatter_reduce: out: dtype f32 of self expected, got i32",
        ),
        (
            |call| {
                call.set_dtype(DType::Complex64);
                call.op = Op::ScatterReduce { dim: 0, reduce: Reduce::Max, include_self: true };
            },
            Error::ReduceDType { operator, dtype: DType::Complex64, got: Reduce::Max },
            "scatter_reduce: reduce: max does not exist for complex64: complex numbers have no order",
        ),
        (
            |call| call.index.dtype = Ok(DType::I16),
            Error::IndexDType { operator, got: DType::I16 },
            "scatter_reduce: index: dtype i32 or i64 expected, got i16",
        ),
        (
            |call| call.self_.layout = Err(OUTSIDE),
            Error::Layout { operator, argument: Argument::SelfTensor, got: OUTSIDE },
            "scatter_reduce: self: elements 0 to 11 of the storage are addressed, expected 0 to below 4",
        ),
        (
            |call| call.index.layout = Err(OUTSIDE),
            Error::Layout { operator, argument: Argument::Index, got: OUTSIDE },
            "scatter_reduce: index: elements 0 to 11 of the storage are addressed, expected 0 to below 4",
        ),
        (
            |call| call.set_src(|src| Operand { layout: Err(OUTSIDE), ..src }),
            Error::Layout { operator, argument: Argument::Src, got: OUTSIDE },
            "scatter_reduce: src: elements 0 to 11 of the storage are addressed, expected 0 to below 4",
        ),
        (
            |call| call.out.layout = Err(OUTSIDE),
            Error::Layout { operator, argument: Argument::Out, got: OUTSIDE },
            "scatter_reduce: out: elements 0 to 11 of the storage are addressed, expected 0 to below 4",
        ),
        (
            |call| call.self_.layout = nine_axes(),
            Error::Rank { operator, argument: Argument::SelfTensor, expected: 8, got: 9 },
            "scatter_reduce: self: rank 8 at most expected, got 9",
        ),
        (
            |call| call.out = contiguous(DType::F32, &[3], OUT),
            Error::OutShape { operator, axis: None, expected: 2, got: 1 },
            "scatter_reduce: out: rank 2 expected, got 1",
        ),
        (
            |call| call.out = contiguous(DType::F32, &[3, 5], OUT),
            Error::OutShape { operator, axis: Some(1), expected: 4, got: 5 },
            "scatter_reduce: out: size 4 on axis 1 expected, got 5",
        ),
        (
            |call| call.index = contiguous(DType::I64, &[2, 4, 1], INDEX),
            Error::RankMismatch { operator, argument: Argument::Index, expected: 2, got: 3 },
            "scatter_reduce: index: rank 2 of self expected, got 3",
        ),
        (
            |call| call.set_src(|src| Operand { layout: nine_axes(), ..src }),
            Error::RankMismatch { operator, argument: Argument::Src, expected: 2, got: 9 },
            "scatter_reduce: src: rank 2 of self expected, got 9",
        ),
        (
            |call| {
                call.index = contiguous(DType::I64, &[3, 4], INDEX);
                call.src = Some(contiguous(DType::F32, &[2, 5], SRC));
            },
            Error::IndexExceedsSrc { operator, axis: 0, expected: 2, got: 3 },
            "scatter_reduce: index: size 2 of src at most expected on axis 0, got 3",
        ),
        (
            |call| call.index = contiguous(DType::I64, &[2, 5], INDEX),
            Error::IndexExceedsSelf { operator, axis: 1, expected: 4, got: 5 },
            "scatter_reduce: index: size 4 of self at most expected on axis 1, got 5",
        ),
        (
            |call| call.op = Op::ScatterReduce { dim: -3, reduce: Reduce::Add, include_self: true },
            Error::Dim { operator, expected: 2, got: -3 },
            "scatter_reduce: dim: -2 to below 2 expected, got -3",
        ),
        (
            |call| call.out = strided(call.out, &[3, 4], &[0, 1]),
            Error::SelfOverlap { operator, argument: Argument::Out, axis: 0, size: 3, stride: 0 },
            "scatter_reduce: out: elements that don't overlap expected, got size 3 with stride 0 on axis 0",
        ),
        (
            |call| call.self_.address = call.out.address + 4,
            Error::Overlap { operator, argument: Argument::SelfTensor },
            "scatter_reduce: out: memory apart from self expected, got an overlap",
        ),
        (
            |call| call.index.address = call.out.address + 44,
            Error::Overlap { operator, argument: Argument::Index },
            "scatter_reduce: out: memory apart from index expected, got an overlap",
        ),
        (
            |call| call.set_src(|src| Operand { address: OUT - 4, ..src }),
            Error::Overlap { operator, argument: Argument::Src },
            "scatter_reduce: out: memory apart from src expected, got an overlap",
        ),
    ]
}

/// Those of `scatter_nd_add` that differ, in its order.
fn rules_of_nd() -> Vec<Rule> {
    let operator = Operator::ScatterNdAdd;
    vec![
        (
            |call| call.src = None,
            Error::Operand { operator, argument: Argument::Src, expected: true },
            "scatter_nd_add: updates: a tensor expected",
        ),
        (
            |call| call.set_src(|src| Operand { dtype: Ok(DType::F16), ..src }),
            Error::DTypeMismatch { operator, argument: Argument::Src, expected: DType::F32, got: DType::F16 },
            "scatter_nd_add: updates: dtype f32 of self expected, got f16",
        ),
        (
            |call| call.index.dtype = Ok(DType::U8),
            Error::IndexDType { operator, got: DType::U8 },
            "scatter_nd_add: indices: dtype i32 or i64 expected, got u8",
        ),
        (
            |call| call.set_src(|src| Operand { layout: Err(OUTSIDE), ..src }),
            Error::Layout { operator, argument: Argument::Src, got: OUTSIDE },
            "scatter_nd_add: updates: elements 0 to 11 of the storage are addressed, expected 0 to below 4",
        ),
        (
            |call| call.self_.layout = nine_axes(),
            Error::Rank { operator, argument: Argument::SelfTensor, expected: 8, got: 9 },
            "scatter_nd_add: self: rank 8 at most expected, got 9",
        ),
        (
            |call| call.out = contiguous(DType::F32, &[3, 4, 6], OUT),
            Error::OutShape { operator, axis: Some(2), expected: 5, got: 6 },
            "scatter_nd_add: out: size 5 on axis 2 expected, got 6",
        ),
        (
            |call| call.index.layout = nine_axes(),
            Error::Rank { operator, argument: Argument::Index, expected: 8, got: 9 },
            "scatter_nd_add: indices: rank 8 at most expected, got 9",
        ),
        (
            |call| call.set_src(|src| Operand { layout: nine_axes(), ..src }),
            Error::Rank { operator, argument: Argument::Src, expected: 8, got: 9 },
            "scatter_nd_add: updates: rank 8 at most expected, got 9",
        ),
        (
            |call| call.index = contiguous(DType::I32, &[2, 4], INDEX),
            Error::IndexDepth { operator, axis: 1, expected: 3, got: 4 },
            "scatter_nd_add: indices: size 3 (the rank of self) at most expected on axis 1, got 4",
        ),
        (
            |call| call.src = Some(contiguous(DType::F32, &[2], SRC)),
            Error::UpdatesShape { operator, axis: None, expected: 2, got: 1 },
            "scatter_nd_add: updates: rank 2 expected, got 1",
        ),
        (
            |call| call.src = Some(contiguous(DType::F32, &[2, 6], SRC)),
            Error::UpdatesShape { operator, axis: Some(1), expected: 5, got: 6 },
            "scatter_nd_add: updates: size 5 on axis 1 expected, got 6",
        ),
        (
            |call| call.out = strided(call.out, &[3, 4, 5], &[20, 4, 1]),
            Error::SelfOverlap { operator, argument: Argument::Out, axis: 1, size: 4, stride: 4 },
            "scatter_nd_add: out: elements that don't overlap expected, got size 4 with stride 4 on axis 1",
        ),
        (
            |call| call.set_src(|src| Operand { address: OUT, ..src }),
            Error::Overlap { operator, argument: Argument::Src },
            "scatter_nd_add: out: memory apart from updates expected, got an overlap",
        ),
    ]
}

fn check_each(call: &Call, rules: &[Rule]) {
    assert!(call.problem().is_ok(), "{:?}", call.problem());
    for (break_rule, error, message) in rules {
        let mut broken = call.clone();
        break_rule(&mut broken);
        assert_eq!(broken.problem(), Err(*error));
        assert_eq!(error.to_string(), *message);
    }
}

/// Breaks two rules; the earlier one is broken last, so that it wins where both change the same
/// thing.
fn check_order(call: &Call, rules: &[Rule]) {
    for (later, (break_later, ..)) in rules.iter().enumerate() {
        for (break_earlier, error, message) in &rules[..later] {
            let mut broken = call.clone();
            break_later(&mut broken);
            break_earlier(&mut broken);
            let got = broken.problem().unwrap_err();
            assert_eq!(discriminant(&got), discriminant(error), "rule {later} and {message}: {got}");
        }
    }
}

#[test]
fn every_rule_along_dim_has_its_error() {
    check_each(&Call::along_dim(), &rules_along_dim());
}

#[test]
fn every_rule_of_nd_has_its_error() {
    check_each(&Call::nd(), &rules_of_nd());
}

#[test]
fn the_first_rule_broken_speaks() {
    check_order(&Call::along_dim(), &rules_along_dim());
    check_order(&Call::nd(), &rules_of_nd());
}
