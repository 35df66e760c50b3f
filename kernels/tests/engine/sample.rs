//! A few cases that together need every flag, barrier and queue operation of the kernels:
//! `kernels/tests/mutants/run` runs them on kernels that lack one of these.

use scatter::{DType, Op, Reduce, Scalar, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::Algorithm;

use crate::alpha;
use crate::case::{Bad, Case, Kind, bad_values};
use crate::elements::{elements_of, owns_all_targets};
use crate::entangled::{self, Views};
use crate::gather;
use crate::lists;
use crate::stored_whole;
use crate::tensor::Arrangement::{self, Contiguous, ExpandedBut, Strided, Transposed};

/// Little UB, so that there are many tasks, chunks, groups and lines.
const UB: u32 = 7 * 1024;

/// By one block, and by two, with UB for what they hold.
fn check_held(dtype: DType, kind: &Kind) {
    for blocks in [1, 2] {
        let soc = Soc { ub: 24 * 1024, ..Soc::default().with_cores(blocks) };
        with_element!(dtype, T => {
            Case::<T, i64>::new(kind).check(&soc, Some(Algorithm::Elements), &Options::strict(0));
        });
    }
}

pub(crate) fn check(algorithm: Algorithm, dtype: DType, blocks: u32, kind: &Kind) {
    let soc = Soc { ub: UB, ..Soc::default().with_cores(blocks) };
    with_element!(dtype, T => {
        Case::<T, i64>::new(kind).check(&soc, Some(algorithm), &Options::strict(0));
    });
}

/// Updates along dim 0, in place, on `self_shape`; index and src have as many rows as `updates`
/// says.
pub(crate) fn kind(op: Op, self_shape: &[usize], updates: usize, index: Arrangement) -> Kind {
    let mut index_shape = self_shape.to_vec();
    index_shape[0] = updates;
    Kind {
        op,
        self_shape: self_shape.to_vec(),
        index_shape,
        out: Contiguous,
        index,
        src: Contiguous,
        extent: 1,
        in_place: true,
        bad: Vec::new(),
        distinct: self_shape[0],
        seed: 1,
    }
}

pub(crate) fn reduce(reduce: Reduce, include_self: bool) -> Op {
    Op::ScatterReduce { dim: 0, reduce, include_self }
}

const ADD: Op = Op::ScatterAdd { dim: 0 };
const VALUE: Op = Op::ScatterValue { dim: 0, value: Scalar::Int(3), reduce: Reduce::Mul };
const DTYPES: [DType; 3] = [DType::F32, DType::F16, DType::I32];

#[test]
fn copies() {
    for out in [Contiguous, Strided] {
        let of = kind(ADD, &[40, 100], 2, Contiguous);
        check(Algorithm::General, DType::F32, 1, &Kind { out, in_place: false, ..of });
    }
}

#[test]
fn index_tensors() {
    lists::of_two_dtypes(&Soc { ub: UB, ..Soc::default().with_cores(2) });
}

/// The zeros from which out starts, and those of its row of padding.
#[test]
fn zeros() {
    let op = Op::EmbeddingBackward { padding: Some(1), scale: false };
    let of = Kind { index_shape: vec![9], out: Strided, ..kind(op, &[5, 40], 0, Contiguous) };
    check(Algorithm::General, DType::F32, 2, &of);
}

#[test]
fn copies_onto_themselves() {
    let soc = Soc { ub: UB, ..Soc::default().with_cores(2) };
    for out in [[100, 1], [5, 1]] {
        let views = Views::new(&[40, 100], (&[100, 1], 0), (&out, 50));
        assert_eq!(entangled::check::<f32>(&views, &soc, 0), Some(out == [5, 1]));
    }
}

#[test]
fn elements() {
    for dtype in DTYPES {
        // All targets of a task at once, and lines that are evicted.
        for (self_shape, updates) in [([30, 3], 200), ([900, 2], 150)] {
            check(Algorithm::General, dtype, 2, &kind(ADD, &self_shape, updates, Contiguous));
        }
    }
}

#[test]
fn elements_that_count() {
    for op in [reduce(Reduce::Mean, true), reduce(Reduce::Max, false)] {
        for dtype in DTYPES {
            check(Algorithm::General, dtype, 1, &kind(op, &[300, 2], 150, Contiguous));
        }
    }
}

#[test]
fn a_value() {
    for dtype in DTYPES {
        check(Algorithm::General, dtype, 1, &kind(VALUE, &[30, 3], 200, Contiguous));
        check(Algorithm::Rows, dtype, 1, &kind(VALUE, &[9, 70], 40, ExpandedBut(0)));
    }
}

/// Each form: with one box of self and with two, elements of a byte and of several words, and bad
/// index values.
#[test]
fn gathers() {
    let of = |dim, self_shape: &[usize], index_shape: &[usize], index, bad: usize| {
        let bad = (0..bad).map(|which| Bad { at: Some(50 * which), which }).collect();
        Kind { bad, ..gather::kind(dim, self_shape, index_shape, index) }
    };
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        for bad in [0, 2] {
            check(Algorithm::General, dtype, 1, &of(1, &[5, 9], &[5, 700], Contiguous, bad));
            check(Algorithm::Rows, dtype, 1, &of(0, &[9, 70], &[300, 70], ExpandedBut(0), bad));
            check_held(dtype, &of(1, &[13, 9], &[13, 500], Contiguous, bad));
            check_held(dtype, &of(1, &[5, 700], &[5, 200], Contiguous, bad));
            check_held(dtype, &of(0, &[9, 13], &[300, 13], Contiguous, bad));
        }
    }
    // Elements of four words, whose offsets are made in two steps.
    let soc = Soc { ub: 96 * 1024, ..Soc::default().with_cores(1) };
    let wide = Case::<scatter::Complex<f64>, i64>::new(&of(1, &[13, 9], &[13, 500], Contiguous, 2));
    wide.check(&soc, Some(Algorithm::Elements), &Options::strict(0));
    gather::check_rows_with_gaps();
}

