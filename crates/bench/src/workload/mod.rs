//! The workloads: scatters of real applications at full size, and gathers.

mod draw;
#[cfg(test)]
mod plans;
mod table;
mod targets;

use scatter::{Axes, DType, Op, Reduce, Scalar};

pub use draw::Drawn;

use engines::case::Case;

/// A scatter in place, or a gather, with the sizes and the distribution of targets of a real
/// application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// The name for `--workload`.
    name: &'static str,
    dtype: DType,
    index: DType,
    shape: Shape,
}

/// The elements of a workload that measures the fixed cost of a call.
const SMALL: usize = 64 * 64;

/// The kind of updates, and their number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Whole rows of src update rows of `[rows, width]`, by sums or replacements.
    Rows { update: Update, targets: Targets, rows: usize, width: usize, updates: usize, index: RowIndex },
    /// Elements update random elements along `dim`, by self and index of these shapes.
    Elements { update: Update, dim: usize, self_: [usize; 2], index: [usize; 2] },
    /// Elements update elements of `[size]`.
    Line { update: Update, size: usize, updates: usize },
    /// Rows update rows of `[side, side, width]`, which pairs of index values name; with a width of
    /// 1, elements update elements of `[side, side]`.
    Pairs { op: PairsOp, side: usize, width: usize, updates: usize },
    /// The tokens of sequences are put into a cache of their keys by `scatter_update`.
    Cache(Cache),
}

/// A cache of keys, of shape `[sequences, heads, places, width]`. Each sequence gets `tokens`
/// tokens in a row, from a random place on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cache {
    sequences: usize,
    heads: usize,
    places: usize,
    width: usize,
    tokens: usize,
    /// Whether src is stored token by token, so that its axes of heads and tokens are transposed;
    /// or else head by head, like the cache.
    by_tokens: bool,
    /// Whether index has a second column, with the sequence's number in the first one.
    is_numbered: bool,
}

/// The operator that adds what pairs of index values name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PairsOp {
    /// `scatter_nd_add`: one index with the pairs along its last axis.
    ScatterNdAdd,
    /// `index_put` with accumulate: two index tensors.
    IndexPut,
}

/// The distribution of target rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Targets {
    Tokens,
    Routed,
    PowerLaw,
    Uniform,
    /// Uniform among this number of first rows.
    Among(usize),
    /// Uniform among the first of this number of equal parts of the rows; only the first row if
    /// there are more parts than rows.
    FirstOf(usize),
    /// Like tokens, but with an exponent of 1.5: more than a third of all updates go to one row.
    Steep,
    /// Uniform, with the updates in ascending or descending order of rows.
    Sorted,
    Reversed,
}

/// How the index of a row is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RowIndex {
    /// One value for each row of src, with a stride of 0 along the row, as `expand` makes it.
    Expanded,
    /// A value for each element of the row.
    Full,
    /// One value for each row, in an index with one axis, as `index_add` takes it.
    OneAxis,
}

/// How an update changes its element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Update {
    Add,
    Multiply,
    Replace,
    /// A replacement by a scalar, without src.
    Value,
    /// A sum with alpha times src. Only for rows, with an index of one axis.
    AddScaled {
        alpha: f64,
    },
    /// A sum that starts from zeros: `embedding_backward`. Only for rows, with an index of one
    /// axis.
    AddToZeros,
    /// None: a gather, in which what would be updated is read, into an out of the shape of index.
    Gather,
}

/// The access pattern of a workload, for code that treats each pattern by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Updates of whole rows, of which there are `rows`.
    Rows { rows: usize, updates: usize },
    /// Updates of whole rows, of which there are `side * side`.
    Pairs { side: usize, updates: usize },
    /// Updates of elements in the same column of `[rows, width]`.
    Columns { rows: usize, width: usize },
    /// Updates of elements in the same row of `[rows, width]`: `updates` of each row.
    Lines { rows: usize, width: usize, updates: usize },
    /// Updates of elements of `[size]`.
    Line { size: usize },
    /// Windows of several rows, which are only modelled.
    Windows,
    /// Reads of whole rows, of which there are `rows`.
    GatherRows { rows: usize, reads: usize },
    /// Reads of elements in the same row of `[rows, width]`: `reads` of each row.
    GatherLines { rows: usize, width: usize, reads: usize },
}

