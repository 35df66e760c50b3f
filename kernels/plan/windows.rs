//! The plan of `scatter_windows`, which copies windows of src, or rows, to where index names them
//! in out.

use scatter::{DType, Problem, Reduce, Target};

use super::axes::{Work, bytes, merge};
use super::boxes::Side;
use super::copy::{self, Tensors};
use super::update::{MARKED, ONE, RESERVE, count, fill, halves};
use crate::tiling::{Axis, Box2, MOST_TARGETS, RowsTiling, TargetAxis, WindowsTiling};

/// The most bytes of a tile. Shorter tiles spend more time on the fixed cost of each copy; with
/// longer ones a core has too few tiles to load the next ones while it stores one.
const TILE: u64 = 12 * 1024;
/// The tiles that are in UB at a time, as in `windows.cpp`.
const TILES: u64 = 3;
/// The most entries that are converted at once.
const CHUNK: u64 = 512;
/// The cycles that a tile takes by the model, beside those for its bytes.
const COPIED: u64 = 200;
/// Latency, in cycles, of comparing a window with all others where some of them meet it.
const COMPARED: u64 = 600;
/// Windows compared per cycle.
const COMPARED_AT_ONCE: u64 = 12;
/// The cycles in which `scatter_index` makes a list and `scatter_rows` sorts it, with the cost of
/// one more launch.
const LIST: u64 = 5000;
/// The cycles that each row of that list takes.
const LISTED: u64 = 90;
/// The f32 in a block of UB.
const BLOCK_FLOATS: u64 = 8;

/// A plan, and an estimate of the cycles that its busiest core takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) tiling: WindowsTiling,
    pub(super) cycles: u64,
}

impl Candidate {
    /// Whether it takes less time than rows by a list. What it takes to move the bytes of long rows
    /// is the same for both, and left out.
    pub(super) fn is_faster_than(&self, rows: &RowsTiling, cores: u64) -> bool {
        let listed = rows.outers.saturating_mul(rows.updates).div_ceil(cores).saturating_mul(LISTED);
        self.cycles <= listed.saturating_add(LIST)
    }
}

/// The plan for `cores` cores and `ub` bytes of UB; `None` where src doesn't replace, where entries
/// have none or more than two components or lie along several axes, where UB has no room for them,
/// where f32 can't tell all places apart, and where windows may meet along whose axis src is
/// broadcast.
pub(super) fn plan(problem: &Problem, work: &Work, cores: u64, ub: u32) -> Option<Candidate> {
    if problem.reduce() != Reduce::None || !work.has_src {
        return None;
    }
    let components = components(problem, work)?;
    let Axes { entry, tokens, others, may_meet } = axes(work, &components)?;
    if !fits_f32(&components, &tokens) {
        return None;
    }
    let tensors = Tensors::same(problem.src_layout()?, problem.out_layout(), work.element);
    let Window { step, outer, along, unit } = window(&tensors, tokens, others, may_meet)?;

    let is_bool = problem.dtype() == DType::Bool;
    let box_bytes = step[0].size * step[1].size * work.element as u64;
    let pieces = cores.div_ceil(entry.size * count(&outer)).max(box_bytes.div_ceil(TILE));
    // Where windows can't meet, a block converts the entries of its own tasks alone.
    let entries = if may_meet { entry.size } else { entry.size.min(entry.size.div_ceil(cores) + 1) };
    let room = u64::from(ub.checked_sub(RESERVE)?);
    // The vector unit needs each chunk at a block of UB.
    let mut chunks = halves(entries.min(CHUNK), BLOCK_FLOATS)
        .filter(|&chunk| chunk == entries || chunk.is_multiple_of(BLOCK_FLOATS));
    let (chunk, index_box, tile, [src_box, out_box]) = chunks.find_map(|chunk| {
        let rows = Side { size: chunk, gm: entry.index, is_fixed: false };
        let values = Side { size: components.len() as u64, gm: work.component_stride, is_fixed: true };
        let index_box = Box2::fit([rows, values], work.index_bytes, ub)?;
        let of_places =
            of_places(&index_box, work.index_bytes as u64, components.len() as u64, chunk, entries, may_meet);
        let left = room.checked_sub(of_places)?;
        // The vector unit makes f16 of the booleans of a tile.
        let most = left / if is_bool { TILES + 2 } else { TILES };
        let (tile, boxes) = copy::tile(&tensors, step.map(copied), pieces, most as u32)?;
        Some((chunk, index_box, tile, boxes))
    })?;

    let tiles = [0, 1].map(|axis| step[axis].size.div_ceil(tile[axis]));
    let pieces = count(&outer) * tiles[0] * tiles[1];
    let mut tiling = WindowsTiling {
        index_bytes: work.index_bytes as u32,
        out_offset: work.offsets.out,
        index_offset: work.offsets.index,
        src_offset: work.offsets.src,
        entry,
        extent: tokens.size,
        unit,
        along,
        step,
        tile,
        tiles,
        pieces,
        tasks: entry.size * pieces,
        chunk: chunk as u32,
        entries: entries as u32,
        may_meet: may_meet.into(),
        is_bool: is_bool.into(),
        index_box,
        src_box,
        out_box,
        ..WindowsTiling::default()
    };
    tiling.components = fill(&mut tiling.component, &components);
    tiling.outer_axes = fill(&mut tiling.outer, &outer);
    let compared = if may_meet { COMPARED + entry.size / COMPARED_AT_ONCE } else { 0 };
    let cycles = tiling.tasks.div_ceil(cores) * COPIED + entry.size.div_ceil(cores) * compared;
    Some(Candidate { tiling, cycles })
}

