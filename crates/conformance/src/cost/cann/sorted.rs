//! `ScatterAddWithSorted`, for an index that is expanded along the rows of self.
//!
//! For f32, f16 and bf16 the index is sorted, the rows of src are divided evenly among the cores, and the core on which the
//! updates of a row of self begin takes all of them: it reads each row of src and adds it, and reads and writes self's
//! once. For integers there is no sort: a core takes one update after the other, and adds its row to GM by an atomic copy.
//!
//! Not counted: the sort, latencies (but for integers, where each update waits for its own), what an atomic copy costs beyond a plain
//! one, the cost of launches.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Kernel, Path, Rows, launched, moved, streamed, vector};

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Updates {
    pub(super) dtype: DType,
    pub(super) index_bytes: u64,
    /// Elements of a row.
    pub(super) width: u64,
    pub(super) rows: Rows,
}

/// What a call does.
pub(super) fn path(call: &Updates, costs: &Costs) -> Path {
    let Updates { dtype, index_bytes, width, rows } = *call;
    let row = width * dtype.size() as u64;
    let copy = costs.copy_head + moved(row, costs);
    let share = rows.updates.div_ceil(costs.cores);
    let is_float = matches!(dtype, DType::F32 | DType::F16 | DType::Bf16);
    let (launches, longest, self_rows) = if is_float {
        let casts = if dtype == DType::F32 { 0 } else { vector(width, costs) };
        let adds = |updates: u64| updates * (vector(width, costs) + casts);
        // A core with an even share of all, or the one that has the hottest row.
        let core = |updates: u64, targets: u64| ((updates + targets) * copy).max(adds(updates));
        let longest = core(share, rows.distinct / costs.cores).max(core(rows.hottest, 1));
        (3, longest, rows.distinct)
    } else {
        let index = costs.copy_head + moved(4, costs);
        (2, share * (index + 2 * copy + costs.read_latency + costs.write_latency), 0)
    };
    let read = (rows.updates + self_rows) * row + rows.updates * 4;
    let written = if is_float { self_rows } else { rows.updates } * row;
    // LinearIndex
    let (index_read, index_written) = (rows.updates * index_bytes, rows.updates * 4);
    Path {
        kernel: Kernel::ScatterAddWithSorted,
        launches,
        blocks: rows.updates.min(costs.cores),
        scalar_accesses: 0,
        read_bytes: read + index_read,
        written_bytes: written + index_written,
        picoseconds: launched(longest, read + written, costs) + streamed(index_read + index_written, costs),
    }
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model::costs;

    use super::*;

    const CALL: Updates = Updates {
        dtype: DType::F32,
        index_bytes: 8,
        width: 256,
        rows: Rows { updates: 4800, distinct: 480, hottest: 10 },
    };

    #[test]
    fn a_hot_row_is_one_core_s() {
        let even = path(&CALL, &costs());
        // 100 rows of src and 10 of self of 1 KB on each core; but the memory takes longer.
        let copies = 110 * (15_600 + 1024 * 1000 / 24);
        let bytes = (4800 + 2 * 480) * 1024 + 4800 * 4;
        assert_eq!(
            even.picoseconds,
            (copies * 1000 / 1850).max(bytes * 1000 / 1800) + 4800 * 12 * 1000 / 1800
        );
        let hot = path(&Updates { rows: Rows { hottest: 1000, ..CALL.rows }, ..CALL }, &costs());
        let copies = 1001 * (15_600 + 1024 * 1000 / 24);
        assert_eq!(hot.picoseconds, copies * 1000 / 1850 + 4800 * 12 * 1000 / 1800);
        assert_eq!(
            (even.launches, even.read_bytes, even.written_bytes),
            (3, (4800 + 480) * 1024 + 4800 * 12, 480 * 1024 + 4800 * 4)
        );
    }

    #[test]
    fn integers_wait_for_each_update() {
        let path = path(&Updates { dtype: DType::I8, ..CALL }, &costs());
        assert_eq!((path.launches, path.written_bytes), (2, 4800 * 256 + 4800 * 4));
        assert!(path.picoseconds > 100 * (241_000 + 96_000) * 1000 / 1850);
    }
}
