//! The program from outside: options, exit codes, reports, and files that are broken. Nothing here
//! depends on how long anything takes.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used)]

mod files;
mod own_tensors;
mod program;
mod suite;
mod vectors;
