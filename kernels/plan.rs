//! The plan of a call: which kernels run, and with which tilings. A pure function of the problem
//! and the processor.

mod axes;
mod boxes;
mod copy;
mod division;
mod elements;
mod entangled;
mod gather;
mod general;
mod index;
mod list;
mod rows;
mod update;
mod window;
mod windows;

use scatter::{Error, Layout, Operator, Problem};

use crate::soc::Soc;
use crate::tiling::{
    CopyTiling, ElementsTiling, GatherForm, GatherTiling, IndexTiling, RowsTiling, STATUS_BYTES, Status,
    Tiling, WindowsTiling,
};
use axes::Work;
use copy::Tensors;
pub use list::{plan_list, plan_list_with};

/// The alignment in bytes at which DMA is fastest.
const INTERMEDIATE_ALIGNMENT: usize = 512;

/// What a call runs: launches of kernels on one stream, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The launches, in their order: copies of the index tensors of a list; the copy of self to out
    /// where the call is not in place, or the zeros from which out starts; those of the updates;
    /// and the zeros of the row that stays zero.
    pub steps: Vec<Step>,
    /// How the updates are applied; `None` where index is empty.
    pub algorithm: Option<Algorithm>,
    /// The bytes of what a launch writes to the workspace for the launches behind it: the list of
    /// targets from `scatter_index`, or a copy of self where out overlaps it. 0 without either.
    /// Behind a list for `scatter_elements` come status words that nobody reads.
    pub intermediate_bytes: usize,
    /// The bytes of the index that launches make in the workspace of the index tensors of a list. 0
    /// where index is read where it is.
    pub index_bytes: usize,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How many blocks.
    pub blocks: u32,
    /// The kernel, with its tiling.
    pub kernel: Kernel,
}

/// A kernel with its tiling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// `scatter_copy`: out = self.
    Copy(CopyTiling),
    /// `scatter_copy` from self to the workspace, where out overlaps self or itself.
    CopyOutOfSelf(CopyTiling),
    /// `scatter_copy` from the workspace to out.
    CopyIntoOut(CopyTiling),
    /// `scatter_copy` of zeros to out, or to a row of it.
    Zeros(CopyTiling),
    /// `scatter_copy` of an index tensor of a list to the index in the workspace.
    CopyIndex {
        /// Its number among the tensors of the list.
        number: usize,
        /// The tiling.
        tiling: CopyTiling,
    },
    /// `scatter_general`: updates one by one, whatever the layouts.
    General(Tiling),
    /// `scatter_index`: index as a list of targets.
    Index(IndexTiling),
    /// `scatter_rows`: updates row by row.
    Rows(RowsTiling),
    /// `scatter_elements`: updates one by one, where all that a task owns is in UB at once.
    Elements(ElementsTiling),
    /// `scatter_elements` by the list of targets from `scatter_index`, which has checked index.
    ElementsOfList(ElementsTiling),
    /// `scatter_gather`: out gets the elements of self that index names.
    Gather(GatherTiling),
    /// `scatter_windows`: windows of src are copied to where index names them.
    Windows(WindowsTiling),
}

impl Kernel {
    /// How many kernels there are.
    pub const COUNT: usize = 7;

    /// Its number in the launch table.
    #[must_use]
    pub const fn number(&self) -> u32 {
        match self {
            Self::Copy(_)
            | Self::CopyOutOfSelf(_)
            | Self::CopyIntoOut(_)
            | Self::Zeros(_)
            | Self::CopyIndex { .. } => 0,
            Self::General(_) => 1,
            Self::Index(_) => 2,
            Self::Rows(_) => 3,
            Self::Elements(_) | Self::ElementsOfList(_) => 4,
            Self::Gather(_) => 5,
            Self::Windows(_) => 6,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Copy(_)
            | Self::CopyOutOfSelf(_)
            | Self::CopyIntoOut(_)
            | Self::Zeros(_)
            | Self::CopyIndex { .. } => "scatter_copy",
            Self::General(_) => "scatter_general",
            Self::Index(_) => "scatter_index",
            Self::Rows(_) => "scatter_rows",
            Self::Elements(_) | Self::ElementsOfList(_) => "scatter_elements",
            Self::Gather(_) => "scatter_gather",
            Self::Windows(_) => "scatter_windows",
        }
    }

    /// Whether each of its blocks leaves a [`Status`] that the host reads.
    #[must_use]
    pub const fn has_status(&self) -> bool {
        match self {
            Self::General(_) | Self::Index(_) | Self::Elements(_) | Self::Windows(_) => true,
            Self::Gather(tiling) => !matches!(tiling.form, GatherForm::ListedRows),
            _ => false,
        }
    }
}

/// How updates are applied, or elements gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Algorithm {
    /// One by one, by the scalar unit. Takes any update, and any gather.
    General = 0,
    /// Rows that share an index, by DMA and the vector unit; by DMA alone where they are gathered.
    Rows = 1,
    /// One by one, where what a task owns of out fits UB; by the vector unit, where what a task
    /// gathers from does.
    Elements = 2,
    /// Rows, or windows of several, that replace what index names, by DMA as they are.
    Windows = 3,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 4] = [Self::General, Self::Rows, Self::Elements, Self::Windows];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Rows => "rows",
            Self::Elements => "elements",
            Self::Windows => "windows",
        }
    }
}

