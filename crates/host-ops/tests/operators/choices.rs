//! `where`, `masked_fill`, `repeat` and exponentials.

use crate::common::{Tensor, Truth, call, integers, refusal, scalar, truths};
use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use half::bf16;
use num_complex::Complex;

#[test]
fn a_condition_chooses_between_broadcast_tensors() {
    let condition = Tensor::new(&[2, 1], &truths(&[true, false]));
    let (one, other) = (Tensor::new(&[3], &[1_i32, 2, 3]), Tensor::new(&[], &[0.5_f32]));
    let out = Tensor::new(&[2, 3], &[0_f32; 6]);
    call!(aclnnSWhere, aclnnSWhereGetWorkspaceSize(condition.raw, one.raw, other.raw, out.raw));
    assert_eq!(out.read::<f32>(), [1.0, 2.0, 3.0, 0.5, 0.5, 0.5]);
    // A condition with more axes than the others, in columns; every byte but 0 is true.
    let condition = Tensor::strided(&[2, 2], &[1, 2], 0, &[0_u8, 2, 1, 0]);
    let (one, other) = (Tensor::new(&[2], &[i64::MAX, i64::MIN]), Tensor::new(&[1], &[7_i64]));
    let out = Tensor::new(&[2, 2], &[0_i64; 4]);
    call!(aclnnSWhere, aclnnSWhereGetWorkspaceSize(condition.raw, one.raw, other.raw, out.raw));
    assert_eq!(out.read::<i64>(), [7, i64::MIN, i64::MAX, 7]);
    let i = Complex::new(0_f32, 1.0);
    let (one, other) = (Tensor::new(&[1], &[i]), Tensor::new(&[2], &[-i, i + 1.0]));
    let out = Tensor::new(&[2, 2], &[i; 4]);
    call!(aclnnSWhere, aclnnSWhereGetWorkspaceSize(condition.raw, one.raw, other.raw, out.raw));
    assert_eq!(out.read::<Complex<f32>>(), [-i, i, i, i + 1.0]);
    let number = Tensor::new(&[2], &[1_f32; 2]);
    let (code, words) = refusal!(aclnnSWhereGetWorkspaceSize(number.raw, one.raw, other.raw, out.raw));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(words.contains("condition: bool or u8 expected, got f32"), "{words}");
    let long = Tensor::new(&[3], &truths(&[true; 3]));
    let (_, words) = refusal!(aclnnSWhereGetWorkspaceSize(long.raw, one.raw, other.raw, out.raw));
    assert!(words.contains("condition: a shape that can be broadcast with [2] expected, got [3]"), "{words}");
}

#[test]
fn elements_under_a_mask_are_filled() {
    let mask = Tensor::new(&[2], &truths(&[true, false]));
    let tensor = Tensor::strided(&[2, 2], &[1, 2], 0, &[1_f32, 2.0, 3.0, 4.0]);
    call!(
        aclnnInplaceMaskedFillScalar,
        aclnnInplaceMaskedFillScalarGetWorkspaceSize(tensor.raw, mask.raw, scalar(f64::NEG_INFINITY))
    );
    assert_eq!(tensor.read::<f32>(), [f32::NEG_INFINITY, f32::NEG_INFINITY, 3.0, 4.0]);
    let value = Tensor::new(&[], &[9_i8]);
    call!(
        aclnnInplaceMaskedFillTensor,
        aclnnInplaceMaskedFillTensorGetWorkspaceSize(tensor.raw, mask.raw, value.raw)
    );
    assert_eq!(tensor.read::<f32>(), [9.0, 9.0, 3.0, 4.0]);
    let whole = Tensor::new(&[2], &[1_i8, 2]);
    call!(
        aclnnInplaceMaskedFillScalar,
        aclnnInplaceMaskedFillScalarGetWorkspaceSize(whole.raw, mask.raw, scalar(-5_i64))
    );
    assert_eq!(whole.read::<i8>(), [-5, 2]);
    let (code, words) =
        refusal!(aclnnInplaceMaskedFillScalarGetWorkspaceSize(whole.raw, mask.raw, scalar(300_i64)));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(words.contains("value: a number that i8 can hold expected, got 300"), "{words}");
    let two = Tensor::new(&[2], &[9_i8; 2]);
    let (_, words) = refusal!(aclnnInplaceMaskedFillTensorGetWorkspaceSize(whole.raw, mask.raw, two.raw));
    assert!(words.contains("value: one element of a dtype that can be cast to i8"), "{words}");
    let float = Tensor::new(&[], &[1_f32]);
    let (_, words) = refusal!(aclnnInplaceMaskedFillTensorGetWorkspaceSize(whole.raw, mask.raw, float.raw));
    assert!(words.contains("got shape [] of f32"), "{words}");
    let wide = Tensor::new(&[2, 2], &truths(&[true; 4]));
    let (_, words) = refusal!(aclnnInplaceMaskedFillTensorGetWorkspaceSize(whole.raw, wide.raw, value.raw));
    assert!(
        words.contains("mask: a shape that can be broadcast to [2] of selfRef expected, got [2, 2]"),
        "{words}"
    );
}

