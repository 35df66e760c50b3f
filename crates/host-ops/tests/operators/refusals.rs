//! What phase one refuses, with its code and its message.

use std::ptr::{null, null_mut};

use crate::common::{Memory, Tensor, Truth, cann, handle, launch, list, messages, planned, refusal, scalar};
use aclnn_sys::{
    ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ, ACL_INT32, ACL_STRING, ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus,
};
use half::f16;
use host_ops::c;
use num_complex::Complex;

/// Whether a refusal has this code, and these words after the function's name.
fn is(refusal: (AclnnStatus, String), code: AclnnStatus, words: &str) {
    let (got, message) = refusal;
    assert!(got == code && message.contains(words), "{got}: {message}");
}

#[test]
fn nulls_are_refused_by_name() {
    let (tensor, one) = (Tensor::new(&[1], &[0_f32]), scalar(1_i64));
    let code = ACLNN_ERR_PARAM_NULLPTR;
    is(
        refusal!(aclnnAddGetWorkspaceSize(null(), tensor.raw, one, tensor.raw)),
        code,
        "aclnnAddGetWorkspaceSize: ",
    );
    is(refusal!(aclnnAddGetWorkspaceSize(null(), tensor.raw, one, tensor.raw)), code, "self is null");
    is(refusal!(aclnnAddGetWorkspaceSize(tensor.raw, null(), one, tensor.raw)), code, "other is null");
    is(refusal!(aclnnAddGetWorkspaceSize(tensor.raw, tensor.raw, null(), tensor.raw)), code, "alpha is null");
    is(refusal!(aclnnAddGetWorkspaceSize(tensor.raw, tensor.raw, one, null_mut())), code, "out is null");
    is(refusal!(aclnnInplaceZeroGetWorkspaceSize(null_mut())), code, "selfRef is null");
    is(refusal!(aclnnCatGetWorkspaceSize(null(), 0, tensor.raw)), code, "tensors is null");
    is(
        refusal!(aclnnReduceSumGetWorkspaceSize(tensor.raw, null(), false, ACL_FLOAT, tensor.raw)),
        code,
        "dims is null",
    );
    let mut executor = null_mut();
    // SAFETY: a null place for a result is refused.
    let status = unsafe { c::aclnnInplaceZeroGetWorkspaceSize(tensor.raw, null_mut(), &raw mut executor) };
    assert_eq!(status, code);
    assert!(messages().contains("workspaceSize is null"));
    // SAFETY: a null executor is refused.
    assert_eq!(unsafe { c::aclnnInplaceZero(null_mut(), 0, null_mut(), null_mut()) }, code);
    assert!(messages().contains("aclnnInplaceZero: "));
}

#[test]
fn tensors_are_refused_that_do_not_lie_in_their_storage() {
    let memory = Memory::new(&[0_f32; 8]);
    let code = ACLNN_ERR_INNER_NULLPTR;
    for (shape, strides, offset) in [
        ([3_i64, 3], [3_i64, 1], 0_i64),
        ([2, 2], [2, 1], 5),
        ([2, 2], [i64::MAX, 1], 0),
        ([i64::MAX, 2], [0, 0], 0),
    ] {
        let tensor = handle::<f32>(&shape, &strides, offset, 8, memory.address);
        is(
            refusal!(aclnnInplaceZeroGetWorkspaceSize(tensor)),
            code,
            "selfRef: elements inside of its storage of 8",
        );
    }
    let negative = handle::<f32>(&[2], &[-1], 1, 8, memory.address);
    is(
        refusal!(aclnnInplaceZeroGetWorkspaceSize(negative)),
        code,
        "selfRef: strides of 0 or more expected, got -1",
    );
    let odd = handle::<f32>(&[2], &[1], 0, 8, memory.address.wrapping_byte_add(2));
    is(
        refusal!(aclnnInplaceZeroGetWorkspaceSize(odd)),
        code,
        "selfRef: an address that is a multiple of 4 expected",
    );
}

