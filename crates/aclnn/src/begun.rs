//! Which CANNs of the process have been initialised. A CANN is initialised and finalised once,
//! however many runtimes use it: an older CANN does not count its initialisations, and the first
//! runtime that closes must not finalise it for the others.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aclnn_sys::{ACL_ERROR_REPEAT_INITIALIZE, Cann, fork};

use crate::call::{acl, of_acl};
use crate::error::{Error, Result};
use crate::handle::Handle;

/// A CANN that has been initialised.
struct Begun {
    init: Handle<*mut c_void>,
    runtimes: usize,
    /// Whether this crate initialised it. Otherwise other code of the process had done so before.
    is_ours: bool,
}

static BEGUN: Mutex<Vec<Begun>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<Begun>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address of `aclInit`, which identifies a CANN: two lists of libraries with the same one are
/// the same CANN.
fn init_of(cann: &Cann) -> Result<Handle<*mut c_void>> {
    // SAFETY: only the address is taken; whoever made the list of libraries guaranteed that they
    // may be opened.
    let init = unsafe { cann.symbol(c"aclInit") }.map_err(Error::MissingLibrary)?;
    Ok(Handle::new(NonNull::as_ptr(init)))
}

/// Counts one more runtime of a CANN, and initialises the CANN for the first one.
pub(crate) fn begin(cann: &Cann) -> Result<()> {
    fork::enter()?;
    let init = init_of(cann)?;
    let mut begun = lock();
    if let Some(known) = begun.iter_mut().find(|known| known.init == init) {
        known.runtimes += 1;
        return Ok(());
    }
    // SAFETY: null stands for no configuration; whoever made the list of libraries guaranteed that
    // this `aclInit` is CANN's.
    let returned = unsafe { cann.aclInit(ptr::null()) }.map_err(Error::MissingLibrary)?;
    // CANN's message is taken even where this is no failure; otherwise the thread's next error
    // would come with it.
    let is_ours = returned != ACL_ERROR_REPEAT_INITIALIZE;
    match of_acl(cann, "aclInit", Ok(returned)) {
        Err(_) if !is_ours => {}
        outcome => outcome?,
    }
    begun.push(Begun { init, runtimes: 1, is_ours });
    Ok(())
}

/// Counts one runtime of a CANN less, and finalises the CANN after the last one. Nothing of the
/// runtime may be left.
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
    // SAFETY: `left` is a live local, to which CANN writes the count.
    match unsafe { cann.aclFinalizeReference(&mut left) } {
        Ok(code) => of_acl(cann, "aclFinalizeReference", Ok(code)),
        // An older CANN does not count: whoever initialised it finalises it.
        // SAFETY: the last runtime that used this CANN has ended, so no handle of this crate is in
        // use.
        Err(_) if is_ours => unsafe { acl!(cann, aclFinalize()) },
        Err(_) => Ok(()),
    }
}
