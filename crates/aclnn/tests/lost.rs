//! A stream of which CANN can't say whether its work is done: nothing that the work uses is freed.
//! The test is a program of its own, because others count what is leaked here.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use aclnn::sys::{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, AclError, Cann, aclrtStream, aclrtStreamOpaque};
use aclnn::{Error, PinnedBuffer, Result, Runtime, Tensor};
use common::Gate;
use host_cann::{Counters, c};

/// The stream that is lost.
static LOST: AtomicPtr<aclrtStreamOpaque> = AtomicPtr::new(null_mut());

/// Calls a function of host-cann's, unless the stream is lost.
unsafe fn unless_lost(
    function: unsafe extern "C" fn(aclrtStream) -> AclError,
    stream: aclrtStream,
) -> AclError {
    if stream == LOST.load(Ordering::Relaxed) {
        return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
    // SAFETY: the stream is the caller's.
    unsafe { function(stream) }
}

unsafe extern "C" fn synchronize(stream: aclrtStream) -> AclError {
    // SAFETY: the stream is the caller's.
    unsafe { unless_lost(c::aclrtSynchronizeStream, stream) }
}

unsafe extern "C" fn destroy(stream: aclrtStream) -> AclError {
    // SAFETY: the stream is the caller's.
    unsafe { unless_lost(c::aclrtDestroyStream, stream) }
}

#[test]
fn what_a_lost_stream_uses_stays() -> Result<()> {
    let broken = Cann::from_table([
        (c"aclrtSynchronizeStream", synchronize as *const c_void),
        (c"aclrtDestroyStream", destroy as *const c_void),
    ]);
    // SAFETY: the functions are host-cann's, or have the prototypes of those that they replace.
    let runtime = unsafe { Runtime::from_cann(broken.then(Cann::from_table(host_cann::table()))) }?;
    let stream = runtime.device(0)?.stream()?;
    let raw = stream.as_raw()?;
    LOST.store(raw, Ordering::Relaxed);
    let other = stream.device().stream()?;
    let mut tensor = Tensor::<f32>::zeros([2], &stream)?;
    let (data, place) =
        (PinnedBuffer::from_slice(&stream, &[1.0_f32, 2.0])?, PinnedBuffer::<f32>::new(&stream, 2)?);
    let alive = || (Counters::now().host_allocations, Counters::now().device_allocations);
    assert_eq!(alive(), (2, 1));

    let gate = Gate::new(&stream);
    let sent = tensor.copy_from_pinned(data, &stream)?;
    // Resources that are dropped before the stream is lost, after it, and in a call that would have
    // waited.
    drop(tensor.copy_to_pinned(place, &stream)?);
    let closed = stream.close();
    assert!(matches!(closed, Err(Error::Acl { call: "aclrtSynchronizeStream", .. })), "{closed:?}");
    // Another stream can't wait for the work either, so it must not use the tensor.
    let refused = |error: Error| {
        let text = "stream: CANN could neither wait for the stream nor destroy it: its work may still run";
        assert_eq!(error.to_string(), text);
    };
    refused(tensor.to_vec(&other).unwrap_err());
    refused(tensor.fill_(1.0, &other).map(drop).unwrap_err());
    refused(tensor.copy_from_slice(&[3.0, 4.0], &other).unwrap_err());
    other.close()?;
    drop(tensor);
    refused(sent.wait().map(drop).unwrap_err());
    assert_eq!(alive(), (2, 1));

    // The copies, which still run, find valid memory.
    gate.open();
    // SAFETY: host-cann's stream was never destroyed.
    assert!(unsafe { c::aclrtSynchronizeStream(raw) }.is_success());
    assert_eq!(alive(), (2, 1));
    Ok(())
}
