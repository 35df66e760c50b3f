//! What a stream does.

use core::ffi::c_void;
use std::sync::Arc;

use aclnn_sys::{ACL_ERROR_RT_STREAM_ABORT, AclError};

use super::{Stream, limit};
use crate::callback::{Letter, Mailbox};
use crate::event::{Event, Waiter};
use crate::failure::{Fallible, ensure};
use crate::memory::copy::Copy;
use crate::memory::set::Fill;

/// What a host function is called with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument(pub(crate) *mut c_void);

// SAFETY: whoever launches a host function gives its argument to the thread that calls it.
unsafe impl Send for Argument {}

/// A function of the program's.
pub(crate) type Function = unsafe extern "C" fn(*mut c_void);

/// What a stream does.
#[derive(Debug)]
pub(crate) enum Task {
    /// Calls a function on the stream's own thread.
    Call(Function, Argument),
    /// Has a function called by a thread that asks for it, and waits for that if `true`.
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
    pub(super) fn run(self, stream: &Stream) -> Fallible {
        match self {
            Self::Call(function, Argument(argument)) => {
                let watch = limit::Watch::start();
                // SAFETY: the program asked for this call, with this argument, from another thread.
                unsafe { function(argument) };
                watch.check()
            }
            Self::Post(mailbox, letter, wait) => {
                let receipt = mailbox.deliver(letter);
                if !wait {
                    return Ok(());
                }
                let aborts = stream.aborts();
                let read = receipt.wait(&|| stream.aborts() != aborts);
                ensure!(
                    read,
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
                let aborts = stream.aborts();
                waiter.wait(&|| stream.aborts() != aborts)
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
