//! The tensors of a call, as phase one reads them.

use aclnn_sys::Cann;
use scatter::{Argument, Error, Op, Problem};

use crate::executor::call::{Call, Operands};
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::phase_one::arguments::Arguments;
use crate::phase_one::tensor::Tensor;

/// The tensors of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensors {
    pub(crate) self_: Tensor,
    pub(crate) index: Tensor,
    /// `None` where a scalar stands for it.
    pub(crate) src: Option<Tensor>,
    /// self, in place.
    pub(crate) out: Tensor,
    /// The handle of self and of out, where they are one.
    pub(crate) one_tensor: Option<usize>,
}

impl Tensors {
    /// Reads the tensors of a call.
    ///
    /// # Safety
    /// As the C functions say.
    pub(super) unsafe fn read(
        cann: &Cann,
        function: Function,
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        let Arguments { self_, index, src, out, .. } = *arguments;
        let named = |argument, tensor| {
            // SAFETY: the caller's word.
            unsafe { Tensor::read(cann, tensor) }.map_err(|Failure { code, message }| {
                failure!(code, "{}: {message}", function.parameter(argument))
            })
        };
        let self_tensor = named(Argument::SelfTensor, self_)?;
        Ok(Self {
            self_: self_tensor,
            index: named(Argument::Index, index)?,
            src: if function.takes_value() { None } else { Some(named(Argument::Src, src)?) },
            out: if out == self_ { self_tensor } else { named(Argument::Out, out)? },
            one_tensor: (out == self_).then(|| self_.addr()),
        })
    }

    /// The validated problem of these tensors.
    pub(super) fn problem(&self, op: Op) -> Result<Problem, Error> {
        let Operands { self_, index, src, out } = &self.operands();
        Problem::new(op, self_, index, src.as_ref(), out)
    }

    /// The call that computes this with these tensors.
    pub(super) fn call(&self, function: Function, op: Op) -> Result<Call, Error> {
        let call = |problem| Call::new(function, problem, self.operands(), self.one_tensor);
        self.problem(op).map(call)
    }

    /// The tensors as a problem takes them.
    pub(super) fn operands(&self) -> Operands {
        let Self { self_, index, src, out, .. } = self;
        Operands {
            self_: self_.operand,
            index: index.operand,
            src: src.as_ref().map(|src| src.operand),
            out: out.operand,
        }
    }
}
