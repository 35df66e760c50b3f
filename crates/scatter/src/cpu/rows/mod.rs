//! Index is constant along a contiguous row: whole rows are updated, with vector instructions.
//!
//! The updates are taken in order: then src streams. Several threads take batches, or columns if
//! rows have enough. A few threads own ranges of shorter rows: each reads all of index and makes
//! the updates that are its own, so that src nearly streams, and nothing is stored about an update.
//! In other calls updates go to [buckets].

pub(in crate::cpu) mod buckets;
pub(in crate::cpu) mod row;
pub(in crate::cpu) mod together;

use core::marker::PhantomData;
use core::ops::Range;

use crate::Element;
use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::TargetNumbers;
use crate::cpu::plan::RowShare;
use crate::cpu::prefetch::{MOST_ROWS_AHEAD, rows_ahead};
use crate::cpu::rows::row::{Next, SrcRow};
use crate::cpu::slot::Slot;
use crate::cpu::slot::loops::{Factor, Loops};
use crate::cpu::slot::rule::{self, Rule};
use crate::cpu::threads;
use crate::cpu::walk::{Axis, Walk};
use crate::simd::{RangeSearch, Simd, SimdLoop};

/// The scatter of rows that a walk is.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Rows<'a> {
    walk: &'a Walk,
    /// The iterations of the owned loops around the rows.
    pub(in crate::cpu) batches: usize,
    /// The updates of a batch.
    pub(in crate::cpu) entries: Axis,
    /// The elements of a row.
    pub(in crate::cpu) width: usize,
    /// Whether a row of src is one element, at all of its places.
    pub(in crate::cpu) is_still: bool,
    /// Of one batch.
    pub(in crate::cpu) targets: usize,
    /// From one target to the next.
    pub(in crate::cpu) step: isize,
}

