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
//! - **Memory** lives as long as work needs it: everything may be dropped at any time. See
//!   [`Stream`].
//! - **Streams** wait for each other where they meet in a tensor, on the device.
//! - **Threads**: everything but [`Executor`] is `Send` and `Sync`; the context that CANN wants is
//!   bound at each call.
//! - **Waiting**: operators never wait. What waits says so: [`Stream::synchronize`],
//!   [`Tensor::to_vec`](TensorBase::to_vec), printing a tensor (`{}` and `{:?}` show its elements),
//!   `close`, and dropping a [`Stream`].
//! - **Errors** are [`Error`], with CANN's code, its name and its words. An index out of range,
//!   which is found while a stream works, follows the data: see [`Stream::synchronize`]. An error
//!   that a drop meets is returned by the next call to the runtime. Nothing panics.
//!
//! # Which CANN
//! [`Runtime::load`] finds the installed one at run time; a program links nothing, and starts
//! without it. With feature `host`, `Runtime::host` is a CANN on the CPU, linked in: the same
//! program runs on a laptop. Which one is chosen is never changed in silence.
//!
//! # Features
//! - `host`: `Runtime::host`.
//! - `model`: [`Engine::Kernel`] on it, by a host model of Ascend C that runs the sources of the
//!   device's kernels.
//! - `ndarray`: arrays and views of any strides as the data of [`Tensor::new`](TensorBase::new),
//!   and `to_ndarray`.
//! - `dlpack`: `to_dlpack` and `from_dlpack`, to share memory with other libraries.
//! - `tracing`: spans `scatter` (with parameters, dtype and shapes), `plan`, `launch`, `copy` (with
//!   bytes) and `synchronize` of target `aclnn` at level debug.
//!
//! Elements of 16 bits are [`half`]'s, complex ones [`num_complex`]'s, always.

mod begun;
mod call;
mod device;
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

/// The examples of the guide are tests.
#[cfg(all(doctest, feature = "host"))]
mod documents {
    #[doc = include_str!("../../../docs/safe-api.md")]
    struct SafeApi;
}
