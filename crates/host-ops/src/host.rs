//! The CANN of the process, with host-cann's extension.

use core::ffi::{CStr, c_void};
use core::ptr::{null, null_mut};
use std::ffi::CString;
use std::sync::OnceLock;

use aclnn_sys::{
    ACL_ERROR_API_NOT_SUPPORT, ACLNN_ERR_INNER_CREATE_EXECUTOR, ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
    ACLNN_ERR_RUNTIME_ERROR, AclError, AclnnStatus, Cann, HOSTCANN_EXTENSION_VERSION, aclDataType,
    aclIntArray, aclOpExecutor, aclScalar, aclTensor, aclTensorList, aclrtStream, hostcannExecutorCalls,
    hostcannExtension, hostcannGetExtension, hostcannRange,
};

use crate::failure::{Failure, ensure, failure};

static HOST: OnceLock<Host> = OnceLock::new();

/// A CANN, and host-cann's extension if it is host-cann.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) cann: Cann,
    extension: Option<&'static hostcannExtension>,
}

/// The process has a CANN already: one was installed before, or an operator has been called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyInstalled;

impl core::fmt::Display for AlreadyInstalled {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the process has a CANN already; install one before the first call of an operator")
    }
}

impl core::error::Error for AlreadyInstalled {}

/// Makes this the CANN of the process, instead of the one that [`Cann::load`] finds. A Rust program
/// can embed host-cann in this way.
///
/// # Errors
/// [`AlreadyInstalled`] if the process has a CANN already.
pub fn install(cann: Cann) -> Result<(), AlreadyInstalled> {
    HOST.set(Host::new(cann)).map_err(|_| AlreadyInstalled)
}

/// The CANN of the process, which must be host-cann.
///
/// # Errors
/// 561003 with another CANN, whose own operators are to be used.
pub(crate) fn host() -> Result<&'static Host, Failure> {
    let host = HOST.get_or_init(|| Host::new(Cann::load()));
    ensure!(
        host.extension.is_some(),
        ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
        "this operator computes on host-cann only, and the process has another CANN, or one that hides its extension"
    );
    Ok(host)
}

/// Keeps a message for the thread's `aclGetRecentErrMsg`, if the process has a host-cann already.
pub(crate) fn note_error(message: &str) {
    let note = HOST.get().and_then(|host| host.extension).and_then(|extension| extension.noteError);
    if let Some(note) = note {
        let message = c_string(message);
        // SAFETY: the message is a C string, which host-cann copies.
        unsafe { note(message.as_ptr()) }
    }
}

