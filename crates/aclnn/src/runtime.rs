//! A CANN, from `aclInit` to `aclFinalize`.

use core::ffi::{CStr, c_void};
use core::fmt;
use core::ptr::NonNull;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aclnn_scatter::{Engine, Session};
use aclnn_sys::{Cann, fork};

use crate::begun;
use crate::call::acl;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::latch::Latch;

/// A CANN that has begun; it ends when the last that holds it is gone. Cheap to clone.
///
/// What is of one runtime goes with what is of its clones, and of others of the same CANN: all
/// [`load`](Runtime::load)s of a process are one, and so are all `Runtime::host`s. Each
/// [`load_from`](Runtime::load_from) and [`from_cann`](Runtime::from_cann) is one of its own, whose
/// list of libraries stays to the end of the process, and with which tensors of another do not mix
/// ([`Error::OtherCann`]). A CANN ends behind the last runtime that has its functions, whichever
/// list they come from.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// use aclnn::Runtime;
///
/// let runtime = Runtime::host()?; // on an Ascend host: Runtime::load()?
/// println!("{} devices, {}", runtime.device_count()?, runtime.soc_name()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
    engine: Engine,
}

struct Inner {
    session: &'static Session,
    latch: Latch,
    is_closed: bool,
}

impl Runtime {
    /// The installed CANN, as [`Cann::load`] finds it. The first that there is stays the process's.
    ///
    /// This is safe though a library's code runs when it is opened: which libraries these are is
    /// said by the process itself, its system's loader and its environment, whoever sets which
    /// could as well have had it load anything before `main` (`LD_PRELOAD`). A program that names a
    /// library has to answer for it: [`load_from`](Runtime::load_from).
    ///
    /// # Errors
    /// [`Error::MissingLibrary`] with everything that was looked for, where; what `aclInit`
    /// returns.
    pub fn load() -> Result<Self> {
        static LOADED: Mutex<Option<&'static Session>> = Mutex::new(None);
        fork::enter()?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let session = loaded.unwrap_or_else(|| aclnn_scatter::open(Cann::load()));
        let runtime = Self::begin(session)?;
        *loaded = Some(session);
        Ok(runtime)
    }

    /// The CANN in these libraries or folders, in this order, and in no other.
    ///
    /// # Safety
    /// What is there are CANN's libraries, whose functions are what their names say: they are
    /// opened, at once or by any later call, which runs their code in this process, and they call
    /// each other.
    ///
    /// # Errors
    /// As [`Runtime::load`].
    pub unsafe fn load_from<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self> {
        let none = Cann::from_table([]);
        let mut lists = paths.into_iter().map(|path| Cann::load_from(path));
        let first = lists.next().unwrap_or(none);
        Self::begin(aclnn_scatter::open(lists.fold(first, Cann::then)))
    }

    /// The CANN that is linked into this program: `host-cann`, which is no NPU but this machine's
    /// CPU.
    ///
    /// # Errors
    /// What `aclInit` returns, such as for a malformed `HOST_CANN_DEVICES`.
    #[cfg(feature = "host")]
    pub fn host() -> Result<Self> {
        static HOST: std::sync::OnceLock<&'static Session> = std::sync::OnceLock::new();
        Self::begin(HOST.get_or_init(|| aclnn_scatter::open(Cann::from_table(host_cann::table()))))
    }

    /// A CANN from a table of functions, such as `host-cann`'s with more operators.
    ///
    /// # Safety
    /// The functions, and the libraries, are what their names say.
    ///
    /// # Errors
    /// As [`Runtime::load`].
    pub unsafe fn from_cann(cann: Cann) -> Result<Self> {
        Self::begin(aclnn_scatter::open(cann))
    }

    fn begin(session: &'static Session) -> Result<Self> {
        begun::begin(session.cann())?;
        let inner = Inner { session, latch: Latch::default(), is_closed: false };
        Ok(Self { inner: Arc::new(inner), engine: Engine::Auto })
    }

    /// The same runtime, whose devices compute with this engine unless a call says otherwise. What
    /// can't be honoured is an error of each call, never another engine.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The engine that was chosen.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// A device, by number.
    ///
    /// # Errors
    /// What `aclrtSetDevice` returns, such as for a number that is no device's.
    pub fn device(&self, id: i32) -> Result<Device> {
        Device::open(self, id)
    }

    /// How many devices there are.
    ///
    /// # Errors
    /// What `aclrtGetDeviceCount` returns.
    pub fn device_count(&self) -> Result<u32> {
        self.check()?;
        let mut count = 0;
        // SAFETY: there is a place for the count.
        unsafe { acl!(self.cann(), aclrtGetDeviceCount(&mut count)) }?;
        Ok(count)
    }

    /// The name of the chip, such as `Ascend910B2`; `HostCann` where there is none.
    ///
    /// # Errors
    /// [`Error::MissingSymbol`].
    pub fn soc_name(&self) -> Result<String> {
        // SAFETY: it takes nothing.
        let name = unsafe { self.cann().aclrtGetSocName() }.map_err(Error::MissingSymbol)?;
        if name.is_null() {
            return Ok(String::new());
        }
        // SAFETY: a text of CANN's, which stays.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Whether this is `host-cann`: the CPU of this machine instead of an NPU.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.session().is_host()
    }

    /// CANN's functions, for what this crate does not wrap.
    #[must_use]
    pub fn cann(&self) -> &'static Cann {
        self.session().cann()
    }

    /// Any function of CANN's, such as another operator's, as a function pointer of type `F`.
    ///
    /// # Safety
    /// `F` is the type of a pointer to the function of this name.
    ///
    /// # Errors
    /// [`Error::MissingSymbol`].
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F> {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) }
        // SAFETY: the libraries were answered for when the runtime was made.
        let address: NonNull<c_void> = unsafe { self.cann().symbol(name) }.map_err(Error::MissingSymbol)?;
        // SAFETY: F is as large as an address, and by the caller's word the type of what is there.
        Ok(unsafe { core::mem::transmute_copy(&address) })
    }

    /// Ends CANN, unless other runtimes of the process use it.
    ///
    /// # Errors
    /// [`Error::InUse`] while a clone, device, stream, tensor … of this runtime is left; an error
    /// that a drop left; what `aclFinalize` returns.
    pub fn close(self) -> Result<()> {
        let users = Arc::strong_count(&self.inner) - 1;
        let mut inner =
            Arc::try_unwrap(self.inner).map_err(|_| Error::InUse { what: "the runtime", users })?;
        inner.is_closed = true;
        let ended = begun::end(inner.session.cann());
        inner.latch.check().and(ended)
    }

    pub(crate) fn session(&self) -> &'static Session {
        self.inner.session
    }

    /// Returns an error that a drop left behind.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        self.inner.latch.check()
    }

    /// Keeps an error of a drop for the next call.
    pub(crate) fn keep(&self, outcome: Result<()>) {
        self.inner.latch.keep(outcome);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.is_closed {
            // Nobody is left to tell.
            let _ = begun::end(self.session.cann());
        }
    }
}

impl PartialEq for Runtime {
    /// Whether both are clones of one.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("cann", self.cann())
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}