/// Why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// Mean, and calls without self, count the updates of an element in 32 bits.
    #[error(
        "{operator}: index: {expected} updates at most expected for one element by the kernels, got up to {got}"
    )]
    Updates {
        /// The operator.
        operator: Operator,
        /// The most that can be counted.
        expected: u64,
        /// The most updates that one element may get.
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
    /// The requested algorithm can't make these updates.
    #[error("{operator}: updates that share their index along a contiguous axis of out and src expected")]
    NoRows {
        /// The operator.
        operator: Operator,
    },
    /// The requested algorithm can't make these updates.
    #[error(
        "{operator}: src that replaces rows or windows of out expected, which at most two index values name, and room in UB for these"
    )]
    NoWindows {
        /// The operator.
        operator: Operator,
    },
    /// The requested algorithm can't make these updates.
    #[error(
        "{operator}: updates along one axis expected, contiguous along it or across, of which UB holds what a core owns"
    )]
    NoElements {
        /// The operator.
        operator: Operator,
    },
}

/// The blocks that share `tasks`: one for each, but no more than there are cores.
fn blocks(tasks: u64, cores: u64) -> u32 {
    tasks.clamp(1, cores) as u32
}

/// The bytes of UB that a kernel has beside the statuses of the blocks of `scatter_index`, which it
/// reads where columns of index may differ: then they say whether it has anything to do.
fn beside_statuses(ub: u32, index_blocks: u32) -> Option<u32> {
    ub.checked_sub(index_blocks * STATUS_BYTES as u32)
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
/// [`Unsupported`], also where the algorithm can't make the problem's updates.
pub fn plan_with(problem: &Problem, soc: &Soc, algorithm: Option<Algorithm>) -> Result<Plan, Unsupported> {
    let operator = problem.operator();
    let cores = u64::from(soc.cores);
    let blocks = |tasks: u64| blocks(tasks, cores);
    if problem.gathers() {
        return gather::plan(problem, soc, algorithm);
    }
    if problem.is_entangled() && !problem.starts_from_zeros() {
        return entangled::plan(problem, cores, soc.ub).ok_or(Unsupported::Ub { operator, ub: soc.ub });
    }
    let mut steps = Vec::new();
    let (out, element) = (problem.out_layout(), problem.dtype().size());
    if problem.starts_from_zeros() {
        steps.extend(copy::zeros(out, element, cores, soc.ub));
    } else if !problem.in_place()
        && let Some(tiling) = copy::plan(&Tensors::same(problem.self_layout(), out, element), cores, soc.ub)
    {
        steps.push(Step { blocks: blocks(tiling.tasks), kernel: Kernel::Copy(tiling) });
    }
    let Some(work) = Work::of(problem) else {
        return Ok(Plan { steps, ..Plan::default() });
    };
    let expected = u64::from(u32::MAX) - 1;
    if work.is_counted && work.update_count > expected {
        return Err(Unsupported::Updates { operator, expected, got: work.update_count });
    }
    let general = |index_blocks: u32| {
        let ub = beside_statuses(soc.ub, index_blocks)?;
        let tiling = Tiling { told: index_blocks, ..general::plan(problem, &work, cores, ub)? };
        Some(Step { blocks: blocks(tiling.tasks), kernel: Kernel::General(tiling) })
    };
    // Where few updates go to many targets, it takes longer to load all of these.
    let is_asked = algorithm == Some(Algorithm::Elements);
    let is_worth_it = |cycles: u64| is_asked || cycles <= elements::of_any_update(&work, cores);
    let elements = |index_blocks: u32| {
        let ub = beside_statuses(soc.ub, index_blocks)?;
        let found = elements::plan(problem, &work, cores, ub).filter(|found| is_worth_it(found.cycles))?;
        let tiling = ElementsTiling { told: index_blocks, ..found.tiling };
        Some(Step { blocks: blocks(tiling.tasks), kernel: Kernel::Elements(tiling) })
    };
    let windows = || windows::plan(problem, &work, cores, soc.ub);
    let only_windows = |tiling: WindowsTiling| {
        let step = Step { blocks: blocks(tiling.tasks), kernel: Kernel::Windows(tiling) };
        (Algorithm::Windows, vec![step], 0)
    };
    let rows = || {
        let made = rows::plan(problem, &work, cores, soc.ub)?;
        let list = index::list_bytes(&made.index);
        let tasks = made.rows.outers * u64::from(made.rows.shares);
        let mut steps = vec![
            Step { blocks: made.index_blocks, kernel: Kernel::Index(made.index) },
            Step { blocks: blocks(tasks), kernel: Kernel::Rows(made.rows) },
        ];
        if made.rows.told != 0 {
            steps.push(elements(made.rows.told).or_else(|| general(made.rows.told))?);
        }
        Some((Algorithm::Rows, steps, list))
    };
    let only_general = || Some((Algorithm::General, vec![general(0)?], 0));
    let only_elements = || Some((Algorithm::Elements, vec![elements(0)?], 0));
    let elements_of_list = || {
        let found = elements::plan(problem, &work.by_numbers()?, cores, soc.ub)?;
        let elements::Candidate { tiling, cycles } = found;
        if !is_worth_it(cycles.saturating_add(elements::LIST)) {
            return None;
        }
        let list = index::plan(&work, &[], 1, work.index_bytes as u64, cores, soc.ub)?;
        let list = IndexTiling { integers: 1, ..list };
        let blocks = [blocks(list.chunks), blocks(tiling.tasks)];
        let bytes = index::list_bytes(&list) + blocks[1] as usize * STATUS_BYTES;
        let steps = vec![
            Step { blocks: blocks[0], kernel: Kernel::Index(list) },
            Step { blocks: blocks[1], kernel: Kernel::ElementsOfList(tiling) },
        ];
        Some((Algorithm::Elements, steps, bytes))
    };
    let is_faster_than_elements = |cycles: u64| {
        elements::plan(problem, &work, cores, soc.ub).is_none_or(|elements| cycles <= elements.cycles)
    };
    let by_elements = || only_elements().or_else(elements_of_list);
    let found = match algorithm {
        None => {
            let (rows, windows) = (rows(), windows());
            // Rows that only the values of index tell are compared by `scatter_index`.
            let is_faster = |found: &windows::Candidate| match &rows {
                Some((_, steps, _)) => match &steps[..] {
                    [_, Step { kernel: Kernel::Rows(rows), .. }] => found.is_faster_than(rows, cores),
                    _ => false,
                },
                None => operator == Operator::ScatterUpdate && is_faster_than_elements(found.cycles),
            };
            let windows = windows.filter(is_faster).map(|found| only_windows(found.tiling));
            windows.or(rows).or_else(by_elements).or_else(only_general)
        }
        Some(Algorithm::Windows) => {
            Some(only_windows(windows().ok_or(Unsupported::NoWindows { operator })?.tiling))
        }
        Some(Algorithm::Elements) => Some(by_elements().ok_or(Unsupported::NoElements { operator })?),
        Some(Algorithm::General) => only_general(),
        Some(Algorithm::Rows) => Some(rows().ok_or(Unsupported::NoRows { operator })?),
    };
    let (algorithm, updates, intermediate_bytes) = found.ok_or(Unsupported::Ub { operator, ub: soc.ub })?;
    steps.extend(updates);
    // What the updates made of it is overwritten: so the kernels need not know the row.
    let padding = problem.op().padding().and_then(|row| row_of(out, row));
    steps.extend(padding.and_then(|row| copy::zeros(&row, element, cores, soc.ub)));
    Ok(Plan { steps, algorithm: Some(algorithm), intermediate_bytes, index_bytes: 0 })
}

/// A row of a tensor of two axes; `None` where there is none of this number.
fn row_of(layout: &Layout, row: usize) -> Option<Layout> {
    let ([rows, columns], [to_row, to_column]) = (&**layout.shape(), layout.strides()) else { return None };
    let offset = layout.offset().checked_add_signed((row < *rows).then_some(row as isize * to_row)?)?;
    Layout::new(&[*columns], &[*to_column], offset, layout.storage_len()).ok()
}

impl Plan {
    /// How many [`Status`] words the launches leave at the start of the workspace.
    #[must_use]
    pub fn statuses(&self) -> usize {
        self.steps.iter().filter(|step| step.kernel.has_status()).map(|step| step.blocks as usize).sum()
    }

    /// Where the list of targets, or the copy of self, begins in the workspace: behind the status
    /// words, at a multiple of 512 bytes.
    #[must_use]
    pub fn intermediate_offset(&self) -> usize {
        (self.statuses() * STATUS_BYTES).next_multiple_of(INTERMEDIATE_ALIGNMENT)
    }

    /// Where the index of a list begins in the workspace: behind all else, at a multiple of 512
    /// bytes.
    #[must_use]
    pub fn index_offset(&self) -> usize {
        let end = self.intermediate_offset().saturating_add(self.intermediate_bytes);
        end.checked_next_multiple_of(INTERMEDIATE_ALIGNMENT).unwrap_or(usize::MAX)
    }

    /// The bytes of workspace that a launch needs: [`Plan::statuses`] words, the list of targets or
    /// the copy of self, and the index of a list.
    #[must_use]
    pub fn workspace_bytes(&self) -> usize {
        if self.index_bytes != 0 {
            self.index_offset().saturating_add(self.index_bytes)
        } else if self.intermediate_bytes != 0 {
            self.intermediate_offset().saturating_add(self.intermediate_bytes)
        } else {
            self.statuses() * STATUS_BYTES
        }
    }
}

/// The error that the status words of a launch report, if any.
#[must_use]
pub fn bad_index(problem: &Problem, status: &[Status]) -> Option<Error> {
    let first =
        status.iter().min_by_key(|status| status.position).filter(|first| first.position != u64::MAX)?;
    problem.bad_index(first.position, first.value)
}
