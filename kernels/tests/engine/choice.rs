//! The plan's choices between `scatter_elements` and `scatter_general`, and between
//! `scatter_windows` and `scatter_rows`, by the model's costs.

use scatter::{Op, Reduce};
use scatter_kernels::model::{Mode, Options};
use scatter_kernels::plan::{Algorithm, plan, plan_with};
use scatter_kernels::{LaunchMemory, Soc};

use crate::case::{Case, Kind};
use crate::sample;
use crate::tensor::Arrangement::{Contiguous, ExpandedBut};

/// The modelled nanoseconds of the launches of an algorithm, in the cautious setting.
fn nanoseconds(case: &Case<f32, i64>, algorithm: Algorithm) -> u64 {
    let plan = plan_with(&case.problem, &Soc::default(), Some(algorithm)).unwrap();
    let options = Options { mode: Mode::Fast, ..Options::strict(0) };
    case.run(&plan, LaunchMemory::one_index(case.index.range()), &options).nanoseconds
}

/// From a few updates of many targets up to many: what the plan takes is not much slower than the
/// other way, and from some number on it loads them as a whole.
#[test]
fn targets_are_loaded_as_a_whole_where_that_is_faster() {
    for (shape, op, most) in [
        ([1, 1 << 21], Op::ScatterAdd { dim: 1 }, 1 << 12),
        ([1, 1 << 14], Op::ScatterAdd { dim: 1 }, 1 << 8),
        ([64, 1 << 14], Op::ScatterAdd { dim: 1 }, 1 << 8),
        ([1 << 8, 1 << 12], Op::ScatterNdAdd, 1 << 12),
        ([1 << 6, 1 << 7], Op::ScatterNdAdd, 1 << 8),
    ] {
        let mut taken = Vec::new();
        for updates in (1..).map(|power| 1 << power).take_while(|updates| *updates <= most) {
            let index_shape = if op == Op::ScatterNdAdd { vec![updates, 2] } else { vec![shape[0], updates] };
            let case = Case::new(&Kind { index_shape, ..sample::kind(op, &shape, updates, Contiguous) });
            let chosen = plan(&case.problem, &Soc::default()).unwrap().algorithm.unwrap();
            let [elements, general] =
                [Algorithm::Elements, Algorithm::General].map(|of| nanoseconds(&case, of));
            let (got, other) =
                if chosen == Algorithm::Elements { (elements, general) } else { (general, elements) };
            assert!(
                got <= other * 2,
                "{op} {shape:?}, {updates}: {chosen:?} takes {got}, the other way {other}"
            );
            taken.push(chosen);
        }
        let general = taken.iter().take_while(|taken| **taken == Algorithm::General).count();
        assert!(
            general < taken.len() && taken[general..].iter().all(|taken| *taken == Algorithm::Elements),
            "{taken:?}"
        );
    }
}

/// The plan's choice between windows and rows, which takes at most half as long again as the other.
fn windows_or_rows(kind: &Kind) -> Algorithm {
    let case = Case::new(kind);
    let chosen = plan(&case.problem, &Soc::default()).unwrap().algorithm.unwrap();
    let [windows, list] = [Algorithm::Windows, Algorithm::Rows].map(|of| nanoseconds(&case, of));
    let (got, other) = if chosen == Algorithm::Windows { (windows, list) } else { (list, windows) };
    assert!(got <= other * 3 / 2, "{kind:?}: {chosen:?} takes {got}, the other way {other}");
    chosen
}

/// A few rows that replace others are copied as windows, and many go by a list, also where each has
/// a range of its own.
#[test]
fn few_rows_are_copied_as_windows() {
    for (ranges, most) in [(false, 12), (true, 14)] {
        let mut taken = Vec::new();
        for rows in (4..=most).map(|power| 1 << power) {
            let dim = i64::from(ranges);
            let self_shape: &[usize] = if ranges { &[rows, 3, 128] } else { &[1 << 14, 128] };
            let index_shape = if ranges { vec![rows, 1, 128] } else { vec![rows, 128] };
            let op = Op::Scatter { dim, reduce: Reduce::None };
            let of = sample::kind(op, self_shape, rows, ExpandedBut(0));
            taken.push(windows_or_rows(&Kind { index_shape, distinct: self_shape[dim as usize], ..of }));
        }
        let windows = taken.iter().take_while(|taken| **taken == Algorithm::Windows).count();
        assert!(0 < windows && windows < taken.len(), "{taken:?}");
        assert!(taken[windows..].iter().all(|taken| *taken == Algorithm::Rows), "{taken:?}");
    }
}

/// The rows of one entry at many coordinates are a few tiles, but a list each.
#[test]
fn short_rows_at_many_coordinates_are_copied_as_windows() {
    for (outers, width) in [(1, 16), (10, 16), (100, 16), (1000, 16), (1000, 64), (100, 256)] {
        let of = sample::kind(Op::IndexCopy { dim: 1 }, &[outers, 64, width], 32, Contiguous);
        let chosen = windows_or_rows(&Kind { index_shape: vec![32], distinct: 64, ..of });
        assert_eq!(chosen, Algorithm::Windows, "{outers} {width}");
    }
}
