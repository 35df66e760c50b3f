//! What is inside the CANN, which nobody else is given.

use core::ffi::c_void;
use core::ptr::{NonNull, null};
use std::sync::{LazyLock, Once};

use aclnn_scatter::{Check, Engine, Scope, Session};
use aclnn_sys::{Cann, hostcannExtension, hostcannGetExtension};

use crate::calls;

/// The CANN of the process, of which this library is a part.
pub(crate) static CANN: LazyLock<Cann> = LazyLock::new(Cann::load);

/// What a process finds in the place of host-cann's: no extension.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn hostcann_extension() -> *const hostcannExtension {
    calls::count("hostcann_extension");
    null()
}

/// host-cann's own `hostcann_extension`.
fn real() -> Option<NonNull<c_void>> {
    let own = hostcann_extension as *const c_void;
    // SAFETY: whoever names this library in `ACLNN_LIBRARY_PATH` answers for the others there.
    unsafe { CANN.next_symbol(c"hostcann_extension", own) }.ok()
}

/// The extension.
pub(crate) fn extension() -> Option<&'static hostcannExtension> {
    // SAFETY: the symbol has this name in host-cann alone, which declares it so.
    let get: hostcannGetExtension = unsafe { core::mem::transmute(real()?.as_ptr()) };
    // SAFETY: the function takes nothing, and the extension is valid to the end of the process.
    unsafe { get?().as_ref() }
}

/// Gives this library's copy of the operators their CANN, with its extension, and has the CPU
/// engine compute them.
pub(crate) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // It has been installed before by nobody, for nobody else has this copy.
        let _ = aclnn_scatter::install(whole());
        aclnn_scatter::set_engine(Engine::Cpu);
        aclnn_scatter::set_check(Check::Off);
    });
}

/// The CANN with the real extension.
fn whole() -> Cann {
    let get = real().map_or(null(), |get| get.as_ptr().cast_const());
    Cann::from_table([(c"hostcann_extension", get)]).then(Cann::load())
}

/// For calls of this library's own, whose tensors may have strides that the C functions refuse.
pub(crate) fn scope() -> Scope {
    static SESSION: LazyLock<&Session> = LazyLock::new(|| aclnn_scatter::open(whole()));
    Scope::new(*SESSION).engine(Engine::Cpu).check(Check::Off)
}
