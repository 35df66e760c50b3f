//! Runs the program as a process: options, exit codes, reports, and corrupt files. No test depends
//! on times.

// clippy.toml allows this in test functions only, not in their helpers.
#![allow(clippy::unwrap_used)]

mod files;
mod own_tensors;
mod program;
mod soak;
mod suite;
mod vectors;
