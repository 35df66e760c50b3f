use scatter_kernels::model::costs;

use super::last_axis::Cut;
use super::*;

/// 2048 rows of 1024 f32, and an i64 index of the same shape.
const CALL: Call = Call {
    dtype: DType::F32,
    index_bytes: 8,
    before: 2048,
    after: 1,
    from: 1024,
    picked: 1024,
    is_last: true,
    index: Stored::Whole,
};

/// The same along the other axis.
const ACROSS: Call = Call { before: 1, after: 2048, is_last: false, ..CALL };

fn told(call: &Call) -> Path {
    path(call, &costs()[0]).unwrap()
}

fn bytes(path: &Path) -> (u64, u64) {
    (path.read_bytes, path.written_bytes)
}

#[test]
fn launches_are_those_that_the_sources_have() {
    let entries = 2048 * 1024;
    let along = told(&CALL);
    assert_eq!((along.kernel, along.launches, along.blocks), (Kernel::GatherElementsV2, 2, 48));
    // The Cast; then index, self and out once.
    assert_eq!(bytes(&along), (entries * (8 + 4 + 4), entries * (4 + 4)));
    // An index of i32 needs no Cast.
    let narrow = told(&Call { index_bytes: 4, ..CALL });
    assert_eq!((narrow.launches, bytes(&narrow)), (1, (entries * 8, entries * 4)));
    // Three transpositions, where the workspace would be larger than what they take.
    let across = told(&ACROSS);
    assert!(!ACROSS.is_direct());
    assert_eq!((across.launches, bytes(&across)), (5, (entries * (16 + 8 + 8), entries * (8 + 8 + 8))));
    // None, where self is much larger than what is picked.
    let direct = Call { before: 64, from: 4096, picked: 128, after: 256, ..ACROSS };
    assert!(direct.is_direct());
    assert_eq!(told(&direct).launches, 2);
}

#[test]
fn other_kernels_than_those_of_the_sources_have_no_time() {
    for dtype in [DType::I64, DType::I8, DType::F64, DType::Bool] {
        assert_eq!(path(&Call { dtype, ..CALL }, &costs()[0]), Err(Absent::GatherElements(dtype)));
    }
    for dtype in [DType::F16, DType::Bf16, DType::I32] {
        assert!(path(&Call { dtype, ..CALL }, &costs()[0]).is_ok());
    }
    let index = Stored::Expanded { distinct: 100 };
    let rows = Call { after: 256, from: 1000, picked: 200, index, ..ACROSS };
    assert!(path(&Call { dtype: DType::I64, ..rows }, &costs()[0]).is_ok());
    let dtype = DType::Complex64;
    assert_eq!(path(&Call { dtype, ..rows }, &costs()[0]), Err(Absent::AiCpu(dtype)));
    // 200 rows of 1 KiB are read and written.
    let path = told(&rows);
    assert_eq!((path.kernel, path.launches, path.blocks), (Kernel::GatherV2, 1, 48));
    assert_eq!(bytes(&path), (200 * (1024 + 8), 200 * 1024));
    assert_eq!(path.picoseconds, 3_000_000 + 200 * (2048 + 8) * 1000 / 2000);
}

#[test]
fn a_gather_along_another_axis_is_direct_by_the_rules_of_the_sources() {
    // A large self, of which little is picked: the memory of transpositions would be more.
    let call = Call { before: 1, from: 20_000, picked: 100, after: 8192, ..ACROSS };
    assert!(call.is_direct());
    for other in [
        Call { is_last: true, ..call },
        // Few columns, or few elements along dim.
        Call { after: 32, ..call },
        Call { picked: 15, ..call },
        Call { from: 15, ..call },
        // As much is picked as there is.
        Call { picked: 20_000, ..call },
        // More than fits in UB with its index, and less than UB.
        Call { from: 30_000, ..call },
        Call { from: 49_152, ..call },
        Call { after: 1 << 17, ..call },
    ] {
        assert!(!other.is_direct(), "{other:?}");
    }
    // More than UB, whatever is picked.
    assert!(Call { from: 49_153, picked: 100_000, ..call }.is_direct());
    // Up to 48 lines would have more elements in the workspace than self has.
    assert!(!Call { before: 1, after: 48, ..call }.is_direct());
}

