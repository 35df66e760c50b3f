//! The arguments of phase one, and the rules that can be checked before any tensor is read.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclOpExecutor, aclScalar, aclTensor};
use scatter::{Argument, Op, Reduce};

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
    pub(crate) src: *const aclTensor,
    pub(crate) value: *const aclScalar,
    pub(crate) reduce: i64,
    pub(crate) include_self: bool,
    /// The same as self where the function works in place.
    pub(crate) out: *const aclTensor,
    pub(crate) workspace_size: *mut u64,
    pub(crate) executor: *mut *mut aclOpExecutor,
}

impl Arguments {
    /// Refuses null pointers, before all rules of docs/semantics.md.
    pub(super) fn refuse_nulls(&self, function: Function) -> Result<(), Failure> {
        let Self { self_, index, src, value, out, workspace_size, executor, .. } = *self;
        let update: (_, *const c_void) = if function.takes_value() {
            (Argument::Value, value.cast())
        } else {
            (Argument::Src, src.cast())
        };
        present("workspaceSize", workspace_size)?;
        present("executor", executor)?;
        [
            (Argument::SelfTensor, self_.cast()),
            (Argument::Index, index.cast()),
            update,
            (Argument::Out, out.cast()),
        ]
        .into_iter()
        .try_for_each(|(argument, handle)| present(function.parameter(argument), handle))
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
        let Self { dim, include_self, .. } = *self;
        match function {
            Function::ScatterAdd => Op::ScatterAdd { dim },
            Function::Scatter | Function::InplaceScatter => Op::Scatter { dim, reduce },
            Function::ScatterValue | Function::InplaceScatterValue => {
                Op::ScatterValue { dim, value: value.for_problem(), reduce }
            }
            Function::ScatterReduce | Function::InplaceScatterReduce => {
                Op::ScatterReduce { dim, reduce, include_self }
            }
            Function::TfScatterAdd => Op::ScatterNdAdd,
        }
    }
}
