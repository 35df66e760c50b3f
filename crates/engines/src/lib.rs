//! What the conformance suite and the benchmarks share: calls with their tensors, every engine
//! behind one trait, and the judge that compares an engine's outcome with the expected one.
//!
//! A new engine is a file in `engine/`.

pub mod call;
pub mod case;
pub mod engine;
mod exit;
pub mod host;
pub mod judge;
pub mod operator;
pub mod random;
pub mod refusal;
pub mod report_file;
#[cfg(test)]
mod sample;
pub mod storage;
pub mod tensor;
pub mod threads;
pub mod usage;

pub use exit::Exit;
