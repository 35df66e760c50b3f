//! Reserved addresses and physical memory.

mod common;

use std::ffi::c_void;
use std::ptr;

use aclnn_sys::*;
use common::{ANY, D2H, H2D, Session, fails, hold, ok, stream, wild};

const PIECE: usize = 2 << 20;

fn properties(device: u32) -> aclrtPhysicalMemProp {
    aclrtPhysicalMemProp {
        handleType: ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id: device, type_: ACL_MEM_LOCATION_TYPE_DEVICE },
        reserve: 0,
    }
}

fn physical(size: usize) -> aclrtDrvMemHandle {
    let mut handle = ptr::null_mut();
    ok!(aclrtMallocPhysical(&mut handle, size, &properties(0), 0));
    handle
}

fn reserve(size: usize) -> *mut c_void {
    let mut address = ptr::null_mut();
    ok!(aclrtReserveMemAddress(&mut address, size, 0, ptr::null_mut(), 0));
    address
}

#[test]
fn memory_keeps_its_content_wherever_it_is_mapped() {
    let _session = Session::new();
    let mut granularity = 0;
    let best = ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    ok!(aclrtMemGetAllocationGranularity(&mut properties(0), best, &mut granularity));
    assert_eq!(granularity, PIECE);
    let range = reserve(4 * PIECE);
    let pieces = [physical(PIECE), physical(PIECE)];
    let second = range.wrapping_byte_add(PIECE);
    ok!(aclrtMapMem(range, PIECE, 0, pieces[0], 0));
    ok!(aclrtMapMem(second, PIECE, 0, pieces[1], 0));
    // The first piece once more, at another address.
    let again = range.wrapping_byte_add(3 * PIECE);
    ok!(aclrtMapMem(again, PIECE, 0, pieces[0], 0));
    let (mut sent, mut got): (Vec<u8>, _) = ((0..PIECE).map(|byte| byte as u8).collect(), vec![0; PIECE]);
    let (sent, to) = (common::bytes(&mut sent), common::bytes(&mut got));
    ok!(aclrtMemcpy(range, PIECE, sent, PIECE, H2D));
    ok!(aclrtUnmapMem(range));
    ok!(aclrtMemcpy(to, PIECE, again, PIECE, D2H));
    assert!(got.iter().enumerate().all(|(place, byte)| *byte == place as u8));
    // A freed piece exists as long as it is mapped.
    ok!(aclrtFreePhysical(pieces[0]));
    fails!(aclrtFreePhysical(pieces[0]), ACL_ERROR_RT_INVALID_HANDLE, "was freed");
    ok!(aclrtMemset(again, PIECE, 1, PIECE));
    ok!(aclrtUnmapMem(again));
    ok!(aclrtUnmapMem(second));
    ok!(aclrtFreePhysical(pieces[1]));
    ok!(aclrtReleaseMemAddress(range));
}

#[test]
fn mapped_memory_has_bounds_and_counts() {
    let _session = Session::with(&[("HOST_CANN_MEMORY", "4M")]);
    ok!(aclrtSetDevice(0));
    let mut host = vec![0_u8; PIECE];
    let host = common::bytes(&mut host);
    let (range, piece) = (reserve(2 * PIECE), physical(1));
    let (mut free, mut total) = (0, 0);
    ok!(aclrtGetMemInfo(ACL_HBM_MEM, &mut free, &mut total));
    assert_eq!((free, total), (PIECE, 2 * PIECE));
    let mut none = ptr::null_mut();
    let code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    fails!(aclrtMallocPhysical(&mut none, PIECE + 1, &properties(0), 0), code, "device 0");
    fails!(aclrtMemcpy(range, 8, host, 8, ANY), ACL_ERROR_RT_PARAM_INVALID, "no living allocation");
    ok!(aclrtMapMem(range, PIECE, 0, piece, 0));
    ok!(aclrtMemset(range, PIECE, 0, PIECE));
    fails!(aclrtMemset(range, PIECE + 1, 0, PIECE + 1), ACL_ERROR_RT_PARAM_INVALID, "beyond");
    fails!(aclrtMapMem(range, PIECE, 0, piece, 0), ACL_ERROR_RT_PARAM_INVALID, "already");
    fails!(aclrtFree(range), ACL_ERROR_RT_PARAM_INVALID, "living allocation");
    fails!(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID, "still mapped");
    ok!(aclrtUnmapMem(range));
    fails!(aclrtUnmapMem(range), ACL_ERROR_RT_PARAM_INVALID, "not where");
    fails!(aclrtMemset(range, 8, 0, 8), ACL_ERROR_RT_PARAM_INVALID, "no living allocation");
    ok!(aclrtFreePhysical(piece));
    ok!(aclrtReleaseMemAddress(range));
    fails!(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID, "not the beginning");
    ok!(aclrtGetMemInfo(ACL_HBM_MEM, &mut free, &mut total));
    assert_eq!(free, total);
}

#[test]
fn wrong_pieces_and_places_are_refused() {
    let _session = Session::new();
    let (range, piece) = (reserve(2 * PIECE), physical(PIECE));
    let code = ACL_ERROR_RT_PARAM_INVALID;
    fails!(aclrtMapMem(range, PIECE, 0, wild(), 0), ACL_ERROR_RT_INVALID_HANDLE, "does not exist");
    fails!(aclrtMapMem(range, 2 * PIECE, 0, piece, 0), code, "more than");
    fails!(aclrtMapMem(range, PIECE, PIECE, piece, 0), code, "more than");
    fails!(aclrtMapMem(range, 100, 0, piece, 0), code, "multiples of a page");
    let end = range.wrapping_byte_add(2 * PIECE);
    fails!(aclrtMapMem(end, PIECE, 0, piece, 0), code, "reserved");
    let none = ptr::null_mut();
    let mut made = ptr::null_mut();
    fails!(aclrtMapMem(none, PIECE, 0, piece, 0), ACL_ERROR_INVALID_PARAM, "virPtr");
    fails!(aclrtMallocPhysical(&mut made, PIECE, ptr::null(), 0), ACL_ERROR_INVALID_PARAM, "prop");
    fails!(aclrtMallocPhysical(&mut made, PIECE, &properties(9), 0), ACL_ERROR_RT_INVALID_DEVICEID, "9");
    let mut made = ptr::null_mut();
    fails!(aclrtReserveMemAddress(&mut made, 0, 0, none, 0), ACL_ERROR_INVALID_PARAM, "size");
    fails!(aclrtReserveMemAddress(&mut made, 8, 0, range, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "chosen");
    ok!(aclrtFreePhysical(piece));
    ok!(aclrtReleaseMemAddress(range));
}

#[test]
fn memory_is_unmapped_after_the_device_s_work() {
    let _session = Session::new();
    let (range, piece, stream) = (reserve(PIECE), physical(PIECE), stream());
    ok!(aclrtMapMem(range, PIECE, 0, piece, 0));
    let held = hold(stream);
    ok!(aclrtMemsetAsync(range, PIECE, 1, PIECE, stream));
    common::waits_for(held, || ok!(aclrtUnmapMem(range)));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFreePhysical(piece));
    ok!(aclrtReleaseMemAddress(range));
}
