//! The arguments of phase one, and the rules that can be checked before any tensor is read.

use core::ffi::c_void;
use core::ptr::null;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclOpExecutor, aclScalar, aclTensor, aclTensorList};
use scatter::{Argument, Numbers, Op, Operand, Reduce};

use crate::failure::{Failure, failure, present};
use crate::function::Function;
use crate::phase_one::value::Value;

/// The arguments of any phase one. A pointer that the function does not take is null; another
/// argument that it does not take has a value without effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    pub(crate) self_: *const aclTensor,
    pub(crate) dim: i64,
    pub(crate) index: *const aclTensor,
    /// Index tensors, in the place of `index`.
    pub(crate) indices: *const aclTensorList,
    pub(crate) src: *const aclTensor,
    pub(crate) value: *const aclScalar,
    pub(crate) reduce: i64,
    pub(crate) include_self: bool,
    pub(crate) accumulate: bool,
    /// The same as self where the function works in place, or takes no self.
    pub(crate) out: *const aclTensor,
    /// The number of rows that out must have; `None` where the function doesn't take it.
    pub(crate) rows: Option<u64>,
    /// An `int64_t`: the row of out that stays zero.
    pub(crate) padding: u64,
    pub(crate) scale: bool,
    pub(crate) workspace_size: *mut u64,
    pub(crate) executor: *mut *mut aclOpExecutor,
}

impl Arguments {
    /// Arguments with the pointers for the results, and nothing else yet.
    pub(crate) const fn new(workspace_size: *mut u64, executor: *mut *mut aclOpExecutor) -> Self {
        Self {
            self_: null(),
            dim: 0,
            index: null(),
            indices: null(),
            src: null(),
            value: null(),
            reduce: 0,
            include_self: true,
            accumulate: false,
            out: null(),
            rows: None,
            padding: u64::MAX,
            scale: false,
            workspace_size,
            executor,
        }
    }

    /// Refuses null pointers, before all rules of docs/semantics.md.
    pub(super) fn refuse_nulls(&self, function: Function) -> Result<(), Failure> {
        present("workspaceSize", self.workspace_size)?;
        present("executor", self.executor)?;
        function.arguments().try_for_each(|(argument, name)| {
            let handle: *const c_void = match argument {
                Argument::Index if function.takes_list() => self.indices.cast(),
                Argument::Index => self.index.cast(),
                Argument::Src => self.src.cast(),
                Argument::Value => self.value.cast(),
                Argument::Out => self.out.cast(),
                _ => self.self_.cast(),
            };
            present(name.to_str().unwrap_or_default(), handle)
        })
    }

    /// The reduction of the code `reduce`. Refuses a code that stands for none, also before all
    /// rules of docs/semantics.md.
    pub(super) fn reduce(&self) -> Result<Reduce, Failure> {
        let got = self.reduce;
        Reduce::from_code(got)
            .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "reduce: 0 to 5 expected, got {got}"))
    }

    /// The operator that the function computes.
    pub(super) fn operator(&self, function: Function, reduce: Reduce, value: Value) -> Op {
        let Self { dim, include_self, scale, .. } = *self;
        let scalar = value.for_problem();
        let padding = usize::try_from(self.padding.cast_signed()).ok();
        function.operator().with(&Numbers {
            dim,
            reduce,
            include_self,
            scalar,
            padding,
            scale,
            ..Numbers::default()
        })
    }

    /// Refuses an out whose first axis hasn't the size that the function was given (`numWeights`).
    pub(super) fn refuse_rows(&self, op: &Op, out: &Operand) -> Result<(), Failure> {
        let got = out.layout.ok().and_then(|layout| layout.shape().first().copied());
        match (self.rows, got) {
            (Some(expected), Some(got)) if usize::try_from(expected) != Ok(got) => Err(failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{}: out: size {expected} on axis 0 expected, got {got}",
                op.operator()
            )),
            _ => Ok(()),
        }
    }
}
