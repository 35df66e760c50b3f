//! The cases, by family: vectors that others computed, a generated matrix, and calls that must be
//! refused.

pub(crate) mod matrix;
pub(crate) mod refusals;
pub(crate) mod vectors;

use core::fmt;

use engines::case::Case;
use scatter::{DType, Operator};

/// Where cases come from; the first part of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    Vectors,
    Matrix,
    Refusals,
}

impl Family {
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

/// A case that is made when its turn comes.
pub(crate) struct Entry {
    pub(crate) family: Family,
    /// Unique among all entries, and all that the case depends on but the seed.
    pub(crate) name: String,
    pub(crate) operator: Operator,
    /// self's.
    pub(crate) dtype: DType,
    /// What it has in common with others of which a sample takes equal shares.
    pub(crate) stratum: usize,
    /// What it has in common with others of its stratum, of which a sample takes one at least if it
    /// can.
    pub(crate) pattern: usize,
    build: Box<dyn Fn() -> Case + Send + Sync>,
}

impl Entry {
    /// The entry of a case of this family; `stratum` and `pattern` 0.
    pub(crate) fn new(
        family: Family,
        name: String,
        (operator, dtype): (Operator, DType),
        build: impl Fn() -> Case + Send + Sync + 'static,
    ) -> Self {
        Self { family, name, operator, dtype, stratum: 0, pattern: 0, build: Box::new(build) }
    }

    /// The entry of a case that exists already.
    pub(crate) fn of(family: Family, case: Case) -> Self {
        Self::new(family, case.name.clone(), (case.task.operator(), case.dtype()), move || case.clone())
    }

    /// The case.
    pub(crate) fn case(&self) -> Case {
        (self.build)()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Cases that do not exist, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotApplicable {
    pub(crate) family: Family,
    pub(crate) operator: Operator,
    pub(crate) dtype: DType,
    /// Which cases.
    pub(crate) what: String,
    /// The library's reason.
    pub(crate) reason: String,
}

/// What a family has.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    pub(crate) entries: Vec<Entry>,
    pub(crate) not_applicable: Vec<NotApplicable>,
}