impl Workload {
    /// The workloads that are timed on CPUs and on devices, and modelled.
    pub fn all() -> &'static [Self] {
        &table::ALL
    }

    /// All workloads that are timed on CPUs.
    pub fn of_cpus() -> impl Iterator<Item = &'static Self> + Clone {
        let further = table::SUMS.iter().chain(&table::PUTS).chain(&table::CHOICES);
        Self::all().iter().chain(further).chain(&table::CPU_GATHERS)
    }

    /// Workloads that are hard to share among cores.
    pub(crate) fn hard() -> &'static [Self] {
        &table::HARD
    }

    /// Further dtypes and replacements, which are only modelled.
    pub(crate) fn further() -> &'static [Self] {
        &table::FURTHER
    }

    /// Gathers, which are only modelled.
    pub(crate) fn modelled_gathers() -> &'static [Self] {
        &table::GATHERS
    }

    /// All workloads by which the kernels are compared.
    pub(crate) fn of_kernels() -> impl Iterator<Item = &'static Self> + Clone {
        let scatters = Self::all().iter().chain(Self::hard()).chain(Self::further());
        let further = table::SUMS.iter().chain(&table::WINDOWS).chain(&table::PUTS);
        scatters.chain(Self::modelled_gathers()).chain(further)
    }

    /// The default workloads: one of each application.
    pub(crate) fn usual() -> Vec<Self> {
        ["embedding", "moe", "graph"].into_iter().flat_map(Self::named).collect()
    }

    /// The workload with this name that is timed on CPUs and on devices.
    ///
    /// # Errors
    /// There is none; the message lists the names.
    pub fn named(name: &str) -> Result<Self, String> {
        find(Self::all().iter(), name)
    }

    /// The workload with this name that is timed on CPUs.
    ///
    /// # Errors
    /// There is none; the message lists the names.
    pub fn named_of_cpus(name: &str) -> Result<Self, String> {
        find(Self::of_cpus(), name)
    }

    /// The workload with this name by which the kernels are compared.
    pub(crate) fn named_of_kernels(name: &str) -> Result<Self, String> {
        find(Self::of_kernels(), name)
    }

    /// A sum of rows of f32, with targets drawn evenly among the first `distinct` of `rows` and an
    /// expanded index.
    pub(crate) const fn rows(rows: usize, width: usize, updates: usize, distinct: usize) -> Self {
        let (targets, index) = (Targets::Among(distinct), RowIndex::Expanded);
        let shape = Shape::Rows { update: Update::Add, targets, rows, width, updates, index };
        Self { name: "rows", dtype: DType::F32, index: DType::I64, shape }
    }

    /// The name for `--workload`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The same workload with `divisor` times fewer updates. Where updates choose among the
    /// elements of a row, a column or a line, its length stays, because it decides how they are
    /// done. Target rows become fewer, so that each gets as many updates as before. Small calls
    /// have as many updates as before.
    #[must_use]
    pub fn divided(mut self, divisor: usize) -> Self {
        let divide = |count: &mut usize| *count = (*count / divisor).max(1);
        match &mut self.shape {
            // A column that is gathered from stays as long, too.
            Shape::Rows { update: Update::Gather, index: RowIndex::Full, updates, .. } => divide(updates),
            Shape::Rows { targets, rows, updates, .. } => {
                divide(rows);
                // In `moe` each token goes to two experts, however many tokens are left.
                if *targets == Targets::Routed { *updates = 2 * *rows } else { divide(updates) }
            }
            Shape::Elements { self_: [rows, width], .. } if *rows * *width <= SMALL => {}
            Shape::Elements { dim, self_, index, .. } => {
                // Along the other axis self and index are as large.
                let other = 1 - *dim;
                divide(&mut self_[other]);
                index[other] = self_[other];
            }
            Shape::Line { updates, .. } => divide(updates),
            Shape::Pairs { side, updates, .. } => {
                *side = (*side * *side / divisor).isqrt().max(1);
                divide(updates);
            }
            Shape::Cache(cache) => *cache = cache.divided(divisor),
        }
        self
    }

    /// The workload with the tensors of `case` in words, such as `embedding: f32 [50000, 256] +=
    /// [65536, 256]` or `gather: f32 [16384, 256] of [50000, 256]`.
    pub fn title(&self, case: &Case) -> String {
        if self.gathers() {
            return format!(
                "{}: {} {:?} of {:?}",
                self.name,
                case.dtype(),
                case.index.shape,
                case.self_.shape
            );
        }
        let sign = match self.op().reduce() {
            Reduce::Add => "+=",
            Reduce::Mul => "*=",
            _ => "=",
        };
        let from = match &case.src {
            Some(src) => format!("{:?}", src.shape),
            None => "one number".to_owned(),
        };
        format!("{}: {} {:?} {sign} {from}", self.name, case.dtype(), case.destination().shape)
    }

    /// Whether it is a gather.
    pub(crate) fn gathers(&self) -> bool {
        self.op().operator().signature().gathers
    }

    /// The access pattern.
    pub(crate) const fn form(&self) -> Form {
        match self.shape {
            Shape::Rows { update: Update::Gather, rows, updates, .. } => {
                Form::GatherRows { rows, reads: updates }
            }
            Shape::Elements { update: Update::Gather, self_: [rows, width], index: [_, reads], .. } => {
                Form::GatherLines { rows, width, reads }
            }
            Shape::Rows { rows, updates, .. } => Form::Rows { rows, updates },
            Shape::Pairs { side, updates, .. } => Form::Pairs { side, updates },
            Shape::Elements { dim: 0, self_: [rows, width], .. } => Form::Columns { rows, width },
            Shape::Elements { self_: [rows, width], index: [_, updates], .. } => {
                Form::Lines { rows, width, updates }
            }
            Shape::Line { size, .. } => Form::Line { size },
            Shape::Cache(_) => Form::Windows,
        }
    }

    /// The operator with its parameters.
    pub(crate) fn op(&self) -> Op {
        match self.shape {
            Shape::Pairs { op: PairsOp::ScatterNdAdd, .. } => Op::ScatterNdAdd,
            Shape::Pairs { op: PairsOp::IndexPut, .. } => {
                let axes = Axes::new(&[0, 1]).unwrap_or(Axes::NONE);
                Op::IndexPut { axes, accumulate: true }
            }
            Shape::Rows { update: Update::Add, index: RowIndex::OneAxis, .. } => {
                Op::IndexAdd { dim: 0, alpha: Scalar::Int(1) }
            }
            Shape::Rows { update, .. } | Shape::Line { update, .. } => update.along(0),
            Shape::Elements { update, dim, .. } => update.along(dim as i64),
            Shape::Cache(_) => Op::ScatterUpdate { dim: 2 },
        }
    }
}

