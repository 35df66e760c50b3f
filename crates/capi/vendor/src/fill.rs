//! `aclnnInplaceFillScalar`, for a tensor of one element.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus,
    aclDataType, aclOpExecutor, aclScalar, aclTensor, aclrtStream, hostcannExecutorCalls, hostcannExtension,
    hostcannRange,
};
use scatter::{DType, Element, Scalar, View, ViewMut, with_element};

use crate::calls;
use crate::inside::{CANN, extension};

/// Bytes of workspace, all of which the operator overwrites: a kernel that is launched after it
/// must not rely on what was there.
const WORKSPACE: usize = 192;

/// What phase one creates: the bytes to write to an address.
struct Executor {
    bytes: Vec<u8>,
    address: *mut u8,
    workspace: *mut u8,
}

/// What CANN's executor calls do with an executor that has not run.
static CALLS: hostcannExecutorCalls =
    hostcannExecutorCalls { setRepeatable: None, setAddress: None, destroy: Some(destroy) };

unsafe extern "C" fn destroy(executor: *mut aclOpExecutor) -> AclnnStatus {
    // SAFETY: the call is registered for executors of `begin`, and is made once for each.
    unsafe { take(executor) }.map_or_else(|status| status, |_| AclnnStatus::SUCCESS)
}

/// Unregisters an executor and returns it.
///
/// # Safety
/// It is one of [`begin`]'s that has not been taken.
unsafe fn take(executor: *mut aclOpExecutor) -> Result<Box<Executor>, AclnnStatus> {
    let unregister = inside()?.unregisterExecutor.ok_or(ACLNN_ERR_INNER)?;
    // SAFETY: host-cann looks the handle up and never dereferences it.
    succeed(unsafe { unregister(executor) })?;
    // SAFETY: the executor is a box that `begin` has leaked, and nobody else takes it.
    Ok(unsafe { Box::from_raw(executor.cast()) })
}

fn inside() -> Result<&'static hostcannExtension, AclnnStatus> {
    extension().ok_or(ACLNN_ERR_INNER)
}

fn succeed(status: AclnnStatus) -> Result<(), AclnnStatus> {
    if status.is_success() { Ok(()) } else { Err(status) }
}

/// CANN's own `aclnnInplaceFillScalarGetWorkspaceSize`.
///
/// # Safety
/// As there: handles are alive, and places for results can be written to.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn aclnnInplaceFillScalarGetWorkspaceSize(
    selfRef: *mut aclTensor,
    value: *const aclScalar,
    workspaceSize: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    calls::count("aclnnInplaceFillScalarGetWorkspaceSize");
    // SAFETY: the caller guarantees that tensor and scalar are alive.
    unsafe { begin(selfRef, value) }.map_or_else(
        |status| status,
        |made| {
            // SAFETY: the places for the results can be written.
            unsafe {
                workspaceSize.write(WORKSPACE as u64);
                executor.write(made);
            }
            AclnnStatus::SUCCESS
        },
    )
}

