//! The C functions, linked in or from libraries, and what of the runtime a call needs.

use core::ffi::CStr;
use core::fmt;
use core::ptr::{null, null_mut};
use std::env;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use aclnn_sys::{
    ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_RT_AICPU_EXCEPTION, ACL_SUCCESS, AclError, Cann, LoadError,
    aclnnScatterStatusInfo, aclrtContextOpaque, aclrtStream, aclrtStreamOpaque,
};

use crate::engine::libraries;
use crate::refusal::Message;
use crate::refusal::Refusal;

/// What the operators' library is called.
const OPERATORS: &str = "libaclnn_scatter.so";

/// What the two libraries are called.
pub(super) const FILES: [&str; 2] = [OPERATORS, libraries::HOST_CANN];

/// CANN's functions and the operators', with a context on device 0.
pub(super) struct Library {
    name: String,
    cann: Cann,
    context: Handle<aclrtContextOpaque>,
    /// A CANN that isn't host-cann: the kernels compute, and only codes and status come back.
    is_device: bool,
    /// Streams that no call uses now.
    idle: Mutex<Vec<Handle<aclrtStreamOpaque>>>,
}

/// A handle of the runtime's: a number to this program.
struct Handle<T>(*mut T);

// SAFETY: the runtime's handles may be used from any thread, and nothing here reads through them.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

