//! What a scatter is, and two engines for it.
//!
//! The family: [`scatter_add`], [`scatter`], [`scatter_value`], [`scatter_reduce`],
//! [`scatter_nd_add`], [`scatter_nd_update`], [`index_copy`], [`index_add`], [`index_fill`],
//! [`index_put`] and [`scatter_update`], each in place or `_into` another tensor, [`gather`],
//! [`scatter_src_grad`] and [`embedding_backward`]; twelve [dtypes](DType), `i32` and `i64`
//! indices, up to eight axes, any strides. What they compute is fixed by the repository's
//! `docs/semantics.md`; the result is, bit for bit, that of one loop over index in row-major order.
//!
//! - The typed functions take [`View`] and [`ViewMut`] over slices, or `ndarray` arrays (feature
//!   `ndarray-0_17`).
//! - [`Problem`] is a scatter of which everything is checked that can be checked without the data.
//!   Other engines (a C ABI, device kernels) take it too.
//! - [`mod@reference`] is the contract as one readable loop; [`cpu`] is the parallel engine.
//!
//! No function panics; what is refused comes back as an [`Error`] that names operator, argument,
//! axis, expected and got, and has written nothing.
//!
//! # Features
//! - `rayon` (default): threads.
//! - `ndarray-0_17`: arrays and views of `ndarray` 0.17 as operands.
//!
//! `half`, `num-complex` and `bytemuck` are in public signatures at their versions 2, 0.4 and 1.
//! `unstable-internals` is for this crate's own repository, and not covered by semantic versioning.

mod axes;
mod dtype;
mod element;
mod error;
mod index_list;
mod layout;
#[cfg(feature = "ndarray-0_17")]
mod ndarray;
mod operator;
mod ops;
mod overlap;
mod problem;
mod reduce;
mod scalar;
mod shape;
#[cfg_attr(not(feature = "unstable-internals"), allow(dead_code, unreachable_pub))]
mod simd;
mod view;

pub mod cpu;
pub mod reference;

pub use axes::Axes;
pub use dtype::{DType, ParseDTypeError, UnsupportedDType};
pub use element::{Bool, Element, Index};
pub use error::{Argument, Error};
pub use half::{bf16, f16};
pub use index_list::IndexList;
pub use layout::{Layout, LayoutError};
pub use num_complex::Complex;
pub use operator::{Addressing, Numbers, Op, Operator, Parameter, Signature};
pub use ops::{
    embedding_backward, gather, index_add, index_add_into, index_copy, index_copy_into, index_fill,
    index_fill_into, index_put, index_put_into, scatter, scatter_add, scatter_add_into, scatter_into,
    scatter_nd_add, scatter_nd_add_into, scatter_nd_update, scatter_nd_update_into, scatter_reduce,
    scatter_reduce_into, scatter_src_grad, scatter_update, scatter_update_into, scatter_value,
    scatter_value_into,
};
pub use problem::{Addresses, Operand, Problem, Target};
pub use reduce::{ParseReduceError, Reduce};
pub use scalar::Scalar;
pub use shape::{Coordinates, MAX_RANK, Shape};
pub use view::{View, ViewMut};
