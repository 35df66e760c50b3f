//! The kernels on the strict host model, against the reference, bit for bit.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // helpers of tests

mod alpha;
mod case;
#[cfg(feature = "cost")]
mod choice;
mod elements;
mod entangled;
mod gather;
mod left;
mod lists;
#[cfg(feature = "cost")]
mod overlap;
mod random;
mod row_copies;
mod sample;
#[cfg(feature = "cost")]
mod shares;
mod sparse;
mod stored_whole;
mod sums;
mod tensor;
mod windows;
