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

/// An [`Executor`](crate::Executor) that can be launched repeatedly, and whose operands can be
/// given other memory in between.
pub struct RepeatableExecutor {
    pub(super) prepared: Prepared,
    pub(super) operands: SmallVec<[ExecutorOperand; 4]>,
}

impl RepeatableExecutor {
    /// Runs phase two, like [`Executor::launch`](crate::Executor::launch), and keeps the executor.
    ///
    /// # Errors
    /// As [`Executor::launch`](crate::Executor::launch).
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        let mut locked = lock(&self.operands);
        self.prepared.launch_again(stream, &mut locked)
    }

    /// Gives an input another buffer, at least as large as the one before.
    ///
    /// `operand` is the position among the operands of
    /// [`Executor::prepare`](crate::Executor::prepare), `input` the position among the inputs in
    /// the prototype of phase one.
    ///
    /// # Safety
    /// `operand` and `input` are the positions of the same tensor, which is an input.
    ///
    /// # Errors
    /// [`Error::Operand`] where there is no such operand; [`Error::Bytes`] where the buffer is
    /// smaller than the present one; [`Error::Device`]; what `aclSetInputTensorAddr` returns.
    pub unsafe fn set_input(&mut self, operand: usize, input: usize, buffer: DeviceBuffer) -> Result<()> {
        self.exchange("set_input", operand, buffer, |cann, executor, tensor, address| {
            // SAFETY: `self` owns the executor, which lives; the caller guarantees that the
            // operand's tensor is this input.
            unsafe { aclnn!(cann, aclSetInputTensorAddr(executor, input, tensor, address)) }
        })
    }

    /// Gives an output another buffer, like [`set_input`](Self::set_input).
    ///
    /// # Safety
    /// `operand` and `output` are the positions of the same tensor, which is an output.
    ///
    /// # Errors
    /// As [`set_input`](Self::set_input), with `aclSetOutputTensorAddr`.
    pub unsafe fn set_output(&mut self, operand: usize, output: usize, buffer: DeviceBuffer) -> Result<()> {
        self.exchange("set_output", operand, buffer, |cann, executor, tensor, address| {
            // SAFETY: `self` owns the executor, which lives; the caller guarantees that the
            // operand's tensor is this output.
            unsafe { aclnn!(cann, aclSetOutputTensorAddr(executor, output, tensor, address)) }
        })
    }

    /// Gives an operand another buffer; `set` passes the buffer's address to CANN.
    fn exchange(
        &mut self,
        call: &'static str,
        operand: usize,
        buffer: DeviceBuffer,
        set: impl FnOnce(&Cann, *mut aclOpExecutor, *mut aclTensor, *mut c_void) -> Result<()>,
    ) -> Result<()> {
        let device = &self.prepared.device;
        let missing = Error::Operand { call, expected: self.operands.len(), got: operand };
        let known = self.operands.get_mut(operand).ok_or(missing)?;
        device.expect_same(call, buffer.device())?;
        let (expected, got) = (known.buffer.bytes(), buffer.bytes());
        if got < expected {
            return Err(Error::Bytes { call, expected, got });
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
