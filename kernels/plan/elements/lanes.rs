//! Tasks that own all targets of some lanes.

use scatter::Problem;

use super::super::axes::Work;
use super::super::boxes::BLOCK;
use super::super::division::Division;
use super::super::update::{count, skeleton, split};
use super::held::{Held, padded};
use super::{Candidate, LaneLayout, MARKED, Src, common};
use crate::tiling::{ElementsTiling, Tiling};

/// The most elements that a task holds where each has a place of its own, which has 16 bits. Where
/// a place names a block of UB, UB has fewer blocks than that.
const MOST_HELD: u64 = 1 << 16;
/// The most lanes of a task.
const MOST_LANES: u64 = 64;
/// The wanted places of a chunk: enough that the vector unit's latency is small beside its work,
/// and few enough that the first chunk, for which everything waits, arrives soon.
const CHUNK_PLACES: u64 = 2048;
/// The updates of a chunk are a multiple of this where updates are adjacent in UB: then lanes begin
/// at blocks, whatever the dtypes.
const CHUNK_GRAIN: u64 = 32;
/// The bytes of the factors and summands that turn targets into places where lanes are adjacent: a
/// repeat of the vector unit of each.
const PATTERN: u64 = 2 * 64 * 4;
/// The updates of a batch of the kernel.
const BATCH: u64 = 8;

/// The plan for `blocks` blocks and `room` bytes of UB; `None` where it does not fit.
pub(super) fn plan(
    problem: &Problem,
    work: &Work,
    layout: LaneLayout,
    blocks: u64,
    room: u64,
) -> Option<Candidate> {
    let (outer, lane) = split(&work.batch, layout.lane);
    let tiling = |lanes: u64| {
        let part = work.target_count;
        tiling(layout, work, &skeleton(problem, work, &outer, lane, Division { lanes, part }), room)
    };
    // Of the plans that fit, the one whose busiest core finishes first, with as few tiles as
    // possible.
    let cycles_of = |lanes: u64| {
        let tasks = count(&outer).saturating_mul(lane.size.div_ceil(lanes));
        tasks.div_ceil(blocks).saturating_mul(cycles(lanes)).saturating_mul(work.update_count)
    };
    let mut candidates: Vec<u64> = (1..=lane.size.min(MOST_LANES)).collect();
    candidates.sort_by_key(|&lanes| (cycles_of(lanes), core::cmp::Reverse(lanes)));
    candidates
        .into_iter()
        .find_map(|lanes| Some(Candidate { tiling: tiling(lanes)?, cycles: cycles_of(lanes) }))
}

/// An estimate of the cycles of one update of each of `lanes` lanes: in fuller batches each waits
/// less.
const fn cycles(lanes: u64) -> u64 {
    let of_rest = match lanes % 8 {
        0 => 0,
        1 => 26,
        2 => 38,
        3 => 48,
        4 => 58,
        5 | 6 => 76,
        _ => 96,
    };
    lanes / 8 * 96 + of_rest
}

/// The lanes of a tile, rounded up to a number that the kernel has batches for.
const fn batched(lanes: u64) -> u64 {
    let rest = lanes % 8;
    lanes - rest + if rest > 3 { rest.next_multiple_of(2) } else { rest }
}

/// The plan for a division, with chunks as large as there is room for.
fn tiling(layout: LaneLayout, work: &Work, of: &Tiling, room: u64) -> Option<ElementsTiling> {
    let held = Held::of(work, of, room)?;
    let names_blocks = layout.lanes_adjacent && held.is_in_rows();
    if !names_blocks && held.held > MOST_HELD {
        return None;
    }
    let room = room.checked_sub(held.bytes(work))?;
    let grain = if layout.lanes_adjacent { BATCH } else { CHUNK_GRAIN };
    let most = work.last_update().size.next_multiple_of(grain);
    let lanes = if layout.lanes_adjacent { row(of) } else { batched(of.lane_tile) };
    let wanted = (CHUNK_PLACES / lanes).next_multiple_of(grain).clamp(grain, most);
    let pattern = if layout.lanes_adjacent && !names_blocks { PATTERN } else { 0 };
    let room = room.checked_sub(pattern)?;
    let fits = |grains: u64| with_chunk(layout, work, of, grains * grain).1 <= room;
    // The most grains that fit, by bisection.
    let (mut most, mut too_many) = (0, wanted / grain + 1);
    while too_many - most > 1 {
        let middle = u64::midpoint(most, too_many);
        if fits(middle) { most = middle } else { too_many = middle }
    }
    (most > 0).then(|| held.put(with_chunk(layout, work, of, most * grain).0))
}

/// The places of an update where lanes are adjacent: a power of two, and whole blocks of index.
fn row(of: &Tiling) -> u64 {
    of.lane_tile.max(u64::from(BLOCK / of.index_bytes)).next_power_of_two()
}

/// The plan with chunks of `chunk` updates, without the fields of [`Held`]; and the bytes of UB
/// that it takes, without those of [`Held`].
fn with_chunk(layout: LaneLayout, work: &Work, of: &Tiling, chunk: u64) -> (ElementsTiling, u64) {
    let lanes = batched(of.lane_tile);
    let (boxes, places, place_update, place_lane) = if layout.lanes_adjacent {
        let src = padded(lanes, work.element as u64);
        (layout.boxes(work, of, [row(of), src], chunk), chunk * row(of), row(of), 1)
    } else {
        (layout.boxes(work, of, [chunk; 2], lanes), chunk * lanes, 1, chunk)
    };
    let marked = places.next_multiple_of(MARKED);
    let place_bytes = (places * 2).next_multiple_of(BLOCK.into());
    let src = Src::of(layout, work, &boxes[1], lanes, chunk);
    let bytes = src.bytes + 2 * u64::from(boxes[0].bytes) + 2 * marked * 4 + 2 * place_bytes + 3 * marked / 8;
    let [index_box, src_box] = boxes;
    let tiling = ElementsTiling {
        chunk,
        index_box,
        src_box,
        places: places as u32,
        place_update: place_update as u32,
        place_lane: place_lane as u32,
        ..common(of, &src)
    };
    (tiling, bytes)
}
