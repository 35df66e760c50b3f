//! What every C function has around its body.

use std::panic::{AssertUnwindSafe, catch_unwind};

use aclnn_sys::{ACLNN_ERR_INNER, AclnnStatus, fork};

use crate::failure::{Failure, failure, report};

/// Runs a body: not in a fork of a process that has called one, no panic leaves it, and the words of a failure are kept for the
/// thread.
pub(crate) fn guarded(name: &str, body: impl FnOnce() -> Result<AclnnStatus, Failure>) -> AclnnStatus {
    let body = || {
        // Before anything waits for a thread that is not here.
        fork::enter()?;
        body()
    };
    // What a panic may have left half done is guarded by locks, and they say how they take it.
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(failure!(ACLNN_ERR_INNER, "aclnn-scatter panicked, which is a bug of its own"))
    });
    outcome.unwrap_or_else(|failure| {
        report(name, &failure);
        failure.code
    })
}

/// A C function: its prototype is that of the headers, its body runs [`guarded`].
macro_rules! entry {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) => $body:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Handles are CANN's, or null; places for results are null or valid. What phase one is told of tensors holds until
        /// the work of phase two is done: their storages are as large as they say.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> aclnn_sys::AclnnStatus {
            $crate::entry::guarded(stringify!($name), || $body)
        }
        const _: aclnn_sys::prototypes::$name = $name;
    };
}
pub(crate) use entry;

/// Phase one of a pair, with the arguments of its prototype and what they mean.
macro_rules! first {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) of $function:ident => $meaning:expr) => {
        $crate::entry::entry! {
            $(#[$doc])*
            fn $name($($argument: $kind),*) => {
                let arguments: $crate::first::Arguments = $meaning;
                let forward = || {
                    let call = |next: aclnn_sys::prototypes::$name| {
                        // SAFETY: the prototype is that of the name, and the caller's word holds for the next library too.
                        unsafe { next($($argument),*) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: as above, `call` is given a function of this name.
                    unsafe { $crate::vendor::forward($crate::vendor::symbol!($name), own, call) }
                };
                // SAFETY: the caller's word.
                unsafe { $crate::first::run($crate::function::Function::$function, &arguments, forward) }
            }
        }
    };
}
pub(crate) use first;

/// Phase two of a pair.
macro_rules! second {
    ($(#[$doc:meta])* fn $name:ident of $function:ident) => {
        $crate::entry::entry! {
            $(#[$doc])*
            fn $name(
                workspace: *mut core::ffi::c_void,
                workspaceSize: u64,
                executor: *mut aclnn_sys::aclOpExecutor,
                stream: aclnn_sys::aclrtStream,
            ) => {
                let forward = || {
                    let call = |next: aclnn_sys::prototypes::$name| {
                        // SAFETY: the prototype is that of the name, and the caller's word holds for the next library too.
                        unsafe { next(workspace, workspaceSize, executor, stream) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: as above, `call` is given a function of this name.
                    unsafe { $crate::vendor::forward($crate::vendor::symbol!($name), own, call) }
                };
                let launch = $crate::second::Launch { workspace, workspace_size: workspaceSize, executor, stream };
                $crate::second::run($crate::function::Function::$function, &launch, forward)
            }
        }
    };
}
pub(crate) use second;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_an_error() {
        let status = guarded("aclnnScatterAdd", || panic!("a bug"));
        assert_eq!(status, ACLNN_ERR_INNER);
        let message = crate::take_error_message().unwrap();
        assert!(message.starts_with("aclnnScatterAdd: ") && message.contains("panicked"), "{message}");
    }
}