#[test]
fn what_can_not_be_computed_is_refused() {
    let floats = Tensor::new(&[2], &[0_f32; 2]);
    let (whole, bools) = (Tensor::new(&[2], &[0_i64; 2]), Tensor::new(&[2], &[Truth(0); 2]));
    let (three, long) = (Tensor::new(&[3], &[0_f32; 3]), Tensor::new(&[2], &[0_u64; 2]));
    let complex = Tensor::new(&[2], &[Complex::new(0_f32, 0.0); 2]);
    let (one, half) = (scalar(1_i64), scalar(0.5_f64));
    let i = scalar(Complex::new(0_f64, 1.0));
    let code = ACLNN_ERR_PARAM_INVALID;
    let is = |refusal, words: &str| is(refusal, code, words);
    is(
        refusal!(aclnnAddGetWorkspaceSize(floats.raw, three.raw, one, floats.raw)),
        "other: a shape that can be broadcast with [2] of self expected, got [3]",
    );
    is(
        refusal!(aclnnMulGetWorkspaceSize(floats.raw, floats.raw, three.raw)),
        "out: shape [2] expected, got [3]",
    );
    is(
        refusal!(aclnnInplaceAddGetWorkspaceSize(whole.raw, floats.raw, one)),
        "selfRef: a dtype that results of f32 can be cast to expected, got i64",
    );
    is(
        refusal!(aclnnMulGetWorkspaceSize(whole.raw, long.raw, whole.raw)),
        "other: a dtype that has a common dtype with i64 of self expected, got u64",
    );
    is(
        refusal!(aclnnAddGetWorkspaceSize(whole.raw, whole.raw, half, whole.raw)),
        "alpha: a number that i64 can hold expected",
    );
    is(
        refusal!(aclnnAddGetWorkspaceSize(floats.raw, floats.raw, i, floats.raw)),
        "alpha: a number that f32 can hold expected",
    );
    is(
        refusal!(aclnnInplaceFillScalarGetWorkspaceSize(whole.raw, i)),
        "value: a real number expected for i64, got 0+1i",
    );
    is(
        refusal!(aclnnInplaceFillScalarGetWorkspaceSize(floats.raw, i)),
        "value: a real number expected for f32",
    );
    let bytes = Tensor::new(&[1], &[0_i8]);
    for (value, words) in [
        (scalar(128_i64), "128"),
        (scalar(f64::NAN), "NaN"),
        (scalar(-129.5_f64), "-129.5"),
        (scalar(127.5_f64), "127.5"),
    ] {
        is(
            refusal!(aclnnInplaceFillScalarGetWorkspaceSize(bytes.raw, value)),
            &format!("value: a number that i8 can hold expected, got {words}"),
        );
    }
    let unsigned = Tensor::new(&[1], &[0_u8]);
    for (value, words) in [(scalar(-1.0_f64), "-1.0"), (scalar(-0.5_f64), "-0.5"), (scalar(-256_i64), "-256")]
    {
        is(
            refusal!(aclnnInplaceFillScalarGetWorkspaceSize(unsigned.raw, value)),
            &format!("value: a number that u8 can hold expected, got {words}"),
        );
    }
    let (half_floats, complex_floats) =
        (Tensor::new(&[1], &[f16::ZERO]), Tensor::new(&[1], &[Complex::<f32>::ZERO]));
    for (tensor, name, value) in [
        (&half_floats, "f16", scalar(70_000_i64)),
        (&half_floats, "f16", scalar(-65_504.5_f64)),
        (&floats, "f32", scalar(1e39_f64)),
        (&complex_floats, "c64", scalar(Complex::new(0.0, -1e39_f64))),
    ] {
        is(
            refusal!(aclnnInplaceFillScalarGetWorkspaceSize(tensor.raw, value)),
            &format!("value: a number that {name} can hold expected"),
        );
    }
    for huge in [1e39_f64, f64::INFINITY, -1e39] {
        is(
            refusal!(aclnnAddGetWorkspaceSize(whole.raw, whole.raw, scalar(huge), whole.raw)),
            "alpha: a number that i64 can hold expected",
        );
    }
    is(
        refusal!(aclnnSubGetWorkspaceSize(bools.raw, bools.raw, one, bools.raw)),
        "self: a dtype of numbers expected, got bool",
    );
    is(
        refusal!(aclnnNegGetWorkspaceSize(bools.raw, bools.raw)),
        "self: a dtype of numbers expected, got bool",
    );
    is(
        refusal!(aclnnBitwiseAndTensorGetWorkspaceSize(floats.raw, whole.raw, floats.raw)),
        "self: a dtype of integers or bool expected, got f32",
    );
    is(
        refusal!(aclnnBitwiseAndTensorGetWorkspaceSize(whole.raw, whole.raw, floats.raw)),
        "out: a dtype of integers or bool expected, got f32",
    );
    is(
        refusal!(aclnnBitwiseAndScalarGetWorkspaceSize(whole.raw, half, whole.raw)),
        "other: a dtype of integers or bool expected, got f64",
    );
    is(
        refusal!(aclnnCeilGetWorkspaceSize(complex.raw, complex.raw)),
        "self: a dtype of real numbers expected, got c64",
    );
    is(
        refusal!(aclnnCastGetWorkspaceSize(floats.raw, ACL_INT32, whole.raw)),
        "dtype: that of out, ACL_INT64",
    );
    is(
        refusal!(aclnnEqualGetWorkspaceSize(floats.raw, floats.raw, bools.raw)),
        "out: one element of bool expected, got 2 of bool",
    );
    is(
        refusal!(aclnnIsCloseGetWorkspaceSize(floats.raw, floats.raw, -1.0, 0.0, false, bools.raw)),
        "rtol: 0 or more expected, got -1",
    );
    is(
        refusal!(aclnnArangeGetWorkspaceSize(one, one, scalar(0_i64), whole.raw)),
        "step: another number than 0 expected",
    );
    is(
        refusal!(aclnnArangeGetWorkspaceSize(one, scalar(9_i64), one, whole.raw)),
        "out: 8 elements expected from start to end, got 2",
    );
    is(
        refusal!(aclnnEmbeddingGetWorkspaceSize(floats.raw, whole.raw, floats.raw)),
        "weight: two axes expected, got 1",
    );
    let float = |number: f64| scalar(number);
    for (start, end, step, words) in [
        (float(0.0), float(2.0), float(0.5), "step: another number than 0 expected of i64, got 0.5"),
        (scalar(3_i64), scalar(0_i64), one, "step: one that leads from start to end expected, got 1"),
        (scalar(0_i64), scalar(3_i64), scalar(-1_i64), "step: one that leads from start to end expected"),
        (float(f64::NAN), float(2.0), one, "start: a finite number expected, got NaN"),
        (one, float(f64::INFINITY), one, "end: a finite number expected, got inf"),
        (float(1e39), float(1e39), one, "start: a number of 64 bits expected, got 1e39"),
    ] {
        is(refusal!(aclnnArangeGetWorkspaceSize(start, end, step, whole.raw)), words);
    }
    for (end, words) in
        [(1.0, "out: 1 elements expected from start to end, got 2"), (3.0, "out: 3 elements expected")]
    {
        is(refusal!(aclnnArangeGetWorkspaceSize(float(0.0), float(end), float(1.0), floats.raw)), words);
    }
    let none = Tensor::new::<f32>(&[0], &[]);
    let nothing = list(&[&none, &none]);
    is(refusal!(aclnnCatGetWorkspaceSize(nothing, 7, none.raw)), "dim: -1 to 0 expected, got 7");
    let wide = Tensor::strided(&[1 << 33, 1], &[0, 1], 0, &[0_f32]);
    let mask = Tensor::strided(&[1, 1 << 33], &[1, 0], 0, &[Truth(0)]);
    is(
        refusal!(aclnnMaskedSelectGetWorkspaceSize(wide.raw, mask.raw, none.raw)),
        "mask: fewer than 2^64 elements expected, broadcast with self",
    );
    for (start, words) in [(3.0, "step: one that leads"), (f64::NAN, "start: a finite number")] {
        let none = Tensor::new::<f32>(&[0], &[]);
        is(refusal!(aclnnArangeGetWorkspaceSize(float(start), float(0.0), float(1.0), none.raw)), words);
    }
    let nines = Tensor::new(&[1; 9], &[0_f32]);
    is(refusal!(aclnnInplaceZeroGetWorkspaceSize(nines.raw)), "selfRef: at most 8 axes expected, got 9");
    let expanded = Tensor::strided(&[2, 2], &[0, 1], 0, &[0_f32; 2]);
    is(
        refusal!(aclnnInplaceZeroGetWorkspaceSize(expanded.raw)),
        "selfRef: elements with memory of their own expected",
    );
}

