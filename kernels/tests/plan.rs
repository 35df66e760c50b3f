//! Properties of plans for any problem and processor.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use proptest::prelude::*;
use scatter::{DType, Layout, Op, Operand, Problem, Reduce};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Algorithm, Kernel, Plan, Step, Unsupported, plan, plan_with};
use scatter_kernels::tiling::{Axis, Box2, CopyTiling, Run, STATUS_BYTES, Tiling, WHOLE_PART, WindowsTiling};

/// A problem on contiguous tensors, or on ones with gaps of `gap` elements between the rows of each
/// axis. Windows have half of their axis.
fn problem(op: Op, dtype: DType, shape: &[usize], index: &[usize], gap: usize, in_place: bool) -> Problem {
    let layout = |shape: &[usize]| {
        let (mut strides, mut step) = (vec![0; shape.len()], 1);
        for (stride, &size) in strides.iter_mut().zip(shape).rev() {
            *stride = step as isize;
            step = step * size.max(1) + gap;
        }
        Layout::new(shape, &strides, gap, step + gap).unwrap()
    };
    let operand = |dtype, shape: &[usize], address| Operand::new(dtype, layout(shape), address);
    let out = operand(dtype, shape, 1 << 44);
    let self_ = if in_place { out } else { operand(dtype, shape, 2 << 44) };
    let src = match op.dim() {
        Some(dim) if matches!(op, Op::ScatterUpdate { .. }) => {
            let mut src = shape.to_vec();
            (src[0], src[dim as usize]) = (index[0], shape[dim as usize].div_ceil(2));
            src
        }
        Some(_) => index.to_vec(),
        None => {
            let (depth, rows) = index.split_last().unwrap();
            [rows, &shape[*depth..]].concat()
        }
    };
    let (index, src) = (operand(DType::I64, index, 3 << 44), operand(dtype, &src, 5 << 44));
    let src = op.value().is_none().then_some(&src);
    Problem::new(op, &self_, &index, src, &out).unwrap()
}

prop_compose! {
    fn problems()(rank in 1_usize..5)(
        shape in prop::collection::vec(prop::sample::select(vec![1_usize, 2, 3, 7, 64, 300]), rank),
        updates in prop::sample::select(vec![1_usize, 5, 100, 3000]),
        dim in 0..rank, depth in 0..rank + 1, form in 0..5, dtype in 0_usize..12, reduce in 0_usize..6,
        include_self in any::<bool>(), gap in 0_usize..3, in_place in any::<bool>(),
    ) -> Problem {
        let dtype = DType::ALL[dtype];
        let reduce = Reduce::ALL[reduce];
        let reduce = if reduce.missing_for(dtype).is_some() { Reduce::Add } else { reduce };
        // Not more elements than a test can list.
        let mut shape = shape;
        while shape.iter().product::<usize>() > 50_000 {
            let largest = shape.iter_mut().max().unwrap();
            *largest /= 2;
        }
        if form == 0 && dim > 0 {
            let one_column = updates.min(shape[0]);
            let index = if depth % 2 == 0 { vec![one_column] } else { vec![updates, 2] };
            problem(Op::ScatterUpdate { dim: dim as i64 }, dtype, &shape, &index, gap, in_place)
        } else if form < 3 {
            problem(Op::ScatterNdAdd, dtype, &shape, &[updates, depth], gap, in_place)
        } else {
            let mut index = shape.clone();
            index[dim] = updates;
            let op = Op::ScatterReduce { dim: dim as i64, reduce, include_self };
            problem(op, dtype, &shape, &index, gap, in_place)
        }
    }
}

/// The step of a plan that makes the updates.
struct Update {
    blocks: u32,
    tiling: Tiling,
}

