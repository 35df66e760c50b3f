//! Filling a tensor with one number.

use scatter::{Scalar, with_element};

use super::copy::copy;
use crate::error::Result;
use crate::stream::On;
use crate::tensor::{HoldMut, Kind, Tensor, TensorBase, number};

impl<H: HoldMut, K: Kind> TensorBase<H, K> {
    /// Writes one number to all elements, converted to the dtype as
    /// [`scatter_`](TensorBase::scatter_) converts a number. The stream does the work; the call
    /// does not wait for it.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let mut table = Tensor::<f32>::zeros((2, 3), &stream)?;
    /// table.fill_(7, &stream)?;
    /// table.view_mut().narrow(1, 0..1)?.fill_(0.5, &stream)?;
    /// assert_eq!(table.to_vec(&stream)?, [0.5, 7.0, 7.0, 0.5, 7.0, 7.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) for a number that the dtype can't represent;
    /// [`Error::Device`](crate::Error::Device) for a stream of another device; what CANN returns;
    /// the pending error of an earlier drop.
    pub fn fill_<'s>(&mut self, value: impl Into<Scalar>, on: impl Into<On<'s>>) -> Result<&mut Self> {
        let (value, on) = (value.into(), on.into());
        on.stream.device().expect_same("fill_", self.device())?;
        let one = with_element!(self.dtype(), T => {
            Tensor::<T>::full((), number("fill_", value)?, on.stream)?.into_any()
        });
        let everywhere = one.expand(self.shape())?;
        copy(everywhere.raw(), self.raw(), on)?;
        Ok(self)
    }
}
