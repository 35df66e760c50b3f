//! A scatter that is computed both by the reference and by the C functions.

use std::ffi::c_void;
use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{AclnnStatus, aclOpExecutor, aclrtStream};
use scatter::{Axes, Element, Index, Layout, Op, Operand, Problem, Reduce, Scalar, reference};

use super::tensors::{self, List, Memory, Spec, Tensor, code, handle, list};
use super::which::Which;

/// The layout of a tensor, and the values in its storage.
#[derive(Clone, Debug)]
pub(crate) struct Data<T> {
    pub(crate) layout: Layout,
    pub(crate) values: Vec<T>,
}

impl<T: Element> Data<T> {
    fn operand(&self) -> Operand {
        Operand::new(T::DTYPE, self.layout, self.values.as_ptr().addr())
    }

    fn upload(&self) -> (Memory, Tensor) {
        let memory = Memory::of(&self.values);
        let tensor = self.spec(memory.address).create();
        (memory, tensor)
    }

    fn spec(&self, address: *mut c_void) -> Spec {
        let signed = |numbers: &[usize]| numbers.iter().map(|&number| number as i64).collect();
        Spec {
            dtype: code(T::DTYPE),
            shape: signed(self.layout.shape()),
            strides: self.layout.strides().iter().map(|&stride| stride as i64).collect(),
            offset: self.layout.offset() as i64,
            storage: vec![self.values.len() as i64],
            address,
        }
    }

    /// For each axis of self up to the last of `axes` the coordinates that this index has for it
    /// along its last axis, or a tensor without elements.
    fn columns(&self, axes: Axes, address: *mut c_void) -> List {
        let nothing = Spec::new(code(T::DTYPE), &[0], null_mut());
        let mut columns = vec![nothing; axes.iter().last().map_or(0, |axis| axis + 1)];
        for (number, axis) in (0..).zip(axes.iter()) {
            let mut column = self.spec(address);
            column.shape.pop();
            column.offset += number * column.strides.pop().unwrap();
            columns[axis] = column;
        }
        List { raw: list(&columns.iter().map(handle).collect::<Vec<_>>()), memory: Vec::new() }
    }
}

/// A scatter; in place if `out` is `None`.
#[derive(Clone, Debug)]
pub(crate) struct Case<T, I> {
    pub(crate) op: Op,
    pub(crate) self_: Data<T>,
    pub(crate) index: Data<I>,
    pub(crate) src: Option<Data<T>>,
    pub(crate) out: Option<Data<T>>,
    /// If set, indices of the row form of `aclnnTfScatterAdd`, which the C function gets instead of
    /// index.
    pub(crate) rows: Option<Data<I>>,
}

/// A number as an `aclScalar`.
fn scalar(value: Scalar) -> tensors::Scalar {
    use aclnn_scatter::sys::{ACL_BOOL, ACL_COMPLEX128, ACL_DOUBLE, ACL_INT64};
    match value {
        Scalar::Bool(value) => tensors::Scalar::new(u8::from(value), ACL_BOOL),
        Scalar::Int(value) => tensors::Scalar::new(value as i64, ACL_INT64),
        Scalar::Float(value) => tensors::Scalar::new(value, ACL_DOUBLE),
        Scalar::Complex(value) => tensors::Scalar::new([value.re, value.im], ACL_COMPLEX128),
        other => panic!("{other:?}"),
    }
}

impl<T: Element, I: Index> Case<T, I> {
    /// The storage that the reference computes.
    pub(crate) fn expected(&self) -> Vec<T> {
        let mut written = self.out.clone().unwrap_or_else(|| self.self_.clone());
        let out = written.operand();
        let self_ = if self.out.is_some() { self.self_.operand() } else { out };
        let src = self.src.as_ref().map(Data::operand);
        let problem = Problem::new(self.op, &self_, &self.index.operand(), src.as_ref(), &out)
            .unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        let original = self.out.as_ref().map(|_| self.self_.values.as_slice());
        let src = self.src.as_ref().map(|src| src.values.as_slice());
        reference::run(&problem, original, &self.index.values, src, &mut written.values)
            .unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        written.values
    }

    /// What stands for the code of a reduction: the row of padding, where there can be one.
    fn code(&self) -> i64 {
        self.op.padding().map_or(self.op.reduce().code(), |row| row as i64)
    }

    /// The storage that the C functions compute, after the stream is synchronised; or the code with
    /// which phase one fails.
    pub(crate) fn by_c(&self, stream: aclrtStream) -> Result<Memory, AclnnStatus> {
        let (self_memory, self_) = self.self_.upload();
        let (index_memory, index) = self.rows.as_ref().unwrap_or(&self.index).upload();
        let (_src_memory, src) = self.src.as_ref().map(Data::upload).unzip();
        let (out_memory, out) = self.out.as_ref().map(Data::upload).unzip();
        let src = src.as_ref().map_or(null_mut(), |src| src.0);
        let value = self.op.scalar().map(scalar);
        let value = value.as_ref().map_or(null_mut(), |value| value.0);
        let (self_, index) = (self_.0, index.0);
        let (mut size, mut executor) = (u64::MAX, null_mut::<aclOpExecutor>());
        let list = self.op.axes().map(|axes| self.index.columns(axes, index_memory.address));
        // In place, a function that takes an out is given self there.
        let out = out.as_ref().map_or(self_, |out| out.0);
        let which = || Which::of(self.op, out == self_);
        let (size_to, executor_to) = (&raw mut size, &raw mut executor);
        let status = match &list {
            Some(list) => {
                let (first, is_sum) = (c::aclnnIndexPutImplGetWorkspaceSize, self.op.reduce() == Reduce::Add);
                // SAFETY: the handles live, and the results are live locals.
                unsafe { first(self_, list.raw, src, is_sum, false, size_to, executor_to) }
            }
            None => {
                let parameters = (self.op.dim().unwrap_or_default(), self.code(), self.op.include_self());
                which().first([self_, index, src, out], value, parameters, size_to, executor_to)
            }
        };
        if !status.is_success() {
            return Err(status);
        }
        let workspace = Memory::of(&vec![0xCC_u8; size as usize]);
        let status = match &list {
            // SAFETY: the tensors and the workspace live until the stream is synchronised.
            Some(_) => unsafe { c::aclnnIndexPutImpl(workspace.address, size, executor, stream) },
            None => which().second_with((workspace.address, size), executor, stream),
        };
        assert!(status.is_success(), "{status}: {}", super::messages());
        // SAFETY: the stream is live.
        let waited = unsafe { super::cann().aclrtSynchronizeStream(stream) }.unwrap();
        assert!(waited.is_success(), "{waited}: {}", super::messages());
        if out_memory.is_some() {
            assert_eq!(
                bytemuck::cast_slice::<T, u8>(&self_memory.read::<T>()),
                bytemuck::cast_slice::<T, u8>(&self.self_.values),
                "self was written"
            );
        }
        Ok(out_memory.unwrap_or(self_memory))
    }

    /// Compares the C functions with the reference.
    pub(crate) fn check(&self, stream: aclrtStream) {
        let expected = self.expected();
        let got = self.by_c(stream).unwrap_or_else(|code| panic!("{code}: {}\n{self:?}", super::messages()));
        let got = got.read::<T>();
        assert_eq!(bytemuck::cast_slice::<T, u8>(&got), bytemuck::cast_slice::<T, u8>(&expected), "{self:?}");
    }
}
