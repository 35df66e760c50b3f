//! Comparisons, of elements and of tensors, and operators of one tensor.

use crate::common::{Tensor, Truth, Typed, call, refusal, scalar, truths};
use half::f16;
use num_complex::Complex;

const NAN: f32 = f32::NAN;

macro_rules! compares {
    ($($two:ident, $one:ident, $scalar_two:ident, $scalar_one:ident: $expected:expr;)*) => {$(
        let (left, right) = (Tensor::new(&[4], &[1_f32, 2.0, 3.0, NAN]), Tensor::new(&[4], &[2_f32, 2.0, 2.0, 2.0]));
        let out = Tensor::new(&[4], &[Truth(9); 4]);
        call!($two, $one(left.raw, right.raw, out.raw));
        assert_eq!(out.read::<Truth>(), truths(&$expected), stringify!($two));
        call!($scalar_two, $scalar_one(left.raw, scalar(2_i64), out.raw));
        assert_eq!(out.read::<Truth>(), truths(&$expected), stringify!($scalar_two));
    )*};
}

#[test]
fn elements_are_compared() {
    compares! {
        aclnnEqTensor, aclnnEqTensorGetWorkspaceSize, aclnnEqScalar, aclnnEqScalarGetWorkspaceSize: [false, true, false, false];
        aclnnNeTensor, aclnnNeTensorGetWorkspaceSize, aclnnNeScalar, aclnnNeScalarGetWorkspaceSize: [true, false, true, true];
        aclnnLtTensor, aclnnLtTensorGetWorkspaceSize, aclnnLtScalar, aclnnLtScalarGetWorkspaceSize: [true, false, false, false];
        aclnnLeTensor, aclnnLeTensorGetWorkspaceSize, aclnnLeScalar, aclnnLeScalarGetWorkspaceSize: [true, true, false, false];
        aclnnGtTensor, aclnnGtTensorGetWorkspaceSize, aclnnGtScalar, aclnnGtScalarGetWorkspaceSize: [false, false, true, false];
        aclnnGeTensor, aclnnGeTensorGetWorkspaceSize, aclnnGeScalar, aclnnGeScalarGetWorkspaceSize: [false, true, true, false];
    }
}

/// Whether elements are equal, of one dtype with another.
fn equal<L: Typed, R: Typed>(left: &[L], right: &[R], expected: &[bool]) {
    let (left, right) = (Tensor::new(&[left.len() as i64], left), Tensor::new(&[right.len() as i64], right));
    let out = Tensor::new(&[expected.len() as i64], &vec![Truth(9); expected.len()]);
    call!(aclnnEqTensor, aclnnEqTensorGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<Truth>(), truths(expected), "{} {}", L::DTYPE, R::DTYPE);
}

#[test]
fn every_dtype_is_compared_in_the_promoted_one() {
    equal(&[i64::MAX, 5], &[i64::MAX - 1, 5], &[false, true]);
    equal(&[u64::MAX, 5], &[u64::MAX, 6], &[true, false]);
    equal(&[-1_i8], &[255_u8], &[false]);
    equal(&[1_i32, 3], &[1_f32, 2.5], &[true, false]);
    equal(&[Truth(1), Truth(7), Truth(0)], &[Truth(1), Truth(1), Truth(1)], &[true, true, false]);
    equal(&[Complex::new(1_f32, 0.0), Complex::new(1.0, 1.0)], &[1_f64], &[true, false]);
    equal(&[1_u16, 2], &[2_u32], &[false, true]);
    equal(&[1_i16; 0], &[2_u8], &[]);
    // A scalar is rounded to the tensor's dtype.
    let (half, out) = (Tensor::new(&[1], &[f16::from_f32(0.1)]), Tensor::new(&[1], &[Truth(0)]));
    call!(aclnnEqScalar, aclnnEqScalarGetWorkspaceSize(half.raw, scalar(0.1_f64), out.raw));
    assert_eq!(out.read::<Truth>(), [Truth(1)]);
    // In place the answer is a number of self's dtype.
    let numbers = Tensor::new(&[2], &[3_f32, 4.0]);
    call!(aclnnInplaceEqScalar, aclnnInplaceEqScalarGetWorkspaceSize(numbers.raw, scalar(3_i64)));
    assert_eq!(numbers.read::<f32>(), [1.0, 0.0]);
    let (complex, out) = (Tensor::new(&[1], &[Complex::new(0_f32, 0.0)]), Tensor::new(&[1], &[Truth(0)]));
    let (_, words) = refusal!(aclnnGtTensorGetWorkspaceSize(complex.raw, complex.raw, out.raw));
    assert!(words.contains("self: a dtype of numbers with an order expected, got c64"), "{words}");
}

