//! Memory: bounds, limits, directions, and what is freed.

mod common;

use std::ffi::c_void;
use std::ptr;

use aclnn_sys::*;
use common::{Session, fails, launch, malloc, malloc_host, ok, stream, wild};

const H2H: aclrtMemcpyKind = ACL_MEMCPY_HOST_TO_HOST;
const H2D: aclrtMemcpyKind = ACL_MEMCPY_HOST_TO_DEVICE;
const D2H: aclrtMemcpyKind = ACL_MEMCPY_DEVICE_TO_HOST;
const D2D: aclrtMemcpyKind = ACL_MEMCPY_DEVICE_TO_DEVICE;
const ANY: aclrtMemcpyKind = ACL_MEMCPY_DEFAULT;

fn bytes(values: &mut [u8]) -> *mut c_void {
    values.as_mut_ptr().cast()
}

#[test]
fn bytes_go_to_a_device_and_back() {
    let _session = Session::new();
    for kinds in [[H2D, D2D, D2H], [ANY; 3], [ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, D2D, D2H]] {
        let mut source: Vec<u8> = (0..=255).collect();
        let mut target = vec![0; 256];
        let (first, second) = (malloc(256), malloc(256));
        assert_eq!(first.addr() % 64, 0);
        ok!(aclrtMemcpy(first, 256, bytes(&mut source), 256, kinds[0]));
        ok!(aclrtMemcpy(second, 256, first, 256, kinds[1]));
        ok!(aclrtMemset(first, 256, 0x1FF, 256));
        ok!(aclrtMemcpy(bytes(&mut target), 256, second, 256, kinds[2]));
        assert_eq!(source, target);
        ok!(aclrtMemcpy(bytes(&mut target), 256, first, 256, kinds[2]));
        assert_eq!(target, [0xFF; 256]);
        ok!(aclrtFree(first));
        ok!(aclrtFree(second));
    }
}

#[test]
fn a_copy_in_the_wrong_direction_is_refused() {
    let _session = Session::new();
    let mut host = [0_u8; 64];
    let host = bytes(&mut host);
    let (device, pinned) = (malloc(64), malloc_host(64));
    for (to, from, kind, word) in [
        (host, host, H2D, "dst"),
        (host, device, H2D, "src"),
        (device, device, H2D, "src"),
        (device, host, D2H, "src"),
        (device, device, D2H, "dst"),
        (host, host, D2H, "src"),
        (device, host, D2D, "src"),
        (host, device, D2D, "dst"),
        (device, host, H2H, "dst"),
        (host, device, H2H, "src"),
        (pinned, device, H2D, "src"),
        (device, pinned, D2D, "src"),
    ] {
        fails!(aclrtMemcpy(to, 64, from, 64, kind), ACL_ERROR_RT_PARAM_INVALID, "kind says", word);
        fails!(
            aclrtMemcpyAsync(to, 64, from, 64, kind, ptr::null_mut()),
            ACL_ERROR_RT_PARAM_INVALID,
            "kind says",
            word
        );
    }
    ok!(aclrtMemcpy(host, 64, pinned, 64, H2H));
    let none = ptr::null_mut();
    fails!(
        aclrtMemcpyAsync(host, 64, pinned, 64, H2H, none),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "host to host"
    );
    let strange = aclrtMemcpyKind(6);
    fails!(aclrtMemcpy(host, 64, pinned, 64, strange), ACL_ERROR_INVALID_PARAM, "kind 6");
    fails!(aclrtMemcpy(none.cast(), 64, pinned, 64, H2H), ACL_ERROR_INVALID_PARAM, "dst is null");
    fails!(aclrtMemcpy(host, 64, none.cast(), 64, H2H), ACL_ERROR_INVALID_PARAM, "src is null");
    ok!(aclrtMemcpy(none.cast(), 0, none.cast(), 0, H2H));
    ok!(aclrtFree(device));
    ok!(aclrtFreeHost(pinned));
}

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
    ok!(aclrtFreeHostWithDevSync(pinned));
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
fn rectangles_are_copied_row_by_row() {
    let _session = Session::new();
    let mut source: Vec<u8> = (0..60).collect();
    let mut target = vec![0; 30];
    let memory = malloc(64);
    // 3 rows of 5 bytes, from lines of 20 to lines of 16 to lines of 10.
    ok!(aclrtMemcpy2d(memory, 16, bytes(&mut source), 20, 5, 3, H2D));
    ok!(aclrtMemcpy2dAsync(bytes(&mut target), 10, memory, 16, 5, 3, D2H, ptr::null_mut()));
    let expected = |i: usize| if i % 10 < 5 { (i / 10 * 20 + i % 10) as u8 } else { 0 };
    assert_eq!(target, (0..30).map(expected).collect::<Vec<u8>>());
    fails!(
        aclrtMemcpy2d(memory, 16, bytes(&mut source), 20, 17, 1, H2D),
        ACL_ERROR_INVALID_PARAM,
        "width 17"
    );
    fails!(
        aclrtMemcpy2d(memory, 32, bytes(&mut source), 20, 5, 4, H2D),
        ACL_ERROR_RT_PARAM_INVALID,
        "beyond"
    );
    let rows = usize::MAX;
    fails!(
        aclrtMemcpy2d(memory, 32, bytes(&mut source), 20, 5, rows, H2D),
        ACL_ERROR_RT_PARAM_INVALID,
        "rows"
    );
    fails!(aclrtMemcpy2d(memory, 32, bytes(&mut source), 20, 5, 1, H2H), ACL_ERROR_INVALID_PARAM, "kind 0");
    ok!(aclrtMemcpy2d(ptr::null_mut(), 0, ptr::null_mut(), 0, 0, 5, H2D));
    ok!(aclrtFree(memory));
}

