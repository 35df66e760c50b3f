//! Copies and fills.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use aclnn_sys::*;
use common::{ANY, D2D, D2H, H2D, H2H, Session, acl, bytes, fails, hold, malloc, malloc_host, ok, stream};

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
    // SAFETY: pinned memory of 4096 bytes, filled by a copy before the one that was waited for.
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
    let held = hold(stream);
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

/// Memory that is not pinned may be freed as soon as the call returns, even if it returns because
/// of an abort.
#[test]
fn a_copy_has_ended_when_its_call_returns_whatever_happens_to_the_stream() {
    // Byte by byte, in order, so that it takes a while.
    const SIZE: usize = 2 << 20;
    let _session = Session::new();
    let (stream, memory) = (stream(), malloc(SIZE));
    let mut host = vec![0_u8; SIZE];
    ok!(aclrtMemset(memory, SIZE, 1, SIZE));
    let (handle, first) = (stream.addr(), host.as_mut_ptr().expose_provenance());
    let aborter = thread::spawn(move || {
        let first: *const AtomicU8 = ptr::with_exposed_provenance(first);
        // SAFETY: the test keeps the memory until it has joined this thread.
        while unsafe { &*first }.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        ok!(aclrtStreamAbort(ptr::without_provenance_mut(handle)));
    });
    let copied = acl!(aclrtMemcpy2dAsync(bytes(&mut host), 1, memory, 1, 1, SIZE, D2H, stream));
    let last = host[SIZE - 1];
    aborter.join().unwrap();
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(host[SIZE - 1], last, "it was written to after the call");
    // The abort came during the copy, or after it.
    assert!([ACL_SUCCESS, ACL_ERROR_RT_STREAM_ABORT].contains(&copied), "{copied}");
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFree(memory));
}
