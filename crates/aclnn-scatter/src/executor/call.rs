//! The checked call, which phase one makes for phase two.

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use scatter::{Addresses, Argument, DType, IndexList, Operand, Problem};

use crate::executor::positions::Positions;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::refusal::{can_lie, each_of_list, has_address};

/// A call that has passed every rule, and its tensors.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: Function,
    problem: Problem,
    pub(crate) positions: Positions,
    operands: Operands,
    /// The tensors from which index is made, when the work runs.
    list: Option<Box<IndexList>>,
    /// The handle, if self and out were given as the same handle.
    one_tensor: Option<usize>,
    has_new_address: bool,
}

/// The tensors from which a problem was made.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// self.
    pub self_: Operand,
    /// index.
    pub index: Operand,
    /// src; `None` where the operator takes none.
    pub src: Option<Operand>,
    /// out; the same as self in place, and where the operator takes no self.
    pub out: Operand,
}

impl Operands {
    /// The addresses of the tensors, for [`Problem::rebind`].
    pub(crate) fn addresses(&self) -> Addresses {
        let Self { self_, index, src, out } = self;
        Addresses {
            self_: self_.address,
            index: index.address,
            src: src.as_ref().map_or(0, |src| src.address),
            out: out.address,
        }
    }
}

impl Call {
    /// A call that computes a problem with these tensors. `one_tensor` is the handle, if self and
    /// out were given as the same handle.
    pub(crate) fn new(
        function: Function,
        problem: Problem,
        operands: Operands,
        one_tensor: Option<usize>,
    ) -> Self {
        let positions = Positions { rank: rank(&operands.index), merged: None };
        Self { function, problem, positions, operands, list: None, one_tensor, has_new_address: false }
    }

    /// The call whose index is made from a list of tensors.
    pub(crate) fn with_list(mut self, list: Box<IndexList>) -> Self {
        self.list = Some(list);
        self
    }

    /// The tensors from which index is made.
    pub(crate) fn list(&self) -> Option<&IndexList> {
        self.list.as_deref()
    }

    /// Changes the address of a tensor, or of both self and out if they were given as this same
    /// handle `tensor`. Null addresses and overlapping tensors are refused when the call is run,
    /// because other addresses may still change.
    pub(crate) fn set_address(
        &mut self,
        argument: Argument,
        tensor: usize,
        address: usize,
    ) -> Result<(), Failure> {
        let function = self.function;
        let is_both = self.one_tensor == Some(tensor) || function.is_inplace();
        let Operands { self_, index, src, out } = &mut self.operands;
        let operand = match argument {
            Argument::SelfTensor => &mut *self_,
            Argument::Index => index,
            Argument::Out => out,
            // A function that takes src was given one; another was given no such tensor.
            _ => src.as_mut().ok_or_else(|| {
                let (name, parameter) = (function.name(), function.parameter(argument));
                failure!(ACLNN_ERR_PARAM_INVALID, "{name} was given no {parameter}")
            })?,
        };
        let moved = Operand { address, ..*operand };
        can_lie(format_args!("{}: {}", function.name(), function.parameter(argument)), &moved)?;
        *operand = moved;
        if is_both && matches!(argument, Argument::SelfTensor | Argument::Out) {
            (self_.address, out.address) = (address, address);
        }
        self.has_new_address = true;
        Ok(())
    }

    /// Changes the address of a tensor of the list, as [`set_address`](Self::set_address) does of
    /// another tensor. An entry that stands for an axis without index takes any address.
    pub(crate) fn set_list_address(&mut self, place: usize, address: usize) -> Result<(), Failure> {
        let list = self.list.as_mut().filter(|list| place < list.entries()).ok_or_else(|| {
            let name = self.function.name();
            failure!(ACLNN_ERR_PARAM_INVALID, "{name} was given no tensor {place} in its list")
        })?;
        let Some(&(dtype, layout, _)) = list.tensor(place) else { return Ok(()) };
        let (name, parameter) = (self.function.name(), self.function.parameter(Argument::Index));
        let moved = Operand::new(dtype, layout, address);
        can_lie(format_args!("{name}: {parameter}[{place}]"), &moved)?;
        list.set_address(place, address);
        self.has_new_address = true;
        Ok(())
    }

