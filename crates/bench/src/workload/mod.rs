//! The workloads: what is scattered into what, at its real size.

mod draw;
#[cfg(test)]
mod plans;
mod table;
mod targets;

use scatter::{DType, Op, Reduce, Scalar};

pub use draw::Drawn;

use engines::case::Case;

/// A scatter in place, with the sizes and the distribution of a real use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// As `--workload` has it.
    name: &'static str,
    dtype: DType,
    index: DType,
    shape: Shape,
}

/// Elements of a call that is measured for what a call costs.
const SMALL: usize = 64 * 64;

/// What an update is, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Rows of `[rows, width]`, each of which gets whole rows of src. The update is a sum or a
    /// replacement.
    Rows { update: Update, targets: Targets, rows: usize, width: usize, updates: usize, index: RowIndex },
    /// Elements of `[rows, width]`, each update somewhere else along `dim`; the index is as large
    /// as self.
    Elements { update: Update, dim: usize, rows: usize, width: usize },
    /// Elements of `[size]`.
    Line { size: usize, updates: usize },
    /// Rows of `[side, side, width]`, named by pairs: `scatter_nd_add`.
    Pairs { side: usize, width: usize, updates: usize },
}

/// How the rows are distributed that updates go to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Targets {
    Tokens,
    Routed,
    PowerLaw,
    Uniform,
    /// Evenly among a number of the first rows.
    Among(usize),
    /// Evenly among the first part of the rows, which are cut into this number of equal parts; the
    /// first row, where parts are more than rows.
    FirstOf(usize),
    /// As tokens, with an exponent of 1.5: more than a third of all go to one row.
    Steep,
    /// Evenly, in the order of the rows, or in the other order.
    Sorted,
    Reversed,
}

/// How the index of a row is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RowIndex {
    /// Once, with a stride of 0 along the row, as `expand` makes it.
    Expanded,
    /// At each element of the row.
    Full,
}

/// How an update meets what it goes to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Update {
    Add,
    Multiply,
    Replace,
    /// By one number, without src.
    Value,
}

/// How the updates lie in memory, for what takes each form by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Rows among `rows`.
    Rows { rows: usize, updates: usize },
    /// Rows among `side x side`.
    Pairs { side: usize, updates: usize },
    /// Elements of the same column of `[rows, width]`.
    Columns { rows: usize, width: usize },
    /// Elements of the same row of `[rows, width]`.
    Lines { rows: usize, width: usize },
    /// Elements of `[size]`.
    Line { size: usize },
}

