//! Executors that are launched more than once.

use core::ffi::c_void;

use aclnn_sys::{aclOpExecutor, aclTensor};
use smallvec::SmallVec;

use super::ExecutorOperand;
use super::operand::lock;
use super::prepared::Prepared;
use crate::call::aclnn;
use crate::error::{Error, Result};
use crate::memory::DeviceBuffer;
use crate::stream::Stream;

/// An [`Executor`](crate::Executor) that can be launched again and again, and whose operands' memory can be changed in between.
#[derive(Debug)]
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
    /// `operand` counts the operands of [`Executor::prepare`](crate::Executor::prepare), `input` the inputs in the prototype of phase one.
    ///
    /// # Safety
    /// Operand and input are the same tensor, which is an input.
    ///
    /// # Errors
    /// [`Error::Range`] where there is no such operand, or the buffer is smaller than the one before; [`Error::Device`](crate::Error::Device); what
    /// `aclSetInputTensorAddr` returns.
    pub unsafe fn set_input(&mut self, operand: usize, input: usize, buffer: DeviceBuffer) -> Result<()> {
        let (executor, tensor, address) = self.exchange("set_input", operand, &buffer)?;
        // SAFETY: the executor is alive, and by the caller's word the tensor is that input.
        unsafe {
            aclnn!(self.prepared.device.cann(), aclSetInputTensorAddr(executor, input, tensor, address))
        }?;
        self.operands[operand].buffer = buffer;
        Ok(())
    }

    /// [`set_input`](Self::set_input), for an output.
    ///
    /// # Safety
    /// Operand and output are the same tensor, which is an output.
    ///
    /// # Errors
    /// As there, of `aclSetOutputTensorAddr`.
    pub unsafe fn set_output(&mut self, operand: usize, output: usize, buffer: DeviceBuffer) -> Result<()> {
        let (executor, tensor, address) = self.exchange("set_output", operand, &buffer)?;
        // SAFETY: the executor is alive, and by the caller's word the tensor is that output.
        unsafe {
            aclnn!(self.prepared.device.cann(), aclSetOutputTensorAddr(executor, output, tensor, address))
        }?;
        self.operands[operand].buffer = buffer;
        Ok(())
    }

    /// What a function that sets an address is given.
    fn exchange(
        &self,
        call: &'static str,
        operand: usize,
        buffer: &DeviceBuffer,
    ) -> Result<(*mut aclOpExecutor, *mut aclTensor, *mut c_void)> {
        let outside = |axis, expected, got| Error::Range { call, axis, expected, start: 0, end: got };
        let known = self.operands.get(operand).ok_or(outside(0, self.operands.len(), operand))?;
        self.prepared.device.expect_same(call, buffer.device())?;
        if buffer.bytes() < known.buffer.bytes() {
            return Err(outside(0, buffer.bytes(), known.buffer.bytes()));
        }
        Ok((self.prepared.executor.as_ptr(), known.as_raw(), buffer.as_raw()))
    }

    /// Destroys the executor.
    ///
    /// # Errors
    /// What `aclDestroyAclOpExecutor` returns.
    pub fn close(mut self) -> Result<()> {
        self.prepared.destroy()
    }
}