impl Library {
    /// The crates' own functions.
    pub(super) fn linked() -> Result<&'static Self, String> {
        static LINKED: OnceLock<Result<Library, String>> = OnceLock::new();
        let library = LINKED.get_or_init(|| {
            settle(None);
            aclnn_scatter::install(Cann::from_table(host_cann::table()))
                .map_err(|error| error.to_string())?;
            let functions = aclnn_scatter::table().chain(host_cann::table());
            Self::open("linked".to_owned(), Cann::from_table(functions))
        });
        library.as_ref().map_err(Clone::clone)
    }

    /// The two libraries of a folder. They stay open to the end of the process, as all that uses
    /// them does; so of several folders the first is the process's.
    pub(super) fn opened(folder: &Path) -> Result<&'static Self, String> {
        static OPENED: OnceLock<Result<Library, String>> = OnceLock::new();
        let library = OPENED.get_or_init(|| {
            let [scatter, cann] = FILES.map(|name| libraries::file(folder, name));
            let (scatter, cann) = (scatter?, cann?);
            settle(Some(&cann));
            let functions = Cann::load_from(scatter).then(Cann::load_from(cann));
            Self::open(format!("dlopen of {}", folder.display()), functions)
        });
        library.as_ref().map_err(Clone::clone)
    }

    /// The operators' library of a folder, on the CANN that is installed; `name` says which device
    /// that is.
    pub(super) fn installed(folder: &Path, name: &str) -> Result<&'static Self, String> {
        static INSTALLED: OnceLock<Result<Library, String>> = OnceLock::new();
        let library = INSTALLED.get_or_init(|| {
            let scatter = libraries::file(folder, OPERATORS)?;
            let is_device = !aclnn_scatter::open(Cann::load()).is_host();
            settle(None);
            if is_device {
                // SAFETY: as in `silence`.
                unsafe { env::set_var("ACLNN_SCATTER_ENGINE", "kernel") }
            }
            let functions = Cann::load_from(scatter).then(Cann::load());
            Ok(Self { is_device, ..Self::open(name.to_owned(), functions)? })
        });
        library.as_ref().map_err(Clone::clone)
    }

    /// These functions, by whatever name.
    pub(super) fn open(name: String, cann: Cann) -> Result<Self, String> {
        let mut context = null_mut();
        // SAFETY: the functions are host-cann's and aclnn-scatter's; there is no configuration, and
        // a place for the context.
        unsafe {
            let begun = cann.aclInit(null());
            // Whoever began it before did so for all.
            let is_repeated = begun == Ok(ACL_ERROR_REPEAT_INITIALIZE);
            // CANN's words are taken in any case, so that no later failure is told with them.
            match succeed(&cann, "aclInit", begun) {
                Err(_) if is_repeated => {}
                outcome => outcome?,
            }
            succeed(&cann, "aclrtCreateContext", cann.aclrtCreateContext(&raw mut context, 0))?;
        }
        let library = Self { name, cann, context: Handle(context), is_device: false, idle: Mutex::default() };
        // Here, while the variables are known: the operators choose their CANN at the first call.
        library.status(null_mut()).map_err(|refusal| refusal.to_string())?;
        Ok(library)
    }

    /// What it is.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The functions.
    pub(super) fn cann(&self) -> &Cann {
        &self.cann
    }

    /// Whether it is, or passes for, a device.
    pub(super) fn is_device(&self) -> bool {
        self.is_device
    }

    /// What the synchronisation of a stream returns after an index out of range. A device's kernels
    /// can't fail their stream.
    pub(super) fn bad_index(&self) -> AclError {
        if self.is_device { ACL_SUCCESS } else { ACL_ERROR_RT_AICPU_EXCEPTION }
    }

    /// Makes its context that of this thread.
    pub(super) fn enter(&self) -> Result<(), Refusal> {
        // SAFETY: the context is alive.
        let set = unsafe { self.cann.aclrtSetCurrentContext(self.context.0) };
        self.succeed("aclrtSetCurrentContext", set)
    }

    /// A stream that no other call uses; this thread has entered.
    pub(super) fn stream(&self) -> Result<Stream<'_>, Refusal> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(handle) = idle {
            return Ok(Stream { library: self, handle });
        }
        let mut stream = null_mut();
        // SAFETY: a place for the stream is given.
        let created = unsafe { self.cann.aclrtCreateStream(&raw mut stream) };
        self.succeed("aclrtCreateStream", created)?;
        Ok(Stream { library: self, handle: Handle(stream) })
    }

    /// What `aclnnScatterStreamStatus` tells of a stream.
    pub(super) fn status(&self, stream: aclrtStream) -> Result<aclnnScatterStatusInfo, Refusal> {
        let mut info = aclnnScatterStatusInfo {
            code: aclnn_sys::AclnnStatus(-1),
            rank: u32::MAX,
            position: [-1; 8],
            value: -1,
            size: -1,
            opName: [0; 64],
        };
        // SAFETY: there is a place for what is told; a stream is looked up.
        let told = unsafe { self.cann.aclnnScatterStreamStatus(stream, &raw mut info) };
        self.succeed("aclnnScatterStreamStatus", told)?;
        Ok(info)
    }

    /// A code that must be success.
    pub(super) fn succeed<C: Into<i32>>(
        &self,
        function: &str,
        code: Result<C, LoadError>,
    ) -> Result<(), Refusal> {
        succeed(&self.cann, function, code).map_err(Refusal::Broken)
    }

    /// The words that this thread's failures have left, which are forgotten then.
    pub(super) fn messages(&self) -> String {
        messages(&self.cann)
    }

    /// The same, of an operator's failure: a CANN that isn't host-cann knows nothing of it.
    pub(super) fn words(&self) -> Message {
        (!self.is_device).then(|| self.messages())
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A stream that nobody else uses.
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

fn succeed<C: Into<i32>>(cann: &Cann, function: &str, code: Result<C, LoadError>) -> Result<(), String> {
    match code.map(Into::into) {
        Ok(0) => Ok(()),
        Ok(code) => Err(format!("{function} returned {code} ({})", messages(cann))),
        Err(error) => Err(error.to_string()),
    }
}

fn messages(cann: &Cann) -> String {
    // SAFETY: the text is null or a C string that lives until this thread asks again.
    unsafe {
        match cann.aclGetRecentErrMsg() {
            Ok(text) if !text.is_null() => CStr::from_ptr(text).to_string_lossy().into_owned(),
            _ => String::new(),
        }
    }
}

/// Sets what the libraries read of the environment: nothing is printed, bad indices come back
/// through the stream, and the operators' library finds this CANN.
fn settle(cann: Option<&Path>) {
    libraries::silence();
    // SAFETY: as in `silence`.
    unsafe {
        env::set_var("ACLNN_SCATTER_CHECK", "flag");
        if let Some(cann) = cann {
            env::set_var("ACLNN_LIBRARY_PATH", cann);
        }
    }
}
