//! The gradient of a scatter with respect to src: the gather with the same index.

use super::aliasing::{apart, extent, not_itself};
use super::rules::{
    index_dtype, index_fits_self, inside_storage, known_dtype, of_some_rank, same_dtype, same_rank,
    same_shape,
};
use super::{Operand, Target, Updates};
use crate::{Argument, DType, Error, Layout, Operator};

/// A validated `scatter_src_grad(grad, dim, index) -> out`:
/// `out[i][j][k] = grad[i][index[i][j][k]][k]` for rank 3 and dim 1.
///
/// `grad` is the gradient of the scatter's result (self's shape), `out` that of src. As
/// `Tensor.scatter_` says, it exists where src has the shape of index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SrcGrad {
    dtype: DType,
    /// grad, index, out.
    operands: [Operand; 3],
    grad: Layout,
    out: Layout,
    updates: Option<Updates>,
}

const OPERATOR: Operator = Operator::ScatterSrcGrad;

impl SrcGrad {
    /// Checks everything that can be checked without the data, in the order of
    /// [`crate::Problem::new`] with grad for self: dtypes, layouts, grad's rank, out's shape (which
    /// is index's), ranks, index within grad off dim, dim, and that out shares memory with nothing.
    ///
    /// # Errors
    /// The [`Error`] of the first rule broken.
    pub fn new(grad: &Operand, dim: i64, index: &Operand, out: &Operand) -> Result<Self, Error> {
        let operands = [*grad, *index, *out];
        let dtype = known_dtype(OPERATOR, Argument::Grad, grad)?;
        same_dtype(OPERATOR, Argument::Out, out, dtype)?;
        if !index.is_empty() {
            index_dtype(OPERATOR, index)?;
        }
        for (argument, operand) in [(Argument::Grad, grad), (Argument::Index, index), (Argument::Out, out)] {
            inside_storage(OPERATOR, argument, operand)?;
        }
        let grad_layout = of_some_rank(OPERATOR, Argument::Grad, grad)?;
        let index_layout = of_some_rank(OPERATOR, Argument::Index, index)?;
        let out_layout = same_shape(OPERATOR, out, index_layout.shape())?;
        if index_layout.is_empty() {
            return Ok(Self { dtype, operands, grad: grad_layout, out: out_layout, updates: None });
        }
        let index_layout = same_rank(OPERATOR, Argument::Index, index, &grad_layout)?;
        let dim = index_fits_self(OPERATOR, &index_layout, &grad_layout, dim)?;
        let updates = Updates { index: index_layout, src: Some(out_layout), target: Target::Dim(dim) };
        let problem = Self { dtype, operands, grad: grad_layout, out: out_layout, updates: Some(updates) };
        problem.check_aliasing()?;
        Ok(problem)
    }

    /// The same problem for tensors at other addresses; the aliasing rules are checked again.
    ///
    /// # Errors
    /// [`Error::SelfOverlap`] or [`Error::Overlap`].
    pub fn rebind(&self, grad: usize, index: usize, out: usize) -> Result<Self, Error> {
        let mut moved = *self;
        for (operand, address) in moved.operands.iter_mut().zip([grad, index, out]) {
            operand.address = address;
        }
        if moved.updates.is_some() {
            moved.check_aliasing()?;
        }
        Ok(moved)
    }

    fn check_aliasing(&self) -> Result<(), Error> {
        not_itself(OPERATOR, &self.out)?;
        let [grad, index, written] = &self.operands;
        let out = extent(&self.out, written, self.dtype);
        apart(OPERATOR, &out, Argument::Grad, grad)?;
        apart(OPERATOR, &out, Argument::Index, index)
    }

    /// The dtype of grad and out.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The dtype of index; `None` where index is empty, for then it isn't checked.
    #[must_use]
    pub fn index_dtype(&self) -> Option<DType> {
        if self.updates.is_some() { self.operands[1].dtype.ok() } else { None }
    }

    /// The layout of grad; rank 0 is `[1]`.
    #[must_use]
    pub const fn grad_layout(&self) -> &Layout {
        &self.grad
    }

    /// The layout of out; rank 0 is `[1]`.
    #[must_use]
    pub const fn out_layout(&self) -> &Layout {
        &self.out
    }

    /// The layout of index, rank 0 made `[1]`; `None` where index is empty and there is nothing to
    /// do.
    #[must_use]
    pub fn index_layout(&self) -> Option<&Layout> {
        self.updates.as_ref().map(|updates| &updates.index)
    }

    /// The axis of grad that index points into; `None` where there is nothing to do.
    #[must_use]
    pub fn axis(&self) -> Option<usize> {
        match self.updates.as_ref()?.target {
            Target::Dim(axis) => Some(axis),
            Target::Nd(_) => None,
        }
    }

    /// The addresses that grad, index and out are bound to.
    pub(crate) fn addresses(&self) -> [usize; 3] {
        self.operands.map(|operand| operand.address)
    }

    /// index, and out in the place of src; `None` where index is empty.
    pub(crate) const fn updates(&self) -> Option<&Updates> {
        self.updates.as_ref()
    }

    pub(crate) fn check_binding(&self, grad: &Operand, index: &Operand, out: &Operand) -> Result<(), Error> {
        let given = [(Argument::Grad, grad), (Argument::Index, index), (Argument::Out, out)];
        match given.into_iter().zip(&self.operands).find(|((_, given), bound)| given != bound) {
            None => Ok(()),
            Some(((argument, _), _)) => Err(Error::Binding { operator: OPERATOR, argument }),
        }
    }
}
