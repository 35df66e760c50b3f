//! The plan of rows where only the values of index tell whether it is the same along them:
//! `scatter_index` compares its columns, and rows are gathered by the list that it makes.

use scatter::Problem;

use crate::plan::axes::{Offsets, Work};
use crate::plan::update::{count, split};
use crate::plan::{beside_statuses, blocks, index, rows};
use crate::tiling::{Axis, GatherForm, GatherTiling, IndexTiling};

/// The bytes of an entry of the list.
const ENTRY: usize = size_of::<f32>();

/// The fewest elements for each core for which a list pays: one by one they take 23 us, and by a
/// list half of that. If columns differ, the list is made in vain. That takes 8 us, or, if only the
/// last entry's columns differ, as long as comparing all of index.
pub(super) const FETCHED: u64 = 512;
/// The same where the vector unit picks the elements, which takes 210 us. A list costs up to a
/// third of that in vain if columns differ; if they don't, it saves at least half.
pub(super) const PICKED: u64 = 1 << 17;
/// A list takes a microsecond for each coordinate of the outer axes, so each must have at least one
/// part in this many of these elements.
const PART: u64 = 16;

/// The first two launches.
pub(super) struct Plans {
    pub(super) index: IndexTiling,
    pub(super) index_blocks: u32,
    pub(super) rows: GatherTiling,
}

/// The plan for `cores` cores and `ub` bytes of UB; `None` where there are no columns to compare,
/// or fewer than `least` elements for each core.
pub(super) fn plan(problem: &Problem, work: &Work, least: u64, cores: u64, ub: u32) -> Option<Plans> {
    let index_bytes = work.index_bytes as u64;
    let (outer, lane) = split(&work.batch, Some(rows::lane(work, index_bytes)?));
    let of_list = lane.size * work.update_count;
    let is_worth_it = of_list * count(&outer) >= least * cores && of_list >= least / PART;
    if lane.index == 0 || work.target_count == 0 || !is_worth_it {
        return None;
    }
    let index = index::plan(work, &outer, lane.size, index_bytes, cores, ub)?;
    let index_blocks = blocks(index.outers * index.chunks, cores);
    let list = by_list(work, outer, lane, index.padded);
    let ub = beside_statuses(ub, index_blocks)?;
    let rows = super::rows(GatherForm::ListedRows, problem, &list, cores, ub)?;
    Some(Plans { index, index_blocks, rows: GatherTiling { told: index_blocks, ..rows } })
}

/// The same work with the list of `scatter_index`, which has `padded` entries for each coordinate
/// of `outer`, in the place of index.
fn by_list(work: &Work, outer: Vec<Axis>, lane: Axis, padded: u64) -> Work {
    let mut batch = outer;
    let mut step = padded * ENTRY as u64;
    for axis in batch.iter_mut().rev() {
        axis.index = step as i64;
        step *= axis.size;
    }
    batch.push(Axis { index: 0, ..lane });
    Work {
        batch,
        updates: vec![Axis { index: ENTRY as i64, ..work.last_update() }],
        index_bytes: ENTRY,
        offsets: Offsets { index: 0, ..work.offsets },
        ..work.clone()
    }
}
