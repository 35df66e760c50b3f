//! Index is constant along a contiguous row: whole rows are updated, with vector instructions.
//!
//! The updates are taken in order: then src streams. Several threads take batches, or columns if
//! rows have enough. In other calls a few threads own [ranges of rows](super::row_ranges), or
//! updates go to [buckets](super::row_buckets).

use core::ops::Range;

use super::aligned::Aligned;
use super::call::Call;
use super::numbers::Numbers;
use super::row::{self, Next, SrcRow};
use super::rule::Rule;
use super::slot::Slot;
use super::threads;
use super::walk::{Axis, Walk};
use crate::Element;
use crate::simd::{Kernel, Simd, prefetch_all};

/// The scatter of rows that a walk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    walk: &'a Walk,
    /// The iterations of the owned loops around the rows.
    pub(super) batches: usize,
    /// The updates of a batch.
    pub(super) entries: Axis,
    /// The elements of a row.
    pub(super) width: usize,
    /// Whether a row of src is one element, at all of its places.
    pub(super) is_still: bool,
    /// Of one batch.
    pub(super) targets: usize,
    /// From one target to the next.
    pub(super) step: isize,
}

impl<'a> Rows<'a> {
    /// `None` where the walk is something else.
    pub(super) fn recognise(walk: &'a Walk) -> Option<Self> {
        let (row, entries) = (walk.inner(), walk.scanned()?);
        if !(row.owned && row.index == 0 && row.dst == 1 && (row.src == 1 || row.src == 0)) {
            return None;
        }
        let targets = walk.components.targets();
        let batches = batch_axes(walk).map(|axis| axis.extent).product::<usize>();
        let all = batches.checked_mul(entries.extent.max(targets))?;
        u32::try_from(all).ok()?;
        let step = walk.components.step()?;
        let (width, is_still) = (row.extent, row.src == 0);
        Some(Self { walk, batches, entries, width, is_still, targets, step })
    }

    /// Where batch `number` starts: in index, in src and in the destination.
    pub(super) fn batch(&self, number: usize) -> [isize; 3] {
        let (mut rest, mut at) = (number, [self.walk.index, self.walk.src, self.walk.dst]);
        for axis in batch_axes(self.walk).rev() {
            let coordinate = (rest % axis.extent) as isize;
            rest /= axis.extent;
            for (at, step) in at.iter_mut().zip([axis.index, axis.src, axis.dst]) {
                *at += coordinate * step;
            }
        }
        at
    }

    /// Copies the first `columns` of the rows of some targets from self, if that is still to be
    /// done. The row of target 0 is at `at`.
    ///
    /// # Safety
    /// As [`Call::copy_self`].
    pub(super) unsafe fn copy_self<T: Element>(
        &self,
        call: &Call<'_, T>,
        at: isize,
        targets: Range<usize>,
        columns: usize,
    ) {
        if call.origin.is_some() {
            for target in targets {
                // SAFETY: the caller owns these elements of the destination.
                unsafe { call.copy_self(at + target as isize * self.step, columns) }
            }
        }
    }
}

/// The owned loops around the rows of a walk, outermost first.
fn batch_axes(walk: &Walk) -> impl DoubleEndedIterator<Item = &Axis> {
    let outer = walk.axes.as_slice().split_last().map_or(&[][..], |(_, outer)| outer);
    outer.iter().filter(|axis| axis.owned)
}

/// The targets that are read at a time: few, so that prefetched rows arrive meanwhile.
pub(super) const SHORT_BLOCK: usize = 64;

const _: () = assert!(SHORT_BLOCK >= row::MOST_AHEAD);

/// Room for a block's targets, and for those that are prefetched.
pub(super) const ROOM: usize = SHORT_BLOCK + row::MOST_AHEAD;

/// Runs the call, whose rows are divided into `tiles` of columns.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, whose rows these are.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    rows: &Rows<'_>,
    numbers: &Numbers,
    tiles: usize,
) {
    debug_assert!(L::IN_PLACE);
    threads::run(rows.batches * tiles, call.plan.tasks > 1, &|number| {
        let (batch, tile) = (number / tiles, number % tiles);
        let columns = threads::share(rows.width, tiles, tile);
        // SAFETY: the caller promises that addresses are those of the walk; batches, and columns,
        // own different parts of the destination.
        unsafe { in_order::<T, R, L>(call, rows, numbers, batch, columns) }
    });
}

