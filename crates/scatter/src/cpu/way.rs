//! How a call is done: its loops, and, where these can share their work in several ways, in which. It is told so that a test can
//! see that each kind of call is done in the way that was measured to be its fastest: the result doesn't say.

use core::ptr;

use super::call::Call;
use super::limits::{Limits, Pattern};
use super::numbers::Numbers;
use super::rows::{self, Division, Rows};
use super::slot::{Accumulated, Counted, Plain, Slot};
use super::sweep::Storages;
use super::targets::IndexStorage;
use super::update::choose;
use super::walk::Walk;
use super::{checking, copy, line_ranges, lines, private};
use crate::{Element, Problem, Reduce, with_element};

/// How a call is done.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The updates of rows one after the other, by tasks that share batches or columns.
    RowsInOrder,
    /// Tasks own ranges of rows, and each reads all of index.
    RowRanges,
    /// The updates of rows are partitioned by their targets.
    RowBuckets,
    /// A task has whole lines.
    Lines,
    /// Tasks own ranges of a line, and each reads all of its index.
    LineRanges,
    /// Tiles of columns are packed.
    Tiles,
    /// The updates of a line are partitioned by their targets.
    Buckets,
    /// A copy of the destination is updated, of which a task has whole lines.
    Private,
    /// The same; tasks own ranges of a line.
    PrivateRanges,
    /// The same; tasks have a copy each, and a part of a line's updates.
    PrivateCopies,
    /// Index is checked whole first.
    Small,
    /// The loops for anything.
    Sweep,
}

/// The way of [`super::run_with`] with an index whose rows, if they are stored whole, are not constant; `None` where there is
/// nothing to update. An index that is found to be constant along rows is one with a stride of 0 there.
#[doc(hidden)]
#[must_use]
pub fn way(problem: &Problem, limits: &Limits) -> Option<Way> {
    let walk = &Walk::scatter(problem.updates()?, problem.out_layout());
    if walk.steps() == 0 {
        return None;
    }
    let is_brought = copy::is_brought(problem, walk.steps());
    let checking = checking(problem, walk, is_brought, limits);
    let include_self = problem.op().include_self();
    with_element!(problem.dtype(), T => {
        // Nothing is read or written.
        let (src, dst) = (ptr::null_mut::<T>(), ptr::null_mut::<T>());
        let storages = Storages { index: IndexStorage::NONE, src, dst };
        let origin = is_brought.then(|| copy::origin::<T>(problem, dst));
        let call = Call { walk, storages, limits, include_self, origin, checking };
        Some(by_reduce(&call, problem.reduce()))
    })
}

/// The way for a dtype.
fn by_reduce<T: Element>(call: &Call<'_, T>, reduce: Reduce) -> Way {
    match reduce {
        Reduce::Mean => by_slot::<T, Counted<T::Acc>>(call, reduce),
        Reduce::None => by_slot::<T, Plain<T>>(call, reduce),
        _ if T::WIDE_ACC => by_slot::<T, Accumulated<T::Acc>>(call, reduce),
        _ => by_slot::<T, Plain<T>>(call, reduce),
    }
}

/// The way for a kind of slot.
fn by_slot<T: Element, L: Slot<T>>(call: &Call<'_, T>, reduce: Reduce) -> Way {
    let rows = Rows::recognise(call.walk);
    if Numbers::new(call.storages.index, &call.walk.components, call.limits.simd).is_none() {
        return Way::Sweep;
    }
    match (choose::<T, L>(call, rows.is_some()), rows) {
        (Pattern::Rows, Some(rows)) => match rows::division::<T, L>(call, &rows) {
            Division::InOrder { .. } => Way::RowsInOrder,
            Division::Ranges => Way::RowRanges,
            Division::Buckets => Way::RowBuckets,
        },
        (Pattern::Lines, _) if line_ranges::parts::<T, L>(call, &lines::grid(call)) > 1 => Way::LineRanges,
        (Pattern::Lines, _) => Way::Lines,
        (Pattern::Tiles, _) => Way::Tiles,
        (Pattern::Buckets, _) => Way::Buckets,
        (Pattern::Private, _) => match private::Sharing::of::<T, L>(call, reduce, &lines::grid(call)) {
            private::Sharing { copies: 2.., .. } => Way::PrivateCopies,
            private::Sharing { parts: 2.., .. } => Way::PrivateRanges,
            _ => Way::Private,
        },
        (Pattern::Small, _) => Way::Small,
        (Pattern::Rows | Pattern::Sweep, _) => Way::Sweep,
    }
}
