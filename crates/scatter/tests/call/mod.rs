//! Calls of the operators without data, for tests of what `Problem` checks.

// Each test binary takes what it needs.
#![allow(dead_code)]

use scatter::{DType, Error, Layout, LayoutError, Op, Operand, Problem, Reduce, Scalar};

/// A call without data: addresses are far apart, so that nothing overlaps unless it is meant to.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) op: Op,
    pub(crate) self_: Operand,
    pub(crate) index: Operand,
    pub(crate) src: Option<Operand>,
    pub(crate) out: Operand,
}

pub(crate) const SELF: usize = 0x1_0000;
pub(crate) const INDEX: usize = 0x2_0000;
pub(crate) const SRC: usize = 0x3_0000;
pub(crate) const OUT: usize = 0x4_0000;

pub(crate) fn contiguous(dtype: DType, shape: &[usize], address: usize) -> Operand {
    Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
}

pub(crate) fn strided(operand: Operand, shape: &[usize], strides: &[isize]) -> Operand {
    Operand { layout: Layout::new(shape, strides, 0, 1000), ..operand }
}

impl Call {
    /// `scatter_reduce` of f32 along axis 0: self [3, 4], index [2, 4], src [2, 5], into another
    /// tensor.
    pub(crate) fn along_dim() -> Self {
        Self {
            op: Op::ScatterReduce { dim: 0, reduce: Reduce::Add, include_self: true },
            self_: contiguous(DType::F32, &[3, 4], SELF),
            index: contiguous(DType::I64, &[2, 4], INDEX),
            src: Some(contiguous(DType::F32, &[2, 5], SRC)),
            out: contiguous(DType::F32, &[3, 4], OUT),
        }
    }

    pub(crate) fn value() -> Self {
        let op = Op::ScatterValue { dim: 0, value: Scalar::from(1), reduce: Reduce::None };
        Self { op, src: None, ..Self::along_dim() }
    }

    /// `scatter_nd_add` of f32: self [3, 4, 5], two rows of two coordinates, updates [2, 5].
    pub(crate) fn nd() -> Self {
        Self {
            op: Op::ScatterNdAdd,
            self_: contiguous(DType::F32, &[3, 4, 5], SELF),
            index: contiguous(DType::I32, &[2, 2], INDEX),
            src: Some(contiguous(DType::F32, &[2, 5], SRC)),
            out: contiguous(DType::F32, &[3, 4, 5], OUT),
        }
    }

    pub(crate) fn problem(&self) -> Result<Problem, Error> {
        Problem::new(self.op, &self.self_, &self.index, self.src.as_ref(), &self.out)
    }

    /// Gives self, src and out another dtype.
    pub(crate) fn set_dtype(&mut self, dtype: DType) {
        self.self_.dtype = Ok(dtype);
        self.src.iter_mut().for_each(|src| src.dtype = Ok(dtype));
        self.out.dtype = Ok(dtype);
    }

    pub(crate) fn set_src(&mut self, change: impl Fn(Operand) -> Operand) {
        self.src = self.src.map(change);
    }
}

/// More axes than a tensor can have.
pub(crate) fn nine_axes() -> Result<Layout, LayoutError> {
    Layout::contiguous(&[1; 9], 1)
}
