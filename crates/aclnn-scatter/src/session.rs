//! The CANN that calls work with, and whether it is host-cann.

use core::ffi::{CStr, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use aclnn_sys::{Cann, LoadError, aclrtStream};

use crate::fill::FillScalar;
use crate::host::Host;
use crate::launcher::Launcher;
use crate::scope;

/// A CANN, and host-cann's extension if it is that.
#[derive(Debug)]
pub struct Session {
    pub(crate) cann: Cann,
    host: Option<Host>,
    launcher: OnceLock<Result<Launcher, String>>,
    fill_scalar: OnceLock<Option<FillScalar>>,
}

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

/// Makes this the CANN of the process, in the place of [`Cann::load`]'s. So a Rust program embeds host-cann.
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

/// A session beside the process's, for a [`Scope`](crate::Scope). It stays for ever, as do the libraries that it opens.
#[must_use]
pub fn open(cann: Cann) -> &'static Session {
    // Where a leak checker sees that it is kept on purpose.
    static OPENED: Mutex<Vec<&'static Session>> = Mutex::new(Vec::new());
    let session: &'static Session = Box::leak(Box::new(Session::new(cann)));
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    session
}

/// The session of the thread's scope, or else the process's, begun by the first that asks.
pub(crate) fn session() -> &'static Session {
    scope::session().unwrap_or_else(|| SESSION.get_or_init(|| Session::new(Cann::load())))
}

/// host-cann, if the session has begun and has it.
pub(crate) fn known_host() -> Option<&'static Host> {
    scope::session().or_else(|| SESSION.get()).and_then(Session::host)
}

impl Session {
    fn new(cann: Cann) -> Self {
        // SAFETY: whoever installed this CANN, or set the variables by which it is found, answers for its libraries.
        let host = unsafe { cann.symbol(c"hostcann_extension") }.ok().and_then(|get| {
            // SAFETY: the symbol has this name in host-cann alone, which declares it so.
            unsafe { Host::new(get) }
        });
        Self { cann, host, launcher: OnceLock::new(), fill_scalar: OnceLock::new() }
    }

    /// The CANN.
    #[must_use]
    pub const fn cann(&self) -> &Cann {
        &self.cann
    }

    /// Whether the CANN is host-cann.
    #[must_use]
    pub const fn is_host(&self) -> bool {
        self.host.is_some()
    }

    /// host-cann, if this CANN is that.
    pub(crate) fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// The Ascend C kernels for this CANN, looked for when they are first asked for; or why there are none.
    pub(crate) fn launcher(&self) -> Result<&Launcher, &str> {
        let launcher = self.launcher.get_or_init(|| Launcher::find(&self.cann, self.is_host()));
        launcher.as_ref().map_err(String::as_str)
    }

    /// CANN's own `aclnnInplaceFillScalar`, looked for when it is first asked for.
    pub(crate) fn fill_scalar(&self) -> Option<FillScalar> {
        *self.fill_scalar.get_or_init(|| FillScalar::of(&self.cann))
    }

    /// A stream that is its own key: null stands for the default stream of the thread's context.
    pub(crate) fn resolve(&self, stream: aclrtStream) -> aclrtStream {
        if !stream.is_null() {
            return stream;
        }
        let mut default = stream;
        // SAFETY: a place for the stream is given.
        match unsafe { self.cann.aclrtCtxGetCurrentDefaultStream(&mut default) } {
            Ok(code) if code.is_success() => default,
            _ => stream,
        }
    }

    /// The newest message that CANN has for this thread.
    pub(crate) fn recent_message(&self) -> String {
        // SAFETY: it takes nothing.
        let messages = unsafe { self.cann.aclGetRecentErrMsg() }.unwrap_or(core::ptr::null());
        if messages.is_null() {
            return "CANN says nothing".to_owned();
        }
        // SAFETY: a text of CANN's, which stays until this thread asks again.
        let messages = unsafe { CStr::from_ptr(messages) }.to_string_lossy();
        messages.lines().next().unwrap_or_default().to_owned()
    }

    /// The function of a name in the next library behind this one.
    pub(crate) fn next(&self, name: &CStr, own: *const c_void) -> Result<*const c_void, LoadError> {
        // SAFETY: as in `new`.
        unsafe { self.cann.next_symbol(name, own) }.map(|address| address.as_ptr().cast_const())
    }
}
