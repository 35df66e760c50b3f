//! A scalar for the kernels on a CANN that tells no scalar's value: CANN's own
//! `aclnnInplaceFillScalar` writes it, as self's dtype, into one element of device memory, and the
//! kernels read that element as a src whose strides are 0.
//!
//! The element is an allocation of the call's own rather than a part of its workspace. Phase one of
//! `aclnnInplaceFillScalar` must be called in our phase one, for the caller may destroy the scalar
//! afterwards, and its executor writes to the address that its tensor had then. Only a repeatable
//! executor takes another one later (`UpdateStorageAddr` in opbase's `op_executor.cpp`), and an
//! executor that comes from opbase's cache can't be made repeatable. The workspace's address is not
//! known before phase two.
//!
//! The memory is freed when the kernels' status words have been copied behind their last read of
//! it. Where a launch has failed nobody can tell when that is, and the 32 bytes are never freed.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    ACL_FORMAT_ND, ACL_MEM_MALLOC_NORMAL_ONLY, ACLNN_ERR_INNER, ACLNN_ERR_RUNTIME_ERROR, Cann, aclOpExecutor,
    aclScalar, aclTensor, aclrtStream,
};
use scatter::{DType, Layout, MAX_RANK, Op, Operand, Problem};
use scatter_kernels::launch::Range;

use crate::dtype::acl_dtype;
use crate::executor::call::Operands;
use crate::failure::{Failure, ensure, failure};
use crate::process::fill_functions::FillFunctions;
use crate::process::session::Session;

/// An element of device memory, which stays until [`free`](Self::free).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceElement(*mut c_void);

// SAFETY: the memory is this value's alone; CANN's functions for it may be called from any thread.
unsafe impl Send for DeviceElement {}

impl DeviceElement {
    /// Room for an element of any dtype.
    const BYTES: usize = 32;

    fn new(cann: &Cann) -> Result<Self, Failure> {
        let mut address = null_mut();
        // SAFETY: there is a place for the address.
        let made = unsafe { cann.aclrtMalloc(&raw mut address, Self::BYTES, ACL_MEM_MALLOC_NORMAL_ONLY) }?;
        ensure!(made.is_success(), ACLNN_ERR_RUNTIME_ERROR, "value: aclrtMalloc returned {made}");
        Ok(Self(address))
    }

    /// Frees the memory, which no work uses any more.
    pub(crate) fn free(self, cann: &Cann) {
        // What a runtime that has ended says of it makes no difference.
        // SAFETY: the memory is this value's, and by the caller's word nobody uses it.
        let _ = unsafe { cann.aclrtFree(self.0) };
    }
}

/// A scalar on its way to device memory, from phase one to phase two.
#[derive(Debug)]
pub(crate) struct ScalarFill {
    session: &'static Session,
    functions: FillFunctions,
    dtype: DType,
    element: DeviceElement,
    tensor: *mut aclTensor,
    executor: *mut aclOpExecutor,
    workspace_bytes: u64,
    /// Phase two has been called: the executor is gone, and the stream may use the element.
    has_run: bool,
}

// SAFETY: tensor and executor are this value's alone; CANN's functions for them may be called from
// any thread.
unsafe impl Send for ScalarFill {}

