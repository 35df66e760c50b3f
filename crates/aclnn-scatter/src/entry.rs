//! The macros that declare the C functions: prototype, guard, and the phase that does the work.

/// A C function: its prototype is that of the headers, its body runs
/// [guarded](crate::process::guard).
macro_rules! entry {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) => $body:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Handles, streams too, are CANN's, or null; places for results are null or valid. What
        /// phase one is told of tensors holds until the work of phase two is done: their storages
        /// are memory of the stream's device and as large as they say, and nothing but work that is
        /// ordered with this writes them, or reads what is written. The workspace has as many bytes
        /// as phase two is told, of the same device, and is nobody else's until then.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> aclnn_sys::AclnnStatus {
            $crate::process::guard::guarded(stringify!($name), || $body)
        }
        const _: aclnn_sys::prototypes::$name = $name;
    };
}
pub(crate) use entry;

/// Phase one of a pair, with the arguments of its prototype and what they mean.
macro_rules! phase_one {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) of $function:ident => $meaning:expr) => {
        $crate::entry::entry! {
            $(#[$doc])*
            fn $name($($argument: $kind),*) => {
                let arguments: $crate::phase_one::Arguments = $meaning;
                let forward = || {
                    let call = |next: aclnn_sys::prototypes::$name| {
                        // SAFETY: the prototype is that of the name, and the caller's word holds
                        // for the next library too.
                        unsafe { next($($argument),*) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: as above, `call` is given a function of this name.
                    unsafe { $crate::process::vendor::forward($crate::process::vendor::symbol!($name), own, call) }
                };
                // SAFETY: the caller's word.
                unsafe { $crate::phase_one::run($crate::function::Function::$function, &arguments, forward) }
            }
        }
    };
}
pub(crate) use phase_one;

/// Phase two of a pair.
macro_rules! phase_two {
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
                        // SAFETY: the prototype is that of the name, and the caller's word holds
                        // for the next library too.
                        unsafe { next(workspace, workspaceSize, executor, stream) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: as above, `call` is given a function of this name.
                    unsafe { $crate::process::vendor::forward($crate::process::vendor::symbol!($name), own, call) }
                };
                let arguments = $crate::phase_two::Arguments { workspace, workspace_size: workspaceSize, executor, stream };
                // SAFETY: the caller's word.
                unsafe { $crate::phase_two::run($crate::function::Function::$function, &arguments, forward) }
            }
        }
    };
}
pub(crate) use phase_two;