/// By the list of `scatter_index`: its columns are equal, or one differs; and a bad value of either
/// kind.
#[test]
fn gathers_by_list() {
    for (element, at) in [(None, 0), (Some(64), 250), (None, 250)] {
        for bad in [0, 1] {
            let mut case = stored_whole::case::<f32, i64>(&[9, 72], 300, 1);
            stored_whole::set_row(&mut case, at, bad_values(9)[1] * bad);
            if let Some(column) = element {
                stored_whole::set(&mut case, &[at, column], 3);
            }
            for blocks in [1, 2] {
                stored_whole::check(&case, &Soc { ub: 24 * 1024, ..Soc::default().with_cores(blocks) }, 0);
            }
        }
    }
}

#[test]
fn products_by_alpha() {
    for dtype in [DType::F32, DType::F16, DType::I32] {
        for way in [Algorithm::Rows, Algorithm::General] {
            check(way, dtype, 1, &alpha::kind(Scalar::Int(3), &[9, 70], Contiguous));
        }
    }
}

#[test]
fn rows() {
    for dtype in DTYPES {
        for op in [ADD, reduce(Reduce::None, true), reduce(Reduce::Max, true)] {
            for self_shape in [[4, 200], [100, 70]] {
                check(Algorithm::Rows, dtype, 2, &kind(op, &self_shape, 60, ExpandedBut(0)));
            }
        }
    }
}

/// More updates than are sorted at once, in rows that are cut into pieces, and several groups of
/// them.
#[test]
fn many_rows() {
    for dtype in [DTYPES.as_slice(), &[DType::I64, DType::I16, DType::I8, DType::Bool]].concat() {
        for op in [ADD, reduce(Reduce::None, true), reduce(Reduce::Mean, true)] {
            if op.reduce().missing_for(dtype).is_none() {
                check(Algorithm::Rows, dtype, 1, &kind(op, &[5, 200], 400, ExpandedBut(0)));
                check(Algorithm::Rows, dtype, 2, &kind(op, &[300, 70], 700, ExpandedBut(0)));
            }
        }
    }
    let soc = Soc { ub: 64 * 1024, ..Soc::default().with_cores(1) };
    let case = Case::<f32, i64>::new(&kind(ADD, &[4, 600], 40, ExpandedBut(0)));
    case.check(&soc, Some(Algorithm::Rows), &Options::strict(1));
}

