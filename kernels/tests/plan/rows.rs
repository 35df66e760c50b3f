//! `scatter_index` and `scatter_rows`.

use scatter::{DType, Layout, Op, Operand, Problem};
use scatter_kernels::Soc;
use scatter_kernels::plan::{Kernel, Plan, plan};

/// Properties of a plan by rows: the list has a place for each entry, and every update is in a
/// share.
pub(crate) fn check_rows(chosen: &Plan, soc: &Soc) {
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
