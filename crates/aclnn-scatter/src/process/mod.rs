//! State that all calls share: the CANN of the process, its settings, and the choice of an engine.

pub(crate) mod current;
pub(crate) mod engine;
pub(crate) mod fill_functions;
pub(crate) mod guard;
pub(crate) mod kernels;
pub(crate) mod log;
pub(crate) mod scope;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod vendor;
