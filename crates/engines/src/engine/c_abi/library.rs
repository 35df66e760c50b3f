//! The C functions, linked in or from libraries, and the context and streams that calls need.

use core::ffi::CStr;
use core::fmt;
use core::ptr::{null, null_mut};
use std::env;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aclnn_sys::{
    ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_RT_AICPU_EXCEPTION, ACL_SUCCESS, AclError, Cann, LoadError,
    aclnnScatterStatusInfo, aclrtContextOpaque, aclrtStream, aclrtStreamOpaque,
};

use crate::engine::libraries;
use crate::refusal::Message;
use crate::refusal::Refusal;

/// The file name of the operators' library.
const OPERATORS: &str = "libaclnn_scatter.so";

/// The file names of the two libraries.
pub(super) const FILES: [&str; 2] = [OPERATORS, libraries::HOST_CANN];

/// The functions of a CANN and of the operators, with a context. Dropped, it ends its context and
/// its streams, which no call may use then.
pub(super) struct Library {
    name: String,
    cann: Cann,
    context: Handle<aclrtContextOpaque>,
    /// The device whose default context it is; `None` where `open` created the context.
    device: Option<i32>,
    /// Whether the CANN isn't host-cann. Then the kernels compute, and operators report failures by
    /// codes and the stream's status only, without messages.
    is_device: bool,
    /// Streams that no call uses at the moment.
    idle: Mutex<Vec<Handle<aclrtStreamOpaque>>>,
}

/// A handle of the runtime, which this program never dereferences.
struct Handle<T>(*mut T);

// SAFETY: CANN allows its contexts and streams to be used from any thread, and this program never
// dereferences the pointer: it only passes it to CANN.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: see `Send`; a shared `Handle` gives access to the pointer's value only.
unsafe impl<T> Sync for Handle<T> {}

impl Library {
    /// The functions of aclnn-scatter and host-cann that are linked into this program.
    pub(super) fn linked() -> Result<Arc<Self>, String> {
        static LINKED: OnceLock<Result<Arc<Library>, String>> = OnceLock::new();
        let library = LINKED.get_or_init(|| {
            set_environment(None);
            aclnn_scatter::install(Cann::from_table(host_cann::table()))
                .map_err(|error| error.to_string())?;
            Self::open("linked".to_owned(), linked_functions()).map(Arc::new)
        });
        library.clone()
    }

    /// The same functions, with the default context of a device.
    pub(super) fn linked_on(device: i32) -> Result<Self, String> {
        // Makes the operators use host-cann.
        Self::linked()?;
        let (cann, mut context) = (linked_functions(), null_mut());
        // SAFETY: any number may be given, and `context` is valid for a write of the context.
        unsafe {
            succeed(&cann, "aclrtSetDevice", cann.aclrtSetDevice(device))?;
            succeed(&cann, "aclrtGetCurrentContext", cann.aclrtGetCurrentContext(&raw mut context))?;
        }
        let (name, context) = (format!("linked, device {device}"), Handle(context));
        Ok(Self { name, cann, context, device: Some(device), is_device: false, idle: Mutex::default() })
    }

    /// The two libraries of a folder. They stay open until the process ends. Only the first call
    /// opens a folder; later calls return the same libraries, whatever their folder.
    pub(super) fn opened(folder: &Path) -> Result<Arc<Self>, String> {
        static OPENED: OnceLock<Result<Arc<Library>, String>> = OnceLock::new();
        let library = OPENED.get_or_init(|| {
            let [scatter, cann] = FILES.map(|name| libraries::file(folder, name));
            let (scatter, cann) = (scatter?, cann?);
            set_environment(Some(&cann));
            let functions = Cann::load_from(scatter).then(Cann::load_from(cann));
            Self::open(format!("dlopen of {}", folder.display()), functions).map(Arc::new)
        });
        library.clone()
    }

    /// The operators' library of a folder, on the CANN that is installed; `name` describes the
    /// device.
    pub(super) fn installed(folder: &Path, name: &str) -> Result<Arc<Self>, String> {
        static INSTALLED: OnceLock<Result<Arc<Library>, String>> = OnceLock::new();
        let library = INSTALLED.get_or_init(|| {
            let scatter = libraries::file(folder, OPERATORS)?;
            let is_device = !aclnn_scatter::open(Cann::load()).is_host();
            set_environment(None);
            if is_device {
                // SAFETY: engines are made one after the other before any case runs: no other
                // thread reads the environment without std's lock.
                unsafe { env::set_var("ACLNN_SCATTER_ENGINE", "kernel") }
            }
            let functions = Cann::load_from(scatter).then(Cann::load());
            let mut library = Self::open(name.to_owned(), functions)?;
            library.is_device = is_device;
            Ok(Arc::new(library))
        });
        library.clone()
    }

    /// A library of these functions, called `name` in reports.
    pub(super) fn open(name: String, cann: Cann) -> Result<Self, String> {
        let mut context = null_mut();
        // SAFETY: the functions have the signatures that `Cann` declares. `aclInit` accepts null
        // for no configuration, and `context` is valid for a write of the new context.
        unsafe {
            let begun = cann.aclInit(null());
            // An earlier `aclInit` in this process is as good.
            let is_repeated = begun == Ok(ACL_ERROR_REPEAT_INITIALIZE);
            // Called even then, because on an error it fetches and so clears CANN's message, which
            // would otherwise appear with a later failure.
            match succeed(&cann, "aclInit", begun) {
                Err(_) if is_repeated => {}
                outcome => outcome?,
            }
            succeed(&cann, "aclrtCreateContext", cann.aclrtCreateContext(&raw mut context, 0))?;
        }
        let context = Handle(context);
        let library = Self { name, cann, context, device: None, is_device: false, idle: Mutex::default() };
        // The operators choose their CANN at their first call. It is made here, right after the
        // environment variables were set.
        library.status(null_mut()).map_err(|refusal| refusal.to_string())?;
        Ok(library)
    }

