//! Faults that tests ask for: the n-th allocation, copy, host function or thread of a stream that a
//! thread asks for fails, or the thread's device is reset before it.
//!
//! A fault belongs to the thread that asked for it, so that what else the process does is not
//! disturbed, and the same calls always fail at the same place.

use core::cell::Cell;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_DRV_INTERNAL_ERROR,
    ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, AclError, HOSTCANN_FAULT_ALLOCATION,
    HOSTCANN_FAULT_COPY, HOSTCANN_FAULT_RESET, HOSTCANN_FAULT_TASK, HOSTCANN_FAULT_THREAD,
};

use crate::entry::Out;
use crate::failure::{Failure, Fallible, failure};
use crate::{context, device};

/// The actions that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Allocation,
    Copy,
    /// The launch of a host function.
    Task,
    /// The start of a stream's thread.
    Thread,
}

impl Action {
    const fn name(self) -> &'static str {
        match self {
            Self::Allocation => "allocation",
            Self::Copy => "copy",
            Self::Task => "host function",
            Self::Thread => "thread of a stream",
        }
    }

    const fn code(self) -> AclError {
        match self {
            Self::Allocation => ACL_ERROR_RT_MEMORY_ALLOCATION,
            Self::Copy => ACL_ERROR_RT_DRV_INTERNAL_ERROR,
            Self::Task => ACL_ERROR_RT_AICORE_EXCEPTION,
            Self::Thread => ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
        }
    }
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fails(Action),
    /// The device is reset before an action that is not the start of a thread.
    Reset,
}

/// The fault that a thread has asked for.
#[derive(Clone, Copy, Debug)]
struct Fault {
    kind: Kind,
    nth: u64,
    /// How many such actions are left, this one included; 0 once it has happened.
    left: u64,
}

thread_local! {
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Asks for a fault in the place of the thread's last one, and returns whether that has happened.
pub(crate) fn inject(kind: u32, nth: u64, struck: Out<bool>) -> Fallible {
    let kind = match kind {
        HOSTCANN_FAULT_ALLOCATION => Kind::Fails(Action::Allocation),
        HOSTCANN_FAULT_COPY => Kind::Fails(Action::Copy),
        HOSTCANN_FAULT_TASK => Kind::Fails(Action::Task),
        HOSTCANN_FAULT_THREAD => Kind::Fails(Action::Thread),
        HOSTCANN_FAULT_RESET => Kind::Reset,
        unknown => return Err(failure!(ACL_ERROR_INVALID_PARAM, "kind {unknown} is no fault's")),
    };
    let last = FAULT.replace((nth > 0).then_some(Fault { kind, nth, left: nth }));
    if let Some(struck) = struck.optional() {
        struck.put(last.is_some_and(|fault| fault.left == 0));
    }
    Ok(())
}

/// Counts an action of this thread, and fails if it is the one that is to fail.
///
/// No lock may be held, because a device may be reset here; only for the start of a thread it never
/// is.
pub(crate) fn before(action: Action) -> Fallible {
    match strike(action) {
        None => Ok(()),
        Some(Fault { kind: Kind::Reset, .. }) => device::reset(context::current()?.device(), true),
        Some(Fault { nth, .. }) => Err(failed(action, nth)),
    }
}

/// The fault, if it happens at this action.
fn strike(action: Action) -> Option<Fault> {
    // A thread that is ending has no fault any more.
    let mut fault = FAULT.try_with(Cell::get).ok().flatten()?;
    let is_counted = match fault.kind {
        Kind::Fails(wanted) => wanted == action,
        Kind::Reset => action != Action::Thread,
    };
    if !is_counted || fault.left == 0 {
        return None;
    }
    fault.left -= 1;
    FAULT.set(Some(fault));
    (fault.left == 0).then_some(fault)
}

fn failed(action: Action, nth: u64) -> Failure<AclError> {
    failure!(action.code(), "{} {nth} of this thread was to fail: injectFault asked for it", action.name())
}