/// What the components of an entry choose from; the last one from the places where a window fits.
fn components(problem: &Problem, work: &Work) -> Option<Vec<TargetAxis>> {
    let axes = match problem.target()? {
        Target::Dim(dim) => dim..dim + 1,
        Target::Nd(depth) => 0..depth,
    };
    let strides = &problem.out_layout().strides()[axes];
    let component = |(&size, &stride): (&u64, &isize)| TargetAxis { size, out: bytes(stride, work.element) };
    let mut components: Vec<_> = work.components.iter().zip(strides).map(component).collect();
    components.last_mut()?.size -= work.window - 1;
    Some(components)
}

/// The axes of the updates by their roles.
struct Axes {
    /// The entries of index, each of which names a window.
    entry: Axis,
    /// The elements of a window along the axis that the last component points into.
    tokens: Axis,
    /// The other axes of a window.
    others: Vec<Axis>,
    /// Whether entries may name places of one another's windows.
    may_meet: bool,
}

fn axes(work: &Work, components: &[TargetAxis]) -> Option<Axes> {
    let mut entries = work.updates.clone();
    let tokens = if work.window > 1 { entries.pop()? } else { ONE };
    entries.retain(|axis| axis.size != 1);
    let may_meet = !entries.is_empty();
    // Entries that move along out as well have ranges of their own.
    let (moving, others): (Vec<_>, Vec<_>) = work.batch.iter().partition(|axis| axis.index != 0);
    entries.extend(moving);
    let entry = match entries[..] {
        [] => ONE,
        [entry] => entry,
        _ => return None,
    };
    Some(Axes { entry, tokens: Axis { out: components.last()?.out, ..tokens }, others, may_meet })
}

/// Whether the kernel can tell all places apart, which it counts through all sequences.
const fn fits_f32(components: &[TargetAxis], tokens: &Axis) -> bool {
    match components {
        [places] => places.size <= MOST_TARGETS,
        [sequences, places] => sequences.size.saturating_mul(places.size + tokens.size - 1) <= MOST_TARGETS,
        _ => false,
    }
}

/// How a window is cut into tiles.
struct Window {
    /// The axes of a tile.
    step: [Axis; 2],
    outer: Vec<Axis>,
    /// The axis of a tile along which tokens lie, and the elements that each of them has there; of
    /// no account where a window is stored as a whole or not at all.
    along: u32,
    unit: u64,
}

/// `None` where windows may meet and src is broadcast along their axis: then tiles can't be cut
/// along it.
fn window(tensors: &Tensors<'_>, tokens: Axis, mut others: Vec<Axis>, may_meet: bool) -> Option<Window> {
    if tokens.src == 0 && tokens.size > 1 {
        if may_meet {
            return None;
        }
        others.push(tokens);
    }
    if tokens.src == 0 || tokens.size == 1 {
        let (inner, others) = split(others, |axis| tensors.is_run(&copied(*axis)));
        let (across, outer) = split(others, |_| false);
        return Some(Window { step: [across, inner], outer, along: 0, unit: 1 });
    }
    let joined = |axis: &Axis| {
        let mut axes = vec![tokens, *axis];
        merge(&mut axes);
        if let [one] = axes[..] { Some(one) } else { None }
    };
    let found = others.iter().enumerate().find_map(|(at, axis)| Some((at, joined(axis)?)));
    let (tokens, unit) = found.map_or((tokens, 1), |(at, one)| (one, others.remove(at).size));
    if tensors.is_run(&copied(tokens)) {
        let (across, outer) = split(others, |_| false);
        return Some(Window { step: [across, tokens], outer, along: 1, unit });
    }
    let (inner, outer) = split(others, |axis| tensors.is_run(&copied(*axis)));
    // Elements that are copied one by one go by fewer instructions along the longer axis.
    if !tensors.is_run(&copied(inner)) && inner.size < tokens.size {
        return Some(Window { step: [inner, tokens], outer, along: 1, unit });
    }
    Some(Window { step: [tokens, inner], outer, along: 0, unit })
}

/// Takes an axis out: one that is preferred, or else the longest on which src moves, if any.
fn split(mut axes: Vec<Axis>, is_preferred: impl Fn(&Axis) -> bool) -> (Axis, Vec<Axis>) {
    let longest = || {
        let moving = (0..axes.len()).filter(|&at| axes[at].src != 0);
        moving.max_by_key(|&at| axes[at].size)
    };
    let found = axes.iter().position(is_preferred).or_else(longest);
    let taken = found.map_or(ONE, |at| axes.remove(at));
    (taken, axes)
}

/// An axis as the plan of a copy has it.
const fn copied(axis: Axis) -> Axis {
    Axis { index: axis.src, ..axis }
}

/// The bytes of UB for the places of `entries` entries, of which `chunk` are made at once.
fn of_places(
    index: &Box2,
    index_bytes: u64,
    components: u64,
    chunk: u64,
    entries: u64,
    may_meet: bool,
) -> u64 {
    let [chunk, entries] = [chunk, entries].map(|size| size.next_multiple_of(MARKED));
    let raw = u64::from(index.bytes);
    let floats = (raw / index_bytes * 4).next_multiple_of(32);
    let of_chunk = 3 * chunk * 4 + (components + 1) * chunk / 8;
    raw + floats + of_chunk + entries * 4 + if may_meet { 5 * entries * 4 + 2 * 32 } else { 0 }
}
