//! The plan of `scatter_rows`, for updates that share their index along an axis on which out and src are contiguous.

use scatter::Problem;

use super::axes::Work;
use super::boxes::{BLOCK, Side};
use super::division::Division;
use super::update::{CHUNK, RESERVE, aligned_elements, count, halves, skeleton, split};
use super::window::{Frame, Window};
use crate::tiling::{Axis, Box2, Tiling};

/// The rows of a group of updates at the most, in bytes; and an eighth of UB, for there are two groups, and for f16 and
/// bf16 what they are as f32.
const ROWS: u32 = 16 * 1024;
const ROWS_SHARE: u32 = 8;
/// Updates of a group at the most.
const GROUP: u64 = 256;
/// A shorter row is left to `scatter_general`, if it can take it.
const WORTH_A_ROW: u64 = 64;

/// The plan for so many blocks and so much UB; `None` where updates don't come in rows.
pub(super) fn plan(problem: &Problem, work: &Work, blocks: u64, ub: u32) -> Option<Tiling> {
    let (outer, lane) = split(&work.batch, Some(lane(work)?));
    let room = ub.checked_sub(RESERVE)?;
    let aligned = aligned_elements(work.element);
    let longest = u64::from(ROWS.min(room / ROWS_SHARE)) / work.element as u64;
    // Rows are cut at multiples of `aligned` only.
    let cut = |lanes: u64| if lanes < lane.size { lanes / aligned * aligned } else { lane.size };
    let mut lanes = cut(longest);
    if lanes == 0 {
        return None;
    }
    loop {
        let division =
            Division::new(blocks, count(&outer), (lane.size, lanes, aligned), (work.target_count, 1));
        if let Some((window, part)) = window(work, lane, division, room / 2, lanes <= aligned) {
            let division = Division { part, ..division };
            if let Some(rest) = room.checked_sub(window.bytes)
                && let Some(tiling) =
                    with_groups(work, skeleton(problem, work, &outer, lane, division), &window, ub, rest)
            {
                return Some(tiling);
            }
        }
        if lanes <= aligned {
            return None;
        }
        lanes = cut(division.lanes.min(lanes) / 2).max(aligned);
    }
}

/// The batch axis along which rows lie.
fn lane(work: &Work) -> Option<usize> {
    let step = work.element as i64;
    let is_lane = |axis: &Axis| {
        let is_long =
            axis.size.saturating_mul(work.element as u64) >= WORTH_A_ROW || work.components.len() > 1;
        axis.index == 0 && axis.out == step && (axis.src == step || !work.has_src) && is_long
    };
    work.batch.iter().position(is_lane)
}

/// The window of a division, and the part that its tasks have then. While rows can be cut, all targets of a part are to
/// be in UB at once.
fn window(work: &Work, lane: Axis, division: Division, budget: u32, is_last: bool) -> Option<(Window, u64)> {
    let frame = Frame { work, lane, budget, in_rows: true };
    let Division { lanes, part } = division;
    if let Some(window) = frame.resident(part, lanes) {
        return Some((window, part));
    }
    if !work.is_wide && !work.is_counted {
        return Some((frame.evicting(part, lanes)?, part));
    }
    is_last.then(|| frame.resident_part(part, lanes)).flatten()
}

/// The plan with the largest groups and chunks for which there is room.
fn with_groups(work: &Work, tiling: Tiling, window: &Window, ub: u32, room: u32) -> Option<Tiling> {
    let last = work.last_update();
    // A value is one row, which all updates share.
    let row = Side::cut(tiling.lane_tile, work.element as i64);
    let rows = |group| if work.has_src { Side::cut(group, last.src) } else { Side::cut(1, 0) };
    let most = ROWS.min(ub / ROWS_SHARE);
    let rows_of = |group| Some((group, Box2::rows([rows(group), row], work.element, most)?));
    let (group, src_box) = halves(last.size.min(GROUP), 1).find_map(rows_of)?;
    let hits = 2 * (group * 4).next_multiple_of(BLOCK.into());
    let wide = if work.is_wide { u64::from(src_box.bytes) * 2 } else { 0 };
    let room = u64::from(room).checked_sub(2 * u64::from(src_box.bytes) + wide + hits)?;

    let values = Side { size: work.components.len() as u64, gm: work.component_stride, is_fixed: true };
    let (chunk, index_box) = halves(last.size.min(CHUNK), 1).find_map(|chunk| {
        let updates = Side { size: chunk, gm: last.index, is_fixed: chunk == last.size };
        let sides = if work.components.is_empty() { [Side::cut(1, 0); 2] } else { [updates, values] };
        Some((chunk, Box2::fit(sides, tiling.index_bytes as usize, (room / 2) as u32)?))
    })?;
    Some(window.put(Tiling { chunk, group: group as u32, index_box, src_box, ..tiling }))
}
