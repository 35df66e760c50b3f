//! A CANN that calls work with, and whether it is host-cann.

use core::ffi::{CStr, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use aclnn_sys::{ACLNN_ERR_RUNTIME_ERROR, Cann, LoadError, aclrtStream};

use crate::failure::{Failure, ensure};
use crate::process::fill_functions::FillFunctions;
use crate::process::host_extension::Host;
use crate::process::kernels::Launcher;

/// A CANN, and host-cann's extension if it is that.
#[derive(Debug)]
pub struct Session {
    pub(crate) cann: Cann,
    host: Option<Host>,
    launcher: OnceLock<Result<Launcher, String>>,
    fill: OnceLock<Option<FillFunctions>>,
}

/// A session beside the process's, for a [`Scope`](crate::Scope). It stays for ever, as do the
/// libraries that it opens.
#[must_use]
pub fn open(cann: Cann) -> &'static Session {
    // Where a leak checker sees that it is kept on purpose.
    static OPENED: Mutex<Vec<&'static Session>> = Mutex::new(Vec::new());
    let session: &'static Session = Box::leak(Box::new(Session::new(cann)));
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    session
}

impl Session {
    pub(super) fn new(cann: Cann) -> Self {
        // SAFETY: whoever installed this CANN, or set the variables by which it is found, answers
        // for its libraries.
        let host = unsafe { cann.symbol(c"hostcann_extension") }.ok().and_then(|get| {
            // SAFETY: the symbol has this name in host-cann alone, which declares it so.
            unsafe { Host::new(get) }
        });
        Self { cann, host, launcher: OnceLock::new(), fill: OnceLock::new() }
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

    /// The Ascend C kernels for this CANN, looked for when they are first asked for; or why there
    /// are none.
    pub(crate) fn launcher(&self) -> Result<&Launcher, &str> {
        let launcher = self.launcher.get_or_init(|| Launcher::find(&self.cann, self.is_host()));
        launcher.as_ref().map_err(String::as_str)
    }

    /// CANN's own `aclnnInplaceFillScalar`, looked for when it is first asked for.
    pub(crate) fn fill_functions(&self) -> Option<FillFunctions> {
        *self.fill.get_or_init(|| FillFunctions::of(&self.cann))
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

    /// Waits for a stream.
    pub(crate) fn synchronize(&self, stream: aclrtStream) -> Result<(), Failure> {
        // SAFETY: any stream may be given; it is looked up.
        let waited = unsafe { self.cann.aclrtSynchronizeStream(stream) }?;
        ensure!(
            waited.is_success(),
            ACLNN_ERR_RUNTIME_ERROR,
            "stream: aclrtSynchronizeStream returned {waited}"
        );
        Ok(())
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
