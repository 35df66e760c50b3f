//! Events.

use aclnn_sys::{
    AclError, aclrtEvent, aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus, aclrtStream,
};

use crate::entry::entry;
use crate::event::{self, query};

entry! {
    fn aclrtCreateEvent(#[out] event: *mut aclrtEvent) -> AclError => event::create(event, None, false);
    fn aclrtCreateEventWithFlag(#[out] event: *mut aclrtEvent, flag: u32)
        -> AclError => event::create(event, Some(flag), false);
    fn aclrtCreateEventExWithFlag(#[out] event: *mut aclrtEvent, flag: u32)
        -> AclError => event::create(event, Some(flag), true);
    fn aclrtDestroyEvent(event: aclrtEvent) -> AclError => event::destroy(event);
    fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> AclError => event::record(event, stream);
    fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> AclError => event::reset(event, stream);
    fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent)
        -> AclError => event::stream_wait(stream, event);
    fn aclrtQueryEvent(event: aclrtEvent, #[out] status: *mut aclrtEventStatus)
        -> AclError => query::status(event, status);
    fn aclrtQueryEventStatus(event: aclrtEvent, #[out] status: *mut aclrtEventRecordedStatus)
        -> AclError => query::recorded(event, status);
    fn aclrtQueryEventWaitStatus(event: aclrtEvent, #[out] status: *mut aclrtEventWaitStatus)
        -> AclError => query::waited_for(event, status);
    fn aclrtSynchronizeEvent(event: aclrtEvent) -> AclError => event::synchronize(event, -1);
    fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32)
        -> AclError => event::synchronize(event, timeout);
    fn aclrtEventElapsedTime(#[out] ms: *mut f32, startEvent: aclrtEvent, endEvent: aclrtEvent)
        -> AclError => query::elapsed(ms, startEvent, endEvent);
    fn aclrtEventGetTimestamp(event: aclrtEvent, #[out] timestamp: *mut u64)
        -> AclError => query::timestamp(event, timestamp);
    fn aclrtSetOpWaitTimeout(timeout: u32) -> AclError => event::set_wait_timeout(timeout);
}