/// CANN's own `aclnnInplaceFillScalar`.
///
/// # Safety
/// As there: the executor is of phase one, the workspace as large as it said.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn aclnnInplaceFillScalar(
    workspace: *mut c_void,
    workspaceSize: u64,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> AclnnStatus {
    calls::count("aclnnInplaceFillScalar");
    if workspace.is_null() || workspaceSize < WORKSPACE as u64 {
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    // SAFETY: the executor is of phase one, and the workspace is as large as that said.
    unsafe { launch(workspace.cast(), executor, stream) }
        .map_or_else(|status| status, |()| AclnnStatus::SUCCESS)
}

/// # Safety
/// The handles are alive.
unsafe fn begin(tensor: *mut aclTensor, value: *const aclScalar) -> Result<*mut aclOpExecutor, AclnnStatus> {
    let read = inside()?.readScalar.ok_or(ACLNN_ERR_INNER)?;
    let (mut of, mut bytes) = (aclDataType(-1), [0_u8; 16]);
    // SAFETY: there is room for both results.
    succeed(unsafe { read(value, &raw mut of, bytes.as_mut_ptr().cast(), bytes.len()) })?;
    let value = aclnn_scatter::scalar_of(of, bytes).ok_or(ACLNN_ERR_PARAM_INVALID)?;
    let (mut code, mut address, mut offset) = (aclDataType(-1), null_mut(), 0);
    let missing = |_| ACLNN_ERR_INNER;
    // SAFETY: the tensor is alive, and the results are written to places of this function.
    unsafe {
        succeed(CANN.aclGetDataType(tensor, &raw mut code).map_err(missing)?)?;
        succeed(CANN.aclGetRawTensorAddr(tensor, &raw mut address).map_err(missing)?)?;
        succeed(CANN.aclGetViewOffset(tensor, &raw mut offset).map_err(missing)?)?;
    }
    let dtype = DType::ALL.into_iter().find(|dtype| aclnn_scatter::acl_dtype(*dtype) == code);
    let dtype = dtype.ok_or(ACLNN_ERR_PARAM_INVALID)?;
    let bytes = with_element!(dtype, T => converted::<T>(value)).ok_or(ACLNN_ERR_PARAM_INVALID)?;
    let address = address.cast::<u8>().wrapping_byte_offset(offset as isize * bytes.len() as isize);
    let made = Box::into_raw(Box::new(Executor { bytes, address, workspace: null_mut() })).cast();
    let register = inside()?.registerExecutor.ok_or(ACLNN_ERR_INNER)?;
    // SAFETY: the handle is this library's, and the calls are a static.
    succeed(unsafe { register(made, &raw const CALLS) })?;
    Ok(made)
}

/// The bytes of a value in a dtype, as the contract converts it.
fn converted<T: Element>(value: Scalar) -> Option<Vec<u8>> {
    let mut element = [T::zeroed()];
    let index = View::new(&[0_i64], &[1]).ok()?;
    let mut self_ = ViewMut::new(&mut element, &[1]).ok()?;
    scatter::scatter_value(&mut self_, 0, &index, value, scatter::Reduce::None).ok()?;
    Some(bytemuck::bytes_of(&element).to_vec())
}

/// # Safety
/// The executor is one of [`begin`]'s, and the workspace has room.
unsafe fn launch(
    workspace: *mut u8,
    executor: *mut aclOpExecutor,
    stream: aclrtStream,
) -> Result<(), AclnnStatus> {
    let launch = inside()?.launchHostFunc.ok_or(ACLNN_ERR_INNER)?;
    // SAFETY: the executor is one of `begin`'s that has not been taken.
    let mut job = unsafe { take(executor) }?;
    job.workspace = workspace;
    // SAFETY: exactly one of the two functions is called with the job, once.
    let launched = unsafe { launch(stream, Some(run), Some(dropped), Box::into_raw(job).cast()) };
    if launched.is_success() { Ok(()) } else { Err(ACLNN_ERR_RUNTIME_ERROR) }
}

/// The work, in its stream.
///
/// # Safety
/// The argument is a boxed [`Executor`] that nobody else has.
unsafe extern "C" fn run(job: *mut c_void) {
    // SAFETY: the argument is a boxed executor that nobody else has.
    let Executor { bytes, address, workspace } = *unsafe { Box::from_raw(job.cast::<Executor>()) };
    let range = |argument: &'static core::ffi::CStr, address: *mut u8, bytes| hostcannRange {
        argument: argument.as_ptr(),
        address: address.cast(),
        bytes,
        isWritten: true,
        memory: null_mut(),
    };
    let mut ranges = [range(c"selfRef", address, bytes.len()), range(c"workspace", workspace, WORKSPACE)];
    let Some(hold) = extension().and_then(|extension| extension.holdMemory) else { return };
    let operator = c"aclnnInplaceFillScalar".as_ptr();
    // SAFETY: the names are constants, and the number is that of the ranges.
    if unsafe { hold(null_mut(), operator, ranges.as_mut_ptr(), ranges.len()) }.is_success() {
        let [element, workspace] = ranges.map(|range| range.memory.cast::<u8>());
        // SAFETY: both ranges are memory of the device, until this returns.
        unsafe {
            workspace.write_bytes(0xA5, WORKSPACE);
            element.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }
}

/// Frees a job that the stream has dropped.
///
/// # Safety
/// As [`run`].
unsafe extern "C" fn dropped(job: *mut c_void) {
    // SAFETY: the argument is a boxed executor that nobody else has.
    drop(unsafe { Box::from_raw(job.cast::<Executor>()) });
}
