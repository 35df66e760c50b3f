//! CANN's own operators: the functions of the same names in the next library that exports them.

use core::cell::Cell;
use core::ffi::{CStr, c_void};

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, AclnnStatus};

use crate::failure::{Failure, ensure, failure, text};
use crate::process::current::session;

thread_local! {
    /// Whether this thread is inside a forwarded call.
    static FORWARDING: Cell<bool> = const { Cell::new(false) };
}

/// Resets [`FORWARDING`], also after a panic.
struct Forwarding;

impl Drop for Forwarding {
    fn drop(&mut self) {
        FORWARDING.set(false);
    }
}

/// Calls the function of this name in the next library, and returns its status.
///
/// The search may find a copy of this library under one of CANN's names, whose own search would
/// find this library again. So a call that is forwarded from within a forwarded call of the same
/// thread is refused.
///
/// # Safety
/// `F` is the function pointer type of the function with this name, and the call that `call` makes
/// is sound.
pub(crate) unsafe fn forward<F: Copy>(
    name: &CStr,
    own: *const c_void,
    call: impl FnOnce(F) -> AclnnStatus,
) -> Result<AclnnStatus, Failure> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) }
    let address = session().next(name, own).map_err(|error| {
        failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "no operator of CANN's own to compute this: {error}")
    })?;
    ensure!(
        !FORWARDING.replace(true),
        ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
        "no operator of CANN's own to compute this: the next {} is one of this library again",
        text(name)
    );
    let _end = Forwarding;
    // SAFETY: `F` is as large as an address (asserted above), and the caller guarantees that it is
    // the function's pointer type.
    Ok(call(unsafe { core::mem::transmute_copy(&address) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn seven() -> AclnnStatus {
        AclnnStatus(7)
    }

    unsafe extern "C" fn again() -> AclnnStatus {
        call(c"seven").unwrap_or_else(|failure| failure.code)
    }

    type Function = unsafe extern "C" fn() -> AclnnStatus;

    fn call(name: &CStr) -> Result<AclnnStatus, Failure> {
        // SAFETY: the functions in the table below have this type, and no precondition.
        unsafe { forward(name, own as *const c_void, |function: Function| function()) }
    }

    unsafe extern "C" fn own() -> AclnnStatus {
        AclnnStatus(1)
    }

    #[test]
    fn the_next_function_is_called_but_not_round_and_round() {
        let table = [
            (c"seven", seven as *const c_void),
            (c"again", again as *const c_void),
            (c"own", own as *const c_void),
        ];
        crate::process::current::install(aclnn_sys::Cann::from_table(table)).unwrap();
        assert_eq!(call(c"seven").unwrap(), AclnnStatus(7));
        assert_eq!(call(c"again").unwrap(), ACLNN_ERR_INNER_FIND_KERNEL_ERROR);
        assert_eq!(call(c"seven").unwrap(), AclnnStatus(7));
        let message = call(c"own").unwrap_err().message;
        assert!(message.contains("it is the one that asks"), "{message}");
        let message = call(c"nothing").unwrap_err().message;
        assert!(message.contains("nothing not found"), "{message}");
    }
}
