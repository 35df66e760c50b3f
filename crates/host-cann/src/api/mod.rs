//! The exported functions, by header. Each has its name, its arguments and a call of the function
//! that does the work.

pub(crate) mod aclop;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod memory;
pub(crate) mod meta;
pub(crate) mod process;
pub(crate) mod stream;
pub(crate) mod tdt;
pub(crate) mod unsupported;
