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

/// Declares both phases of every pair.
macro_rules! entries {
    ($(
        $(#[$doc:meta])*
        $function:ident: $first:ident, $second:ident
            ($($parameter:ident: $kind:ident),*) => $op:ident;
    )+) => {
        $(
            $crate::entry::entry! {
                $(#[$doc])*
                fn $first(
                    $($parameter: $crate::entry::c_type!($kind),)*
                    workspaceSize: *mut u64,
                    executor: *mut *mut aclnn_sys::aclOpExecutor,
                ) => {
                    let mut arguments = $crate::phase_one::Arguments::new(workspaceSize, executor);
                    $($crate::entry::put!(arguments, $kind, $parameter);)*
                    let forward = || {
                        $crate::entry::forward!($first($($parameter,)* workspaceSize, executor))
                    };
                    // SAFETY: the caller guarantees that handles are null or made by CANN, and that
                    // pointers for results are null or can be written to.
                    unsafe { $crate::phase_one::run($crate::function::Function::$function, &arguments, forward) }
                }
            }

            $crate::entry::entry! {
                #[doc = concat!("Phase two of [`", stringify!($first), "`]: enqueues the work and returns.")]
                fn $second(
                    workspace: *mut core::ffi::c_void,
                    workspaceSize: u64,
                    executor: *mut aclnn_sys::aclOpExecutor,
                    stream: aclnn_sys::aclrtStream,
                ) => {
                    let forward = || {
                        $crate::entry::forward!($second(workspace, workspaceSize, executor, stream))
                    };
                    let arguments = $crate::phase_two::Arguments {
                        workspace,
                        workspace_size: workspaceSize,
                        executor,
                        stream,
                    };
                    // SAFETY: the caller guarantees the handles, and that until the work is done
                    // the tensors' storages and the workspace are memory of the stream's device
                    // that only work ordered with it uses.
                    unsafe { $crate::phase_two::run($crate::function::Function::$function, &arguments, forward) }
                }
            }
        )+
    };
}
pub(crate) use entries;

/// Calls CANN's own function of a name with the arguments of ours.
macro_rules! forward {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let call = |next: aclnn_sys::prototypes::$name| {
            // SAFETY: `next` is CANN's function of this name and prototype, and the contract of
            // this function implies that of CANN's.
            unsafe { next($($argument),*) }
        };
        let own = $name as *const core::ffi::c_void;
        // SAFETY: `call` takes a pointer to a function with the prototype that belongs to this
        // name, and its call is sound as said above.
        unsafe { $crate::process::vendor::forward($crate::function::symbol!($name), own, call) }
    }};
}
pub(crate) use forward;

/// The C type of a kind of parameter.
macro_rules! c_type {
    (SelfTensor) => { *const aclnn_sys::aclTensor };
    (UnwrittenSelf) => { *mut aclnn_sys::aclTensor };
    (SelfRef) => { *mut aclnn_sys::aclTensor };
    (Index) => { *const aclnn_sys::aclTensor };
    (Src) => { *const aclnn_sys::aclTensor };
    (Value) => { *const aclnn_sys::aclScalar };
    (Out) => { *mut aclnn_sys::aclTensor };
    (Dim) => { i64 };
    (Reduce) => { i64 };
    (IncludeSelf) => { bool };
    (Mode) => { i64 };
    (Unsafe) => { bool };
    (Accumulate) => { bool };
    (Indices) => { *const aclnn_sys::aclTensorList };
    (ZeroedOut) => { *const aclnn_sys::aclTensor };
    (Rows) => { u64 };
    (Padding) => { u64 };
    (Scale) => { bool };
}
pub(crate) use c_type;

/// Stores a parameter in the arguments of phase one.
macro_rules! put {
    ($arguments:ident, SelfTensor, $from:ident) => {
        $arguments.self_ = $from
    };
    ($arguments:ident, UnwrittenSelf, $from:ident) => {
        $arguments.self_ = $from
    };
    ($arguments:ident, SelfRef, $from:ident) => {
        $arguments.self_ = $from;
        $arguments.out = $from;
    };
    ($arguments:ident, Index, $from:ident) => {
        $arguments.index = $from
    };
    ($arguments:ident, Src, $from:ident) => {
        $arguments.src = $from
    };
    ($arguments:ident, Value, $from:ident) => {
        $arguments.value = $from
    };
    ($arguments:ident, Out, $from:ident) => {
        $arguments.out = $from
    };
    ($arguments:ident, Dim, $from:ident) => {
        $arguments.dim = $from
    };
    ($arguments:ident, Reduce, $from:ident) => {
        $arguments.reduce = $from
    };
    ($arguments:ident, IncludeSelf, $from:ident) => {
        $arguments.include_self = $from
    };
    ($arguments:ident, Mode, $from:ident) => {};
    ($arguments:ident, Unsafe, $from:ident) => {};
    ($arguments:ident, Accumulate, $from:ident) => {
        $arguments.accumulate = $from
    };
    ($arguments:ident, Indices, $from:ident) => {
        $arguments.indices = $from
    };
    ($arguments:ident, ZeroedOut, $from:ident) => {
        $arguments.self_ = $from;
        $arguments.out = $from;
    };
    ($arguments:ident, Rows, $from:ident) => {
        $arguments.rows = Some($from)
    };
    ($arguments:ident, Padding, $from:ident) => {
        $arguments.padding = $from
    };
    ($arguments:ident, Scale, $from:ident) => {
        $arguments.scale = $from
    };
}
pub(crate) use put;

/// A parameter from the arguments of phase one.
macro_rules! argument {
    ($arguments:ident, SelfTensor) => {
        $arguments.self_
    };
    ($arguments:ident, UnwrittenSelf) => {
        $arguments.self_.cast_mut()
    };
    // A pair that works only in place is called with out as its self.
    ($arguments:ident, SelfRef) => {
        $arguments.out.cast_mut()
    };
    ($arguments:ident, Index) => {
        $arguments.index
    };
    ($arguments:ident, Src) => {
        $arguments.src
    };
    ($arguments:ident, Value) => {
        $arguments.value
    };
    ($arguments:ident, Out) => {
        $arguments.out.cast_mut()
    };
    ($arguments:ident, Dim) => {
        $arguments.dim
    };
    ($arguments:ident, Reduce) => {
        $arguments.reduce
    };
    ($arguments:ident, IncludeSelf) => {
        $arguments.include_self
    };
    ($arguments:ident, Mode) => {
        0
    };
    ($arguments:ident, Unsafe) => {
        false
    };
    ($arguments:ident, Accumulate) => {
        $arguments.accumulate
    };
    ($arguments:ident, Indices) => {
        $arguments.indices
    };
    ($arguments:ident, ZeroedOut) => {
        $arguments.out
    };
    ($arguments:ident, Rows) => {
        $arguments.rows.unwrap_or_default()
    };
    ($arguments:ident, Padding) => {
        $arguments.padding
    };
    ($arguments:ident, Scale) => {
        $arguments.scale
    };
}
pub(crate) use argument;
