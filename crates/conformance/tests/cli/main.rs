//! Runs the program as a process: options, exit codes, reports, and corrupt files. No test depends
//! on times.

// clippy.toml allows this in test functions only, not in their helpers.
#![allow(clippy::unwrap_used)]

mod closed;
mod counts;
mod files;
mod html;
mod own_tensors;
mod page;
mod program;
mod soak;
mod suite;
mod vectors;
