//! The plan's choice between `scatter_elements` and `scatter_general`, by the model's costs.

use scatter::Op;
use scatter_kernels::model::{self, Mode, Options};
use scatter_kernels::plan::{Algorithm, plan, plan_with};
use scatter_kernels::{Memory, Soc};

use crate::case::{Case, Kind};
use crate::sample;
use crate::tensor::Arrangement::Contiguous;

/// The modelled nanoseconds of the updates by an algorithm, in the cautious setting; `None` where
/// the plan doesn't offer it.
fn nanoseconds(case: &Case<f32, i64>, algorithm: Algorithm) -> Option<u64> {
    let plan = plan_with(&case.problem, &Soc::default(), Some(algorithm)).ok()?;
    let options = Options { mode: Mode::Fast, ..Options::strict(0) };
    let _ = case.run(&plan, Memory::one_index(case.index.range()), &options);
    Some(model::counters().nanoseconds[0])
}

/// From a few updates of many targets up to many: wherever all targets are loaded, that takes no
/// longer than to load only those that are updated.
#[test]
fn targets_are_loaded_as_a_whole_where_that_is_faster() {
    for (shape, least, most) in [([1, 1 << 21], 1 << 6, 1 << 11), ([64, 1 << 14], 1 << 3, 1 << 8)] {
        let mut algorithms = Vec::new();
        for updates in (0..12).map(|power| 1 << power).filter(|updates| (least..=most).contains(updates)) {
            let mut index_shape = shape.to_vec();
            index_shape[1] = updates;
            let add = Op::ScatterAdd { dim: 1 };
            let case = Case::new(&Kind { index_shape, ..sample::kind(add, &shape, updates, Contiguous) });
            let taken = plan(&case.problem, &Soc::default()).unwrap().algorithm.unwrap();
            algorithms.push(taken);
            let [elements, general] =
                [Algorithm::Elements, Algorithm::General].map(|of| nanoseconds(&case, of));
            assert!(elements <= general, "{shape:?}, {updates}: {elements:?} by elements, {general:?}");
        }
        let general = algorithms.iter().take_while(|taken| **taken == Algorithm::General).count();
        assert!(0 < general && general < algorithms.len(), "{shape:?}: {algorithms:?}");
    }
}
