//! CANN's own operators: the functions of the same names in the next library that exports them.

use core::cell::Cell;
use core::ffi::{CStr, c_void};

use aclnn_sys::{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, AclnnStatus};

use crate::failure::{Failure, ensure, failure, text};
use crate::process::current::session;

thread_local! {
    /// The name of the call that this thread has forwarded, the innermost if there are several.
    static FORWARDED: Cell<Option<&'static CStr>> = const { Cell::new(None) };
}

/// Restores the name of the outer call, also after a panic.
struct Outer(Option<&'static CStr>);

impl Drop for Outer {
    fn drop(&mut self) {
        FORWARDED.set(self.0);
    }
}

/// Calls the function of this name in the next library, and returns its status.
///
/// The search may find a copy of this library under one of CANN's names, whose own search would
/// find this library again. So a call that comes back while it is being forwarded is refused. (An
/// operator of CANN's may call another one, which is forwarded, too.)
///
/// # Safety
/// `F` is the function pointer type of the function with this name, and the call that `call` makes
/// is sound.
pub(crate) unsafe fn forward<F: Copy>(
    name: &'static CStr,
    own: *const c_void,
    call: impl FnOnce(F) -> AclnnStatus,
) -> Result<AclnnStatus, Failure> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) }
    let address = session().next(name, own).map_err(|error| {
        failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "no operator of CANN's own to compute this: {error}")
    })?;
    let outer = Outer(FORWARDED.replace(Some(name)));
    ensure!(
        outer.0 != Some(name),
        ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
        "no operator of CANN's own to compute this: the next {} has called this library again",
        text(name)
    );
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
        call(c"again").unwrap_or_else(|failure| failure.code)
    }

    unsafe extern "C" fn nested() -> AclnnStatus {
        call(c"seven").unwrap_or_else(|failure| failure.code)
    }

    type Function = unsafe extern "C" fn() -> AclnnStatus;

    fn call(name: &'static CStr) -> Result<AclnnStatus, Failure> {
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
            (c"nested", nested as *const c_void),
            (c"own", own as *const c_void),
        ];
        crate::process::current::install(aclnn_sys::Cann::from_table(table)).unwrap();
        assert_eq!(call(c"seven").unwrap(), AclnnStatus(7));
        assert_eq!(call(c"again").unwrap(), ACLNN_ERR_INNER_FIND_KERNEL_ERROR);
        // An operator of CANN's that calls another one.
        assert_eq!(call(c"nested").unwrap(), AclnnStatus(7));
        assert_eq!(call(c"seven").unwrap(), AclnnStatus(7));
        let message = call(c"own").unwrap_err().message;
        assert!(message.contains("it is the one that asks"), "{message}");
        let message = call(c"nothing").unwrap_err().message;
        assert!(message.contains("nothing not found"), "{message}");
    }
}
