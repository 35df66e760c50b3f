//! The session and settings of the current call: those of the thread's scope, or else the
//! process's.

use std::sync::OnceLock;

use aclnn_sys::Cann;
use operator_abi::{AlreadyInstalled, Extension};

use crate::failure::Failure;
use crate::process::scope;
use crate::process::session::Session;
use crate::process::settings::{self, Check, Engine};

static SESSION: OnceLock<Session> = OnceLock::new();

/// Makes this the CANN of the process, instead of the one that [`Cann::load`] finds. A Rust program
/// can embed host-cann in this way.
///
/// ```
/// use aclnn_scatter::{install, sys::Cann};
///
/// // A CANN without functions: every call fails, and says what is missing.
/// install(Cann::from_table([])).unwrap();
/// assert!(install(Cann::load()).is_err());
/// ```
///
/// # Errors
/// [`AlreadyInstalled`] if the process has a CANN already.
pub fn install(cann: Cann) -> Result<(), AlreadyInstalled> {
    let mut cann = Some(cann);
    let mut installed = false;
    SESSION.get_or_init(|| {
        installed = true;
        Session::new(cann.take().unwrap_or_else(Cann::load))
    });
    if installed { Ok(()) } else { Err(AlreadyInstalled) }
}

/// The CANN that the operators use: that of the thread's [`Scope`](crate::Scope), or else the
/// process's, which is the installed one or, from now on, the one that [`Cann::load`] finds.
pub fn cann() -> &'static Cann {
    &session().cann
}

/// The session of the thread's scope, or else the process's, which the first call makes.
pub(crate) fn session() -> &'static Session {
    scope::session().unwrap_or_else(|| SESSION.get_or_init(|| Session::new(Cann::load())))
}

/// host-cann's extension, if the session exists already and its CANN is host-cann.
pub(crate) fn known_host() -> Option<&'static Extension> {
    scope::session().or_else(|| SESSION.get()).and_then(Session::host)
}

/// The engine of the current call; fails if the environment variable has an unknown value.
pub(crate) fn engine() -> Result<Engine, Failure> {
    scope::engine().map_or_else(settings::engine, Ok)
}

/// How the current call reports an index out of range; fails if the environment variable has an
/// unknown value.
pub(crate) fn check() -> Result<Check, Failure> {
    scope::check().map_or_else(settings::check, Ok)
}
