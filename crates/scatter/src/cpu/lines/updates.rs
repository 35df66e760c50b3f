//! The updates of one line of the destination, block by block, while what later ones read is
//! prefetched.

use crate::Index;
use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::{STREAM_AHEAD, TargetNumbers, Values, prefetch_on};
use crate::cpu::lines::NextLine;
use crate::cpu::slot::block::{SLOTS_AHEAD, Slots, Source};
use crate::cpu::slot::loops::Prefix;
use crate::cpu::walk::Axis;
use crate::simd::prefetch_stream;

/// Where the updates of a line come from: the axis along them, and where index and src start.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Run<'a> {
    pub(in crate::cpu) axis: &'a Axis,
    pub(in crate::cpu) index: isize,
    pub(in crate::cpu) src: isize,
}

impl Run<'_> {
    /// [`TargetNumbers::read_on`] for the updates from `first` on.
    ///
    /// # Safety
    /// The index addresses of these updates lie inside the storage, which nobody writes.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn read(
        &self,
        numbers: &TargetNumbers,
        first: usize,
        block: &mut [u32],
    ) -> bool {
        // SAFETY: the run's index addresses lie inside the storage, which nobody writes.
        unsafe { numbers.read_on(self.index + first as isize * self.axis.index, self.axis.index, block) }
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

/// The updates of a block, where the line stays in a near cache.
const NEAR_BLOCK: usize = 256;

/// The same for any other line: few, so that what the next block needs arrives meanwhile.
pub(in crate::cpu) const FAR_BLOCK: usize = 128;

/// Room for the numbers of a block, and for those whose slots are prefetched.
pub(in crate::cpu) type LineBlock = Aligned<[u32; FAR_BLOCK + SLOTS_AHEAD]>;

/// A block that holds no numbers yet.
pub(in crate::cpu) const NO_NUMBERS: LineBlock = Aligned([0; FAR_BLOCK + SLOTS_AHEAD]);

const _: () = assert!(NEAR_BLOCK <= FAR_BLOCK + SLOTS_AHEAD);

/// How many updates come between prefetches. A processor stalls when more than some 32 cache lines
/// are on their way: these are 24 for an index of i64, and elements of 8 bytes in src and in the
/// next line.
const PORTION: usize = 64;

/// Makes all updates of a line, block by block, while the next line is prefetched. `is_near` says
/// whether the slots stay in a near cache. False, and nothing more is done, when an index value is
/// not valid.
///
/// # Safety
/// The addresses of the run lie inside the storages of index and src, which nobody writes; slots of
/// all targets, which the caller owns.
pub(in crate::cpu) unsafe fn make(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    run: Run<'_>,
    slots: Slots,
    is_near: bool,
    block: &mut LineBlock,
    next: Option<NextLine<'_>>,
) -> bool {
    // SAFETY: the caller promises addresses of the run, and slots of all targets that it owns.
    unsafe {
        if is_near {
            make_near(call, numbers, run, slots, block, next)
        } else {
            make_far(call, numbers, run, slots, block, next)
        }
    }
}

/// Prefetches what of the next line falls to some updates.
#[inline(always)]
fn prefetch_next(next: Option<NextLine<'_>>, first: usize, updates: usize) {
    if let Some(next) = next {
        next.prefetch(first, updates);
    }
}

/// [`make`] of a line that stays in a near cache.
///
/// # Safety
/// As [`make`].
unsafe fn make_near(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    run: Run<'_>,
    slots: Slots,
    Aligned(block): &mut LineBlock,
    next: Option<NextLine<'_>>,
) -> bool {
    // SAFETY: the run lies inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    let made = unsafe { make_plain(call, numbers, run, slots, next) };
    let extent = run.axis.extent;
    for first in (made..extent).step_by(NEAR_BLOCK) {
        let block = &mut block[..(extent - first).min(NEAR_BLOCK)];
        // SAFETY: index addresses of the run.
        if !unsafe { run.read(numbers, first, block) } {
            return false;
        }
        for (first, numbers) in (first..).step_by(PORTION).zip(block.chunks(PORTION)) {
            prefetch_next(next, first, numbers.len());
            run.prefetch(call, first, numbers.len());
            // SAFETY: all numbers were valid, so that each has a slot that the caller owns; src has
            // the elements of the run.
            unsafe { (call.update().line)(slots, run.source(call, first), numbers) };
        }
    }
    true
}

/// Makes the updates before the first whose value of index is negative or not valid, and returns
/// how many they are. Most often they are all, and index is used as it is.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn make_plain(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    run: Run<'_>,
    slots: Slots,
    next: Option<NextLine<'_>>,
) -> usize {
    // SAFETY: the run lies inside the storages of index and src, which nobody writes; the caller
    // owns the slots of all targets.
    unsafe {
        match numbers.values(run.index, run.axis.index, run.axis.extent) {
            Some(Values::I32(values)) => make_valid(call, run, slots, values, next, call.update().prefix_i32),
            Some(Values::I64(values)) => make_valid(call, run, slots, values, next, call.update().prefix_i64),
            None => 0,
        }
    }
}

