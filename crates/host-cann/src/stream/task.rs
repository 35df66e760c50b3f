//! What a stream does.

use core::ffi::c_void;
use std::sync::Arc;

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_STREAM_ABORT, AclError, aclrtHostFunc};

use super::{Running, limit};
use crate::callback::{Letter, Mailbox};
use crate::event::{Event, Waiter};
use crate::failure::{Fallible, ensure};
use crate::memory::copy::Copy;
use crate::memory::hold;
use crate::memory::set::Fill;

/// A function of the program's, with what it is called with.
///
/// One of an operator library says by a second function what is done in its place when it never will be called. Dropping calls
/// that, so it must not be dropped under a lock.
#[derive(Debug)]
pub(crate) struct HostFunction {
    function: aclrtHostFunc,
    dropped: aclrtHostFunc,
    argument: *mut c_void,
}

// SAFETY: whoever launches a host function gives its argument to the thread that calls it.
unsafe impl Send for HostFunction {}

impl HostFunction {
    /// One that is not null.
    pub(crate) fn new(
        function: aclrtHostFunc,
        dropped: aclrtHostFunc,
        argument: *mut c_void,
    ) -> Fallible<Self> {
        let new = Self { function, dropped, argument };
        ensure!(function.is_some(), ACL_ERROR_INVALID_PARAM, "fn is null");
        Ok(new)
    }

    pub(crate) fn call(mut self) {
        self.dropped = None;
        if let Some(function) = self.function {
            // SAFETY: the program asked for this call, with this argument, from another thread.
            hold::until_done(|| unsafe { function(self.argument) });
        }
    }
}

impl Drop for HostFunction {
    fn drop(&mut self) {
        if let Some(dropped) = self.dropped {
            // SAFETY: the library asked for this call, with this argument, where the function is not called.
            unsafe { dropped(self.argument) };
        }
    }
}

/// What a stream does.
#[derive(Debug)]
pub(crate) enum Task {
    /// Calls a function on the stream's own thread.
    Call(HostFunction),
    /// Has a function called by a thread that asks for it, and waits for that if `true`, unless the stream is aborted.
    Post(Arc<Mailbox>, Letter, bool),
    Copy(Copy),
    Fill(Fill),
    /// Marks a record of an event as come.
    Record(Arc<Event>, u64),
    /// Forgets the records of an event up to one.
    Reset(Arc<Event>, u64),
    Wait(Waiter),
}

impl Task {
    pub(super) fn run(self) -> Fallible {
        match self {
            Self::Call(function) => {
                let watch = limit::Watch::start();
                function.call();
                watch.check()
            }
            Self::Post(mailbox, letter, false) => {
                mailbox.deliver(letter, None);
                Ok(())
            }
            Self::Post(mailbox, letter, true) => {
                let running = Running::now();
                let receipt = mailbox.deliver(letter, Some(running.clone()));
                ensure!(
                    receipt.wait(&|| running.is_aborted()) || running.is_aborted(),
                    ACL_ERROR_RT_STREAM_ABORT,
                    "a callback was not called: nobody asks for it any more"
                );
                Ok(())
            }
            Self::Copy(copy) => copy.run(),
            Self::Fill(fill) => fill.run(),
            Self::Record(event, record) => {
                event.come(record);
                Ok(())
            }
            Self::Reset(event, record) => {
                event.forget(record);
                Ok(())
            }
            Self::Wait(waiter) => {
                let running = Running::now();
                waiter.wait(&|| running.is_aborted())
            }
        }
    }

    /// Ends a task that will not run: nothing may wait for it for ever.
    pub(super) fn discard(self, reason: AclError) {
        if let Self::Record(event, record) = self {
            event.abort(record, reason);
        }
    }
}
