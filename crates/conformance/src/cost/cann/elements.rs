//! `ScatterElementsV2` ("legacy", which is what runs from aclnn), and the launches around it.
//!
//! `LinearIndex` makes i32 of index. Along another axis than the last, self, index and src are transposed before and the
//! result after, with a copy between. The updates of a row of self are applied by scalar accesses in a part of the row
//! that is in UB: all of the row where it fits with its index and src, or else a chunk at a time, and index and src
//! are read again for each. Loads, updates and stores of a core come one after the other.
//!
//! Not counted: heads and latencies of copies, the cost of launches, the scalar unit's arithmetic and branches, what a
//! transposition costs beyond its bytes.

use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Kernel, Path, launched, moved, streamed, ub_bytes, vector};

/// UB that the tiling divides.
const UB: u64 = 184_320;

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Updates {
    pub(super) dtype: DType,
    pub(super) index_bytes: u64,
    /// Rows along dim of self and of index.
    pub(super) rows: u64,
    /// Elements of a row of self.
    pub(super) targets: u64,
    /// Elements of a row of index and of src.
    pub(super) updates: u64,
    /// Whether dim is the last axis.
    pub(super) is_last: bool,
    pub(super) in_place: bool,
}

/// How the rows of self are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Columns of a row, each of which another core has.
    pieces: u64,
    /// Elements of a piece.
    piece: u64,
    /// Times that index and src of a row are read for a piece.
    loops: u64,
}

impl Updates {
    fn cut(&self, cores: u64) -> Cut {
        let Self { rows, targets, updates, .. } = *self;
        let element = ub_bytes(self.dtype).unwrap_or(8);
        let entry = if self.is_narrow() { 8 } else { 4 };
        if element * targets + entry * 2 * updates <= UB {
            return Cut { pieces: 1, piece: targets, loops: 1 };
        }
        let pieces = if rows < cores { (cores / rows).min(targets.div_ceil(32)) } else { 1 };
        let piece = targets.div_ceil(pieces);
        // Half of UB is self's: 11520 f32 or i32, which the sources state; for other dtypes by the same rule.
        Cut { pieces, piece, loops: piece.div_ceil(UB / 2 / element) }
    }

    /// Whether sums are made in f32.
    fn is_narrow(&self) -> bool {
        matches!(self.dtype, DType::F16 | DType::Bf16)
    }
}

/// What a call does.
pub(super) fn path(call: &Updates, costs: &Costs) -> Path {
    let Updates { dtype, index_bytes, rows, targets, updates, is_last, in_place } = *call;
    let Cut { pieces, piece, loops } = call.cut(costs.cores);
    let size = dtype.size() as u64;

    // A piece of a row: index as i32 and src for each loop, and self there and back.
    let (loaded, held) = (loops * updates * (4 + size), piece * size);
    // A counter is cleared for each element of self. Index is read for each update and loop; where the update is the
    // piece's, counter, self and src are read, and counter and self written.
    let accesses = piece + loops * updates + 5 * updates.div_ceil(pieces);
    let casts = if call.is_narrow() { 2 * vector(piece, costs) + loops * vector(updates, costs) } else { 0 };
    let one = moved(loaded, costs) + 2 * moved(held, costs) + accesses * costs.scalar_ub + casts;
    let tasks = rows * pieces;
    let (read, written) = (tasks * loaded + rows * targets * size, rows * targets * size);
    let mut path = Path {
        kernel: Kernel::ScatterElementsV2,
        launches: 1,
        blocks: tasks.min(costs.cores),
        scalar_accesses: tasks * accesses,
        read_bytes: read,
        written_bytes: written,
        picoseconds: launched(tasks.div_ceil(costs.cores) * one, read + written, costs),
    };

    let (entries, elements) = (rows * updates, rows * targets);
    let mut also = |read: u64, written: u64| {
        path.launches += 1;
        path.read_bytes += read;
        path.written_bytes += written;
        path.picoseconds += streamed(read + written, costs);
    };
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

    const CALL: Updates = Updates {
        dtype: DType::F32,
        index_bytes: 8,
        rows: 96,
        targets: 4096,
        updates: 4096,
        is_last: true,
        in_place: false,
    };

    #[test]
    fn bytes_and_launches_are_those_that_the_sources_have() {
        // f32 and i64, out of place: 20 bytes per entry of index and 16 per element of self, or 44 and 32.
        let bytes = |path: Path| path.read_bytes + path.written_bytes;
        let size = 96 * 4096;
        let last = path(&CALL, &costs());
        assert_eq!((last.launches, bytes(last)), (3, 20 * size + 16 * size));
        let other = path(&Updates { is_last: false, ..CALL }, &costs());
        assert_eq!((other.launches, bytes(other)), (7, 44 * size + 32 * size));
        // In place the copy alone is not there.
        let in_place = path(&Updates { in_place: true, ..CALL }, &costs());
        assert_eq!((in_place.launches, bytes(in_place)), (2, 20 * size + 8 * size));
    }

    #[test]
    fn a_row_that_fits_takes_six_accesses_for_an_update_and_one_for_a_target() {
        let path = path(&CALL, &costs());
        assert_eq!(path.scalar_accesses, 96 * (6 * 4096 + 4096));
        // Two rows for each core: 7 x 4096 accesses of 11 cycles, 16 bytes of each column at 24 bytes per cycle.
        let millicycles = 2 * (7 * 4096 * 11_000 + 4096 * 8 * 1000 / 24 + 2 * (4096 * 4 * 1000 / 24));
        let others = (12 + 8) * 96 * 4096 * 1000 / 1800;
        assert!(path.picoseconds.abs_diff(millicycles * 1000 / 1850 + others) < 2, "{path:?}");
    }

    #[test]
    fn a_long_row_is_read_again_for_each_piece_and_chunk() {
        // The example of the sources: a million f32 on 40 cores are read 120 times.
        let line = Updates { rows: 1, targets: 1_000_000, updates: 10_000_000, ..CALL };
        assert_eq!(line.cut(40), Cut { pieces: 40, piece: 25_000, loops: 3 });
        // 16,000 f32 and 6,000 entries are a row that fits, and so one core's.
        assert_eq!(Updates { rows: 1, targets: 16_000, updates: 6_000, ..CALL }.cut(40).pieces, 1);
        let path = path(&line, &costs());
        assert_eq!(path.blocks, 48);
        let loops = 2; // of 20,834 elements on 48 cores
        assert_eq!(path.read_bytes, 48 * loops * 10_000_000 * 8 + 4_000_000 + 80_000_000 + 4_000_000);
    }
}
