//! Results that are computed in the dtype to which the operands are promoted, and converted to the
//! dtype of out only then.

use crate::common::{Tensor, Truth, Typed, call, scalar, truths};
use half::f16;
use num_complex::Complex;

/// Sums, products and squares of elements, in an out of another dtype than theirs.
fn computes<T: Typed, Out: Typed + PartialEq + std::fmt::Debug>(
    left: T,
    right: T,
    [sum, difference, product, square]: [Out; 4],
) {
    let (left, right) = (Tensor::new(&[1], &[left]), Tensor::new(&[1], &[right]));
    let (out, one) = (Tensor::new(&[1], &[Out::zeroed()]), scalar(1_i64));
    call!(aclnnAdd, aclnnAddGetWorkspaceSize(left.raw, right.raw, one, out.raw));
    assert_eq!(out.read::<Out>(), [sum], "sum of {}", T::DTYPE);
    call!(aclnnSub, aclnnSubGetWorkspaceSize(left.raw, right.raw, one, out.raw));
    assert_eq!(out.read::<Out>(), [difference], "difference of {}", T::DTYPE);
    call!(aclnnMul, aclnnMulGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<Out>(), [product], "product of {}", T::DTYPE);
    call!(aclnnPowTensorScalar, aclnnPowTensorScalarGetWorkspaceSize(left.raw, scalar(2_i64), out.raw));
    assert_eq!(out.read::<Out>(), [square], "square of {}", T::DTYPE);
}

#[test]
fn integers_wrap_in_their_dtype_before_they_become_longer() {
    computes(100_i8, 100_i8, [-56_i32, 0, 16, 16]);
    computes(200_u8, 100_u8, [44_f32, 100.0, 32.0, 64.0]);
    computes(20_u8, 21_u8, [41_i32, 255, 164, 144]);
    computes(i32::MAX, 2_i32, [i64::from(i32::MIN) + 1, i64::from(i32::MAX) - 2, -2, 1]);
    computes(i64::MAX, 1_i64, [i64::MIN as f64, (i64::MAX - 1) as f64, i64::MAX as f64, 1.0]);
    let (bytes, out) = (Tensor::new(&[2], &[-128_i8, 5]), Tensor::new(&[2], &[0_i32; 2]));
    call!(aclnnAbs, aclnnAbsGetWorkspaceSize(bytes.raw, out.raw));
    assert_eq!(out.read::<i32>(), [-128, 5]);
    call!(aclnnNeg, aclnnNegGetWorkspaceSize(bytes.raw, out.raw));
    assert_eq!(out.read::<i32>(), [-128, -5]);
    let (one, out) = (Tensor::new(&[1], &[-1_i8]), Tensor::new(&[1], &[0_i64]));
    call!(aclnnBitwiseAndScalar, aclnnBitwiseAndScalarGetWorkspaceSize(one.raw, scalar(0x1ff_i64), out.raw));
    assert_eq!(out.read::<i64>(), [-1]);
}

#[test]
fn sums_of_truths_are_truths_in_a_longer_out() {
    let (all, out) = (Tensor::new(&[2], &truths(&[true, false])), Tensor::new(&[2], &[9_i64; 2]));
    call!(aclnnAdd, aclnnAddGetWorkspaceSize(all.raw, all.raw, scalar(1_i64), out.raw));
    assert_eq!(out.read::<i64>(), [1, 0]);
    call!(aclnnAdds, aclnnAddsGetWorkspaceSize(all.raw, scalar(Truth(1)), scalar(1_i64), out.raw));
    assert_eq!(out.read::<i64>(), [1, 1]);
}

#[test]
fn halves_are_rounded_before_they_become_longer() {
    let three = f16::from_f32(3.0);
    let (tensor, out) = (Tensor::new(&[1], &[three]), Tensor::new(&[1], &[0_f32]));
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(tensor.raw, scalar(0.1_f64), out.raw));
    assert_eq!(out.read::<f32>(), [f16::from_f32(3.0 * 0.1_f32).to_f32()]);
    call!(aclnnDivs, aclnnDivsGetWorkspaceSize(tensor.raw, scalar(7_i64), out.raw));
    assert_eq!(out.read::<f32>(), [f16::from_f32(3.0 / 7.0).to_f32()]);
    let (large, out) = (Tensor::new(&[1], &[f16::from_f32(60000.0)]), Tensor::new(&[1], &[0_f64]));
    call!(aclnnAdd, aclnnAddGetWorkspaceSize(large.raw, large.raw, scalar(1_i64), out.raw));
    assert_eq!(out.read::<f64>(), [f64::INFINITY]);
}

#[test]
fn integers_and_a_scalar_of_f64_are_computed_in_f64_where_out_is() {
    let (three, out) = (Tensor::new(&[1], &[3_i32]), Tensor::new(&[1], &[0_f64]));
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(three.raw, scalar(0.1_f64), out.raw));
    assert_eq!(out.read::<f64>(), [0.300_000_000_000_000_04]);
    call!(aclnnDivs, aclnnDivsGetWorkspaceSize(three.raw, scalar(0.7_f64), out.raw));
    assert_eq!(out.read::<f64>(), [3.0 / 0.7]);
    call!(aclnnPowTensorScalar, aclnnPowTensorScalarGetWorkspaceSize(three.raw, scalar(0.5_f64), out.raw));
    assert_eq!(out.read::<f64>(), [3_f64.sqrt()]);
    // In f32 where the scalar is, or out.
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(three.raw, scalar(0.1_f32), out.raw));
    assert_eq!(out.read::<f64>(), [f64::from(3.0 * 0.1_f32)]);
    let out = Tensor::new(&[1], &[0_f32]);
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(three.raw, scalar(0.1_f64), out.raw));
    assert_eq!(out.read::<f32>(), [3.0 * 0.1]);
    let i = Complex::new(0_f64, 0.1);
    let out = Tensor::new(&[1], &[Complex::new(0_f64, 0.0)]);
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(three.raw, scalar(i), out.raw));
    assert_eq!(out.read::<Complex<f64>>(), [i * 3.0]);
    let single = Tensor::new(&[1], &[3_f32]);
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(single.raw, scalar(i), out.raw));
    assert_eq!(out.read::<Complex<f64>>(), [i * 3.0]);
}

/// The answers of `==` and `>` for an element and a scalar.
fn compared<T: Typed>(element: T, other: i64) -> [Truth; 2] {
    let (tensor, out) = (Tensor::new(&[1], &[element]), Tensor::new(&[1], &[Truth(9)]));
    call!(aclnnEqScalar, aclnnEqScalarGetWorkspaceSize(tensor.raw, scalar(other), out.raw));
    let equal = out.read::<Truth>()[0];
    call!(aclnnGtScalar, aclnnGtScalarGetWorkspaceSize(tensor.raw, scalar(other), out.raw));
    [equal, out.read::<Truth>()[0]]
}

#[test]
fn scalars_of_comparisons_wrap_to_the_dtype_of_the_tensor() {
    assert_eq!(compared(255_u8, -1), [Truth(1), Truth(0)]);
    assert_eq!(compared(44_u8, 300), [Truth(1), Truth(0)]);
    assert_eq!(compared(0_u8, -1), [Truth(0), Truth(0)]);
    assert_eq!(compared(5_i8, 260), [Truth(0), Truth(1)]);
    assert_eq!(compared(u64::MAX, -1), [Truth(1), Truth(0)]);
    // Bool and an integer are compared as i64.
    assert_eq!(compared(Truth(1), 2), [Truth(0), Truth(0)]);
}
