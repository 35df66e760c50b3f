//! `ScatterAddWithSorted`, for an index that is expanded along the rows of self.
//!
//! For f32, f16 and bf16 the index is sorted, the updates are divided evenly among the cores, and
//! all updates of a row of self belong to the core whose share has the first. Counted, from
//! `scatter_add_float_with_sorted.h` (ops-nn, e5c3fa93):
//! - the scalar unit waits for self's row, while instructions that were queued before run on;
//! - rows of src have two buffers, so the copy of the third waits until the first was added. Each
//!   row takes that time, that of its copy or that of the scalar unit's iteration, whichever is
//!   longest;
//! - self's row is stored once, without a wait; a core's index and positions are loaded once.
//!
//! ops-nn doesn't have the sort's kernel for this device. It is modelled by the least time of its
//! instructions, with an even share of the records on each core in every pass: for each record of 8
//! bytes a 32nd of a `Sort32`, a pass of `MrgSort` for each factor of 4 from 32 to all, and two
//! `GatherMask` for keys and positions. The keys are read, records go through GM in each pass whose
//! lists are longer than what a core has in UB, and keys and positions are written. This gives
//! about 8 cycles for a record of 128,256; top-k and top-p by a sort and masks were measured to
//! take 12.4 for each element and core, everything included (vllm-ascend, pull request 13847).
//!
//! For integers there is no sort: a core takes one update after the other and adds its row to GM by
//! an atomic copy. For each update it reads the index value, reads the row and writes, and waits
//! after each step.
//!
//! Not counted: barriers between the passes of the sort and the pass that makes the order
//! ascending, rows that don't fit in UB, how long unaligned rows take, what an atomic copy costs
//! beyond a plain one, the widening of u8 to i32 and back.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Kernel, Path, RowCounts, Work, cast, moved, vector};

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortedCall<'a> {
    pub(crate) dtype: DType,
    pub(crate) index_bytes: u64,
    /// Elements of a row.
    pub(crate) width: u64,
    pub(crate) rows: &'a RowCounts,
}

/// The records of a sort that fit in UB together with their copy after a pass.
const IN_UB: u64 = 184_320 / 16;

/// The time of a core that sorts records in UB, in `passes` of `MrgSort` after those of `Sort32`.
const fn vectors(records: u64, passes: u64, costs: &Costs) -> u64 {
    records.div_ceil(32) * costs.sort32
        + passes * records * costs.merge_record
        + 2 * records.div_ceil(64) * costs.gather_mask
}

/// The time of a core that sorts `records` of its own in UB.
pub(crate) fn in_ub(records: u64, costs: &Costs) -> u64 {
    let passes =
        core::iter::successors(Some(32), |sorted| Some(sorted * 4)).take_while(|&sorted| sorted < records);
    vectors(records, passes.count() as u64, costs)
}

/// The work of a sort of `keys` i32 with their positions.
pub(crate) fn sort(keys: u64, costs: &Costs) -> Work {
    let share = keys.div_ceil(costs.cores);
    let (mut passes, mut through_gm, mut sorted) = (0, 0, 32);
    while sorted < keys {
        sorted *= 4;
        passes += 1;
        if sorted > share.min(IN_UB) {
            through_gm += 1;
        }
    }
    let bytes = 4 + through_gm * 16 + 8;
    let waits = (1 + through_gm) * (costs.read_latency + costs.write_latency);
    Work {
        millicycles: vectors(share, passes, costs) + moved(share * bytes, costs) + waits,
        moved_bytes: keys * bytes,
        working_set: keys * if through_gm == 0 { 12 } else { 28 },
    }
}

impl SortedCall<'_> {
    fn is_float(&self) -> bool {
        matches!(self.dtype, DType::F32 | DType::F16 | DType::Bf16)
    }

    /// The time of the longest core in the accumulation of floats.
    fn longest(&self, costs: &Costs) -> u64 {
        let Self { width, rows, .. } = *self;
        let copy = costs.copy_head + moved(width * self.dtype.size() as u64, costs);
        let casts = if self.dtype == DType::F32 { 0 } else { cast(width, costs) + costs.vector_latency };
        let add = vector(width, costs) + costs.vector_latency + casts;
        // An update's index value and position are read, and the value is compared with the
        // previous one.
        let scalar = costs.scalar_iteration + 4 * costs.scalar_block + 2 * costs.scalar_read;
        let each = copy.max(scalar);
        let in_turn = |updates: u64| {
            let rounds = (updates.div_ceil(2) - 1) * (each + costs.read_latency + add);
            (updates * each).max(rounds + (2 - updates % 2) * each) + copy + costs.read_latency
        };
        let share = rows.updates().div_ceil(costs.cores);
        let mut cores = vec![0; costs.cores as usize];
        let mut before = 0;
        for &updates in &rows.0 {
            if let Some(core) = cores.get_mut((before / share) as usize) {
                *core += in_turn(updates);
            }
            before += updates;
        }
        let index = 2 * (costs.copy_head + moved(share * 4, costs)) + costs.read_latency;
        let last = costs.read_latency + add + copy + costs.write_latency;
        index + cores.into_iter().max().unwrap_or(0) + last
    }

    /// The work of the kernel alone, and the bytes that it reads and writes.
    fn kernel(&self, costs: &Costs) -> (Work, [u64; 2]) {
        let Self { width, rows, .. } = *self;
        let row = width * self.dtype.size() as u64;
        let copy = costs.copy_head + moved(row, costs);
        let (updates, distinct) = (rows.updates(), rows.distinct());
        let (millicycles, read, written) = if self.is_float() {
            (self.longest(costs), (updates + distinct) * row + updates * 8, distinct * row)
        } else {
            let index = costs.copy_head + moved(4, costs) + costs.read_latency;
            let each = index + 2 * copy + costs.read_latency + costs.write_latency;
            (updates.div_ceil(costs.cores) * each, updates * (row + 4), updates * row)
        };
        let working_set = (updates + distinct) * row + updates * 8;
        (Work { millicycles, moved_bytes: read + written, working_set }, [read, written])
    }
}

