//! Index is constant along a contiguous row: whole rows are updated, with vector instructions.
//!
//! The updates are taken in order: then src streams. Several threads take batches, or columns if
//! rows have enough. In other calls a few threads own [ranges of rows](super::row_ranges), or
//! updates go to [buckets](super::row_buckets).

use core::marker::PhantomData;
use core::ops::Range;

use super::aligned::Aligned;
use super::call::Call;
use super::loops::Loops;
use super::numbers::Numbers;
use super::row::{self, Next, SrcRow};
use super::rule::{self, Rule};
use super::slot::Slot;
use super::threads;
use super::walk::{Axis, Walk};
use crate::Element;
use crate::simd::{Kernel, Simd};

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
    pub(super) unsafe fn copy_self(&self, call: &Call<'_>, at: isize, targets: Range<usize>, columns: usize) {
        if call.origin.is_some() {
            for target in targets {
                // SAFETY: the caller owns these elements of the destination.
                unsafe { call.copy_self(at + target as isize * self.step, 1, columns) }
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
pub(super) unsafe fn run(call: &Call<'_>, rows: &Rows<'_>, numbers: &Numbers, tiles: usize) {
    debug_assert!(call.update().slot.in_place);
    threads::run(rows.batches * tiles, call.plan.tasks > 1, &|number| {
        let (batch, tile) = (number / tiles, number % tiles);
        let columns = threads::share(rows.width, tiles, tile);
        // SAFETY: the caller promises that addresses are those of the walk; batches, and columns,
        // own different parts of the destination.
        unsafe { in_order(call, rows, numbers, batch, columns) }
    });
}

/// The updates of a batch, one after the other.
///
/// # Safety
/// As [`run`], for the batch.
unsafe fn in_order(call: &Call<'_>, rows: &Rows<'_>, numbers: &Numbers, batch: usize, columns: Range<usize>) {
    let [index_at, src_at, dst_at] = rows.batch(batch);
    let dst_at = dst_at + columns.start as isize;
    let src_at = if rows.is_still { src_at } else { src_at + columns.start as isize };
    // SAFETY: these are rows of the destination, of which this task owns these columns.
    unsafe { rows.copy_self(call, dst_at, 0..rows.targets, columns.len()) }
    let element = call.storages.dst.size;
    let (extent, ahead) = (rows.entries.extent, row::ahead(columns.len() * element));
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
        let block = InOrder {
            src: call.storages.src.at(src),
            dst: call.storages.dst.at(dst_at),
            targets: &targets.0[..all],
            made,
            places: None,
            rows,
            columns: columns.len(),
            simd: call.simd(),
        };
        // SAFETY: addresses of the walk: rows of the destination, of which this task owns these
        // columns, and rows of src.
        unsafe { block.update(call.update()) }
        targets.0.copy_within(made..all, 0);
        held = all - made;
    }
}

/// A block of updates in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct InOrder<'a> {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    /// Those whose updates are made come first; the rows of the others are prefetched.
    pub(super) targets: &'a [u32],
    pub(super) made: usize,
    /// Which row of src each update has, where they don't follow one another.
    pub(super) places: Option<&'a [u32]>,
    pub(super) rows: &'a Rows<'a>,
    pub(super) columns: usize,
    pub(super) simd: Simd,
}

impl InOrder<'_> {
    /// Makes the updates.
    ///
    /// # Safety
    /// The caller owns these columns of the targets' rows, whose slots are in place; src has a row
    /// at each place.
    #[inline]
    pub(super) unsafe fn update(&self, loops: &Loops) {
        debug_assert!(loops.in_order.is_some());
        if let Some(update) = loops.in_order {
            // SAFETY: the caller owns these columns, whose slots are in place, and src has a row
            // at each place.
            unsafe { update(self) }
        }
    }
}

/// Makes a block of updates in order.
///
/// # Safety
/// As [`InOrder::update`].
pub(super) unsafe fn update_in_order<T: Element, R: Rule, L: Slot<T>>(block: &InOrder<'_>) {
    let simd = rule::simd::<R>(block.simd);
    simd.run(RowByRow::<T, R, L> { block, simd, types: PhantomData });
}

/// The loop over a block of updates in order.
struct RowByRow<'a, T, R, L> {
    block: &'a InOrder<'a>,
    simd: Simd,
    types: PhantomData<(T, R, L)>,
}

impl<T: Element, R: Rule, L: Slot<T>> Kernel for RowByRow<'_, T, R, L> {
    type Output = ();
    const AVX512: bool = rule::is_common(R::REDUCE);

    #[inline(always)]
    fn run(self) {
        let InOrder { places, columns, rows, .. } = *self.block;
        let chosen = |places: &[u32], number: usize| places[number.min(places.len() - 1)] as usize;
        match places {
            _ if !row::is_short::<R>(columns * size_of::<T>(), rows.is_still) => {
                self.each::<false>(|number| places.map_or(number, |places| chosen(places, number)));
            }
            None => self.each::<true>(|number| number),
            Some(places) => self.each::<true>(|number| chosen(places, number)),
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> RowByRow<'_, T, R, L> {
    /// Makes the updates, whose rows of src are at the places that `place` says. `SHORT` says that
    /// rows are short.
    #[inline(always)]
    fn each<const SHORT: bool>(&self, place: impl Fn(usize) -> usize) {
        let (InOrder { targets, made, columns, .. }, simd) = (*self.block, self.simd);
        let (src, dst) = (self.block.src.cast::<T>(), self.block.dst.cast::<L>());
        let Rows { step, entries, is_still, .. } = *self.block.rows;
        let ahead = row::ahead(columns * size_of::<T>());
        let row_of = |target: u32| dst.wrapping_offset(target as isize * step);
        let src_of = |number: usize| src.wrapping_offset(place(number) as isize * entries.src);
        for (number, &target) in targets[..made].iter().enumerate() {
            let next = Next {
                // Whole rows stream, but hardware reads them ahead too late.
                src: (!is_still && entries.src != 0).then(|| src_of(number + ahead)),
                dst: targets.get(number + ahead).map(|&next| row_of(next).cast_const().cast()),
            };
            let start = src_of(number);
            // SAFETY: addresses of the walk: a row of the destination, which this task owns, and a
            // row of src; a slot that is in place has the memory of an element.
            unsafe {
                let slots = core::slice::from_raw_parts_mut(row_of(target), columns);
                if SHORT {
                    row::update_short::<T, R, L>(start, slots, next, simd);
                } else {
                    SrcRow { start, is_still }.update::<R, L>(slots, next, simd);
                }
            }
        }
    }
}