/// Rows by one list of entries of which each has a range of targets of its own.
#[test]
fn rows_of_many_ranges() {
    let of = kind(Op::ScatterAdd { dim: 1 }, &[5, 3, 16], 5, ExpandedBut(0));
    check(Algorithm::Rows, DType::F32, 2, &Kind { index_shape: vec![5, 1, 16], ..of });
}

/// Windows that are copied: several tiles of each, several chunks of entries, windows that meet, so
/// that some are loaded again, and bad entries.
#[test]
fn windows() {
    let of = kind(Op::ScatterUpdate { dim: 1 }, &[40, 90, 16], 40, Contiguous);
    for (dtype, index_shape) in [
        (DType::F32, vec![40]),
        (DType::Bool, vec![40]),
        (DType::Bool, vec![60, 2]),
        (DType::I8, vec![520, 2]),
    ] {
        for bad in [Vec::new(), vec![Bad::anywhere(0), Bad::anywhere(2)]] {
            let (self_shape, index_shape) = (vec![index_shape[0].min(40), 90, 16], index_shape.clone());
            let of = Kind { self_shape, index_shape, extent: 70, bad, ..of.clone() };
            let soc = Soc { ub: 24 * 1024, ..Soc::default().with_cores(2) };
            with_element!(dtype, T => {
                Case::<T, i64>::new(&of).check(&soc, Some(Algorithm::Windows), &Options::strict(0));
            });
        }
    }
}

/// Shares by a sample of the list: of some of its chunks, of blocks of each, and of chunks that end
/// early.
#[test]
fn rows_by_a_sample() {
    for (cores, updates, ub) in [(2, 1300, UB), (2, 3000, 48 * 1024), (3, 2600, 24 * 1024)] {
        let of = kind(ADD, &[50, 16], updates, ExpandedBut(0));
        let soc = Soc { ub, ..Soc::default().with_cores(cores) };
        Case::<f32, i64>::new(&of).check(&soc, Some(Algorithm::Rows), &Options::strict(0));
    }
    // A sample for each coordinate of a batch axis.
    let of = kind(Op::ScatterAdd { dim: 1 }, &[3, 50, 16], 3, ExpandedBut(1));
    let case = Case::<f32, i64>::new(&Kind { index_shape: vec![3, 1300, 16], distinct: 50, ..of });
    case.check(&Soc::default().with_cores(6), Some(Algorithm::Rows), &Options::strict(0));
    let of = kind(Op::ScatterNdAdd, &[6, 20, 24], 0, Contiguous);
    let case = Case::<f32, i64>::new(&Kind { index_shape: vec![3000, 2], ..of });
    case.check(&Soc::default().with_cores(2), Some(Algorithm::Rows), &Options::strict(0));
}

/// A few updates, then more than there is room for beside them: rows that have just been written
/// are read again.
#[test]
fn rows_read_again() {
    let bad = (0..54).map(|row| Bad { at: Some(row * 16), which: 0 }).collect();
    let of = kind(ADD, &[2, 16], 200, ExpandedBut(0));
    check(Algorithm::Rows, DType::F32, 1, &Kind { bad, ..of });
}

/// An index that is not broadcast: its columns are equal, or one differs.
#[test]
fn rows_stored_whole() {
    for self_shape in [[5, 200], [100, 72]] {
        for differ in [false, true] {
            for blocks in [1, 3] {
                let of = kind(ADD, &self_shape, 300, Contiguous);
                let bad = if blocks == 1 { Vec::new() } else { vec![Bad::anywhere(2); 2] };
                let mut case = Case::<f32, i64>::new(&Kind { bad, ..of });
                let columns = self_shape[1];
                for row in case.index.storage.chunks_mut(columns) {
                    row.fill(row[0]);
                }
                if differ {
                    case.index.storage[columns * 200 + 67] = 1;
                    case.index.storage[columns * 200] = 2;
                }
                let soc = Soc { ub: 32 * 1024, ..Soc::default().with_cores(blocks) };
                case.check(&soc, Some(Algorithm::Rows), &Options::strict(1));
            }
        }
    }
}

