//! The CANN of the process, with host-cann's extension.

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::OnceLock;

use aclnn_sys::{
    ACLNN_ERR_INNER_CREATE_EXECUTOR, ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_RUNTIME_ERROR, AclError,
    AclnnStatus, Cann, aclDataType, aclIntArray, aclOpExecutor, aclScalar, aclTensor, aclTensorList,
    aclrtStream, hostcannExecutorCalls, hostcannRange,
};
use operator_abi::{AlreadyInstalled, Extension, c_string};

use crate::failure::{Failure, ensure, failure};

static CANN: OnceLock<(Cann, Option<Extension>)> = OnceLock::new();

/// host-cann, with its extension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    pub(crate) cann: &'static Cann,
    extension: &'static Extension,
}

fn with_extension(cann: Cann) -> (Cann, Option<Extension>) {
    let extension = Extension::find(&cann);
    (cann, extension)
}

/// Makes this the CANN of the process, instead of the one that [`Cann::load`] finds. A Rust program
/// can embed host-cann in this way.
///
/// # Errors
/// [`AlreadyInstalled`] if the process has a CANN already.
pub fn install(cann: Cann) -> Result<(), AlreadyInstalled> {
    CANN.set(with_extension(cann)).map_err(|_| AlreadyInstalled)
}

/// The CANN of the process, which must be host-cann.
///
/// # Errors
/// 561003 with another CANN, whose own operators are to be used.
pub(crate) fn host() -> Result<Host, Failure> {
    let (cann, extension) = CANN.get_or_init(|| with_extension(Cann::load()));
    let extension = extension.as_ref().ok_or_else(|| {
        failure!(
            ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            "this operator computes on host-cann only, and the process has another CANN, or one that hides its extension"
        )
    })?;
    Ok(Host { cann, extension })
}

/// Keeps a message for the thread's `aclGetRecentErrMsg`, if the process has a host-cann already.
pub(crate) fn note_error(message: &str) {
    if let Some((_, Some(extension))) = CANN.get() {
        extension.note_error(&c_string(message));
    }
}

impl Host {
    /// Makes CANN's executor functions work with an executor of this crate.
    ///
    /// # Safety
    /// The handle is that of a live executor, until [`Host::unregister`].
    pub(crate) unsafe fn register(
        self,
        executor: *mut aclOpExecutor,
        calls: &'static hostcannExecutorCalls,
    ) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that the executor lives until it is unregistered.
        let status = unsafe { self.extension.register(executor, calls) };
        ensure!(status.is_success(), ACLNN_ERR_INNER_CREATE_EXECUTOR, "{}", self.recent_message());
        Ok(())
    }

    /// Undoes [`Host::register`].
    pub(crate) fn unregister(self, executor: *mut aclOpExecutor) {
        self.extension.unregister(executor);
    }

    /// Lets a stream call `run` with `argument`, or `dropped` if it drops the work. Exactly one of
    /// them has been or will be called, whatever this returns.
    ///
    /// # Safety
    /// Either function may be called once with the argument, from any thread.
    pub(crate) unsafe fn launch(
        self,
        stream: aclrtStream,
        run: unsafe extern "C" fn(*mut c_void),
        dropped: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: the caller guarantees that either function may be called once with the argument,
        // from any thread.
        let launched = unsafe { self.extension.launch(stream, run, dropped, argument) };
        ensure!(launched.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: {}", self.recent_message());
        Ok(())
    }

    /// Lets host-cann hold memory for the host function that calls this, as
    /// [`Extension::hold_memory`] says. If a device could not access all of it, the stream has
    /// failed, and this returns its code.
    ///
    /// # Safety
    /// The names of the arguments in `ranges` are C strings.
    pub(crate) unsafe fn hold(self, operator: &str, ranges: &mut [hostcannRange]) -> Result<(), AclError> {
        // SAFETY: the caller guarantees that the names of the arguments are C strings.
        let held = unsafe { self.extension.hold_memory(&c_string(operator), ranges) };
        if held.is_success() { Ok(()) } else { Err(held) }
    }

    /// Fails the stream whose host function is running.
    pub(crate) fn fail_stream(self, code: AclError, message: &str) {
        self.extension.fail_stream(null_mut(), code, &c_string(message));
    }

    /// A scalar's dtype and bytes.
    ///
    /// # Safety
    /// `scalar` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_scalar(
        self,
        scalar: *const aclScalar,
    ) -> Result<(aclDataType, [u8; 16]), Failure> {
        // SAFETY: the caller guarantees a scalar of host-cann's, or no valid address.
        unsafe { self.extension.read_scalar(scalar) }.map_err(|status| self.refused(status))
    }

    /// The tensors of a list, which may be null.
    ///
    /// # Safety
    /// `list` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_list(
        self,
        list: *const aclTensorList,
    ) -> Result<Vec<*const aclTensor>, Failure> {
        let mut size = 0;
        // SAFETY: the caller guarantees that host-cann may look up the list; the size is a local.
        self.checked(unsafe { self.cann.aclGetTensorListSize(list, &raw mut size) }?)?;
        // SAFETY: the caller guarantees a list of host-cann's, or no valid address.
        let at = |place| unsafe { self.extension.read_list(list, place) };
        (0..size).map(at).collect::<Result<_, _>>().map_err(|status| self.refused(status))
    }

    /// The numbers of an array.
    ///
    /// # Safety
    /// `array` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_integers(self, array: *const aclIntArray) -> Result<Vec<i64>, Failure> {
        let mut size = 0;
        // SAFETY: the caller guarantees that host-cann may look up the array; the size is a local.
        self.checked(unsafe { self.cann.aclGetIntArraySize(array, &raw mut size) }?)?;
        // SAFETY: the caller guarantees an array of host-cann's, or no valid address.
        let at = |place| unsafe { self.extension.read_integer(array, place) };
        (0..size).map(at).collect::<Result<_, _>>().map_err(|status| self.refused(status))
    }

    /// Turns the status of one of CANN's functions into a result, with CANN's message.
    pub(crate) fn checked(self, status: AclnnStatus) -> Result<(), Failure> {
        if status.is_success() { Ok(()) } else { Err(self.refused(status)) }
    }

    /// The failure for a status of one of CANN's functions, with CANN's message.
    fn refused(self, status: AclnnStatus) -> Failure {
        failure!(status, "{}", self.recent_message())
    }

    /// The first line, which is the newest, of CANN's messages for this thread.
    pub(crate) fn recent_message(self) -> String {
        operator_abi::recent_message(self.cann)
    }
}
