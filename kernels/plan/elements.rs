//! The plan of `scatter_elements`, for updates along one axis, where all that a task owns of out
//! fits UB.

mod held;
mod lanes;
mod part;

use scatter::Problem;

use self::held::{held_element, padded};
use super::axes::Work;
use super::update::{MARKED, RESERVE, count};
use crate::tiling::{Axis, Box2, ElementsTiling, Form, MOST_TARGETS, Run, Tiling};

/// The cycles that `scatter_general` takes by the model for each update that a core looks at.
const LOOK: u64 = 100;
/// Those that it takes in addition for each update that the core makes.
const MAKE: u64 = 150;
/// Those that it takes before the first update.
const START: u64 = 2000;
/// The bytes of out that a core loads and stores in a cycle by the model, where all cores do; one
/// alone is hardly faster.
const COPIED: u64 = 8;
/// The cycles that it takes by the model to make a short list of targets first, with one launch
/// more.
pub(super) const LIST: u64 = 4000;
/// The fewest entries of a chunk: going to the next chunk costs as much as some updates.
const WORTH_A_CHUNK: u64 = 8;

/// A plan, and an estimate of the cycles that its busiest core takes.
pub(super) struct Candidate {
    pub(super) tiling: ElementsTiling,
    pub(super) cycles: u64,
}

/// The plan for `blocks` blocks and `ub` bytes of UB; `None` where it does not fit.
pub(super) fn plan(problem: &Problem, work: &Work, blocks: u64, ub: u32) -> Option<Candidate> {
    let is_one_axis = work.components.len() == 1 && (1..=MOST_TARGETS).contains(&work.target_count);
    // The loops of batches don't multiply by alpha, and an index value has one target there.
    let is_other = problem.alpha().is_some() || work.window > 1;
    if !is_one_axis || is_other {
        return None;
    }
    let room = u64::from(ub.checked_sub(RESERVE)?);
    let layout = LaneLayout::of(work, work.index_bytes as i64)?;
    let lanes = lanes::plan(problem, work, layout, blocks, room);
    let part = part::plan(problem, work, layout, blocks, room);
    let with_copies = |Candidate { tiling, cycles }| {
        let cycles = copying(work, &tiling, blocks).saturating_add(cycles);
        Candidate { tiling, cycles }
    };
    let least = lanes.into_iter().chain(part).map(with_copies).min_by_key(|candidate| candidate.cycles)?;
    let ElementsTiling { chunk, lane_tile, runs, .. } = least.tiling;
    let entries = chunk.min(work.last_update().size) * lane_tile;
    (runs == 1 || entries >= WORTH_A_CHUNK).then_some(least)
}

/// An estimate of the cycles that the busiest core takes to load its targets and to store them.
fn copying(work: &Work, tiling: &ElementsTiling, cores: u64) -> u64 {
    let bytes = tiling.target_part * tiling.lane_tile * work.element as u64;
    tiling.tasks.div_ceil(cores).saturating_mul(bytes) / COPIED
}

/// An estimate of the cycles of `scatter_general`, which loads only the targets that it updates.
/// Where cores share the targets of a coordinate, each looks at all of its updates.
pub(super) fn of_any_update(work: &Work, cores: u64) -> u64 {
    let batch = count(&work.batch);
    let looks = work.update_count.saturating_mul(batch.div_ceil(cores)).saturating_mul(LOOK);
    let makes = work.update_count.saturating_mul(batch).saturating_mul(MAKE) / cores;
    looks.saturating_add(makes).saturating_add(START)
}

/// How the updates of a problem are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLayout {
    /// The batch axis that becomes the lanes.
    pub(super) lane: Option<usize>,
    /// Whether lanes are adjacent in index and src; otherwise updates are.
    pub(super) lanes_adjacent: bool,
}

