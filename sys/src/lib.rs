//! CANN's C ABI: the runtime (`acl…`, `aclrt…`), tensors and executors, and the scatter operators
//! (`aclnn…`).
//!
//! Types, constants and prototypes keep their C names; they are generated from the headers in
//! `include/`, which have the layout of a toolkit's and are written for this crate. Calls are
//! passed on as they are: none is checked, repeated or reordered.
//!
//! # Calling CANN
//! With feature `loader` (default) [`Cann::load`] finds the CANN of the process, or else the
//! installed one. Every C function is a method of it and is looked up when it is first called;
//! without CANN, or with one that lacks the function, that one call is a [`LoadError`].
//!
#![cfg_attr(feature = "loader", doc = "```no_run")]
#![cfg_attr(not(feature = "loader"), doc = "```ignore")]
//! use aclnn_sys::{ACL_SUCCESS, Cann};
//!
//! let cann = Cann::load();
//! let mut count = 0;
//! // SAFETY: count is written, and any number of devices is a valid answer.
//! match unsafe { cann.aclrtGetDeviceCount(&mut count) } {
//!     Ok(ACL_SUCCESS) => println!("{count} devices"),
//!     Ok(code) => println!("{code}"),
//!     Err(error) => println!("no CANN: {error}"),
//! }
//! ```
//!
//! With feature `linked`, the module `linked` declares the same functions for the linker. Its build script links the
//! toolkit that `ASCEND_HOME_PATH` or `ASCEND_TOOLKIT_HOME` names; without one, the program's own
//! build decides what is linked. Types and constants alone need neither feature, nor `std`.
//!
//! # Two number spaces
//! The runtime returns an [`AclError`], operators return an [`AclnnStatus`]. Success is 0 in both,
//! and all other numbers differ, so they are two types. C enumerations are newtypes over integers,
//! because a library may return values that these headers do not know.
//!
//! # Features
//! `loader` (default): [`Cann`] and [`mod@fork`]; needs `std`. `linked`: `linked`.

#![cfg_attr(not(any(feature = "loader", test)), no_std)]
// Without this feature the links to `Cann` have no target.
#![cfg_attr(not(feature = "loader"), allow(rustdoc::broken_intra_doc_links))]

mod code;
mod display;
#[cfg(feature = "loader")]
pub mod fork;
#[cfg(feature = "loader")]
mod loader;

#[allow(non_camel_case_types, non_snake_case, clippy::unreadable_literal)]
#[path = "generated/bindings.rs"]
#[rustfmt::skip]
mod bindings;
#[allow(non_camel_case_types, non_snake_case, clippy::too_many_arguments)]
#[path = "generated/functions.rs"]
#[rustfmt::skip]
mod functions;

pub use bindings::*;
pub use code::{AclError, AclnnStatus};
#[cfg(feature = "linked")]
pub use functions::linked;
pub use functions::{FUNCTIONS, prototypes};
#[cfg(feature = "loader")]
pub use loader::{Cann, LoadError, Searched};
