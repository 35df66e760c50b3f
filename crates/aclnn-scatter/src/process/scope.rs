//! A CANN, engine or check other than the process's, for calls of one thread.

use core::cell::Cell;

use crate::process::session::Session;
use crate::process::settings::{Check, Engine};

/// The CANN and the settings for the calls made in [`Scope::run`], instead of the process's.
///
/// With it a Rust program can call the functions of [`c`](crate::c) with several CANNs, and choose
/// an engine for each call.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    session: &'static Session,
    engine: Option<Engine>,
    check: Option<Check>,
    negative_strides: bool,
}

thread_local! {
    static CURRENT: Cell<Option<Scope>> = const { Cell::new(None) };
    /// The ticket of the calls that the thread makes now; 0 for none.
    static TICKET: Cell<u64> = const { Cell::new(0) };
}

/// Runs `body` on this thread, and gives its calls this ticket, with which
/// [`take_stream_errors`](crate::take_stream_errors) says which of a stream's calls failed. The
/// tickets of a stream must rise, beginning at 1.
pub fn numbered<R>(ticket: u64, body: impl FnOnce() -> R) -> R {
    /// Restores the outer ticket, also after a panic.
    struct Outer(u64);
    impl Drop for Outer {
        fn drop(&mut self) {
            TICKET.set(self.0);
        }
    }
    let _outer = Outer(TICKET.replace(ticket));
    body()
}

/// The ticket of the thread's calls, 0 for none.
pub(crate) fn ticket() -> u64 {
    TICKET.get()
}

/// Restores the outer scope, also after a panic.
struct Outer(Option<Scope>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

impl Scope {
    /// A scope for calls with the CANN of this session.
    #[must_use]
    pub const fn new(session: &'static Session) -> Self {
        Self { session, engine: None, check: None, negative_strides: false }
    }

    /// The same scope with this engine instead of the process's.
    #[must_use]
    pub const fn engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// The same scope with this check instead of the process's.
    #[must_use]
    pub const fn check(self, check: Check) -> Self {
        Self { check: Some(check), ..self }
    }

    /// The same scope, in which tensors may have negative strides, which CANN's operators refuse.
    #[must_use]
    pub const fn negative_strides(self) -> Self {
        Self { negative_strides: true, ..self }
    }

    /// Runs `body` on this thread with the scope's session and settings. An inner scope completely
    /// replaces an outer one.
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        let _outer = Outer(CURRENT.replace(Some(self)));
        body()
    }
}

/// The session of the thread's scope.
pub(crate) fn session() -> Option<&'static Session> {
    CURRENT.get().map(|scope| scope.session)
}

/// The engine of the thread's scope.
pub(crate) fn engine() -> Option<Engine> {
    CURRENT.get()?.engine
}

/// The check of the thread's scope.
pub(crate) fn check() -> Option<Check> {
    CURRENT.get()?.check
}

/// Whether tensors may have negative strides in the thread's scope.
pub(crate) fn allows_negative_strides() -> bool {
    CURRENT.get().is_some_and(|scope| scope.negative_strides)
}
