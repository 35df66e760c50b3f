//! Prefetches the next lines while lines are updated: hardware can't predict updates in any order.

use crate::cpu::prefetch::prefetch_stream;
use crate::cpu::walk::Walk;

/// The lines after those that are updated.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct NextLines {
    /// The first line that is updated.
    lines: *const u8,
    /// From one line to the next, in bytes.
    step: isize,
    /// The bytes of a line.
    len: usize,
    /// The bytes of a line that are prefetched with each update.
    share: usize,
}

impl NextLines {
    /// For the lines of a walk, which are contiguous, of elements of some bytes.
    pub(super) fn of(walk: &Walk, targets: usize, element: usize) -> Self {
        let len = targets.saturating_mul(element);
        let share = len.div_ceil(walk.inner().extent.max(1));
        let step = walk.outer().dst.wrapping_mul(element as isize);
        Self { lines: core::ptr::null(), step, len, share }
    }

    /// The same while the lines from `lines` on are updated.
    pub(super) const fn from(self, lines: *const u8) -> Self {
        Self { lines, ..self }
    }

    /// The same while all of these lines but the first `lines` are updated.
    pub(super) const fn after(self, lines: usize) -> Self {
        self.from(self.lines.wrapping_offset(lines as isize * self.step))
    }

    /// Prefetches, for updates `first` to `first + updates` of each of the first `lines`, their
    /// share of the `lines` that follow.
    #[inline(always)]
    pub(super) fn prefetch(&self, lines: usize, first: usize, updates: usize) {
        let Self { step, len, share, .. } = *self;
        let start = (first * share).min(len);
        let bytes = (updates * share).min(len - start);
        let follow = step == bytes as isize;
        let (joined, count) = if follow { (lines, 1) } else { (1, lines) };
        for line in lines..lines + count {
            let next = self.lines.wrapping_offset(line as isize * step);
            prefetch_stream(next.wrapping_add(start), joined * bytes);
        }
    }
}