fn update_of(plan: &Plan) -> Option<Update> {
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

/// A box keeps its elements apart in UB, inside its bytes, and its runs in blocks of their own.
fn check_box(of: &Box2, sizes: [u64; 2]) {
    let held = [0, 1].map(|axis| if of.gm[axis] == 0 { 1 } else { sizes[axis] });
    let mut places = std::collections::HashSet::new();
    for i in 0..held[0] {
        for j in 0..held[1] {
            let place = i * u64::from(of.ub[0]) + j * u64::from(of.ub[1]);
            assert!(places.insert(place), "{of:?}: {i}, {j} lies on another");
            assert!(
                place.is_multiple_of(of.element.into()) && place + u64::from(of.element) <= of.bytes.into()
            );
        }
    }
    assert!(of.bytes.is_multiple_of(32), "{of:?}");
    let blocks = match of.run {
        Run::Axis0 => of.ub[1],
        Run::Axis1 => of.ub[0],
        Run::None => of.ub[0] | of.ub[1],
        Run::Whole => 0,
    };
    assert!(blocks.is_multiple_of(32), "{of:?}");
}

/// A contiguous axis is cut at multiples of 512 bytes, or into smaller pieces.
fn check_cut(element: u32, stride: i64, piece: u64, pieces: u64) {
    let bytes = piece * u64::from(element);
    let is_contiguous = stride == i64::from(element);
    assert!(pieces == 1 || !is_contiguous || bytes < 512 || bytes.is_multiple_of(512), "pieces of {bytes}");
}

/// The addresses of all coordinates of a list of axes, each with its stride.
fn addresses(axes: &[(u64, i64)], start: i64) -> Vec<i64> {
    axes.iter().fold(vec![start], |starts, &(size, stride)| {
        starts.iter().flat_map(|&start| (0..size as i64).map(move |at| start + at * stride)).collect()
    })
}

fn used(axes: &[Axis], count: u32) -> &[Axis] {
    &axes[..count as usize]
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

fn check_update(problem: &Problem, update: &Update, soc: &Soc) {
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

/// Properties of a plan by rows: the list has a place for each entry, and every update is in a
/// share.
fn check_rows(chosen: &Plan, soc: &Soc) {
    let [index, rows] = [0, 1].map(|at| {
        let of_updates = chosen.steps.iter().filter(|step| !matches!(step.kernel, Kernel::Copy(_)));
        of_updates.clone().nth(at).unwrap()
    });
    let (Kernel::Index(of_index), Kernel::Rows(of_rows)) = (&index.kernel, &rows.kernel) else {
        panic!("{chosen:?}")
    };
    assert!(of_index.padded.is_multiple_of(64) && of_index.padded >= of_index.update.size);
    assert_eq!((of_index.padded, of_index.outers), (of_rows.padded, of_rows.outers));
    assert!(u64::from(of_index.chunk) * of_index.chunks >= of_index.update.size);
    let list = of_index.outers * of_index.padded;
    let samples = of_index.outers * u64::from(of_index.sample);
    assert_eq!(chosen.intermediate_bytes as u64, list * 4 + samples * 8);
    assert!(chosen.workspace_bytes() >= chosen.intermediate_offset() + chosen.intermediate_bytes);
    assert!(chosen.intermediate_offset().is_multiple_of(512));
    assert!([index.blocks, rows.blocks].iter().all(|blocks| (1..=soc.cores).contains(blocks)));
    assert!(u64::from(rows.blocks) <= of_rows.outers * u64::from(of_rows.shares));
    // Shares are estimated from existing entries, and the sample fits where updates are sorted.
    assert!(u64::from(of_rows.sample) <= of_rows.padded && of_rows.sample <= 1 << of_rows.bits);
    assert!(of_rows.piece <= of_rows.row && of_rows.group >= 1);
    assert_eq!(of_rows.sample_list, of_index.sample_list);
    if of_index.picks == 0 {
        assert!(of_rows.sampled <= of_rows.sample && of_rows.sample < of_rows.sampled + 64);
        assert!(of_rows.sample.is_multiple_of(32));
        assert_eq!((of_rows.sample_at, of_rows.sample_step), (0, of_rows.padded * 4));
    } else {
        // As much as the kernel writes, behind the list.
        let chunks = of_index.chunks.div_ceil(of_index.chunk_step.into());
        assert_eq!(u64::from(of_rows.sampled), chunks * u64::from(of_index.picks));
        assert_eq!((of_rows.sample_at, of_rows.sample_step), (list * 4, u64::from(of_rows.sample) * 8));
        assert_eq!(u64::from(of_rows.sample), chunks * u64::from(of_index.sample_list));
        assert_eq!(of_index.sample_list, of_index.picks.next_multiple_of(4));
        assert_eq!(of_index.sample, of_rows.sample);
        assert!(of_index.picks * of_index.block_step <= of_index.chunk);
    }
    assert!(of_rows.told == 0 || of_rows.told == index.blocks);
    assert_eq!(of_rows.told != 0, of_index.columns > 1);
}

fn windows_of(plan: &Plan) -> Option<WindowsTiling> {
    if let Kernel::Windows(tiling) = plan.steps.last()?.kernel { Some(tiling) } else { None }
}

/// Properties of a plan by windows: its tiles are all of src, and its buffers fit UB.
fn check_windows(problem: &Problem, tiling: &WindowsTiling, soc: &Soc) {
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

fn copy_of(step: &Step) -> Option<CopyTiling> {
    if let Kernel::Copy(tiling) = step.kernel { Some(tiling) } else { None }
}

fn check_copy(problem: &Problem, tiling: &CopyTiling, soc: &Soc) {
    assert!(2 * tiling.self_box.bytes <= soc.ub);
    assert_eq!((tiling.self_box.ub, tiling.self_box.bytes), (tiling.out_box.ub, tiling.out_box.bytes));
    check_box(&tiling.self_box, tiling.tile);
    let axes = [used(&tiling.outer, tiling.outer_axes), &tiling.step].concat();
    let mut written =
        addresses(&axes.iter().map(|axis| (axis.size, axis.out)).collect::<Vec<_>>(), tiling.out_offset);
    let (out, size) = (problem.out_layout(), problem.dtype().size() as i64);
    let mut expected: Vec<_> = out.shape().coordinates().map(|at| out.address(&at) as i64 * size).collect();
    written.sort_unstable();
    expected.sort_unstable();
    assert_eq!(written, expected);
    check_cut(tiling.out_box.element, tiling.step[1].out, tiling.tile[1], tiling.tiles[1]);
    for axis in 0..2 {
        assert_eq!(tiling.tiles[axis], tiling.step[axis].size.div_ceil(tiling.tile[axis]));
    }
}

proptest! {
    #[test]
    fn plans_cover_every_element_once_and_fit(
        problem in problems(), cores in 1_u32..50, ub in prop::sample::select(vec![5_u32, 9, 40, 183]),
    ) {
        let soc = Soc { ub: ub * 1024, ..Soc::default().with_cores(cores) };
        let chosen = plan(&problem, &soc).unwrap();
        let copy = chosen.steps.iter().find_map(copy_of);
        prop_assert_eq!(copy.is_some(), !problem.in_place());
        if let Some(tiling) = copy {
            check_copy(&problem, &tiling, &soc);
        }
        if let Some(update) = update_of(&chosen) {
            check_update(&problem, &update, &soc);
        }
        if let Some(tiling) = windows_of(&chosen) {
            check_windows(&problem, &tiling, &soc);
            let blocks = chosen.steps.last().map_or(0, |step| step.blocks);
            prop_assert!(blocks <= soc.cores && u64::from(blocks) <= tiling.tasks);
            prop_assert_eq!(chosen.workspace_bytes(), blocks as usize * STATUS_BYTES);
        } else if chosen.algorithm == Some(Algorithm::Rows) {
            check_rows(&chosen, &soc);
        } else if let [.., list, of] = &chosen.steps[..]
            && let (Kernel::Index(list), Kernel::ElementsOfList(_)) = (&list.kernel, &of.kernel)
        {
            prop_assert_eq!(list.integers, 1);
            // Behind the list.
            let unread = of.blocks as usize * STATUS_BYTES;
            prop_assert_eq!(chosen.intermediate_bytes, list.padded as usize * 4 + unread);
            prop_assert_eq!(chosen.workspace_bytes(), chosen.intermediate_offset() + chosen.intermediate_bytes);
        } else {
            let blocks = chosen.steps.last().map_or(0, |step| step.blocks as usize);
            prop_assert_eq!(chosen.workspace_bytes(), blocks * STATUS_BYTES);
        }
        if let Some(update) = update_of(&plan_with(&problem, &soc, Some(Algorithm::General)).unwrap()) {
            check_update(&problem, &update, &soc);
        }
    }
}

#[test]
fn large_copies_move_16_kib_at_a_time() {
    let all = problem(Op::ScatterAdd { dim: 0 }, DType::F32, &[4096, 1024], &[100, 1024], 0, false);
    let plan = plan(&all, &Soc::default()).unwrap();
    let copy = plan.steps.iter().find_map(copy_of).unwrap();
    assert!(copy.self_box.bytes >= 16 * 1024 && copy.tasks >= 48, "{copy:?}");
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

/// self is read before out is written, and of several elements of out at one address only the last
/// is written, or it is written last.
#[test]
fn entangled_copies_go_through_the_workspace() {
    let of = |shape: &[usize], strides: &[isize], offset| {
        let layout = |strides, offset| Layout::new(shape, strides, offset, 100).unwrap();
        let operand = |layout| Operand::new(DType::F32, layout, 1 << 44);
        let index = Operand::new(DType::I64, Layout::contiguous(&[0], 0).unwrap(), 2 << 44);
        let own = Layout::contiguous(shape, 100).unwrap();
        let (self_, out) = (operand(own), operand(layout(strides, offset)));
        let op = Op::ScatterAdd { dim: 0 };
        let problem = Problem::new(op, &self_, &index, Some(&self_), &out).unwrap();
        let plan = plan(&problem, &Soc::default()).unwrap();
        let [first, second] = &plan.steps[..] else { panic!("{plan:?}") };
        let (Kernel::CopyOutOfSelf(_), Kernel::CopyIntoOut(into_out)) = (&first.kernel, &second.kernel)
        else {
            panic!("{plan:?}")
        };
        assert_eq!((plan.statuses(), plan.algorithm), (0, None));
        assert!(into_out.in_order == 0 || second.blocks == 1, "{plan:?}");
        (plan.workspace_bytes(), into_out.in_order)
    };
    assert_eq!(of(&[8], &[1], 4), (8 * 4, 0));
    // The last of four rows only.
    assert_eq!(of(&[4, 8], &[0, 1], 4), (8 * 4, 0));
    assert_eq!(of(&[4, 8], &[2, 1], 4), (4 * 8 * 4, 1));
}

/// Problems without a plan are refused, and the error says what was expected.
#[test]
fn refusals() {
    let self_ = Operand::new(DType::F32, Layout::contiguous(&[8], 8).unwrap(), 1 << 44);
    // index and src are broadcast to more updates than 32 bits can count.
    let many = [1 << 33];
    let expanded = |dtype| Operand::new(dtype, Layout::new(&many, &[0], 0, 1).unwrap(), 3 << 44);
    let problem = |reduce| {
        let op = Op::ScatterReduce { dim: 0, reduce, include_self: true };
        Problem::new(op, &self_, &expanded(DType::I64), Some(&expanded(DType::F32)), &self_).unwrap()
    };
    assert!(plan(&problem(Reduce::Add), &Soc::default()).is_ok());
    let refused = plan(&problem(Reduce::Mean), &Soc::default()).unwrap_err();
    assert!(matches!(refused, Unsupported::Updates { got: 0x2_0000_0000, .. }), "{refused:?}");

    let add = problem(Reduce::Add);
    let refused = plan_with(&add, &Soc::default(), Some(Algorithm::Rows)).unwrap_err();
    assert!(matches!(refused, Unsupported::NoRows { .. }), "{refused:?}");
    let refused = plan(&add, &Soc { ub: 300, ..Soc::default() }).unwrap_err();
    assert!(matches!(refused, Unsupported::Ub { ub: 300, .. }), "{refused:?}");
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

/// Entries of which each has a range of targets of its own have one list together, where a list by
/// itself would be 64 entries for each.
#[test]
fn entries_of_many_ranges_are_one_list() {
    let plan_of = |outers: usize| {
        let (self_shape, index_shape) = ([outers, 3, 100], [outers, 1, 100]);
        let contiguous = |shape: &[usize; 3]| {
            let size = shape.iter().product();
            Layout::new(shape, &[(shape[1] * shape[2]) as isize, shape[2] as isize, 1], 0, size).unwrap()
        };
        let index = Layout::new(&index_shape, &[1, 0, 0], 0, outers).unwrap();
        let out = Operand::new(DType::F32, contiguous(&self_shape), 1 << 44);
        let index = Operand::new(DType::I64, index, 3 << 44);
        let src = Operand::new(DType::F32, contiguous(&index_shape), 5 << 44);
        let all = Problem::new(Op::ScatterAdd { dim: 1 }, &out, &index, Some(&src), &out).unwrap();
        let chosen = plan(&all, &Soc::default()).unwrap();
        let [Kernel::Index(index), Kernel::Rows(rows)] = [&chosen.steps[0].kernel, &chosen.steps[1].kernel]
        else {
            panic!("{chosen:?}")
        };
        (*index, *rows, chosen.workspace_bytes())
    };
    let (index, rows, bytes) = plan_of(10_000);
    assert_eq!((index.outers, index.update.size, index.update.out), (1, 10_000, 3), "{index:?}");
    assert_eq!((index.component[0], index.values), (3, 1), "{index:?}");
    assert_eq!((rows.outers, rows.updates, rows.targets, rows.row), (1, 10_000, 30_000, 400), "{rows:?}");
    assert!(bytes < 64 * 1024, "{bytes}");
    // Not where each core has at most one entry, nor where the list can't tell all targets apart.
    for entries in [48, 6_000_000] {
        let (index, rows, _) = plan_of(entries);
        assert_eq!((index.outers, index.update.size, index.update.out), (entries as u64, 1, 0), "{index:?}");
        assert_eq!((rows.targets, rows.updates), (3, 1), "{rows:?}");
    }
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