    /// The name in reports.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The functions.
    pub(super) fn cann(&self) -> &Cann {
        &self.cann
    }

    /// Whether the CANN is that of a device or a stand-in for one, not host-cann.
    pub(super) fn is_device(&self) -> bool {
        self.is_device
    }

    /// What `aclrtSynchronizeStream` returns after an index out of range. Kernels on a device can't
    /// make their stream fail.
    pub(super) fn bad_index(&self) -> AclError {
        if self.is_device { ACL_SUCCESS } else { ACL_ERROR_RT_AICPU_EXCEPTION }
    }

    /// Makes its context current on this thread.
    pub(super) fn enter(&self) -> Result<(), Refusal> {
        // SAFETY: CANN looks the context up; only the drop ends it, or a reset of its device.
        let set = unsafe { self.cann.aclrtSetCurrentContext(self.context.0) };
        self.succeed("aclrtSetCurrentContext", set)
    }

    /// A stream that no other call uses. This thread must have called `enter`.
    pub(super) fn stream(&self) -> Result<Stream<'_>, Refusal> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(handle) = idle {
            return Ok(Stream { library: self, handle });
        }
        let mut stream = null_mut();
        // SAFETY: `stream` is valid for a write of the new stream.
        let created = unsafe { self.cann.aclrtCreateStream(&raw mut stream) };
        self.succeed("aclrtCreateStream", created)?;
        Ok(Stream { library: self, handle: Handle(stream) })
    }

    /// What `aclnnScatterStreamStatus` reports of a stream.
    pub(super) fn status(&self, stream: aclrtStream) -> Result<aclnnScatterStatusInfo, Refusal> {
        let mut info = aclnnScatterStatusInfo {
            code: aclnn_sys::AclnnStatus(-1),
            rank: u32::MAX,
            position: [-1; 8],
            value: -1,
            size: -1,
            opName: [0; 64],
        };
        // SAFETY: `info` is valid for a write; the function only looks the stream up and never
        // dereferences it.
        let told = unsafe { self.cann.aclnnScatterStreamStatus(stream, &raw mut info) };
        self.succeed("aclnnScatterStreamStatus", told)?;
        Ok(info)
    }

    /// Returns an error unless `code` is success.
    pub(super) fn succeed<C: Into<i32>>(
        &self,
        function: &str,
        code: Result<C, LoadError>,
    ) -> Result<(), Refusal> {
        succeed(&self.cann, function, code).map_err(Refusal::Broken)
    }

    /// The messages of this thread's failures so far, which CANN clears when they are read.
    pub(super) fn messages(&self) -> String {
        messages(&self.cann)
    }

    /// The messages of an operator's failure. `None` where the CANN isn't host-cann, because the
    /// operators can leave no messages there.
    pub(super) fn words(&self) -> Message {
        (!self.is_device).then(|| self.messages())
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // What can't be ended any more, because the device was reset, is gone already.
        let _ = self.enter();
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        for stream in idle.drain(..) {
            // SAFETY: `aclrtCreateStream` made the stream, and no call uses an idle one.
            let _ = unsafe { self.cann.aclrtDestroyStream(stream.0) };
        }
        // SAFETY: `linked_on` has set the device once; `open` created the context, and the current
        // one of a thread may be destroyed.
        let _ = unsafe {
            match self.device {
                Some(device) => self.cann.aclrtResetDevice(device),
                None => self.cann.aclrtDestroyContext(self.context.0),
            }
        };
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A stream that no other call uses. Dropped, it goes back to the idle ones.
pub(super) struct Stream<'a> {
    library: &'a Library,
    handle: Handle<aclrtStreamOpaque>,
}

impl Stream<'_> {
    pub(super) fn raw(&self) -> aclrtStream {
        self.handle.0
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        self.library.idle.lock().unwrap_or_else(PoisonError::into_inner).push(Handle(self.handle.0));
    }
}

/// The functions of aclnn-scatter and host-cann that are linked into this program.
fn linked_functions() -> Cann {
    Cann::from_table(aclnn_scatter::table().chain(host_cann::table()))
}

fn succeed<C: Into<i32>>(cann: &Cann, function: &str, code: Result<C, LoadError>) -> Result<(), String> {
    match code.map(Into::into) {
        Ok(0) => Ok(()),
        Ok(code) => Err(format!("{function} returned {code} ({})", messages(cann))),
        Err(error) => Err(error.to_string()),
    }
}

fn messages(cann: &Cann) -> String {
    // SAFETY: the text is null or a C string that stays valid until this thread's next call of
    // `aclGetRecentErrMsg`; it is copied before that.
    unsafe {
        match cann.aclGetRecentErrMsg() {
            Ok(text) if !text.is_null() => CStr::from_ptr(text).to_string_lossy().into_owned(),
            _ => String::new(),
        }
    }
}

/// Sets the environment variables of the libraries: nothing is printed, bad indices are reported
/// through the stream, and the operators' library finds this CANN.
fn set_environment(cann: Option<&Path>) {
    libraries::silence();
    // SAFETY: engines are made one after the other before any case runs: no other thread reads the
    // environment without std's lock.
    unsafe {
        env::set_var("ACLNN_SCATTER_CHECK", "flag");
        if let Some(cann) = cann {
            env::set_var("ACLNN_LIBRARY_PATH", cann);
        }
    }
}
