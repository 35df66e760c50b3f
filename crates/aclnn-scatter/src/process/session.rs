//! A CANN that calls use, and what has been found out about it.

use core::ffi::{CStr, c_void};
use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

use aclnn_sys::{ACLNN_ERR_RUNTIME_ERROR, Cann, LoadError, aclrtStream};
use operator_abi::Extension;

use crate::failure::{Failure, ensure};
use crate::process::fill_functions::FillFunctions;
use crate::process::kernels::{self, Launcher};

/// A CANN, with host-cann's extension if it is host-cann.
#[derive(Debug)]
pub struct Session {
    pub(crate) cann: Cann,
    host: Option<Extension>,
    launcher: OnceLock<Result<Launcher, String>>,
    fill: OnceLock<Option<FillFunctions>>,
}

/// A session in addition to the process's, for a [`Scope`](crate::Scope). It is never freed, nor
/// are the libraries that it opens.
#[must_use]
pub fn open(cann: Cann) -> &'static Session {
    // A static, so that leak checkers do not report the session.
    static OPENED: Mutex<Vec<&'static Session>> = Mutex::new(Vec::new());
    let session: &'static Session = Box::leak(Box::new(Session::new(cann)));
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    session
}

impl Session {
    pub(super) fn new(cann: Cann) -> Self {
        let host = Extension::find(&cann);
        Self { cann, host, launcher: OnceLock::new(), fill: OnceLock::new() }
    }

    /// The CANN that the session uses.
    #[must_use]
    pub const fn cann(&self) -> &Cann {
        &self.cann
    }

    /// Whether the CANN is host-cann.
    #[must_use]
    pub const fn is_host(&self) -> bool {
        self.host.is_some()
    }

    /// host-cann's extension, if the CANN is host-cann.
    pub(crate) fn host(&self) -> Option<&Extension> {
        self.host.as_ref()
    }

    /// The Ascend C kernels for this CANN, or a message that says why there are none. The first
    /// call for which CANN names the processor looks for them.
    pub(crate) fn launcher(&self) -> Result<&Launcher, Cow<'_, str>> {
        let launcher = match self.launcher.get() {
            Some(launcher) => launcher,
            None => {
                // This failure is not kept: CANN may name the processor to a later call, as to one
                // with a context.
                let soc = kernels::soc_name(&self.cann).map_err(Cow::Owned)?;
                self.launcher.get_or_init(|| Launcher::find(&soc, self.is_host()))
            }
        };
        launcher.as_ref().map_err(|why| why.as_str().into())
    }

    /// CANN's own `aclnnInplaceFillScalar`, which the first call looks for.
    pub(crate) fn fill_functions(&self) -> Option<FillFunctions> {
        *self.fill.get_or_init(|| FillFunctions::of(&self.cann))
    }

    /// Replaces a null stream by the default stream of the thread's context, so that a stream has
    /// only one handle, by which it can be looked up.
    pub(crate) fn resolve(&self, stream: aclrtStream) -> aclrtStream {
        if !stream.is_null() {
            return stream;
        }
        let mut default = stream;
        // SAFETY: `default` is a live local, to which CANN writes the stream.
        match unsafe { self.cann.aclrtCtxGetCurrentDefaultStream(&mut default) } {
            Ok(code) if code.is_success() => default,
            _ => stream,
        }
    }

    /// Waits for a stream.
    pub(crate) fn synchronize(&self, stream: aclrtStream) -> Result<(), Failure> {
        // SAFETY: the stream was just given to a call of the same CANN, which looks it up.
        let waited = unsafe { self.cann.aclrtSynchronizeStream(stream) }?;
        ensure!(
            waited.is_success(),
            ACLNN_ERR_RUNTIME_ERROR,
            "stream: aclrtSynchronizeStream returned {waited}"
        );
        Ok(())
    }

    /// The first line, which is the newest, of CANN's messages for this thread.
    pub(crate) fn recent_message(&self) -> String {
        operator_abi::recent_message(&self.cann)
    }

    /// The function of this name in the next library after the one that contains `own`.
    pub(crate) fn next(&self, name: &CStr, own: *const c_void) -> Result<*const c_void, LoadError> {
        // SAFETY: only the address is taken; the libraries may be opened, as in `new`.
        unsafe { self.cann.next_symbol(name, own) }.map(|address| address.as_ptr().cast_const())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ffi::c_char;
    use core::sync::atomic::{AtomicBool, Ordering};

    use aclnn_sys::prototypes;

    static IS_KNOWN: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" fn soc() -> *const c_char {
        if IS_KNOWN.load(Ordering::Relaxed) { c"Chip".as_ptr() } else { core::ptr::null() }
    }

    #[test]
    fn a_processor_that_cann_names_later_is_asked_for_again() {
        let table = [(c"aclrtGetSocName", soc as prototypes::aclrtGetSocName as *const c_void)];
        let session = open(Cann::from_table(table));
        assert_eq!(session.launcher().unwrap_err(), "aclrtGetSocName names no processor");
        IS_KNOWN.store(true, Ordering::Relaxed);
        assert_eq!(session.launcher().unwrap_err(), "no kernels are planned for \"Chip\"");
    }
}
