//! `ScatterElementsV2` (the "legacy" kernel, which aclnn runs), and the launches around it.
//!
//! `LinearIndex` converts index to i32. Where dim is not the last axis, self, index and src are
//! transposed before and the result after, with a copy between. The updates of a row of self are
//! applied by scalar accesses in UB. Where rows fit in UB with their index and src, a core loads
//! several at a time. Otherwise a core takes a piece of a row, loads it in chunks, and reads index
//! and src again for each chunk, in batches.
//!
//! Counted, from `scatter_elements_v2.h` and its tiling (ops-nn, e5c3fa93):
//! - for each index value that is scanned, an iteration of a loop of three basic blocks and a read
//!   of the value. For each hit of a sum, reads of the counter, of self and of src, and writes of
//!   the counter and of self; for each hit of a replacement, a read of src and a write of self;
//! - for a sum, a counter of each element of self is cleared by a loop of scalar writes, while the
//!   loads before it run;
//! - loads, updates and stores come one after the other: a read latency for each batch, and a write
//!   latency for each chunk, are waited for, and each copy has its head;
//! - Casts from and to f32 for f16 and bf16, and for chunks the subtraction of the chunk's start
//!   from the index.
//!
//! Not counted: the scalar unit's arithmetic, the issue of instructions, the extra cost of
//! unaligned rows, and what a transposition costs beyond moving its bytes.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Kernel, Path, Work, cast, moved, ub_bytes, vector};

/// Bytes of UB that the tiling divides.
const UB: u64 = 184_320;

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementsCall {
    pub(crate) dtype: DType,
    pub(crate) index_bytes: u64,
    /// Rows along dim of self and of index.
    pub(crate) rows: u64,
    /// Elements of a row of self.
    pub(crate) targets: u64,
    /// Elements of a row of index and of src.
    pub(crate) updates: u64,
    /// Whether dim is the last axis.
    pub(crate) is_last: bool,
    pub(crate) in_place: bool,
    /// Whether updates are added; otherwise they replace.
    pub(crate) is_sum: bool,
}

/// How the rows of self are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Whole rows, this many at a time.
    Rows(u64),
    Pieces(Pieces),
}

/// How a row is cut that doesn't fit in UB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pieces {
    /// Pieces of a row, each on a core of its own.
    pieces: u64,
    /// Elements of a piece.
    piece: u64,
    /// Chunks of a piece, which are in UB one after the other.
    chunks: u64,
    /// Batches in which a row's index and src are loaded for each chunk.
    batches: u64,
}

impl ElementsCall {
    fn cut(&self, cores: u64) -> Cut {
        let Self { dtype, rows, targets, updates, is_sum, .. } = *self;
        let element = if is_sum { ub_bytes(dtype).unwrap_or(8) } else { dtype.size() as u64 };
        let entry = if self.is_narrow() { 8 } else { 4 };
        let whole = element * targets + entry * 2 * updates;
        if whole <= UB {
            return Cut::Rows((UB / whole).min(rows.div_ceil(cores)));
        }
        let pieces = if rows < cores { (cores / rows).min(targets.div_ceil(32)) } else { 1 };
        let piece = targets.div_ceil(pieces);
        // The bytes of index and src, where the tiling counts as much for an element of src as for
        // one of self.
        let (entries, held) = (updates * (element + entry), piece * element);
        let (chunk, batch) = if entries + held <= UB {
            (piece, updates)
        } else if entries < UB / 2 {
            ((UB - entries) / element, updates)
        } else if held < UB / 2 {
            (piece, (UB - held) / (element + entry))
        } else {
            (UB / 2 / element, UB / 2 / (element + entry))
        };
        let pieces = targets.div_ceil(piece);
        Cut::Pieces(Pieces {
            pieces,
            piece,
            chunks: piece.div_ceil(chunk),
            batches: updates.div_ceil(batch.max(1)),
        })
    }

    /// Whether sums are computed in f32.
    fn is_narrow(&self) -> bool {
        self.is_sum && matches!(self.dtype, DType::F16 | DType::Bf16)
    }

    /// The scalar unit's time for `scanned` index values, of which `hits` are hits.
    fn scalar(&self, scanned: u64, hits: u64, costs: &Costs) -> u64 {
        let scan = costs.scalar_iteration + 3 * costs.scalar_block + costs.scalar_read;
        let (reads, writes) = if self.is_sum { (3, 2) } else { (1, 1) };
        scanned * scan + hits * (reads * costs.scalar_read + writes * costs.scalar_write)
    }

