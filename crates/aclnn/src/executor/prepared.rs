//! The calls of phase one and phase two. Which memory the operator uses is the caller's part.

use core::fmt;
use core::ptr::{self, NonNull};

use aclnn_sys::{AclnnStatus, aclOpExecutor};

use super::{ExecutorOperand, PhaseTwo};
use crate::call::{aclnn, of_aclnn, of_made};
use crate::device::Device;
use crate::error::Result;
use crate::stream::Stream;
use crate::stream::uses::Locked;
use crate::trace::span;

/// What phase one made: the executor and the size of the workspace, without the operands.
pub(crate) struct Prepared {
    operator: &'static str,
    pub(super) device: Device,
    /// The pointer makes this neither `Send` nor `Sync`: CANN keeps state of the executor in its
    /// thread.
    pub(super) executor: NonNull<aclOpExecutor>,
    pub(super) workspace: u64,
    second: PhaseTwo,
    /// Whether the executor has yet to be destroyed, by phase two or by `destroy`.
    is_alive: bool,
}

impl Prepared {
    /// Runs phase one.
    ///
    /// # Safety
    /// `first` calls the `…GetWorkspaceSize` of `second` as CANN documents it, and returns its
    /// status. Every tensor that it passes lives until the last call of phase two, and each launch
    /// is given locks for all memory that the operator then uses.
    pub(crate) unsafe fn new(
        operator: &'static str,
        device: &Device,
        second: PhaseTwo,
        first: impl FnOnce(*mut u64, *mut *mut aclOpExecutor) -> AclnnStatus,
    ) -> Result<Self> {
        let _span = span!("plan", operator = operator);
        device.bind()?;
        let (mut workspace, mut executor) = (0, ptr::null_mut());
        of_aclnn(device.cann(), operator, first(&mut workspace, &mut executor))?;
        let executor = of_made(operator, executor)?;
        let device = device.clone();
        Ok(Self { operator, device, executor, workspace, second, is_alive: true })
    }

    /// Formats an executor and its operands.
    pub(super) fn show(
        &self,
        name: &str,
        operands: &[ExecutorOperand],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        f.debug_struct(name)
            .field("operator", &self.operator)
            .field("device", &self.device.id())
            .field("workspace_bytes", &self.workspace)
            .field("operands", &operands)
            .finish_non_exhaustive()
    }

    /// Runs phase two, which consumes the executor. `locked` has all memory that the operator uses.
    pub(crate) fn launch(mut self, stream: &Stream, locked: &mut Locked<'_>) -> Result<()> {
        stream.device().expect_same(self.operator, &self.device)?;
        let (launched, was_called) = self.run(stream, locked);
        self.is_alive = !was_called;
        launched
    }

    pub(super) fn launch_again(&self, stream: &Stream, locked: &mut Locked<'_>) -> Result<()> {
        stream.device().expect_same(self.operator, &self.device)?;
        self.run(stream, locked).0
    }

    /// Runs phase two. Also returns whether CANN's function was called: an error before that leaves
    /// the executor alive.
    fn run(&self, stream: &Stream, locked: &mut Locked<'_>) -> (Result<()>, bool) {
        let _span = span!("launch", operator = self.operator, workspace = self.workspace);
        let mut was_called = false;
        let launched = stream.core().enqueue(locked, self.workspace, |place| {
            was_called = true;
            // SAFETY: the caller of `new` guaranteed that `second` is the phase two of the
            // executor, which lives. The workspace is as large as phase one asked for, and the
            // stream keeps it until the work is done; the tensors' memory is in `locked`, so it
            // outlives the work, too.
            let second = || unsafe {
                (self.second)(place.workspace, self.workspace, self.executor.as_ptr(), place.stream)
            };
            let status = aclnn_scatter::numbered(place.ticket, second);
            of_aclnn(self.device.cann(), self.operator, status)
        });
        (launched.map(drop), was_called)
    }

    /// Destroys the executor, unless that has been done.
    pub(super) fn destroy(&mut self) -> Result<()> {
        if !core::mem::replace(&mut self.is_alive, false) {
            return Ok(());
        }
        if aclnn_scatter::discard(self.executor.as_ptr()) {
            return Ok(());
        }
        let cann = self.device.cann();
        let executor = self.executor.as_ptr();
        // CANN destroys only executors that are repeatable.
        // SAFETY: the executor lives: `is_alive` was true, and is false from now on.
        unsafe {
            aclnn!(cann, aclSetAclOpExecutorRepeatable(executor))?;
            aclnn!(cann, aclDestroyAclOpExecutor(executor))
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let destroyed = self.destroy();
        self.device.runtime().keep(destroyed);
    }
}
