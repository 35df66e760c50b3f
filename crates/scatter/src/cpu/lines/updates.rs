//! The updates of some lines of the destination, block by block, while what later ones read is
//! prefetched.

use core::{mem, slice};

use crate::Index;
use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::number_lines;
use crate::cpu::index::storage::IndexStorage;
use crate::cpu::lines::next::NextLines;
use crate::cpu::plan::UPDATES_BETWEEN_PREFETCHES;
use crate::cpu::prefetch::{SLOTS_AHEAD, STREAM_AHEAD, prefetch_named, prefetch_stream};
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::slot::loops::ValidLoop;
use crate::cpu::walk::Axis;

/// Where the updates of a line come from: the axis along them, and where index and src start.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Run<'a> {
    pub(in crate::cpu) axis: &'a Axis,
    pub(in crate::cpu) index: isize,
    pub(in crate::cpu) src: isize,
}

impl Run<'_> {
    /// Reads the numbers of the updates from `first` on, and prefetches later ones if that is asked
    /// for.
    ///
    /// # Safety
    /// The index addresses of these updates lie inside the storage, which nobody writes.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn read(
        &self,
        call: &Call<'_>,
        first: usize,
        block: &mut [u32],
        prefetches: bool,
    ) -> bool {
        let (at, step) = (self.index + first as isize * self.axis.index, self.axis.index);
        // SAFETY: the run's index addresses lie inside the storage, which nobody writes.
        unsafe { call.numbers.read(at, step, block, prefetches) }
    }

    /// The elements of src for the updates from `first` on, which may be beyond the end.
    #[inline(always)]
    pub(in crate::cpu) fn source(&self, call: &Call<'_>, first: usize) -> Source {
        let Axis { src: step, .. } = *self.axis;
        let start = call.storages.src.at(self.src + first as isize * step).cast_const();
        Source { start, step }
    }

    /// Prefetches the elements of src for `len` updates, [`STREAM_AHEAD`] after `first`.
    #[inline(always)]
    pub(in crate::cpu) fn prefetch(&self, call: &Call<'_>, first: usize, len: usize) {
        if self.axis.src == 1 {
            let start = self.source(call, first + STREAM_AHEAD).start;
            prefetch_stream(start, len * call.storages.src.size);
        }
    }
}

/// Some lines that lie evenly apart, and their updates.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct LineUpdates<'a> {
    /// The updates of the first line.
    pub(in crate::cpu) run: Run<'a>,
    /// The lines, with the steps from one to the next in index, in src and in slots.
    pub(in crate::cpu) lines: Axis,
    /// The slots of the first line.
    pub(in crate::cpu) slots: Slots,
}

impl<'a> LineUpdates<'a> {
    /// The updates and the slots of one of the lines; a slot has `bytes` bytes.
    fn line(&self, number: usize, bytes: usize) -> (Run<'a>, Slots) {
        let Self { run, lines, slots } = *self;
        let at = number as isize;
        let start = slots.start.wrapping_offset(at * lines.dst * bytes as isize);
        let run = Run { index: run.index + at * lines.index, src: run.src + at * lines.src, ..run };
        (run, Slots { start, ..slots })
    }
}

/// The updates of a block, where the line stays in a near cache.
const NEAR_BLOCK: usize = 256;

/// The updates of a block of any other line: few, so that what the next block needs arrives
/// meanwhile.
pub(in crate::cpu) const FAR_BLOCK: usize = 128;

/// Room for the numbers of a block, and for those whose slots are prefetched.
pub(in crate::cpu) type LineBlock = Aligned<[u32; FAR_BLOCK + SLOTS_AHEAD]>;

/// A block that holds no numbers yet.
pub(in crate::cpu) const NO_NUMBERS: LineBlock = Aligned([0; FAR_BLOCK + SLOTS_AHEAD]);

const _: () = assert!(NEAR_BLOCK <= FAR_BLOCK + SLOTS_AHEAD);

