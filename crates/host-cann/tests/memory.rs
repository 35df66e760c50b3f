//! Memory: bounds, limits, and what is freed.

#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;

use aclnn_sys::*;
use common::{ANY, D2H, H2D, Session, bytes, fails, malloc, malloc_host, ok, wild};

#[test]
fn nothing_reaches_beyond_an_allocation() {
    let _session = Session::new();
    let mut host = [0_u8; 512];
    let host = bytes(&mut host);
    let memory = malloc(100);
    fails!(aclrtMemcpy(memory, 99, host, 100, H2D), ACL_ERROR_RT_PARAM_INVALID, "100", "destMax 99");
    // 100 bytes rounded up to 128, and 32 more.
    ok!(aclrtMemcpy(memory, 160, host, 160, H2D));
    fails!(
        aclrtMemcpy(memory, 161, host, 161, H2D),
        ACL_ERROR_RT_PARAM_INVALID,
        "161 bytes",
        "allocation of 160"
    );
    let inside = memory.wrapping_byte_add(150);
    fails!(aclrtMemcpy(host, 512, inside, 11, D2H), ACL_ERROR_RT_PARAM_INVALID, "offset 150");
    fails!(aclrtMemset(inside, 512, 0, 11), ACL_ERROR_RT_PARAM_INVALID, "offset 150");
    fails!(aclrtMemset(inside, 10, 0, 11), ACL_ERROR_RT_PARAM_INVALID, "maxCount 10");
    fails!(aclrtMemset(memory, usize::MAX, 0, usize::MAX), ACL_ERROR_RT_PARAM_INVALID, "beyond");
    let mut aligned = ptr::null_mut();
    ok!(aclrtMallocAlign32(&mut aligned, 100, ACL_MEM_MALLOC_NORMAL_ONLY));
    ok!(aclrtMemset(aligned, 128, 0, 128));
    fails!(aclrtMemset(aligned, 129, 0, 129), ACL_ERROR_RT_PARAM_INVALID, "allocation of 128");
    let pinned = malloc_host(64);
    fails!(aclrtMemset(pinned, 65, 0, 65), ACL_ERROR_RT_PARAM_INVALID, "allocation of 64");
    ok!(aclrtFreeHost(pinned));
    ok!(aclrtFree(aligned));
    ok!(aclrtFree(memory));
}

