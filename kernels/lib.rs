//! The scatter family as Ascend C kernels: the plan of a call, and its launch on a device or on the
//! host model.
//!
//! - [`plan()`] decides which kernels run for a [`scatter::Problem`], and with which tilings: a
//!   pure function of the problem and the [`Soc`]. [`plan_list`] does it for an `index_put` by
//!   several index tensors.
//! - [`Kernels`] launches a plan: on a device, with a library that `CMakeLists.txt` builds with the
//!   CANN toolkit, or on the host model of Ascend C, which runs the same sources on the CPU and is
//!   stricter than the hardware.
//! - [`Probes`](probes::Probes) measure what a device's instructions cost.
//! - [`bad_index`] reads the status words that a launch leaves.
//!
//! `docs/kernels.md` in the repository explains the kernels.
//!
//! # Features
//! - `model` (default): the host model, built by a C++ compiler and linked in.
//! - `cost`: the kernels compiled so that the model charges them for their loops and basic blocks,
//!   too.

pub mod launch;
#[cfg(feature = "model")]
pub mod model;
pub mod plan;
pub mod probes;
pub mod soc;
pub mod tiling;

pub use launch::{Kernels, LaunchMemory, Range};
pub use plan::{Algorithm, Plan, Unsupported, bad_index, plan, plan_list};
pub use soc::Soc;
