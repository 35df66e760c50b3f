//! Index values that name where windows of several elements begin, as in the prefill of a cache of
//! keys and values.

use scatter::{DType, Op, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, Plan};

use crate::case::{Bad, Case, Kind};
use crate::tensor::Arrangement::{self, Contiguous, ExpandedBut, Rows, Strided, Transposed};

/// `entries` windows of `extent` along an axis, by one column or by two.
fn kind(self_shape: &[usize], dim: i64, entries: &[usize], extent: usize) -> Kind {
    Kind {
        op: Op::ScatterUpdate { dim },
        self_shape: self_shape.to_vec(),
        index_shape: entries.to_vec(),
        out: Contiguous,
        index: Contiguous,
        src: Contiguous,
        extent,
        in_place: true,
        bad: Vec::new(),
        distinct: usize::MAX,
        seed: 1,
    }
}

/// Runs a case of a dtype as planned.
fn check(dtype: DType, kind: &Kind, soc: &Soc) -> Plan {
    with_element!(dtype, T => Case::<T, i64>::new(kind).check(soc, None, &Options::strict(kind.seed)))
}

const DTYPES: [DType; 5] = [DType::Bool, DType::F16, DType::F32, DType::I64, DType::Complex128];

/// A window of a contiguous cache is a row, also where it is longer than UB and where fewer rows
/// than cores are shared by these.
#[test]
fn a_window_is_a_row() {
    for dtype in DTYPES {
        for (cores, ub) in [(1, 8 * 1024), (7, 8 * 1024), (48, Soc::default().ub)] {
            let soc = Soc { ub, ..Soc::default().with_cores(cores) };
            for (self_shape, dim, entries, extent) in [
                (&[3, 2, 40, 64][..], -2, 3, 17),
                (&[3, 2, 40, 64], 2, 2, 40),
                (&[5, 300], 1, 5, 100),
                (&[2, 700, 128], 1, 1, 600),
            ] {
                let kind = kind(self_shape, dim, &[entries], extent);
                let plan = check(dtype, &kind, &soc);
                let Some(Kernel::Rows(rows)) = plan.steps.last().map(|step| &step.kernel) else {
                    panic!("{dtype}: {kind:?}\n{plan:#?}")
                };
                let behind: usize =
                    self_shape[dim.rem_euclid(self_shape.len() as i64) as usize + 1..].iter().product();
                let row = if extent == 40 { 2 * 40 * 64 } else { extent * behind };
                assert_eq!(rows.row as usize, row * dtype.size(), "{kind:?}");
                let most = (rows.updates as usize).max(rows.row as usize / (16 * 1024));
                let shares = (cores as usize / rows.outers as usize).clamp(1, most);
                assert_eq!(rows.shares as usize, shares, "{kind:?}");
            }
        }
    }
}

/// Windows that are not contiguous, as those of keys whose heads lie inside the positions: each of
/// their rows is one. Some lists are long enough for a sample, and for several chunks of it.
#[test]
fn a_window_may_be_several_rows() {
    for (dtype, cores, ub) in
        [(DType::F32, 1, 8 * 1024), (DType::I64, 7, 16 * 1024), (DType::F16, 48, 64 * 1024)]
    {
        let soc = Soc { ub, ..Soc::default().with_cores(cores) };
        for (self_shape, entries, extent) in
            [(&[3, 2, 40, 40][..], 3, 17), (&[3, 2, 40, 40], 2, 40), (&[2, 1, 5000, 32], 2, 4500)]
        {
            for (out, src) in [(Rows, Contiguous), (Contiguous, Rows), (Rows, Rows)] {
                let kind = Kind { out, src, in_place: out == src, ..kind(self_shape, 2, &[entries], extent) };
                let plan = check(dtype, &kind, &soc);
                let windows = plan.steps.iter().find_map(|step| match &step.kernel {
                    Kernel::Index(index) => Some(index.window),
                    _ => None,
                });
                assert_eq!(
                    (plan.algorithm, windows),
                    (Some(Algorithm::Rows), Some(extent as u64)),
                    "{kind:?}"
                );
            }
        }
    }
}