impl Workload {
    /// All of them.
    pub fn all() -> &'static [Self] {
        &table::ALL
    }

    /// Those that are hard to share among cores.
    pub(crate) fn hard() -> &'static [Self] {
        &table::HARD
    }

    /// Dtypes and replacements beside those of [`Workload::all`].
    pub(crate) fn further() -> &'static [Self] {
        &table::FURTHER
    }

    /// Every one that the kernels are compared by.
    pub(crate) fn of_kernels() -> impl Iterator<Item = &'static Self> + Clone {
        Self::all().iter().chain(Self::hard()).chain(Self::further())
    }

    /// Those that are measured unless others are named: one of each use.
    pub(crate) fn usual() -> Vec<Self> {
        ["embedding", "moe", "graph"].into_iter().flat_map(Self::named).collect()
    }

    /// The one of this name among those that are timed.
    ///
    /// # Errors
    /// The names that there are.
    pub fn named(name: &str) -> Result<Self, String> {
        find(Self::all().iter(), name)
    }

    /// The one of this name among those that the kernels are compared by.
    pub(crate) fn named_of_kernels(name: &str) -> Result<Self, String> {
        find(Self::of_kernels(), name)
    }

    /// Rows of f32 drawn evenly among the first `distinct` of `rows`, with an expanded index.
    pub(crate) const fn rows(rows: usize, width: usize, updates: usize, distinct: usize) -> Self {
        let (targets, index) = (Targets::Among(distinct), RowIndex::Expanded);
        let shape = Shape::Rows { update: Update::Add, targets, rows, width, updates, index };
        Self { name: "rows", dtype: DType::F32, index: DType::I64, shape }
    }

    /// As `--workload` has it.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The same with `divisor` times fewer updates. What an update can choose from stays as long as
    /// it is where that decides how it is done: a row of elements, a column, a line. Of rows there
    /// are fewer, so that each gets as many updates. A call that is small is what it is.
    #[must_use]
    pub fn divided(mut self, divisor: usize) -> Self {
        let divide = |count: &mut usize| *count = (*count / divisor).max(1);
        match &mut self.shape {
            Shape::Rows { targets, rows, updates, .. } => {
                divide(rows);
                // Each token of the mixture goes to two experts, whatever the division leaves of
                // them.
                if *targets == Targets::Routed { *updates = 2 * *rows } else { divide(updates) }
            }
            Shape::Elements { rows, width, .. } if *rows * *width <= SMALL => {}
            Shape::Elements { dim: 0, width, .. } => divide(width),
            Shape::Elements { rows, .. } => divide(rows),
            Shape::Line { updates, .. } => divide(updates),
            Shape::Pairs { side, updates, .. } => {
                *side = (*side * *side / divisor).isqrt().max(1);
                divide(updates);
            }
        }
        self
    }

    /// The workload in words, with the tensors that were drawn:
    /// `embedding: f32 [50000, 256] += [65536, 256]`.
    pub fn title(&self, case: &Case) -> String {
        let sign = match self.op().reduce() {
            Reduce::Add => "+=",
            Reduce::Mul => "*=",
            _ => "=",
        };
        let src = case.src.as_ref().map_or("one number".to_owned(), |src| format!("{:?}", src.shape));
        format!("{}: {} {:?} {sign} {src}", self.name, case.dtype(), case.self_.shape)
    }

    /// How the updates lie in memory.
    pub(crate) const fn form(&self) -> Form {
        match self.shape {
            Shape::Rows { rows, updates, .. } => Form::Rows { rows, updates },
            Shape::Pairs { side, updates, .. } => Form::Pairs { side, updates },
            Shape::Elements { dim: 0, rows, width, .. } => Form::Columns { rows, width },
            Shape::Elements { rows, width, .. } => Form::Lines { rows, width },
            Shape::Line { size, .. } => Form::Line { size },
        }
    }

    /// The operator that is called.
    pub(crate) const fn op(&self) -> Op {
        match self.shape {
            Shape::Pairs { .. } => Op::ScatterNdAdd,
            Shape::Line { .. } => Update::Add.along(0),
            Shape::Rows { update, .. } => update.along(0),
            Shape::Elements { update, dim, .. } => update.along(dim as i64),
        }
    }
}

impl Update {
    /// The operator that does it.
    const fn along(self, dim: i64) -> Op {
        match self {
            Self::Add => Op::ScatterAdd { dim },
            Self::Multiply => Op::Scatter { dim, reduce: Reduce::Mul },
            Self::Replace => Op::Scatter { dim, reduce: Reduce::None },
            Self::Value => Op::ScatterValue { dim, value: Scalar::Float(0.5), reduce: Reduce::None },
        }
    }
}

/// The workload of this name.
fn find<'a>(all: impl Iterator<Item = &'a Workload> + Clone, name: &str) -> Result<Workload, String> {
    let found = all.clone().find(|workload| workload.name == name);
    let known = || all.map(Workload::name).collect::<Vec<_>>().join(", ");
    found.copied().ok_or_else(|| format!("expected {}", known()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: HashSet<_> = Workload::of_kernels().map(Workload::name).collect();
        assert_eq!(names.len(), Workload::of_kernels().count());
        assert_eq!(
            Workload::usual().iter().map(Workload::name).collect::<Vec<_>>(),
            ["embedding", "moe", "graph"]
        );
        assert_eq!(Workload::named("pairs").map(|workload| workload.op()), Ok(Op::ScatterNdAdd));
        assert!(Workload::named("chess").unwrap_err().contains("embedding-full"));
        // What is not timed has no name there.
        for name in ["one-row", "replace-u8"] {
            assert!(Workload::named(name).is_err());
            assert_eq!(Workload::named_of_kernels(name).map(|workload| workload.name()), Ok(name));
        }
    }
}
