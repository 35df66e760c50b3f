//! `scatter_general`.

use scatter::{DType, Op, Problem};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Algorithm, Kernel, Plan, plan, plan_with};
use scatter_kernels::tiling::{STATUS_BYTES, Tiling, WHOLE_PART};

use crate::boxes::{addresses, check_box, check_cut, used};
use crate::problem;

/// The step of a plan that makes the updates.
pub(crate) struct Update {
    blocks: u32,
    tiling: Tiling,
}

pub(crate) fn update_of(plan: &Plan) -> Option<Update> {
    let step = plan.steps.last()?;
    match step.kernel {
        Kernel::General(tiling) => Some(Update { blocks: step.blocks, tiling }),
        _ => None,
    }
}

/// The bytes that the buffers of an update's kernel take, each rounded up as `InitBuffer` does.
fn ub_of(update: &Update) -> u64 {
    let tiling = &update.tiling;
    let round = |bytes: u64| bytes.next_multiple_of(32);
    let is_wide = tiling.dtype <= DType::F16 as u32 && tiling.reduce != 0;
    let line_elements = u64::from(tiling.out_box.bytes / tiling.out_box.element);
    let lines = u64::from(tiling.lines);
    let mut bytes = 2 * round(tiling.index_box.bytes.into()) + 2 * round(tiling.src_box.bytes.into());
    bytes += round(lines * if is_wide { line_elements * 4 } else { tiling.out_box.bytes.into() });
    if is_wide {
        bytes += u64::from(tiling.src_box.bytes) * 2 + u64::from(tiling.out_box.bytes);
    }
    if tiling.counted != 0 {
        bytes += round(lines * line_elements * 4);
    }
    bytes += 2 * round(lines * 8) + 2 * round(lines * 4) + (1 + u64::from(tiling.told)) * STATUS_BYTES as u64;
    bytes + round(tiling.chunk * tiling.lane_tile * 4)
}

/// The byte offsets of the elements of out that index could address, task by task.
fn owned(tiling: &Tiling) -> Vec<i64> {
    let mut owned = Vec::new();
    let outer: Vec<_> =
        used(&tiling.outer, tiling.outer_axes).iter().map(|axis| (axis.size, axis.out)).collect();
    let targets: Vec<_> =
        tiling.target[..tiling.target_axes as usize].iter().map(|axis| (axis.size, axis.out)).collect();
    for start in addresses(&outer, tiling.out_offset) {
        let all = addresses(&targets, start);
        for tile in 0..tiling.lane_tiles {
            let first = tile * tiling.lane_tile;
            let lanes = tiling.lane_tile.min(tiling.lane.size - first);
            assert!(lanes > 0, "no tile is empty");
            for part in all.chunks(tiling.target_part as usize) {
                for &target in part {
                    for lane in first..first + lanes {
                        owned.push(target + lane as i64 * tiling.lane.out);
                    }
                }
            }
        }
    }
    owned
}

