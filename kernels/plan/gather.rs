//! The plan of `scatter_gather`.

mod listed;

use scatter::Problem;

use super::axes::Work;
use super::boxes::{BLOCK, Side};
use super::division::Division;
use super::elements::LaneLayout;
use super::update::{MARKED, RESERVE, count, grain, halves, skeleton, split};
use super::{Algorithm, Kernel, Plan, Step, Unsupported, beside_statuses, blocks, index};
use crate::soc::Soc;
use crate::tiling::{Axis, Box2, GatherForm, GatherTiling, MOST_TARGETS, Tiling};

/// The elements of a tile of the general form.
const TILE: u64 = 1024;
/// The elements that the general form fetches at once.
const FETCHED: u64 = 64;
/// The most index values of a chunk of rows.
const ENTRIES: u64 = 1024;
/// The most bytes of a piece of a row.
const PIECE: u64 = 16 * 1024;
/// A row is not cut into pieces of fewer bytes.
const LEAST_PIECE: u64 = 512;
/// The most rows of a group.
const GROUP: u64 = 128;
/// How many elements the vector unit should pick from a chunk, if UB has room.
const PICKED: u64 = 2048;
/// The fewest elements that it picks from a chunk, if UB has no room for more.
const HIDING: u64 = 256;
/// The most bytes of self for each element that is picked: to bring them to UB takes about as long
/// as to fetch one element by itself.
const HELD: u64 = 1024;
/// The most bytes that elements of two bytes may be picked from on dav-3510, whose Gather keeps 16
/// bits of their numbers (its page, "constraints").
const PICKED_BY_16_BITS: u64 = 1 << 17;

/// The plan of a problem that gathers.
pub(super) fn plan(problem: &Problem, soc: &Soc, algorithm: Option<Algorithm>) -> Result<Plan, Unsupported> {
    let operator = problem.operator();
    let (cores, ub) = (u64::from(soc.cores), soc.ub);
    let Some(work) = Work::of(problem) else {
        return Ok(Plan::default());
    };
    let launch =
        |tiling: GatherTiling| Step { blocks: blocks(tiling.tasks, cores), kernel: Kernel::Gather(tiling) };
    let alone = |algorithm, tiling| Plan {
        steps: vec![launch(tiling)],
        algorithm: Some(algorithm),
        ..Plan::default()
    };
    let elements = |ub| elements(problem, &work, &Soc { ub, ..*soc });
    let general = |ub| general(problem, &work, cores, ub);
    let listed = |least| {
        let made = listed::plan(problem, &work, least, cores, ub)?;
        let ub = beside_statuses(ub, made.index_blocks)?;
        let otherwise = elements(ub).or_else(|| general(ub))?;
        let index_step = Step { blocks: made.index_blocks, kernel: Kernel::Index(made.index) };
        Some(Plan {
            steps: vec![
                index_step,
                launch(made.rows),
                launch(GatherTiling { told: made.index_blocks, ..otherwise }),
            ],
            algorithm: Some(Algorithm::Rows),
            intermediate_bytes: index::list_bytes(&made.index),
            ..Plan::default()
        })
    };
    let only_rows = || Some(alone(Algorithm::Rows, rows(GatherForm::Rows, problem, &work, cores, ub)?));
    let only_elements = || Some(alone(Algorithm::Elements, elements(ub)?));
    let only_general = || Some(alone(Algorithm::General, general(ub)?));
    match algorithm {
        None => only_rows()
            .or_else(|| listed(listed::PICKED))
            .or_else(only_elements)
            .or_else(|| listed(listed::FETCHED))
            .or_else(only_general),
        Some(Algorithm::Rows) => {
            Some(only_rows().or_else(|| listed(0)).ok_or(Unsupported::NoRows { operator })?)
        }
        Some(Algorithm::Elements) => Some(only_elements().ok_or(Unsupported::NoElements { operator })?),
        Some(Algorithm::General) => only_general(),
        Some(Algorithm::Windows) => return Err(Unsupported::NoWindows { operator }),
    }
    .ok_or(Unsupported::Ub { operator, ub })
}

