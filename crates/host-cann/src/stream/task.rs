//! The tasks of streams.

use core::ffi::c_void;
use std::sync::Arc;

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_STREAM_ABORT, AclError, aclrtHostFunc};

use super::{Running, limit};
use crate::callback::{Mailbox, Request};
use crate::event::{Event, Waiter};
use crate::failure::{Failure, Fallible, ensure};
use crate::memory::copy::Copy;
use crate::memory::hold;
use crate::memory::set::Fill;

/// A function of the program, with its argument.
///
/// One of an operator library has a second function, which is called instead if the first one never
/// will be. Dropping this calls that function, so it must not be dropped under a lock.
#[derive(Debug)]
pub(crate) struct HostFunction {
    function: aclrtHostFunc,
    dropped: aclrtHostFunc,
    argument: *mut c_void,
}

// SAFETY: by the contract of `aclrtLaunchHostFunc` the argument may be used on the thread that
// calls the function.
unsafe impl Send for HostFunction {}

impl HostFunction {
    /// Refuses a null function.
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
            // SAFETY: the program asked for this call, with this argument, on another thread.
            hold::until_done(|| unsafe { function(self.argument) });
        }
    }
}

impl Drop for HostFunction {
    fn drop(&mut self) {
        if let Some(dropped) = self.dropped {
            // SAFETY: the library asked for this call, with this argument, where the function is
            // not called.
            unsafe { dropped(self.argument) };
        }
    }
}

/// A task of a stream.
#[derive(Debug)]
pub(crate) enum Task {
    /// Calls a function on the stream's own thread.
    Call(HostFunction),
    /// Fails, and does not call the function.
    Fail(HostFunction, Failure<AclError>),
    /// Has a subscribed thread call a function, and waits for that if `true`, unless the stream is
    /// aborted before the function has begun.
    Post(Arc<Mailbox>, Request, bool),
    Copy(Copy),
    Fill(Fill),
    /// Marks a record of an event as reached.
    Record(Arc<Event>, u64),
    /// Resets the records of an event up to one.
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
            Self::Fail(function, failure) => {
                drop(function);
                Err(failure)
            }
            Self::Post(mailbox, request, false) => {
                mailbox.deliver(request, None);
                Ok(())
            }
            Self::Post(mailbox, request, true) => {
                let running = Running::now();
                let completion = mailbox.deliver(request, Some(running.clone()));
                ensure!(
                    completion.wait(&|| running.is_aborted()) || running.is_aborted(),
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
}
