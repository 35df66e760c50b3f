//! The tensors of a scatter.

use aclnn_scatter::Operands;
use smallvec::SmallVec;

use crate::stream::uses::{Access, Used};
use crate::tensor::RawTensor;

/// The tensors of a scatter; in place, `out` is self.
#[derive(Clone, Copy)]
pub(super) struct Tensors<'a> {
    /// `None` where the operator takes none.
    pub(super) self_: Option<&'a RawTensor>,
    pub(super) index: &'a RawTensor,
    /// `None` where one number stands for all its elements, and for a gather.
    pub(super) src: Option<&'a RawTensor>,
    pub(super) out: &'a RawTensor,
}

impl<'a> Tensors<'a> {
    /// The tensors as `Problem::new` takes them.
    pub(super) fn operands(self) -> Operands {
        let Self { self_, index, src, out } = self;
        let [self_, index, out] = [self_.unwrap_or(out), index, out].map(RawTensor::operand);
        Operands { self_, index, src: src.map(RawTensor::operand), out }
    }

    /// The memory of the tensors, and whether the scatter reads or writes it.
    pub(super) fn uses(self) -> SmallVec<[Used<'a>; 4]> {
        let Self { self_, index, src, out } = self;
        let mut used: SmallVec<[Used<'a>; 4]> = SmallVec::new();
        used.push((out.buffer.tracked().uses(), out.write()));
        used.extend(
            self_
                .into_iter()
                .chain([index])
                .chain(src)
                .map(|read| (read.buffer.tracked().uses(), Access::Read)),
        );
        used
    }
}
