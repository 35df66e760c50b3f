//! Waiting for streams and asking how they stand.

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_STREAM_ABORT,
    ACL_MODEL_RI_CAPTURE_STATUS_NONE, ACL_STREAM_STATUS_COMPLETE, ACL_STREAM_STATUS_NOT_READY, aclmdlRI,
    aclmdlRICaptureStatus, aclrtStream, aclrtStreamStatus,
};

use super::{HostFunction, MAX_STREAMS, STREAMS, Task, any, of_current, worker};
use crate::callback;
use crate::context;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::deadline;

/// Waits for a stream for so many milliseconds; -1 is for ever.
pub(crate) fn synchronize(stream: aclrtStream, milliseconds: i32) -> Fallible {
    ensure!(
        milliseconds >= -1 && milliseconds != 0,
        ACL_ERROR_RT_PARAM_INVALID,
        "timeout {milliseconds} is neither -1 nor positive"
    );
    of_current(stream, &*context::current()?)?.synchronize(deadline(milliseconds))
}

/// Tells whether a stream has work left; a failure stays for the synchronisation.
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

/// Calls a function in the stream's order.
pub(crate) fn launch(stream: aclrtStream, function: HostFunction) -> Fallible {
    let stream = of_current(stream, &*context::current()?)?;
    let task = match callback::HOST_FUNCTIONS.of_stream(stream.handle()) {
        Some(mailbox) => Task::Post(mailbox, callback::Letter::new(function), true),
        None => Task::Call(function),
    };
    stream.submit(task).map(drop)
}

/// Tells a stream's number.
pub(crate) fn id(stream: aclrtStream, id: Out<i32>) -> Fallible {
    let id = id.required()?;
    id.put(any(stream)?.id());
    Ok(())
}

/// Tells a stream's priority.
pub(crate) fn priority(stream: aclrtStream, priority: Out<u32>) -> Fallible {
    let priority = priority.required()?;
    priority.put(any(stream)?.priority);
    Ok(())
}

/// Tells a stream's flags.
pub(crate) fn flags(stream: aclrtStream, flags: Out<u32>) -> Fallible {
    let flags = flags.required()?;
    flags.put(any(stream)?.flags);
    Ok(())
}

/// Tells how many more streams can be made on the thread's device.
pub(crate) fn available(count: Out<u32>) -> Fallible {
    let count = count.required()?;
    let device = context::current()?.device();
    let left = MAX_STREAMS.saturating_sub(STREAMS.count(|stream| stream.device() == device));
    count.put(u32::try_from(left).unwrap_or(u32::MAX));
    Ok(())
}

/// Tells the number of the thread's last task.
pub(crate) fn last_task(task: Out<u32>) -> Fallible {
    let task = task.required()?;
    // Numbers wrap as those of a device do.
    task.put((worker::last_task() & u64::from(u32::MAX)) as u32);
    Ok(())
}

/// Fails a stream: the one of a handle, or for null the one that the caller is a host function of.
pub(crate) fn fail(stream: aclrtStream, code: aclnn_sys::AclError, message: &str) -> Fallible {
    ensure!(!code.is_success(), ACL_ERROR_INVALID_PARAM, "a stream does not fail with success");
    // The stream of a host function may be ending, so that its handle is no longer known.
    let found = if stream.is_null() || stream.addr() == worker::inside() {
        let inside = worker::stream_inside();
        inside.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "the caller is no stream's host function"))?
    } else {
        any(stream)?
    };
    found.fail(failure!(code, "{message}"), worker::running());
    Ok(())
}

/// Tells that nothing is captured, because nothing can be.
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