/// Entries of several components, and a bad one.
#[test]
fn rows_of_several_axes() {
    for bad in [Vec::new(), vec![Bad::anywhere(1)]] {
        for depth in [1, 2] {
            let of = kind(Op::ScatterNdAdd, &[6, 20, 24], 0, Contiguous);
            let kind = Kind { index_shape: vec![500, depth], bad: bad.clone(), ..of };
            for (index, blocks) in [(Contiguous, 1), (Strided, 2)] {
                let case = Case::<f32, i64>::new(&Kind { index, ..kind.clone() });
                let soc = Soc { ub: 16 * 1024, ..Soc::default().with_cores(blocks) };
                if index == Contiguous {
                    case.check(&soc, Some(Algorithm::Rows), &Options::strict(1));
                } else {
                    case.check(&soc, None, &Options::strict(1));
                }
            }
        }
    }
}

#[test]
fn rows_that_count() {
    for op in [reduce(Reduce::Mean, false), reduce(Reduce::Add, false), reduce(Reduce::Max, false)] {
        for dtype in DTYPES {
            check(Algorithm::Rows, dtype, 1, &kind(op, &[9, 70], 40, ExpandedBut(0)));
        }
    }
}

/// Several tasks of several chunks for a block, both forms.
#[test]
fn held_elements() {
    for dtype in DTYPES {
        for op in [ADD, reduce(Reduce::Mean, true), reduce(Reduce::Max, false), VALUE] {
            check_held(dtype, &kind(op, &[5, 11], 400, Contiguous));
            check_held(dtype, &kind(op, &[700, 32], 170, Contiguous));
            check_held(dtype, &kind(op, &[50], 1300, Contiguous));
            check_held(dtype, &kind(op, &[5000], 1300, Contiguous));
        }
        for op in [
            Op::ScatterAdd { dim: 1 },
            Op::ScatterReduce { dim: 1, reduce: Reduce::Mean, include_self: true },
        ] {
            let along = kind(op, &[11, 5], 11, Contiguous);
            check_held(dtype, &Kind { index_shape: vec![11, 700], ..along });
        }
        for which in [0, 5] {
            for self_shape in [&[5, 11][..], &[50]] {
                let bad = vec![Bad::anywhere(which); 3];
                check_held(dtype, &Kind { bad, ..kind(ADD, self_shape, 400, Contiguous) });
            }
        }
    }
}

/// A task that owns all targets, and looks for the bad values of every chunk.
#[test]
fn a_part_that_is_all_of_the_targets() {
    let of = Kind { out: Strided, ..kind(ADD, &[4200], 2001, Contiguous) };
    let soc = Soc::default().with_cores(1);
    let case = Case::<i16, i64>::new(&of);
    let plan = case.check(&soc, Some(Algorithm::Elements), &Options::strict(0));
    let tiling = elements_of(&plan);
    assert!(owns_all_targets(&tiling), "{tiling:?}");
}

/// Several pieces of f16 for each half of the staging buffer; and lanes that are adjacent in index,
/// while targets are in out.
#[test]
fn held_elements_by_pieces_and_lanes() {
    for dtype in DTYPES {
        check_held(dtype, &kind(ADD, &[300, 3], 300, Contiguous));
        for lanes in [3, 12] {
            let shape = [60, lanes];
            check_held(dtype, &Kind { out: Transposed, ..kind(ADD, &shape, 300, Contiguous) });
        }
    }
}

/// Values are compared before they are narrowed, and the first bad one counts: without a row in out
/// every one is bad.
#[test]
fn bad_values_of_index() {
    let elements = |rows| (Algorithm::General, rows, Contiguous);
    for which in 0..bad_values(0).len() {
        for (algorithm, rows, index) in [elements(9), elements(0), (Algorithm::Rows, 9, ExpandedBut(0))] {
            let kind = Kind { bad: vec![Bad::anywhere(which)], ..kind(ADD, &[rows, 70], 40, index) };
            assert!(Case::<f32, i64>::new(&kind).reference().is_err());
            check(algorithm, DType::F32, [1, 7][which % 2], &kind);
        }
    }
}
