//! `ndarray` arrays and views: copies to the device and back.

use ndarray::{ArrayBase, ArrayD, Data, Dimension};
use scatter::Element;

use crate::error::{Error, Result};
use crate::stream::Stream;
use crate::tensor::{HostData, TensorBase, expect_size};

/// An array or view with any strides, as in `Tensor::new(&array, &stream)`.
impl<T: Element, S: Data<Elem = T>, D: Dimension> HostData<T> for ArrayBase<S, D> {
    fn push_shape(&self, shape: &mut Vec<usize>) {
        shape.extend_from_slice(self.shape());
    }

    fn push_elements(&self, shape: &[usize], elements: &mut Vec<T>) -> Result<()> {
        for axis in 0..shape.len().max(self.ndim()) {
            let size = |sizes: &[usize]| sizes.get(axis).copied().unwrap_or(0);
            expect_size(axis, size(shape), size(self.shape()))?;
        }
        match self.as_slice() {
            Some(slice) => elements.extend_from_slice(slice),
            None => elements.extend(self.iter().copied()),
        }
        Ok(())
    }
}

/// With feature `ndarray-0_17`.
impl<H, T: Element> TensorBase<H, T> {
    /// The elements as an array of the tensor's shape; waits for them as
    /// [`to_vec`](TensorBase::to_vec) does.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    /// use ndarray::array;
    ///
    /// let embedding = array![[0.0_f32, 0.0], [0.0, 0.0], [0.0, 0.0]];
    /// let (index, grad) = (array![[2_i64, 2], [0, 2]], array![[1.0_f32, 2.0], [3.0, 4.0]]);
    /// let mut table = Tensor::new(&embedding, &stream)?;
    /// table.scatter_add_(0, &Tensor::new(&index, &stream)?, &Tensor::new(grad.view(), &stream)?, &stream)?;
    /// assert_eq!(table.to_ndarray(&stream)?, array![[3.0, 0.0], [0.0, 0.0], [1.0, 6.0]].into_dyn());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](TensorBase::to_vec).
    pub fn to_ndarray(&self, stream: &Stream) -> Result<ArrayD<T>> {
        let elements = self.to_vec(stream)?;
        ArrayD::from_shape_vec(self.shape(), elements)
            .map_err(|_| Error::Unsupported { call: "to_ndarray", problem: "ndarray has no such shape" })
    }
}
