//! Gathers of lines, which lie one element after the other in self, in index and in out.
//!
//! Index values are used as they are. Where one is negative, where an entry's position is a part of
//! its number, and where lines are tiny, blocks of numbers are made first.

use core::slice;

use crate::cpu::aligned::Aligned;
use crate::cpu::index::numbers::{
    self, IndexNumbers, Number, TargetNumbers, number_lines, prefetch_numbered,
};
use crate::cpu::plan::{Ahead, GATHERED_BLOCK, LineGathers};
use crate::cpu::prefetch::{prefetch_all, prefetch_on};
use crate::cpu::walk::Axis;
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::moves::by_size;
use crate::cpu::walk::storage::Storages;
use crate::cpu::walk::turns::each_plane;

/// Copies the elements of a task.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply): out is what is written, and the task has all
/// targets. The walk is one of [lines](crate::cpu::plan::GatherWay::Lines), of which the plan says
/// truly whether they are tiny.
pub(super) unsafe fn copy(
    task: &Task<'_>,
    storages: Storages,
    numbers: &TargetNumbers,
    LineGathers { are_tiny, ahead }: LineGathers,
) {
    let Storages { src: out, dst: self_, .. } = storages;
    each_plane(&task.walk, |axis, lines, [index_at, out_at, self_at]| {
        let gathered = GatheredLines {
            from: self_.at(self_at),
            to: out.at(out_at),
            bytes: self_.size,
            len: axis.extent,
            lines,
        };
        // SAFETY: each line has its index values inside the storage, which nobody writes; they are
        // valid, so that each names an element of its line of self, which nobody writes either, and
        // given as values only if each is the number of its element. For each value out has an
        // element that only this task accesses and that shares no memory with self.
        unsafe {
            match numbers.values(index_at, axis.index).filter(|_| !are_tiny) {
                Some(IndexNumbers::U32(values)) => gathered.copy_by(values, ahead),
                Some(IndexNumbers::I64(values)) => gathered.copy_by(values, ahead),
                None => gathered.copy_numbered(numbers, index_at, are_tiny),
            }
        }
    });
}

/// Contiguous lines of self that lie evenly apart, and where their elements are copied to: those of
/// a line to successive elements of out.
#[derive(Clone, Copy, Debug)]
struct GatheredLines<'a> {
    /// The first line.
    from: *const u8,
    /// Where the elements of the first line go.
    to: *mut u8,
    /// The bytes of an element.
    bytes: usize,
    /// How many elements are copied from each line.
    len: usize,
    /// The lines, with the steps from one to the next in index, in out (src) and in self (dst).
    lines: &'a Axis,
}

impl GatheredLines<'_> {
    /// Copies the elements that values number; the first line's begin at `first_value`.
    ///
    /// # Safety
    /// Each line has `len` values, each the number of an element of the line. Nobody writes the
    /// values or the lines. For each value there is an element to write, which only the caller
    /// accesses and which shares no memory with the lines.
    // Inside its caller the loop took 7 % more time.
    #[inline(never)]
    unsafe fn copy_by<N: Number>(&self, first_value: *const N, ahead: Ahead) {
        let Self { bytes, len, lines, .. } = *self;
        let gather = gather_of::<N>(bytes);
        let [from_step, to_step] = [lines.dst, lines.src].map(|step| step.wrapping_mul(bytes as isize));
        let (prefetches, named) = match ahead {
            Ahead::Nothing => (false, None),
            Ahead::NextLine => (true, None),
            Ahead::Named(lines) => (false, Some(lines as isize)),
        };
        // SAFETY: the caller promises `len` values for each line, which nobody writes.
        let values_of =
            |line: isize| unsafe { slice::from_raw_parts(first_value.offset(line * lines.index), len) };
        for line in 0..lines.extent as isize {
            let from = self.from.wrapping_offset(line.wrapping_mul(from_step));
            let to = self.to.wrapping_offset(line.wrapping_mul(to_step));
            let values = values_of(line);
            if let Some(ahead) = named.filter(|ahead| line + ahead < lines.extent as isize) {
                let from = from.wrapping_offset(ahead.wrapping_mul(from_step));
                prefetch_numbered(from, bytes as isize, values_of(line + ahead));
            }
            for (number, block) in values.chunks(GATHERED_BLOCK).enumerate() {
                let first = number * GATHERED_BLOCK * bytes;
                if prefetches {
                    prefetch_on(block);
                    prefetch_all(from.wrapping_offset(from_step).wrapping_add(first), block.len() * bytes);
                }
                // SAFETY: each value is the number of an element of this line, which nobody writes;
                // for each there is an element to write, which only the caller accesses.
                unsafe { gather(from, to.wrapping_add(first), block) };
            }
        }
    }

    /// As [`GatheredLines::copy_by`], but by numbers, which are read block by block; with
    /// `are_tiny` a block has those of as many lines as it has room for. The first line's entries
    /// begin at `index_at`.
    ///
    /// # Safety
    /// Each line has `len` entries of index, which are valid; lines have at most 2^31 elements, and
    /// `are_tiny` says whether they are [tiny](crate::cpu::plan::LineLoops::are_tiny). The rest as
    /// for [`GatheredLines::copy_by`].
    unsafe fn copy_numbered(&self, numbers: &TargetNumbers, index_at: isize, are_tiny: bool) {
        let Self { bytes, len, lines, .. } = *self;
        let (gather, mut block) = (gather_of::<u32>(bytes), Aligned([0; numbers::BLOCK]));
        let at_a_time = if are_tiny { numbers::BLOCK / len.max(1) } else { 1 };
        for line in (0..lines.extent).step_by(at_a_time) {
            let entries = (lines.extent - line).min(at_a_time) * len;
            let [index_step, to_step, from_step] = lines.steps().map(|step| step * line as isize);
            let from = self.from.wrapping_offset(from_step * bytes as isize);
            let to = self.to.wrapping_offset(to_step * bytes as isize);
            for first in (0..entries).step_by(numbers::BLOCK) {
                let block = &mut block.0[..(entries - first).min(numbers::BLOCK)];
                // SAFETY: the entries lie inside the index's storage, which nobody writes, and are
                // valid, so that each names an element of its line, which nobody writes; for each
                // there is an element to write, which only the caller accesses.
                unsafe {
                    numbers.read(index_at + index_step + first as isize, 1, block, true);
                    if are_tiny {
                        number_lines(block, len, lines.dst, numbers.simd());
                    }
                    gather(from, to.wrapping_add(first * bytes), block);
                }
            }
        }
    }
}

/// Copies the elements of a line that have these numbers to successive elements of out.
type Gather<N> = unsafe fn(from: *const u8, to: *mut u8, numbers: &[N]);

/// The loop for elements of `bytes`.
const fn gather_of<N: Number>(bytes: usize) -> Gather<N> {
    by_size!(bytes, SIZE => gather_block::<N, SIZE>)
}

/// Copies elements of a line.
///
/// # Safety
/// Each number is that of an element of the line, of `SIZE` bytes, which nobody writes; for each
/// there is an element to write, which only the caller accesses and which shares no memory with the
/// line.
unsafe fn gather_block<N: Number, const SIZE: usize>(from: *const u8, to: *mut u8, numbers: &[N]) {
    let (from, to) = (from.cast::<[u8; SIZE]>(), to.cast::<[u8; SIZE]>());
    for (at, number) in numbers.iter().enumerate() {
        // SAFETY: the line has an element of this number, and there is one to write for it; arrays
        // of bytes are aligned everywhere.
        unsafe { to.add(at).write(from.offset(number.get()).read()) }
    }
}