/// More windows than cores, of which each has a coordinate of its own, are one list: also where it
/// is read in several chunks, and where there are about as many targets as the vector unit can tell
/// apart.
#[test]
fn many_windows_are_one_list() {
    // Sizes of UB in which chunks have different lengths.
    let small = |kib: u32| (DType::F16, [2000, 300], Soc { ub: kib * 1024, ..Soc::default().with_cores(2) });
    let many = (DType::Bool, [119, 140_984], Soc::default().with_cores(7));
    for (dtype, self_shape, soc) in [8, 11, 15].map(small).into_iter().chain([many]) {
        let of = kind(&self_shape, 1, &[self_shape[0]], 100);
        let plan = check(dtype, &of, &soc);
        let Some(Kernel::Rows(rows)) = plan.steps.last().map(|step| &step.kernel) else {
            panic!("{dtype}: {plan:#?}")
        };
        assert_eq!((rows.outers, rows.updates), (1, self_shape[0] as u64), "{dtype}");
    }
}

/// Windows that meet: of those that go to one element the last stays, whatever the blocks.
#[test]
fn of_windows_that_overlap_the_last_stays() {
    for dtype in DTYPES {
        for (cores, ub) in [(1, 5 * 1024), (7, 5 * 1024), (48, Soc::default().ub)] {
            let soc = Soc { ub, ..Soc::default().with_cores(cores) };
            for extent in [2, 7, 20] {
                let plan = check(dtype, &kind(&[2, 3, 20, 9], 2, &[12, 2], extent), &soc);
                assert_eq!(plan.algorithm, Some(Algorithm::General));
                // One entry that is expanded: entries and windows must stay two axes.
                let of = kind(&[4, 20, 9], 1, &[12, 2], extent);
                check(dtype, &Kind { index: ExpandedBut(1), ..of }, &soc);
            }
        }
    }
}

/// Windows that are no rows, and more updates of one than a chunk has.
#[test]
fn windows_in_any_layout() {
    let arrangements: [Arrangement; 3] = [Contiguous, Transposed, Strided];
    for (number, out) in arrangements.into_iter().enumerate() {
        for (at, src) in arrangements.into_iter().enumerate() {
            for (cores, ub) in [(1, 5 * 1024), (7, 7 * 1024)] {
                let soc = Soc { ub, ..Soc::default().with_cores(cores) };
                for entries in [&[3][..], &[5, 2]] {
                    let of = kind(&[3, 1500, 2], 1, entries, 1400);
                    let of = Kind { out, src, in_place: at == 0, seed: number as u64, ..of };
                    check(DType::F32, &of, &soc);
                    check(DType::I8, &of, &soc);
                }
            }
        }
    }
}

/// A value beyond the places where a window fits is bad, though it names an element; its window is
/// left out, the others are written, and it is told at its own position.
#[test]
fn windows_that_do_not_fit_are_left_out() {
    for algorithm in [None, Some(Algorithm::General)] {
        for (entries, all) in [(&[6][..], 6), (&[6, 2], 12)] {
            for at in 0..all {
                for which in 0..7 {
                    for out in [Contiguous, Rows] {
                        let bad = vec![Bad { at: Some(at), which }, Bad { at: Some(all - 1), which: 0 }];
                        let of = kind(&[6, 30, 16], 1, entries, 11);
                        let kind = Kind { bad, out, in_place: at % 2 == 0, ..of };
                        let soc = Soc { ub: 8 * 1024, ..Soc::default().with_cores(3) };
                        let case = Case::<f32, i64>::new(&kind);
                        assert!(case.reference().is_err(), "{kind:?}");
                        case.check(&soc, algorithm, &Options::strict(which as u64));
                    }
                }
            }
        }
    }
}