/// How the updates of lines are made.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct How {
    /// Whether the slots stay in a near cache. If not, there is one line.
    pub(in crate::cpu) is_near: bool,
    /// Whether index and src are prefetched; for slots that are not near they always are.
    pub(in crate::cpu) prefetches: bool,
    /// Whether lines are [tiny](crate::cpu::plan::LineLoops::are_tiny), and their slots lie one
    /// after the other, so that the updates of several are made together.
    pub(in crate::cpu) are_tiny: bool,
    /// The lines that are prefetched.
    pub(in crate::cpu) next: Option<NextLines>,
    /// How many lines after these have index values that are read ahead, to prefetch the elements
    /// that they name.
    pub(in crate::cpu) named: usize,
}

impl How {
    /// Prefetches the part of the next lines that corresponds to these updates.
    #[inline(always)]
    fn prefetch_next(&self, lines: usize, first: usize, updates: usize) {
        if let Some(next) = self.next {
            next.prefetch(lines, first, updates);
        }
    }
}

/// Makes all updates of some lines, block by block. False, and nothing more is done, when an index
/// value is not valid.
///
/// # Safety
/// The addresses of the lines' runs lie inside the storages of index and src, which nobody writes,
/// and so do those of index of the [`How::named`] lines after them; each line has slots of all
/// targets, which the caller owns. `how` says that lines are tiny only if they are.
pub(in crate::cpu) unsafe fn make(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    how: How,
    block: &mut LineBlock,
) -> bool {
    // SAFETY: the runs lie inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    unsafe {
        if how.is_near {
            make_near(call, updates, how, block)
        } else {
            debug_assert!(updates.lines.extent == 1);
            make_far(call, updates.run, updates.slots, block)
        }
    }
}

/// [`make`] of lines that stay in a near cache: by index values as they are, up to the first that
/// is negative, and from there on by numbers.
///
/// # Safety
/// As [`make`].
unsafe fn make_near(call: &Call<'_>, updates: LineUpdates<'_>, how: How, block: &mut LineBlock) -> bool {
    let (Run { axis, index, .. }, lines) = (updates.run, updates.lines.extent);
    // SAFETY: the runs lie inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    let made = unsafe { make_plain(call, updates, how, block) };
    let (first, mut made) = (made / axis.extent, made % axis.extent);
    // What is prefetched for several lines was, before the first of them.
    let is_prefetched = lines > 1 && call.numbers.values(index, axis.index).is_some();
    for line in first..lines {
        let (run, slots) = updates.line(line, call.loops().slot.bytes);
        let how = match is_prefetched {
            true => How { prefetches: false, next: None, ..how },
            false => How { next: how.next.map(|next| next.after(line)), ..how },
        };
        // SAFETY: the run lies inside the storages of index and src, which nobody writes; the
        // caller owns the line's slots.
        if !unsafe { make_rest(call, run, slots, mem::take(&mut made), how, block) } {
            return false;
        }
    }
    true
}

/// Makes the updates of a line that come after the first `made`, whatever their values of index.
///
/// # Safety
/// As [`make`].
unsafe fn make_rest(
    call: &Call<'_>,
    run: Run<'_>,
    slots: Slots,
    made: usize,
    how: How,
    Aligned(block): &mut LineBlock,
) -> bool {
    let extent = run.axis.extent;
    for first in (made..extent).step_by(NEAR_BLOCK) {
        let block = &mut block[..(extent - first).min(NEAR_BLOCK)];
        // SAFETY: the run's entries lie inside the index's storage, which nobody writes.
        if !unsafe { run.read(call, first, block, how.prefetches) } {
            return false;
        }
        for (first, numbers) in
            (first..).step_by(UPDATES_BETWEEN_PREFETCHES).zip(block.chunks(UPDATES_BETWEEN_PREFETCHES))
        {
            how.prefetch_next(1, first, numbers.len());
            if how.prefetches {
                run.prefetch(call, first, numbers.len());
            }
            // SAFETY: all numbers were valid, so that each has a slot that the caller owns; src has
            // the elements of the run.
            unsafe { (call.loops().line)(slots, run.source(call, first), numbers, call.simd()) };
        }
    }
    true
}

