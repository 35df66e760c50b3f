//! One call of an operator with its tensors: the input of every engine.

use scatter::{Argument, Error, Op, Operand, Problem, UnsupportedDType};

use crate::refusal::Refusal;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A false description of a tensor, for calls that must be refused: a dtype that doesn't exist, or
/// memory that overlaps. An engine must refuse the call before it accesses memory by the claim.
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
    pub op: Op,
    /// self; `None` in place, where it is `out`.
    pub self_: Option<&'a Tensor>,
    /// index, or indices.
    pub index: &'a Tensor,
    /// src, or updates; `None` where the operator takes none.
    pub src: Option<&'a Tensor>,
    /// The tensor that is written.
    pub out: &'a mut Tensor,
    /// A false description of one of the tensors.
    pub claim: Option<Claim>,
}

impl Call<'_> {
    /// Checks the call.
    ///
    /// # Errors
    /// The first rule that the call breaks.
    pub fn problem(&self) -> Result<Problem, Error> {
        let self_ =
            self.self_.map_or_else(|| self.out.operand(), |self_| self.claimed(Argument::SelfTensor, self_));
        let index = self.claimed(Argument::Index, self.index);
        let src = self.src.map(|src| self.claimed(Argument::Src, src));
        Problem::new(self.op, &self_, &index, src.as_ref(), &self.claimed(Argument::Out, self.out))
    }

    /// After an index out of range, restores out's elements from `before`, a copy of its storage.
    /// For kernels, which may have made some of the updates before they find it. The memory around
    /// out's elements is left as it is, because not even kernels may change that.
    pub fn take_back(&mut self, before: &Storage, outcome: &Result<(), Refusal>) {
        if outcome.as_ref().is_err_and(Refusal::is_index) {
            let addresses = self.out.addresses();
            self.out.storage.scattered(&addresses, &before.gathered(&addresses));
        }
    }

    /// Checks that what the call only reads is as it was. Where it is now are `self_`, index and
    /// src, from which `read` copies as many bytes as the tensor's storage has; what is `None`
    /// isn't checked.
    ///
    /// # Errors
    /// `read` fails, or a storage has changed.
    pub fn check_sources<D>(
        &self,
        [self_, index, src]: [Option<&D>; 3],
        read: impl Fn(&D, &mut [u8]) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let sources = [
            (Argument::SelfTensor, self_.zip(self.self_)),
            (Argument::Index, index.zip(Some(self.index))),
            (Argument::Src, src.zip(self.src)),
        ];
        for (argument, source) in sources {
            let Some((now, tensor)) = source else { continue };
            let mut after = vec![0; tensor.storage.bytes().len()];
            read(now, &mut after)?;
            if after != tensor.storage.bytes() {
                return Err(Refusal::Written { argument: argument.name(self.op.operator()) });
            }
        }
        Ok(())
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
