//! The elements of out that a task of `scatter_elements` holds in UB.

use super::super::axes::Work;
use super::super::boxes::BLOCK;
use crate::tiling::{Box2, ElementsTiling, Run, Tiling};

/// The bytes of each half of the staging buffer, through which f16 and bf16 are loaded and stored:
/// it is double-buffered.
const STAGE: u64 = 8192;
/// A half takes at most one part in this many of UB.
const STAGE_OF_ROOM: u64 = 16;

/// What a task holds of out: runs of elements, with room for discarded updates before the first and
/// behind the last target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    out_box: Box2,
    /// The elements that there is room for.
    pub(super) held: u64,
    first: u64,
    target: u64,
    lane: u64,
    /// The targets that are loaded or stored at once.
    piece: u64,
    /// The bytes of an element as it is held: f16 and bf16 are held as f32.
    element: u64,
}

impl Held {
    /// `None` where out is contiguous along neither axis, or a task would hold too much.
    pub(super) fn of(work: &Work, of: &Tiling, room: u64) -> Option<Self> {
        let (stored, step) = (work.element as u64, work.target_step());
        let element = held_element(work);
        let (targets, lanes) = (of.target_part, of.lane_tile);
        let is_one = targets == 1;
        let in_runs_of_targets = step == stored as i64 || is_one;
        let in_runs_of_lanes = of.lane.out == stored as i64 || lanes == 1;
        let (held, first, target, lane, run) = if in_runs_of_lanes && !(in_runs_of_targets && lanes == 1) {
            let row = padded(lanes, element);
            ((targets + 2) * row, row, row, 1, Run::Axis1)
        } else if in_runs_of_targets {
            let first = padded(1, element);
            let row = padded(first + targets + 1, element);
            (lanes * row, first, 1, row, Run::Axis0)
        } else {
            return None;
        };
        let (piece, ub, bytes) = if work.is_wide {
            let half = (room / STAGE_OF_ROOM).min(STAGE) / stored;
            let grain = padded(1, stored);
            let (piece, ub, staged) = if run == Run::Axis1 {
                let row = padded(lanes, stored);
                let piece = (half / row).clamp(1, targets);
                (piece, [row, 1], piece * row)
            } else {
                let most = (half / lanes / grain * grain).max(grain);
                let piece = most.min(targets.next_multiple_of(grain));
                (piece, [1, piece], lanes * piece)
            };
            (piece, ub, staged * stored)
        } else {
            (targets, [target, lane], (held * element).next_multiple_of(BLOCK.into()))
        };
        let out_box = Box2 {
            gm: [step, if of.lane.size == 1 { 0 } else { of.lane.out }],
            ub: ub.map(|stride| (stride * stored) as u32),
            element: stored as u32,
            run,
            bytes: u32::try_from(bytes).ok()?,
            reserved: 0,
        };
        Some(Self { out_box, held, first, target, lane, piece, element })
    }

    /// Whether the lanes of a target are adjacent: a target has whole blocks of UB then.
    pub(super) fn is_in_rows(&self) -> bool {
        self.out_box.run == Run::Axis1
    }

    /// The bytes of UB that it takes: elements as they are held, the staging buffer, and counts.
    pub(super) fn bytes(&self, work: &Work) -> u64 {
        let padded = |element: u64| (self.held * element).next_multiple_of(BLOCK.into());
        let stage = if work.is_wide { 2 * u64::from(self.out_box.bytes) } else { 0 };
        let counts = if work.is_counted { padded(4) } else { 0 };
        padded(self.element) + stage + counts
    }

    /// `tiling` with these fields set.
    pub(super) const fn put(&self, tiling: ElementsTiling) -> ElementsTiling {
        let Self { out_box, held, first, target, lane, piece, element: _ } = *self;
        ElementsTiling {
            out_box,
            held: held as u32,
            held_first: first as u32,
            held_target: target as u32,
            held_lane: lane as u32,
            piece: piece as u32,
            ..tiling
        }
    }
}

/// The bytes of an element of out and of src in UB, in the type of the arithmetic.
pub(super) const fn held_element(work: &Work) -> u64 {
    if work.is_wide { 4 } else { work.element as u64 }
}

/// `count` elements, rounded up to whole blocks of UB.
pub(super) const fn padded(count: u64, element: u64) -> u64 {
    (count * element).next_multiple_of(BLOCK as u64) / element
}