/// Makes the updates before the first whose value of index is negative or not valid, line by line,
/// and returns how many they are. Most often they are all, and index is used as it is.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn make_plain(call: &Call<'_>, updates: LineUpdates<'_>, how: How, block: &mut LineBlock) -> usize {
    let (Run { axis, index, .. }, loops) = (updates.run, call.loops());
    // SAFETY: the runs lie inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    unsafe {
        match (call.numbers.values(index, axis.index), updates.lines.extent) {
            (Some(IndexStorage::I32(values)), 1) => make_line(call, updates, values, how, loops.valid_i32),
            (Some(IndexStorage::I64(values)), 1) => make_line(call, updates, values, how, loops.valid_i64),
            (Some(IndexStorage::I32(values)), _) => {
                make_lines(call, updates, values, how, loops.valid_i32, block)
            }
            (Some(IndexStorage::I64(values)), _) => {
                make_lines(call, updates, values, how, loops.valid_i64, block)
            }
            (None, 2..) if how.are_tiny => make_tiny_lines(call, updates, block),
            (None, _) => 0,
        }
    }
}

/// [`make_plain`] of a single line: portion by portion where the next line is prefetched.
///
/// # Safety
/// As [`make`], for values from `values` on.
#[inline(always)]
unsafe fn make_line<I: Index>(
    call: &Call<'_>,
    LineUpdates { run, slots, .. }: LineUpdates<'_>,
    values: *const I,
    how: How,
    update_valid: ValidLoop<I>,
) -> usize {
    let targets = call.walk().components.targets();
    // SAFETY: the run has `extent` index values, which nobody writes.
    let values = unsafe { slice::from_raw_parts(values, run.axis.extent) };
    let at_a_time = if how.next.is_some() { UPDATES_BETWEEN_PREFETCHES } else { values.len().max(1) };
    for (first, portion) in (0..).step_by(at_a_time).zip(values.chunks(at_a_time)) {
        how.prefetch_next(1, first, portion.len());
        // SAFETY: src has the elements of the run; the caller owns the slots of all targets, and a
        // value that is no target touches none.
        let made = unsafe {
            update_valid(slots, run.source(call, first), portion, targets, how.prefetches, call.simd())
        };
        if made < portion.len() {
            return first + made;
        }
    }
    values.len()
}

/// Prefetches for the updates of several lines, which have no more than a portion if anything is
/// prefetched.
///
/// # Safety
/// As [`make`], for values of the first line from `values` on.
#[inline(always)]
unsafe fn prefetch_lines<I: Index>(
    call: &Call<'_>,
    LineUpdates { run, lines, slots }: LineUpdates<'_>,
    values: *const I,
    how: How,
) {
    let extent = run.axis.extent;
    how.prefetch_next(lines.extent, 0, extent);
    if how.prefetches {
        // If a line's values don't directly follow those of the line before, hardware is left to
        // prefetch them.
        if lines.index == extent as isize {
            prefetch_stream(values.wrapping_add(STREAM_AHEAD), lines.extent * extent);
        }
        if lines.src == extent as isize {
            run.prefetch(call, 0, lines.extent * extent);
        }
    }
    let slot_bytes = call.loops().slot.bytes as isize;
    let slots_step = lines.dst.wrapping_mul(slot_bytes);
    for line in (lines.extent..lines.extent + how.named).map(|line| line as isize) {
        let line_start = slots.start.wrapping_offset(line.wrapping_mul(slots_step));
        // SAFETY: each of these lines has an index value for each update, which nobody writes.
        let values = unsafe { slice::from_raw_parts(values.offset(line * lines.index), extent) };
        prefetch_named(line_start, slots.step.wrapping_mul(slot_bytes), values);
    }
}

