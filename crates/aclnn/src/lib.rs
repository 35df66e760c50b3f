//! Ascend NPUs from safe Rust: devices, streams, tensors, the scatter family, and every other aclnn
//! operator through one two-phase [`Executor`].
//!
//! ```
//! # fn main() -> aclnn::Result<()> {
//! # // SAFETY: nothing else runs that reads the environment.
//! # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
//! use aclnn::{Runtime, Tensor};
//!
//! let stream = Runtime::host()?.device(0)?.stream()?; // on an Ascend host: Runtime::load()?
//! let mut input = Tensor::<f32>::zeros([5, 5], &stream)?;
//! let src = Tensor::<f32>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], &stream)?;
//! let index = Tensor::<i64>::new([[0, 0, 0], [2, 2, 2], [4, 4, 4]], &stream)?;
//! input.scatter_add_(0, &index, &src, &stream)?;
//! assert_eq!(input.to_vec(&stream)?[10..13], [4.0, 5.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # What it takes care of
//! - **Memory** lives as long as work on a stream uses it: everything may be dropped at any time.
//!   See [`Stream`].
//! - **Streams** wait for each other, on the device, where they use the same tensor.
//! - **Threads**: everything but executors is `Send` and `Sync`; each call makes the context that
//!   CANN needs current on its thread.
//! - **Waiting**: operators never wait. What waits for the device says so in its documentation, for
//!   example [`Stream::synchronize`], [`Tensor::to_vec`](TensorBase::to_vec), `copy_from_slice`,
//!   printing a tensor (`{}` and `{:?}` show its elements), [`Transfer::wait`], `close`, and
//!   dropping a [`Stream`].
//! - **Errors** are [`Error`], with CANN's code, the code's name and CANN's message. An index out
//!   of range is found while a stream works; whoever reads data computed by the failed work gets
//!   the error: see [`Stream::synchronize`]. An error in a drop stays pending until the next call
//!   that uses the same runtime returns it, as [`Error::Dropped`]. Nothing panics.
//!
//! # Which CANN
//! [`Runtime::load`] finds the installed CANN at run time; a program links nothing of CANN, and
//! starts where none is installed. With feature `host`, `Runtime::host` is a CANN on the CPU,
//! linked in: the same program runs on a laptop. Neither is ever used silently in place of the
//! other.
//!
//! # Features
//! - `host`: `Runtime::host`.
//! - `model`: [`Engine::Kernel`] with `Runtime::host`: a host model of Ascend C runs the sources of
//!   the device's kernels.
//! - `ndarray-0_17`: arrays and views of `ndarray` 0.17, of any strides, as the data of
//!   [`Tensor::new`](TensorBase::new), and `to_ndarray`.
//! - `dlpark-0_10`: `to_dlpack` and `from_dlpack`, to share memory with other libraries by `dlpark`
//!   0.10.
//! - `tracing`: spans `scatter` (with parameters, dtype and shapes), `plan`, `launch`, `copy` (with
//!   bytes) and `synchronize`, with target `aclnn` and level debug.
//!
//! Elements of 16 bits are types of [`half`], complex ones of [`num_complex`], with any features.

mod begun;
mod call;
mod device;
mod device_memory;
mod error;
mod event;
mod executor;
mod handle;
mod interop;
mod latch;
mod memory;
mod ops;
mod runtime;
mod scalar;
mod stream;
mod tensor;
mod trace;

pub use aclnn_scatter::Engine;
pub use aclnn_sys as sys;
pub use device::{Device, MemoryInfo};
pub use error::{Error, Result};
pub use event::Event;
pub use executor::{Executor, ExecutorOperand, PhaseTwo, RepeatableExecutor};
pub use memory::{DeviceBuffer, PinnedBuffer, Rejected, Transfer};
pub use ops::Update;
pub use runtime::Runtime;
pub use scalar::AclScalar;
pub use scatter::{
    self, Bool, Complex, DType, Element, Layout, LayoutError, Reduce, Scalar, Shape, bf16, f16,
};
pub use stream::{On, Stream};
pub use tensor::{
    Any, AnyTensor, Borrowed, BorrowedMut, Hold, HoldClone, HoldMut, HostData, IndexKind, IntoShape, Kind,
    Owned, Tensor, TensorBase, TensorView, TensorViewMut,
};