#[test]
fn tensors_are_repeated_along_axes() {
    let tensor = Tensor::strided(&[2, 2], &[1, 2], 0, &[1_i16, 2, 3, 4]);
    let out = Tensor::new(&[4, 6], &[0_i16; 24]);
    call!(aclnnRepeat, aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[2, 3]), out.raw));
    let (first, second) = ([1, 3, 1, 3, 1, 3], [2, 4, 2, 4, 2, 4]);
    assert_eq!(out.read::<i16>(), [first, second, first, second].concat());
    // More axes than the tensor has come first.
    let out = Tensor::new(&[2, 2, 2], &[0_i16; 8]);
    call!(aclnnRepeat, aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[2, 1, 1]), out.raw));
    assert_eq!(out.read::<i16>(), [1, 3, 2, 4, 1, 3, 2, 4]);
    let (one, out) = (Tensor::new(&[], &[Truth(1)]), Tensor::new(&[3], &truths(&[false; 3])));
    call!(aclnnRepeat, aclnnRepeatGetWorkspaceSize(one.raw, integers(&[3]), out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true; 3]));
    let none = Tensor::new::<i16>(&[0, 2], &[]);
    call!(aclnnRepeat, aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[0, 1]), none.raw));
    let out = Tensor::new(&[2, 2], &[0_i16; 4]);
    let (code, words) = refusal!(aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[1]), out.raw));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(words.contains("repeats: 2 to 8 numbers expected, for the axes of self, got [1]"), "{words}");
    let (_, words) = refusal!(aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[1, -1]), out.raw));
    assert!(words.contains("repeats: 0 or more expected, got [1, -1]"), "{words}");
    let (_, words) = refusal!(aclnnRepeatGetWorkspaceSize(tensor.raw, integers(&[1, 2]), out.raw));
    assert!(words.contains("out: shape [2, 4] expected, got [2, 2]"), "{words}");
}

#[test]
fn exponentials_are_the_nearest_numbers() {
    let numbers = [0_f32, 1.0, -1.0, 88.0, 1000.0, f32::NEG_INFINITY];
    let tensor = Tensor::new(&[6], &numbers);
    let expected = numbers.map(|number| f64::from(number).exp() as f32);
    assert_eq!(
        (expected[0], expected[1], expected[4], expected[5]),
        (1.0, std::f32::consts::E, f32::INFINITY, 0.0)
    );
    let out = Tensor::new(&[6], &[7_f32; 6]);
    call!(aclnnExp, aclnnExpGetWorkspaceSize(tensor.raw, out.raw));
    assert_eq!(out.read::<f32>(), expected);
    call!(aclnnInplaceExp, aclnnInplaceExpGetWorkspaceSize(tensor.raw));
    assert_eq!(tensor.read::<f32>(), expected);
    let (whole, out) = (Tensor::new(&[2], &[0_i8, 1]), Tensor::new(&[2], &[0_f32; 2]));
    call!(aclnnExp, aclnnExpGetWorkspaceSize(whole.raw, out.raw));
    assert_eq!(out.read::<f32>(), [1.0, std::f32::consts::E]);
    let (half, out) = (Tensor::new(&[1], &[bf16::ONE]), Tensor::new(&[1], &[bf16::ZERO]));
    call!(aclnnExp, aclnnExpGetWorkspaceSize(half.raw, out.raw));
    assert_eq!(out.read::<bf16>(), [bf16::from_f32(std::f32::consts::E)]);
    let (code, words) = refusal!(aclnnInplaceExpGetWorkspaceSize(whole.raw));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(
        words.contains("selfRef: a dtype that results of f32 can be cast to expected, got i8"),
        "{words}"
    );
}
