//! The window of a task on its targets: how many lines and slots it has within its bytes of UB.

use super::axes::Work;
use super::boxes::Side;
use super::update::{grain, halves};
use crate::tiling::{Axis, Box2, Tiling, WHOLE_PART};

/// The most bytes of a line that goes through a staging buffer (f16 and bf16), and of one of
/// several lines.
const LINE: u32 = 16 * 1024;
/// The most slots: each has some words that the scalar unit sets at the start of a task.
const SLOTS: u64 = 512;
/// The bytes that a slot takes beside its line.
const SLOT: u32 = 24;
/// For rounding up to 32 bytes: a window's counts and the four words of its slots.
const SLACK: u32 = 5 * super::boxes::BLOCK;
/// The fewest bytes of a line that is evicted by others, where its layout allows: DMA is slow in
/// smaller pieces.
const EVICTED_LINE: u64 = 512;

/// The window that a plan gives its tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    line: Box2,
    line_shift: u32,
    lines: u32,
    slot_mask: u32,
    /// All the bytes of UB that it takes.
    pub(super) bytes: u32,
}

/// What a window is planned for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) work: &'a Work,
    pub(super) lane: Axis,
    /// The most bytes of UB that a window takes, with all that belongs to it.
    pub(super) budget: u32,
}

impl Frame<'_> {
    /// A window that holds `part` targets × `lanes` at once: in few large lines where most of them
    /// are updated, in small ones where few are.
    pub(super) fn resident(&self, part: u64, lanes: u64) -> Option<Window> {
        let whole = || self.window(self.line(part, lanes, self.longest())?, WHOLE_PART, 1, part);
        let of = |shift: u32| {
            let line = self.line(1 << shift, lanes, self.one_of_several())?;
            let is_enough =
                self.is_dense() || self.line_content(shift, lanes) >= EVICTED_LINE || self.one_by_one();
            is_enough.then(|| self.window(line, shift, part.div_ceil(1 << shift), part)).flatten()
        };
        if self.one_by_one() {
            return if part == 1 { whole() } else { of(0) };
        }
        let mut shifts = 0..=part.max(1).ilog2();
        if self.is_dense() {
            whole().or_else(|| shifts.rev().find_map(of))
        } else {
            shifts.find_map(of).or_else(whole)
        }
    }

    /// [`Self::resident`] for as many of `part` targets as fit.
    pub(super) fn resident_part(&self, part: u64, lanes: u64) -> Option<(Window, u64)> {
        let grain = grain(self.work.target_step(), self.work.element);
        halves(part, grain).find_map(|part| Some((self.resident(part, lanes)?, part)))
    }

    /// A window of as many lines as fit, which evict each other.
    pub(super) fn evicting(&self, part: u64, lanes: u64) -> Option<Window> {
        let most = if self.one_by_one() { 0 } else { part.max(1).ilog2() };
        let is_large = |shift: &u32| self.line_content(*shift, lanes) >= EVICTED_LINE;
        let fits = |shift: &u32| self.line(1 << *shift, lanes, self.one_of_several()).is_some();
        let shift = (0..=most).find(is_large).filter(fits).unwrap_or(0);
        let line = self.line(1 << shift, lanes, self.one_of_several())?;
        let room = self.budget.checked_sub(SLACK)?;
        let slots = u64::from(room / (self.line_bytes(&line) + SLOT)).min(SLOTS);
        let slots = if slots == 0 { return None } else { 1 << slots.ilog2() };
        self.window(line, shift, slots, part)
    }

    /// Whether there are at least a quarter as many updates as targets, so that most of each line
    /// will be needed.
    fn is_dense(&self) -> bool {
        self.work.update_count >= self.work.target_count / 4
    }

    /// Whether targets are so far apart that a line can hold only one of them.
    const fn one_by_one(&self) -> bool {
        self.work.targets.len() > 1
    }

    /// The most bytes of a line.
    const fn longest(&self) -> u32 {
        if self.work.is_wide { self.one_of_several() } else { self.budget }
    }

    /// The most bytes of one of several lines.
    const fn one_of_several(&self) -> u32 {
        if self.budget / 4 < LINE { self.budget / 4 } else { LINE }
    }

    /// The bytes of elements in a line of 2^shift targets.
    const fn line_content(&self, shift: u32, lanes: u64) -> u64 {
        (self.work.element as u64).saturating_mul(lanes).saturating_mul(1 << shift)
    }

    fn line(&self, targets: u64, lanes: u64, most: u32) -> Option<Box2> {
        let is_all = targets == self.work.target_count;
        let sides = [
            Side { size: targets, gm: self.work.target_step(), is_fixed: is_all },
            Side { size: lanes, gm: self.lane.out, is_fixed: lanes == self.lane.size },
        ];
        Box2::fit(sides, self.work.element, most)
    }

    /// The bytes of a line as it is held: f16 and bf16 as f32, and with its counts.
    fn line_bytes(&self, line: &Box2) -> u32 {
        let values = if self.work.is_wide { line.bytes * 2 } else { line.bytes };
        let counts = if self.work.is_counted { line.bytes / line.element * 4 } else { 0 };
        values + counts
    }

    fn window(&self, line: Box2, line_shift: u32, lines: u64, part: u64) -> Option<Window> {
        let lines = u32::try_from(lines).ok().filter(|&lines| u64::from(lines) <= SLOTS)?;
        let stage = if self.work.is_wide { line.bytes } else { 0 };
        let bytes = (self.line_bytes(&line) + SLOT).checked_mul(lines)?.checked_add(stage + SLACK)?;
        let needed = if line_shift == WHOLE_PART { 1 } else { part.div_ceil(1 << line_shift) };
        (bytes <= self.budget).then_some(Window {
            line,
            line_shift,
            lines,
            slot_mask: if needed <= u64::from(lines) { lines.next_power_of_two() - 1 } else { lines - 1 },
            bytes,
        })
    }
}

impl Window {
    /// A plan with this window.
    pub(super) const fn put(&self, tiling: Tiling) -> Tiling {
        let Self { line, line_shift, lines, slot_mask, .. } = *self;
        Tiling { out_box: line, line_shift, lines, slot_mask, ..tiling }
    }
}
