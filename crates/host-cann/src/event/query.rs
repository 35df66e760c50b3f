//! Queries of events.

use aclnn_sys::{
    ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_EVENT_RECORDED_STATUS_COMPLETE,
    ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_STATUS_COMPLETE, ACL_EVENT_STATUS_NOT_READY,
    ACL_EVENT_WAIT_STATUS_COMPLETE, ACL_EVENT_WAIT_STATUS_NOT_READY, aclrtEvent, aclrtEventRecordedStatus,
    aclrtEventStatus, aclrtEventWaitStatus,
};
use std::time::Instant;

use super::{EPOCH, Event, find};
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::sync::lock;

/// Returns whether an event's record has come; the older form.
pub(crate) fn status(event: aclrtEvent, status: Out<aclrtEventStatus>) -> Fallible {
    let event = find(event)?;
    let status = status.required()?;
    check_plain(&event, "aclrtQueryEvent")?;
    let state = lock(&event.state);
    status.put(if state.has_come() { ACL_EVENT_STATUS_COMPLETE } else { ACL_EVENT_STATUS_NOT_READY });
    Ok(())
}

/// Returns whether an event's record has come. One that was never recorded counts as complete if it
/// is extended, and otherwise not.
pub(crate) fn recorded(event: aclrtEvent, status: Out<aclrtEventRecordedStatus>) -> Fallible {
    let event = find(event)?;
    let status = status.required()?;
    let state = lock(&event.state);
    let come = state.has_come() || (event.extended && !state.has_record());
    status.put(if come { ACL_EVENT_RECORDED_STATUS_COMPLETE } else { ACL_EVENT_RECORDED_STATUS_NOT_READY });
    Ok(())
}

/// Returns whether a stream waits for an event.
pub(crate) fn waited_for(event: aclrtEvent, status: Out<aclrtEventWaitStatus>) -> Fallible {
    let event = find(event)?;
    let status = status.required()?;
    check_plain(&event, "aclrtQueryEventWaitStatus")?;
    let waits = lock(&event.state).waits > 0;
    status.put(if waits { ACL_EVENT_WAIT_STATUS_NOT_READY } else { ACL_EVENT_WAIT_STATUS_COMPLETE });
    Ok(())
}

fn check_plain(event: &Event, function: &str) -> Fallible {
    ensure!(
        !event.extended,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "{function} takes no event of aclrtCreateEventExWithFlag"
    );
    Ok(())
}

/// The milliseconds between two events.
pub(crate) fn elapsed(milliseconds: Out<f32>, start: aclrtEvent, end: aclrtEvent) -> Fallible {
    let out = milliseconds.required()?;
    let (start, end) = (time(&*find(start)?, "startEvent")?, time(&*find(end)?, "endEvent")?);
    let elapsed = end
        .checked_duration_since(start)
        .ok_or_else(|| failure!(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "endEvent came before startEvent"))?;
    out.put(elapsed.as_secs_f32() * 1e3);
    Ok(())
}

/// When an event's record was reached, in microseconds since a moment before all events.
pub(crate) fn timestamp(event: aclrtEvent, microseconds: Out<u64>) -> Fallible {
    let out = microseconds.required()?;
    let time = time(&*find(event)?, "event")?;
    out.put(u64::try_from(time.saturating_duration_since(*EPOCH).as_micros()).unwrap_or(u64::MAX));
    Ok(())
}

fn time(event: &Event, name: &str) -> Fallible<Instant> {
    let state = lock(&event.state);
    let of_latest = |(record, time)| (record == state.latest()).then_some(time);
    state.time.and_then(of_latest).ok_or_else(|| {
        failure!(
            ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
            "{name} has no time: it was not recorded, has not come, was dropped, or was made without ACL_EVENT_TIME_LINE"
        )
    })
}
