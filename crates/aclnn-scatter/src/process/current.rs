//! What holds for the call that is made now: the thread's scope, or else the process.

use std::sync::OnceLock;

use aclnn_sys::Cann;

use crate::failure::Failure;
use crate::process::host_extension::Host;
use crate::process::scope;
use crate::process::session::Session;
use crate::process::settings::{self, Check, Engine};

static SESSION: OnceLock<Session> = OnceLock::new();

/// There is a CANN already: one was installed before, or an operator has been called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyInstalled;

impl core::fmt::Display for AlreadyInstalled {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the process has a CANN already; install one before the first call of an operator")
    }
}

impl core::error::Error for AlreadyInstalled {}

/// Makes this the CANN of the process, in the place of [`Cann::load`]'s. So a Rust program embeds
/// host-cann.
///
/// ```
/// use aclnn_scatter::{install, sys::Cann};
///
/// // This one has no function, so that every call tells what is missing.
/// install(Cann::from_table([])).unwrap();
/// assert!(install(Cann::load()).is_err());
/// ```
///
/// # Errors
/// [`AlreadyInstalled`]: it is too late.
pub fn install(cann: Cann) -> Result<(), AlreadyInstalled> {
    let mut cann = Some(cann);
    let mut installed = false;
    SESSION.get_or_init(|| {
        installed = true;
        Session::new(cann.take().unwrap_or_else(Cann::load))
    });
    if installed { Ok(()) } else { Err(AlreadyInstalled) }
}

/// The CANN that the operators use: the installed one, or [`Cann::load`]'s from now on.
pub fn cann() -> &'static Cann {
    &session().cann
}

/// The session of the thread's scope, or else the process's, begun by the first that asks.
pub(crate) fn session() -> &'static Session {
    scope::session().unwrap_or_else(|| SESSION.get_or_init(|| Session::new(Cann::load())))
}

/// host-cann, if the session has begun and has it.
pub(crate) fn known_host() -> Option<&'static Host> {
    scope::session().or_else(|| SESSION.get()).and_then(Session::host)
}

/// The chosen engine; a value of the variable that does not exist is an error of every call.
pub(crate) fn engine() -> Result<Engine, Failure> {
    scope::engine().map_or_else(settings::engine, Ok)
}

/// How a bad index comes back; a value of the variable that does not exist is an error of every
/// call.
pub(crate) fn check() -> Result<Check, Failure> {
    scope::check().map_or_else(settings::check, Ok)
}
