//! The updates of some lines of the destination, block by block, while what later ones read is
//! prefetched.

use core::slice;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::{IndexNumbers, Number, number_lines, prefetch_numbered};
use crate::cpu::lines::next::NextLines;
use crate::cpu::plan::UPDATES_BETWEEN_PREFETCHES;
use crate::cpu::prefetch::{SLOTS_AHEAD, STREAM_AHEAD, prefetch_stream};
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::slot::loops::LineLoop;
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

/// Makes all updates of some lines.
///
/// # Safety
/// The addresses of the lines' runs lie inside the storages of index and src, which nobody writes,
/// and so do those of index of the [`How::named`] lines after them. All index values are valid.
/// Each line has slots of all targets, which the caller owns. `how` says that lines are tiny only
/// if they are.
pub(in crate::cpu) unsafe fn make(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    how: How,
    block: &mut LineBlock,
) {
    let Run { axis, index, .. } = updates.run;
    // SAFETY: the runs lie inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    let made = unsafe {
        if how.is_near {
            make_near(call, updates, call.numbers.values(index, axis.index), how, block)
        } else {
            debug_assert!(updates.lines.extent == 1);
            make_far(call, updates.run, updates.slots, block)
        }
    };
    debug_assert!(made, "index was checked");
}

/// How many index values are checked at a time, where that was not done before.
const CHECKED: usize = 512;

/// Makes all updates of a line, whose index values are checked block by block. False, and nothing
/// more is done, when one is not valid.
///
/// # Safety
/// As [`make`], but that index values may be invalid.
pub(in crate::cpu) unsafe fn make_checking(
    call: &Call<'_>,
    run: Run<'_>,
    slots: Slots,
    is_near: bool,
    block: &mut LineBlock,
) -> bool {
    if !is_near {
        // SAFETY: the run lies inside the storages of index and src, which nobody writes; the
        // caller owns the slots of all targets.
        return unsafe { make_far(call, run, slots, block) };
    }
    let how = How { is_near, prefetches: true, are_tiny: false, next: None, named: 0 };
    (0..run.axis.extent).step_by(CHECKED).all(|first| {
        let axis = Axis { extent: (run.axis.extent - first).min(CHECKED), ..*run.axis };
        let [index, src, _] = axis.steps().map(|step| first as isize * step);
        let run = Run { axis: &axis, index: run.index + index, src: run.src + src };
        // SAFETY: the run lies inside the storages of index and src, which nobody writes; the
        // caller owns the slots of all targets.
        unsafe {
            let values = call.numbers.checked_values(run.index, axis.index, axis.extent);
            make_near(call, LineUpdates { run, lines: Axis::SINGLE, slots }, values, how, block)
        }
    })
}

/// Makes all updates of lines that stay in a near cache: by `values`, or else by numbers that are
/// read. False, and nothing more is done, when an index value is not valid.
///
/// # Safety
/// As [`make`], but that index values may be invalid where there are no `values` and lines are not
/// tiny. The `values` are those of the first line.
unsafe fn make_near(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    values: Option<IndexNumbers>,
    how: How,
    block: &mut LineBlock,
) -> bool {
    let loops = call.loops();
    // SAFETY: the runs lie inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets, whose numbers the values are.
    unsafe {
        match values {
            Some(IndexNumbers::U32(values)) => make_by_values(call, updates, values, how, loops.line, block),
            Some(IndexNumbers::I64(values)) => {
                make_by_values(call, updates, values, how, loops.line_i64, block);
            }
            None if how.are_tiny => make_tiny_lines(call, updates, block),
            None => {
                return (0..updates.lines.extent).all(|line| {
                    let (run, slots) = updates.line(line, loops.slot.bytes);
                    let next = how.next.map(|next| next.after(line));
                    make_by_numbers(call, run, slots, How { next, ..how }, block)
                });
            }
        }
    }
    true
}

/// Makes all updates of a line that stays in a near cache by numbers, block by block. False, and
/// nothing more is done, when an index value is not valid.
///
/// # Safety
/// As [`make`], but that index values may be invalid.
unsafe fn make_by_numbers(
    call: &Call<'_>,
    run: Run<'_>,
    slots: Slots,
    how: How,
    Aligned(block): &mut LineBlock,
) -> bool {
    let extent = run.axis.extent;
    for first in (0..extent).step_by(NEAR_BLOCK) {
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
            unsafe { (call.loops().line)(slots, run.source(call, first), numbers, false, call.simd()) };
        }
    }
    true
}

