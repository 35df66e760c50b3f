//! aclnnScatterAdd and its siblings as C functions, over whatever CANN the process has.
//!
//! The functions are those of CANN's headers: `aclnnScatterAdd`, `aclnnScatter`,
//! `aclnnInplaceScatter`, `aclnnScatterValue`, `aclnnInplaceScatterValue`, `aclnnScatterReduce`,
//! `aclnnInplaceScatterReduce` and `aclnnTfScatterAdd`, each with its `…GetWorkspaceSize`, and one
//! of our own, `aclnnScatterStreamStatus`. They are `extern "C"`, but under Rust paths ([`c`]): a
//! program that links this crate exports nothing, and can't get in the way of CANN's own. What they
//! compute, and in which order they refuse, is fixed by the repository's `docs/semantics.md`.
//!
//! # Which CANN
//! Tensors and streams are CANN's. [`Cann::load`](sys::Cann::load) finds it at the first call; a
//! Rust program can [`install`] another before that, such as host-cann's table. host-cann is told
//! from others by the symbol `hostcann_extension` alone.
//!
//! A Rust program that has several, or chooses an engine for each call, makes its calls in a
//! [`Scope`] with a [`Session`] of its own ([`open`]). One that has a [`scatter::Problem`] already
//! needs no C function: [`plan`].
//!
//! # Environment
//! | variable | meaning |
//! |---|---|
//! | `ACLNN_SCATTER_ENGINE` | who computes: `auto` (default), `cpu` (host-cann only), `vendor` (CANN's own operator), `kernel` (the Ascend C kernels); see [`Engine`] |
//! | `ACLNN_SCATTER_KERNELS` | on an Ascend host, the library of kernels, or its folder (beside this library) |
//! | `ACLNN_SCATTER_CHECK` | how an index out of range comes back: `flag` (default), `sync`, `off`; see [`Check`] |
//! | `ACLNN_SCATTER_LOG` | `1`: failures are written to the standard error |
//!
//! They are read once. [`set_engine`] and [`set_check`] choose for the process. What can't be
//! honoured is an error of each call, never something else in silence.
//!
//! # Phase one
//! It reads the tensors, checks every rule that needs no data, and makes an executor.
//! `*workspaceSize` is 0 for the CPU engine, for the kernels 64 bytes for each block that looks at
//! index and what launches leave for those behind them (or what `aclnnInplaceFillScalar` needs
//! before them, if that is more), and CANN's own operators have their own. Nothing is written on
//! failure. Codes: 161001 for a null, 561103 for a tensor that does not lie inside its storage,
//! 161002 for every other rule, 361001 where CANN is missing (and in a fork), 561003 where no
//! engine can compute, 561101 where host-cann takes no executor, 561000 for a bug of this library.
//! A handle that CANN's getters refuse is refused with their code. An address may be null, for one
//! that comes later. The words are in host-cann's `aclGetRecentErrMsg`, and in
//! [`take_error_message`] everywhere.
//!
//! # Features
//! `model`: the host model of Ascend C, so that engine `kernel` runs on host-cann.
//!
//! # Executors
//! An executor runs once. On host-cann CANN's own executor calls serve it: it can be made
//! repeatable, its addresses can be changed (tensors are counted as the prototype of phase one
//! lists them; in place, `selfRef` is input 0 and output 0; a tensor that was given for self and
//! for out has one address), and it can be destroyed. So an executor can be built from tensors
//! without addresses, and be given addresses before each run. Phase two tells of an address that is
//! still null (161001), and of tensors that overlap now (161002). Then nothing is touched; an
//! executor that runs once has ended, as in CANN, where a phase two that fails ends it, and a
//! repeatable one stays. On another CANN these calls refuse it: the handle is the address of zeros
//! that are never freed, without the magic number that they look for. There an executor can't be
//! repeated, nor destroyed without being run.
//!
//! Phase two refuses with 161002 an executor that has run or was destroyed, one of another pair,
//! and, on host-cann, any other address. On another CANN an executor that is not ours is CANN's
//! own, and is handed on to it.
//!
//! # Phase two
//! It enqueues and returns. The CPU engine runs as a host function of the stream. It checks every
//! index value before it writes, so that a refused call leaves everything as it was. What becomes
//! of the first bad value:
//!
//! | `ACLNN_SCATTER_CHECK` | phase two | `aclnnScatterStreamStatus` | host-cann's next synchronisation of the stream |
//! |---|---|---|---|
//! | `flag` | returns 0 at once | tells the first since it was last asked | 507018, with operator, position, value and size in words |
//! | `sync` | waits, returns 161002 with the words | nothing | 0 |
//! | `off` | returns 0 at once | nothing | 507018, as above |
//!
//! On host-cann the memory is checked before anything is touched, as a device does it: each tensor
//! from its first element to its last (of src the block that is read) and the workspace must lie in
//! one living allocation of the stream's device. Host memory that `aclrtHostRegister` has not
//! mapped, freed memory, another device's, or an allocation that is too small fails the stream: its
//! next synchronisation returns 507035, with operator, argument, address, the bytes wanted and the
//! bytes there in words. With `sync` phase two waits and returns 361001 with the words, and the
//! stream has no failure left. See the repository's `docs/c-abi.md`.
//!
//! Work that a stream drops (it was aborted, or stops after a failure) is never done.
//! A null stream is the default stream of the thread's context in all of these.
//!
//! # Forks
//! In a fork of a process that has called a function here or of host-cann's, every call returns
//! 361001 with words that name the fork, whatever the CANN; [`discard`] finds no executor,
//! [`live_executors`] counts none, and [`take_stream_errors`] tells nothing. Nothing waits.
//!
//! # Values
//! CANN's ABI has no getter for an `aclScalar`. host-cann's extension has one. Elsewhere CANN's own
//! `aclnnInplaceFillScalar` writes the value, as self's dtype, into 32 bytes of device memory,
//! which phase one allocates, and the kernels read it there. Every rule but the value's is checked;
//! a value that self's dtype can't represent is converted as CANN does it, and what CANN refuses is
//! refused with its code. A CANN without that function is handed the value operators whole.
//!
//! # Stricter than CANN, or otherwise
//! | call | CANN | here |
//! |---|---|---|
//! | null tensor, with a wrong `reduce` or dtype | `ScatterReduce` tells the dtype first on A2 | 161001 first |
//! | `aclnnScatter`, `reduce` outside 0 to 5 | taken for 0 | 161002 |
//! | `ScatterReduce` | f32, add and `includeSelf` only, on A2 and A3 | every dtype, every reduction that it has |
//! | max or min of a complex dtype, mean of bool | an error of the kernel | 161002 in phase one |
//! | `ScatterValue`, index empty | no dtype is checked | dtypes of self and out are, and the value |
//! | index empty, out in another shape | 561103, or a copy | 161002 |
//! | rank of self above 8 | told after the shapes | told before them, and also where index is empty |
//! | out of rank 0, self of another shape | not compared | 161002 |
//! | self of rank 0 with index of rank 1, and so on | an error on A2 | rank 0 counts as `[1]` |
//! | out overlapping itself, index, src, or self in part | not detected | 161002 |
//! | self, where out is another tensor | written by three fast paths | never written |
//! | a negative stride, size or offset; an address that is not aligned, of a tensor with elements | 561103, or undefined | 561103 |
//! | phase two, an address that is null, of a tensor with elements that the work touches | undefined | 161001, and nothing is touched |
//! | a format other than ND | a warning in the log | not looked at: shape, strides and offset say where elements are |
//! | an index value outside `[-size, size)` | undefined | see above |
//! | a negative index value | undefined | counts from the end |
//! | a scalar that self's dtype can't represent | converted somehow | 161002 on host-cann |
//! | `TfScatterAdd` of other dtypes than f32, f16, bf16, i32, i8, u8 | 161002 | computed |
//! | `TfScatterAdd`, `indices.shape[-1] == 0` in the nd form | empty: nothing to do | the same ([`PreparedScatter`] adds every update to the whole of self) |
//! | `TfScatterAdd` of an empty varRef with indices, row form | 161002 | an index out of range, when it runs |
//! | `TfScatterAdd`, row form, indices with 8 axes | computed | 161002 where no two neighbouring axes can be read as one |
//! | phase two of another pair than phase one | runs | 161002; the executor stays |
//! | phase two, workspace null and workspaceSize not 0, of a repeatable executor | 161001, destroyed | 161001; it stays |

mod api;
mod dtype;
mod entry;
mod executor;
mod failure;
mod function;
mod pair;
mod phase_one;
mod phase_two;
mod prepared;
mod process;
mod refusal;
mod src_grad;
mod table;

/// The functions under their C names.
pub mod c {
    pub use crate::api::*;
}

pub use crate::dtype::acl_dtype;
pub use crate::executor::call::Operands;
pub use crate::executor::{discard, live_executors};
pub use crate::pair::{Handles, Pair};
pub use crate::phase_one::scalar_of;
pub use crate::phase_two::stream_errors::{StreamError, take_stream_errors};
pub use crate::prepared::{Planned, PreparedScatter, function_name, plan};
pub use crate::process::current::{AlreadyInstalled, cann, install};
pub use crate::process::guard::take_error_message;
pub use crate::process::kernels::kernel_library;
pub use crate::process::scope::{Scope, numbered};
pub use crate::process::session::{Session, open};
pub use crate::process::settings::{Check, Engine, set_check, set_engine};
pub use crate::src_grad::launch_src_grad;
pub use crate::table::table;
pub use aclnn_sys as sys;
