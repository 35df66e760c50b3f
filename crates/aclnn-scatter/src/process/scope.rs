//! Another CANN, engine or check than the process's, for the calls of one thread.

use core::cell::Cell;

use crate::process::session::Session;
use crate::process::settings::{Check, Engine};

/// What holds for the calls that [`Scope::run`] makes, in the place of the process's settings.
///
/// So a Rust program calls the functions of [`c`](crate::c) with several CANNs, and chooses an
/// engine for each call.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    session: &'static Session,
    engine: Option<Engine>,
    check: Option<Check>,
}

thread_local! {
    static CURRENT: Cell<Option<Scope>> = const { Cell::new(None) };
    /// The number of the calls that are made now; 0 for none.
    static TICKET: Cell<u64> = const { Cell::new(0) };
}

/// Runs something on this thread whose calls have this number, by which
/// [`take_stream_errors`](crate::take_stream_errors) tells which of a stream's calls failed. The
/// numbers of a stream rise, from 1.
pub fn numbered<R>(ticket: u64, body: impl FnOnce() -> R) -> R {
    /// Ends the number, also where what ran panics.
    struct Outer(u64);
    impl Drop for Outer {
        fn drop(&mut self) {
            TICKET.set(self.0);
        }
    }
    let _outer = Outer(TICKET.replace(ticket));
    body()
}

/// The number of the thread's calls, 0 for none.
pub(crate) fn ticket() -> u64 {
    TICKET.get()
}

/// Ends a scope, also where what ran in it panics.
struct Outer(Option<Scope>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

impl Scope {
    /// Calls with the CANN of this session.
    #[must_use]
    pub const fn new(session: &'static Session) -> Self {
        Self { session, engine: None, check: None }
    }

    /// The same, with this engine instead of the process's.
    #[must_use]
    pub const fn engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// The same, with this check instead of the process's.
    #[must_use]
    pub const fn check(self, check: Check) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Runs something on this thread, whose calls the scope holds for. A scope within a scope is
    /// alone in holding.
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
