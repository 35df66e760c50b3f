//! What phase one leaves for phase two.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR};
use scatter::{Addresses, Operand, Problem, Shape};

use crate::check::Tensors;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::tensor::{Refusal, address_of};

/// A call that has passed every rule, and its tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) function: Function,
    /// `None` where there is nothing to do.
    problem: Option<Problem>,
    pub(crate) positions: Positions,
    operands: Operands,
    is_moved: bool,
}

/// The tensors as the problem was given them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) self_: Operand,
    pub(crate) index: Operand,
    pub(crate) src: Option<Operand>,
    pub(crate) out: Operand,
}

/// A tensor whose address can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    SelfTensor,
    Index,
    Src,
    Out,
}

/// From a position in the problem's index to one in the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Positions {
    /// The rank of the caller's index.
    pub(crate) rank: usize,
    /// An axis that stands for two, and the size of the second.
    pub(crate) merged: Option<(usize, usize)>,
}

impl Positions {
    /// The caller's coordinates.
    pub(crate) fn original(self, position: &Shape) -> Shape {
        let mut coordinates = position.to_vec();
        if let Some((axis, size)) = self.merged
            && let Some(&both) = coordinates.get(axis)
            && let (Some(first), Some(second)) = (both.checked_div(size), both.checked_rem(size))
        {
            coordinates.splice(axis..=axis, [first, second]);
        }
        coordinates.truncate(self.rank);
        Shape::new(&coordinates).unwrap_or(*position)
    }
}

impl Plan {
    /// The plan for a problem of these tensors.
    pub(crate) fn new(function: Function, problem: Problem, tensors: &Tensors) -> Self {
        Self { problem: Some(problem), ..Self::nothing(function, tensors) }
    }

    /// The plan to do nothing.
    pub(crate) fn nothing(function: Function, tensors: &Tensors) -> Self {
        let Tensors { self_, index, src, out } = tensors;
        let operands = Operands {
            self_: self_.operand,
            index: index.operand,
            src: src.as_ref().map(|src| src.operand),
            out: out.operand,
        };
        let positions = Positions { rank: rank(&operands.index), merged: None };
        Self { function, problem: None, positions, operands, is_moved: false }
    }

    /// Changes the address of a tensor. Whether tensors overlap now is told when the plan is run, for others may move yet.
    pub(crate) fn set_address(&mut self, slot: Slot, address: usize) -> Result<(), Failure> {
        let Operands { self_, index, src, out } = &mut self.operands;
        let operand = match slot {
            Slot::SelfTensor => self_,
            Slot::Index => index,
            Slot::Src => src.as_mut().unwrap_or(self_),
            Slot::Out => out,
        };
        address_of(operand.layout, operand.dtype.ok(), address).map_err(|refusal| match refusal {
            Refusal::Null => failure!(ACLNN_ERR_PARAM_NULLPTR, "addr is null"),
            other => failure!(ACLNN_ERR_INNER_NULLPTR, "addr: {other}"),
        })?;
        operand.address = address;
        if self.function.is_inplace() && slot == Slot::SelfTensor {
            self.operands.out.address = address;
        }
        self.is_moved = true;
        Ok(())
    }

    /// Binds the problem to the addresses as they are now, and tells whether they had changed.
    pub(crate) fn settle(&mut self) -> Result<bool, Failure> {
        let was_moved = self.is_moved;
        if let Some(problem) = self.problem.as_mut().filter(|_| self.is_moved) {
            let Operands { self_, index, src, out } = &self.operands;
            let addresses = Addresses {
                self_: self_.address,
                index: index.address,
                src: src.as_ref().map_or(0, |src| src.address),
                out: out.address,
            };
            *problem = problem
                .rebind(addresses)
                .map_err(|error| failure!(ACLNN_ERR_PARAM_INVALID, "{error} at the changed addresses"))?;
            self.is_moved = false;
        }
        Ok(was_moved)
    }

    /// What there is to do, on which tensors; `None` also where out is self and index is empty.
    pub(crate) fn work(&self) -> Option<(&Problem, &Operands)> {
        let needed = |problem: &&Problem| !(problem.is_copy() && problem.in_place());
        self.problem.as_ref().filter(needed).map(|problem| (problem, &self.operands))
    }
}

/// The rank of a tensor that has one.
fn rank(operand: &Operand) -> usize {
    operand.layout.map_or(scatter::MAX_RANK, |layout| layout.rank())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_told_in_the_callers_coordinates() {
        let position = |coordinates: &[usize]| Shape::new(coordinates).unwrap();
        let plain = Positions { rank: 2, merged: None };
        assert_eq!(plain.original(&position(&[1, 2])), position(&[1, 2]));
        assert_eq!(Positions { rank: 0, merged: None }.original(&position(&[0])), position(&[]));
        // The row form has one more axis behind.
        assert_eq!(plain.original(&position(&[1, 2, 0])), position(&[1, 2]));
        let merged = Positions { rank: 8, merged: Some((1, 5)) };
        assert_eq!(
            merged.original(&position(&[3, 13, 0, 1, 0, 1, 6, 0])),
            position(&[3, 2, 3, 0, 1, 0, 1, 6])
        );
    }
}
