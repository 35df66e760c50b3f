//! Devices and contexts.

mod common;

use std::ptr;
use std::thread;

use aclnn_sys::*;
use common::{Session, acl, fails, hold, malloc, ok, stream, wild};
use host_cann::Counters;

fn device() -> i32 {
    let mut device = -1;
    ok!(aclrtGetDevice(&mut device));
    device
}

#[test]
fn a_thread_has_the_device_that_it_set() {
    let _session = Session::with(&[("HOST_CANN_DEVICES", "3")]);
    let mut count = 0;
    ok!(aclrtGetDeviceCount(&mut count));
    assert_eq!(count, 3);
    let mut none = -1;
    fails!(aclrtGetDevice(&mut none), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    ok!(aclrtSetDevice(2));
    assert_eq!(device(), 2);
    let other = thread::spawn(|| {
        let mut none = ptr::null_mut();
        fails!(aclrtMalloc(&mut none, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL, "no context");
        ok!(aclrtSetDevice(1));
        device()
    });
    assert_eq!((other.join().unwrap(), device()), (1, 2));
    for wrong in [-1, 3, i32::MAX] {
        fails!(aclrtSetDevice(wrong), ACL_ERROR_RT_INVALID_DEVICEID, "there are 3");
    }
    let mut memory = 0;
    ok!(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &mut memory));
    assert_eq!(memory, 8 << 30);
    fails!(
        aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &mut memory),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "CPU does not have"
    );
}

#[test]
fn a_device_ends_with_the_last_reset_and_takes_its_streams_along() {
    let _session = Session::new();
    ok!(aclrtSetDevice(0));
    let stream = stream();
    let (mut active, mut flags) = (-1, 0);
    ok!(aclrtGetPrimaryCtxState(0, ptr::null_mut(), &mut active));
    assert_eq!(active, 1);
    fails!(aclrtGetPrimaryCtxState(0, &mut flags, &mut active), ACL_ERROR_INVALID_PARAM, "flags");
    ok!(aclrtResetDevice(0));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtResetDevice(0));
    ok!(aclrtGetPrimaryCtxState(0, ptr::null_mut(), &mut active));
    assert_eq!(active, 0);
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL, "no context");
    fails!(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "has not been set");
    ok!(aclrtSetDevice(0));
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
    ok!(aclrtSetDevice(0));
    ok!(aclrtResetDeviceForce(0));
    fails!(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "has not been set");
}

#[test]
fn contexts_are_the_thread_s_and_streams_are_of_one() {
    let _session = Session::new();
    let mut primary = ptr::null_mut();
    ok!(aclrtGetCurrentContext(&mut primary));
    let of_primary = stream();
    let mut own = ptr::null_mut();
    ok!(aclrtCreateContext(&mut own, 1));
    assert_eq!(device(), 1);
    let of_own = stream();
    fails!(aclrtSynchronizeStream(of_primary), ACL_ERROR_RT_STREAM_CONTEXT, "another context", "device 0");
    fails!(aclrtDestroyStream(of_primary), ACL_ERROR_RT_STREAM_CONTEXT, "another context");
    ok!(aclrtSetCurrentContext(primary));
    fails!(aclrtSynchronizeStream(of_own), ACL_ERROR_RT_STREAM_CONTEXT, "another context", "device 1");
    ok!(aclrtDestroyStream(of_primary));
    fails!(aclrtDestroyContext(primary), ACL_ERROR_RT_PARAM_INVALID, "aclrtResetDevice");
    fails!(aclrtDestroyContext(wild()), ACL_ERROR_RT_PARAM_INVALID, "does not exist");
    fails!(aclrtSetCurrentContext(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    ok!(aclrtDestroyContext(own));
    fails!(aclrtDestroyContext(own), ACL_ERROR_RT_PARAM_INVALID, "has ended");
    fails!(aclrtSetCurrentContext(own), ACL_ERROR_RT_PARAM_INVALID, "has ended");
    fails!(
        aclrtStreamQuery(of_own, &mut ACL_STREAM_STATUS_COMPLETE.clone()),
        ACL_ERROR_RT_INVALID_HANDLE,
        "destroyed"
    );
    let mut default = ptr::null_mut();
    ok!(aclrtCtxGetCurrentDefaultStream(&mut default));
    ok!(aclrtSynchronizeStream(default));
    fails!(aclrtDestroyStream(default), ACL_ERROR_RT_PARAM_INVALID, "default stream");
}

/// The other thread would take the work for done.
#[test]
fn a_context_that_a_thread_destroys_can_t_be_destroyed_by_another() {
    let _session = Session::new();
    let mut own = ptr::null_mut();
    ok!(aclrtCreateContext(&mut own, 0));
    let held = hold(stream());
    let of_own = own.addr();
    let destroys = thread::spawn(move || acl!(aclrtDestroyContext(ptr::without_provenance_mut(of_own))));
    while Counters::now().streams != 0 {
        thread::yield_now();
    }
    fails!(aclrtDestroyContext(own), ACL_ERROR_RT_PARAM_INVALID, "has ended");
    drop(held);
    assert!(destroys.join().unwrap().is_success());
}

#[test]
fn devices_copy_to_each_other_when_they_may() {
    let _session = Session::new();
    let on_zero = malloc(64);
    ok!(aclrtSetDevice(1));
    let on_one = malloc(64);
    let copy = |to, from| common::acl!(aclrtMemcpy(to, 64, from, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    fails!(
        aclrtMemcpy(on_one, 64, on_zero, 64, ACL_MEMCPY_DEVICE_TO_DEVICE),
        ACL_ERROR_RT_PARAM_INVALID,
        "aclrtDeviceEnablePeerAccess"
    );
    let mut can = 0;
    ok!(aclrtDeviceCanAccessPeer(&mut can, 0, 1));
    assert_eq!(can, 1);
    fails!(aclrtDeviceCanAccessPeer(&mut can, 1, 1), ACL_ERROR_INVALID_PARAM, "no peer of itself");
    fails!(aclrtDeviceCanAccessPeer(&mut can, 0, 7), ACL_ERROR_RT_INVALID_DEVICEID, "7");
    fails!(aclrtDeviceEnablePeerAccess(0, 1), ACL_ERROR_FEATURE_UNSUPPORTED, "flags");
    fails!(aclrtDeviceDisablePeerAccess(0), ACL_ERROR_RT_PARAM_INVALID, "was not let");
    ok!(aclrtDeviceEnablePeerAccess(0, 0));
    assert!(copy(on_one, on_zero).is_success());
    assert!(copy(on_zero, on_one).is_success());
    ok!(aclrtDeviceDisablePeerAccess(0));
    assert!(!copy(on_one, on_zero).is_success());
    ok!(aclrtFree(on_zero));
    ok!(aclrtFree(on_one));
}
