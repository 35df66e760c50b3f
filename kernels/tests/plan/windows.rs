//! `scatter_windows`.

use scatter::{DType, Op, Problem};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Algorithm, Kernel, Plan, plan};
use scatter_kernels::tiling::{STATUS_BYTES, WindowsTiling};

use crate::boxes::{check_box, used};
use crate::problem;

pub(crate) fn windows_of(plan: &Plan) -> Option<WindowsTiling> {
    if let Kernel::Windows(tiling) = plan.steps.last()?.kernel { Some(tiling) } else { None }
}

/// Properties of a plan by windows: its tiles are all of src, and its buffers fit UB.
pub(crate) fn check_windows(problem: &Problem, tiling: &WindowsTiling, soc: &Soc) {
    let outers: u64 = used(&tiling.outer, tiling.outer_axes).iter().map(|axis| axis.size).product();
    let elements = tiling.entry.size * outers * tiling.step[0].size * tiling.step[1].size;
    let src: usize = problem.src_layout().unwrap().shape().iter().product();
    assert_eq!(elements, src as u64, "{tiling:?}");
    for axis in 0..2 {
        let (size, tile) = (tiling.step[axis].size, tiling.tile[axis]);
        assert_eq!(tiling.tiles[axis], size.div_ceil(tile), "{tiling:?}");
    }
    assert_eq!(tiling.pieces, outers * tiling.tiles[0] * tiling.tiles[1]);
    assert_eq!(tiling.tasks, tiling.entry.size * tiling.pieces);
    check_box(&tiling.src_box, tiling.tile);
    check_box(&tiling.index_box, [tiling.chunk.into(), tiling.components.into()]);
    assert!(tiling.chunk == tiling.entries || tiling.chunk.is_multiple_of(8), "{tiling:?}");
    // A core has room for the entries of all its tasks.
    let blocks = tiling.tasks.min(soc.cores.into());
    for block in 0..blocks {
        let [first, last] =
            [block, block + 1].map(|at| at * (tiling.tasks / blocks) + at.min(tiling.tasks % blocks));
        let own = (last - 1) / tiling.pieces + 1 - first / tiling.pieces;
        assert!(own <= tiling.entries.into(), "{own} {tiling:?}");
    }
    if tiling.may_meet != 0 {
        assert_eq!(u64::from(tiling.entries), tiling.entry.size);
    }
    let [chunk, entries] = [tiling.chunk, tiling.entries].map(|size| u64::from(size).next_multiple_of(256));
    let raw = u64::from(tiling.index_box.bytes);
    let tile = u64::from(tiling.src_box.bytes);
    let mut bytes = raw + (raw / u64::from(tiling.index_bytes) * 4).next_multiple_of(32);
    bytes += 3 * chunk * 4 + (u64::from(tiling.components) + 1) * chunk / 8 + entries * 4;
    bytes += if tiling.may_meet != 0 { 5 * entries * 4 + 2 * 32 } else { 0 };
    bytes += 3 * tile + if tiling.is_bool != 0 { 2 * tile } else { 0 } + STATUS_BYTES as u64;
    assert!(bytes <= soc.ub.into(), "{bytes} of {}: {tiling:?}", soc.ub);
}

/// The prefill of a cache of keys and values is copied window by window, also where index has a
/// column for sequences, so that windows may meet.
#[test]
fn windows_are_copied_as_a_whole() {
    let prefill = |index: &[usize], gap: usize| {
        let op = Op::ScatterUpdate { dim: 2 };
        plan(&problem(op, DType::F16, &[8, 32, 4096, 128], index, gap, true), &Soc::default()).unwrap()
    };
    for index in [&[8][..], &[100, 2]] {
        let chosen = prefill(index, 0);
        let tiling = windows_of(&chosen).unwrap();
        let sizes = tiling.step.map(|axis| axis.size);
        assert_eq!((chosen.algorithm, chosen.steps.len()), (Some(Algorithm::Windows), 1), "{chosen:?}");
        // Tokens of a head follow each other.
        assert_eq!((sizes, tiling.along, tiling.unit), ([32, 2048 * 128], 1, 128), "{tiling:?}");
        assert_eq!((tiling.extent, tiling.entry.size), (2048, index[0] as u64), "{tiling:?}");
        assert_eq!(tiling.may_meet != 0, index.len() == 2, "{tiling:?}");
        let places = [&[8, 2049][2 - index.len()..], &[0]].concat();
        assert_eq!(tiling.component.map(|of| of.size), places[..2], "{tiling:?}");
        // A block has the entries of its own windows, or all.
        assert_eq!(tiling.entries, [2, 100][index.len() - 1], "{tiling:?}");
    }
    // Where a window is not contiguous, each token is a run.
    let apart = windows_of(&prefill(&[8], 3)).unwrap();
    assert_eq!((apart.step.map(|axis| axis.size), apart.along, apart.unit), ([2048, 128], 0, 1), "{apart:?}");
}

/// More places than f32 can tell apart are left to `scatter_general`, and so are more entries than
/// UB has room for.
#[test]
fn windows_that_the_vector_unit_can_not_place() {
    let of = |shape: &[usize], index: &[usize]| {
        plan(&problem(Op::ScatterUpdate { dim: 1 }, DType::I8, shape, index, 0, true), &Soc::default())
            .unwrap()
    };
    let most = (1 << 24) - 2;
    for (shape, index, fits) in [
        ([2, most / 2], &[3, 2][..], true),
        ([2, most / 2 + 1], &[3, 2], false),
        ([2, most], &[2], true),
        // Of one column only the places where a window fits are counted.
        ([2, most + most / 2], &[2], true),
        ([2, 2 * most + 4], &[2], false),
        ([10_000, 4000], &[10_000], true),
        ([2, 10], &[7000, 2], true),
        ([2, 10], &[8000, 2], false),
    ] {
        let chosen = of(&shape, index);
        assert_eq!(windows_of(&chosen).is_some(), fits, "{shape:?} {index:?} {chosen:?}");
        let expected = if fits { Algorithm::Windows } else { Algorithm::General };
        assert_eq!(chosen.algorithm, Some(expected), "{shape:?} {index:?}");
    }
}
