//! The plan of `scatter_general`, which can make any update.

use scatter::Problem;

use super::axes::Work;
use super::boxes::{BLOCK, Side};
use super::division::Division;
use super::update::{CHUNK, RESERVE, count, grain, halves, skeleton, split};
use super::window::{Frame, Window};
use crate::tiling::{Axis, Box2, Tiling};

/// The plan for `blocks` blocks and `ub` bytes of UB; `None` where nothing fits.
pub(super) fn plan(problem: &Problem, work: &Work, blocks: u64, ub: u32) -> Option<Tiling> {
    let (outer, lane) = split(&work.batch, lane(work));
    let lane_grain = grain(lane.out, work.element);
    let target_grain = grain(work.target_step(), work.element);
    let room = ub.checked_sub(RESERVE)?;
    // As many lanes as fit; with all targets of a part in UB at once, if that is possible.
    halves(lane.size, lane_grain).find_map(|lanes| {
        let lanes = (lane.size, lanes, lane_grain);
        let division = Division::new(blocks, count(&outer), lanes, (work.target_count, target_grain));
        let (window, part) = window(work, lane, division, room / 2)?;
        let tiling = skeleton(problem, work, &outer, lane, Division { part, ..division });
        with_chunks(work, tiling, &window, room.checked_sub(window.bytes)?)
    })
}

/// The batch axis that becomes the lanes: the one with out's smallest stride. Where an entry of
/// index has several components, a task has one lane.
fn lane(work: &Work) -> Option<usize> {
    if work.components.len() > 1 {
        return None;
    }
    (0..work.batch.len()).min_by_key(|&axis| work.batch[axis].out.unsigned_abs())
}

/// The window of a division, and how many targets its tasks own then.
fn window(work: &Work, lane: Axis, division: Division, budget: u32) -> Option<(Window, u64)> {
    let frame = Frame { work, lane, budget };
    let Division { lanes, part } = division;
    if let Some(window) = frame.resident(part, lanes) {
        return Some((window, part));
    }
    // Fewer lanes are better than fewer targets, down to a block of DMA.
    let fewest = if lane.out == work.element as i64 { u64::from(BLOCK) / work.element as u64 } else { 1 };
    if lanes > fewest.max(1) {
        return None;
    }
    if !work.is_wide && !work.is_counted {
        return Some((frame.evicting(part, lanes)?, part));
    }
    frame.resident_part(part, lanes)
}

/// The plan with the largest chunks for which there is room.
fn with_chunks(work: &Work, tiling: Tiling, window: &Window, room: u32) -> Option<Tiling> {
    let (last, lane, lanes) = (work.last_update(), tiling.lane, tiling.lane_tile);
    let index_size = tiling.index_bytes as usize;
    let (chunk, index_box, src_box) = halves(last.size.min(CHUNK), 1).find_map(|chunk| {
        let updates = |gm| Side { size: chunk, gm, is_fixed: chunk == last.size };
        let of_lanes = |gm| Side { size: lanes, gm, is_fixed: lanes == lane.size };
        let index = match work.components.len() {
            0 => Box2::fit([Side::cut(1, 0); 2], index_size, room),
            1 => Box2::fit([updates(last.index), of_lanes(lane.index)], index_size, room),
            values => {
                let values = Side { size: values as u64, gm: work.component_stride, is_fixed: true };
                Box2::fit([updates(last.index), values], index_size, room)
            }
        }?;
        let src = Box2::fit([updates(last.src), of_lanes(lane.src)], work.element, room)?;
        let wide = if work.is_wide { u64::from(src.bytes) * 2 } else { 0 };
        let places = chunk.saturating_mul(lanes).saturating_mul(4).next_multiple_of(BLOCK.into());
        let bytes = 2 * u64::from(index.bytes) + 2 * u64::from(src.bytes) + wide + places;
        (bytes <= room.into()).then_some((chunk, index, src))
    })?;
    Some(window.put(Tiling { chunk, index_box, src_box, ..tiling }))
}
