//! The tensors of a call, as phase one reads them.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, Cann};
use scatter::{Argument, Error, Op, Problem};

use crate::executor::call::{Call, Operands};
use crate::failure::{Failure, broken, failure};
use crate::function::Function;
use crate::phase_one::arguments::Arguments;
use crate::phase_one::index::GivenIndex;
use crate::phase_one::tensor::Tensor;

/// The tensors of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensors {
    pub(crate) self_: Tensor,
    pub(crate) index: Tensor,
    /// `None` where the function takes none.
    pub(crate) src: Option<Tensor>,
    /// The same as self where the function works in place.
    pub(crate) out: Tensor,
    /// The handle, if self and out were given as the same handle.
    pub(crate) one_tensor: Option<usize>,
}

impl Tensors {
    /// Reads the tensors of a call, but none of a list of index tensors, which `list` reads.
    ///
    /// # Safety
    /// The contract of the C functions, which `entry!` documents: the tensors are null or made by
    /// CANN.
    pub(super) unsafe fn read(
        cann: &Cann,
        function: Function,
        arguments: &Arguments,
        given: GivenIndex,
    ) -> Result<Self, Failure> {
        let Arguments { self_, index, src, out, .. } = *arguments;
        let named = |argument, tensor| {
            // SAFETY: by the caller's contract, CANN made the tensor; nulls have been refused.
            unsafe { Tensor::read(cann, tensor) }.map_err(|Failure { code, message }| {
                failure!(code, "{}: {message}", function.parameter(argument))
            })
        };
        let self_tensor = named(Argument::SelfTensor, self_)?;
        Ok(Self {
            self_: self_tensor,
            index: match given {
                GivenIndex::Tensor => named(Argument::Index, index)?,
                // `list::call` makes it when these tensors are known.
                GivenIndex::List(_) | GivenIndex::Unreadable => Tensor::nothing(),
            },
            src: if function.takes_src() { Some(named(Argument::Src, src)?) } else { None },
            out: if out == self_ { self_tensor } else { named(Argument::Out, out)? },
            one_tensor: (out == self_).then(|| self_.addr()),
        })
    }

    /// The call that computes `op` with these tensors; boxed, because it is large and callers'
    /// stacks may be small.
    pub(super) fn call(&self, function: Function, op: Op) -> Result<Box<Call>, Error> {
        let operands = self.operands();
        let Operands { self_, index, src, out } = &operands;
        let problem = Problem::new(op, self_, index, src.as_ref(), out)?;
        Ok(Box::new(Call::new(function, problem, operands, self.one_tensor)))
    }

    /// The call that checks `op` with these tensors, but only makes out equal to self.
    pub(super) fn copy(&self, function: Function, op: Op) -> Result<Box<Call>, Error> {
        let operands = self.operands();
        let Operands { self_, index, src, out } = &operands;
        let problem = Problem::without_updates(op, self_, index, src.as_ref(), out)?;
        Ok(Box::new(Call::new(function, problem, operands, self.one_tensor)))
    }

    /// The tensors as `Problem::new` takes them.
    pub(super) fn operands(&self) -> Operands {
        let Self { self_, index, src, out, .. } = self;
        Operands {
            self_: self_.operand,
            index: index.operand,
            src: src.as_ref().map(|src| src.operand),
            out: out.operand,
        }
    }

    /// The failure for a broken rule. A layout that only the C ABI refuses gets its own message.
    pub(super) fn refused(&self, function: Function, error: &Error) -> Failure {
        match error {
            Error::Layout { argument, .. } => {
                let argument = *argument;
                let tensor = match argument {
                    Argument::Index => Some(&self.index),
                    Argument::Src => self.src.as_ref(),
                    Argument::Out => Some(&self.out),
                    _ => Some(&self.self_),
                };
                match tensor.and_then(|tensor| tensor.refusal) {
                    Some(refusal) => {
                        let name = function.parameter(argument);
                        failure!(ACLNN_ERR_INNER_NULLPTR, "{name}: {refusal}")
                    }
                    None => broken(*error),
                }
            }
            _ => broken(*error),
        }
    }
}
