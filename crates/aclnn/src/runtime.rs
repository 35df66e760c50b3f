//! The CANN that a program uses, from `aclInit` to `aclFinalize`.

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

/// A CANN that has been initialised. It is finalised when the last clone, device, stream, tensor …
/// of its last runtime is dropped. Cheap to clone.
///
/// Devices, streams and tensors of one runtime can be used with those of its clones and of other
/// runtimes of the same CANN: all [`load`](Runtime::load)s of a process are the same CANN, and so
/// are all `Runtime::host`s. Each call of [`load_from`](Runtime::load_from) or
/// [`from_cann`](Runtime::from_cann) gives a CANN of its own, whose list of libraries is kept until
/// the process ends; tensors of different CANNs do not mix ([`Error::OtherCann`]). Two lists in
/// which `aclInit` is the same function name the same library of CANN's: that is finalised once,
/// after the last runtime of either.
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
    /// The installed CANN, as [`Cann::load`] finds it. The first call that succeeds decides for the
    /// whole process.
    ///
    /// This is safe although opening a library runs its code: the libraries are chosen by the
    /// system's loader and the environment, and whoever controls those could make the process load
    /// anything before `main` (`LD_PRELOAD`). A program that names libraries itself is responsible
    /// for them: [`load_from`](Runtime::load_from).
    ///
    /// # Errors
    /// [`Error::MissingLibrary`] with everything that was looked for, and where; what `aclInit`
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

    /// The CANN in these libraries or folders, searched in this order; no other places are
    /// searched.
    ///
    /// # Safety
    /// The paths hold CANN's libraries, whose functions have the types and behaviour that CANN
    /// documents for their names. The libraries are opened now or by any later call, which runs
    /// their code in this process.
    ///
    /// # Errors
    /// As [`Runtime::load`].
    pub unsafe fn load_from<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self> {
        let none = Cann::from_table([]);
        let mut lists = paths.into_iter().map(|path| Cann::load_from(path));
        let first = lists.next().unwrap_or(none);
        Self::begin(aclnn_scatter::open(lists.fold(first, Cann::then)))
    }

    /// The CANN that is linked into this program: `host-cann`, which computes on this machine's CPU
    /// instead of an NPU.
    ///
    /// # Errors
    /// What `aclInit` returns, such as for a malformed `HOST_CANN_DEVICES`.
    #[cfg(feature = "host")]
    pub fn host() -> Result<Self> {
        static HOST: std::sync::OnceLock<&'static Session> = std::sync::OnceLock::new();
        Self::begin(HOST.get_or_init(|| aclnn_scatter::open(Cann::from_table(host_cann::table()))))
    }

    /// A CANN from a list of libraries and tables of functions, such as `host-cann`'s table with
    /// further operators.
    ///
    /// # Safety
    /// The functions have the types and behaviour that CANN documents for their names, and the
    /// libraries are CANN's.
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

    /// The same runtime, whose devices compute with this engine unless a call names another. A call
    /// that the engine can't compute is an error; no other engine takes its place.
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The engine that [`with_engine`](Runtime::with_engine) has set, or [`Engine::Auto`].
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// A device, by number.
    ///
    /// # Errors
    /// What `aclrtSetDevice` returns, such as for a number without a device.
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
        // SAFETY: `count` is a live local, to which CANN writes the count.
        unsafe { acl!(self.cann(), aclrtGetDeviceCount(&mut count)) }?;
        Ok(count)
    }

    /// The name of the chip, such as `Ascend910B2`; `HostCann` for host-cann.
    ///
    /// # Errors
    /// [`Error::MissingSymbol`].
    pub fn soc_name(&self) -> Result<String> {
        // SAFETY: the function takes no argument and has no precondition.
        let name = unsafe { self.cann().aclrtGetSocName() }.map_err(Error::MissingSymbol)?;
        if name.is_null() {
            return Ok(String::new());
        }
        // SAFETY: CANN returns a NUL-terminated text that lives as long as the process; it is
        // copied here.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Whether this is `host-cann`, which computes on this machine's CPU instead of an NPU.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.session().is_host()
    }

    /// CANN's functions, to call those that this crate does not wrap.
    #[must_use]
    pub fn cann(&self) -> &'static Cann {
        self.session().cann()
    }

    /// Any function of CANN's, such as one of another operator, as a function pointer of type `F`.
    ///
    /// # Safety
    /// `F` is the function pointer type of the function with this name.
    ///
    /// # Errors
    /// [`Error::MissingSymbol`].
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F> {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) }
        // SAFETY: only the address is taken; whoever made the runtime guaranteed that its libraries
        // may be opened.
        let address: NonNull<c_void> = unsafe { self.cann().symbol(name) }.map_err(Error::MissingSymbol)?;
        // SAFETY: `F` is as large as an address (asserted above), and the caller guarantees that it
        // is the function's pointer type.
        Ok(unsafe { core::mem::transmute_copy(&address) })
    }

    /// Finalises CANN, unless other runtimes of the process use it.
    ///
    /// # Errors
    /// [`Error::InUse`] while a clone, device, stream, tensor … of this runtime is left; the
    /// pending error of an earlier drop; what `aclFinalize` returns.
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

    /// Returns the pending error of an earlier drop.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        self.inner.latch.check()
    }

    /// Keeps an error of a drop for the next call to return.
    pub(crate) fn keep(&self, outcome: Result<()>) {
        self.inner.latch.keep(outcome);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.is_closed {
            // No later call of this runtime can return the error.
            let _ = begun::end(self.session.cann());
        }
    }
}

impl PartialEq for Runtime {
    /// Whether both are clones of the same runtime.
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
