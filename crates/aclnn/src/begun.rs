//! Which CANNs of the process have begun. A CANN begins and ends once, however many runtimes use
//! it: an older one does not count who has begun it, and the first runtime that ends must not end
//! it for the others.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aclnn_sys::{ACL_ERROR_REPEAT_INITIALIZE, Cann, fork};

use crate::call::{acl, of_acl};
use crate::error::{Error, Result};
use crate::handle::Handle;

/// A CANN that has begun.
struct Begun {
    init: Handle<*mut c_void>,
    runtimes: usize,
    /// Whether it had not begun before; who then began it may have nothing to do with this crate.
    is_ours: bool,
}

static BEGUN: Mutex<Vec<Begun>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<Begun>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What two lists of functions that are one CANN have in common: its `aclInit`.
fn init_of(cann: &Cann) -> Result<Handle<*mut c_void>> {
    // SAFETY: whoever made the list of libraries answers for them.
    let init = unsafe { cann.symbol(c"aclInit") }.map_err(Error::MissingLibrary)?;
    Ok(Handle::new(NonNull::as_ptr(init)))
}

/// Begins a CANN for one more runtime.
pub(crate) fn begin(cann: &Cann) -> Result<()> {
    fork::enter()?;
    let init = init_of(cann)?;
    let mut begun = lock();
    if let Some(known) = begun.iter_mut().find(|known| known.init == init) {
        known.runtimes += 1;
        return Ok(());
    }
    // SAFETY: no configuration is given. Whoever made the list of libraries answers for them.
    let returned = unsafe { cann.aclInit(ptr::null()) }.map_err(Error::MissingLibrary)?;
    // CANN's words are taken even where this is no failure, so that the thread's next failure isn't
    // told with them.
    let is_ours = returned != ACL_ERROR_REPEAT_INITIALIZE;
    match of_acl(cann, "aclInit", Ok(returned)) {
        Err(_) if !is_ours => {}
        outcome => outcome?,
    }
    begun.push(Begun { init, runtimes: 1, is_ours });
    Ok(())
}

/// Ends a CANN for one runtime, of which nothing is left.
pub(crate) fn end(cann: &Cann) -> Result<()> {
    fork::check()?;
    let init = init_of(cann)?;
    let mut begun = lock();
    let Some(place) = begun.iter().position(|known| known.init == init) else { return Ok(()) };
    if let Some(known) = begun.get_mut(place)
        && known.runtimes > 1
    {
        known.runtimes -= 1;
        return Ok(());
    }
    let Begun { is_ours, .. } = begun.remove(place);
    let mut left = 0;
    // SAFETY: there is a place for the count.
    match unsafe { cann.aclFinalizeReference(&mut left) } {
        Ok(code) => of_acl(cann, "aclFinalizeReference", Ok(code)),
        // An older CANN does not count: who began ends.
        // SAFETY: it takes nothing, and nothing of this crate's runtimes is left.
        Err(_) if is_ours => unsafe { acl!(cann, aclFinalize()) },
        Err(_) => Ok(()),
    }
}