#[test]
fn a_stream_copies_in_order_and_pageable_memory_before_it_returns() {
    let _session = Session::new();
    let stream = stream();
    let memory = malloc(4096);
    let pinned = malloc_host(4096);
    ok!(aclrtMemsetAsync(memory, 4096, 7, 4096, stream));
    ok!(aclrtMemcpyAsync(pinned, 4096, memory, 4096, D2H, stream));
    ok!(aclrtMemsetAsync(memory, 4096, 8, 4096, stream));
    let mut pageable = vec![0_u8; 4096];
    ok!(aclrtMemcpyAsync(bytes(&mut pageable), 4096, memory, 4096, D2H, stream));
    assert!(pageable.iter().all(|byte| *byte == 8), "the call returned before the copy");
    // SAFETY: pinned memory of so many bytes, filled by a copy before the one that was waited for.
    assert!(unsafe { std::slice::from_raw_parts(pinned.cast::<u8>(), 4096) }.iter().all(|byte| *byte == 7));
    let host = bytes(&mut pageable);
    fails!(
        aclrtMemcpyAsyncWithCondition(memory, 4096, host, 4096, H2D, stream),
        ACL_ERROR_RT_PARAM_INVALID,
        "not pinned"
    );
    ok!(aclrtMemcpyAsyncWithCondition(memory, 4096, pinned, 4096, H2D, stream));
    ok!(aclrtSynchronizeStream(stream));
    // What is copied through a buffer may change at once.
    let (held, go) = std::sync::mpsc::channel();
    launch(stream, move || go_wait(&go));
    let kind = ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    ok!(aclrtMemset(pinned, 4096, 1, 4096));
    ok!(aclrtMemcpyAsync(memory, 4096, pinned, 4096, kind, stream));
    ok!(aclrtMemset(pinned, 4096, 2, 4096));
    held.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtMemcpy(host, 4096, memory, 4096, D2H));
    assert!(pageable.iter().all(|byte| *byte == 1));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFree(memory));
    ok!(aclrtFreeHost(pinned));
}

fn go_wait(go: &std::sync::mpsc::Receiver<()>) {
    go.recv().unwrap_or(());
}

#[test]
fn memory_freed_under_a_stream_fails_the_stream() {
    let _session = Session::new();
    let stream = stream();
    let memory = malloc(64);
    let (held, go) = std::sync::mpsc::channel();
    launch(stream, move || go_wait(&go));
    ok!(aclrtMemsetAsync(memory, 64, 1, 64, stream));
    ok!(aclrtFree(memory));
    held.send(()).unwrap();
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SYS_DMA, "was freed before the stream");
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDestroyStream(stream));
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
    fails!(aclrtHostUnregister(inside), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "not registered");
    ok!(aclrtHostUnregister(start));
    assert_eq!(place(start), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    ok!(aclrtMemFlush(memory, 64));
    fails!(aclrtMemInvalidate(start, 64), ACL_ERROR_RT_PARAM_INVALID, "host memory");
    ok!(aclrtFree(memory));
    ok!(aclrtFreeHost(pinned));
}

#[test]
fn allocations_with_attributes_take_what_changes_nothing() {
    let _session = Session::new();
    let policy = ACL_MEM_MALLOC_HUGE_FIRST;
    let mut memory = ptr::null_mut();
    let attribute = |attr, value| aclrtMallocAttribute { attr, value };
    let module = attribute(ACL_RT_MEM_ATTR_MODULE_ID, aclrtMallocAttrValue { moduleId: 3 });
    let here = attribute(ACL_RT_MEM_ATTR_DEVICE_ID, aclrtMallocAttrValue { deviceId: 0 });
    let there = attribute(ACL_RT_MEM_ATTR_DEVICE_ID, aclrtMallocAttrValue { deviceId: 1 });
    let mut good = [module, here];
    let mut config = aclrtMallocConfig { attrs: good.as_mut_ptr(), numAttrs: 2 };
    ok!(aclrtMallocWithCfg(&mut memory, 64, policy, &mut config));
    ok!(aclrtFree(memory));
    ok!(aclrtMallocWithCfg(&mut memory, 64, policy, ptr::null_mut()));
    ok!(aclrtFree(memory));
    let mut bad = [there];
    config = aclrtMallocConfig { attrs: bad.as_mut_ptr(), numAttrs: 1 };
    fails!(
        aclrtMallocWithCfg(&mut memory, 64, policy, &mut config),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "device 1"
    );
    config = aclrtMallocConfig { attrs: ptr::null_mut(), numAttrs: 1 };
    fails!(aclrtMallocHostWithCfg(&mut memory, 64, &mut config), ACL_ERROR_INVALID_PARAM, "attrs is null");
}
