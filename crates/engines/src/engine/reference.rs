//! The contract as one sequential loop. It is tested too: against the results of other
//! implementations, and against itself on contiguous copies.

use scatter::{Error, reference};

use super::{Engine, with_types};
use crate::call::Call;
use crate::refusal::Refusal;

/// `scatter::reference`.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

impl Engine for Reference {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> String {
        String::from("the contract as one sequential loop, on this CPU")
    }

    /// Benchmarks time it once anyway, as the base of comparison.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn run(&self, _setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        Ok(Self::compute(call)?)
    }
}

impl Reference {
    /// The engine's name.
    pub const NAME: &'static str = "reference";

    /// Computes the call.
    ///
    /// # Errors
    /// The first rule that the call breaks, or an index out of range.
    pub fn compute(call: &mut Call<'_>) -> Result<(), Error> {
        let problem = call.problem()?;
        with_types!(problem.dtype(), problem.index_dtype(), T, I => {
            let self_ = call.self_.map(|self_| self_.storage.elements::<T>());
            let src = call.src.map(|src| src.storage.elements::<T>());
            let index = call.index.storage.get::<I>().unwrap_or(&[]);
            reference::run(&problem, self_, index, src, call.out.storage.elements_mut::<T>())
        })
    }
}
