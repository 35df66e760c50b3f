//! The `aclnn` operators, beside the scatters, without which a session of stock torch_npu or stock
//! MindSpore can't be had on host-cann.
//!
//! Such a session makes tensors, copies, casts, compares and prints them with CANN's operators, and
//! the scatters that this repository is about are of little use to it without. So these operators
//! exist for the sake of sessions: they are correct and general, and never fast; nobody should
//! compute with them for their own sake. They compute on host-cann alone, on the CPU. On an Ascend
//! host CANN's own operators do it. The repository's `docs/host-ops.md` has the list and the rules.
//!
//! The functions are `extern "C"` with the prototypes of CANN's documents, but have Rust paths
//! ([`c`]): a program that links this crate exports no C symbols. The host toolkit's `libopapi.so`
//! exports them. [`for_each_operator!`] is the list of all, and each entry names the few lines that
//! check and compute it.
//!
//! # Calls
//! Phase one reads the tensors, checks all that needs no data, and makes an executor; it needs no
//! workspace. Its codes are 161001 for a null pointer, 561103 for a tensor that does not lie inside
//! its storage, 161002 for what an operator doesn't compute, and 561003 on another CANN. The
//! message in `aclGetRecentErrMsg` names operator, argument, what was expected and what was given;
//! 561003 has none, because host-cann's extension keeps the messages. The address of a tensor may
//! be null, and be set later.
//!
//! Phase two runs the work as a host function of the stream, which holds the memory as a device
//! does: memory that a device could not access fails the stream with 507035. An index out of range
//! fails it with 507018, and nothing is written.
//!
//! CANN's executor functions work with the executors: one can be made repeatable (but for
//! `aclnnCat` and `aclnnIndex`, whose lists can't be given other addresses), be given other
//! addresses, and be destroyed. Tensors are counted in the order of the prototype, and the one that
//! is written again as output 0; a tensor that was given twice has one address.
//!
//! Inputs and out may overlap: everything is read before anything is written.

mod call;
mod dtype;
mod element;
mod executor;
mod failure;
mod functions;
mod guard;
mod held;
mod host;
mod operators;
mod phase_one;
mod phase_two;
mod tensor;
mod values;

/// The C functions.
pub mod c {
    pub use crate::functions::*;
}

pub use host::install;
pub use operator_abi::AlreadyInstalled;
