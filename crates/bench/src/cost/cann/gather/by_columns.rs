//! `GatherElementsV2` along another axis than the last.
//!
//! Counted, from `index/gather_elements_v2/op_host/gather_elements_v2_tiling.cpp`,
//! `op_kernel/gather_elements_v2_transpose.h` and `gather_elements_v2_scalar.h` (ops-nn,
//! e5c3fa93):
//! - columns are shared among cores, and each core takes 512 bytes of columns at a time. It
//!   transposes self and index to its workspace in GM, 128 rows at a time; then it loads a column
//!   of each, picks, and stores what it has picked in the workspace; at last it transposes that to
//!   out;
//! - each buffer exists once: a tile that is loaded is waited for and transposed before the next
//!   one is loaded, while stores run beside; a picked column is stored before the next one is
//!   loaded;
//! - where self has columns for which UB has no room, elements are read from GM one by one by the
//!   scalar unit.
//!
//! Not counted: further blocks of a copy, the extra cost of unaligned rows, the scalar unit's
//! arithmetic (two divisions for each element that it reads), the addresses that it writes for
//! each transposition, and the issue of instructions.

use scatter_kernels::model::Costs;

use super::{Done, Work, load, moved, pick, read_one_by_one, store};

/// Bytes of UB that the tiling divides.
const UB: u64 = 196_608 - 2048;
/// Bytes of UB for a tile that is transposed, before and after.
const TILE: u64 = 128 * 512;

/// Columns that are gathered from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) before: u64,
    pub(super) after: u64,
    /// Elements of a column of self.
    pub(super) from: u64,
    /// Elements of a column of index and of out.
    pub(super) picked: u64,
    /// Bytes of an element.
    pub(super) size: u64,
}

impl Columns {
    /// Whether UB has room for a column of self beside a tile (`CalcMaxBufferSize`).
    pub(super) fn fits(&self) -> bool {
        let column = (self.from * self.size).next_multiple_of(32);
        (column + 2 * 512 * 4).max(TILE) + TILE.max(512 * self.size) <= UB
    }

    /// The parts of [`Self::before`] of a core, and the cores that share each.
    const fn shares(&self, cores: u64) -> (u64, u64) {
        let of_each = cores / self.before;
        if of_each == 0 { (self.before.div_ceil(cores), 1) } else { (1, of_each) }
    }

    pub(super) fn done(&self, costs: &Costs) -> Done {
        if self.fits() { self.transposed(costs) } else { self.one_by_one(costs) }
    }

    /// Transposes, picks and transposes.
    fn transposed(&self, costs: &Costs) -> Done {
        let Self { before, after, from, picked, size } = *self;
        let (parts, of_each) = self.shares(costs.cores);
        let columns = after.div_ceil(of_each);
        let pieces = columns.div_ceil(512 / size);
        let column = (from * size).next_multiple_of(32);
        let chunks = picked.div_ceil((UB - column.max(TILE) - TILE) / 64 * 8);
        // A repeat transposes 512 bytes.
        let transpose = |rows: u64, size: u64| {
            let tiles = pieces * rows.div_ceil(128);
            let repeats = (rows * columns * size).div_ceil(512);
            tiles * (load(0, costs) + costs.vector_latency)
                + moved(rows * columns * size, costs)
                + repeats * costs.vector_repeat_slow
        };
        // The wait for a column of self ends with that for its index.
        let gather = chunks * (load(0, costs) + store(0, costs))
            + costs.copy_head
            + moved(column + picked * (4 + size), costs)
            + pick(picked, picked.div_ceil(chunks), costs);
        let waits = 2 * pieces * costs.write_latency;
        let part =
            transpose(from, size) + transpose(picked, 4) + transpose(picked, size) + columns * gather + waits;
        let (of_self, entries) = (before * from * after * size, before * picked * after);
        let read = 2 * (of_self + entries * 4) + entries * size;
        let written = of_self + entries * (4 + 2 * size);
        let blocks = (before * after).min(costs.cores);
        let workspace = blocks * columns.min(512 / size) * (from * size + picked * 4);
        Done {
            work: Work {
                millicycles: parts * part + costs.write_latency,
                moved_bytes: read + written,
                working_set: of_self + entries * (4 + size) + workspace,
            },
            blocks,
            scalar_accesses: 0,
            read_bytes: read,
            written_bytes: written,
        }
    }

    /// Reads elements from GM.
    fn one_by_one(&self, costs: &Costs) -> Done {
        let Self { before, after, from, picked, size } = *self;
        let (parts, of_each) = self.shares(costs.cores);
        let share = (picked * after).div_ceil(of_each);
        let chunks = share.div_ceil(UB / (4 + size));
        let part = chunks * (load(0, costs) + store(0, costs))
            + moved(share * (4 + size), costs)
            + read_one_by_one(share, costs);
        let entries = before * picked * after;
        let (read, written) = (entries * (4 + size), entries * size);
        let working_set = entries * (4 + size) + before * after * size * from.min(picked);
        Done {
            work: Work { millicycles: parts * part, moved_bytes: read + written, working_set },
            blocks: entries.min(costs.cores),
            scalar_accesses: 2 * entries,
            read_bytes: read,
            written_bytes: written,
        }
    }
}
