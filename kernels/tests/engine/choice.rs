//! The plan's choice between `scatter_elements` and `scatter_general`, by the model's costs.

use scatter::Op;
use scatter_kernels::model::{Mode, Options};
use scatter_kernels::plan::{Algorithm, plan, plan_with};
use scatter_kernels::{Memory, Soc};

use crate::case::{Case, Kind};
use crate::sample;
use crate::tensor::Arrangement::Contiguous;

/// The modelled nanoseconds of the launches of an algorithm, in the cautious setting.
fn nanoseconds(case: &Case<f32, i64>, algorithm: Algorithm) -> u64 {
    let plan = plan_with(&case.problem, &Soc::default(), Some(algorithm)).unwrap();
    let options = Options { mode: Mode::Fast, ..Options::strict(0) };
    case.run(&plan, Memory::one_index(case.index.range()), &options).nanoseconds
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
