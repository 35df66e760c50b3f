//! Streams, and functions of the host in them.

use core::ffi::c_void;

use aclnn_sys::{
    AclError, aclmdlRI, aclmdlRICaptureStatus, aclrtCallback, aclrtCallbackBlockType, aclrtCmoType,
    aclrtExceptionInfo, aclrtExceptionInfoCallback, aclrtHostFunc, aclrtStream, aclrtStreamAttr,
    aclrtStreamAttrValue, aclrtStreamStatus,
};

use crate::entry::entry;
use crate::memory::info;
use crate::stream::{self, HostFunction, limit, state};
use crate::{callback, exception};

entry! {
    fn aclrtCreateStream(#[out] stream: *mut aclrtStream) -> AclError => stream::create(stream, 0, 0);
    fn aclrtCreateStreamWithConfig(#[out] stream: *mut aclrtStream, priority: u32, flag: u32)
        -> AclError => stream::create(stream, priority, flag);
    fn aclrtDestroyStream(stream: aclrtStream) -> AclError => stream::destroy(stream, false);
    fn aclrtDestroyStreamForce(stream: aclrtStream) -> AclError => stream::destroy(stream, true);
    fn aclrtSynchronizeStream(stream: aclrtStream) -> AclError => state::synchronize(stream, -1);
    fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32)
        -> AclError => state::synchronize(stream, timeout);
    fn aclrtStreamQuery(stream: aclrtStream, #[out] status: *mut aclrtStreamStatus)
        -> AclError => state::query(stream, status);
    fn aclrtStreamAbort(stream: aclrtStream) -> AclError => state::abort(stream);
    fn aclrtStreamGetId(stream: aclrtStream, #[out] streamId: *mut i32) -> AclError => state::id(stream, streamId);
    fn aclrtDeviceGetStreamPriorityRange(#[out] leastPriority: *mut i32, #[out] greatestPriority: *mut i32)
        -> AclError => state::priorities(leastPriority, greatestPriority);
    fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> AclError => stream::set_failure_mode(stream, mode);
    fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32)
        -> AclError => stream::set_overflow_switch(stream, flag);
    fn aclrtGetStreamOverflowSwitch(stream: aclrtStream, #[out] flag: *mut u32)
        -> AclError => stream::overflow_switch(stream, flag);
    fn aclrtSetStreamAttribute(stream: aclrtStream, stmAttrType: aclrtStreamAttr, value: *mut aclrtStreamAttrValue)
        -> AclError => {
        // SAFETY: the caller guarantees that the value is null, or has the field that the attribute
        // names.
        unsafe { stream::set_attribute(stream, stmAttrType, value) }
    };
    fn aclrtGetStreamAttribute(
        stream: aclrtStream,
        stmAttrType: aclrtStreamAttr,
        #[out] value: *mut aclrtStreamAttrValue,
    ) -> AclError => stream::get_attribute(stream, stmAttrType, value);
    fn aclrtLaunchHostFunc(stream: aclrtStream, fn_: aclrtHostFunc, args: *mut c_void)
        -> AclError => state::launch(stream, HostFunction::new(fn_, None, args)?);
    fn aclrtLaunchCallback(
        fn_: aclrtCallback,
        userData: *mut c_void,
        blockType: aclrtCallbackBlockType,
        stream: aclrtStream,
    ) -> AclError => callback::launch(HostFunction::new(fn_, None, userData)?, blockType, stream);
    fn aclrtSubscribeReport(threadId: u64, stream: aclrtStream)
        -> AclError => callback::REPORTS.subscribe(threadId, stream);
    fn aclrtUnSubscribeReport(threadId: u64, stream: aclrtStream)
        -> AclError => callback::REPORTS.unsubscribe(threadId, stream);
    fn aclrtProcessReport(timeout: i32) -> AclError => callback::REPORTS.process(timeout);
    fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback)
        -> AclError => exception::set_callback(callback);
    fn aclrtGetTaskIdFromExceptionInfo(info: *const aclrtExceptionInfo)
        -> u32 => exception::part(info, |exception| exception.task);
    fn aclrtGetStreamIdFromExceptionInfo(info: *const aclrtExceptionInfo)
        -> u32 => exception::part(info, |exception| exception.stream);
    fn aclrtGetThreadIdFromExceptionInfo(info: *const aclrtExceptionInfo)
        -> u32 => exception::part(info, |exception| exception.thread);
    fn aclrtGetDeviceIdFromExceptionInfo(info: *const aclrtExceptionInfo)
        -> u32 => exception::part(info, |exception| exception.device);
    fn aclrtGetErrorCodeFromExceptionInfo(info: *const aclrtExceptionInfo)
        -> u32 => exception::part(info, |exception| exception.code);
    fn aclrtCmoAsync(src: *mut c_void, size: usize, cmoType: aclrtCmoType, stream: aclrtStream)
        -> AclError => info::cache_in_stream(src, size, cmoType, stream);
    fn aclrtSetOpExecuteTimeOut(timeout: u32) -> AclError => limit::set(u64::from(timeout) * 1_000_000).map(drop);
    fn aclrtSetOpExecuteTimeOutV2(timeout: u64, #[out] actualTimeout: *mut u64) -> AclError => {
        actualTimeout.required()?.put(limit::set(timeout)?);
        Ok(())
    };
    fn aclmdlRICaptureGetInfo(
        stream: aclrtStream,
        #[out] status: *mut aclmdlRICaptureStatus,
        #[out] modelRI: *mut aclmdlRI,
    ) -> AclError => state::capture(stream, status, modelRI);
}
