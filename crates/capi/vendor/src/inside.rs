//! The internals of the CANN, which only this library uses.

use core::ffi::c_void;
use core::ptr::{NonNull, null};
use std::sync::{LazyLock, Once};

use aclnn_scatter::{Check, Engine, Scope, Session};
use aclnn_sys::{Cann, hostcannExtension, hostcannGetExtension};

use crate::calls;

/// The CANN of the process, of which this library is a part.
pub(crate) static CANN: LazyLock<Cann> = LazyLock::new(Cann::load);

/// What a process finds instead of host-cann's function: it returns no extension.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn hostcann_extension() -> *const hostcannExtension {
    calls::count("hostcann_extension");
    null()
}

/// host-cann's own `hostcann_extension`.
fn real() -> Option<NonNull<c_void>> {
    let own = hostcann_extension as *const c_void;
    // SAFETY: the libraries that `ACLNN_LIBRARY_PATH` names beside this one may be opened.
    unsafe { CANN.next_symbol(c"hostcann_extension", own) }.ok()
}

/// The extension.
pub(crate) fn extension() -> Option<&'static hostcannExtension> {
    // SAFETY: only host-cann has a symbol of this name, and its header declares this type.
    let get: hostcannGetExtension = unsafe { core::mem::transmute(real()?.as_ptr()) };
    // SAFETY: the function takes nothing, and the extension is valid to the end of the process.
    unsafe { get?().as_ref() }
}

/// Gives this library's copy of the operators their CANN, with its extension, and has the CPU
/// engine compute them.
pub(crate) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // Nobody has installed a CANN before, because nobody else has this copy of the crate.
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

/// The scope of this library's own calls, whose tensors may have strides that the C functions
/// refuse.
pub(crate) fn scope() -> Scope {
    static SESSION: LazyLock<&Session> = LazyLock::new(|| aclnn_scatter::open(whole()));
    Scope::new(*SESSION).engine(Engine::Cpu).check(Check::Off)
}
