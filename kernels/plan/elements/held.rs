//! What a task of `scatter_elements` holds of out.

use super::super::axes::Work;
use super::super::boxes::BLOCK;
use crate::tiling::{Box2, ElementsTiling, Run, Tiling};

/// What a task holds of out: runs of elements, with some that are nobody's before the first and behind the last target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    out_box: Box2,
    /// The elements that there is room for.
    pub(super) held: u64,
    first: u64,
    target: u64,
    lane: u64,
}

impl Held {
    /// `None` where out is contiguous along neither axis, or a task would hold too much.
    pub(super) fn of(work: &Work, of: &Tiling) -> Option<Self> {
        let (element, step) = (work.element as u64, work.target_step());
        let (targets, lanes) = (of.target_part, of.lane_tile);
        let padded = |count: u64| (count * element).next_multiple_of(BLOCK.into()) / element;
        let is_one = targets == 1;
        let in_runs_of_targets = step == element as i64 || is_one;
        let in_runs_of_lanes = of.lane.out == element as i64 || lanes == 1;
        let (held, first, target, lane, run) = if in_runs_of_lanes && !(in_runs_of_targets && lanes == 1) {
            let row = padded(lanes);
            ((targets + 2) * row, row, row, 1, Run::Axis1)
        } else if in_runs_of_targets {
            let first = padded(1);
            let row = padded(first + targets + 1);
            (lanes * row, first, 1, row, Run::Axis0)
        } else {
            return None;
        };
        let gm = [step, if of.lane.size == 1 { 0 } else { of.lane.out }];
        let out_box = Box2 {
            gm,
            ub: [target, lane].map(|stride| (stride * element) as u32),
            element: element as u32,
            run,
            bytes: u32::try_from((held * element).next_multiple_of(BLOCK.into())).ok()?,
            reserved: 0,
        };
        Some(Self { out_box, held, first, target, lane })
    }

    /// The bytes of UB that it takes: f16 and bf16 as f32 and as they come, and what is counted.
    pub(super) fn bytes(&self, work: &Work) -> u64 {
        let padded = |element: u64| (self.held * element).next_multiple_of(BLOCK.into());
        let wide = if work.is_wide { padded(4) } else { 0 };
        let counts = if work.is_counted { padded(4) } else { 0 };
        padded(work.element as u64) + wide + counts
    }

    /// A plan that holds it.
    pub(super) const fn put(&self, tiling: ElementsTiling) -> ElementsTiling {
        let Self { out_box, held, first, target, lane } = *self;
        ElementsTiling {
            out_box,
            held: held as u32,
            held_first: first as u32,
            held_target: target as u32,
            held_lane: lane as u32,
            ..tiling
        }
    }
}
