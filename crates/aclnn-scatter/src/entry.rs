//! The macros that declare the C functions: each has its prototype, a guard, and a body that runs a
//! phase.

/// Declares a C function. Its prototype is checked against CANN's headers; its body runs
/// [guarded](crate::process::guard).
macro_rules! entry {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) => $body:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Handles and streams are null or made by CANN; pointers for results are null or can be
        /// written to. Until the work of phase two is done, the tensors given to phase one hold
        /// what they say: their storages are memory of the stream's device of the size that they
        /// say, and only work that is ordered with this work writes them, or reads the memory that
        /// it writes. The workspace is memory of the same device with `workspaceSize` bytes, and
        /// nothing else uses it until then.
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> aclnn_sys::AclnnStatus {
            $crate::process::guard::guarded(stringify!($name), || $body)
        }
        const _: aclnn_sys::prototypes::$name = $name;
    };
}
pub(crate) use entry;

/// Declares phase one of a pair: its prototype, and the [`Arguments`](crate::phase_one::Arguments)
/// that its parameters give.
macro_rules! phase_one {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) of $function:ident => $meaning:expr) => {
        $crate::entry::entry! {
            $(#[$doc])*
            fn $name($($argument: $kind),*) => {
                let arguments: $crate::phase_one::Arguments = $meaning;
                let forward = || {
                    let call = |next: aclnn_sys::prototypes::$name| {
                        // SAFETY: `next` is CANN's function of this name and prototype, and the
                        // contract of this function implies that of CANN's.
                        unsafe { next($($argument),*) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: `call` takes a pointer to a function with the prototype that belongs
                    // to this name, and its call is sound as said above.
                    unsafe { $crate::process::vendor::forward($crate::process::vendor::symbol!($name), own, call) }
                };
                // SAFETY: the caller upholds the contract above, which is also that of `run`.
                unsafe { $crate::phase_one::run($crate::function::Function::$function, &arguments, forward) }
            }
        }
    };
}
pub(crate) use phase_one;

/// Declares phase two of a pair.
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
                        // SAFETY: `next` is CANN's function of this name and prototype, and the
                        // contract of this function implies that of CANN's.
                        unsafe { next(workspace, workspaceSize, executor, stream) }
                    };
                    let own = $name as *const core::ffi::c_void;
                    // SAFETY: `call` takes a pointer to a function with the prototype that belongs
                    // to this name, and its call is sound as said above.
                    unsafe { $crate::process::vendor::forward($crate::process::vendor::symbol!($name), own, call) }
                };
                let arguments = $crate::phase_two::Arguments { workspace, workspace_size: workspaceSize, executor, stream };
                // SAFETY: the caller upholds the contract above, which is also that of `run`.
                unsafe { $crate::phase_two::run($crate::function::Function::$function, &arguments, forward) }
            }
        }
    };
}
pub(crate) use phase_two;
