//! The exported functions, by header. Each says its name, its arguments and which function here does the work.

pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod memory;
pub(crate) mod meta;
pub(crate) mod process;
pub(crate) mod stream;
pub(crate) mod unsupported;