pub(crate) fn check_update(problem: &Problem, update: &Update, soc: &Soc) {
    let tiling = &update.tiling;
    assert!(ub_of(update) <= soc.ub.into(), "{} of {}", ub_of(update), soc.ub);
    assert!(update.blocks >= 1 && update.blocks <= soc.cores && u64::from(update.blocks) <= tiling.tasks);
    assert_eq!(tiling.tasks, tiling.outers * tiling.lane_tiles * tiling.target_parts);

    // Every element that index can address has exactly one owner, and no other element has an
    // owner.
    let mut owned = owned(tiling);
    let (out, size) = (problem.out_layout(), problem.dtype().size() as i64);
    let index = problem.index_layout().unwrap().shape();
    let reach: Vec<usize> = match problem.target().unwrap() {
        scatter::Target::Dim(dim) => {
            (0..out.rank()).map(|axis| if axis == dim { out.shape()[axis] } else { index[axis] }).collect()
        }
        scatter::Target::Nd(_) => out.shape().to_vec(),
    };
    let reach = scatter::Shape::new(&reach).unwrap();
    let mut expected: Vec<_> = reach.coordinates().map(|at| out.address(&at) as i64 * size).collect();
    owned.sort_unstable();
    expected.sort_unstable();
    assert_eq!(owned, expected);

    // The window's lines hold a whole part, unless lines may be evicted.
    let per_line = if tiling.line_shift == WHOLE_PART { tiling.target_part } else { 1 << tiling.line_shift };
    let lines = tiling.target_part.div_ceil(per_line);
    assert!((tiling.slot_mask + 1).is_power_of_two());
    if lines <= tiling.lines.into() {
        assert!(u64::from(tiling.slot_mask) + 1 >= lines, "every line has a slot of its own");
    } else {
        assert_eq!(tiling.slot_mask + 1, tiling.lines);
        let is_wide = tiling.dtype <= DType::F16 as u32 && tiling.reduce != 0;
        assert!(!is_wide && tiling.counted == 0, "an accumulator is written back once");
    }
    let element = tiling.out_box.element;
    check_cut(element, tiling.lane.out, tiling.lane_tile, tiling.lane_tiles);
    if let Some(last) = tiling.target[..tiling.target_axes as usize].last() {
        check_cut(element, last.out, tiling.target_part, tiling.target_parts);
    }
    check_box(&tiling.out_box, [per_line.min(tiling.target_part), tiling.lane_tile]);
    let columns = if tiling.components > 1 { tiling.components.into() } else { tiling.lane_tile };
    if tiling.components > 0 {
        check_box(&tiling.index_box, [tiling.chunk, columns]);
    }
    if tiling.has_value == 0 {
        check_box(&tiling.src_box, [tiling.chunk, tiling.lane_tile]);
    }
}

/// Out is loaded and stored as a whole only where that takes less time than to look for the updates
/// of each target.
#[test]
fn of_many_targets_only_those_that_are_updated_are_loaded() {
    let last = |shape: &[usize], updates: usize| {
        let index = [&[updates], &shape[1..]].concat();
        let all = problem(Op::ScatterAdd { dim: 0 }, DType::F32, shape, &index, 0, true);
        let of = plan(&all, &Soc::default()).unwrap().steps.pop().unwrap();
        of.kernel.name()
    };
    for (shape, few, more) in [(&[8 << 20][..], 800, 1000), (&[1 << 16, 1024], 100, 200)] {
        assert_eq!(last(shape, few), "scatter_general", "{shape:?}");
        assert_eq!(last(shape, more), "scatter_elements", "{shape:?}");
    }
    // However few there are, where there are few targets.
    assert_eq!((last(&[8], 1), last(&[3000, 5], 1)), ("scatter_elements", "scatter_elements"));
}

/// For an embedding's gradient: chunks of index, groups of rows of src, and dense lines.
#[test]
fn large_updates_move_16_kib_at_a_time() {
    let update = |index: &[usize], shape: &[usize]| {
        let all = problem(Op::ScatterAdd { dim: 0 }, DType::F32, shape, index, 0, true);
        update_of(&plan_with(&all, &Soc::default(), Some(Algorithm::General)).unwrap()).unwrap().tiling
    };
    let general = update(&[1 << 20], &[40_000]);
    for of in [general.index_box, general.src_box] {
        assert!(of.bytes >= 16 * 1024, "{general:?}");
    }
    let all = problem(Op::ScatterNdAdd, DType::F32, &[1000, 1 << 16], &[1 << 14, 1], 0, true);
    let chosen = plan(&all, &Soc::default()).unwrap();
    let Some(Kernel::Rows(rows)) = chosen.steps.last().map(|step| &step.kernel) else { panic!("{chosen:?}") };
    assert!(rows.group * rows.piece >= 16 * 1024, "{rows:?}");
}

#[test]
fn strides_beyond_32_bits_stay_whole() {
    // 2^33 elements of 4 bytes: offsets reach 2^35.
    let all = problem(Op::ScatterAdd { dim: 0 }, DType::F32, &[1 << 20, 1 << 13], &[10, 1 << 13], 0, true);
    let chosen = plan_with(&all, &Soc::default(), Some(Algorithm::General)).unwrap();
    let update = update_of(&chosen).unwrap();
    assert_eq!(update.tiling.target[0].out, 1 << 15);
    assert_eq!(update.tiling.targets, 1 << 20);
    let reach = update.tiling.target[0].out * (update.tiling.targets as i64 - 1);
    assert!(reach > 1 << 34, "{reach}");
}
