//! The values of index: whether they are valid, whether rows share one, and where updates go.

pub(in crate::cpu) mod check;
pub(in crate::cpu) mod constant;
pub(in crate::cpu) mod numbers;
pub(in crate::cpu) mod partition;
pub(in crate::cpu) mod range;
pub(in crate::cpu) mod storage;
pub(in crate::cpu) mod targets;
