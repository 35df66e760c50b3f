//! A case: a call and its expected outcome.

use core::fmt;

use scatter::{DType, Error, Op};

use crate::call::{Call, Claim};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A call that owns its tensors, and its expected outcome.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name in `--filter` and in reports.
    pub name: String,
    /// What is computed.
    pub op: Op,
    /// self; in place it is the destination.
    pub self_: Tensor,
    /// index, or indices.
    pub index: Tensor,
    /// src, or updates; `None` where the operator takes none.
    pub src: Option<Tensor>,
    /// The tensor that is written; `None` in place.
    pub out: Option<Tensor>,
    /// A false description of one of the tensors.
    pub claim: Option<Claim>,
    /// The expected outcome.
    pub expected: Expected,
}

/// The expected outcome of a call.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The result of the reference, computed out of place on contiguous copies.
    Reference,
    /// These elements, in row-major order.
    Elements(Storage),
    /// The result of the reference, and no element further from `elements` than its `bound` (an
    /// f64).
    Within {
        /// The results of another implementation, in row-major order.
        elements: Storage,
        /// How far from each an element may be.
        bound: Storage,
    },
    /// This error, and nothing written.
    Refusal(Error),
}

impl Case {
    /// self's dtype.
    pub const fn dtype(&self) -> DType {
        self.self_.storage.dtype()
    }

    /// The tensor that is written, with its values before the call.
    pub fn destination(&self) -> &Tensor {
        self.out.as_ref().unwrap_or(&self.self_)
    }

    /// The tensor that is written.
    pub const fn destination_mut(&mut self) -> &mut Tensor {
        match &mut self.out {
            Some(out) => out,
            None => &mut self.self_,
        }
    }

    /// The call on this case's own tensors.
    pub fn call(&mut self) -> Call<'_> {
        let Self { op, self_, index, src, out, claim, .. } = self;
        let (self_, out) = match out {
            Some(out) => (Some(&*self_), out),
            None => (None, self_),
        };
        Call { op: *op, self_, index, src: src.as_ref(), out, claim: *claim }
    }

    /// The same call out of place, where the operator takes a self, on contiguous copies of all
    /// tensors. It must give the same elements.
    pub fn plain(&self) -> Self {
        Self {
            self_: self.self_.to_contiguous(),
            index: self.index.to_contiguous(),
            src: self.src.as_ref().map(Tensor::to_contiguous),
            out: (self.op.operator().signature().has_self).then(|| self.destination().to_contiguous()),
            ..self.clone()
        }
    }

    /// The number of elements of all tensors, by which the smallest failing case is chosen.
    pub fn elements(&self) -> usize {
        let tensors = [Some(&self.self_), Some(&self.index), self.src.as_ref(), self.out.as_ref()];
        tensors.into_iter().flatten().map(Tensor::elements).fold(0, usize::saturating_add)
    }
}

/// The call on one line, such as `scatter_add(dim = 1): self f32 [2, 3], index i64 [2, 4], src f32
/// [2, 4], in place`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.op)?;
        write!(f, ": self {}, index {}", self.self_, self.index)?;
        if let Some(src) = &self.src {
            write!(f, ", src {src}")?;
        }
        match &self.out {
            Some(out) => write!(f, ", into out {out}"),
            None => write!(f, ", in place"),
        }
    }
}
