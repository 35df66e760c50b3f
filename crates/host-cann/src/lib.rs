//! CANN's runtime and tensor C ABI on the CPU, so that programs for Ascend NPUs run without one.
//!
//! A device is memory with bounds, and streams that each have a thread. It is CANN without
//! operators: those come from an operator library, whose executors are served here through
//! [`hostcann_extension`]. What CANN documents as an error is that error here, with a message in
//! `aclGetRecentErrMsg`; a function that is not implemented fails with `ACL_ERROR_API_NOT_SUPPORT`
//! (in the tensor API: `ACLNN_ERR_INNER`) and a message with its name. Handles are validated, never
//! read through, and never used twice.
//!
//! Operators may only access memory that a device could access. A library of operators calls the
//! extension's `holdMemory` from its host function with the bytes that it will access: each range
//! must lie in one existing allocation of the stream's device (of `aclrtMalloc`, of `aclrtMapMem`,
//! or host memory of `aclrtHostRegister`), which is kept until the host function returns. If one
//! does not, the stream fails with 507035, the exception of a vector core, and a message, and the
//! library accesses nothing.
//!
//! The functions are `extern "C"`, but under Rust paths: a program that links this crate exports
//! nothing. It embeds it with [`Cann::from_table`](aclnn_sys::Cann::from_table):
//!
//! ```
//! use aclnn_sys::{ACL_SUCCESS, Cann};
//!
//! # // SAFETY: nothing else runs that reads the environment.
//! # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
//! let cann = Cann::from_table(host_cann::table());
//! // SAFETY: the functions are those of this crate, and the pointers are valid.
//! unsafe {
//!     assert_eq!(cann.aclInit(std::ptr::null()), Ok(ACL_SUCCESS));
//!     assert_eq!(cann.aclrtSetDevice(0), Ok(ACL_SUCCESS));
//!     let mut memory = std::ptr::null_mut();
//!     assert_eq!(cann.aclrtMalloc(&mut memory, 1024, aclnn_sys::ACL_MEM_MALLOC_HUGE_FIRST), Ok(ACL_SUCCESS));
//!     assert_eq!(cann.aclrtFree(memory), Ok(ACL_SUCCESS));
//!     assert_eq!(cann.aclFinalize(), Ok(ACL_SUCCESS));
//! }
//! assert_eq!(host_cann::Counters::leftovers(), Some(host_cann::Counters::default()));
//! ```
//!
//! # Forks
//! A fork of a process that has called a function here has none of the streams' threads: every call
//! there fails with a message that names the fork, and none waits. Functions that use nothing that
//! threads share (`aclrtGetDeviceCount`, `aclDataTypeSize`, those that return errors) work all the
//! same, and may be called before a fork.
//!
//! # Environment
//! | variable | meaning |
//! |---|---|
//! | `HOST_CANN_DEVICES` | how many devices there are, 1 to 64 (2) |
//! | `HOST_CANN_MEMORY` | bytes of memory of each device, as `512M` (8G) |
//! | `HOST_CANN_SOC` | what `aclrtGetSocName` says (`HostCann`) |
//! | `HOST_CANN_DEBUG` | `1`: guard pages behind allocations, poison in and around them, exact bounds |
//! | `HOST_CANN_EXTENSION` | `0`: hides from operator libraries what CANN doesn't have |
//! | `HOST_CANN_HOST_ACCESS` | `0`: the host can't touch the memory of devices, as it can't that of an NPU |
//! | `HOST_CANN_QUIET` | `1`: nothing is written to the standard error |

mod acl_json;
mod aclop;
mod api;
mod callback;
mod config;
mod context;
mod counters;
mod device;
mod entry;
mod errors;
mod event;
mod exception;
mod extension;
mod failure;
mod fault;
mod handle;
mod memory;
mod meta;
mod params;
mod process;
mod stream;
mod sync;
mod table;
mod tdt;
mod version;

/// The functions under their C names.
pub mod c {
    pub use crate::api::aclop::*;
    pub use crate::api::context::*;
    pub use crate::api::device::*;
    pub use crate::api::event::*;
    pub use crate::api::memory::*;
    pub use crate::api::meta::*;
    pub use crate::api::process::*;
    pub use crate::api::stream::*;
    pub use crate::api::tdt::*;
    pub use crate::api::unsupported::*;
    pub use crate::extension::{hostcann_extension, hostcann_hold_memory};
}

pub use counters::Counters;
pub use extension::{hostcann_extension, hostcann_hold_memory};
pub use sync::waiting_threads;
pub use table::table;
