//! `GatherElementsV2` along the last axis.
//!
//! Counted, from `index/gather_elements_v2/op_host/gather_elements_v2_last_dim_tiling.h` and
//! `op_kernel/gather_elements_v2_last_dim.h` (ops-nn, e5c3fa93):
//! - rows are shared evenly among cores. Where rows of self, index and out take up to half of UB, a
//!   core takes as many at a time as fit; else one at a time, with its index in chunks; where
//!   self's row is longer than half of UB, it is loaded in parts for each chunk, and what a chunk
//!   picks of each part is selected;
//! - where there are more than five such parts, or a row of self is more than 256 times longer than
//!   one of index, elements are read from GM one by one by the scalar unit (`DoScalarMode`);
//! - each buffer exists once: loads of index and of self, the vector unit's work and the store come
//!   one after the other, each waited for.
//!
//! Not counted: further blocks of a copy, the extra cost of unaligned rows, the scalar unit's
//! arithmetic, the issue of instructions, and waits between vector instructions without a barrier.

use scatter_kernels::model::Costs;

use super::{Done, Work, load, moved, pick, read_one_by_one, store, vector};

/// Bytes of UB that the tiling divides.
const UB: u64 = 196_608 - 10 * 1024;

/// Rows that are gathered from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) rows: u64,
    /// Elements of a row of self.
    pub(super) from: u64,
    /// Elements of a row of index and of out.
    pub(super) picked: u64,
    /// Bytes of an element.
    pub(super) size: u64,
}

/// How the work is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// This many rows at a time.
    Batches(u64),
    /// A row at a time, which is loaded in `parts` parts for each of `chunks` chunks of its index;
    /// a single part is loaded once.
    Chunks { parts: u64, chunks: u64 },
    /// Elements one by one, of this many rows at a time.
    OneByOne(u64),
    /// Elements one by one, of pieces of rows.
    Pieces { of_a_row: u64 },
}

/// The bytes that the tiling counts for a row of self, of index and of out.
struct Buffers {
    x: u64,
    index: u64,
    y: u64,
}

impl Rows {
    const fn buffers(&self) -> Buffers {
        Buffers {
            x: (self.from * self.size).next_multiple_of(32),
            index: (self.picked * 8).next_multiple_of(64),
            y: (self.picked * self.size).next_multiple_of(32),
        }
    }

    pub(super) fn cut(&self, cores: u64) -> Cut {
        let Self { rows, from, picked, size } = *self;
        let Buffers { x, index, y } = self.buffers();
        // The bytes of the buffer of index values, each of which counts as 8.
        let (cut, chunk) = if x + index + y <= UB / 2 {
            let lines = if picked == 1 { UB / (from * size + 16) } else { UB / (x + index + y) };
            (Cut::Batches(lines), index * lines)
        } else if x <= UB / 2 {
            let chunk = ((UB - x) / (8 + size) * 8).next_multiple_of(64);
            (Cut::Chunks { parts: 1, chunks: index.div_ceil(chunk) }, chunk)
        } else {
            // With a quarter of a byte for masks.
            let chunk = (UB / 2 * 32 / (4 * (8 + 2 * size) + 1)).next_multiple_of(256);
            (Cut::Chunks { parts: x.div_ceil(UB / 2), chunks: index.div_ceil(chunk) }, chunk)
        };
        let parts = if let Cut::Chunks { parts, .. } = cut { parts } else { 0 };
        if parts <= 5 && from / picked <= 256 {
            return cut;
        }
        let lines = UB / 32 / (index.div_ceil(64) * 2 + (picked * size).div_ceil(32));
        if lines > 1 && (rows > cores || picked < cores * 32) {
            return Cut::OneByOne(lines);
        }
        let pieces = index.div_ceil(chunk);
        Cut::Pieces { of_a_row: if pieces * rows < cores { cores / rows } else { pieces } }
    }

    pub(super) fn done(&self, costs: &Costs) -> Done {
        let Self { rows, from, picked, size } = *self;
        let (cut, cores) = (self.cut(costs.cores), costs.cores);
        let share = rows.div_ceil(cores);
        let entries = rows * picked;
        let (index, x, y) = (picked * 4, from * size, picked * size);
        let (millicycles, blocks, reads) = match cut {
            Cut::Batches(lines) => {
                let batches = share.div_ceil(lines);
                let waits = batches * (load(0, costs) + load(0, costs) + store(0, costs));
                let bytes = moved(share * (index + x + y), costs);
                (waits + bytes + pick(share * picked, lines * picked, costs), rows, 1)
            }
            Cut::Chunks { parts: 1, chunks } => {
                let waits = load(x, costs) + chunks * (load(0, costs) + store(0, costs));
                let row = waits + moved(index + y, costs) + pick(picked, picked.div_ceil(chunks), costs);
                (share * row, rows, 1)
            }
            Cut::Chunks { parts, chunks } => {
                let waits = chunks * (load(0, costs) + store(0, costs) + parts * load(0, costs));
                // The negative ones once; for each part two Compares, an addition, two Selects of
                // the index, a multiplication, the Gather, and two Selects of what it picks.
                let slow = |bytes: u64| bytes.div_ceil(256) * costs.vector_repeat_slow;
                let part = 2 * vector(picked, costs)
                    + 4 * slow(index)
                    + 2 * slow(y)
                    + picked * costs.gather
                    + chunks * 2 * costs.vector_latency;
                let row =
                    waits + moved(index + y + chunks * x, costs) + 3 * vector(picked, costs) + parts * part;
                (share * row, rows, chunks)
            }
            Cut::OneByOne(lines) => (self.one_by_one(share * picked, share.div_ceil(lines), costs), rows, 0),
            Cut::Pieces { of_a_row } => {
                let pieces = rows * of_a_row;
                let tasks = pieces.div_ceil(cores);
                (self.one_by_one(tasks * picked.div_ceil(of_a_row), tasks, costs), pieces, 0)
            }
        };
        let is_scalar = reads == 0;
        let of_self = if is_scalar { entries * size } else { rows * x * reads };
        let (read, written) = (entries * 4 + of_self, entries * size);
        let working_set = entries * (4 + size) + of_self.min(rows * x);
        Done {
            work: Work { millicycles, moved_bytes: read + written, working_set },
            blocks: blocks.min(cores),
            scalar_accesses: if is_scalar { 2 * entries } else { 0 },
            read_bytes: read,
            written_bytes: written,
        }
    }

    /// The time of a core that reads `entries` elements one by one, in `batches` batches.
    fn one_by_one(&self, entries: u64, batches: u64, costs: &Costs) -> u64 {
        batches * (load(0, costs) + store(0, costs) + costs.vector_latency)
            + moved(entries * (4 + self.size), costs)
            + 4 * vector(entries, costs)
            + read_one_by_one(entries, costs)
    }
}
