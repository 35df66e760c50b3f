//! A stand-in for the device library of the kernels, where there is no device: the host model of
//! Ascend C, which runs them in the streams of the CANN that [`Cann::load`] finds: so in a process
//! that has one CANN, has it from its libraries, and has host-cann for it.
//!
//! A device reaches its memory by itself. This library asks host-cann for it, when a launch's turn
//! comes: memory that the stream's device could not touch fails the stream, and the host needs no
//! access to a device's memory (`HOST_CANN_HOST_ACCESS=0`).

use core::ffi::{c_char, c_void};
use core::ptr;
use std::sync::LazyLock;

use aclnn_sys::{Cann, hostcannHoldMemory, hostcannRange};
use scatter_kernels::launch::{Runtime, Use};
use scatter_kernels::{launch, probes};

/// Of a call that the CANN has no function for; as `SCATTER_LAUNCH_FAILED` of `launch.h`.
const FAILED: i32 = 1;

/// The CANN, and its `hostcann_hold_memory`.
static CANN: LazyLock<(Cann, hostcannHoldMemory)> = LazyLock::new(|| {
    let cann = Cann::load();
    // SAFETY: whoever installed this CANN, or set the variables by which it is found, answers for it.
    let hold = unsafe { cann.symbol(c"hostcann_hold_memory") }.ok().and_then(|hold| {
        // SAFETY: the symbol has this name in host-cann alone, whose header says that it is this.
        unsafe { core::mem::transmute::<*mut c_void, hostcannHoldMemory>(hold.as_ptr()) }
    });
    (cann, hold)
});

static RUNTIME: Runtime = Runtime { enqueue, reach };

/// `aclrtLaunchHostFunc`, of host-cann alone: another CANN's host functions reach no device's memory.
///
/// # Safety
/// `run` may be called once with the argument, from any thread.
unsafe extern "C" fn enqueue(
    stream: *mut c_void,
    run: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) -> i32 {
    let (cann, hold) = &*CANN;
    if hold.is_none() {
        return FAILED;
    }
    // SAFETY: the stream is the caller's, and the function may be called.
    let enqueued = unsafe { cann.aclrtLaunchHostFunc(stream.cast(), Some(run), argument) };
    enqueued.map_or(FAILED, |code| code.0)
}

/// Holds the memory of a kernel.
///
/// # Safety
/// The names are C strings, and there are `count` uses, each with a memory to write to.
unsafe extern "C" fn reach(kernel: *const c_char, uses: *const Use, count: u32) -> i32 {
    let (_, Some(hold)) = &*CANN else { return FAILED };
    // SAFETY: the caller's word.
    let uses = unsafe { core::slice::from_raw_parts(uses, count as usize) };
    // SAFETY: as above.
    let memory = |one: &Use| unsafe { one.memory.read() };
    let mut ranges: Vec<hostcannRange> = uses
        .iter()
        .map(|one| hostcannRange {
            argument: one.name,
            address: memory(one).address.cast_const(),
            bytes: memory(one).bytes as usize,
            isWritten: one.is_written(),
            memory: ptr::null_mut(),
        })
        .collect();
    // SAFETY: the names are the caller's word; null is the stream that runs this.
    let held = unsafe { hold(ptr::null_mut(), kernel, ranges.as_mut_ptr(), ranges.len()) };
    if held.is_success() {
        for (one, range) in uses.iter().zip(ranges) {
            // SAFETY: the caller's word.
            unsafe { (*one.memory).address = range.memory };
        }
    }
    held.0
}

/// The launch table, as `launch.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_kernels() -> *const c_void {
    // SAFETY: the functions do what they are asked for, or return an error.
    unsafe { launch::on_streams(&RUNTIME) }
}

/// The launch table of the probes, as `probes.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_probes() -> *const c_void {
    // SAFETY: as above.
    unsafe { probes::on_streams(&RUNTIME) }
}
