//! Operators may only access memory that a device could access: a library of operators calls
//! `holdMemory` before any access.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod common;

use std::ffi::c_void;
use std::ptr;

use aclnn_sys::*;
use common::operator::{Bytes, hold, passes, refuses};
use common::{Session, acl, bytes, extension, fails, launch, malloc, malloc_host, message, ok, stream, wild};

#[test]
fn memory_of_the_stream_s_device_is_held_up_to_its_last_byte() {
    let _session = Session::new();
    // 100 bytes rounded up to 128, and 32 more.
    common::operator::an_allocation_has_an_end(malloc(100), 160);
}

#[test]
fn two_allocations_side_by_side_are_not_one() {
    let _session = Session::new();
    let (stream, first, second) = (stream(), malloc(512 - 32), malloc(512 - 32));
    let low = first.min(second);
    assert_eq!(low.wrapping_byte_add(512), first.max(second), "they lie side by side");
    passes(stream, &[Bytes::x(first, 512), Bytes::y(second, 512)]);
    refuses!(stream, &[Bytes::y(low, 513)], "y: ", "513 bytes", "512 bytes are there");
    refuses!(stream, &[Bytes::x(low, 1024)], "x: ", "1024 bytes", "512 bytes are there");
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFree(first));
    ok!(aclrtFree(second));
}

#[test]
fn what_is_not_the_device_s_is_told_from_it() {
    let _session = Session::new();
    ok!(aclrtSetDevice(1));
    let (there, there_too) = (malloc(64), stream());
    ok!(aclrtSetDevice(0));
    let (here, stream, pinned) = (malloc(64), stream(), malloc_host(64));
    let mut host = vec![0_u8; 8192];
    let host = bytes(&mut host);
    refuses!(stream, &[Bytes::x(host, 64)], "x: device 0 can't read 64 bytes", "it is host memory, or none");
    refuses!(stream, &[Bytes::y(wild(), 8)], "y: device 0 can't write 8 bytes at 0x12345678", "or none");
    refuses!(stream, &[Bytes::x(ptr::null_mut(), 8)], "the address is null");
    refuses!(stream, &[Bytes::x(pinned, 64)], "it is pinned host memory");
    refuses!(stream, &[Bytes::x(there, 64)], "x: device 0 can't read 64 bytes", "it is memory of device 1");
    // The first bad range is reported, whatever follows it.
    refuses!(stream, &[Bytes::x(here, 64), Bytes::y(there, 8), Bytes::x(host, 9)], "y: ", "of device 1");
    // An empty range is always allowed.
    passes(stream, &[Bytes::x(host, 0), Bytes::y(there, 0), Bytes::x(ptr::null_mut(), 0)]);
    passes(stream, &[]);
    // Registered host memory has the same address on devices.
    let mut mapped = ptr::null_mut();
    ok!(aclrtHostRegister(host, 4096, ACL_HOST_REGISTER_MAPPED, &mut mapped));
    passes(stream, &[Bytes::y(mapped, 4096), Bytes::x(here, 64)]);
    refuses!(
        stream,
        &[Bytes::x(mapped, 4097)],
        "4097 bytes",
        "4096 bytes of registered host memory are there"
    );
    ok!(aclrtHostUnregister(host));
    refuses!(stream, &[Bytes::x(host, 64)], "it is host memory");
    // Peers copy to each other; operators only access their own device.
    ok!(aclrtDeviceEnablePeerAccess(1, 0));
    refuses!(stream, &[Bytes::x(there, 64)], "it is memory of device 1");
    ok!(aclrtSetDevice(1));
    passes(there_too, &[Bytes::x(there, 64)]);
    refuses!(there_too, &[Bytes::y(here, 64)], "device 1 can't write", "it is memory of device 0");
    ok!(aclrtFree(there));
    ok!(aclrtDestroyStream(there_too));
    ok!(aclrtSetDevice(0));
    ok!(aclrtFree(here));
    ok!(aclrtFreeHost(pinned));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn mapped_memory_is_its_device_s() {
    const PIECE: usize = 2 << 20;
    let _session = Session::new();
    let properties = |device| aclrtPhysicalMemProp {
        handleType: ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id: device, type_: ACL_MEM_LOCATION_TYPE_DEVICE },
        reserve: 0,
    };
    let (stream, mut range, mut pieces) = (stream(), ptr::null_mut(), [ptr::null_mut(); 2]);
    ok!(aclrtReserveMemAddress(&mut range, 2 * PIECE, 0, ptr::null_mut(), 0));
    let second = range.wrapping_byte_add(PIECE);
    for (device, piece) in pieces.iter_mut().enumerate() {
        ok!(aclrtMallocPhysical(piece, PIECE, &properties(device as u32), 0));
    }
    refuses!(stream, &[Bytes::x(range, 1)], "no living allocation");
    ok!(aclrtMapMem(range, PIECE, 0, pieces[0], 0));
    ok!(aclrtMapMem(second, PIECE, 0, pieces[1], 0));
    passes(stream, &[Bytes::y(range, PIECE)]);
    refuses!(stream, &[Bytes::y(range, PIECE + 1)], "2097152 bytes are there");
    refuses!(stream, &[Bytes::x(second, 1)], "it is memory of device 1");
    ok!(aclrtUnmapMem(range));
    refuses!(stream, &[Bytes::y(range, 1)], "no living allocation");
    ok!(aclrtUnmapMem(second));
    pieces.into_iter().for_each(|piece| ok!(aclrtFreePhysical(piece)));
    ok!(aclrtReleaseMemAddress(range));
    ok!(aclrtDestroyStream(stream));
}