/// [`make`] by index values from `values` on: line by line, and portion by portion where the next
/// line is prefetched.
///
/// # Safety
/// As [`make`]; the values of the first line are from `values` on, and each is the number of a
/// target.
#[inline(always)]
unsafe fn make_by_values<N: Number>(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    values: *const N,
    how: How,
    line: LineLoop<N>,
    block: &mut LineBlock,
) {
    if updates.lines.extent > 1 {
        // SAFETY: the values and src are as the caller promises, who owns the slots of all targets.
        return unsafe { make_lines(call, updates, values, how, line, block) };
    }
    let LineUpdates { run, slots, .. } = updates;
    // SAFETY: the run has `extent` index values, which nobody writes.
    let values = unsafe { slice::from_raw_parts(values, run.axis.extent) };
    let at_a_time = if how.next.is_some() { UPDATES_BETWEEN_PREFETCHES } else { values.len().max(1) };
    for (first, portion) in (0..).step_by(at_a_time).zip(values.chunks(at_a_time)) {
        how.prefetch_next(1, first, portion.len());
        // SAFETY: src has the elements of the run; each value is the number of a target, whose slot
        // the caller owns.
        unsafe { line(slots, run.source(call, first), portion, how.prefetches, call.simd()) };
    }
}

/// Prefetches for the updates of several lines, which have no more than a portion if anything is
/// prefetched.
///
/// # Safety
/// As [`make_by_values`].
#[inline(always)]
unsafe fn prefetch_lines<N: Number>(
    call: &Call<'_>,
    LineUpdates { run, lines, slots }: LineUpdates<'_>,
    values: *const N,
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
        prefetch_numbered(line_start, slots.step.wrapping_mul(slot_bytes), values);
    }
}

/// [`make_by_values`] of several lines.
///
/// # Safety
/// As [`make_by_values`].
#[inline(always)]
unsafe fn make_lines<N: Number>(
    call: &Call<'_>,
    updates: LineUpdates<'_>,
    values: *const N,
    how: How,
    line: LineLoop<N>,
    block: &mut LineBlock,
) {
    // SAFETY: the values and src are as the caller promises, who owns the slots of all targets.
    unsafe {
        prefetch_lines(call, updates, values, how);
        if how.are_tiny {
            return make_tiny_lines(call, updates, block);
        }
    }
    let LineUpdates { run, lines, slots } = updates;
    let src_step = lines.src.wrapping_mul(call.storages.src.size as isize);
    let slots_step = lines.dst.wrapping_mul(call.loops().slot.bytes as isize);
    let src = run.source(call, 0);
    for number in 0..lines.extent as isize {
        let src = Source { start: src.start.wrapping_offset(number.wrapping_mul(src_step)), ..src };
        let slots = Slots { start: slots.start.wrapping_offset(number.wrapping_mul(slots_step)), ..slots };
        // SAFETY: each line has index values and elements of src for its updates, which nobody
        // writes; each value is the number of a target, whose slot the caller owns.
        unsafe {
            let values = slice::from_raw_parts(values.offset(number * lines.index), run.axis.extent);
            line(slots, src, values, false, call.simd());
        }
    }
}

/// [`make`] of tiny lines: slots are numbered from the first line on, some lines at a time.
///
/// # Safety
/// As [`make`].
unsafe fn make_tiny_lines(
    call: &Call<'_>,
    LineUpdates { run, lines, slots }: LineUpdates<'_>,
    Aligned(block): &mut LineBlock,
) {
    let extent = run.axis.extent;
    let at_a_time = NEAR_BLOCK / extent;
    for first in (0..lines.extent).step_by(at_a_time) {
        let made = first * extent;
        let block = &mut block[..(lines.extent - first).min(at_a_time) * extent];
        // SAFETY: the entries of the runs lie inside the index's storage, which nobody writes.
        let are_valid = unsafe { run.read(call, made, block, false) };
        debug_assert!(are_valid, "index was checked");
        number_lines(block, extent, lines.dst, call.simd());
        let bytes = call.loops().slot.bytes as isize;
        let start = slots.start.wrapping_offset(first as isize * lines.dst * bytes);
        // SAFETY: all numbers are valid, so that each has a slot in its line, which the caller
        // owns; src has the elements of the runs.
        unsafe {
            (call.loops().line)(Slots { start, ..slots }, run.source(call, made), block, false, call.simd());
        }
    }
}

/// Makes all updates of a line that doesn't stay in a near cache: slots are prefetched. False, and
/// nothing more is done, when an index value is not valid.
///
/// # Safety
/// As [`make`], but that index values may be invalid.
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
