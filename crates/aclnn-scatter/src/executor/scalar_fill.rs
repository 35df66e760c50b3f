//! Passes a scalar to the kernels with a CANN that has no getter for its value: CANN's own
//! `aclnnInplaceFillScalar` writes the value, in self's dtype, into one element of device memory,
//! and the kernels read that element as a src whose strides are 0.
//!
//! The element is an allocation of its own, not a part of the call's workspace, whose address is
//! known only in phase two. Phase one of `aclnnInplaceFillScalar` must be called in phase one of
//! the scatter, because the caller may destroy the scalar afterwards, and its executor writes to
//! the address that the tensor had then. Only a repeatable executor accepts another address later
//! (`UpdateStorageAddr` in opbase's `op_executor.cpp`), and an executor that comes from opbase's
//! cache can't be made repeatable.
//!
//! The element is freed when the kernels' status words have been copied, which the stream does
//! after the last read of the element. If a launch has failed, there is no such point, and the 32
//! bytes are never freed.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    ACL_FORMAT_ND, ACL_MEM_MALLOC_NORMAL_ONLY, ACLNN_ERR_INNER, ACLNN_ERR_RUNTIME_ERROR, Cann, aclOpExecutor,
    aclScalar, aclTensor, aclrtStream,
};
use scatter::{DType, Layout, MAX_RANK, Operand, Problem};
use scatter_kernels::launch::Range;

use crate::dtype::acl_dtype;
use crate::executor::call::Operands;
use crate::failure::{Failure, ensure, failure};
use crate::process::fill_functions::FillFunctions;
use crate::process::session::Session;

/// An element of device memory, which lives until [`free`](Self::free).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceElement(*mut c_void);

// SAFETY: the pointer is only passed to CANN's functions, which take it on any thread, and the host
// never dereferences it.
unsafe impl Send for DeviceElement {}

impl DeviceElement {
    /// Enough for an element of any dtype.
    const BYTES: usize = 32;

    fn new(cann: &Cann) -> Result<Self, Failure> {
        let mut address = null_mut();
        // SAFETY: `address` is a live local, to which CANN writes the address.
        let made = unsafe { cann.aclrtMalloc(&raw mut address, Self::BYTES, ACL_MEM_MALLOC_NORMAL_ONLY) }?;
        ensure!(made.is_success(), ACLNN_ERR_RUNTIME_ERROR, "value: aclrtMalloc returned {made}");
        Ok(Self(address))
    }

    /// Frees the memory. No work may use it any more.
    pub(crate) fn free(self, cann: &Cann) {
        // An error is ignored: nobody could act on it, and after the runtime's end it is expected.
        // SAFETY: `new` allocated the memory, and the caller guarantees that no work uses it any
        // more.
        let _ = unsafe { cann.aclrtFree(self.0) };
    }
}

/// An `aclnnInplaceFillScalar` call between its two phases.
#[derive(Debug)]
pub(crate) struct ScalarFill {
    session: &'static Session,
    functions: FillFunctions,
    dtype: DType,
    element: DeviceElement,
    tensor: *mut aclTensor,
    executor: *mut aclOpExecutor,
    workspace_bytes: u64,
    /// Whether phase two has been called: then the executor is gone, and the stream may use the
    /// element.
    has_run: bool,
}

// SAFETY: only this value has the tensor and the executor, and CANN's functions take them on any
// thread.
unsafe impl Send for ScalarFill {}

impl ScalarFill {
    /// Calls phase one of `aclnnInplaceFillScalar`. The scalar may be destroyed afterwards.
    ///
    /// # Errors
    /// CANN's code where it refuses the scalar for this dtype; 361001 where it has no device
    /// memory.
    ///
    /// # Safety
    /// CANN's functions accept `value`: CANN made it.
    pub(crate) unsafe fn new(
        session: &'static Session,
        functions: FillFunctions,
        dtype: DType,
        value: *const aclScalar,
    ) -> Result<Self, Failure> {
        let cann = &session.cann;
        let element = DeviceElement::new(cann)?;
        // From here on, dropping `fill` after a failure releases what has been made.
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
        // SAFETY: the pointers for sizes, strides and storage are to one number each, and the
        // memory has room for one element.
        fill.tensor =
            unsafe { cann.aclCreateTensor(one, 1, code, one, 0, ACL_FORMAT_ND, one, 1, element.0) }?;
        ensure!(!fill.tensor.is_null(), ACLNN_ERR_RUNTIME_ERROR, "value: aclCreateTensor made no tensor");
        // SAFETY: the tensor lives, the caller guarantees that CANN accepts the scalar, and both
        // results are fields of the local `fill`.
        let status = unsafe {
            (functions.phase_one)(fill.tensor, value, &raw mut fill.workspace_bytes, &raw mut fill.executor)
        };
        let name = "aclnnInplaceFillScalarGetWorkspaceSize";
        ensure!(status.is_success(), status, "value: {name} returned {status}");
        Ok(fill)
    }

    /// Bytes of workspace. The kernels can use the same ones, because the stream has done the fill
    /// by then.
    pub(crate) const fn workspace_bytes(&self) -> u64 {
        self.workspace_bytes
    }

    /// The memory of the element.
    pub(crate) const fn range(&self) -> Range {
        Range { address: self.element.0, bytes: self.dtype.size() as u64 }
    }

    /// The problem for the kernels: the given one, with the element as a src whose strides are 0
    /// instead of the scalar.
    pub(crate) fn problem(&self, problem: &Problem, operands: &Operands) -> Result<Problem, Failure> {
        let Operands { self_, index, out, .. } = operands;
        let layout = problem.index_layout().map_or(index.layout, |updates| {
            let (sizes, strides) = (updates.shape(), [0; MAX_RANK]);
            Layout::new(sizes, strides.get(..sizes.len()).unwrap_or_default(), 0, 1)
        });
        let src = Operand { dtype: Ok(self.dtype), layout, address: self.element.0.addr() };
        let planned = Problem::new(problem.op().with_src(), self_, index, Some(&src), out);
        planned.map_err(|error| failure!(ACLNN_ERR_INNER, "value: {error}"))
    }

    /// Calls phase two of `aclnnInplaceFillScalar`. Later work of the stream finds the value in the
    /// element.
    ///
    /// # Errors
    /// 361001, with CANN's code in the message. The element is then never freed, because a part of
    /// the work may have been launched.
    ///
    /// # Safety
    /// The workspace has [`workspace_bytes`](Self::workspace_bytes) bytes, and nothing else uses it
    /// until the stream has passed this work.
    pub(crate) unsafe fn run(
        mut self,
        workspace: *mut c_void,
        stream: aclrtStream,
    ) -> Result<DeviceElement, Failure> {
        self.has_run = true;
        let workspace = if self.workspace_bytes == 0 { null_mut() } else { workspace };
        // SAFETY: phase one made the executor, and `self` is consumed, so it runs once; the caller
        // guarantees the size and the exclusive use of the workspace.
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
        // Errors are ignored: nobody could act on them, and after the runtime's end they are
        // expected.
        if !self.has_run {
            if !self.executor.is_null() {
                // SAFETY: only `self` has the executor, which has not run.
                let _ = unsafe { cann.aclDestroyAclOpExecutor(self.executor) };
            }
            self.element.free(cann);
        }
        if !self.tensor.is_null() {
            // SAFETY: only `self` has the tensor. The executor that was made from it has run, or
            // was destroyed or leaked above, so it never reads the tensor again.
            let _ = unsafe { cann.aclDestroyTensor(self.tensor) };
        }
    }
}