/// Whether tensors are equal.
fn are_equal<T: Typed>(left: (&[i64], &[T]), right: (&[i64], &[T])) -> bool {
    let (left, right) = (Tensor::new(left.0, left.1), Tensor::new(right.0, right.1));
    let out = Tensor::new(&[1], &[Truth(9)]);
    call!(aclnnEqual, aclnnEqualGetWorkspaceSize(left.raw, right.raw, out.raw));
    out.read::<Truth>() == [Truth(1)]
}

#[test]
fn tensors_are_equal_where_their_shapes_and_elements_are() {
    assert!(are_equal((&[2, 2], &[1_f32, 2.0, 3.0, -0.0]), (&[2, 2], &[1.0, 2.0, 3.0, 0.0])));
    assert!(!are_equal((&[2, 2], &[1_i64, 2, 3, 4]), (&[2, 2], &[1, 2, 3, 5])));
    assert!(!are_equal((&[4], &[1_i64, 2, 3, 4]), (&[2, 2], &[1, 2, 3, 4])));
    assert!(!are_equal((&[1], &[NAN]), (&[1], &[NAN])));
    assert!(are_equal::<f32>((&[0, 2], &[]), (&[0, 2], &[])));
    assert!(!are_equal::<f32>((&[0, 2], &[]), (&[0], &[])));
    assert!(are_equal((&[], &[1_u8]), (&[], &[1])));
}

#[test]
fn elements_are_near() {
    let inf = f32::INFINITY;
    let (left, right) = (
        Tensor::new(&[5], &[1_f32, 1.0, inf, NAN, inf]),
        Tensor::new(&[5], &[1.001_f32, 1.2, inf, NAN, 1.0]),
    );
    let out = Tensor::new(&[5], &[Truth(9); 5]);
    call!(aclnnIsClose, aclnnIsCloseGetWorkspaceSize(left.raw, right.raw, 0.01, 0.0, false, out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true, false, true, false, false]));
    call!(aclnnIsClose, aclnnIsCloseGetWorkspaceSize(left.raw, right.raw, 0.0, 0.3, true, out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true, true, true, true, false]));
    let (left, right) = (Tensor::new(&[2], &[100_i64, 100]), Tensor::new(&[2], &[101_i64, 103]));
    let out = Tensor::new(&[2], &[Truth(9); 2]);
    call!(aclnnIsClose, aclnnIsCloseGetWorkspaceSize(left.raw, right.raw, 0.02, 0.0, false, out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true, false]));
}

#[test]
fn operators_of_one_tensor() {
    let numbers = Tensor::strided(&[3], &[2], 0, &[-1.5_f32, 9.0, f32::NEG_INFINITY, 9.0, NAN]);
    let (out, are) = (Tensor::new(&[3], &[0_f32; 3]), Tensor::new(&[3], &[Truth(9); 3]));
    call!(aclnnAbs, aclnnAbsGetWorkspaceSize(numbers.raw, out.raw));
    assert_eq!(out.read::<f32>()[..2], [1.5, f32::INFINITY]);
    call!(aclnnCeil, aclnnCeilGetWorkspaceSize(numbers.raw, out.raw));
    assert_eq!(out.read::<f32>()[..2], [-1.0, f32::NEG_INFINITY]);
    call!(aclnnNeg, aclnnNegGetWorkspaceSize(numbers.raw, out.raw));
    assert_eq!(out.read::<f32>()[..2], [1.5, f32::INFINITY]);
    call!(aclnnIsFinite, aclnnIsFiniteGetWorkspaceSize(numbers.raw, are.raw));
    assert_eq!(are.read::<Truth>(), truths(&[true, false, false]));
    let bytes = Tensor::new(&[2], &[-128_i8, 5]);
    let out = Tensor::new(&[2], &[0_i8; 2]);
    call!(aclnnAbs, aclnnAbsGetWorkspaceSize(bytes.raw, out.raw));
    assert_eq!(out.read::<i8>(), [-128, 5]);
    call!(aclnnCeil, aclnnCeilGetWorkspaceSize(bytes.raw, out.raw));
    assert_eq!(out.read::<i8>(), [-128, 5]);
    let complex = Tensor::new(&[2], &[Complex::new(3_f64, -4.0), Complex::new(0.0, f64::NAN)]);
    let (out, are) = (Tensor::new(&[2], &[0_f64; 2]), Tensor::new(&[2], &[Truth(9); 2]));
    call!(aclnnAbs, aclnnAbsGetWorkspaceSize(complex.raw, out.raw));
    assert_eq!(out.read::<f64>()[0], 5.0);
    call!(aclnnIsFinite, aclnnIsFiniteGetWorkspaceSize(complex.raw, are.raw));
    assert_eq!(are.read::<Truth>(), truths(&[true, false]));
}