/// The plan by rows, in one of their two forms; `None` where index, or the list that takes its
/// place in `work`, moves along every axis on which self and out are contiguous.
fn rows(form: GatherForm, problem: &Problem, work: &Work, cores: u64, ub: u32) -> Option<GatherTiling> {
    let step = work.element as i64;
    let is_row = |axis: &Axis| axis.index == 0 && axis.out == step && axis.src == step;
    let (outer, lane) = split(&work.batch, Some(work.batch.iter().position(is_row)?));
    if work.target_count == 0 || i32::try_from(work.target_count).is_err() {
        return None;
    }
    let update = work.last_update();
    let by_scalar =
        work.target_count > MOST_TARGETS || (update.size > 1 && update.index != work.index_bytes as i64);
    let room = u64::from(ub.checked_sub(RESERVE)?);
    let element = work.element as u64;
    // Pieces of a row are as short as keeps all cores busy.
    let outers = count(&outer);
    let is_enough = |lanes: u64| outers * lane.size.div_ceil(lanes) * update.size >= cores;
    let most = lane.size.min((PIECE / element).max(1));
    let pieces: Vec<u64> = halves(most, grain(step, work.element))
        .take_while(|&lanes| lanes == most || lanes * element >= LEAST_PIECE)
        .collect();
    let lanes = pieces.iter().copied().find(|&lanes| is_enough(lanes)).or(pieces.last().copied())?;
    // A small UB may have room for shorter pieces only.
    halves(lanes, grain(step, work.element)).find_map(|lanes| {
        let entries = even(outers * lane.size.div_ceil(lanes), update.size, ENTRIES, cores);
        halves(entries, 1).find_map(|chunk| {
            let side = Side { size: chunk, gm: update.index, is_fixed: chunk == update.size };
            let index_box = Box2::fit([side, Side::cut(1, 0)], work.index_bytes, u32::MAX)?;
            let row = (lanes * element).next_multiple_of(BLOCK.into());
            let targets = if by_scalar || form == GatherForm::ListedRows { 0 } else { of_targets(chunk) };
            let fixed = 2 * u64::from(index_box.bytes) + targets + 2 * (chunk * 4).next_multiple_of(32);
            let group = (room.checked_sub(fixed)? / (2 * row)).min(GROUP).min(chunk);
            let of = skeleton(problem, work, &outer, lane, Division { lanes, part: work.target_count });
            let src_box = Box2 { element: work.element as u32, ..Box2::default() };
            let tiling = GatherTiling {
                form,
                index_box,
                src_box,
                group: group as u32,
                by_scalar: by_scalar.into(),
                places: chunk as u32,
                ..common(work, &of, chunk)
            };
            (group > 0).then_some(tiling)
        })
    })
}

/// The plan by elements that the vector unit picks in UB; `None` where UB has no room for all
/// targets, or these are too many for what is picked or for the offsets of Gather.
fn elements(problem: &Problem, work: &Work, soc: &Soc) -> Option<GatherTiling> {
    let (cores, ub) = (u64::from(soc.cores), soc.ub);
    let element = work.element as u64;
    let few = work.target_count.saturating_mul(element) <= work.update_count.saturating_mul(HELD);
    if !few || !(1..=MOST_TARGETS).contains(&work.target_count) {
        return None;
    }
    let index_bytes = problem.index_dtype()?.size() as u64;
    let layout = LaneLayout::of(work, index_bytes as i64)?;
    let (outer, lane) = split(&work.batch, layout.lane);
    let update = work.last_update();
    let room = u64::from(ub.checked_sub(RESERVE)?);
    // As many lanes as leave work for each core, and then as long chunks as fit.
    let share = lane.size.div_ceil(cores.div_ceil(count(&outer)).min(lane.size));
    let grain = (u64::from(BLOCK) / element.min(index_bytes)).max(8);
    // Elements of one byte are picked as f16.
    let picked = element.max(2);
    let most_picked = if soc.arch == "dav-3510" && picked == 2 { PICKED_BY_16_BITS } else { u64::MAX };
    let fit = |lanes: u64, held: u64| {
        let side = |size, gm, is_fixed| Side { size, gm, is_fixed };
        let targets = side(work.target_count, work.target_step(), true);
        let of_lanes = side(lanes, lane.out, lanes == lane.size);
        let out_box = Box2::fit([targets, of_lanes], work.element, ub)?;
        if u64::from(out_box.bytes) / element * picked > most_picked {
            return None;
        }
        let padded = |size: u64| size.next_multiple_of(grain);
        let across = if layout.lanes_adjacent { padded(lanes) } else { lanes };
        let tiles = count(&outer) * lane.size.div_ceil(lanes);
        let wanted = even(tiles, update.size, (PICKED / across).max(1), cores);
        halves(wanted, grain).find_map(|chunk| {
            let rounded = if layout.lanes_adjacent { chunk } else { padded(chunk) };
            let places = rounded * across;
            let wide = if element == 1 { 2 * (u64::from(out_box.bytes) + places) } else { 0 };
            // The kernel's buffers for the offsets of words.
            let words = places
                * element
                * if element > 8 {
                    3
                } else if element > 4 {
                    2
                } else {
                    0
                };
            let bytes = held * u64::from(out_box.bytes)
                + wide
                + words
                + 2 * places * (index_bytes + element)
                + of_targets(places)
                + places * 4;
            // Only a chunk that is long enough hides what the vector unit waits for.
            let is_long = chunk == wanted || places >= HIDING;
            (bytes <= room && is_long).then(|| {
                let row = if layout.lanes_adjacent { across } else { rounded };
                let many = if layout.lanes_adjacent { rounded } else { across };
                let of = skeleton(problem, work, &outer, lane, Division { lanes, part: work.target_count });
                let [index_box, src_box] = layout.boxes(work, &of, [row, row], many);
                GatherTiling {
                    form: GatherForm::Elements,
                    index_box,
                    src_box,
                    out_box,
                    places: places as u32,
                    held: held as u32,
                    ..common(work, &of, chunk)
                }
            })
        })
    };
    // Adjacent lanes are padded to a multiple of the grain, and so cut at one.
    let lanes = || halves(share.min(PICKED), if layout.lanes_adjacent { grain } else { 1 });
    lanes().find_map(|lanes| fit(lanes, 2)).or_else(|| lanes().find_map(|lanes| fit(lanes, 1)))
}

