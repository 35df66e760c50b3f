//! The plan of a scatter: which loops run, how tasks share the work, and what memory they need. A
//! pure function of the scatter, the machine and what tests set, made when it is known whether
//! index is constant along rows. Nothing else chooses a strategy, except that without memory a call
//! is planned again, swept, or refused. Every threshold of the choice is in the files below, with
//! its reason, or the word that it is a guess; but how many slots a thread has is in `limits.rs`,
//! which rows are updated in parts in `prefetch.rs`, and how many columns are numbered as one line
//! in `index/numbers.rs`.

mod choice;
mod columns;
mod fastest;
mod gathers;
mod index;
mod lines;
mod machine;
#[cfg(feature = "unstable-internals")]
mod outline;
mod rows;
mod shares;
mod strategy;
mod sweep;
#[cfg(test)]
mod tests;

pub(super) use choice::{Scatter, can_tasks_copy_self};
pub(super) use columns::with_columns_joined;
pub(super) use fastest::of_scaled_rows;
pub(super) use gathers::{
    Ahead, GATHERED_BLOCK, GatherPlan, GatherWay, LineGathers, gather_with_columns_joined, has_rows,
};
pub(super) use lines::UPDATES_BETWEEN_PREFETCHES;
#[cfg(feature = "unstable-internals")]
pub use machine::Machine;
#[cfg(feature = "unstable-internals")]
pub use outline::{Outline, outline};
pub(super) use shares::{Planner, enter};
pub(super) use strategy::{
    LineBuckets, LineCopies, LineLoops, LineShare, Plan, ROUND, RowBuckets, RowShare, Strategy, SweepWay,
};
pub(super) use sweep::{NOTED_BLOCK, notes_targets};
#[cfg(test)]
pub(super) use {index::WORTH_A_ROW, lines::MAX_IN_LINE};
