//! Slices that are set to one scalar: `index_copy` without a source.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod call;

use call::{Call, INDEX, OUT, SELF, contiguous, nine_axes, strided};
use scatter::{
    Argument, Bool, DType, Error, LayoutError, Op, Operator, Scalar, View, ViewMut, bf16, index_fill,
    index_fill_into,
};

fn filled(shape: &[usize], dim: i64, index: &[i64], value: i32) -> Result<Vec<i32>, Error> {
    let mut data: Vec<i32> = (0..6).collect();
    let index = View::new(index, &[index.len()]).unwrap();
    index_fill(&mut ViewMut::new(&mut data, shape).unwrap(), dim, &index, value)?;
    Ok(data)
}

#[test]
fn slices_are_set_along_any_axis() {
    assert_eq!(filled(&[2, 3], 0, &[1, 1, -1], 9).unwrap(), [0, 1, 2, 9, 9, 9]);
    assert_eq!(filled(&[2, 3], -1, &[0, -1], 9).unwrap(), [9, 1, 9, 9, 4, 9]);
    assert_eq!(filled(&[1, 3, 2], 1, &[2; 9], -7).unwrap(), [0, 1, 2, 3, -7, -7]);
    assert_eq!(filled(&[2, 3], 1, &[], 9).unwrap(), [0, 1, 2, 3, 4, 5]);
    // A tensor without axes counts as [1], and so does an index.
    let mut one = [bf16::ONE];
    let zeros = [0_i32; 3];
    let to = &mut ViewMut::new(&mut one, &[]).unwrap();
    index_fill(to, -1, &View::new(&zeros, &[3]).unwrap(), 2.5).unwrap();
    index_fill(to, 0, &View::new(&zeros[..1], &[]).unwrap(), 3.5).unwrap();
    assert_eq!(one, [bf16::from_f32(3.5)]);
}

#[test]
fn self_stays_out_of_place() {
    let self_ = [1_u8, 2, 3, 4];
    let mut storage = [0_u8; 8];
    let rows = View::new(&[0_i32], &[1]).unwrap();
    // Every other element, from the last to the first.
    let mut out = ViewMut::strided(&mut storage, &[2, 2], &[-4, -2], 7).unwrap();
    index_fill_into(&View::new(&self_, &[2, 2]).unwrap(), 0, &rows, -1, &mut out).unwrap();
    assert_eq!(storage, [0, 4, 0, 3, 0, 255, 0, 255]);
}

#[test]
fn the_value_is_converted_as_for_scatter_value() {
    let mut bytes = [Bool(0), Bool(7)];
    let index = View::new(&[0_i64], &[1]).unwrap();
    index_fill(&mut ViewMut::new(&mut bytes, &[2]).unwrap(), 0, &index, 0.5).unwrap();
    assert_eq!(bytes, [Bool(1), Bool(7)]);
    let error = index_fill(&mut ViewMut::new(&mut [1_i8], &[1]).unwrap(), 0, &index, 128).unwrap_err();
    assert_eq!(error.to_string(), "index_fill: value: a number that i8 can represent expected, got 128");
}

/// Of f32 along axis 1: self [3, 4] by two values, into another tensor.
fn call() -> Call {
    let op = Op::IndexFill { dim: 1, value: Scalar::from(1) };
    Call { op, index: contiguous(DType::I64, &[2], INDEX), src: None, ..Call::along_dim() }
}

#[test]
fn rules_are_those_of_slices_without_a_source() {
    let operator = Operator::IndexFill;
    assert!(call().problem().is_ok());
    // In the contract's order: each breaks the one before, too.
    let mut broken = Call { index: contiguous(DType::I64, &[2], OUT), ..call() };
    assert_eq!(broken.problem(), Err(Error::Overlap { operator, argument: Argument::Index }));
    // More updates than can be counted: an index that is repeated, and rows of self.
    broken.index = strided(broken.index, &[1 << 62], &[0]);
    let got = LayoutError::Overflow { axis: 0, size: 1 << 62, stride: 0 };
    assert_eq!(broken.problem(), Err(Error::Layout { operator, argument: Argument::Index, got }));
    broken.op = broken.op.along(2);
    assert_eq!(broken.problem(), Err(Error::Dim { operator, expected: 2, got: 2 }));
    broken.index = contiguous(DType::I64, &[2, 1], OUT);
    assert_eq!(
        broken.problem(),
        Err(Error::Rank { operator, argument: Argument::Index, expected: 1, got: 2 })
    );
    broken.index.layout = nine_axes();
    assert_eq!(
        broken.problem(),
        Err(Error::Rank { operator, argument: Argument::Index, expected: 8, got: 9 })
    );
    broken.out = contiguous(DType::F32, &[3, 5], OUT);
    assert_eq!(broken.problem(), Err(Error::OutShape { operator, axis: Some(1), expected: 4, got: 5 }));
    broken.index.dtype = Ok(DType::U8);
    assert_eq!(broken.problem(), Err(Error::IndexDType { operator, got: DType::U8 }));
    broken.op = Op::IndexFill { dim: 2, value: Scalar::from(1e300) };
    assert!(matches!(broken.problem(), Err(Error::Value { expected: DType::F32, .. })));
    broken.src = Call::along_dim().src;
    let unwanted = Error::Operand { operator, argument: Argument::Src, expected: false };
    assert_eq!(broken.problem(), Err(unwanted));
}

#[test]
fn without_slices_all_but_aliasing_is_checked() {
    let operator = Operator::IndexFill;
    let none = Call { index: contiguous(DType::I64, &[0], OUT), ..call() };
    assert!(none.problem().unwrap().is_copy());
    let odd = Call { index: contiguous(DType::Bool, &[0], INDEX), ..call() };
    assert_eq!(odd.problem(), Err(Error::IndexDType { operator, got: DType::Bool }));
    let along = Call { op: none.op.along(-3), ..none };
    assert_eq!(along.problem(), Err(Error::Dim { operator, expected: 2, got: -3 }));
    // Slices without elements: no index value is looked at.
    let [self_, out] = [SELF, OUT].map(|address| contiguous(DType::F32, &[0, 4], address));
    assert!(Call { self_, out, ..call() }.problem().unwrap().is_copy());
    // But none is valid along an axis without elements.
    let mut nothing: [f32; 0] = [];
    let to = &mut ViewMut::new(&mut nothing, &[4, 0]).unwrap();
    let refused = index_fill(to, 1, &View::new(&[0_i64], &[1]).unwrap(), 1);
    assert!(matches!(refused, Err(Error::IndexOutOfRange { axis: 1, size: 0, .. })), "{refused:?}");
}