/// The updates of a batch, one after the other.
///
/// # Safety
/// As [`run`], for the batch.
unsafe fn in_order<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    rows: &Rows<'_>,
    numbers: &Numbers,
    batch: usize,
    columns: Range<usize>,
) {
    let [index_at, src_at, dst_at] = rows.batch(batch);
    let dst_at = dst_at + columns.start as isize;
    let src_at = if rows.is_still { src_at } else { src_at + columns.start as isize };
    // SAFETY: these are rows of the destination, of which this task owns these columns.
    unsafe { rows.copy_self(call, dst_at, 0..rows.targets, columns.len()) }
    let (extent, ahead) = (rows.entries.extent, row::ahead::<T>(columns.len()));
    let mut targets = Aligned([0; ROOM]);
    // The targets of earlier blocks whose updates are still to be made: rows are prefetched beyond
    // the end of a block.
    let mut held = 0;
    for first in (0..extent).step_by(SHORT_BLOCK) {
        let all = held + (extent - first).min(SHORT_BLOCK);
        // SAFETY: index addresses of the walk.
        unsafe {
            let (at, step) = (index_at + first as isize * rows.entries.index, rows.entries.index);
            numbers.read_on(at, step, &mut targets.0[held..all]);
        }
        let made = if first + SHORT_BLOCK < extent { all - ahead } else { all };
        let src = src_at + (first - held) as isize * rows.entries.src;
        let rows = InOrder::<T, R, L, _> {
            src: call.storages.src.cast_const().wrapping_offset(src),
            dst: call.storages.dst.wrapping_offset(dst_at).cast(),
            targets: &targets.0[..all],
            made,
            place: |number| number,
            rows,
            columns: columns.len(),
            simd: call.simd(),
            rule: core::marker::PhantomData,
        };
        call.simd().run(rows);
        targets.0.copy_within(made..all, 0);
        held = all - made;
    }
}

/// The loop over a block of updates in order.
pub(super) struct InOrder<'a, T, R, L, P> {
    pub(super) src: *const T,
    pub(super) dst: *mut L,
    /// Those whose updates are made come first; the rows of the others are prefetched.
    pub(super) targets: &'a [u32],
    pub(super) made: usize,
    /// Which row of src an update has, or one after them.
    pub(super) place: P,
    pub(super) rows: &'a Rows<'a>,
    pub(super) columns: usize,
    pub(super) simd: Simd,
    pub(super) rule: core::marker::PhantomData<R>,
}

impl<T: Element, R: Rule, L: Slot<T>, P: Fn(usize) -> usize> Kernel for InOrder<'_, T, R, L, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Rows { step, entries, is_still, .. } = *self.rows;
        let columns = self.columns;
        let (ahead, is_long) = (row::ahead::<T>(columns), row::is_long::<T>(columns));
        let row_of = |target: u32| self.dst.wrapping_offset(target as isize * step);
        let src_of = |number: usize| self.src.wrapping_offset((self.place)(number) as isize * entries.src);
        for (number, &target) in self.targets[..self.made].iter().enumerate() {
            let next = Next {
                // Whole rows stream, but hardware reads them ahead too late.
                src: (!is_still && entries.src != 0).then(|| src_of(number + ahead)),
                dst: self.targets.get(number + ahead).map(|&next| row_of(next).cast_const().cast()),
            };
            let src = SrcRow { start: src_of(number), is_still };
            // SAFETY: addresses of the walk: a row of the destination, which this task owns, and a
            // row of src; a slot that is in place has the memory of an element.
            unsafe {
                let slots = core::slice::from_raw_parts_mut(row_of(target), columns);
                if is_long {
                    src.update_long::<R, L>(slots, next, self.simd);
                } else {
                    // What `next.prefetch` does, which costs short rows a quarter of their time
                    // here.
                    next.dst.into_iter().for_each(|row| prefetch_all(row, columns));
                    next.src.into_iter().for_each(|row| prefetch_all(row, columns));
                    src.update::<R, L>(slots, 0, self.simd);
                }
            }
        }
    }
}
