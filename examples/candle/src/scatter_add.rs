//! `scatter_add` as a custom operator of candle, computed by aclnn.

use aclnn::{AnyTensor, Element, Stream, Tensor};
use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, CustomOp3, Error, InplaceOp3, Layout, Result, Shape, WithDType, bail};

/// `self[i][index[i][j][k]][k] += src[i][j][k]` (for rank 3 and dim 1), on candle's CPU tensors:
/// into a new tensor ([`CustomOp3`]), or in place ([`InplaceOp3`]) if self is contiguous.
///
/// The dtype of self and src is bf16, f16, f32, f64, i64, i32, i16 or u8, that of index i64, i32 or
/// u32. All strides are supported: a broadcast index is read as it is, while candle's own
/// scatter_add requires a copy. Sums of bf16 and f16 are rounded once. An index out of range is an
/// error, including the largest value of its type, which candle's own scatter_add skips.
#[derive(Debug)]
pub(crate) struct ScatterAdd {
    /// The axis of self that index points into.
    pub(crate) dim: usize,
    /// The stream on which the device computes.
    pub(crate) stream: Stream,
}

/// Evaluates `$what` with the elements of a storage, for each dtype that candle and aclnn have in
/// common.
macro_rules! with_elements {
    ($storage:expr, $elements:ident => $what:expr) => {
        match $storage {
            CpuStorage::BF16($elements) => $what,
            CpuStorage::F16($elements) => $what,
            CpuStorage::F32($elements) => $what,
            CpuStorage::F64($elements) => $what,
            CpuStorage::I64($elements) => $what,
            CpuStorage::I32($elements) => $what,
            CpuStorage::I16($elements) => $what,
            CpuStorage::U8($elements) => $what,
            other => bail!("scatter_add: a dtype of aclnn expected for self, got {:?}", other.dtype()),
        }
    };
}

impl CustomOp3 for ScatterAdd {
    fn name(&self) -> &'static str {
        "aclnn-scatter-add"
    }

    fn cpu_fwd(
        &self,
        self_: &CpuStorage,
        self_layout: &Layout,
        index: &CpuStorage,
        index_layout: &Layout,
        src: &CpuStorage,
        src_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (index, src) = ((index, index_layout), (src, src_layout));
        let out = with_elements!(self_, elements => {
            WithDType::to_cpu_storage_owned(self.sums(elements, self_layout, index, src)?)
        });
        Ok((out, self_layout.shape().clone()))
    }
}

impl InplaceOp3 for ScatterAdd {
    fn name(&self) -> &'static str {
        CustomOp3::name(self)
    }

    fn cpu_fwd(
        &self,
        self_: &mut CpuStorage,
        self_layout: &Layout,
        index: &CpuStorage,
        index_layout: &Layout,
        src: &CpuStorage,
        src_layout: &Layout,
    ) -> Result<()> {
        let Some((start, end)) = self_layout.contiguous_offsets() else {
            return Err(Error::RequiresContiguous { op: CustomOp3::name(self) }.bt());
        };
        let (index, src) = ((index, index_layout), (src, src_layout));
        with_elements!(self_, elements => {
            let sums = self.sums(elements, self_layout, index, src)?;
            elements[start..end].copy_from_slice(&sums);
        });
        Ok(())
    }
}

impl ScatterAdd {
    /// The elements of the result in row-major order.
    fn sums<T: WithDType + Element>(
        &self,
        self_: &[T],
        self_layout: &Layout,
        (index, index_layout): (&CpuStorage, &Layout),
        (src, src_layout): (&CpuStorage, &Layout),
    ) -> Result<Vec<T>> {
        let index: AnyTensor = match index {
            CpuStorage::I64(index) => self.to_device(index, index_layout)?.into_any(),
            CpuStorage::I32(index) => self.to_device(index, index_layout)?.into_any(),
            CpuStorage::U32(index) => {
                let index: Vec<i64> = index.iter().map(|&index| index.into()).collect();
                self.to_device(&index, index_layout)?.into_any()
            }
            other => bail!("scatter_add: index of i64, i32 or u32 expected, got {:?}", other.dtype()),
        };
        let self_ = self.to_device(self_, self_layout)?;
        let src = self.to_device(T::cpu_storage_as_slice(src)?, src_layout)?;
        let sums = self_.scatter_add(self.dim as i64, &index, &src, &self.stream);
        sums.and_then(|sums| sums.to_vec(&self.stream)).map_err(Error::wrap)
    }

    /// Copies a candle tensor to the device with its strides. Only the part of the storage that it
    /// addresses is copied.
    fn to_device<T: Element>(&self, elements: &[T], layout: &Layout) -> Result<Tensor<T>> {
        let reach =
            layout.dims().iter().zip(layout.stride()).map(|(size, stride)| size.saturating_sub(1) * stride);
        let len = if layout.dims().contains(&0) { 0 } else { reach.sum::<usize>() + 1 };
        let elements = &elements[layout.start_offset()..][..len];
        let strides: Vec<isize> = layout.stride().iter().map(|&stride| stride as isize).collect();
        Tensor::from_slice(elements, [len], &self.stream)
            .and_then(|memory| Tensor::<T>::from_buffer(memory.buffer().clone(), layout.dims(), strides, 0))
            .map_err(Error::wrap)
    }
}
