//! The plan of a call: which kernels run, and what they are told. A pure function of the problem and the processor.

mod axes;
mod boxes;
mod copy;
mod division;
mod elements;
mod rows;
mod update;
mod window;

use scatter::{Error, Operator, Problem, Shape, Target};

use crate::soc::Soc;
use crate::tiling::{CopyTiling, STATUS_BYTES, Status, Tiling};
use axes::Work;

/// What a call runs, in this order: the copy of self to out where the call is not in place, and the updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// out = self.
    pub copy: Option<Copy>,
    /// The updates; `None` where index is empty.
    pub update: Option<Update>,
}

/// A launch of `scatter_copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// How many blocks.
    pub blocks: u32,
    /// What they are told.
    pub tiling: CopyTiling,
}

/// A launch of `scatter_elements` or `scatter_rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// Which of the two.
    pub algorithm: Algorithm,
    /// How many blocks.
    pub blocks: u32,
    /// What they are told.
    pub tiling: Tiling,
}

/// How updates are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Algorithm {
    /// `scatter_elements`: one by one, by the scalar unit. Takes any update.
    Elements = 0,
    /// `scatter_rows`: rows that share an index, by DMA and the vector unit.
    Rows = 1,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 2] = [Self::Elements, Self::Rows];

    /// The name, which is that of its kernel without `scatter_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elements => "elements",
            Self::Rows => "rows",
        }
    }
}

/// Why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// A copy between tensors that overlap would have to read all of self before it writes any of out.
    #[error(
        "{operator}: out: memory apart from self and itself expected by the kernels where index is empty, got an overlap"
    )]
    EntangledCopy {
        /// The operator.
        operator: Operator,
    },
    /// Mean, and what leaves self out, count the updates of an element in 32 bits.
    #[error(
        "{operator}: index: {expected} updates at most expected for one element by the kernels, got up to {got}"
    )]
    Updates {
        /// The operator.
        operator: Operator,
        /// The most that can be counted.
        expected: u64,
        /// What one element may get.
        got: u64,
    },
    /// No tile fits UB.
    #[error("{operator}: {ub} bytes of UB are not enough for a tile")]
    Ub {
        /// The operator.
        operator: Operator,
        /// The bytes that there are.
        ub: u32,
    },
    /// The algorithm that was asked for can't take these updates.
    #[error("{operator}: updates that share their index along a contiguous axis of out and src expected")]
    NoRows {
        /// The operator.
        operator: Operator,
    },
}

/// The plan of a problem for a processor.
///
/// # Errors
/// [`Unsupported`].
pub fn plan(problem: &Problem, soc: &Soc) -> Result<Plan, Unsupported> {
    plan_with(problem, soc, None)
}

/// [`plan`] with an algorithm of the caller's choice.
///
/// # Errors
/// [`Unsupported`], also where the algorithm can't take the problem's updates.
pub fn plan_with(problem: &Problem, soc: &Soc, algorithm: Option<Algorithm>) -> Result<Plan, Unsupported> {
    let operator = problem.operator();
    if problem.is_entangled() {
        return Err(Unsupported::EntangledCopy { operator });
    }
    let cores = u64::from(soc.cores);
    let blocks = |tasks: u64| tasks.clamp(1, cores) as u32;
    let copy = if problem.in_place() { None } else { copy::plan(problem, cores, soc.ub) };
    let copy = copy.map(|tiling| Copy { blocks: blocks(tiling.tasks), tiling });
    let Some(work) = Work::of(problem) else {
        return Ok(Plan { copy, update: None });
    };
    let expected = u64::from(u32::MAX) - 1;
    if work.is_counted && work.update_count > expected {
        return Err(Unsupported::Updates { operator, expected, got: work.update_count });
    }
    let rows = || rows::plan(problem, &work, cores, soc.ub).map(|tiling| (Algorithm::Rows, tiling));
    let elements =
        || elements::plan(problem, &work, cores, soc.ub).map(|tiling| (Algorithm::Elements, tiling));
    let found = match algorithm {
        None => rows().or_else(elements),
        Some(Algorithm::Elements) => elements(),
        Some(Algorithm::Rows) => Some(rows().ok_or(Unsupported::NoRows { operator })?),
    };
    let (algorithm, tiling) = found.ok_or(Unsupported::Ub { operator, ub: soc.ub })?;
    Ok(Plan { copy, update: Some(Update { algorithm, blocks: blocks(tiling.tasks), tiling }) })
}

impl Plan {
    /// The bytes of workspace that a launch needs: a [`Status`] for each block of the update.
    #[must_use]
    pub fn workspace_bytes(&self) -> usize {
        self.update.map_or(0, |update| update.blocks as usize * STATUS_BYTES)
    }
}

/// The error that the status words of a launch tell of, if they do.
#[must_use]
pub fn bad_index(problem: &Problem, status: &[Status]) -> Option<Error> {
    let first =
        status.iter().min_by_key(|status| status.position).filter(|status| **status != Status::GOOD)?;
    let (index, target) = (problem.index_layout()?, problem.target()?);
    let mut coordinates = [0; scatter::MAX_RANK];
    let mut rest = usize::try_from(first.position).ok()?;
    for (at, &size) in coordinates.iter_mut().zip(index.shape().iter()).rev() {
        *at = rest % size;
        rest /= size;
    }
    let position = Shape::new(&coordinates[..index.rank()])?;
    let axis = match target {
        Target::Dim(dim) => dim,
        Target::Nd(_) => position.last().copied()?,
    };
    let size = *problem.out_layout().shape().get(axis)?;
    Some(Error::IndexOutOfRange { operator: problem.operator(), axis, position, value: first.value, size })
}
