//! `libopapi.so` of a host toolkit tree: the functions of `libaclnn_scatter.so`, in a library that
//! needs the tree's `libnnopbase.so` and `libascendcl.so`, as CANN's own does. An operator package
//! has no such needs: it takes the CANN that the process has.

#[macro_use]
#[path = "../../forward.rs"]
mod forward;

use aclnn_scatter::c as functions;

aclnn_sys::for_each_function!(forwarders);
aclnn_scatter::for_each_name!(export);