#[test]
fn refusals_name_the_argument_that_is_at_fault() {
    let (floats, complex) =
        (Tensor::new(&[2], &[0_f32; 2]), Tensor::new(&[2], &[Complex::new(0_f32, 0.0); 2]));
    let (whole, bools) = (Tensor::new(&[2], &[0_i64; 2]), Tensor::new(&[2], &[Truth(0); 2]));
    let (one, i) = (scalar(1_i64), scalar(Complex::new(0_f64, 1.0)));
    let is = |refusal, words: &str| is(refusal, ACLNN_ERR_PARAM_INVALID, words);
    is(
        refusal!(aclnnInplaceSubGetWorkspaceSize(bools.raw, bools.raw, one)),
        "selfRef: a dtype of numbers expected, got bool",
    );
    let order = "a dtype of numbers with an order expected, got";
    is(
        refusal!(aclnnLtTensorGetWorkspaceSize(floats.raw, complex.raw, bools.raw)),
        &format!("other: {order} c64"),
    );
    is(
        refusal!(aclnnInplaceLtTensorGetWorkspaceSize(complex.raw, floats.raw)),
        &format!("selfRef: {order} c64"),
    );
    is(refusal!(aclnnGeScalarGetWorkspaceSize(floats.raw, i, bools.raw)), &format!("other: {order} c128"));
    let real = "a dtype of real numbers expected, got";
    is(
        refusal!(aclnnInplacePowTensorScalarGetWorkspaceSize(complex.raw, one)),
        &format!("selfRef: {real} c64"),
    );
    is(
        refusal!(aclnnPowTensorScalarGetWorkspaceSize(floats.raw, i, complex.raw)),
        &format!("exponent: {real} c128"),
    );
    // A tensor of a list has its number.
    is(
        refusal!(aclnnIndexGetWorkspaceSize(complex.raw, list(&[&floats]), complex.raw)),
        "indices[0]: a dtype of integers expected, got f32",
    );
    let long = Tensor::new(&[2], &[0_u64; 2]);
    is(
        refusal!(aclnnCatGetWorkspaceSize(list(&[&bools, &whole, &long]), 0, whole.raw)),
        "tensors[2]: a dtype that has a common dtype with i64 of those before expected, got u64",
    );
    let absent = handle::<f32>(&[2], &[1], 0, 2, null_mut());
    let (four, pair) = (Tensor::new(&[4], &[0_f32; 4]), [floats.raw.cast_const(), absent]);
    // SAFETY: the length is that of the handles.
    let pair = unsafe { cann().aclCreateTensorList(pair.as_ptr(), 2) }.unwrap();
    let executor = planned!(aclnnCatGetWorkspaceSize(pair, 0, four.raw));
    assert_eq!(launch(executor, c::aclnnCat).0, ACLNN_ERR_PARAM_NULLPTR);
    let words = messages();
    assert!(words.contains("tensors[1]: a storage expected, got the address null"), "{words}");
}

#[test]
fn other_dtypes_and_formats_are_refused() {
    let memory = Memory::new(&[0_f32; 8]);
    let sizes = [2_i64, 2];
    for (dtype, format, words) in [
        (
            ACL_STRING,
            aclnn_sys::ACL_FORMAT_ND,
            "selfRef: a dtype of bool, integers, floats or complex numbers expected, got ACL_STRING",
        ),
        (
            ACL_FLOAT,
            ACL_FORMAT_FRACTAL_NZ,
            "selfRef: a format that lies as its strides say expected, such as ND",
        ),
    ] {
        // SAFETY: sizes and strides have two numbers each.
        let tensor = unsafe {
            let (first, strides) = (sizes.as_ptr(), [2_i64, 1].as_ptr());
            cann().aclCreateTensor(first, 2, dtype, strides, 0, format, first, 2, memory.address)
        };
        let tensor = tensor.unwrap();
        is(refusal!(aclnnInplaceZeroGetWorkspaceSize(tensor)), ACLNN_ERR_PARAM_INVALID, words);
    }
}