    /// Binds the problem to the current addresses, and calls `plan` if they have changed since the
    /// last time. Refuses a null address that the work needs.
    pub(crate) fn settle(&mut self, plan: impl FnOnce(&Self) -> Result<(), Failure>) -> Result<(), Failure> {
        self.refuse_null_addresses()?;
        if self.has_new_address {
            let rebound = self.problem.rebind(self.operands.addresses());
            let apart = match &self.list {
                Some(list) => list.apart_from(&self.operands.out, rebound),
                None => rebound,
            };
            self.problem = apart
                .map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error} at the changed addresses"))?;
            plan(self)?;
            // Not after a failure, so that the next run fails, too.
            self.has_new_address = false;
        }
        Ok(())
    }

    /// Refuses null addresses, which phase one accepts, in the order of its arguments.
    fn refuse_null_addresses(&self) -> Result<(), Failure> {
        let Self { problem, function, .. } = self;
        let Operands { self_, index, src, out } = &self.operands;
        let has = |argument, operand: &Operand| has_address(|| function.parameter(argument), operand);
        let has_self = !problem.starts_from_zeros();
        if problem.is_copy() && (problem.gathers() || has_self && self.one_tensor.is_some()) {
            return Ok(());
        }
        function.arguments().try_for_each(|(argument, _)| match argument {
            Argument::SelfTensor => has(argument, self_),
            Argument::Out => has(argument, out),
            _ if problem.is_copy() => Ok(()),
            Argument::Index => match &self.list {
                None => has(argument, index),
                Some(list) => each_of_list(function.parameter(argument), list, |name, operand| {
                    has_address(|| name, operand)
                }),
            },
            Argument::Src => src.as_ref().map_or(Ok(()), |src| has(argument, src)),
            _ => Ok(()),
        })?;
        // A function that works in place has no argument for a separate out.
        has(Argument::Out, out)
    }

    /// The dtype to which the scalar is to be converted; `None` where there is nothing to update.
    pub(crate) fn dtype_of_value(&self) -> Option<DType> {
        self.work()
            .filter(|(problem, _)| !problem.is_copy())
            .and_then(|(_, operands)| operands.out.dtype.ok())
    }

    /// The problem to compute, and its tensors; `None` where there is nothing to do, such as with
    /// an empty index in place.
    pub(crate) fn work(&self) -> Option<(&Problem, &Operands)> {
        self.problem.has_work().then_some((&self.problem, &self.operands))
    }
}

/// The rank of a tensor, or the highest rank where its layout was refused.
fn rank(operand: &Operand) -> usize {
    operand.layout.map_or(scatter::MAX_RANK, |layout| layout.rank())
}

#[cfg(test)]
mod tests {
    use super::*;

    use scatter::{Layout, Op, Reduce, Scalar};

    #[test]
    fn an_address_for_a_tensor_that_was_not_given_changes_no_other() {
        let tensor = |dtype, address| Operand::new(dtype, Layout::contiguous(&[4], 4).unwrap(), address);
        let (self_, out) = (tensor(DType::F32, 0x1000), tensor(DType::F32, 0x3000));
        let operands = Operands { self_, index: tensor(DType::I64, 0x2000), src: None, out };
        let op = Op::ScatterValue { dim: 0, value: Scalar::Int(1), reduce: Reduce::None };
        let problem = Problem::new(op, &self_, &operands.index, None, &out).unwrap();
        let mut call = Call::new(Function::ScatterValue, problem, operands, None);
        let refused = call.set_address(Argument::Src, 0, 0x4000).unwrap_err();
        assert_eq!(refused.code, ACLNN_ERR_PARAM_INVALID);
        assert_eq!(refused.message, "aclnnScatterValue was given no src");
        call.settle(|_| panic!("no address has changed")).unwrap();
        assert_eq!(call.operands.addresses(), operands.addresses());
    }
}