/// The plan element by element, which takes any gather; `None` where UB has no room for a tile.
fn general(problem: &Problem, work: &Work, cores: u64, ub: u32) -> Option<GatherTiling> {
    let step = work.element as i64;
    let in_runs = (0..work.batch.len()).find(|&at| work.batch[at].src == step);
    let closest = || (0..work.batch.len()).min_by_key(|&at| work.batch[at].src.unsigned_abs());
    let (outer, lane) = split(&work.batch, in_runs.or_else(closest));
    let (outers, update) = (count(&outer), work.last_update());
    let index_bytes = problem.index_dtype()?.size();
    let room = u64::from(ub.checked_sub(RESERVE)?);
    // Long along the axis on which out is contiguous.
    let is_along = update.src == step && update.size > 1;
    let (lanes, chunk) = if is_along {
        let chunk = even(outers, update.size, TILE, cores);
        (even(outers * update.size.div_ceil(chunk), lane.size, (TILE / chunk).max(1), cores), chunk)
    } else {
        let lanes = even(outers, lane.size, TILE, cores);
        (lanes, even(outers * lane.size.div_ceil(lanes), update.size, (TILE / lanes).max(1), cores))
    };
    let fewer = halves(chunk, 1).flat_map(|chunk| halves(lanes, 1).map(move |lanes| (lanes, chunk)));
    fewer.into_iter().find_map(|(lanes, chunk)| {
        let updates = |gm| Side { size: chunk, gm, is_fixed: chunk == update.size };
        let of_lanes = |gm| Side { size: lanes, gm, is_fixed: lanes == lane.size };
        let index_box = Box2::fit([updates(update.index), of_lanes(lane.index)], index_bytes, ub)?;
        let src_box = Box2::fit([updates(update.src), of_lanes(lane.src)], work.element, ub)?;
        let boxes = 2 * u64::from(index_box.bytes) + 2 * u64::from(src_box.bytes);
        let group = (room.checked_sub(boxes)? / u64::from(2 * BLOCK)).min(FETCHED).min(chunk * lanes);
        let of = skeleton(problem, work, &outer, lane, Division { lanes, part: work.target_count.max(1) });
        let tiling = GatherTiling { index_box, src_box, group: group as u32, ..common(work, &of, chunk) };
        (group > 0).then_some(tiling)
    })
}

/// The largest pieces of `size`, at most `most`, of `parts` such sizes, of which each core gets
/// equally many, as far as they go.
fn even(parts: u64, size: u64, most: u64, cores: u64) -> u64 {
    let rounds = (parts * size.div_ceil(most)).div_ceil(cores);
    let pieces = (rounds * cores).div_ceil(parts).clamp(1, size);
    size.div_ceil(pieces).min(most)
}

/// The bytes of UB in which the vector unit makes targets.
const fn of_targets(places: u64) -> u64 {
    let marked = places.next_multiple_of(MARKED);
    2 * marked * 4 + 3 * marked / 8
}

/// The fields that all forms have in common.
fn common(work: &Work, of: &Tiling, chunk: u64) -> GatherTiling {
    let update = work.last_update();
    GatherTiling {
        index_bytes: of.index_bytes,
        out_offset: of.out_offset,
        index_offset: of.index_offset,
        src_offset: of.src_offset,
        outer_axes: of.outer_axes,
        update_axes: 1,
        outer: of.outer,
        update: [update],
        lane: of.lane,
        targets: work.target_count,
        target_step: work.target_step(),
        lane_tile: of.lane_tile,
        lane_tiles: of.lane_tiles,
        tasks: of.outers * of.lane_tiles * update.size.div_ceil(chunk),
        chunk,
        ..GatherTiling::default()
    }
}

#[cfg(test)]
mod tests {
    use super::even;

    #[test]
    fn pieces_are_as_many_as_the_cores_share_evenly() {
        // One tensor for 48 cores; three sizes that are cut into 16 each; more of them than cores.
        assert_eq!(
            (even(1, 4800, 1024, 48), even(3, 320, 1024, 48), even(96, 320, 1024, 48)),
            (100, 20, 320)
        );
        assert_eq!((even(1, 7, 1024, 48), even(1, 1, 1, 1), even(1, 100_000, 1024, 48)), (1, 1, 695));
    }
}
