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
    )+) => {
        /// The operators of `host-ops`.
        pub mod host_operators {
            use aclnn_sys::{AclnnStatus, aclOpExecutor, aclrtStream};
            use core::ffi::c_void;
            use host_ops::c as functions;

            forwarders! {$(
                fn $first(
                    $($parameter: host_ops::c_type!($kind),)*
                    workspace_size: *mut u64,
                    executor: *mut *mut aclOpExecutor
                ) -> AclnnStatus;
                fn $second(
                    workspace: *mut c_void,
                    workspace_size: u64,
                    executor: *mut aclOpExecutor,
                    stream: aclrtStream
                ) -> AclnnStatus;
            )+}
            export! { $($first $second)+ }
        }
    };
}

host_ops::for_each_operator!(operators);
