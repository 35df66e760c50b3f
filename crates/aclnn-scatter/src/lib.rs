//! `aclnnScatterAdd` and its siblings as C functions, on top of the CANN that the process uses.
//!
//! The functions are those of CANN's headers: `aclnnScatterAdd`, `aclnnScatter`,
//! `aclnnInplaceScatter`, `aclnnScatterValue`, `aclnnInplaceScatterValue`, `aclnnScatterReduce`,
//! `aclnnInplaceScatterReduce`, `aclnnTfScatterAdd`, `aclnnScatterNd`, `aclnnScatterNdUpdate`,
//! `aclnnIndexCopy`, `aclnnInplaceIndexCopy`, `aclnnIndexAdd`, `aclnnIndexAddV2`, `aclnnIndexFill`,
//! `aclnnInplaceIndexFill`, `aclnnIndexPutImpl`, `aclnnInplaceScatterUpdate`, `aclnnGather` and
//! `aclnnEmbeddingDenseBackward`, each with its `…GetWorkspaceSize`, and one that CANN does not
//! have, `aclnnScatterStreamStatus`. They are `extern "C"`, but have Rust paths ([`c`]): a program
//! that links this crate exports no C symbols, so it can't shadow CANN's own functions. The
//! repository's `docs/semantics.md` defines what they compute, and in which order they check their
//! arguments.
//!
//! # Which CANN
//! CANN makes the tensors and streams. [`Cann::load`](sys::Cann::load) finds it at the first call;
//! a Rust program can [`install`] another one before that, such as host-cann's table. host-cann is
//! recognised only by its symbol `hostcann_extension`.
//!
//! A Rust program that uses several CANNs, or chooses an engine for each call, makes its calls in a
//! [`Scope`] with a [`Session`] that it [`open`]s. A program that already has a
//! [`scatter::Problem`] needs no C function: see [`plan`].
//!
//! # Environment
//! | variable | meaning |
//! |---|---|
//! | `ACLNN_SCATTER_ENGINE` | the engine: `auto` (default), `cpu` (host-cann only), `vendor` (CANN's own operator), `kernel` (the Ascend C kernels); see [`Engine`] |
//! | `ACLNN_SCATTER_KERNELS` | on an Ascend host, the library of kernels or its folder (default: the folder of this library) |
//! | `ACLNN_SCATTER_CHECK` | how an index out of range is reported: `flag` (default), `sync`, `off`; see [`Check`] |
//! | `ACLNN_SCATTER_LOG` | `1`: write failures to the standard error |
//!
//! They are read once. [`set_engine`] and [`set_check`] override them for the process. A setting
//! that can't be honoured makes each call fail; nothing else is silently used instead. (On an
//! Ascend host `auto` leaves to CANN what the kernels can't compute: `aclnnIndexAdd` and
//! `aclnnIndexAddV2`, whose alpha can't be read there, `aclnnIndexPutImpl`, whose list can't, and
//! calls with more updates than the kernels can count.)
//!
//! # Phase one
//! Phase one reads the tensors, checks every rule that needs no data, and makes an executor.
//! `*workspaceSize` is 0 for the CPU engine. For the kernels it is 64 bytes for each block that
//! checks index, and the data that launches leave for later ones (or what `aclnnInplaceFillScalar`
//! needs before them, if that is more). CANN's own operators decide it themselves. On failure
//! nothing is written. Codes: 161001 for a null pointer, 561103 for a tensor that does not lie
//! inside its storage, 161002 for every other rule, 361001 where CANN is missing (and in a fork),
//! 561003 where no engine can compute the call, 561101 where host-cann takes no executor, 561000
//! for a bug of this library. A handle that CANN's getters refuse is refused with their code. The
//! address of a tensor may be null, and be set later. The message is in host-cann's
//! `aclGetRecentErrMsg`, and with every CANN in [`take_error_message`].
//!
//! # Features
//! `model`: the host model of Ascend C, so that engine `kernel` runs on host-cann.
//!
//! # Executors
//! An executor runs once. On host-cann, CANN's own executor functions work with it: it can be made
//! repeatable, its addresses can be changed (tensors are numbered in the order of the prototype of
//! phase one; in place, `selfRef` is input 0 and output 0; a tensor that was given both for self
//! and for out has one address; those of a list are changed by `aclSetDynamicInputTensorAddr`), and
//! it can be destroyed. So an executor can be built from tensors without addresses, and be given
//! addresses before each run. Phase two refuses an address that is still null (161001), and tensors
//! that now overlap (161002). No memory is touched then. As in CANN, the failure ends an executor
//! that runs once, but not a repeatable one. On another CANN these functions refuse the executor:
//! its handle points to zeros, which are never freed, and lacks the magic number that they look
//! for. There an executor can't be made repeatable, nor be destroyed without being run.
//!
//! Phase two refuses with 161002 an executor that has run or was destroyed, one of another pair,
//! and, on host-cann, any address that is not an executor. On another CANN, an executor that this
//! library did not make is CANN's own, and the call is forwarded to CANN.
//!
//! # Phase two
//! Phase two enqueues the work and returns. The CPU engine runs as a host function of the stream.
//! It checks every index value before it writes anything, so that a refused call changes nothing.
//! How the first index out of range is reported:
//!
//! | `ACLNN_SCATTER_CHECK` | phase two | `aclnnScatterStreamStatus` | host-cann's next synchronisation of the stream |
//! |---|---|---|---|
//! | `flag` | returns 0 at once | reports the first one since the last call | 507018, with a message that names operator, position, value and size |
//! | `sync` | waits, returns 161002 with the message | reports nothing | 0 |
//! | `off` | returns 0 at once | reports nothing | 507018, with the same message |
//!
//! On another CANN the synchronisation returns 0. `ACLNN_SCATTER_LOG=1` also writes the index out
//! of range of a `flag`: on host-cann when it is found; on another CANN when the kernels' status
//! words are read, by the next call on the stream, by one on another stream of its context, or by
//! `aclnnScatterStreamStatus`.
//!
//! On host-cann the memory is checked before it is touched, as a device does: each tensor from its
//! first element to its last (of src only the block that is read) and the workspace must each lie
//! in one live allocation of the stream's device. Host memory that `aclrtHostRegister` has not
//! mapped, freed memory, memory of another device, and an allocation that is too small fail the
//! stream: its next synchronisation returns 507035, with a message that names operator, argument,
//! address, the bytes needed and the bytes there. With `sync`, phase two waits and returns 361001
//! with the message, and the stream has no failure left. See the repository's `docs/host-cann.md`.
//!
//! Work that a stream drops (because it was aborted, or stops after a failure) is never done. A
//! null stream stands for the default stream of the thread's context in all these functions.
//!
//! # Forks
//! In a fork of a process that has called a function of this crate or of host-cann, every call
//! returns 361001 with a message about the fork, with any CANN; [`discard`] finds no executor,
//! [`live_executors`] returns 0, and [`take_stream_errors`] nothing. No call waits.
//!
//! # Values
//! CANN's ABI has no getter for the value of an `aclScalar`; host-cann's extension has one. With
//! another CANN, its own `aclnnInplaceFillScalar` writes the value, in self's dtype, into 32 bytes
//! of device memory, which phase one allocates, and the kernels read it there. Every rule except
//! the one about the value is checked; a value that self's dtype can't represent is converted as
//! CANN does it, and a scalar that CANN refuses is refused with its code. With a CANN that lacks
//! this function, CANN's own operators compute the calls that take a value.
//!
//! # Differences from CANN
//! | call | CANN | here |
//! |---|---|---|
//! | null tensor, with a wrong `reduce` or dtype | `ScatterReduce` reports the dtype first on A2 | 161001 first |
//! | `aclnnScatter`, `reduce` outside 0 to 5 | treated as 0 | 161002 |
//! | `ScatterReduce` | f32, add and `includeSelf` only, on A2 and A3 | every dtype, with every reduction defined for it |
//! | max or min of a complex dtype, mean of bool | an error of the kernel | 161002 in phase one |
//! | `ScatterValue`, index empty | dtypes are not checked | dtypes of self and out are checked, and the value |
//! | index empty, out in another shape | 561103, or a copy | 161002 |
//! | rank of self above 8 | checked after the shapes | checked before them, and also where index is empty |
//! | out of rank 0, self of another shape | not compared | 161002 |
//! | self of rank 0 with index of rank 1, and so on | an error on A2 | rank 0 counts as `[1]` |
//! | out overlapping itself, index, src, or self in part | not detected | 161002 |
//! | self, where out is another tensor | written by three fast paths | never written |
//! | a negative stride, size or offset; an address that is not aligned, of a tensor with elements | 561103, or undefined | 561103 |
//! | phase two, an address that is null, of a tensor with elements that the work touches | undefined | 161001, and nothing is touched |
//! | a format other than ND | a warning in the log | ignored: shape, strides and offset say where elements are |
//! | an index value outside `[-size, size)` | undefined | skipped, or the call is refused, and reported in both cases (not of `IndexAdd` and `IndexPutImpl` on an Ascend host) |
//! | a negative index value | undefined | counts from the end (not of `IndexAdd` and `IndexPutImpl` on an Ascend host) |
//! | a scalar that self's dtype can't represent | converted in an unspecified way | 161002 on host-cann |
//! | `TfScatterAdd` of other dtypes than f32, f16, bf16, i32, i8, u8 | 161002 | computed |
//! | `TfScatterAdd`, `ScatterNd` and `ScatterNdUpdate`, `indices.shape[-1] == 0` in the nd form | counts as empty: does nothing | counts as empty, too ([`PreparedScatter`] applies every update to the whole of self) |
//! | `ScatterNd`, an empty tensor | out is not written | out becomes equal to data |
//! | `ScatterNd` of other dtypes than f32, f16, bf16, bool | 161002 | computed |
//! | `ScatterNdUpdate` of other dtypes than f32, f16, bf16, bool, i64, i32, i16, i8 | 161002 | computed |
//! | `ScatterNdUpdate`, an empty tensor | shapes are not checked | shapes are checked |
//! | `ScatterNdUpdate` of rank above 8, or of shapes that don't fit | a warning in the log, or an error below phase one | 161002 |
//! | `Gather`, the order of dim, index's shape and an empty index | dim, empty, index within self | empty, index within self, dim |
//! | `Gather`, self of size 0 along dim | 161002 | an index out of range, when the work runs |
//! | `Gather` of u16, u32, u64 | computed | 161002 |
//! | `Gather` of complex dtypes | 161002 | computed on host-cann |
//! | `IndexAdd`, self or source empty | out is not written | out becomes equal to self (on host-cann) |
//! | `IndexAdd`, a float for alpha of integers | converted; `IndexAddV2`: 161002 | truncated on host-cann |
//! | `IndexAdd`, order and precision of sums | not determined; alpha may be in self's dtype | those of docs/semantics.md on host-cann |
//! | `EmbeddingDenseBackward`, indices of other dtypes than i32 and i64 | converted | 161002 |
//! | `EmbeddingDenseBackward`, out of another dtype than grad | converted | 161002 |
//! | `EmbeddingDenseBackward` of other dtypes than f32, f16, bf16 | 161002 | computed |
//! | `EmbeddingDenseBackward`, grad of another shape than indices' and one more axis | accepted where it has as many rows as indices has elements | 161002 |
//! | `EmbeddingDenseBackward`, scaleGradByFreq | the sum is multiplied by the rounded 1 / count | it is divided by the count, and rounded once |
//! | `IndexAdd` of complex dtypes | 161002 | computed on host-cann |
//! | `IndexAddV2`, mode | chooses a path, of which some ignore alpha, or take rank 2 only | ignored on host-cann; passed on to CANN on an Ascend host |
//! | `IndexPutImpl`, index tensors of bool, which are masks | taken | 161002 |
//! | `IndexPutImpl`, values that can't be broadcast | an error when the work runs, or nothing where a tensor is empty | 161002 |
//! | `IndexPutImpl` of complex dtypes | 161002 | computed on host-cann |
//! | `InplaceScatterUpdate` of other dtypes than f32, f16, bf16, i32, i8 | 161002 | computed |
//! | `InplaceScatterUpdate`, axis 0; shapes that don't fit | 161002, or an error when the work runs | 161002 |
//! | `InplaceScatterUpdate`, more rows of two columns than data has blocks | refused | computed |
//! | `IndexCopy`, self or index empty | out is not written | out becomes equal to self |
//! | `IndexCopy` of u32, u64 | computed on some devices | 161002 |
//! | `IndexCopy`, source's shape | dim is checked first | dim is checked last |
//! | `IndexFill`, an index value out of range | skipped | reported, as in every call |
//! | `IndexFill`, self empty | only dtypes are checked | everything is checked |
//! | `IndexFill`, index of several axes | accepted | 161002 |
//! | `IndexFill` of other dtypes than f32, f16, bf16, i64, i32, bool | 161002 on A2 and A3 | computed |
//! | `TfScatterAdd` of an empty varRef with indices, row form | 161002 | an index out of range, when the work runs |
//! | `TfScatterAdd`, row form, indices with 8 axes | computed | 161002 unless two neighbouring axes can be merged |
//! | phase two of another pair than phase one | runs | 161002; the executor stays valid |
//! | phase two, workspace null and workspaceSize not 0, of a repeatable executor | 161001, the executor is destroyed | 161001; the executor stays valid |

mod api;
mod dtype;
mod entry;
mod executor;
mod failure;
mod function;
mod pair;
mod pairs;
mod phase_one;
mod phase_two;
mod prepared;
mod process;
mod refusal;
mod table;

/// The C functions.
pub mod c {
    pub use crate::api::*;
}

pub use crate::dtype::acl_dtype;
pub use crate::executor::call::Operands;
pub use crate::executor::{discard, live_executors};
pub use crate::pair::{Handles, OperatorPair};
pub use crate::phase_one::scalar_of;
pub use crate::phase_two::stream_errors::{StreamError, take_stream_errors};
pub use crate::prepared::{Planned, PreparedScatter, function_name, plan};
pub use crate::process::current::{cann, install};
pub use crate::process::guard::take_error_message;
pub use crate::process::kernels::kernel_library;
pub use crate::process::scope::{Scope, numbered};
pub use crate::process::session::{Session, open};
pub use crate::process::settings::{Check, Engine, set_check, set_engine};
pub use crate::table::table;
pub use aclnn_sys as sys;
pub use operator_abi::AlreadyInstalled;
