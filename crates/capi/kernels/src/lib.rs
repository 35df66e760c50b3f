//! A stand-in for the device library of the kernels, where there is no device: the host model of
//! Ascend C, which runs the kernels in the streams of the CANN that [`Cann::load`] finds. It is for
//! processes whose only CANN is host-cann, loaded as a library.
//!
//! A device accesses its own memory. This library asks host-cann for that memory when a launch
//! runs: memory that the stream's device could not access fails the stream, and the host needs no
//! access to a device's memory (`HOST_CANN_HOST_ACCESS=0`).

use core::ffi::{c_char, c_void};
use core::ptr;
use std::sync::LazyLock;

use aclnn_sys::{Cann, hostcannHoldMemory, hostcannRange};
use scatter_kernels::launch::{Runtime, Use};
use scatter_kernels::{launch, probes};

/// The result where the CANN lacks a function; equal to `SCATTER_LAUNCH_FAILED` of `launch.h`.
const FAILED: i32 = 1;

/// The CANN, and its `hostcann_hold_memory`.
static CANN: LazyLock<(Cann, hostcannHoldMemory)> = LazyLock::new(|| {
    let cann = Cann::load();
    // SAFETY: the CANN that is installed, or that the environment names, may be opened.
    let hold = unsafe { cann.symbol(c"hostcann_hold_memory") }.ok().and_then(|hold| {
        // SAFETY: only host-cann has a symbol of this name, and its header declares this type.
        unsafe { core::mem::transmute::<*mut c_void, hostcannHoldMemory>(hold.as_ptr()) }
    });
    (cann, hold)
});

static RUNTIME: Runtime = Runtime { enqueue, reach };

/// `aclrtLaunchHostFunc`, for host-cann only: another CANN's host functions can't access a device's
/// memory.
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
    // SAFETY: streams are validated, and the function may be called once with the argument, from
    // any thread.
    let enqueued = unsafe { cann.aclrtLaunchHostFunc(stream.cast(), Some(run), argument) };
    enqueued.map_or(FAILED, |code| code.0)
}

/// Holds the memory of a kernel.
///
/// # Safety
/// The names are C strings, and there are `count` uses, which nobody changes meanwhile, each with a
/// memory to write to.
unsafe extern "C" fn reach(kernel: *const c_char, uses: *const Use, count: u32) -> i32 {
    let (_, Some(hold)) = &*CANN else { return FAILED };
    // SAFETY: the caller guarantees `count` uses, which nobody changes meanwhile.
    let uses = unsafe { core::slice::from_raw_parts(uses, count as usize) };
    // SAFETY: each use has a memory that may be read and written.
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
    // SAFETY: the names are C strings, and the ranges are this function's; null means the stream
    // that runs this.
    let held = unsafe { hold(ptr::null_mut(), kernel, ranges.as_mut_ptr(), ranges.len()) };
    if held.is_success() {
        for (one, range) in uses.iter().zip(ranges) {
            // SAFETY: each use has a memory that may be read and written.
            unsafe { (*one.memory).address = range.memory };
        }
    }
    held.0
}

/// The launch table, as `launch.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_kernels() -> *const c_void {
    // SAFETY: the functions of `RUNTIME` do what `Runtime` says, from any thread, as long as the
    // process lives.
    unsafe { launch::on_streams(&RUNTIME) }
}

/// The launch table of the probes, as `probes.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_probes() -> *const c_void {
    // SAFETY: the functions of `RUNTIME` do what `Runtime` says, from any thread, as long as the
    // process lives.
    unsafe { probes::on_streams(&RUNTIME) }
}
