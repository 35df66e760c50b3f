//! A stream of which CANN can't say whether its work is done: nothing that the work uses is freed.
//! The test is a program of its own, because others count what is leaked here.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::ffi::c_void;

use aclnn::sys::{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, AclError, Cann, aclrtStream};
use aclnn::{Error, PinnedBuffer, Result, Runtime, Tensor};
use common::Gate;
use host_cann::Counters;

unsafe extern "C" fn lost(_: aclrtStream) -> AclError {
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
}

#[test]
fn what_a_lost_stream_uses_stays() -> Result<()> {
    let lost = lost as *const c_void;
    let broken = Cann::from_table([(c"aclrtSynchronizeStream", lost), (c"aclrtDestroyStream", lost)]);
    // SAFETY: the functions are host-cann's, or have the prototypes of those that they replace.
    let runtime = unsafe { Runtime::from_cann(broken.then(Cann::from_table(host_cann::table()))) }?;
    let stream = runtime.device(0)?.stream()?;
    let raw = stream.as_raw()?;
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
    drop(tensor);
    assert!(matches!(sent.wait(), Err(Error::Unsupported { problem: "the stream is closed", .. })));
    assert_eq!(alive(), (2, 1));

    // The copies, which still run, find valid memory.
    gate.open();
    // SAFETY: host-cann's stream was never destroyed.
    assert!(unsafe { host_cann::c::aclrtSynchronizeStream(raw) }.is_success());
    assert_eq!(alive(), (2, 1));
    Ok(())
}
