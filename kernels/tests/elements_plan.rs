//! Properties of the plans of `scatter_elements` for any problem and processor.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::HashSet;

use proptest::prelude::*;
use scatter::{DType, Layout, Op, Operand, Problem, Reduce};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Algorithm, Kernel, plan_with};
use scatter_kernels::tiling::{Box2, ElementsTiling, Form, Run, STATUS_BYTES};

prop_compose! {
    /// Problems in place along any axis of contiguous tensors.
    fn problems()(rank in 1_usize..4)(
        shape in prop::collection::vec(prop::sample::select(vec![1_usize, 2, 3, 7, 16, 64, 300]), rank),
        updates in prop::sample::select(vec![1_usize, 5, 100, 3000]), dim in 0..rank,
        dtype in 0_usize..12, reduce in 0_usize..6, include_self in any::<bool>(), is_wide in any::<bool>(),
    ) -> Problem {
        let dtype = DType::ALL[dtype];
        let reduce = Reduce::ALL[reduce];
        let reduce = if reduce.missing_for(dtype).is_some() { Reduce::Add } else { reduce };
        let mut index = shape.clone();
        index[dim] = updates;
        let operand = |dtype, shape: &[usize], address| {
            let layout = Layout::contiguous(shape, shape.iter().product()).unwrap();
            Operand::new(dtype, layout, address)
        };
        let index_dtype = if is_wide { DType::I64 } else { DType::I32 };
        let (of_index, src) = (operand(index_dtype, &index, 3 << 44), operand(dtype, &index, 5 << 44));
        let out = operand(dtype, &shape, 1 << 44);
        let op = Op::ScatterReduce { dim: dim as i64, reduce, include_self };
        Problem::new(op, &out, &of_index, Some(&src), &out).unwrap()
    }
}

const fn is_wide(tiling: &ElementsTiling) -> bool {
    tiling.dtype <= DType::F16 as u32 && tiling.reduce != 0
}

/// Whether a place is the number of a block of UB; else it is that of an element.
fn names_rows(tiling: &ElementsTiling) -> bool {
    tiling.place_lane == 1 && tiling.out_box.run == Run::Axis1
}

/// The bytes that the buffers of the kernel take, each rounded up as `InitBuffer` does.
fn ub_of(tiling: &ElementsTiling) -> u64 {
    let round = |bytes: u64| bytes.next_multiple_of(32);
    let element = u64::from(tiling.out_box.element);
    let held = u64::from(tiling.held);
    let places = u64::from(tiling.places);
    let marked = places.next_multiple_of(256);
    let mut bytes = round(held * if is_wide(tiling) { 4 } else { element });
    if is_wide(tiling) {
        let wide = if tiling.src_box.run == Run::Axis1 {
            tiling.chunk * u64::from(tiling.src_update)
        } else {
            2 * u64::from(tiling.src_box.bytes)
        };
        bytes += 2 * u64::from(tiling.out_box.bytes) + 2 * wide;
    }
    if tiling.counted != 0 {
        bytes += round(held * 4);
    }
    bytes += 2 * u64::from(tiling.index_box.bytes) + 2 * u64::from(tiling.src_box.bytes);
    bytes += 3 * marked / 8 + STATUS_BYTES as u64;
    bytes
        + match tiling.form {
            Form::Lanes => {
                let pattern = if tiling.place_lane == 1 && !names_rows(tiling) { 512 } else { 0 };
                2 * marked * 4 + 2 * round(places * 2) + pattern
            }
            Form::Part => 4 * marked * 4,
        }
}

/// The places in UB of a box's elements: apart, and inside its bytes.
fn check_box(of: &Box2, sizes: [u64; 2]) {
    let held = [0, 1].map(|axis| if of.gm[axis] == 0 { 1 } else { sizes[axis] });
    let mut places = HashSet::new();
    for (i, j) in (0..held[0]).flat_map(|i| (0..held[1]).map(move |j| (i, j))) {
        let place = i * u64::from(of.ub[0]) + j * u64::from(of.ub[1]);
        assert!(places.insert(place), "{of:?}: {i}, {j} lies on another");
        assert!(place + u64::from(of.element) <= of.bytes.into(), "{of:?}: {i}, {j}");
    }
    assert!(of.bytes.is_multiple_of(32), "{of:?}");
}

