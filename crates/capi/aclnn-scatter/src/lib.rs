//! `libaclnn_scatter.so`: the operators of the crate `aclnn-scatter` under CANN's names, with
//! `aclnnScatterStreamStatus`, and nothing else.
//!
//! Programs link it in the place of `libopapi.so`, or find it as `libcust_opapi.so` in an operator
//! package; `cargo xtask host-toolkit` and `cargo xtask op-package` lay these out.

#[macro_use]
#[path = "../../forward.rs"]
mod forward;

use aclnn_scatter::c as functions;

aclnn_sys::for_each_function!(forwarders);
aclnn_scatter::for_each_name!(export);