#[test]
fn freed_memory_is_nobody_s() {
    let _session = Session::new();
    let mut host = [0_u8; 64];
    let host = bytes(&mut host);
    let memory = malloc(64);
    fails!(aclrtFree(memory.wrapping_byte_add(32)), ACL_ERROR_RT_PARAM_INVALID, "lies inside");
    fails!(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost");
    ok!(aclrtFree(memory));
    fails!(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID, "freed before");
    for kind in [H2D, ANY] {
        fails!(aclrtMemcpy(memory, 64, host, 64, kind), ACL_ERROR_RT_PARAM_INVALID, "freed");
    }
    fails!(aclrtMemcpy(host, 64, memory, 64, D2H), ACL_ERROR_RT_PARAM_INVALID, "freed");
    fails!(aclrtFree(ptr::null_mut()), ACL_ERROR_INVALID_PARAM, "null");
    fails!(aclrtFree(host), ACL_ERROR_RT_PARAM_INVALID, "not memory of a device");
    fails!(aclrtFree(wild()), ACL_ERROR_RT_PARAM_INVALID, "not memory of a device");
    let pinned = malloc_host(64);
    fails!(aclrtFree(pinned), ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost");
    ok!(aclrtFreeHost(pinned));
    fails!(aclrtFreeHost(pinned), ACL_ERROR_RT_PARAM_INVALID, "freed before");
    let again = malloc(64);
    ok!(aclrtFreeWithDevSync(again));
}

#[test]
fn a_device_has_so_much_memory_and_no_more() {
    let _session = Session::with(&[("HOST_CANN_MEMORY", "1M")]);
    ok!(aclrtSetDevice(0));
    let room = || {
        let (mut free, mut total) = (0, 0);
        ok!(aclrtGetMemInfo(ACL_HBM_MEM, &mut free, &mut total));
        (free, total)
    };
    assert_eq!(room(), (1 << 20, 1 << 20));
    let most = malloc((1 << 20) - 32 - 1024);
    assert_eq!(room(), (1024, 1 << 20));
    let mut none = ptr::null_mut();
    fails!(
        aclrtMalloc(&mut none, 1000, ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_ERROR_RT_MEMORY_ALLOCATION,
        "1000 bytes",
        "device 0",
        "of 1048576"
    );
    assert!(none.is_null());
    let rest = malloc(992);
    assert_eq!(room(), (0, 1 << 20));
    ok!(aclrtSetDevice(1));
    assert_eq!(room(), (1 << 20, 1 << 20));
    ok!(aclrtFree(rest));
    ok!(aclrtFree(most));
    ok!(aclrtSetDevice(0));
    assert_eq!(room(), (1 << 20, 1 << 20));
    fails!(aclrtMalloc(&mut none, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "size is 0");
    fails!(
        aclrtMalloc(&mut none, usize::MAX, ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_ERROR_INVALID_PARAM,
        "too large"
    );
    fails!(
        aclrtMalloc(ptr::null_mut(), 8, ACL_MEM_MALLOC_HUGE_FIRST),
        ACL_ERROR_INVALID_PARAM,
        "devPtr is null"
    );
    let huge = usize::MAX / 2;
    fails!(aclrtMalloc(&mut none, huge, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes");
    fails!(aclrtMallocHost(&mut none, huge), ACL_ERROR_RT_MEMORY_ALLOCATION, "pinned");
}

#[test]
fn what_an_address_is_can_be_asked() {
    let _session = Session::new();
    let mut host = vec![0_u8; 8192];
    let (start, memory, pinned) = (bytes(&mut host), malloc(64), malloc_host(64));
    let place = |pointer: *mut c_void| {
        let mut attributes = std::mem::MaybeUninit::uninit();
        ok!(aclrtPointerGetAttributes(pointer, attributes.as_mut_ptr()));
        // SAFETY: written by the call.
        unsafe { attributes.assume_init() }.location.type_
    };
    assert_eq!(place(memory), ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_eq!(place(pinned), ACL_MEM_LOCATION_TYPE_HOST);
    assert_eq!(place(start), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    let mut device = ptr::null_mut();
    let mapped = ACL_HOST_REGISTER_MAPPED;
    ok!(aclrtHostRegister(start, 4096, mapped, &mut device));
    assert_eq!((device, place(start)), (start, ACL_MEM_LOCATION_TYPE_HOST));
    let inside = start.wrapping_byte_add(100);
    fails!(
        aclrtHostRegister(inside, 10, mapped, &mut device),
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        "already"
    );
    fails!(
        aclrtHostRegister(memory, 10, mapped, &mut device),
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        "already"
    );
    // Memory behind a registered range is not known to the runtime, so a stream may not use it
    // after the call.
    let (large, any, none) = (malloc(8192), ACL_MEMCPY_DEFAULT, ptr::null_mut());
    ok!(aclrtMemcpyAsyncWithCondition(large, 8192, start, 4096, any, none));
    let not_pinned = ACL_ERROR_RT_PARAM_INVALID;
    fails!(
        aclrtMemcpyAsyncWithCondition(large, 8192, start, 4097, any, none),
        not_pinned,
        "src",
        "not pinned"
    );
    ok!(aclrtMemcpyAsyncWithCondition(large, 8192, inside, 3996, any, none));
    fails!(
        aclrtMemcpyAsyncWithCondition(large, 8192, inside, 3997, any, none),
        not_pinned,
        "src",
        "not pinned"
    );
    ok!(aclrtSynchronizeStream(none));
    ok!(aclrtFree(large));
    fails!(aclrtHostUnregister(inside), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "not registered");
    ok!(aclrtHostUnregister(start));
    assert_eq!(place(start), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    let flush = ACL_RT_CMO_TYPE_FLUSH;
    ok!(aclrtCmoAsync(memory, 64, flush, none));
    fails!(aclrtCmoAsync(start, 64, flush, none), ACL_ERROR_RT_PARAM_INVALID, "src", "host memory");
    ok!(aclrtFree(memory));
    ok!(aclrtFreeHost(pinned));
}

#[test]
fn allocations_with_attributes_take_what_changes_nothing() {
    let _session = Session::new();
    let mut memory = ptr::null_mut();
    let attribute = |attr, value| aclrtMallocAttribute { attr, value };
    let module = attribute(ACL_RT_MEM_ATTR_MODULE_ID, aclrtMallocAttrValue { moduleId: 3 });
    let here = attribute(ACL_RT_MEM_ATTR_DEVICE_ID, aclrtMallocAttrValue { deviceId: 0 });
    let there = attribute(ACL_RT_MEM_ATTR_DEVICE_ID, aclrtMallocAttrValue { deviceId: 1 });
    let mut good = [module, here];
    let mut config = aclrtMallocConfig { attrs: good.as_mut_ptr(), numAttrs: 2 };
    ok!(aclrtMallocHostWithCfg(&mut memory, 64, &mut config));
    ok!(aclrtFreeHost(memory));
    ok!(aclrtMallocHostWithCfg(&mut memory, 64, ptr::null_mut()));
    ok!(aclrtFreeHost(memory));
    let mut bad = [there];
    config = aclrtMallocConfig { attrs: bad.as_mut_ptr(), numAttrs: 1 };
    fails!(
        aclrtMallocHostWithCfg(&mut memory, 64, &mut config),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "device 1"
    );
    config = aclrtMallocConfig { attrs: ptr::null_mut(), numAttrs: 1 };
    fails!(aclrtMallocHostWithCfg(&mut memory, 64, &mut config), ACL_ERROR_INVALID_PARAM, "attrs is null");
}

#[test]
fn memory_is_freed_with_device_sync_after_the_device_s_work() {
    let _session = Session::new();
    let stream = common::stream();
    let memory = malloc(64);
    // Without it the stream would find the memory freed, and fail.
    let held = common::hold(stream);
    ok!(aclrtMemsetAsync(memory, 64, 1, 64, stream));
    common::waits_for(held, || ok!(aclrtFreeWithDevSync(memory)));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDestroyStream(stream));
}
