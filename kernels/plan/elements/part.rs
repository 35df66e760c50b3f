//! Tasks that own a part of the targets of a lane, or of a block of lanes.

use scatter::Problem;

use super::super::axes::Work;
use super::super::boxes::BLOCK;
use super::super::division::Division;
use super::super::update::{count, skeleton, split};
use super::held::Held;
use super::{Candidate, LaneLayout, MARKED, Src, common};
use crate::tiling::{Axis, ElementsTiling, Form};

/// The positions of a chunk: at most 4096, as they have 12 bits in the kernel's words. Fewer are
/// tried where UB is short.
const POSITIONS: [u64; 5] = [4096, 2048, 1024, 512, 256];
/// The updates of a chunk are a multiple of this where updates are adjacent in UB.
const CHUNK_GRAIN: u64 = 32;

/// The plan for `blocks` blocks and `room` bytes of UB; `None` where it does not fit.
pub(super) fn plan(
    problem: &Problem,
    work: &Work,
    layout: LaneLayout,
    blocks: u64,
    room: u64,
) -> Option<Candidate> {
    let (outer, lane) = split(&work.batch, layout.lane);
    let lanes = lanes(work, layout, lane)?;
    let others = count(&outer).saturating_mul(lane.size / lanes);
    let plans = POSITIONS.into_iter().filter_map(|positions| {
        let grain = if layout.lanes_adjacent { 1 } else { CHUNK_GRAIN };
        let chunk = (positions / lanes).min(work.last_update().size.next_multiple_of(grain));
        let plan = |part: u64| {
            let of = skeleton(problem, work, &outer, lane, Division { lanes, part });
            let held = Held::of(work, &of, room)?;
            // The kernel's words name a target's row of lanes.
            if layout.lanes_adjacent && !held.is_in_rows() {
                return None;
            }
            let (row, across) = if layout.lanes_adjacent { (lanes, chunk) } else { (chunk, 1) };
            let boxes = layout.boxes(work, &of, [row; 2], across);
            let places = chunk * lanes;
            let marked = places.next_multiple_of(MARKED);
            let src = Src::of(layout, work, &boxes[1], lanes, chunk);
            let index = 2 * u64::from(boxes[0].bytes);
            let bytes = held.bytes(work) + index + src.bytes + 4 * marked * 4 + 3 * marked / 8;
            let [index_box, src_box] = boxes;
            let tiling = held.put(ElementsTiling {
                form: Form::Part,
                chunk,
                index_box,
                src_box,
                places: places as u32,
                place_update: lanes as u32,
                place_lane: 1,
                ..common(&of, &src)
            });
            (bytes <= room).then_some(tiling)
        };
        let parts = core::iter::successors(Some(1_u64), |&parts| Some(parts * 2));
        let parts = parts.take_while(|&parts| parts < 2 * work.target_count);
        let least =
            parts.map(|parts| work.target_count.div_ceil(parts)).find(|&part| plan(part).is_some())?;
        // As many parts as keep all blocks busy.
        let rounds = others.saturating_mul(work.target_count.div_ceil(least)).div_ceil(blocks);
        let parts = (rounds * blocks / others).max(work.target_count.div_ceil(least));
        let tiling = plan(work.target_count.div_ceil(parts))?;
        Some(Candidate { tiling, cycles: cycles(work, &tiling, blocks) })
    });
    plans.min_by_key(|candidate| candidate.cycles)
}

/// The lanes of a task: one where updates are adjacent; else as many as fill blocks of index and
/// src, if the axis has whole blocks.
fn lanes(work: &Work, layout: LaneLayout, lane: Axis) -> Option<u64> {
    if !layout.lanes_adjacent {
        return Some(1);
    }
    let lanes = u64::from(BLOCK) / work.index_bytes.min(work.element) as u64;
    lane.size.is_multiple_of(lanes).then_some(lanes)
}

/// An estimate of the busiest core's cycles: every task reads all updates of its lanes, and applies
/// its own.
fn cycles(work: &Work, tiling: &ElementsTiling, blocks: u64) -> u64 {
    let entries = work.update_count.saturating_mul(tiling.lane_tile);
    let chunks = work.update_count.div_ceil(tiling.chunk);
    let find = (entries.saturating_mul(3) / 4).saturating_add(chunks.saturating_mul(600));
    let apply = (entries / tiling.target_parts).saturating_mul(26);
    tiling.tasks.div_ceil(blocks).saturating_mul(find.saturating_add(apply))
}