#[test]
fn rows_are_cut_by_what_is_left_of_ub() {
    let cut = |from, picked, rows| Rows { rows, from, picked, size: 4 }.cut(48);
    // 4096 + 8192 + 4096 bytes for a row: 11 in 186,368.
    assert_eq!(cut(1024, 1024, 2048), Cut::Batches(11));
    assert_eq!(cut(1024, 1, 2048), Cut::OneByOne(186_368 / 32 / 3));
    assert_eq!(cut(256, 1, 2048), Cut::Batches(186_368 / 1040));
    // Self's row has 40,000 bytes, so that 12,197 entries fit beside it, which become 12,200.
    assert_eq!(cut(10_000, 12_200, 48), Cut::Chunks { parts: 1, chunks: 1 });
    assert_eq!(cut(10_000, 12_201, 48), Cut::Chunks { parts: 1, chunks: 2 });
    // Five parts of 93,184 bytes, and chunks of 5,744 entries, which become 5,760.
    assert_eq!(cut(5 * 23_296, 5760, 48), Cut::Chunks { parts: 5, chunks: 1 });
    assert_eq!(cut(5 * 23_296, 5761, 48), Cut::Chunks { parts: 5, chunks: 2 });
    // Elements one by one: of many rows at a time, or of parts of a row.
    assert_eq!(cut(5 * 23_296 + 1, 512, 4800), Cut::OneByOne(186_368 / 32 / (128 + 64)));
    assert_eq!(cut(1 << 20, 1 << 20, 1), Cut::Pieces { of_a_row: 183 });
    assert_eq!(cut(1 << 20, 6000, 2), Cut::Pieces { of_a_row: 24 });
}

#[test]
fn rows_take_the_time_of_their_steps_one_after_the_other() {
    // 43 rows for the longest core, 11 at a time.
    let cycles = 4.0 * (3.0 * 15.6 + 2.0 * 250.0 + 275.0 + 2.0 * 24.0)
        + 43.0 * 1024.0 * (12.0 / 24.0 + 3.0 + 4.0 * 1.17 / 64.0);
    let cast = 2048.0 * 1024.0 * 12.0 * 1000.0 / 2000.0;
    let expected = cycles / 1850.0 * 1e6 + 6e6 + cast;
    let got = told(&CALL).picoseconds as f64;
    assert!((got - expected).abs() < 20_000.0, "{got}, {expected}");
    // The parts of a long row are loaded for each chunk, and gathered from for each entry.
    let long = Rows { rows: 48, from: 3 * 23_296, picked: 2 * 5760, size: 4 };
    let Done { read_bytes, scalar_accesses, work, .. } = long.done(&costs()[0]);
    assert_eq!((read_bytes, scalar_accesses), (48 * 4 * (2 * 3 * 23_296 + 2 * 5760), 0));
    assert!(work.millicycles > 3 * 2 * 5760 * 3000);
    // Read from GM, an element takes a loop, two accesses to UB and one to GM.
    let line = Rows { rows: 1, from: 1 << 20, picked: 48 * 5000, size: 4 };
    let Done { scalar_accesses, work, blocks, .. } = line.done(&costs()[0]);
    assert_eq!((scalar_accesses, blocks), (2 * 48 * 5000, 48));
    let each = work.millicycles / 5000;
    assert!((173_000..175_000).contains(&each), "{each}");
}

#[test]
fn columns_are_transposed_picked_and_transposed() {
    let columns = Columns { before: 1, after: 4800, from: 20_000, picked: 100, size: 4 };
    assert!(columns.fits() && !Columns { from: 32_000, ..columns }.fits());
    let done = columns.done(&costs()[0]);
    let (of_self, entries) = (20_000 * 4800 * 4, 100 * 4800);
    assert_eq!(
        (done.read_bytes, done.written_bytes),
        (2 * (of_self + 4 * entries) + 4 * entries, of_self + 12 * entries)
    );
    assert_eq!((done.blocks, done.scalar_accesses), (48, 0));
    // Each core moves self's bytes of 100 columns to UB twice.
    assert!(done.work.millicycles > 2 * of_self / 48 * 1000 / 24);
    // Lines are shared as a whole where there are more of them than cores.
    let work = |before, after| Columns { before, after, ..columns }.done(&costs()[0]).work.millicycles;
    assert!(work(96, 100).abs_diff(2 * work(48, 100)) < 1_000_000);
    // Without room in UB elements are read one by one.
    let long = Columns { from: 50_000, ..columns }.done(&costs()[0]);
    assert_eq!((long.scalar_accesses, long.read_bytes), (2 * entries, entries * 8));
    assert!((173_000..176_000).contains(&(long.work.millicycles / (entries / 48))), "{long:?}");
}