    /// The time of the loop that clears the counters of elements of self.
    fn clear(&self, elements: u64, costs: &Costs) -> u64 {
        let one = costs.scalar_iteration + costs.scalar_block + costs.scalar_write;
        if self.is_sum { elements * one } else { 0 }
    }

    /// The kernel alone: its work, the cores that have work, the scalar accesses of all cores, and
    /// the bytes that are read and written.
    fn kernel(&self, costs: &Costs) -> (Work, Path) {
        let Self { dtype, rows, targets, updates, .. } = *self;
        let size = dtype.size() as u64;
        let (cut, cores) = (self.cut(costs.cores), costs.cores);
        let (longest, tasks, scans) = match cut {
            Cut::Rows(at_once) => (self.whole_rows(rows.div_ceil(cores), at_once, costs), rows, 1),
            Cut::Pieces(cut) => {
                let tasks = rows * cut.pieces;
                (tasks.div_ceil(cores) * self.piece(&cut, costs), tasks, cut.pieces * cut.chunks)
            }
        };
        let held = rows * targets * size;
        let read = rows * scans * updates * (4 + size) + held;
        let cleared = if self.is_sum { rows * targets } else { 0 };
        let path = Path {
            kernel: Kernel::ScatterElementsV2,
            launches: 1,
            blocks: tasks.min(cores),
            scalar_accesses: cleared + rows * updates * (scans + if self.is_sum { 5 } else { 2 }),
            read_bytes: read,
            written_bytes: held,
            picoseconds: 0,
        };
        let working_set = rows * updates * (4 + size) + held;
        (Work { millicycles: longest, moved_bytes: read + held, working_set }, path)
    }

    /// The time of a core with `rows` whole rows, of which it takes `at_once` at a time.
    fn whole_rows(&self, rows: u64, at_once: u64, costs: &Costs) -> u64 {
        let Self { targets, updates, .. } = *self;
        let size = self.dtype.size() as u64;
        let batches = rows.div_ceil(at_once);
        let loads = batches * (3 * costs.copy_head + costs.read_latency)
            + moved(rows * (targets * size + updates * (4 + size)), costs);
        let stores = batches * (costs.copy_head + costs.write_latency) + moved(rows * targets * size, costs);
        let casts = if self.is_narrow() { cast(rows * (2 * targets + updates), costs) } else { 0 };
        let (scanned, hits) = (rows * updates, rows * updates);
        loads.max(self.clear(rows * targets, costs)) + casts + self.scalar(scanned, hits, costs) + stores
    }

    /// The time of a core with a piece of a row.
    fn piece(&self, cut: &Pieces, costs: &Costs) -> u64 {
        let Self { updates, .. } = *self;
        let Pieces { pieces, piece, chunks, batches } = *cut;
        let size = self.dtype.size() as u64;
        let load = chunks * costs.copy_head + moved(piece * size, costs);
        let store = load + chunks * costs.write_latency;
        let batch = 2 * costs.copy_head + costs.read_latency + costs.vector_latency;
        let scan = batches * batch + moved(updates * (4 + size), costs) + vector(updates, costs);
        let casts = if self.is_narrow() { cast(2 * piece + chunks * updates, costs) } else { 0 };
        let scalar = self.scalar(chunks * updates, updates.div_ceil(pieces), costs);
        load.max(self.clear(piece, costs)) + chunks * scan + casts + scalar + store
    }
}