/// What a task holds: each of its elements has its own place, and there is room that belongs to no
/// target before the first and behind the last one.
fn check_held(tiling: &ElementsTiling) {
    let place = |target: i64, lane: u64| {
        let first = i64::from(tiling.held_first) + lane as i64 * i64::from(tiling.held_lane);
        first + target * i64::from(tiling.held_target)
    };
    let targets = tiling.target_part as i64;
    let owned: HashSet<i64> =
        (0..tiling.lane_tile).flat_map(|lane| (0..targets).map(move |target| place(target, lane))).collect();
    assert_eq!(owned.len() as u64, tiling.target_part * tiling.lane_tile, "{tiling:?}");
    let nobodys = (0..tiling.lane_tile).flat_map(|lane| [place(-1, lane), place(targets, lane)]);
    for place in nobodys.chain([0]) {
        assert!(!owned.contains(&place), "{tiling:?}: {place}");
        assert!((0..i64::from(tiling.held)).contains(&place), "{tiling:?}: {place}");
    }
    let element = if is_wide(tiling) { 4 } else { tiling.out_box.element };
    let unit = if names_rows(tiling) { 32 / element } else { 1 };
    let most = if tiling.form == Form::Lanes { 1 << 16 } else { 1 << 20 };
    assert!(tiling.held / unit <= most, "{tiling:?}");
    if names_rows(tiling) {
        assert!(tiling.held_first.is_multiple_of(unit), "{tiling:?}");
        assert!(tiling.held_target.is_multiple_of(unit), "{tiling:?}");
        assert_eq!(tiling.held_lane, 1);
    }
    assert!((tiling.held_first * element).is_multiple_of(32), "{tiling:?}");
    if !is_wide(tiling) {
        // DMA copies elements to their places.
        assert_eq!(tiling.out_box.ub, [tiling.held_target * element, tiling.held_lane * element]);
        assert_eq!(u64::from(tiling.piece), tiling.target_part);
    } else if tiling.out_box.run == Run::Axis0 {
        // A piece of a run begins at a block of UB, both in its dtype and as f32.
        let is_all = u64::from(tiling.piece) >= tiling.target_part;
        assert!(is_all || tiling.piece.is_multiple_of(16), "{tiling:?}");
    }
}

/// The elements of out that the tasks own.
fn owned(tiling: &ElementsTiling) -> Vec<i64> {
    let mut starts = vec![tiling.out_offset];
    for axis in &tiling.outer[..tiling.outer_axes as usize] {
        starts = starts
            .iter()
            .flat_map(|&start| (0..axis.size as i64).map(move |at| start + at * axis.out))
            .collect();
    }
    let mut owned = Vec::new();
    for (start, tile) in starts.iter().flat_map(|start| (0..tiling.lane_tiles).map(move |tile| (start, tile)))
    {
        let first = tile * tiling.lane_tile;
        assert!(first < tiling.lane.size, "no tile is empty");
        for part in 0..tiling.target_parts {
            let from = part * tiling.target_part;
            assert!(from < tiling.targets, "no part is empty");
            for target in from..(from + tiling.target_part).min(tiling.targets) {
                for lane in first..(first + tiling.lane_tile).min(tiling.lane.size) {
                    owned.push(start + target as i64 * tiling.out_box.gm[0] + lane as i64 * tiling.lane.out);
                }
            }
        }
    }
    owned
}

proptest! {
    #[test]
    fn plans_cover_every_element_once_and_fit(
        problem in problems(), cores in 1_u32..50, ub in prop::sample::select(vec![9_u32, 40, 183]),
    ) {
        let soc = Soc { ub: ub * 1024, ..Soc::default().with_cores(cores) };
        let Ok(plan) = plan_with(&problem, &soc, Some(Algorithm::Elements)) else { return Ok(()) };
        let step = plan.steps.last().unwrap();
        let Kernel::Elements(tiling) = &step.kernel else { panic!("{step:?}") };
        prop_assert!(ub_of(tiling) <= soc.ub.into(), "{} of {}: {:?}", ub_of(tiling), soc.ub, tiling);
        prop_assert!(step.blocks <= soc.cores && u64::from(step.blocks) <= tiling.tasks);
        prop_assert_eq!(tiling.tasks, tiling.outers * tiling.lane_tiles * tiling.target_parts);
        prop_assert_eq!(plan.workspace_bytes(), step.blocks as usize * STATUS_BYTES);
        check_held(tiling);
        let piece = tiling.target_part.min(tiling.piece.into());
        check_box(&tiling.out_box, [piece, tiling.lane_tile]);
        check_box(&tiling.index_box, [tiling.chunk, tiling.lane_tile]);
        check_box(&tiling.src_box, [tiling.chunk, tiling.lane_tile]);
        if tiling.form == Form::Part {
            prop_assert!(tiling.places <= 4096, "positions have 12 bits: {:?}", tiling);
        }
        // index has the shape of out except along dim, so it can address all of out.
        let size = problem.dtype().size() as i64;
        let mut owned = owned(tiling);
        owned.sort_unstable();
        let all: Vec<i64> = (0..owned.len() as i64).map(|at| at * size).collect();
        prop_assert_eq!(owned, all);
    }
}
