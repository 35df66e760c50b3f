//! Tensors, scalars, arrays and lists. None of this needs `aclInit`.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;

use aclnn_sys::*;
use common::{acl, alone, extension, fails, message, ok, tensor, wild};
use host_cann::Counters;

/// The array that a getter returns, freed as C++ does.
macro_rules! numbers {
    ($getter:ident, $tensor:expr) => {{
        let (mut array, mut count) = (ptr::null_mut(), 99);
        ok!($getter($tensor, &mut array, &mut count));
        assert!(!array.is_null());
        // SAFETY: the array has `count` numbers.
        let numbers = unsafe { std::slice::from_raw_parts(array, count as usize) }.to_vec();
        // SAFETY: `delete[]` of such an array is `free`.
        unsafe { libc::free(array.cast()) };
        numbers
    }};
}

#[test]
fn a_tensor_tells_what_it_was_made_of() {
    let _alone = alone();
    let made = tensor(&[2, 3, 4], None, 5, &[100, 2], 0x1000);
    assert_eq!(numbers!(aclGetViewShape, made), [2, 3, 4]);
    assert_eq!(numbers!(aclGetViewStrides, made), [12, 4, 1]);
    assert_eq!(numbers!(aclGetStorageShape, made), [100, 2]);
    let (mut offset, mut format, mut dtype, mut address) =
        (0, ACL_FORMAT_UNDEFINED, ACL_DT_UNDEFINED, ptr::null_mut());
    ok!(aclGetViewOffset(made, &mut offset));
    ok!(aclGetFormat(made, &mut format));
    ok!(aclGetDataType(made, &mut dtype));
    ok!(aclGetRawTensorAddr(made, &mut address));
    assert_eq!((offset, format, dtype, address.addr()), (5, ACL_FORMAT_NCHW, ACL_BF16, 0x1000));
    ok!(aclSetRawTensorAddr(made, wild()));
    ok!(aclGetRawTensorAddr(made, &mut address));
    assert_eq!(address, wild());
    let (shape, strides) = ([7], [-3]);
    ok!(aclInitTensor(
        made,
        shape.as_ptr(),
        1,
        ACL_INT64,
        strides.as_ptr(),
        0,
        ACL_FORMAT_ND,
        shape.as_ptr(),
        1,
        ptr::null_mut()
    ));
    assert_eq!(numbers!(aclGetViewShape, made), [7]);
    assert_eq!(numbers!(aclGetViewStrides, made), [-3]);
    ok!(aclDestroyTensor(made));
    let scalar = tensor(&[], None, 0, &[], 0);
    assert!(numbers!(aclGetViewShape, scalar).is_empty());
    ok!(aclDestroyTensor(scalar));
}

#[test]
fn hostile_tensors_are_made_or_refused_but_harm_nobody() {
    let _alone = alone();
    let hostile = [i64::MIN, i64::MAX, -1, 0];
    let made = tensor(&hostile, Some(&hostile), i64::MIN, &hostile, usize::MAX);
    assert_eq!(numbers!(aclGetViewStrides, made), hostile);
    ok!(aclDestroyTensor(made));
    let overflowing = tensor(&[i64::MAX; 25], None, 0, &[], 0);
    assert_eq!(numbers!(aclGetViewStrides, overflowing).len(), 25);
    ok!(aclDestroyTensor(overflowing));
    let none = ptr::null_mut();
    let (dtype, format) = (aclDataType(-77), aclFormat(-77));
    for (shape, axes, storage, storage_axes) in [
        (ptr::null(), 1, hostile.as_ptr(), 1),
        (hostile.as_ptr(), 1, ptr::null(), 1),
        (hostile.as_ptr(), 26, hostile.as_ptr(), 1),
        (hostile.as_ptr(), u64::MAX, hostile.as_ptr(), 1),
        (hostile.as_ptr(), 1, hostile.as_ptr(), u64::MAX),
    ] {
        let made =
            acl!(aclCreateTensor(shape, axes, dtype, ptr::null(), 0, format, storage, storage_axes, none));
        assert!(made.is_null());
        assert!(message().contains("aclCreateTensor: ACLNN_ERR_PARAM_"));
    }
}

#[test]
fn wrong_tensors_are_refused_everywhere() {
    let _alone = alone();
    let gone = tensor(&[1], None, 0, &[1], 0);
    ok!(aclDestroyTensor(gone));
    let living = tensor(&[1], None, 0, &[1], 0);
    assert_ne!(gone, living);
    let (mut array, mut count, mut dtype) = (ptr::null_mut(), 0, ACL_FLOAT);
    for wrong in [gone, wild()] {
        let code = ACLNN_ERR_PARAM_INVALID;
        fails!(aclDestroyTensor(wrong), code, "does not exist, or was destroyed");
        fails!(aclGetViewShape(wrong, &mut array, &mut count), code, "destroyed");
        fails!(aclGetDataType(wrong, &mut dtype), code, "destroyed");
        fails!(aclSetRawTensorAddr(wrong, ptr::null_mut()), code, "destroyed");
    }
    let code = ACLNN_ERR_PARAM_NULLPTR;
    fails!(aclGetViewShape(ptr::null(), &mut array, &mut count), code, "tensor is null");
    fails!(aclGetViewShape(living, ptr::null_mut(), &mut count), code, "viewDims is null");
    fails!(aclGetViewShape(living, &mut array, ptr::null_mut()), code, "viewDimsNum is null");
    fails!(aclGetDataType(living, ptr::null_mut()), code, "dataType is null");
    fails!(aclGetRawTensorAddr(ptr::null(), ptr::null_mut()), code, "null");
    ok!(aclDestroyTensor(ptr::null()));
    ok!(aclDestroyTensor(living));
}