impl Cache {
    /// A smaller cache: `divisor` times fewer sequences. Where that would be less than one, there
    /// is one with fewer tokens, but two at the least, which still are a window. With a single
    /// token for each sequence, sequences and tokens stay. There are fewer places in any case, for
    /// most are touched by no call.
    fn divided(self, divisor: usize) -> Self {
        let Self { mut sequences, mut tokens, .. } = self;
        if tokens > 1 {
            tokens = (tokens * sequences.min(divisor) / divisor).max(2);
            sequences = (sequences / divisor).max(1);
        }
        Self { sequences, tokens, places: (self.places / divisor).max(2 * tokens), ..self }
    }
}

impl Update {
    /// The operator for this update along `dim`.
    const fn along(self, dim: i64) -> Op {
        match self {
            Self::Add => Op::ScatterAdd { dim },
            Self::Multiply => Op::Scatter { dim, reduce: Reduce::Mul },
            Self::Replace => Op::Scatter { dim, reduce: Reduce::None },
            Self::Value => Op::ScatterValue { dim, value: Scalar::Float(0.5), reduce: Reduce::None },
            Self::AddToZeros => Op::EmbeddingBackward { padding: None, scale: false },
            Self::AddScaled { alpha } => Op::IndexAdd { dim, alpha: Scalar::Float(alpha) },
            Self::Gather => Op::Gather { dim },
        }
    }
}

/// Finds the workload with this name.
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
        let all = Workload::of_kernels().chain(&table::CHOICES).chain(&table::CPU_GATHERS);
        let names: HashSet<_> = all.clone().map(Workload::name).collect();
        assert_eq!(names.len(), all.count());
        assert_eq!(
            Workload::usual().iter().map(Workload::name).collect::<Vec<_>>(),
            ["embedding", "moe", "graph"]
        );
        assert_eq!(Workload::named("pairs").map(|workload| workload.op()), Ok(Op::ScatterNdAdd));
        assert!(Workload::named("chess").unwrap_err().contains("embedding-full"));
        // Workloads that are only modelled can't be named for timing.
        for name in ["one-row", "replace-u8"] {
            assert!(Workload::named(name).is_err());
            assert_eq!(Workload::named_of_kernels(name).map(|workload| workload.name()), Ok(name));
            assert!(Workload::named_of_cpus(name).is_err());
        }
        // Some gathers only for timing on CPUs.
        assert!(
            Workload::named("gather-square").is_err() && Workload::named_of_kernels("gather-square").is_err()
        );
        assert_eq!(
            Workload::named_of_cpus("gather-square").map(|workload| workload.op()),
            Ok(Op::Gather { dim: 1 })
        );
    }
}
