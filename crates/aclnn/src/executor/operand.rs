//! The tensors that an operator uses.

use core::fmt;

use aclnn_sys::aclTensor;
use smallvec::SmallVec;

use crate::error::Result;
use crate::memory::DeviceBuffer;
use crate::stream::uses::{Access, Locked, Used};
use crate::tensor::{Descriptor, Hold, HoldMut, Kind, TensorBase};

/// A tensor that an operator reads or writes, for [`Executor::prepare`](crate::Executor::prepare).
///
/// It shares the tensor's memory, and has an `aclTensor` of its own ([`as_raw`](Self::as_raw)), so
/// that [`RepeatableExecutor`](crate::RepeatableExecutor) can give the operand other memory without
/// changing the tensor.
pub struct ExecutorOperand {
    pub(super) buffer: DeviceBuffer,
    /// Lives as long as the operand, because an executor may read its tensors until its last
    /// launch.
    descriptor: Descriptor,
    access: Access,
}

impl ExecutorOperand {
    /// A tensor that the operator reads.
    ///
    /// # Errors
    /// What `aclCreateTensor` returns.
    pub fn read<H: Hold, K: Kind>(tensor: &TensorBase<H, K>) -> Result<Self> {
        Self::new(tensor, Access::Read)
    }

    /// A tensor that the operator writes, or reads and writes.
    ///
    /// # Errors
    /// What `aclCreateTensor` returns.
    pub fn write<H: HoldMut, K: Kind>(tensor: &mut TensorBase<H, K>) -> Result<Self> {
        Self::new(tensor, Access::Write)
    }

    fn new<H, K: Kind>(tensor: &TensorBase<H, K>, access: Access) -> Result<Self> {
        let buffer = tensor.buffer().clone();
        let descriptor = Descriptor::new(&buffer, tensor.dtype(), tensor.layout())?;
        Ok(Self { buffer, descriptor, access })
    }

    /// The `aclTensor`, for phase one; the operand owns it, and destroys it when dropped.
    #[must_use]
    pub fn as_raw(&self) -> *mut aclTensor {
        self.descriptor.handle()
    }
}

impl fmt::Debug for ExecutorOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorOperand")
            .field("is_written", &(self.access != Access::Read))
            .field("buffer", &self.buffer)
            .finish_non_exhaustive()
    }
}

/// Locks the records of who uses the operands' memory, for one launch.
pub(super) fn lock(operands: &[ExecutorOperand]) -> Locked<'_> {
    let mut used: SmallVec<[Used<'_>; 4]> =
        operands.iter().map(|operand| (operand.buffer.tracked().uses(), operand.access)).collect();
    Locked::new(&mut used)
}