/// [`make_plain`] of several lines.
///
/// # Safety
/// As [`make`], for values of the first line from `values` on.
#[inline(always)]
unsafe fn make_lines<I: Index>(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    values: *const I,
    how: How,
    update_valid: ValidLoop<I>,
    block: &mut LineBlock,
) -> usize {
    // SAFETY: the lines have an element of src and an index value, from `values` on, for each
    // update, which nobody writes, and the caller owns their slots.
    unsafe {
        prefetch_lines(call, updates, values, how);
        if how.are_tiny {
            return make_tiny_lines(call, updates, block);
        }
    }
    let LineUpdates { run, lines, slots } = updates;
    let (targets, extent) = (call.walk().components.targets(), run.axis.extent);
    let src_step = lines.src.wrapping_mul(call.storages.src.size as isize);
    let slots_step = lines.dst.wrapping_mul(call.loops().slot.bytes as isize);
    let src = run.source(call, 0);
    for line in 0..lines.extent as isize {
        let src = Source { start: src.start.wrapping_offset(line.wrapping_mul(src_step)), ..src };
        let slots = Slots { start: slots.start.wrapping_offset(line.wrapping_mul(slots_step)), ..slots };
        // SAFETY: each line has index values and elements of src for its updates, which nobody
        // writes; the caller owns the slots of all targets, and a value that is no target touches
        // none.
        let made = unsafe {
            let values = slice::from_raw_parts(values.offset(line * lines.index), extent);
            update_valid(slots, src, values, targets, false, call.simd())
        };
        if made < extent {
            return line as usize * extent + made;
        }
    }
    lines.extent * extent
}

/// [`make_lines`] of tiny ones: slots are numbered from the first line on, some lines at a time.
///
/// # Safety
/// As [`make`].
unsafe fn make_tiny_lines(
    call: &Call<'_>,
    LineUpdates { run, lines, slots }: LineUpdates<'_>,
    Aligned(block): &mut LineBlock,
) -> usize {
    let extent = run.axis.extent;
    let at_a_time = NEAR_BLOCK / extent;
    for first in (0..lines.extent).step_by(at_a_time) {
        let made = first * extent;
        let block = &mut block[..(lines.extent - first).min(at_a_time) * extent];
        // SAFETY: the entries of the runs lie inside the index's storage, which nobody writes.
        if !unsafe { run.read(call, made, block, false) } {
            return made;
        }
        number_lines(block, extent, lines.dst, call.simd());
        let bytes = call.loops().slot.bytes as isize;
        let start = slots.start.wrapping_offset(first as isize * lines.dst * bytes);
        // SAFETY: all numbers were valid, so that each has a slot in its line, which the caller
        // owns; src has the elements of the runs.
        unsafe {
            (call.loops().line)(Slots { start, ..slots }, run.source(call, made), block, call.simd());
        }
    }
    lines.extent * extent
}

/// [`make`] of a line that doesn't stay in a near cache: slots are prefetched.
///
/// # Safety
/// As [`make`].
unsafe fn make_far(call: &Call<'_>, run: Run<'_>, slots: Slots, Aligned(block): &mut LineBlock) -> bool {
    let extent = run.axis.extent;
    // The numbers whose slots were prefetched, but whose updates are still to be made.
    let mut held = 0;
    for first in (0..extent).step_by(FAR_BLOCK) {
        let len = (extent - first).min(FAR_BLOCK);
        let (all, is_last) = (held + len, first + len == extent);
        // SAFETY: the run's entries lie inside the index's storage, which nobody writes.
        if !unsafe { run.read(call, first, &mut block[held..all], true) } {
            return false;
        }
        if first < SLOTS_AHEAD {
            // The loop prefetches the slots of later ones.
            let bytes = call.loops().slot.bytes;
            block[held..all].iter().for_each(|&number| slots.prefetch_bytes(number, bytes));
        }
        let done = if is_last { all } else { all.saturating_sub(SLOTS_AHEAD) };
        // SAFETY: all numbers were valid, so that each has a slot that the caller owns; src has the
        // elements of the run.
        unsafe {
            let src = run.source(call, first - held);
            (call.loops().long_line)(slots, src, &block[..all], done, call.simd());
        }
        block.copy_within(done..all, 0);
        held = all - done;
    }
    true
}
