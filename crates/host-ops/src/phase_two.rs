//! Phase two: from an executor to work on a stream.

use core::ffi::c_void;
use core::ptr::{null, with_exposed_provenance};
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, aclOpExecutor, aclTensor, aclrtStream, hostcannRange,
};

use crate::executor::{Executor, start};
use crate::failure::{Failure, ensure, failure, present};
use crate::guard::{caught, guarded};
use crate::held::Held;
use crate::host::Host;
use crate::tensor::Tensor;

/// The shape of out, for a phase two that waits to know it.
type Selected = Arc<Mutex<Option<Vec<usize>>>>;

/// The argument of the host function.
struct Job {
    executor: Executor,
    selected: Selected,
}

/// Runs phase two of the operator with this name.
///
/// # Safety
/// Until the work is done, the tensors given to phase one hold what they say: their storages are
/// memory of the stream's device of the size that they say, and only work that is ordered with this
/// work writes them, or reads the memory that it writes.
pub(crate) unsafe fn run(
    name: &'static str,
    workspace: *mut c_void,
    workspace_size: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    guarded(name, || {
        present("executor", executor)?;
        let executor = start(executor, name)?;
        ensure!(
            workspace_size == 0 || !workspace.is_null(),
            ACLNN_ERR_PARAM_NULLPTR,
            "workspace: an address expected for workspaceSize {workspace_size}, got null"
        );
        executor.call.operands.iter().try_for_each(Tensor::check_presence)?;
        let (host, waits) = (executor.host, executor.work.sizes_out);
        let out = executor.call.output.and_then(|place| executor.call.operands.get(place)).cloned();
        let selected = Selected::default();
        let job = Box::new(Job { executor, selected: selected.clone() });
        // SAFETY: both functions take a boxed `Job` that nothing else has, and only one of them is
        // called.
        unsafe { host.launch(stream, compute, abandon, Box::into_raw(job).cast()) }?;
        if !waits {
            return Ok(());
        }
        // SAFETY: host-cann looks up any value of a stream.
        let waited = unsafe { host.cann.aclrtSynchronizeStream(stream) }?;
        ensure!(waited.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: {}", host.recent_message());
        let selected = selected.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(shape), Some(out)) = (selected, out) else {
            return Err(failure!(ACLNN_ERR_RUNTIME_ERROR, "stream: it dropped this call"));
        };
        resize(host, &out, &shape)
    })
}

/// Gives a tensor, whose elements lie one behind the other, another shape.
fn resize(host: Host, tensor: &Tensor, shape: &[usize]) -> Result<(), Failure> {
    let Tensor { handle, dtype, offset, format, ref storage, address, .. } = *tensor;
    let shape: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
    let handle: *mut aclTensor = core::ptr::without_provenance_mut(handle);
    // SAFETY: both shapes have as many numbers as is said, and null stands for the strides of
    // elements one behind the other; host-cann looks up any value of a tensor, and never touches
    // its memory.
    host.checked(unsafe {
        host.cann.aclInitTensor(
            handle,
            shape.as_ptr(),
            shape.len() as u64,
            dtype.code(),
            null(),
            offset as i64,
            format,
            storage.as_ptr(),
            storage.len() as u64,
            with_exposed_provenance::<c_void>(address).cast_mut(),
        )
    }?)
}

/// What host-cann calls instead of [`compute`] when the stream drops the job.
///
/// # Safety
/// `job` points to a boxed [`Job`], and nothing else uses it.
unsafe extern "C" fn abandon(job: *mut c_void) {
    // SAFETY: `job` came from `Box::into_raw` in `run`, and host-cann passes it to only one of the
    // two functions, once.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // Dropping only frees memory, but no panic may leave this function.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(job)));
}

/// The host function.
///
/// # Safety
/// `job` points to a boxed [`Job`], and nothing else uses it. By the contract of [`run`], the
/// memory of its tensors is theirs, if host-cann finds it.
unsafe extern "C" fn compute(job: *mut c_void) {
    // SAFETY: `job` came from `Box::into_raw` in `run`, and host-cann passes it to only one of the
    // two functions, once.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // No panic may leave this function.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Err(Failure { code, message }) = caught(|| job.compute()) {
            let Executor { host, name, .. } = job.executor;
            // The code with which a device's stream fails when an AI CPU task finds an index out of
            // range.
            host.fail_stream(ACL_ERROR_RT_AICPU_EXCEPTION, &format!("{name}: {code}: {message}"));
        }
    }));
}

/// Refuses tensors whose elements the system has no memory for, as where few are expanded to very
/// many. Work copies them to arrays, which end the process if there is no memory for them; it may
/// need more than this for what it makes of them.
fn check_memory(tensors: &[Tensor]) -> Result<(), Failure> {
    let bytes = tensors.iter().map(|tensor| tensor.len().saturating_mul(tensor.dtype.size()));
    let bytes = bytes.fold(0_usize, usize::saturating_add);
    let mut memory = Vec::<u8>::new();
    let got = memory.try_reserve_exact(bytes);
    // Memory that is given back unused may not be asked for at all.
    core::hint::black_box(&mut memory);
    got.map_err(|_| {
        failure!(
            ACLNN_ERR_RUNTIME_ERROR,
            "memory: {bytes} bytes expected for the elements of all tensors, got none from the system"
        )
    })
}

impl Job {
    /// Does the work, unless a device could not access the memory: then the stream has failed.
    fn compute(&self) -> Result<(), Failure> {
        let Executor { host, name, call, work, .. } = &self.executor;
        let names: Vec<CString> = call
            .operands
            .iter()
            .map(|operand| CString::new(operand.name.as_str()).unwrap_or_default())
            .collect();
        let range = |(place, (operand, name)): (usize, (&Tensor, &CString))| {
            let (first, bytes) = operand.range();
            let address = with_exposed_provenance::<c_void>(first);
            let is_written = call.output == Some(place);
            let memory = address.cast_mut();
            hostcannRange { argument: name.as_ptr(), address, bytes, isWritten: is_written, memory }
        };
        let mut ranges: Vec<_> = call.operands.iter().zip(&names).enumerate().map(range).collect();
        // SAFETY: the names are C strings, which outlive the call.
        match unsafe { host.hold(name, &mut ranges) } {
            Ok(()) => {}
            Err(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION) => return Ok(()),
            Err(code) => {
                return Err(failure!(ACLNN_ERR_RUNTIME_ERROR, "holdMemory returned {code}"));
            }
        }
        let at = |place: usize| call.operands.get(place).zip(ranges.get(place));
        let tensors = call.order().into_iter().filter_map(at);
        let tensors = tensors.map(|(operand, range)| (operand, range.memory.cast::<u8>())).collect();
        // SAFETY: host-cann holds the memory of all elements until the host function returns, the
        // addresses are aligned (phase one and `set_address` have checked it, and host-cann's
        // memory keeps their alignment), and the rest is the contract of `run`.
        let held = unsafe { Held::new(tensors) };
        check_memory(&call.operands)?;
        work.compute(&held)?;
        *self.selected.lock().unwrap_or_else(PoisonError::into_inner) = held.selected();
        Ok(())
    }
}
