//! Attributes of streams.

use aclnn_sys::{
    ACL_CONTINUE_ON_FAILURE, ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_PARAM_INVALID, ACL_STOP_ON_FAILURE, ACL_STREAM_ATTR_FAILURE_MODE,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, ACL_STREAM_ATTR_PRIORITY, ACL_STREAM_ATTR_USER_CUSTOM_TAG,
    aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue,
};

use super::any;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::lock;

/// Sets whether tasks run after a failure. Stopping applies to all streams of the context, and
/// can't be undone.
pub(crate) fn set_failure_mode(stream: aclrtStream, mode: u64) -> Fallible {
    let stop = match mode {
        mode if mode == u64::from(ACL_CONTINUE_ON_FAILURE) => false,
        mode if mode == u64::from(ACL_STOP_ON_FAILURE) => true,
        _ => return Err(failure!(ACL_ERROR_RT_PARAM_INVALID, "failure mode {mode} is unknown")),
    };
    let stream = any(stream)?;
    let mut queue = lock(&stream.queue);
    ensure!(
        stop || !queue.stop_on_failure,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a stream that stops on failure can't be made to go on"
    );
    if stop {
        queue.stop_on_failure = true;
        stream.stop.ask();
    }
    Ok(())
}

/// Sets whether overflows are detected, which is not supported.
pub(crate) fn set_overflow_switch(stream: aclrtStream, flag: u32) -> Fallible {
    ensure!(flag <= 1, ACL_ERROR_INVALID_PARAM, "flag {flag} is neither 0 nor 1");
    any(stream)?;
    ensure!(flag == 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "overflows are not looked for on the CPU");
    Ok(())
}

/// Returns that overflows are not detected.
pub(crate) fn overflow_switch(stream: aclrtStream, flag: Out<u32>) -> Fallible {
    let flag = flag.required()?;
    any(stream)?;
    flag.put(0);
    Ok(())
}

/// Changes an attribute.
///
/// # Safety
/// The value is null or valid, with the field that the attribute names.
pub(crate) unsafe fn set_attribute(
    stream: aclrtStream,
    attribute: aclrtStreamAttr,
    value: *const aclrtStreamAttrValue,
) -> Fallible {
    // SAFETY: the value is null or valid.
    let value =
        unsafe { value.as_ref() }.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "value is null"))?;
    // SAFETY: the valid field of the value is the one that the attribute names.
    unsafe {
        match attribute {
            ACL_STREAM_ATTR_FAILURE_MODE => set_failure_mode(stream, value.failureMode),
            ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => set_overflow_switch(stream, value.overflowSwitch),
            ACL_STREAM_ATTR_USER_CUSTOM_TAG => {
                lock(&any(stream)?.queue).tag = value.userCustomTag;
                Ok(())
            }
            other => Err(unknown(other)),
        }
    }
}

/// Returns an attribute.
pub(crate) fn get_attribute(
    stream: aclrtStream,
    attribute: aclrtStreamAttr,
    value: Out<aclrtStreamAttrValue>,
) -> Fallible {
    let out = value.required()?;
    let stream = any(stream)?;
    // The rest of the union is zero, whichever field is set.
    let mut value = aclrtStreamAttrValue { reserve: [0; 4] };
    let queue = lock(&stream.queue);
    match attribute {
        ACL_STREAM_ATTR_FAILURE_MODE => {
            let stops = queue.stop_on_failure;
            value.failureMode = u64::from(if stops { ACL_STOP_ON_FAILURE } else { ACL_CONTINUE_ON_FAILURE });
        }
        ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => value.overflowSwitch = 0,
        ACL_STREAM_ATTR_USER_CUSTOM_TAG => value.userCustomTag = queue.tag,
        ACL_STREAM_ATTR_PRIORITY => value.streamPriority = stream.priority,
        other => return Err(unknown(other)),
    }
    out.put(value);
    Ok(())
}

fn unknown(attribute: aclrtStreamAttr) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attribute {} of a stream is not supported", attribute.0)
}
