//! The extension for libraries of operators.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use aclnn_sys::*;
use common::{acl, alone, extension, fails, message, ok, tensor, wild};
use host_cann::Counters;

#[test]
fn a_scalar_is_read_through_the_extension() {
    let _alone = alone();
    let read = extension().readScalar.unwrap();
    let mut value = [1.5_f64, -2.0];
    let scalar = acl!(aclCreateScalar(value.as_mut_ptr().cast(), ACL_COMPLEX128));
    let (mut dtype, mut bytes) = (ACL_FLOAT, [0.0_f64; 2]);
    let room = bytes.as_mut_ptr().cast();
    // SAFETY: there is room for 16 bytes.
    assert!(unsafe { read(scalar, &mut dtype, room, 16) }.is_success());
    assert_eq!((dtype, bytes), (ACL_COMPLEX128, value));
    // SAFETY: there is room for 16 bytes; too little room is refused, and so are wrong handles.
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
    fails!(aclSetInputTensorAddr(executor, 1, wild(), address), refused, "does not exist");
    assert_eq!(seen(), None);
    // A refused call changes nothing.
    ok!(aclGetRawTensorAddr(made, &mut now));
    assert_eq!(now, wild());
    fails!(
        aclSetInputTensorAddr(executor, 1, ptr::null_mut(), address),
        ACLNN_ERR_INNER_NULLPTR,
        "tensor is null"
    );
    let none = ptr::null_mut();
    fails!(aclSetInputTensorAddr(none, 1, made, address), ACLNN_ERR_INNER_NULLPTR, "executor is null");
    let list = acl!(aclCreateTensorList([made.cast_const()].as_ptr(), 1));
    fails!(aclSetDynamicInputTensorAddr(executor, 0, 1, list, address), refused, "relativeIndex 1");
    assert_eq!(seen(), None);
    ok!(aclSetDynamicTensorAddr(executor, 2, 0, list, address));
    assert_eq!(seen(), Some((HOSTCANN_TENSOR_LIST + 2, 0, made.addr(), 0x200)));
    ok!(aclGetRawTensorAddr(made, &mut now));
    assert_eq!(now, address);
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