#[test]
fn an_operator_reads_the_numbers_of_an_array() {
    let _alone = alone();
    let integers = acl!(aclCreateIntArray([7, -8].as_ptr(), 2));
    let floats = acl!(aclCreateFloatArray([1.0].as_ptr(), 1));
    let (read, mut value) = (extension().readIntArray.unwrap(), 0);
    for (place, expected) in [(0, 7), (1, -8)] {
        // SAFETY: the array lives, and the value is a local.
        assert!(unsafe { read(integers, place, &raw mut value) }.is_success());
        assert_eq!(value, expected);
    }
    for (array, place, code, words) in [
        (integers.cast_const(), 2, ACLNN_ERR_PARAM_INVALID, "index 2 is not within 2 values"),
        (floats.cast_const().cast(), 0, ACLNN_ERR_PARAM_INVALID, "integer array"),
        (ptr::null(), 0, ACLNN_ERR_PARAM_NULLPTR, "array is null"),
    ] {
        // SAFETY: handles are looked up, and the value is a local.
        assert_eq!(unsafe { read(array, place, &raw mut value) }, code);
        let told = message();
        assert!(told.contains("readIntArray") && told.contains(words), "{told}");
    }
    assert_eq!(value, -8);
    ok!(aclDestroyIntArray(integers));
    ok!(aclDestroyFloatArray(floats));
}

#[test]
fn arrays_and_lists_have_sizes_and_lists_own_their_elements() {
    let _alone = alone();
    let integers = acl!(aclCreateIntArray([1, 2, 3].as_ptr(), 3));
    let floats = acl!(aclCreateFloatArray([1.0].as_ptr(), 1));
    let bools = acl!(aclCreateBoolArray(ptr::null(), 0));
    let mut size = 99;
    ok!(aclGetIntArraySize(integers, &mut size));
    assert_eq!(size, 3);
    ok!(aclGetFloatArraySize(floats, &mut size));
    assert_eq!(size, 1);
    ok!(aclGetBoolArraySize(bools, &mut size));
    assert_eq!(size, 0);
    assert!(acl!(aclCreateIntArray(ptr::null(), 1)).is_null());
    assert!(acl!(aclCreateIntArray([1].as_ptr(), u64::MAX)).is_null());
    fails!(aclGetFloatArraySize(integers.cast(), &mut size), ACLNN_ERR_PARAM_INVALID, "float array");
    let (first, second) = (tensor(&[1], None, 0, &[1], 0), tensor(&[2], None, 0, &[2], 0));
    let handles = [first.cast_const(), ptr::null(), second];
    let list = acl!(aclCreateTensorList(handles.as_ptr(), 3));
    ok!(aclGetTensorListSize(list, &mut size));
    assert_eq!(size, 3);
    let mut value = 1.5_f32;
    let scalar = acl!(aclCreateScalar((&raw mut value).cast(), ACL_FLOAT));
    let scalars = acl!(aclCreateScalarList([scalar.cast_const()].as_ptr(), 1));
    ok!(aclGetScalarListSize(scalars, &mut size));
    assert_eq!(size, 1);
    let counted = Counters::now();
    assert_eq!((counted.tensors, counted.scalars, counted.arrays, counted.lists), (2, 1, 3, 2));
    ok!(aclDestroyTensorList(list));
    fails!(aclDestroyTensor(first), ACLNN_ERR_PARAM_INVALID, "destroyed");
    fails!(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID, "destroyed");
    // An element that was destroyed before its list is an error, but the others are still
    // destroyed.
    let more = tensor(&[1], None, 0, &[1], 0);
    let handles = [more.cast_const(), tensor(&[2], None, 0, &[2], 0)];
    let list = acl!(aclCreateTensorList(handles.as_ptr(), 2));
    ok!(aclDestroyTensor(more));
    fails!(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID, "tensor");
    ok!(aclDestroyScalarList(scalars));
    ok!(aclDestroyIntArray(integers));
    fails!(aclDestroyIntArray(integers), ACLNN_ERR_PARAM_INVALID, "destroyed");
    ok!(aclDestroyFloatArray(floats));
    ok!(aclDestroyBoolArray(bools));
    ok!(aclDestroyBoolArray(ptr::null()));
    assert_eq!(Counters::now(), Counters::default());
}
