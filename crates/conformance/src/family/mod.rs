//! The cases, by family: vectors that other implementations computed, a generated matrix, and calls
//! that must be refused.

pub(crate) mod matrix;
pub(crate) mod refusals;
pub(crate) mod vectors;

use core::fmt;

use engines::case::Case;
use scatter::{DType, Operator};

/// The source of a case, which is the first part of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    Vectors,
    Matrix,
    Refusals,
}

impl Family {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Vectors, Self::Matrix, Self::Refusals];

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Vectors => "vectors",
            Self::Matrix => "matrix",
            Self::Refusals => "refusals",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A case whose tensors are made when it runs.
pub(crate) struct Entry {
    pub(crate) family: Family,
    /// Unique among all entries. The case depends only on this name and the seed.
    pub(crate) name: String,
    pub(crate) operator: Operator,
    /// self's dtype.
    pub(crate) dtype: DType,
    /// The number of its stratum. A sample has equally many entries of each stratum.
    pub(crate) stratum: usize,
    /// The number of its pattern within the stratum. A sample has at least one entry of each
    /// pattern if it is large enough.
    pub(crate) pattern: usize,
    build: Box<dyn Fn() -> Case + Send + Sync>,
}

impl Entry {
    /// An entry of this family, with stratum and pattern 0.
    pub(crate) fn new(
        family: Family,
        name: String,
        (operator, dtype): (Operator, DType),
        build: impl Fn() -> Case + Send + Sync + 'static,
    ) -> Self {
        Self { family, name, operator, dtype, stratum: 0, pattern: 0, build: Box::new(build) }
    }

    /// An entry for a case that is already made.
    pub(crate) fn of(family: Family, case: Case) -> Self {
        Self::new(family, case.name.clone(), (case.op.operator(), case.dtype()), move || case.clone())
    }

    /// Makes the case.
    pub(crate) fn case(&self) -> Case {
        (self.build)()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Cases that can't be run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotApplicable {
    pub(crate) family: Family,
    pub(crate) operator: Operator,
    pub(crate) dtype: DType,
    /// Which cases.
    pub(crate) what: String,
    /// Why, as the library or the engine says.
    pub(crate) reason: String,
}

impl NotApplicable {
    /// How many of these are of a family.
    pub(crate) fn of(family: Family, all: &[Self]) -> usize {
        all.iter().filter(|absent| absent.family == family).count()
    }
}

/// The cases of a family.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    pub(crate) entries: Vec<Entry>,
    pub(crate) not_applicable: Vec<NotApplicable>,
}

/// Whether the operator can be called in place, or into another out. What gathers is never in
/// place; a case of an operator without a self looks as if it were.
const fn may_be(operator: Operator, in_place: bool) -> bool {
    let signature = operator.signature();
    if in_place { !signature.gathers } else { signature.has_self }
}
