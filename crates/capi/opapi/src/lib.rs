//! `libopapi.so` of the host toolkit: the operators of the crates `aclnn-scatter` and `host-ops`
//! under CANN's names, and nothing else.
//!
//! Clients look CANN's tensor functions up through the handle of this library, too: it depends on
//! `libnnopbase.so` and `libascendcl.so`, as CANN's does.

#[macro_use]
#[path = "../../forward.rs"]
mod forward;

use aclnn_scatter::c as functions;

aclnn_sys::for_each_function!(forwarders);
aclnn_scatter::for_each_name!(export);

/// For `host_ops::for_each_operator!`: exports both functions of every operator.
macro_rules! operators {
    ($(
        $(#[$doc:meta])*
        $first:ident, $second:ident($($parameter:ident: $kind:ident),*) => $family:ident::$operator:ident;
    )+) => {$(
        #[doc = concat!("[`", stringify!($first), "`](host_ops::c::", stringify!($first), ") under its C name.")]
        ///
        /// # Safety
        /// As there.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $first(
            $($parameter: host_ops::c_type!($kind),)*
            workspaceSize: *mut u64,
            executor: *mut *mut aclnn_sys::aclOpExecutor,
        ) -> aclnn_sys::AclnnStatus {
            // SAFETY: both functions have the same contract.
            unsafe { host_ops::c::$first($($parameter,)* workspaceSize, executor) }
        }

        #[doc = concat!("[`", stringify!($second), "`](host_ops::c::", stringify!($second), ") under its C name.")]
        ///
        /// # Safety
        /// As there.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $second(
            workspace: *mut core::ffi::c_void,
            workspaceSize: u64,
            executor: *mut aclnn_sys::aclOpExecutor,
            stream: aclnn_sys::aclrtStream,
        ) -> aclnn_sys::AclnnStatus {
            // SAFETY: both functions have the same contract.
            unsafe { host_ops::c::$second(workspace, workspaceSize, executor, stream) }
        }
    )+};
}

host_ops::for_each_operator!(operators);
