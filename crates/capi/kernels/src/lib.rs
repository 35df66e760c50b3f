//! A stand-in for the device library of the kernels, where there is no device: the host model of
//! Ascend C, which runs them in the streams of the CANN that [`Cann::load`] finds: so in a process
//! that has one CANN, and has it from its libraries.

use core::ffi::c_void;
use std::sync::LazyLock;

use aclnn_sys::Cann;
use scatter_kernels::{launch, probes};

/// Of a call that the CANN has no function for; as `SCATTER_LAUNCH_FAILED` of `launch.h`.
const FAILED: i32 = 1;

/// `aclrtLaunchHostFunc`.
///
/// # Safety
/// `run` may be called once with the argument, from any thread.
unsafe extern "C" fn enqueue(
    stream: *mut c_void,
    run: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) -> i32 {
    static CANN: LazyLock<Cann> = LazyLock::new(Cann::load);
    // SAFETY: the stream is the caller's, and the function may be called.
    let enqueued = unsafe { CANN.aclrtLaunchHostFunc(stream.cast(), Some(run), argument) };
    enqueued.map_or(FAILED, |code| code.0)
}

/// The launch table, as `launch.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_kernels() -> *const c_void {
    // SAFETY: the function enqueues what it is given, or returns an error.
    unsafe { launch::on_streams(enqueue) }
}

/// The launch table of the probes, as `probes.h` declares it.
#[unsafe(no_mangle)]
pub extern "C" fn scatter_probes() -> *const c_void {
    // SAFETY: as above.
    unsafe { probes::on_streams(enqueue) }
}