/// The whole path of a call.
pub(crate) fn path(call: &SortedCall<'_>, costs: &Costs) -> Path {
    let updates = call.rows.updates();
    let (work, [read, written]) = call.kernel(costs);
    let index = [updates * call.index_bytes, updates * 4]; // LinearIndex
    let mut path = Path {
        kernel: Kernel::ScatterAddWithSorted,
        launches: 2,
        blocks: updates.min(costs.cores),
        scalar_accesses: if call.is_float() { 2 * updates } else { updates },
        read_bytes: read + index[0],
        written_bytes: written + index[1],
        picoseconds: work.launched(costs) + Work::streamed(index[0] + index[1]).launched(costs),
    };
    if call.is_float() {
        let sort = sort(updates, costs);
        path.launches += 1;
        // Keys are read, keys and positions written, and as many bytes of records read as written.
        let records = sort.moved_bytes - updates * 12;
        path.read_bytes += updates * 4 + records / 2;
        path.written_bytes += updates * 8 + records / 2;
        path.picoseconds += sort.launched(costs);
    }
    path
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model::costs;

    use super::*;
    use crate::workload::Workload;

    fn microseconds(call: &SortedCall<'_>) -> f64 {
        call.kernel(&costs()[0]).0.picoseconds(&costs()[0]) as f64 / 1e6
    }

    #[test]
    fn the_accumulation_takes_what_the_kernel_takes_on_the_host_model() {
        // The expected times are those of ops-nn's kernel with the same tensors, run on the host
        // model with this cost table, without the launch.
        let embedding = Workload::named("embedding").unwrap().divided(16);
        for (workload, expected) in [
            (Workload::rows(3125, 256, 4096, 3125), 14.5),
            (embedding, 44.6),
            (Workload::rows(12_500, 64, 125_000, 12_500), 236.1),
        ] {
            let case = workload.draw(42).unwrap().case;
            let width = case.self_.shape[1] as u64;
            let rows = RowCounts::of(&case);
            let us = microseconds(&SortedCall { dtype: DType::F32, index_bytes: 8, width, rows: &rows });
            assert!((us / expected - 1.0).abs() < 0.15, "{}: {us:.1}, not {expected}", workload.name());
        }
    }

    #[test]
    fn a_hot_row_is_one_core_s() {
        // 10 rows with 10 updates each on every core, or a tenth of all updates in one row.
        let even = RowCounts(vec![10; 480]);
        let hot = RowCounts([vec![480], vec![10; 432]].concat());
        let call = SortedCall { dtype: DType::F32, index_bytes: 8, width: 256, rows: &even };
        let path = path(&call, &costs()[0]);
        let hot = SortedCall { rows: &hot, ..call };
        assert!(microseconds(&hot) > 2.5 * microseconds(&call));
        // The sort has four passes from lists of 32 to 4800, and in each the lists become longer
        // than a core's share of 100, so that they go through GM.
        assert_eq!(
            (path.launches, path.read_bytes, path.written_bytes),
            (3, (4800 + 480) * 1024 + 4800 * (8 + 8 + 4 + 4 * 8), 480 * 1024 + 4800 * (4 + 8 + 4 * 8))
        );
    }

    #[test]
    fn a_sort_takes_less_than_was_measured_of_a_sort_and_masks() {
        // 32 rows of 128,256 on 48 cores: 12.4 cycles for each element and core, everything
        // included.
        let mut costs = costs()[0];
        costs.cores = 1;
        let cycles = sort(128_256, &costs).millicycles / 128_256;
        assert!((6_000..12_400).contains(&cycles), "{cycles}");
    }

    #[test]
    fn integers_wait_for_each_update() {
        let rows = RowCounts(vec![10; 480]);
        let path =
            path(&SortedCall { dtype: DType::I8, index_bytes: 8, width: 256, rows: &rows }, &costs()[0]);
        assert_eq!((path.launches, path.written_bytes), (2, 4800 * 256 + 4800 * 4));
        assert!(path.picoseconds > 100 * (2 * 250_000 + 275_000) * 1000 / 1850 + 6_000_000);
    }
}
