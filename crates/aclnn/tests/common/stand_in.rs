//! A stand-in for operators of CANN's: `out = 2 * input` for contiguous f32, computed through a
//! workspace. Its executors can be made repeatable, given other addresses, and destroyed.

use core::ffi::c_void;
use core::ptr;

use aclnn::sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_SUCCESS, AclnnStatus, aclOpExecutor, aclTensor,
    aclrtStream, hostcannExecutorCalls, hostcannExtension,
};
use aclnn::{Executor, ExecutorOperand, Result, Stream, Tensor};

/// What an executor's handle points to, and the argument of the host function.
#[derive(Clone, Copy)]
struct Double {
    input: *const f32,
    out: *mut f32,
    workspace: *mut f32,
    len: usize,
    is_repeatable: bool,
}

static CALLS: hostcannExecutorCalls = hostcannExecutorCalls {
    setRepeatable: Some(set_repeatable),
    setAddress: Some(set_address),
    destroy: Some(destroy),
};

/// Phase one. The operator asks for `workspace` bytes, which must be at least the size of a tensor.
pub(crate) fn prepare(
    input: &Tensor<f32>,
    out: &mut Tensor<f32>,
    workspace: u64,
    stream: &Stream,
) -> Result<Executor> {
    let len = input.elements();
    assert!(out.elements() == len && workspace >= 4 * len as u64);
    let operands = [ExecutorOperand::read(input)?, ExecutorOperand::write(out)?];
    let [input, out] = operands.each_ref().map(ExecutorOperand::as_raw);
    // SAFETY: the tensors are those of the operands, and `launch` is the phase two of the executor.
    unsafe {
        Executor::prepare("aclnnDouble", stream, operands, launch, |bytes, executor| {
            let double = Double {
                input: address(input),
                out: address(out),
                workspace: ptr::null_mut(),
                len,
                is_repeatable: false,
            };
            *bytes = workspace;
            *executor = Box::into_raw(Box::new(double)).cast();
            extension().registerExecutor.unwrap()(*executor, &CALLS)
        })
    }
}

/// Phase one of an operator whose executor CANN does not know, so that destroying it fails; phase
/// two refuses it.
pub(crate) fn prepare_broken(input: &Tensor<f32>, stream: &Stream) -> Result<Executor> {
    let operands = [ExecutorOperand::read(input)?];
    // SAFETY: phase two ignores its arguments.
    unsafe {
        Executor::prepare("aclnnBroken", stream, operands, refuse, |_, executor| {
            *executor = ptr::without_provenance_mut(0x1230);
            ACLNN_SUCCESS
        })
    }
}

fn extension() -> &'static hostcannExtension {
    // SAFETY: the extension is valid until the process ends.
    unsafe { &*host_cann::hostcann_extension() }
}

unsafe fn address(tensor: *const aclTensor) -> *mut f32 {
    let mut address = ptr::null_mut();
    // SAFETY: host-cann looks up the tensor, and writes to a live local.
    assert!(unsafe { host_cann::c::aclGetRawTensorAddr(tensor, &mut address) }.is_success());
    address.cast()
}

unsafe extern "C" fn launch(
    workspace: *mut c_void,
    bytes: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    // SAFETY: phase one boxed the executor, which was not destroyed.
    let double = unsafe { *executor.cast::<Double>() };
    if bytes < 4 * double.len as u64 || workspace.is_null() {
        return ACLNN_ERR_PARAM_INVALID;
    }
    if !double.is_repeatable {
        // SAFETY: the executor runs once, so nothing uses it after this call.
        assert!(unsafe { destroy(executor) }.is_success());
    }
    let work = Box::into_raw(Box::new(Double { workspace: workspace.cast(), ..double }));
    // SAFETY: both functions take the boxed work, and host-cann calls only one of them, once.
    let launched =
        unsafe { extension().launchHostFunc.unwrap()(stream, Some(run), Some(forget), work.cast()) };
    if launched.is_success() { ACLNN_SUCCESS } else { ACLNN_ERR_INNER }
}

/// A phase two that does nothing.
pub(crate) unsafe extern "C" fn refuse(
    _: *mut c_void,
    _: u64,
    _: *mut aclOpExecutor,
    _: aclrtStream,
) -> AclnnStatus {
    ACLNN_ERR_PARAM_INVALID
}

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: phase two boxed the work. The tensors and the workspace live until the stream has
    // passed this.
    unsafe {
        let Double { input, out, workspace, len, .. } = *Box::from_raw(work.cast::<Double>());
        ptr::copy(input, workspace, len);
        for place in 0..len {
            *out.add(place) = 2.0 * *workspace.add(place);
        }
    }
}

unsafe extern "C" fn forget(work: *mut c_void) {
    // SAFETY: phase two boxed the work, and this is the only call with it.
    drop(unsafe { Box::from_raw(work.cast::<Double>()) });
}

unsafe extern "C" fn set_repeatable(executor: *mut aclOpExecutor) -> AclnnStatus {
    // SAFETY: phase one boxed the executor, which was not destroyed.
    unsafe { (*executor.cast::<Double>()).is_repeatable = true };
    ACLNN_SUCCESS
}

unsafe extern "C" fn set_address(
    executor: *mut aclOpExecutor,
    kind: u32,
    index: usize,
    _: *mut aclTensor,
    address: *mut c_void,
) -> AclnnStatus {
    // SAFETY: phase one boxed the executor, which was not destroyed.
    let double = unsafe { &mut *executor.cast::<Double>() };
    match (kind, index) {
        (aclnn::sys::HOSTCANN_TENSOR_INPUT, 0) => double.input = address.cast(),
        (aclnn::sys::HOSTCANN_TENSOR_OUTPUT, 0) => double.out = address.cast(),
        _ => return ACLNN_ERR_PARAM_INVALID,
    }
    ACLNN_SUCCESS
}

unsafe extern "C" fn destroy(executor: *mut aclOpExecutor) -> AclnnStatus {
    // SAFETY: phase one boxed and registered the executor, and nothing uses it after it is
    // unregistered.
    unsafe {
        assert!(extension().unregisterExecutor.unwrap()(executor).is_success());
        drop(Box::from_raw(executor.cast::<Double>()));
    }
    ACLNN_SUCCESS
}
