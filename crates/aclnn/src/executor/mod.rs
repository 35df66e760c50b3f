//! The two phases of an aclnn operator, of any operator.

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
/// It keeps the memory of its operands. One that is never launched is destroyed.
///
/// # Another operator
/// Every operator of CANN's can be called so. `aclnnAdd`, say, which is not of this crate:
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
/// Neither `Send` nor `Sync`: CANN keeps what phase one finds with the thread, and expects phase
/// two there.
pub struct Executor {
    prepared: Prepared,
    operands: SmallVec<[ExecutorOperand; 4]>,
}

impl Executor {
    /// Runs phase one.
    ///
    /// `operator` names phase two in errors. `first` is given the places for the size of the
    /// workspace and for the executor.
    ///
    /// # Safety
    /// `first` calls the `…GetWorkspaceSize` of `second` as CANN documents it, and returns what
    /// that returns. Every tensor that it is given is an operand's ([`ExecutorOperand::as_raw`]),
    /// among `operands` as what the operator does to it.
    ///
    /// # Errors
    /// [`Error::Aclnn`](crate::Error::Aclnn); [`Error::Device`](crate::Error::Device) for an
    /// operand of another device; an error that a drop left.
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
        // SAFETY: the caller's word.
        let prepared = unsafe { Prepared::new(operator, device, second, first) }?;
        Ok(Self { prepared, operands })
    }

    /// Bytes of workspace that the operator asks for; [`launch`](Executor::launch) takes them from
    /// its stream.
    #[must_use]
    pub const fn workspace_bytes(&self) -> u64 {
        self.prepared.workspace
    }

    /// Runs phase two: gives the operator to a stream, and returns at once.
    ///
    /// # Errors
    /// [`Error::Aclnn`](crate::Error::Aclnn); [`Error::Device`](crate::Error::Device) for a stream
    /// of another device; out of memory for the workspace; an error that a drop left.
    pub fn launch(self, stream: &Stream) -> Result<()> {
        let mut locked = lock(&self.operands);
        self.prepared.launch(stream, &mut locked)
    }

    /// Makes it an executor that can be launched again and again.
    ///
    /// # Errors
    /// What `aclSetAclOpExecutorRepeatable` returns, such as for an operator of which CANN does not
    /// allow it.
    pub fn repeatable(self) -> Result<RepeatableExecutor> {
        let Self { prepared, operands } = self;
        // SAFETY: the executor is alive.
        unsafe { aclnn!(prepared.device.cann(), aclSetAclOpExecutorRepeatable(prepared.executor.as_ptr())) }?;
        Ok(RepeatableExecutor { prepared, operands })
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.prepared.show("Executor", &self.operands, f)
    }
}
