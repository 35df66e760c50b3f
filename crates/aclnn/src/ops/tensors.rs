//! The tensors of a scatter.

use core::fmt;

use aclnn_scatter::Operands;
use scatter::{Error, IndexList, Operand};
use smallvec::SmallVec;

use crate::stream::uses::{Access, Used};
use crate::tensor::RawTensor;

/// The tensors of a scatter; in place, `out` is self.
#[derive(Clone, Copy)]
pub(super) struct Tensors<'a> {
    /// `None` where the operator takes none.
    pub(super) self_: Option<&'a RawTensor>,
    pub(super) index: IndexTensors<'a>,
    /// `None` where one number stands for all its elements, and for a gather.
    pub(super) src: Option<&'a RawTensor>,
    pub(super) out: &'a RawTensor,
}

/// index of a scatter.
#[derive(Clone, Copy)]
pub(super) enum IndexTensors<'a> {
    One(&'a RawTensor),
    /// A tensor, or none, for each leading axis of self.
    List(&'a [Option<&'a RawTensor>]),
}

impl<'a> Tensors<'a> {
    /// Those of an operator that takes self and one index.
    pub(super) fn new(
        self_: &'a RawTensor,
        index: &'a RawTensor,
        src: Option<&'a RawTensor>,
        out: &'a RawTensor,
    ) -> Self {
        Self { self_: Some(self_), index: index.into(), src, out }
    }

    /// The tensors as `Problem::new` takes them, and the list from which index is made, if it is.
    ///
    /// # Errors
    /// The first rule broken, if it is about the list, or comes before that.
    pub(super) fn operands(self) -> Result<(Operands, Option<Box<IndexList>>), Error> {
        let Self { self_, index, src, out } = self;
        let (self_, src, out) = (self_.unwrap_or(out).operand(), src.map(RawTensor::operand), out.operand());
        let list = match index {
            IndexTensors::One(index) => {
                return Ok((Operands { self_, index: index.operand(), src, out }, None));
            }
            IndexTensors::List(list) => list.iter().map(|index| index.map(RawTensor::operand)),
        };
        let list: SmallVec<[Option<Operand>; 4]> = list.collect();
        let list = Box::new(IndexList::in_call(&list, &self_, src.as_ref(), &out)?);
        Ok((Operands { self_, index: list.operand(), src, out }, Some(list)))
    }

    /// The tensors that the scatter reads.
    pub(super) fn read(self) -> impl Iterator<Item = &'a RawTensor> {
        let Self { self_, index, src, .. } = self;
        let (one, list) = match index {
            IndexTensors::One(index) => (Some(index), &[][..]),
            IndexTensors::List(list) => (None, list),
        };
        self_.into_iter().chain(one).chain(list.iter().copied().flatten()).chain(src)
    }

    /// The memory of the tensors, and whether the scatter reads or writes it.
    pub(super) fn uses(self) -> SmallVec<[Used<'a>; 4]> {
        let mut used: SmallVec<[Used<'a>; 4]> = SmallVec::new();
        used.push((self.out.buffer.tracked().uses(), self.out.write()));
        used.extend(self.read().map(|read| (read.buffer.tracked().uses(), Access::Read)));
        used
    }
}

impl<'a> From<&'a RawTensor> for IndexTensors<'a> {
    fn from(index: &'a RawTensor) -> Self {
        Self::One(index)
    }
}

/// The shape, or the shapes.
impl fmt::Debug for IndexTensors<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(index) => index.layout.shape().fmt(f),
            Self::List(list) => f
                .debug_list()
                .entries(list.iter().map(|index| index.map(|index| index.layout.shape())))
                .finish(),
        }
    }
}
