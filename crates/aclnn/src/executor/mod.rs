//! The two phases of any aclnn operator.

mod operand;
mod prepared;
mod repeatable;

use core::ffi::c_void;
use core::fmt;

use aclnn_sys::{AclnnStatus, aclOpExecutor, aclrtStream};
use smallvec::SmallVec;

pub use operand::ExecutorOperand;
pub(crate) use prepared::Prepared;
pub use repeatable::RepeatableExecutor;

use self::operand::lock;
use crate::call::aclnn;
use crate::device::Device;
use crate::error::Result;
use crate::stream::Stream;

/// Phase two of every operator: `aclnnXxx(workspace, workspaceSize, executor, stream)`.
pub type PhaseTwo = unsafe extern "C" fn(
    workspace: *mut c_void,
    workspace_size: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus;

/// An operator that phase one has accepted, to be launched once.
///
/// It keeps the memory of its operands alive. An executor that is never launched is destroyed when
/// dropped.
///
/// # Another operator
/// Every operator of CANN's can be called in this way, for example `aclnnAdd`, for which this crate
/// has no method:
///
/// ```no_run
/// use aclnn::sys::{AclnnStatus, aclOpExecutor, aclScalar, aclTensor};
/// use aclnn::{Executor, ExecutorOperand, PhaseTwo, Runtime, Tensor};
///
/// type AddGetWorkspaceSize = unsafe extern "C" fn(
///     *const aclTensor, *const aclTensor, *const aclScalar, *mut aclTensor, *mut u64, *mut *mut aclOpExecutor,
/// ) -> AclnnStatus;
///
/// let runtime = Runtime::load()?;
/// // SAFETY: both functions have these types in CANN's aclnn_add.h.
/// let (size, add): (AddGetWorkspaceSize, PhaseTwo) =
///     unsafe { (runtime.function(c"aclnnAddGetWorkspaceSize")?, runtime.function(c"aclnnAdd")?) };
/// let stream = runtime.device(0)?.stream()?;
/// let (a, b) = (Tensor::<f32>::new([1.0, 2.0], &stream)?, Tensor::<f32>::new([3.0, 4.0], &stream)?);
/// let mut sum = Tensor::<f32>::empty([2], &stream)?;
/// let alpha = aclnn::AclScalar::new(1.0_f32, &stream)?;
///
/// let operands = [ExecutorOperand::read(&a)?, ExecutorOperand::read(&b)?, ExecutorOperand::write(&mut sum)?];
/// let [a, b, out] = operands.each_ref().map(ExecutorOperand::as_raw);
/// // SAFETY: phase one is called as aclnn_add.h says; its tensors are the operands, and `add` is its phase two.
/// let executor = unsafe {
///     Executor::prepare("aclnnAdd", &stream, operands, add, |bytes, executor| size(a, b, alpha.as_raw(), out, bytes, executor))
/// }?;
/// executor.launch(&stream)?;
/// println!("{:?}", sum.to_vec(&stream)?);
/// # Ok::<(), aclnn::Error>(())
/// ```
///
/// # Threads
/// Neither `Send` nor `Sync`: CANN keeps what phase one finds in thread-local state, and expects
/// phase two on the same thread.
pub struct Executor {
    prepared: Prepared,
    operands: SmallVec<[ExecutorOperand; 4]>,
}

impl Executor {
    /// Runs phase one.
    ///
    /// `operator` is the name of phase two, for errors. `first` is given the addresses to which
    /// phase one writes the size of the workspace and the executor.
    ///
    /// # Safety
    /// `first` calls the `…GetWorkspaceSize` of `second` as CANN documents it, and returns its
    /// status. Every tensor that it passes comes from an operand ([`ExecutorOperand::as_raw`]) in
    /// `operands`, which was made by [`ExecutorOperand::write`] if the operator writes the tensor.
    ///
    /// # Errors
    /// [`Error::Aclnn`](crate::Error::Aclnn); [`Error::Device`](crate::Error::Device) for an
    /// operand of another device; the pending error of an earlier drop.
    pub unsafe fn prepare(
        operator: &'static str,
        device: impl AsRef<Device>,
        operands: impl IntoIterator<Item = ExecutorOperand>,
        second: PhaseTwo,
        first: impl FnOnce(*mut u64, *mut *mut aclOpExecutor) -> AclnnStatus,
    ) -> Result<Self> {
        let device = device.as_ref();
        let operands: SmallVec<[ExecutorOperand; 4]> = operands.into_iter().collect();
        for operand in &operands {
            device.expect_same(operator, operand.buffer.device())?;
        }
        // SAFETY: the caller guarantees that `first` is the phase one of `second`, called as CANN
        // documents it, with tensors of `operands` only. These live as long as the executor, and
        // every launch locks their memory.
        let prepared = unsafe { Prepared::new(operator, device, second, first) }?;
        Ok(Self { prepared, operands })
    }

    /// Bytes of workspace that the operator needs; [`launch`](Executor::launch) gets them from its
    /// stream.
    #[must_use]
    pub const fn workspace_bytes(&self) -> u64 {
        self.prepared.workspace
    }

    /// Runs phase two: enqueues the operator to a stream, and returns at once.
    ///
    /// # Errors
    /// [`Error::Aclnn`](crate::Error::Aclnn); [`Error::Device`](crate::Error::Device) for a stream
    /// of another device; out of memory for the workspace; the pending error of an earlier drop.
    pub fn launch(self, stream: &Stream) -> Result<()> {
        let mut locked = lock(&self.operands);
        self.prepared.launch(stream, &mut locked)
    }

    /// Makes this an executor that can be launched repeatedly.
    ///
    /// # Errors
    /// What `aclSetAclOpExecutorRepeatable` returns, such as for an operator that can't be
    /// repeated.
    pub fn repeatable(self) -> Result<RepeatableExecutor> {
        // One value, not two variables: where this returns early, the executor is destroyed first,
        // and then its tensors.
        let mut made = RepeatableExecutor { prepared: self.prepared, operands: self.operands };
        let Prepared { device, executor, .. } = &made.prepared;
        // SAFETY: the executor lives: phase one made it, and `launch`, which consumes it, was not
        // called.
        let repeatable = unsafe { aclnn!(device.cann(), aclSetAclOpExecutorRepeatable(executor.as_ptr())) };
        if repeatable.is_err() {
            // Makes the same call first, whose error the caller already gets.
            let _ = made.prepared.destroy();
        }
        repeatable.map(|()| made)
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.prepared.show("Executor", &self.operands, f)
    }
}