/// The whole path of a call.
pub(crate) fn path(call: &ElementsCall, costs: &Costs) -> Path {
    let ElementsCall { dtype, index_bytes, rows, targets, updates, is_last, in_place, .. } = *call;
    let size = dtype.size() as u64;
    let (work, mut path) = call.kernel(costs);
    path.picoseconds = work.launched(costs);

    let (entries, elements) = (rows * updates, rows * targets);
    let mut also = |read: u64, written: u64| path.also(read, written, costs);
    also(entries * index_bytes, entries * 4); // LinearIndex
    if !is_last {
        also(entries * index_bytes, entries * index_bytes); // Transpose of index
        also(entries * size, entries * size); // of src
        also(elements * size, elements * size); // of self
        also(elements * size, elements * size); // of the result
    }
    if !is_last || !in_place {
        also(elements * size, elements * size); // TensorMove
    }
    path
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model::costs;

    use super::*;

    const CALL: ElementsCall = ElementsCall {
        dtype: DType::F32,
        index_bytes: 8,
        rows: 96,
        targets: 4096,
        updates: 4096,
        is_last: true,
        in_place: false,
        is_sum: true,
    };

    #[test]
    fn bytes_and_launches_are_those_that_the_sources_have() {
        // f32 and i64, out of place: 20 bytes per entry of index and 16 per element of self, or 44
        // and 32.
        let bytes = |path: Path| path.read_bytes + path.written_bytes;
        let size = 96 * 4096;
        let last = path(&CALL, &costs()[0]);
        assert_eq!((last.launches, bytes(last)), (3, 20 * size + 16 * size));
        let other = path(&ElementsCall { is_last: false, ..CALL }, &costs()[0]);
        assert_eq!((other.launches, bytes(other)), (7, 44 * size + 32 * size));
        // In place, only the copy is missing.
        let in_place = path(&ElementsCall { in_place: true, ..CALL }, &costs()[0]);
        assert_eq!((in_place.launches, bytes(in_place)), (2, 20 * size + 8 * size));
    }

    #[test]
    fn a_row_that_fits_takes_six_accesses_for_an_update_and_one_for_a_target() {
        let path = path(&CALL, &costs()[0]);
        assert_eq!(path.scalar_accesses, 96 * (6 * 4096 + 4096));
        // Two rows for each core, both at a time. Clearing the counters takes longer than the
        // loads.
        assert_eq!(CALL.cut(48), Cut::Rows(2));
        let cycles = 2 * 4096 * (12 + 2 + 6) // the counters
            + 2 * 4096 * (12 + 3 * 2 + 4 * 11 + 2 * 6) // the updates
            + 2 * 4096 * 4 / 24 + 275; // the store
        let others = (12 + 8) * 96 * 4096 * 1000 / 2000;
        let expected = cycles * 1_000_000 / 1850 + others + 3 * 3_000_000;
        assert!(path.picoseconds.abs_diff(expected) < 20_000, "{path:?}, {expected}");
    }

    #[test]
    fn a_replacement_has_no_counter() {
        let call = ElementsCall { is_sum: false, ..CALL };
        // 4 bytes for each element of self, and 8 for index and src.
        assert_eq!(ElementsCall { rows: 480, ..call }.cut(48), Cut::Rows(3));
        let path = path(&call, &costs()[0]);
        assert_eq!(path.scalar_accesses, 96 * 3 * 4096);
        let sum = super::path(&CALL, &costs()[0]);
        assert!(path.picoseconds < sum.picoseconds * 2 / 3, "{path:?}, {sum:?}");
    }

    #[test]
    fn a_long_row_is_read_again_for_each_piece_and_chunk() {
        let cut = |call: &ElementsCall, cores: u64| match call.cut(cores) {
            Cut::Pieces(cut) => (cut.pieces, cut.piece, cut.chunks, cut.batches),
            Cut::Rows(at_once) => (0, 0, 0, at_once),
        };
        // The example in CANN's sources: with a million f32 on 40 cores, index and src are read 120
        // times.
        let line = ElementsCall { rows: 1, targets: 1_000_000, updates: 10_000_000, ..CALL };
        assert_eq!(cut(&line, 40), (40, 25_000, 3, 10_000_000_u64.div_ceil(184_320 / 24)));
        // A row of 16,000 f32 and 6,000 entries fits in UB, so one core takes it.
        assert_eq!(ElementsCall { rows: 1, targets: 16_000, updates: 6_000, ..CALL }.cut(40), Cut::Rows(1));
        let path = path(&line, &costs()[0]);
        assert_eq!(path.blocks, 48);
        let loops = 2; // of 20,834 elements on 48 cores
        assert_eq!(path.read_bytes, 48 * loops * 10_000_000 * 8 + 4_000_000 + 80_000_000 + 4_000_000);
        // With few entries, self gets the rest of UB: (184,320 - 1,000 x 12) / 8 elements instead
        // of 11,520.
        assert_eq!(
            cut(&ElementsCall { updates: 1000, rows: 48, targets: 50_000, ..CALL }, 48),
            (1, 50_000, 3, 1)
        );
        // With a short piece, the entries get the rest.
        assert_eq!(cut(&ElementsCall { targets: 48_000, ..line }, 48).2, 1);
        assert_eq!(
            cut(&ElementsCall { targets: 48_000, ..line }, 48).3,
            10_000_000_u64.div_ceil((184_320 - 8000) / 12)
        );
        // Where both fit together each is loaded once.
        assert_eq!(cut(&ElementsCall { targets: 48_000, updates: 10_000, ..line }, 48), (48, 1000, 1, 1));
    }

    #[test]
    fn a_scan_of_a_long_row_takes_what_was_measured() {
        // vllm-ascend's scatters into rows of 128,256 take 31 cycles for a scanned index value and
        // a sixth of a hit.
        let call = ElementsCall { is_sum: false, ..CALL };
        let scan = call.scalar(6, 1, &costs()[0]) / 6;
        assert!((28_000..34_000).contains(&scan), "{scan}");
    }
}
