//! One call of an operator, as its caller makes it: what every engine takes.

use scatter::{Argument, Error, Op, Operand, Problem, SrcGrad, UnsupportedDType};

use crate::storage::Storage;
use crate::task::Task;
use crate::tensor::Tensor;

/// What a caller says of a tensor though it isn't so: refusals need dtypes that don't exist and
/// memory that overlaps. No engine may act on it, for the call is to be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The argument's dtype is this code.
    DType(Argument, UnsupportedDType),
    /// The argument's storage starts this many bytes after out's.
    BytesAfterOut(Argument, usize),
}

/// A call with its tensors.
#[derive(Debug)]
pub struct Call<'a> {
    /// What is computed.
    pub task: Task,
    /// self, or the gradient of a result; `None` in place, where it is `out`.
    pub self_: Option<&'a Tensor>,
    /// index, or indices.
    pub index: &'a Tensor,
    /// src, or updates; `None` where the operator takes none.
    pub src: Option<&'a Tensor>,
    /// The tensor that is written.
    pub out: &'a mut Tensor,
    /// What is untrue about one of them.
    pub claim: Option<Claim>,
}

impl Call<'_> {
    /// The scatter that the call asks for, checked.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn problem(&self, op: Op) -> Result<Problem, Error> {
        let self_ =
            self.self_.map_or_else(|| self.out.operand(), |self_| self.claimed(Argument::SelfTensor, self_));
        let index = self.claimed(Argument::Index, self.index);
        let src = self.src.map(|src| self.claimed(Argument::Src, src));
        Problem::new(op, &self_, &index, src.as_ref(), &self.claimed(Argument::Out, self.out))
    }

    /// The gradient that the call asks for, checked.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn src_grad(&self, dim: i64) -> Result<SrcGrad, Error> {
        let grad = self.claimed(Argument::Grad, self.self_.unwrap_or(self.out));
        let index = self.claimed(Argument::Index, self.index);
        SrcGrad::new(&grad, dim, &index, &self.claimed(Argument::Out, self.out))
    }

    /// Gives out's elements the values that they had when its storage was `before`, where a device
    /// has made some updates of a call that an index out of range refuses: what is promised of the
    /// memory beside them holds.
    pub fn take_back(&mut self, before: &Storage) {
        let addresses = self.out.addresses();
        self.out.storage.scattered(&addresses, &before.gathered(&addresses));
    }

    fn claimed(&self, argument: Argument, tensor: &Tensor) -> Operand {
        let mut operand = tensor.operand();
        match self.claim {
            Some(Claim::DType(of, code)) if of == argument => operand.dtype = Err(code),
            Some(Claim::BytesAfterOut(of, bytes)) if of == argument => {
                operand.address = self.out.operand().address.wrapping_add(bytes);
            }
            _ => {}
        }
        operand
    }
}
