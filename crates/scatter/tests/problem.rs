//! What `Problem` lets pass, what it remembers, and what happens when addresses change.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod call;

use call::{Call, INDEX, OUT, SELF, SRC, contiguous, nine_axes, strided};
use scatter::{
    Addresses, Argument, Complex, DType, Error, Layout, Op, Operand, Operator, Problem, Reduce, Scalar,
    Target, UnsupportedDType,
};

static_assertions::assert_impl_all!(Error: Send, Sync, core::error::Error, Copy, PartialEq);
static_assertions::assert_impl_all!(Problem: Send, Sync, Copy, PartialEq);
static_assertions::assert_impl_all!(scatter::cpu::Memory<'static, f32, i64>: Send, Sync);
const fn is_static<T: 'static>() {}
const _: () = is_static::<Error>();

#[test]
fn a_value_takes_the_place_of_src() {
    let operator = Operator::ScatterValue;
    assert!(Call::value().problem().is_ok());
    let with_src = Call { src: Call::along_dim().src, ..Call::value() };
    let error = Error::Operand { operator, argument: Argument::Src, expected: false };
    assert_eq!(with_src.problem(), Err(error));
    assert_eq!(error.to_string(), "scatter_value: src: no tensor expected");
}

#[test]
fn a_value_must_fit_the_dtype() {
    let inf = f64::INFINITY;
    for (dtype, value, fits) in [
        (DType::U8, Scalar::from(-1), true),
        (DType::U8, Scalar::from(-255), true),
        (DType::U8, Scalar::from(-256), false),
        (DType::U8, Scalar::from(256), false),
        (DType::I8, Scalar::from(127), true),
        (DType::I8, Scalar::from(128), false),
        (DType::I8, Scalar::from(-129), false),
        (DType::I64, Scalar::from(u64::MAX), false),
        (DType::I64, Scalar::from(9.3e18), false),
        (DType::I32, Scalar::from(inf), false),
        (DType::Bool, Scalar::from(-inf), false),
        (DType::I32, Scalar::from(2.9), true),
        (DType::F16, Scalar::from(65504), true),
        (DType::F16, Scalar::from(65505), false),
        (DType::F16, Scalar::from(inf), true),
        (DType::Bf16, Scalar::from(3.4e38), false),
        (DType::F32, Scalar::from(1e39), false),
        (DType::F32, Scalar::from(-inf), true),
        (DType::F64, Scalar::from(1e308), true),
        (DType::Bool, Scalar::from(0.5), true),
        (DType::Complex64, Scalar::from(Complex::new(1.0, f64::NAN)), true),
        (DType::F64, Scalar::from(Complex::new(1.0, 0.0)), false),
    ] {
        let mut call = Call::value();
        call.set_dtype(dtype);
        call.op = Op::ScatterValue { dim: 0, value, reduce: Reduce::None };
        let expected = Error::Value { operator: Operator::ScatterValue, expected: dtype, got: value };
        assert_eq!(
            call.problem().map(drop),
            if fits { Ok(()) } else { Err(expected) },
            "{value} into {dtype}"
        );
    }
    // A NaN passes for floats only; it is not equal to itself, and so no error with it is.
    for (dtype, fits) in [(DType::F16, true), (DType::I64, false), (DType::Bool, false)] {
        let mut call = Call::value();
        call.set_dtype(dtype);
        call.op = Op::ScatterValue { dim: 0, value: Scalar::from(f64::NAN), reduce: Reduce::Add };
        let refused = matches!(call.problem(), Err(Error::Value { expected, .. }) if expected == dtype);
        assert_eq!(refused, !fits, "NaN into {dtype}");
    }
    let error =
        Error::Value { operator: Operator::ScatterValue, expected: DType::I8, got: Scalar::from(200) };
    assert_eq!(error.to_string(), "scatter_value: value: a number that i8 can represent expected, got 200");
}

#[test]
fn every_dtype_has_its_reductions() {
    for dtype in DType::ALL {
        for reduce in Reduce::ALL {
            let mut call = Call::along_dim();
            call.set_dtype(dtype);
            call.op = Op::Scatter { dim: 0, reduce };
            let missing = match reduce {
                Reduce::Max | Reduce::Min => dtype.is_complex(),
                Reduce::Mean => dtype == DType::Bool,
                _ => false,
            };
            assert_eq!(call.problem().is_err(), missing, "{dtype} {reduce}");
            assert_eq!(reduce.missing_for(dtype).is_some(), missing, "{dtype} {reduce}");
        }
    }
}

#[test]
fn an_empty_index_is_a_copy_and_little_is_checked() {
    let odd_src = Operand { layout: nine_axes(), ..contiguous(DType::F32, &[1], SRC) };
    for index in [
        contiguous(DType::F64, &[0, 9], INDEX),
        contiguous(DType::I64, &[0], INDEX),
        Operand { dtype: Err(UnsupportedDType(3)), ..contiguous(DType::I64, &[7, 0, 7], INDEX) },
        Operand { layout: Layout::contiguous(&[0; 12], 0), ..contiguous(DType::I64, &[0], INDEX) },
    ] {
        let op = Op::ScatterReduce { dim: 77, reduce: Reduce::Add, include_self: true };
        // out overlaps src, index and a part of self: nothing is read but self, and that first.
        let out = Operand { address: SELF + 4, ..Call::along_dim().out };
        let call = Call { op, index, src: Some(odd_src), out, ..Call::along_dim() };
        let problem = call.problem().unwrap();
        assert!(problem.is_copy() && !problem.in_place() && problem.index_dtype().is_none());
    }
    let mut rules_that_stay = Call { index: contiguous(DType::I64, &[0, 4], INDEX), ..Call::along_dim() };
    rules_that_stay.out = contiguous(DType::F32, &[3, 5], OUT);
    assert!(matches!(rules_that_stay.problem(), Err(Error::OutShape { .. })));
    rules_that_stay.set_src(|src| Operand { dtype: Ok(DType::I8), ..src });
    assert!(matches!(rules_that_stay.problem(), Err(Error::DTypeMismatch { .. })));
    rules_that_stay.self_.layout = nine_axes();
    rules_that_stay.set_src(|src| Operand { dtype: Ok(DType::F32), ..src });
    assert!(matches!(rules_that_stay.problem(), Err(Error::Rank { .. })));
}

#[test]
fn shapes_that_only_look_wrong_pass() {
    let base = Call::along_dim;
    let src = |shape: &[usize]| Some(contiguous(DType::F32, shape, SRC));
    let index = |shape: &[usize]| contiguous(DType::I64, shape, INDEX);
    for (what, call) in [
        ("index longer than self along dim", Call { index: index(&[9, 4]), src: src(&[9, 4]), ..base() }),
        ("index shorter than self off dim", Call { index: index(&[2, 1]), ..base() }),
        ("an expanded src", Call { src: src(&[1]).map(|src| strided(src, &[2, 4], &[0, 0])), ..base() }),
        ("src and index of one memory", {
            let index = contiguous(DType::I32, &[2, 4], SRC);
            Call { index, ..base() }
        }),
        ("rank 0 throughout", {
            let scalar = |dtype, address| contiguous(dtype, &[], address);
            let (self_, out) = (scalar(DType::F32, SELF), scalar(DType::F32, OUT));
            Call {
                self_,
                index: scalar(DType::I64, INDEX),
                src: Some(scalar(DType::F32, SRC)),
                out,
                ..base()
            }
        }),
        ("rank 0 mixed with [1]", {
            let self_ = contiguous(DType::F32, &[], SELF);
            let out = contiguous(DType::F32, &[1], OUT);
            Call { self_, index: index(&[5]), src: src(&[5]), out, ..base() }
        }),
        ("eight axes", {
            let shape = [1, 1, 1, 1, 1, 1, 3, 4];
            let (self_, out) = (contiguous(DType::F32, &shape, SELF), contiguous(DType::F32, &shape, OUT));
            Call { self_, index: index(&[1; 8]), src: src(&[1; 8]), out, ..base() }
        }),
        ("nd with k = 0", {
            let call = Call::nd();
            let updates = contiguous(DType::F32, &[2, 3, 4, 5], SRC);
            Call { index: contiguous(DType::I32, &[2, 0], INDEX), src: Some(updates), ..call }
        }),
        ("nd with k = rank and one row", {
            let call = Call::nd();
            Call { index: contiguous(DType::I32, &[3], INDEX), src: src(&[]), ..call }
        }),
        ("nd without rows", {
            let call = Call::nd();
            let index = contiguous(DType::Bool, &[0, 2], INDEX);
            Call { index, src: src(&[0, 5]), ..call }
        }),
    ] {
        assert!(call.problem().is_ok(), "{what}: {:?}", call.problem());
    }
}

#[test]
fn out_is_self_where_both_address_the_same_elements() {
    let base = Call::along_dim();
    let at = |offset: usize, address: usize| {
        let layout = Layout::new(&[3, 4], &[4, 1], offset, 40);
        Operand { layout, ..contiguous(DType::F32, &[3, 4], address) }
    };
    // The same effective address from another storage address and offset.
    let call = Call { self_: at(0, SELF + 16), out: at(4, SELF), ..base.clone() };
    assert!(call.problem().unwrap().in_place());
    // The stride of an axis of one element is nobody's business.
    let one = |stride| {
        let layout = Layout::new(&[1, 4], &[stride, 1], 0, 40);
        Operand { layout, ..contiguous(DType::F32, &[1, 4], SELF) }
    };
    let call = Call { self_: one(4), out: one(1000), index: contiguous(DType::I64, &[2, 4], INDEX), ..base };
    assert!(call.problem().unwrap().in_place());
}

#[test]
fn interleaved_tensors_do_not_overlap() {
    // Rows of 4 in a storage of rows of 8: self takes the even halves, out the odd ones.
    let half = |offset| {
        let layout = Layout::new(&[3, 4], &[8, 1], offset, 24);
        Operand { layout, ..contiguous(DType::F32, &[3, 4], SELF) }
    };
    let call = Call { self_: half(0), out: half(4), ..Call::along_dim() };
    assert!(!call.problem().unwrap().in_place());
    let touching = Call { self_: half(0), out: half(3), ..Call::along_dim() };
    let operator = Operator::ScatterReduce;
    assert_eq!(touching.problem(), Err(Error::Overlap { operator, argument: Argument::SelfTensor }));
}

#[test]
fn rebinding_repeats_the_aliasing_rules() {
    let problem = Call::along_dim().problem().unwrap();
    let bound = problem.addresses();
    assert_eq!(bound, Addresses { self_: SELF, index: INDEX, src: SRC, out: OUT });
    assert!(!problem.in_place());

    let in_place = problem.rebind(Addresses { out: SELF, ..bound }).unwrap();
    assert!(in_place.in_place());
    assert_eq!(in_place.rebind(bound), Ok(problem));

    let operator = Operator::ScatterReduce;
    for (addresses, argument) in [
        (Addresses { out: SELF + 4, ..bound }, Argument::SelfTensor),
        (Addresses { index: OUT + 40, ..bound }, Argument::Index),
        (Addresses { src: OUT, ..bound }, Argument::Src),
    ] {
        assert_eq!(problem.rebind(addresses), Err(Error::Overlap { operator, argument }));
    }
    // At the end of the address space nothing wraps around.
    let last = usize::MAX - 47;
    assert!(problem.rebind(Addresses { out: last & !15, self_: 64, ..bound }).is_ok());

    // Tensors whose addresses come later meet nobody, and once they have come they do.
    let unknown = Addresses { self_: 0, index: 0, src: 0, out: 0 };
    let later = problem.rebind(unknown).unwrap();
    for addresses in [
        Addresses { self_: 16, ..unknown },
        Addresses { src: 16, ..unknown },
        Addresses { index: 16, ..unknown },
        Addresses { out: 16, ..unknown },
    ] {
        assert!(later.rebind(addresses).is_ok(), "{addresses:?}");
    }
    assert_eq!(later.rebind(bound), Ok(problem));
    let met = later.rebind(Addresses { src: OUT, out: OUT, ..unknown });
    assert_eq!(met, Err(Error::Overlap { operator, argument: Argument::Src }));
}

#[test]
fn an_engine_finds_all_of_it() {
    let problem = Call { op: Op::ScatterAdd { dim: -1 }, ..Call::along_dim() }.problem().unwrap();
    assert_eq!(problem.target(), Some(Target::Dim(1)));
    assert_eq!(problem.index_layout().unwrap().shape()[..], [2, 4]);
    // The block of src that is read.
    assert_eq!(problem.src_layout().unwrap().shape()[..], [2, 4]);
    assert_eq!(problem.src_layout().unwrap().strides(), [5, 1]);
    assert!(!problem.is_entangled());
    assert_eq!(Call::value().problem().unwrap().src_layout(), None);
    assert_eq!(Call::nd().problem().unwrap().target(), Some(Target::Nd(2)));
    let copy = Call { index: contiguous(DType::I64, &[0, 4], INDEX), ..Call::along_dim() };
    let copy = copy.problem().unwrap();
    assert_eq!((copy.target(), copy.index_layout(), copy.src_layout()), (None, None, None));
}
