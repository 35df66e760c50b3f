//! Executors that are launched more than once.

use core::ffi::c_void;
use core::fmt;

use aclnn_sys::{Cann, aclOpExecutor, aclTensor};
use smallvec::SmallVec;

use super::ExecutorOperand;
use super::operand::lock;
use super::prepared::Prepared;
use crate::call::aclnn;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::Stream;

/// An [`Executor`](crate::Executor) that can be launched again and again, and whose operands'
/// memory can be changed in between.
pub struct RepeatableExecutor {
    pub(super) prepared: Prepared,
    pub(super) operands: SmallVec<[ExecutorOperand; 4]>,
}

impl RepeatableExecutor {
    /// As [`Executor::launch`](crate::Executor::launch).
    ///
    /// # Errors
    /// As there.
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        let mut locked = lock(&self.operands);
        self.prepared.launch_again(stream, &mut locked)
    }

    /// Lets the operator use another buffer for an input, as large as the one before.
    ///
    /// `operand` counts the operands of [`Executor::prepare`](crate::Executor::prepare), `input`
    /// the inputs in the prototype of phase one.
    ///
    /// # Safety
    /// Operand and input are the same tensor, which is an input.
    ///
    /// # Errors
    /// [`Error::Range`] where there is no such operand, or the buffer is smaller than the one
    /// before; [`Error::Device`](crate::Error::Device); what `aclSetInputTensorAddr` returns.
    pub unsafe fn set_input(&mut self, operand: usize, input: usize, buffer: DeviceBuffer) -> Result<()> {
        self.exchange("set_input", operand, buffer, |cann, executor, tensor, address| {
            // SAFETY: the executor is alive, and by the caller's word the tensor is that input.
            unsafe { aclnn!(cann, aclSetInputTensorAddr(executor, input, tensor, address)) }
        })
    }

    /// [`set_input`](Self::set_input), for an output.
    ///
    /// # Safety
    /// Operand and output are the same tensor, which is an output.
    ///
    /// # Errors
    /// As there, of `aclSetOutputTensorAddr`.
    pub unsafe fn set_output(&mut self, operand: usize, output: usize, buffer: DeviceBuffer) -> Result<()> {
        self.exchange("set_output", operand, buffer, |cann, executor, tensor, address| {
            // SAFETY: the executor is alive, and by the caller's word the tensor is that output.
            unsafe { aclnn!(cann, aclSetOutputTensorAddr(executor, output, tensor, address)) }
        })
    }

    /// Gives an operand another buffer, of which `set` tells CANN.
    fn exchange(
        &mut self,
        call: &'static str,
        operand: usize,
        buffer: DeviceBuffer,
        set: impl FnOnce(&Cann, *mut aclOpExecutor, *mut aclTensor, *mut c_void) -> Result<()>,
    ) -> Result<()> {
        let outside = |expected, end| Error::Range { call, axis: 0, expected, start: 0, end };
        let (device, operands) = (&self.prepared.device, self.operands.len());
        let known = self.operands.get_mut(operand).ok_or(outside(operands, operand))?;
        device.expect_same(call, buffer.device())?;
        if buffer.bytes() < known.buffer.bytes() {
            return Err(outside(buffer.bytes(), known.buffer.bytes()));
        }
        set(device.cann(), self.prepared.executor.as_ptr(), known.as_raw(), buffer.as_raw())?;
        known.buffer = buffer;
        Ok(())
    }

    /// Destroys the executor.
    ///
    /// # Errors
    /// What `aclDestroyAclOpExecutor` returns.
    pub fn close(mut self) -> Result<()> {
        self.prepared.destroy()
    }
}

impl fmt::Debug for RepeatableExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.prepared.show("RepeatableExecutor", &self.operands, f)
    }
}