#[test]
fn what_is_freed_while_it_is_held_stays_until_the_host_function_returns() {
    let _session = Session::new();
    common::operator::freed_while_it_is_held(4096, |freed| {
        let again = malloc(4096);
        assert_eq!(again, freed, "its addresses are free");
        ok!(aclrtFree(again));
    });
}

#[test]
fn a_thread_that_runs_the_callbacks_of_a_stream_holds_memory_for_it() {
    unsafe extern "C" fn holds(expected: *mut c_void) {
        // SAFETY: the test's pair outlives the callback.
        let (range, code) = unsafe { *expected.cast::<(Bytes, AclError)>() };
        assert_eq!(hold(ptr::null_mut(), &[range]), code);
    }
    let _session = Session::new();
    let (stream, memory) = (stream(), malloc(64));
    // SAFETY: asks for a number.
    let thread = unsafe { libc::pthread_self() } as u64;
    ok!(aclrtSubscribeReport(thread, stream));
    for (bytes, code) in [(96, ACL_SUCCESS), (97, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)] {
        let mut expected = (Bytes::x(memory, bytes), code);
        ok!(aclrtLaunchCallback(Some(holds), (&raw mut expected).cast(), ACL_CALLBACK_BLOCK, stream));
        ok!(aclrtProcessReport(-1));
        assert_eq!(acl!(aclrtSynchronizeStream(stream)), code);
    }
    ok!(aclrtUnSubscribeReport(thread, stream));
    ok!(aclrtFree(memory));
    ok!(aclrtDestroyStream(stream));
    // This thread no longer works for a stream.
    assert_eq!(hold(ptr::null_mut(), &[]), ACL_ERROR_INVALID_PARAM);
}

#[test]
fn a_wrong_call_is_refused_and_fails_no_stream() {
    let _session = Session::new();
    let (first, second) = (stream(), stream());
    let invalid = ACL_ERROR_INVALID_PARAM;
    assert_eq!(hold(ptr::null_mut(), &[]), invalid);
    assert!(message().contains("no stream's host function"));
    assert_eq!(hold(first, &[]), invalid);
    let handles = [first.expose_provenance(), second.expose_provenance()];
    launch(first, move || {
        let [own, other] = handles.map(ptr::with_exposed_provenance_mut);
        assert_eq!(hold(own, &[]), ACL_SUCCESS);
        assert_eq!(hold(other, &[]), invalid);
        let call = extension().holdMemory.unwrap();
        let mut nameless = hostcannRange { argument: ptr::null(), ..Bytes::x(wild(), 0).range() };
        // SAFETY: nulls are refused.
        unsafe {
            assert_eq!(call(own, ptr::null(), ptr::null_mut(), 0), invalid);
            assert!(message().contains("operatorName is null"));
            assert_eq!(call(own, c"aclnnTest".as_ptr(), ptr::null_mut(), 1), invalid);
            assert!(message().contains("ranges is null"));
            assert_eq!(call(own, c"aclnnTest".as_ptr(), &raw mut nameless, 1), invalid);
            assert!(message().contains("argument is null"));
        }
        // A bad range is reported on this thread, too.
        assert_eq!(hold(own, &[Bytes::x(wild(), 1)]), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        assert!(message().contains("aclnnTest: x: device 0 can't read 1 bytes at 0x12345678"));
    });
    fails!(aclrtSynchronizeStream(first), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "x: device 0");
    ok!(aclrtSynchronizeStream(second));
    ok!(aclrtDestroyStream(first));
    ok!(aclrtDestroyStream(second));
}
