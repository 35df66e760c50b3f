//! Views with an axis more or less, and the transpose of a matrix.

use scatter::Layout;

use super::shape::{check_axis, transpose};
use super::{Kind, TensorBase};
use crate::error::{Error, Result};

impl<H, K: Kind> TensorBase<H, K> {
    /// Removes an axis of size 1.
    ///
    /// # Errors
    /// [`Error::Axis`]; [`Error::Size`] for an axis of another size.
    pub fn squeeze(self, axis: usize) -> Result<Self> {
        let layout = self.layout();
        check_axis("squeeze", layout, axis)?;
        let (mut shape, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
        let (got, _) = (shape.remove(axis), strides.remove(axis));
        if got != 1 {
            return Err(Error::Size { call: "squeeze", axis, expected: 1, got });
        }
        self.with_axes(&shape, &strides)
    }

    /// Inserts an axis of size 1 before `axis`, or after all axes where `axis` is the rank.
    ///
    /// ```
    /// # fn main() -> aclnn::Result<()> {
    /// # // SAFETY: nothing else runs that reads the environment.
    /// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
    /// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
    /// use aclnn::Tensor;
    ///
    /// let tokens = Tensor::<i64>::new([4, 0, 4], &stream)?;
    /// let rows = tokens.view().unsqueeze(1)?.expand((3, 16))?; // one index for each row of 16
    /// assert_eq!(rows.shape(), [3, 16]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Axis`]; [`Error::Layout`] for a ninth axis.
    pub fn unsqueeze(self, axis: usize) -> Result<Self> {
        let layout = self.layout();
        if axis > layout.rank() {
            return Err(Error::Axis { call: "unsqueeze", expected: layout.rank() + 1, got: axis });
        }
        let (mut shape, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
        // Any stride would do; this one keeps the strides of a contiguous tensor those of its new
        // shape.
        let stride = match (shape.get(axis), strides.get(axis)) {
            (Some(&size), Some(&stride)) => {
                stride.saturating_mul(isize::try_from(size).unwrap_or(isize::MAX))
            }
            _ => 1,
        };
        shape.insert(axis, 1);
        strides.insert(axis, stride);
        self.with_axes(&shape, &strides)
    }

    /// The transpose of a matrix. A tensor with one axis or none stays as it is.
    /// [`transpose`](TensorBase::transpose) swaps any two axes.
    ///
    /// # Errors
    /// [`Error::Rank`] for more than two axes.
    pub fn t(self) -> Result<Self> {
        match self.rank() {
            0 | 1 => Ok(self),
            2 => {
                let layout = transpose(self.layout(), 0, 1)?;
                Ok(self.relaid(layout))
            }
            got => Err(Error::Rank { call: "t", expected: 2, got }),
        }
    }

    /// The same elements with this shape and these strides.
    fn with_axes(self, shape: &[usize], strides: &[isize]) -> Result<Self> {
        let layout = Layout::new(shape, strides, self.layout().offset(), self.layout().storage_len())?;
        Ok(self.relaid(layout))
    }
}