impl LaneLayout {
    /// `None` where neither are, or a tensor is broadcast along one of the two axes.
    pub(super) fn of(work: &Work, index_bytes: i64) -> Option<Self> {
        let src_is = |is: bool| is || !work.has_src;
        let follow = |axis: &Axis| axis.index == index_bytes && src_is(axis.src == work.element as i64);
        let move_all = |axis: &Axis| axis.index != 0 && axis.out != 0 && src_is(axis.src != 0);
        let last = work.last_update();
        let closest = |lanes: &dyn Fn(&Axis) -> bool| {
            let found = (0..work.batch.len()).filter(|&at| lanes(&work.batch[at]));
            found.min_by_key(|&at| work.batch[at].out.unsigned_abs())
        };
        if last.size == 1 || follow(&last) {
            return Some(Self { lane: closest(&move_all), lanes_adjacent: false });
        }
        let lane = closest(&|axis| follow(axis) && axis.out != 0)?;
        (last.index != 0 && src_is(last.src != 0)).then_some(Self { lane: Some(lane), lanes_adjacent: true })
    }

    /// The boxes of index and src: `across` rows of `index_row` and `src_row` elements, which are
    /// lanes where lanes are adjacent, and else updates.
    pub(super) fn boxes(
        self,
        work: &Work,
        of: &Tiling,
        [index_row, src_row]: [u64; 2],
        across: u64,
    ) -> [Box2; 2] {
        let (last, lane) = (work.last_update(), of.lane);
        let moved = |axis: Axis, stride: i64| if axis.size == 1 { 0 } else { stride };
        let boxed = |gm: [i64; 2], row: u64, element: u64| {
            let (row, element) = ((row * element) as u32, element as u32);
            Box2 {
                gm,
                ub: if self.lanes_adjacent { [row, element] } else { [element, row] },
                element,
                run: if self.lanes_adjacent { Run::Axis1 } else { Run::Axis0 },
                bytes: row * across as u32,
                reserved: 0,
            }
        };
        let strides = |of: fn(&Axis) -> i64| [moved(last, of(&last)), moved(lane, of(&lane))];
        let index = boxed(strides(|axis| axis.index), index_row, of.index_bytes.into());
        let src = boxed(strides(|axis| axis.src), src_row, work.element as u64);
        // A scalar instead of src fills UB as a src that moves would.
        let gm = if work.has_src { src.gm } else { src.ub.map(i64::from) };
        [index, Box2 { gm, ..src }]
    }
}

/// src of a chunk in the type of the arithmetic: f16 and bf16 as f32.
#[derive(Clone, Copy, Debug)]
struct Src {
    /// The strides along updates and along lanes, in bytes.
    steps: [u32; 2],
    /// The bytes of UB of its buffers: two in its own dtype, and two of f32 where it is widened.
    bytes: u64,
}

impl Src {
    fn of(layout: LaneLayout, work: &Work, of: &Box2, lanes: u64, chunk: u64) -> Self {
        let element = held_element(work);
        let stored = u64::from(of.bytes);
        if !work.is_wide {
            return Self { steps: of.ub, bytes: 2 * stored };
        }
        let (row, across) = if layout.lanes_adjacent { (lanes, chunk) } else { (chunk, lanes) };
        let row = padded(row, element) * element;
        let steps = if layout.lanes_adjacent { [row, element] } else { [element, row] };
        Self { steps: steps.map(|step| step as u32), bytes: 2 * stored + 2 * row * across }
    }
}

/// The fields that the plans of both forms have in common.
fn common(of: &Tiling, src: &Src) -> ElementsTiling {
    ElementsTiling {
        dtype: of.dtype,
        reduce: of.reduce,
        include_self: of.include_self,
        index_bytes: of.index_bytes,
        out_offset: of.out_offset,
        index_offset: of.index_offset,
        src_offset: of.src_offset,
        form: Form::Lanes,
        outer_axes: of.outer_axes,
        update_axes: of.update_axes,
        outer: of.outer,
        update: of.update,
        lane: of.lane,
        outers: of.outers,
        targets: of.targets,
        lane_tile: of.lane_tile,
        lane_tiles: of.lane_tiles,
        target_part: of.target_part,
        target_parts: of.target_parts,
        tasks: of.tasks,
        runs: of.runs,
        counted: of.counted,
        src_update: src.steps[0],
        src_lane: src.steps[1],
        has_value: of.has_value,
        value: of.value,
        ..ElementsTiling::default()
    }
}