impl<'a> Rows<'a> {
    /// `None` where the walk is something else.
    pub(in crate::cpu) fn recognise(walk: &'a Walk) -> Option<Self> {
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

    /// Whether a walk is a scatter of rows.
    pub(in crate::cpu) fn are_of(walk: &Walk) -> bool {
        Rows::recognise(walk).is_some()
    }

    /// Where batch `number` starts: in index, in src and in the destination.
    pub(in crate::cpu) fn batch(&self, number: usize) -> [isize; 3] {
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
    pub(in crate::cpu) unsafe fn copy_self(
        &self,
        call: &Call<'_>,
        at: isize,
        targets: Range<usize>,
        columns: usize,
    ) {
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
const SHORT_BLOCK: usize = 64;

const _: () = assert!(SHORT_BLOCK >= MOST_ROWS_AHEAD);

/// Room for a block's targets, and for those that are prefetched.
const ROOM: usize = SHORT_BLOCK + MOST_ROWS_AHEAD;

/// Runs the call.
///
/// # Safety
/// As [`sweep::apply`](crate::cpu::walk::sweep::apply), for the whole walk, whose rows these are.
/// Slots are in place, and there is one batch where tasks own ranges.
pub(in crate::cpu) unsafe fn run(call: &Call<'_>, rows: &Rows<'_>, numbers: &TargetNumbers, share: RowShare) {
    debug_assert!(call.update().slot.in_place);
    match share {
        RowShare::Columns(tiles) => threads::run(rows.batches * tiles, call.plan.tasks > 1, &|number| {
            let (batch, tile) = (number / tiles, number % tiles);
            let columns = threads::share(rows.width, tiles, tile);
            // SAFETY: addresses of the walk; batches, and columns, own different parts of the
            // destination.
            unsafe { in_order(call, rows, numbers, Part { batch, columns, own: None }) }
        }),
        RowShare::Ranges => {
            debug_assert!(rows.batches == 1);
            let tasks = call.plan.tasks;
            // SAFETY: index addresses of the walk.
            let bounds = unsafe { bounds(rows, numbers, tasks) };
            threads::run(tasks, true, &|number| {
                let own = Some(bounds[number]..bounds[number + 1]);
                // SAFETY: addresses of the walk; ranges of targets own different rows.
                unsafe { in_order(call, rows, numbers, Part { batch: 0, columns: 0..rows.width, own }) }
            });
        }
    }
}

/// What a task owns of the rows.
struct Part {
    batch: usize,
    columns: Range<usize>,
    /// The targets whose rows it owns; `None` for all.
    own: Option<Range<u32>>,
}

/// The blocks of targets that are taken as a sample.
const SAMPLED: usize = 64;

/// Where the ranges of targets begin, and the last one ends. They are taken from a sample of the
/// index, so that each range has about an equal share of the updates.
///
/// # Safety
/// As [`run`], for the index.
unsafe fn bounds(rows: &Rows<'_>, numbers: &TargetNumbers, tasks: usize) -> Vec<u32> {
    let (entries, [index_at, ..]) = (rows.entries, rows.batch(0));
    let mut sample = Vec::with_capacity((SAMPLED + 1) * SHORT_BLOCK);
    for first in (0..entries.extent).step_by((entries.extent / SAMPLED).max(SHORT_BLOCK)) {
        let known = sample.len();
        sample.resize(known + (entries.extent - first).min(SHORT_BLOCK), 0);
        let at = index_at + first as isize * entries.index;
        // SAFETY: index addresses of the walk.
        unsafe { numbers.read(at, entries.index, &mut sample[known..], false) };
    }
    sample.sort_unstable();
    let bound = |task: usize| match task {
        0 => 0,
        _ if task == tasks => rows.targets as u32,
        _ => sample.get(task * sample.len() / tasks).copied().unwrap_or(0),
    };
    (0..=tasks).map(bound).collect()
}

/// The updates of a part, one after the other.
///
/// # Safety
/// As [`run`], for the part, which the caller owns.
unsafe fn in_order(call: &Call<'_>, rows: &Rows<'_>, numbers: &TargetNumbers, part: Part) {
    let Part { batch, columns, own } = part;
    let [index_at, src_at, dst_at] = rows.batch(batch);
    let dst_at = dst_at + columns.start as isize;
    let src_at = if rows.is_still { src_at } else { src_at + columns.start as isize };
    let targets = own.as_ref().map_or(0..rows.targets, |own| own.start as usize..own.end as usize);
    // SAFETY: these are rows of the destination, of which this task owns these columns.
    unsafe { rows.copy_self(call, dst_at, targets, columns.len()) }
    let (entries, simd) = (rows.entries, call.simd());
    let ahead = rows_ahead(columns.len() * call.storages.dst.size);
    let (mut read, mut targets, mut places) =
        (Aligned([0; SHORT_BLOCK]), Aligned([0; ROOM]), Aligned([0; ROOM]));
    let (targets, places) = (&mut targets.0, &mut places.0);
    // The targets of earlier blocks whose updates are still to be made: rows are prefetched beyond
    // the end of a block.
    let mut held = 0;
    for first in (0..entries.extent).step_by(SHORT_BLOCK) {
        let len = (entries.extent - first).min(SHORT_BLOCK);
        let at = index_at + first as isize * entries.index;
        let all = match &own {
            None => {
                // SAFETY: index addresses of the walk.
                unsafe { numbers.read(at, entries.index, &mut targets[held..held + len], true) };
                held + len
            }
            Some(own) => {
                let read = &mut read.0[..len];
                // SAFETY: index addresses of the walk.
                unsafe { numbers.read(at, entries.index, read, true) };
                let search = RangeSearch {
                    numbers: read,
                    own: (own.start, own.end - own.start),
                    base: first as u32,
                    chosen: &mut targets[held..],
                    places: &mut places[held..],
                };
                held + search.run(simd)
            }
        };
        let is_last = first + SHORT_BLOCK >= entries.extent;
        let made = if is_last { all } else { all.saturating_sub(ahead) };
        if made > 0 {
            // src begins at the row of the first target held; with places, at row 0.
            let row = if own.is_some() { 0 } else { (first - held) as isize };
            let block = InOrder {
                src: call.storages.src.at(src_at + row * entries.src),
                dst: call.storages.dst.at(dst_at),
                targets: &targets[..all],
                made,
                places: own.as_ref().map(|_| &places[..all]),
                rows,
                columns: columns.len(),
                factor: call.loops.factor.unwrap_or_default(),
                simd,
            };
            // SAFETY: addresses of the walk: rows of the destination, of which this task owns these
            // columns, and rows of src.
            unsafe { block.update(call.update()) }
        }
        targets.copy_within(made..all, 0);
        places.copy_within(made..all, 0);
        held = all - made;
    }
}

/// A block of updates in order.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct InOrder<'a> {
    src: *const u8,
    dst: *mut u8,
    /// Those whose updates are made come first; the rows of the others are prefetched.
    targets: &'a [u32],
    made: usize,
    /// Which row of src each update has, where they don't follow one another.
    places: Option<&'a [u32]>,
    rows: &'a Rows<'a>,
    columns: usize,
    factor: Factor,
    simd: Simd,
}

impl InOrder<'_> {
    /// Makes the updates.
    ///
    /// # Safety
    /// The caller owns these columns of the targets' rows, whose slots are in place; src has a row
    /// at each place.
    #[inline]
    unsafe fn update(&self, loops: &Loops) {
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
pub(in crate::cpu) unsafe fn update_in_order<T: Element, R: Rule, L: Slot<T>>(block: &InOrder<'_>) {
    block.simd.run(RowByRow::<T, R, L> { block, types: PhantomData });
}

/// The loop over a block of updates in order.
struct RowByRow<'a, T, R, L> {
    block: &'a InOrder<'a>,
    types: PhantomData<(T, R, L)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for RowByRow<'_, T, R, L> {
    type Output = ();
    const AVX512: bool = rule::is_common::<R>();

    #[inline(always)]
    fn run(self, simd: Simd) {
        let InOrder { places, columns, rows, .. } = *self.block;
        // A row that is prefetched may be beyond the last one.
        let chosen = |places: &[u32], number: usize| places[number.min(places.len() - 1)] as usize;
        match places {
            _ if !row::is_short::<R>(columns * size_of::<T>(), rows.is_still) => {
                self.each::<false>(simd, |number| places.map_or(number, |places| chosen(places, number)));
            }
            None => self.each::<true>(simd, |number| number),
            Some(places) => self.each::<true>(simd, |number| chosen(places, number)),
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> RowByRow<'_, T, R, L> {
    /// Makes the updates, whose rows of src are at the places that `place` says. `SHORT` says that
    /// rows are short.
    #[inline(always)]
    fn each<const SHORT: bool>(&self, simd: Simd, place: impl Fn(usize) -> usize) {
        let InOrder { targets, made, columns, .. } = *self.block;
        let (src, dst) = (self.block.src.cast::<T>(), self.block.dst.cast::<L>());
        let Rows { step, entries, is_still, .. } = *self.block.rows;
        let (ahead, factor) = (rows_ahead(columns * size_of::<T>()), self.block.factor.get::<T>());
        let row_of = |target: u32| dst.wrapping_offset(target as isize * step);
        let src_of = |number: usize| src.wrapping_offset(place(number) as isize * entries.src);
        for (number, &target) in targets[..made].iter().enumerate() {
            let next = Next {
                // Rows of src mostly follow one another, but hardware reads them ahead too late.
                src: (!is_still && entries.src != 0).then(|| src_of(number + ahead)),
                dst: targets.get(number + ahead).map(|&next| row_of(next).cast_const().cast()),
            };
            let start = src_of(number);
            // SAFETY: addresses of the walk: a row of the destination, which this task owns, and a
            // row of src; a slot that is in place has the memory of an element.
            unsafe {
                let slots = core::slice::from_raw_parts_mut(row_of(target), columns);
                if SHORT {
                    row::update_short::<T, R, L>(start, slots, factor, next, simd);
                } else {
                    SrcRow { start, is_still }.update::<R, L>(slots, true, factor, next, simd);
                }
            }
        }
    }
}
