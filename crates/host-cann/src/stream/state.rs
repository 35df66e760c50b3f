//! Waiting for streams and querying their state.

use core::ffi::CStr;
use std::sync::Arc;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_STREAM_ABORT, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
    ACL_MODEL_RI_CAPTURE_STATUS_NONE, ACL_STREAM_STATUS_COMPLETE, ACL_STREAM_STATUS_NOT_READY, AclError,
    aclmdlRI, aclmdlRICaptureStatus, aclrtStream, aclrtStreamStatus,
};

use super::{HostFunction, LOWEST_PRIORITY, Stream, Task, any, of_current, worker};
use crate::context;
use crate::entry::Out;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::fault::{self, Action};
use crate::memory::hold::{self, Range};
use crate::sync::deadline;

/// Waits for a stream for at most `milliseconds` milliseconds; -1 means without limit.
pub(crate) fn synchronize(stream: aclrtStream, milliseconds: i32) -> Fallible {
    let end = deadline(milliseconds)?;
    of_current(stream, &*context::current()?)?.synchronize(end)
}

/// Returns whether a stream has work left; a failure is kept for the synchronisation.
pub(crate) fn query(stream: aclrtStream, status: Out<aclrtStreamStatus>) -> Fallible {
    let status = status.required()?;
    let idle = of_current(stream, &*context::current()?)?.is_idle();
    status.put(if idle { ACL_STREAM_STATUS_COMPLETE } else { ACL_STREAM_STATUS_NOT_READY });
    Ok(())
}

/// Drops a stream's work.
pub(crate) fn abort(stream: aclrtStream) -> Fallible {
    ensure!(!stream.is_null(), ACL_ERROR_INVALID_PARAM, "stream is null");
    any(stream)?.abort(ACL_ERROR_RT_STREAM_ABORT);
    Ok(())
}

/// Enqueues a call of a function in a stream.
pub(crate) fn launch(stream: aclrtStream, function: HostFunction) -> Fallible {
    let fault = fault::before(Action::Task);
    let stream = of_current(stream, &*context::current()?)?;
    let task = match fault {
        Err(fault) => Task::Fail(function, fault),
        Ok(()) => Task::Call(function),
    };
    stream.submit(task).map(drop)
}

/// Returns a stream's number.
pub(crate) fn id(stream: aclrtStream, id: Out<i32>) -> Fallible {
    let id = id.required()?;
    id.put(any(stream)?.id());
    Ok(())
}

/// Returns the lowest and the highest priority that a stream can have; either may be left out.
pub(crate) fn priorities(lowest: Out<i32>, highest: Out<i32>) -> Fallible {
    if let Some(lowest) = lowest.optional() {
        lowest.put(i32::try_from(LOWEST_PRIORITY).unwrap_or(i32::MAX));
    }
    if let Some(highest) = highest.optional() {
        highest.put(0);
    }
    Ok(())
}

/// Fails a stream: that of a handle, or for null the stream whose host function is calling.
pub(crate) fn fail(stream: aclrtStream, code: AclError, message: &str) -> Fallible {
    ensure!(!code.is_success(), ACL_ERROR_INVALID_PARAM, "a stream does not fail with success");
    // The stream of a host function may be ending, so that its handle is no longer known.
    let found = match calling(stream) {
        Some(found) => found,
        None if stream.is_null() => return Err(no_host_function()),
        None => any(stream)?,
    };
    found.fail(failure!(code, "{message}"), worker::running());
    Ok(())
}

/// The stream whose host function is calling, if the handle is that stream's or null.
fn calling(stream: aclrtStream) -> Option<Arc<Stream>> {
    (stream.is_null() || stream.addr() == worker::inside()).then(worker::stream_inside).flatten()
}

fn no_host_function() -> Failure<AclError> {
    failure!(ACL_ERROR_INVALID_PARAM, "the caller is no stream's host function, or another's")
}

/// Holds memory for the operator whose host function is calling; where its device can't access all
/// of it, the stream fails.
pub(crate) fn hold<'a>(
    stream: aclrtStream,
    operator: &CStr,
    ranges: impl Iterator<Item = Range<'a>>,
) -> Fallible {
    let stream = calling(stream).ok_or_else(no_host_function)?;
    hold::hold(stream.device(), ranges).map_err(|reason| {
        let failure = || {
            let operator = operator.to_string_lossy();
            failure!(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "{operator}: {reason}")
        };
        stream.fail(failure(), worker::running());
        failure()
    })
}

/// Returns that nothing is being captured: capturing is not supported.
pub(crate) fn capture(
    stream: aclrtStream,
    status: Out<aclmdlRICaptureStatus>,
    graph: Out<aclmdlRI>,
) -> Fallible {
    let status = status.required()?;
    any(stream)?;
    status.put(ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    if let Some(graph) = graph.optional() {
        graph.put(core::ptr::null_mut());
    }
    Ok(())
}
