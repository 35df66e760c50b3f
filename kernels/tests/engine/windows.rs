//! Index values that name where windows of several elements begin, as in the prefill of a cache of
//! keys and values.

use scatter::{DType, Op, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, Plan};
use scatter_kernels::tiling::WindowsTiling;

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

/// The windows of a plan; there is nothing else beside a copy of self.
fn windows_of(plan: &Plan) -> &WindowsTiling {
    let Some(Kernel::Windows(windows)) = plan.steps.last().map(|step| &step.kernel) else {
        panic!("{plan:#?}")
    };
    windows
}

/// Windows of a contiguous cache, also those that are longer than UB, and with fewer of them than
/// cores.
#[test]
fn windows_of_a_cache() {
    for dtype in DTYPES {
        for (cores, ub) in [(1, 12 * 1024), (7, 12 * 1024), (48, Soc::default().ub)] {
            let soc = Soc { ub, ..Soc::default().with_cores(cores) };
            for (self_shape, dim, entries, extent) in [
                (&[3, 2, 40, 64][..], -2, &[3][..], 17),
                (&[3, 2, 40, 64], 2, &[2], 40),
                (&[3, 2, 40, 64], 2, &[1], 1),
                (&[5, 300], 1, &[5], 100),
                (&[5, 300], 1, &[1, 2], 100),
                (&[2, 700, 128], 1, &[1], 600),
                (&[4, 100, 5], 1, &[3, 2], 60),
            ] {
                let kind = kind(self_shape, dim, entries, extent);
                let plan = check(dtype, &kind, &soc);
                let axis = dim.rem_euclid(self_shape.len() as i64) as usize;
                let token: usize = self_shape[axis + 1..].iter().product();
                // Tokens of a window follow each other, one of them is a tile's axis at the most.
                let unit = if extent == 1 { 1 } else { token as u64 };
                assert_eq!(windows_of(&plan).unit, unit, "{kind:?}");
            }
        }
    }
}

/// Windows that are not contiguous, as those of keys whose heads lie inside the positions.
#[test]
fn windows_with_gaps() {
    for (dtype, cores, ub) in
        [(DType::F32, 1, 12 * 1024), (DType::Bool, 7, 16 * 1024), (DType::F16, 48, 64 * 1024)]
    {
        let soc = Soc { ub, ..Soc::default().with_cores(cores) };
        for (self_shape, entries, extent) in [
            (&[3, 2, 40, 40][..], &[3][..], 17),
            (&[3, 2, 40, 40], &[2], 40),
            (&[3, 2, 40, 40], &[7, 2], 9),
            (&[2, 1, 5000, 32], &[2], 4500),
        ] {
            for (out, src) in [(Rows, Contiguous), (Contiguous, Rows), (Rows, Rows), (Rows, Transposed)] {
                let kind = Kind { out, src, in_place: out == src, ..kind(self_shape, 2, entries, extent) };
                let plan = check(dtype, &kind, &soc);
                assert_eq!(windows_of(&plan).unit, 1, "{kind:?}");
            }
        }
    }
}

/// Of a src that is broadcast along the axis of windows, or along others.
#[test]
fn windows_of_repeated_values() {
    let soc = Soc { ub: 12 * 1024, ..Soc::default().with_cores(7) };
    for entries in [&[3][..], &[9, 2]] {
        for at in 0..4 {
            let of = kind(&[3, 2, 40, 40], 2, entries, 17);
            let plan = check(DType::F32, &Kind { src: ExpandedBut(at), ..of }, &soc);
            // Tiles can't be cut along an axis on which src doesn't move.
            let is_general = entries.len() == 2 && at != 2;
            let expected = if is_general { Algorithm::General } else { Algorithm::Windows };
            assert_eq!(plan.algorithm, Some(expected), "{at} {entries:?}");
        }
    }
}

/// Many entries: of which each core has those of its windows, in several chunks, and of which each
/// has all. Some are as far apart as f32 can tell.
#[test]
fn windows_of_many_entries() {
    for (dtype, self_shape, entries, extent, soc) in [
        (DType::F16, [2000, 30], &[2000][..], 10, Soc { ub: 8 * 1024, ..Soc::default().with_cores(2) }),
        (DType::F16, [2000, 30], &[2000], 10, Soc::default().with_cores(2)),
        (DType::F16, [5, 30], &[700, 2], 10, Soc { ub: 32 * 1024, ..Soc::default().with_cores(3) }),
        (DType::I8, [119, 140_984], &[60, 2], 100, Soc::default().with_cores(7)),
    ] {
        for index in [Contiguous, Transposed, Strided] {
            let kind = Kind { index, ..kind(&self_shape, 1, entries, extent) };
            windows_of(&check(dtype, &kind, &soc));
        }
    }
}

/// Entries of one list that have ranges of targets of their own: also where it is read in several
/// chunks.
#[test]
fn entries_of_many_ranges_are_one_list() {
    // Sizes of UB in which chunks have different lengths.
    for kib in [8, 11, 15] {
        let soc = Soc { ub: kib * 1024, ..Soc::default().with_cores(2) };
        let op = Op::ScatterAdd { dim: 1 };
        let of = Kind { op, index_shape: vec![2000, 1, 50], ..kind(&[2000, 3, 50], 1, &[2000], 1) };
        let plan = check(DType::F16, &Kind { index: ExpandedBut(0), ..of }, &soc);
        let Some(Kernel::Rows(rows)) = plan.steps.last().map(|step| &step.kernel) else {
            panic!("{plan:#?}")
        };
        assert_eq!((rows.outers, rows.updates), (1, 2000));
    }
}

/// Windows that meet: of those that go to one element the last stays, whatever the blocks.
#[test]
fn of_windows_that_overlap_the_last_stays() {
    for dtype in DTYPES {
        for (cores, ub) in [(1, 12 * 1024), (7, 12 * 1024), (48, Soc::default().ub)] {
            let soc = Soc { ub, ..Soc::default().with_cores(cores) };
            for extent in [1, 2, 7, 20] {
                for algorithm in [None, Some(Algorithm::General)] {
                    let of = kind(&[2, 3, 20, 9], 2, &[12, 2], extent);
                    with_element!(dtype, T => {
                        Case::<T, i64>::new(&of).check(&soc, algorithm, &Options::strict(1));
                    });
                }
                // The axis of windows is the last one, so that none begins at a block of UB.
                windows_of(&check(dtype, &kind(&[2, 3, 50], 2, &[30, 2], extent), &soc));
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
/// left out, the others are written, and it is told at its own position. It overwrites nothing of
/// windows that meet others.
#[test]
fn windows_that_do_not_fit_are_left_out() {
    for algorithm in [None, Some(Algorithm::General)] {
        for (sequences, entries, all) in [(6, &[6][..], 6), (2, &[9, 2], 18)] {
            for at in 0..all {
                for which in 0..7 {
                    for out in [Contiguous, Rows] {
                        let bad = vec![Bad { at: Some(at), which }, Bad { at: Some(all - 1), which: 0 }];
                        let of = kind(&[sequences, 30, 16], 1, entries, 11);
                        let kind = Kind { bad, out, in_place: at % 2 == 0, ..of };
                        let soc = Soc { ub: 12 * 1024, ..Soc::default().with_cores(3) };
                        let case = Case::<f32, i64>::new(&kind);
                        assert!(case.reference().is_err(), "{kind:?}");
                        case.check(&soc, algorithm, &Options::strict(which as u64));
                    }
                }
            }
        }
    }
}