/// [`make_plain`] of the values of all updates.
///
/// # Safety
/// As [`make`].
#[inline(always)]
unsafe fn make_valid<I: Index>(
    call: &Call<'_>,
    run: Run<'_>,
    slots: Slots,
    values: &[I],
    next: Option<NextLine<'_>>,
    update_valid: Prefix<I>,
) -> usize {
    let targets = call.walk.components.targets();
    for (first, portion) in (0..).step_by(PORTION).zip(values.chunks(PORTION)) {
        prefetch_next(next, first, portion.len());
        run.prefetch(call, first, portion.len());
        prefetch_on(portion);
        // SAFETY: src has the elements of the run; the caller owns the slots of all targets, and a
        // value that is no target touches none.
        let made = unsafe { update_valid(slots, run.source(call, first), portion, targets) };
        if made < portion.len() {
            return first + made;
        }
    }
    values.len()
}

/// [`make`] of a line that doesn't stay in a near cache: slots are prefetched.
///
/// # Safety
/// As [`make`].
unsafe fn make_far(
    call: &Call<'_>,
    numbers: &TargetNumbers,
    run: Run<'_>,
    slots: Slots,
    Aligned(block): &mut LineBlock,
    next: Option<NextLine<'_>>,
) -> bool {
    let extent = run.axis.extent;
    // The numbers whose slots were prefetched, but whose updates are still to be made.
    let mut held = 0;
    for first in (0..extent).step_by(FAR_BLOCK) {
        let len = (extent - first).min(FAR_BLOCK);
        let (all, is_last) = (held + len, first + len == extent);
        let start = first - held;
        // SAFETY: index addresses of the run.
        if !unsafe { run.read(numbers, first, &mut block[held..all]) } {
            return false;
        }
        if first < SLOTS_AHEAD {
            // The loop prefetches the slots of later ones.
            let bytes = call.update().slot.bytes;
            block[held..all].iter().for_each(|&number| slots.prefetch_bytes(number, bytes));
        }
        let done = if is_last { all } else { all.saturating_sub(SLOTS_AHEAD) };
        for at in (0..done.max(len)).step_by(PORTION) {
            let prefetched = len.saturating_sub(at).min(PORTION);
            prefetch_next(next, first + at, prefetched);
            run.prefetch(call, first + at, prefetched);
            let made = done.saturating_sub(at).min(PORTION);
            // SAFETY: all numbers were valid, so that each has a slot that the caller owns; src has
            // the elements of the run.
            unsafe { (call.update().long_line)(slots, run.source(call, start + at), &block[at..all], made) }
        }
        block.copy_within(done..all, 0);
        held = all - done;
    }
    true
}
