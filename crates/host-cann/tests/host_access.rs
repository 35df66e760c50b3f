//! `HOST_CANN_HOST_ACCESS=0`: the host can't access the memory of devices. In its own process,
//! because the setting applies to the whole process.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "../../../tests/processes/runner.rs"]
mod runner;

use std::ffi::c_void;
use std::os::unix::process::ExitStatusExt as _;
use std::ptr;

use aclnn_sys::*;
use common::operator::Bytes;
use common::{ANY, D2D, D2H, H2D, Session, extension, fails, launch, malloc, malloc_host, ok, stream};

/// Names the memory that a child accesses.
const WHAT: &str = "HOST_CANN_TEST_TOUCH";
const PIECE: usize = 2 << 20;

fn session() -> Session {
    let session = Session::with(&[("HOST_CANN_HOST_ACCESS", "0")]);
    ok!(aclrtSetDevice(0));
    session
}

/// Physical memory at an address.
fn mapped() -> (*mut c_void, aclrtDrvMemHandle) {
    let properties = aclrtPhysicalMemProp {
        handleType: ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id: 0, type_: ACL_MEM_LOCATION_TYPE_DEVICE },
        reserve: 0,
    };
    let (mut piece, mut range) = (ptr::null_mut(), ptr::null_mut());
    ok!(aclrtMallocPhysical(&mut piece, PIECE, &properties, 0));
    ok!(aclrtReserveMemAddress(&mut range, PIECE, 0, ptr::null_mut(), 0));
    ok!(aclrtMapMem(range, PIECE, 0, piece, 0));
    (range, piece)
}

/// Sets bytes, and reads them back.
fn touch(address: usize) {
    let memory = ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the address is that of existing memory; where the host may not access it, a signal
    // ends the child, as the test expects.
    unsafe {
        memory.write_volatile(7);
        assert_eq!(memory.read_volatile(), 7);
    }
}

/// Runs only in the child: accesses memory at the address that CANN has returned.
#[test]
#[ignore = "the other test runs it in a process of its own"]
fn child() {
    ok!(aclInit(ptr::null()));
    ok!(aclrtSetDevice(0));
    let what = std::env::var(WHAT).unwrap();
    match what.as_str() {
        "device" => touch(malloc(64).expose_provenance()),
        "read" => {
            // SAFETY: the memory has 64 bytes.
            let _ = unsafe { malloc(64).cast::<u8>().read_volatile() };
        }
        "mapped" => touch(mapped().0.expose_provenance()),
        "pinned" => touch(malloc_host(64).expose_provenance()),
        "host function" => {
            let address = malloc(64).expose_provenance();
            launch(ptr::null_mut(), move || touch(address));
            ok!(aclrtSynchronizeStream(ptr::null_mut()));
        }
        other => panic!("{other}?"),
    }
}

/// A child's signal, if one has ended it.
fn signal(what: &str, access: &str) -> Option<i32> {
    let variables = [
        ("HOST_CANN_QUIET", "1"),
        (WHAT, what),
        ("HOST_CANN_HOST_ACCESS", access),
        // AddressSanitizer would handle the signal itself.
        ("ASAN_OPTIONS", "handle_segv=0"),
    ];
    let output = runner::itself().args(["child", "--exact", "--ignored"]).envs(variables).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() || output.status.signal().is_some(), "{what}: {printed}");
    output.status.signal()
}

#[test]
fn a_host_that_touches_a_device_s_memory_ends() {
    for what in ["device", "read", "mapped", "host function"] {
        assert_eq!(signal(what, "0"), Some(libc::SIGSEGV), "{what}");
        assert_eq!(signal(what, "1"), None, "{what}");
    }
    assert_eq!(signal("pinned", "0"), None);
}

/// All work of a device can access its memory: copies of every direction, fills, and operators.
#[test]
fn the_device_s_own_work_reaches_its_memory() {
    let _session = session();
    let (stream, first, second) = (stream(), malloc(PIECE), malloc(PIECE));
    let (range, piece) = mapped();
    let pinned = malloc_host(PIECE).cast::<u8>();
    let mut sent: Vec<u8> = (0..PIECE).map(|place| (place % 251) as u8).collect();
    let sent = common::bytes(&mut sent);
    let mut got = vec![0_u8; PIECE];
    let to = common::bytes(&mut got);
    ok!(aclrtMemcpy(first, PIECE, sent, PIECE, H2D));
    ok!(aclrtMemcpyAsync(second, PIECE, first, PIECE, D2D, stream));
    ok!(aclrtMemcpyAsync(range, PIECE, second, PIECE, D2D, stream));
    ok!(aclrtMemsetAsync(range.wrapping_byte_add(1), 1, 9, 1, stream));
    let start = range.expose_provenance();
    launch(stream, move || {
        let mut bytes = [Bytes::x(ptr::with_exposed_provenance_mut(start), 3).range()];
        let hold = extension().holdMemory.unwrap();
        // SAFETY: the names are C strings, and there is one range.
        let held = unsafe { hold(ptr::null_mut(), c"aclnnTest".as_ptr(), bytes.as_mut_ptr(), 1) };
        assert!(held.is_success());
        // SAFETY: the memory is held, and lies where it is said to.
        unsafe { bytes[0].memory.cast::<u8>().add(2).write(8) };
    });
    ok!(aclrtMemcpyAsync(pinned.cast(), PIECE, range, PIECE, ANY, stream));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtMemcpy(to, PIECE, range, PIECE, D2H));
    assert_eq!(got[..5], [0, 9, 8, 3, 4]);
    assert!(got.iter().enumerate().skip(3).all(|(place, byte)| *byte == (place % 251) as u8));
    // SAFETY: pinned memory is the host's, too.
    assert_eq!(unsafe { std::slice::from_raw_parts(pinned, PIECE) }, got);

    ok!(aclrtUnmapMem(range));
    ok!(aclrtFreePhysical(piece));
    ok!(aclrtReleaseMemAddress(range));
    ok!(aclrtFreeHost(pinned.cast()));
    ok!(aclrtFree(first));
    ok!(aclrtFree(second));
    ok!(aclrtDestroyStream(stream));
}

/// Their memory lies behind them, and both together would be more addresses than there are.
#[test]
fn half_of_all_addresses_cannot_be_had() {
    let _session = session();
    let mut range = ptr::null_mut();
    let size = (1 << (usize::BITS - 1)) + PIECE;
    fails!(
        aclrtReserveMemAddress(&mut range, size, 0, ptr::null_mut(), 0),
        ACL_ERROR_RT_MEMORY_ALLOCATION,
        "addresses"
    );
}