/// A text as a C string. A NUL, which can only come from a caller's text, becomes a blank.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl Host {
    fn new(cann: Cann) -> Self {
        // SAFETY: only the address is taken; whoever installed this CANN, or set the variables with
        // which it is found, guarantees that its libraries may be opened.
        let get = unsafe { cann.symbol(c"hostcann_extension") };
        let extension = get.ok().and_then(|get| {
            // SAFETY: only host-cann has a symbol of this name, and declares it with this type.
            let get: hostcannGetExtension = unsafe { core::mem::transmute(get.as_ptr()) };
            // SAFETY: the function takes no argument, and returns null or a table that stays valid
            // and begins with the same two fields in every version.
            let extension = unsafe { get?() };
            if extension.is_null() {
                return None;
            }
            // SAFETY: as above.
            let (version, size) = unsafe { ((*extension).version, (*extension).size as usize) };
            let is_known = version == HOSTCANN_EXTENSION_VERSION && size >= size_of::<hostcannExtension>();
            // SAFETY: the table has at least the size of this type, the same version, and stays
            // valid.
            is_known.then(|| unsafe { &*extension })
        });
        Self { cann, extension }
    }

    /// A function of the extension; 561003 where host-cann has left it out.
    fn function<F>(&self, of: impl FnOnce(&hostcannExtension) -> Option<F>) -> Result<F, Failure> {
        let found = self.extension.and_then(of);
        found.ok_or_else(|| {
            failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "host-cann's extension lacks a function")
        })
    }

    /// Makes CANN's executor functions work with an executor of this crate.
    pub(crate) fn register(
        &self,
        executor: *mut aclOpExecutor,
        calls: &'static hostcannExecutorCalls,
    ) -> Result<(), Failure> {
        let register = self.function(|extension| extension.registerExecutor)?;
        // SAFETY: the handle is that of a live executor of this crate, and the table is static.
        let status = unsafe { register(executor, calls) };
        ensure!(status.is_success(), ACLNN_ERR_INNER_CREATE_EXECUTOR, "{}", self.recent_message());
        Ok(())
    }

    /// Undoes [`Host::register`].
    pub(crate) fn unregister(&self, executor: *mut aclOpExecutor) {
        if let Ok(unregister) = self.function(|extension| extension.unregisterExecutor) {
            // The result says only whether host-cann still knew the executor.
            // SAFETY: any handle may be given: host-cann looks it up, and never dereferences it.
            let _ = unsafe { unregister(executor) };
        }
    }

    /// Lets a stream call `run` with `argument`, or `dropped` if it drops the work. Exactly one of
    /// them has been or will be called, whatever this returns.
    ///
    /// # Safety
    /// Either function may be called once with the argument, from any thread.
    pub(crate) unsafe fn launch(
        &self,
        stream: aclrtStream,
        run: unsafe extern "C" fn(*mut c_void),
        dropped: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<(), Failure> {
        let launched = match self.function(|extension| extension.launchHostFunc) {
            // SAFETY: host-cann looks up any value of a stream; the caller guarantees that one of
            // the functions may be called with the argument.
            Ok(launch) => unsafe { launch(stream, Some(run), Some(dropped), argument) },
            Err(_) => {
                // SAFETY: the caller allows one call, and `run` has not been called.
                unsafe { dropped(argument) };
                ACL_ERROR_API_NOT_SUPPORT
            }
        };
        ensure!(launched.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: {}", self.recent_message());
        Ok(())
    }

    /// Keeps memory from being freed until the host function that calls this returns, and stores in
    /// each range the address at which the host can access it. If a device could not access all of
    /// the memory, the stream has failed, and this returns false.
    ///
    /// # Safety
    /// The names of the arguments in `ranges` are C strings.
    pub(crate) unsafe fn hold(&self, operator: &str, ranges: &mut [hostcannRange]) -> Result<(), AclError> {
        let Ok(hold) = self.function(|extension| extension.holdMemory) else {
            return Err(ACL_ERROR_API_NOT_SUPPORT);
        };
        let operator = c_string(operator);
        // SAFETY: pointer and length are those of a mutable slice; null stands for the stream whose
        // host function is running; the caller guarantees that the names are C strings.
        let held = unsafe { hold(null_mut(), operator.as_ptr(), ranges.as_mut_ptr(), ranges.len()) };
        if held.is_success() { Ok(()) } else { Err(held) }
    }

    /// Fails the stream whose host function is running.
    pub(crate) fn fail_stream(&self, code: AclError, message: &str) {
        if let Ok(fail) = self.function(|extension| extension.failStream) {
            let message = c_string(message);
            // An error can't be reported to anybody.
            // SAFETY: null stands for the stream whose host function is running; the message is a
            // C string.
            let _ = unsafe { fail(null_mut(), code, message.as_ptr()) };
        }
    }

    /// A scalar's dtype and bytes.
    ///
    /// # Safety
    /// `scalar` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_scalar(
        &self,
        scalar: *const aclScalar,
    ) -> Result<(aclDataType, [u8; 16]), Failure> {
        let read = self.function(|extension| extension.readScalar)?;
        let (mut dtype, mut value) = (aclDataType(-1), [0_u8; 16]);
        // SAFETY: both results are written to live locals, at most `value.len()` bytes to the
        // second; the caller guarantees that host-cann may look up the scalar.
        let status = unsafe { read(scalar, &raw mut dtype, value.as_mut_ptr().cast(), value.len()) };
        self.checked(status)?;
        Ok((dtype, value))
    }

    /// The tensors of a list, which may be null.
    ///
    /// # Safety
    /// `list` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_list(
        &self,
        list: *const aclTensorList,
    ) -> Result<Vec<*const aclTensor>, Failure> {
        let read = self.function(|extension| extension.readTensorList)?;
        let mut size = 0;
        // SAFETY: the caller guarantees that host-cann may look up the list; the size is a local.
        self.checked(unsafe { self.cann.aclGetTensorListSize(list, &raw mut size) }?)?;
        let at = |place| {
            let mut tensor = null();
            // SAFETY: as above.
            self.checked(unsafe { read(list, place, &raw mut tensor) })?;
            Ok(tensor)
        };
        (0..size).map(at).collect()
    }

    /// The numbers of an array.
    ///
    /// # Safety
    /// `array` was made by host-cann, or is any value that is not a valid address.
    pub(crate) unsafe fn read_integers(&self, array: *const aclIntArray) -> Result<Vec<i64>, Failure> {
        let read = self.function(|extension| extension.readIntArray)?;
        let mut size = 0;
        // SAFETY: the caller guarantees that host-cann may look up the array; the size is a local.
        self.checked(unsafe { self.cann.aclGetIntArraySize(array, &raw mut size) }?)?;
        let at = |place| {
            let mut value = 0;
            // SAFETY: as above.
            self.checked(unsafe { read(array, place, &raw mut value) })?;
            Ok(value)
        };
        (0..size).map(at).collect()
    }

    /// Turns the status of one of CANN's functions into a result, with CANN's message.
    pub(crate) fn checked(&self, status: AclnnStatus) -> Result<(), Failure> {
        ensure!(status.is_success(), status, "{}", self.recent_message());
        Ok(())
    }

    /// The first line, which is the newest, of CANN's messages for this thread.
    pub(crate) fn recent_message(&self) -> String {
        // SAFETY: the function takes no argument and has no precondition.
        let messages = unsafe { self.cann.aclGetRecentErrMsg() }.unwrap_or(null());
        if messages.is_null() {
            return "CANN says nothing".to_owned();
        }
        // SAFETY: CANN returns a NUL-terminated text that is valid until this thread asks again; it
        // is copied here.
        let messages = unsafe { CStr::from_ptr(messages) }.to_string_lossy();
        messages.lines().next().unwrap_or_default().to_owned()
    }
}
