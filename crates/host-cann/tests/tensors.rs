//! Tensors, scalars, arrays, lists, and executors of an operator library. None of this needs `aclInit`.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aclnn_sys::*;
use common::{acl, fails, message, ok, wild};
use host_cann::Counters;

/// One test at a time, because they count.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(Counters::now(), Counters::default());
    guard
}

fn tensor(
    shape: &[i64],
    strides: Option<&[i64]>,
    offset: i64,
    storage: &[i64],
    address: usize,
) -> *mut aclTensor {
    acl!(aclCreateTensor(
        shape.as_ptr(),
        shape.len() as u64,
        ACL_BF16,
        strides.map_or(ptr::null(), <[i64]>::as_ptr),
        offset,
        ACL_FORMAT_NCHW,
        storage.as_ptr(),
        storage.len() as u64,
        ptr::without_provenance_mut(address),
    ))
}

/// What a getter gives, freed as C++ does.
macro_rules! numbers {
    ($getter:ident, $tensor:expr) => {{
        let (mut array, mut count) = (ptr::null_mut(), 99);
        ok!($getter($tensor, &mut array, &mut count));
        assert!(!array.is_null());
        // SAFETY: the array has so many numbers.
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
    // An element that went before its list is an error, but the others still go.
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

fn extension() -> hostcannExtension {
    let named = host_cann::table().find(|(name, _)| *name == c"hostcann_extension").unwrap().1;
    // SAFETY: the symbol is a function of this type.
    let get: hostcannGetExtension = unsafe { std::mem::transmute(named) };
    // SAFETY: the extension is there for the whole process.
    let extension = unsafe { *get.unwrap()() };
    assert_eq!(extension.version, HOSTCANN_EXTENSION_VERSION);
    assert_eq!(extension.size as usize, size_of::<hostcannExtension>());
    extension
}

#[test]
fn a_scalar_is_read_through_the_extension() {
    let _alone = alone();
    let read = extension().readScalar.unwrap();
    let mut value = [1.5_f64, -2.0];
    let scalar = acl!(aclCreateScalar(value.as_mut_ptr().cast(), ACL_COMPLEX128));
    let (mut dtype, mut told) = (ACL_FLOAT, [0.0_f64; 2]);
    let room = told.as_mut_ptr().cast();
    // SAFETY: so many bytes have room.
    assert!(unsafe { read(scalar, &mut dtype, room, 16) }.is_success());
    assert_eq!((dtype, told), (ACL_COMPLEX128, value));
    // SAFETY: as above; too little room is refused, and so are wrong handles.
    unsafe {
        assert_eq!(read(scalar, &mut dtype, room, 15), ACLNN_ERR_PARAM_INVALID);
        assert_eq!(read(wild(), &mut dtype, room, 16), ACLNN_ERR_PARAM_INVALID);
        assert_eq!(read(ptr::null(), &mut dtype, room, 16), ACLNN_ERR_PARAM_NULLPTR);
        assert_eq!(read(scalar, ptr::null_mut(), room, 16), ACLNN_ERR_PARAM_NULLPTR);
        assert_eq!(read(scalar, &mut dtype, ptr::null_mut(), 16), ACLNN_ERR_PARAM_NULLPTR);
    }
    ok!(aclDestroyScalar(scalar));
    fails!(aclDestroyScalar(scalar), ACLNN_ERR_PARAM_INVALID, "destroyed");
    assert!(acl!(aclCreateScalar(ptr::null_mut(), ACL_FLOAT)).is_null());
    assert!(acl!(aclCreateScalar(room, ACL_INT4)).is_null());
    assert!(message().contains("ACL_INT4"));
}

static REPEATED: AtomicU32 = AtomicU32::new(0);
static DESTROYED: AtomicU32 = AtomicU32::new(0);
static ADDRESS: Mutex<Option<(u32, usize, usize, usize)>> = Mutex::new(None);

unsafe extern "C" fn set_repeatable(_: *mut aclOpExecutor) -> aclnnStatus {
    REPEATED.fetch_add(1, Ordering::SeqCst);
    ACLNN_SUCCESS
}

unsafe extern "C" fn set_address(
    _: *mut aclOpExecutor,
    kind: u32,
    index: usize,
    tensor: *mut aclTensor,
    address: *mut c_void,
) -> aclnnStatus {
    if index > 9 {
        // SAFETY: the text ends with a NUL.
        unsafe { extension().noteError.unwrap()(c"there is no such tensor".as_ptr()) };
        return ACLNN_ERR_PARAM_INVALID;
    }
    *ADDRESS.lock().unwrap() = Some((kind, index, tensor.addr(), address.addr()));
    ACLNN_SUCCESS
}

unsafe extern "C" fn destroy(executor: *mut aclOpExecutor) -> aclnnStatus {
    DESTROYED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: any handle may be given.
    unsafe { extension().unregisterExecutor.unwrap()(executor) }
}

#[test]
fn executors_of_a_library_are_served_until_they_go() {
    let _alone = alone();
    let calls = hostcannExecutorCalls {
        setRepeatable: Some(set_repeatable),
        setAddress: Some(set_address),
        destroy: Some(destroy),
    };
    let (register, unregister) =
        (extension().registerExecutor.unwrap(), extension().unregisterExecutor.unwrap());
    let executor: *mut aclOpExecutor = ptr::without_provenance_mut(0x4000);
    fails!(aclSetAclOpExecutorRepeatable(executor), ACLNN_ERR_INNER, "no operator's");
    fails!(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER, "no operator's");
    fails!(aclDestroyAclOpExecutor(ptr::null_mut()), ACLNN_ERR_INNER_NULLPTR, "executor is null");
    // SAFETY: the calls live as long as the executor.
    unsafe {
        assert!(register(executor, &calls).is_success());
        assert_eq!(register(executor, &calls), ACLNN_ERR_INNER_KEY_CONFLICT);
        assert_eq!(register(ptr::null_mut(), &calls), ACLNN_ERR_PARAM_NULLPTR);
        assert_eq!(register(wild(), ptr::null()), ACLNN_ERR_PARAM_NULLPTR);
    }
    assert_eq!(Counters::now().executors, 1);
    ok!(aclSetAclOpExecutorRepeatable(executor));
    assert_eq!(REPEATED.load(Ordering::SeqCst), 1);
    let made = tensor(&[4], None, 0, &[4], 0x100);
    let (any, input, output) = (HOSTCANN_TENSOR_ANY, HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_OUTPUT);
    let address = ptr::without_provenance_mut(0x200);
    let seen = || ADDRESS.lock().unwrap().take();
    ok!(aclSetInputTensorAddr(executor, 1, made, address));
    assert_eq!(seen(), Some((input, 1, made.addr(), 0x200)));
    ok!(AclSetOutputTensorAddr(executor, 0, made, address));
    assert_eq!(seen(), Some((output, 0, made.addr(), 0x200)));
    ok!(aclSetTensorAddr(executor, 3, made, wild()));
    assert_eq!(seen(), Some((any, 3, made.addr(), wild::<c_void>().addr())));
    let mut now = ptr::null_mut();
    ok!(aclGetRawTensorAddr(made, &mut now));
    assert_eq!(now, wild());
    let refused = ACLNN_ERR_PARAM_INVALID;
    fails!(aclSetInputTensorAddr(executor, 10, made, address), refused, "refused", "no such tensor");
    fails!(
        aclSetInputTensorAddr(executor, 1, ptr::null_mut(), address),
        ACLNN_ERR_INNER_NULLPTR,
        "tensor is null"
    );
    let none = ptr::null_mut();
    fails!(aclSetInputTensorAddr(none, 1, made, address), ACLNN_ERR_INNER_NULLPTR, "executor is null");
    let list = acl!(aclCreateTensorList([made.cast_const()].as_ptr(), 1));
    fails!(aclSetDynamicInputTensorAddr(executor, 0, 1, list, address), refused, "relativeIndex 1");
    fails!(aclSetDynamicTensorAddr(executor, 0, 0, list, address), ACLNN_ERR_INNER, "no lists");
    fails!(
        aclSetDynamicTensorAddr(executor, 0, 0, none.cast(), address),
        ACLNN_ERR_INNER_NULLPTR,
        "tensors is null"
    );
    ok!(aclDestroyTensorList(list));
    ok!(aclDestroyAclOpExecutor(executor));
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 1);
    fails!(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER, "destroyed");
    fails!(aclSetAclOpExecutorRepeatable(executor), ACLNN_ERR_INNER, "destroyed");
    // SAFETY: any handle may be given.
    assert_eq!(unsafe { unregister(executor) }, ACLNN_ERR_INNER);
    assert_eq!(Counters::now(), Counters::default());
}
