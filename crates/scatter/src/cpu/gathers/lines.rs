//! Gathers of lines, which lie one element after the other in self, in index and in out.
//!
//! Index values are used as they are. Where an entry's position is a part of its number, and where
//! lines are tiny, blocks of numbers are made first.

use core::slice;

use crate::Index;
use crate::cpu::aligned::Aligned;
use crate::cpu::index::numbers::{self, Number, TargetNumbers, number_lines};
use crate::cpu::index::storage::{with_values, wrap_signed};
use crate::cpu::plan::{Ahead, GATHERED_BLOCK, Planner};
use crate::cpu::prefetch::{prefetch_all, prefetch_named, prefetch_on};
use crate::cpu::walk::Axis;
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::moves::by_size;
use crate::cpu::walk::storage::Storages;
use crate::cpu::walk::turns::each_plane;

/// Copies the elements of a task.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply): out is what is written, and the task has all
/// targets. The walk is one of [lines](crate::cpu::plan::GatherWay::Lines).
pub(super) unsafe fn copy(
    task: &Task<'_>,
    storages: Storages,
    numbers: &TargetNumbers,
    planner: &Planner<'_>,
) {
    let Storages { src: out, dst: self_, .. } = storages;
    let targets = task.walk.components.targets();
    each_plane(&task.walk, |axis, lines, [index_at, out_at, self_at]| {
        let gathered = GatheredLines {
            from: self_.at(self_at),
            size: targets,
            to: out.at(out_at),
            bytes: self_.size,
            len: axis.extent,
            lines,
        };
        let plan = planner.gathered_lines(axis, lines, self_.size);
        // SAFETY: the values are valid, and name elements of their lines; as many elements of out
        // are this task's, and share no memory with self.
        unsafe {
            match numbers.values(index_at, axis.index) {
                Some(values) if !plan.together => {
                    with_values!(values, values => gathered.copy_by(values, plan.ahead));
                }
                _ => gathered.copy_numbered(numbers, index_at, plan.together),
            }
        }
    });
}

/// Contiguous lines of self that lie evenly apart, and where elements of them go, those of a line
/// one after the other.
#[derive(Clone, Copy, Debug)]
struct GatheredLines<'a> {
    /// The first line.
    from: *const u8,
    /// The elements of a line: negative index values count from there.
    size: usize,
    /// Where the elements of the first line go.
    to: *mut u8,
    /// The bytes of an element.
    bytes: usize,
    /// How many elements of each line go somewhere.
    len: usize,
    /// The lines, with the steps from one to the next in index, in out (src) and in self (dst).
    lines: &'a Axis,
}

impl GatheredLines<'_> {
    /// Copies the elements that values name; the first line's begin at `first_value`.
    ///
    /// # Safety
    /// Each line has its values, which are valid; the lines are there to read, and an element for
    /// each value, which shares no memory with them, to write.
    // Inside its caller the loop took 7 % more time.
    #[inline(never)]
    unsafe fn copy_by<I: Index + Number>(&self, first_value: *const I, ahead: Ahead) {
        let Self { size, bytes, len, lines, .. } = *self;
        let gather = gather_of::<I>(bytes);
        let [from_step, to_step] = [lines.dst, lines.src].map(|step| step.wrapping_mul(bytes as isize));
        let (prefetches, named) = match ahead {
            Ahead::Nothing => (false, None),
            Ahead::NextLine => (true, None),
            Ahead::Named(lines) => (false, Some(lines as isize)),
        };
        // SAFETY: each line has as many values, which nobody writes.
        let values_of =
            |line: isize| unsafe { slice::from_raw_parts(first_value.offset(line * lines.index), len) };
        for line in 0..lines.extent as isize {
            let from = self.from.wrapping_offset(line.wrapping_mul(from_step));
            let to = self.to.wrapping_offset(line.wrapping_mul(to_step));
            let values = values_of(line);
            if let Some(ahead) = named.filter(|ahead| line + ahead < lines.extent as isize) {
                let from = from.wrapping_offset(ahead.wrapping_mul(from_step));
                prefetch_named(from, bytes as isize, values_of(line + ahead));
            }
            for (number, block) in values.chunks(GATHERED_BLOCK).enumerate() {
                let first = number * GATHERED_BLOCK * bytes;
                if prefetches {
                    prefetch_on(block);
                    prefetch_all(from.wrapping_offset(from_step).wrapping_add(first), block.len() * bytes);
                }
                // SAFETY: the values are valid; the line, and as many elements to write.
                unsafe { gather(from, size, to.wrapping_add(first), block) };
            }
        }
    }

    /// The same by numbers, which are read block by block, with `together` for as many lines as a
    /// block has room for; the first line's entries begin at `index_at`.
    ///
    /// # Safety
    /// As [`GatheredLines::copy_by`], for the entries of index; lines have at most 2^31 elements.
    /// Where they are taken together, they are [tiny](crate::cpu::plan::LineLoops::are_tiny).
    unsafe fn copy_numbered(&self, numbers: &TargetNumbers, index_at: isize, together: bool) {
        let Self { size, bytes, len, lines, .. } = *self;
        let (gather, mut block) = (gather_of::<u32>(bytes), Aligned([0; numbers::BLOCK]));
        let at_a_time = if together { numbers::BLOCK / len.max(1) } else { 1 };
        for line in (0..lines.extent).step_by(at_a_time) {
            let entries = (lines.extent - line).min(at_a_time) * len;
            let [index_step, to_step, from_step] =
                [lines.index, lines.src, lines.dst].map(|step| step * line as isize);
            let from = self.from.wrapping_offset(from_step * bytes as isize);
            let to = self.to.wrapping_offset(to_step * bytes as isize);
            for first in (0..entries).step_by(numbers::BLOCK) {
                let block = &mut block.0[..(entries - first).min(numbers::BLOCK)];
                // SAFETY: entries of index, whose values are valid, so that each names an element
                // of its line; and there is an element to write for each.
                unsafe {
                    numbers.read(index_at + index_step + first as isize, 1, block, true);
                    if together {
                        number_lines(block, len, lines.dst, numbers.simd());
                    }
                    gather(from, size, to.wrapping_add(first * bytes), block);
                }
            }
        }
    }
}

/// Copies elements of a line to as many places as there are values, or numbers.
type Gather<N> = unsafe fn(from: *const u8, size: usize, to: *mut u8, values: &[N]);

/// The loop for elements of `bytes`.
const fn gather_of<N: Number>(bytes: usize) -> Gather<N> {
    by_size!(bytes, SIZE => gather_block::<N, SIZE>)
}

/// Copies elements of a line of `size`, from the end of which negative values count.
///
/// # Safety
/// Each value names an element, of `SIZE` bytes; there is one to write for each, and these share no
/// memory.
unsafe fn gather_block<N: Number, const SIZE: usize>(
    from: *const u8,
    size: usize,
    to: *mut u8,
    values: &[N],
) {
    let (from, to) = (from.cast::<[u8; SIZE]>(), to.cast::<[u8; SIZE]>());
    for (at, value) in values.iter().enumerate() {
        let (place, _) = wrap_signed(value.get(), size as i64);
        // SAFETY: the value names an element, and there is one to write for it; arrays of bytes are
        // aligned everywhere.
        unsafe { to.add(at).write(from.add(place as usize).read()) }
    }
}