impl ScalarFill {
    /// Phase one of `aclnnInplaceFillScalar`. The scalar may be destroyed after this.
    ///
    /// # Errors
    /// CANN's code where it refuses the scalar for this dtype, 361001 without device memory.
    ///
    /// # Safety
    /// The scalar is what CANN's functions can be given.
    pub(crate) unsafe fn new(
        session: &'static Session,
        functions: FillFunctions,
        dtype: DType,
        value: *const aclScalar,
    ) -> Result<Self, Failure> {
        let cann = &session.cann;
        let element = DeviceElement::new(cann)?;
        // From here on a failure gives back what there is.
        let mut fill = Self {
            session,
            functions,
            dtype,
            element,
            tensor: null_mut(),
            executor: null_mut(),
            workspace_bytes: 0,
            has_run: false,
        };
        let sizes = [1_i64];
        let (one, code) = (sizes.as_ptr(), acl_dtype(dtype));
        // SAFETY: sizes, strides and storage have one axis, and the memory has room for one
        // element.
        fill.tensor =
            unsafe { cann.aclCreateTensor(one, 1, code, one, 0, ACL_FORMAT_ND, one, 1, element.0) }?;
        ensure!(!fill.tensor.is_null(), ACLNN_ERR_RUNTIME_ERROR, "value: aclCreateTensor made no tensor");
        // SAFETY: the tensor is alive, the caller answers for the scalar, and there are places for
        // both results.
        let status = unsafe {
            (functions.phase_one)(fill.tensor, value, &raw mut fill.workspace_bytes, &raw mut fill.executor)
        };
        let name = "aclnnInplaceFillScalarGetWorkspaceSize";
        ensure!(status.is_success(), status, "value: {name} returned {status}");
        Ok(fill)
    }

    /// Bytes of workspace. The stream is done with them before the kernels use the same ones.
    pub(crate) const fn workspace_bytes(&self) -> u64 {
        self.workspace_bytes
    }

    /// The memory of the element.
    pub(crate) const fn range(&self) -> Range {
        Range { address: self.element.0, bytes: self.dtype.size() as u64 }
    }

    /// What the kernels compute for a problem with a scalar: the same with a src of one element,
    /// whose strides are 0.
    pub(crate) fn problem(&self, problem: &Problem, operands: &Operands) -> Result<Problem, Failure> {
        let Operands { self_, index, out, .. } = operands;
        let layout = index.layout.and_then(|index| {
            let (sizes, strides) = (index.shape(), [0; MAX_RANK]);
            Layout::new(sizes, strides.get(..sizes.len()).unwrap_or_default(), 0, 1)
        });
        let src = Operand { dtype: Ok(self.dtype), layout, address: self.element.0.addr() };
        let op = problem.op();
        let op = Op::Scatter { dim: op.dim().unwrap_or_default(), reduce: op.reduce() };
        let planned = Problem::new(op, self_, index, Some(&src), out);
        planned.map_err(|error| failure!(ACLNN_ERR_INNER, "value: {error}"))
    }

    /// Phase two of `aclnnInplaceFillScalar`: what the stream does behind it finds the value in the
    /// element.
    ///
    /// # Errors
    /// 361001, with CANN's code in words. The element is never freed then, for a part of the work
    /// may have been launched.
    ///
    /// # Safety
    /// The workspace has [`workspace_bytes`](Self::workspace_bytes), and is nobody else's until the
    /// stream has passed this.
    pub(crate) unsafe fn run(
        mut self,
        workspace: *mut c_void,
        stream: aclrtStream,
    ) -> Result<DeviceElement, Failure> {
        self.has_run = true;
        let workspace = if self.workspace_bytes == 0 { null_mut() } else { workspace };
        // SAFETY: phase one made the executor, which ends with this; the caller answers for the
        // workspace.
        let status =
            unsafe { (self.functions.phase_two)(workspace, self.workspace_bytes, self.executor, stream) };
        let name = "aclnnInplaceFillScalar";
        ensure!(status.is_success(), ACLNN_ERR_RUNTIME_ERROR, "value: {name} returned {status}");
        Ok(self.element)
    }
}

impl Drop for ScalarFill {
    fn drop(&mut self) {
        let cann = &self.session.cann;
        // What a runtime that has ended says of them makes no difference.
        if !self.has_run {
            if !self.executor.is_null() {
                // SAFETY: the executor is this value's, and has not run.
                let _ = unsafe { cann.aclDestroyAclOpExecutor(self.executor) };
            }
            self.element.free(cann);
        }
        if !self.tensor.is_null() {
            // SAFETY: the tensor is this value's, and its executor is gone.
            let _ = unsafe { cann.aclDestroyTensor(self.tensor) };
        }
    }
}
