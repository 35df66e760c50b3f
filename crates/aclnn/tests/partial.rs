//! Calls of CANN's that fail after a part of the work has been enqueued: the memory that this part
//! may use lives until the stream has passed it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use core::ffi::c_void;

use aclnn::sys::{
    ACL_ERROR_RT_PARAM_INVALID, ACLNN_ERR_PARAM_INVALID, AclError, AclnnStatus, Cann, aclOpExecutor,
    aclrtMemcpyKind, aclrtStream,
};
use aclnn::{Error, Executor, ExecutorOperand, PinnedBuffer, Result, Runtime, Stream, Tensor};
use common::{Gate, alone};
use host_cann::Counters;

/// Enqueues the copy, and returns an error.
unsafe extern "C" fn copy_and_fail(
    into: *mut c_void,
    room: usize,
    from: *const c_void,
    bytes: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> AclError {
    // SAFETY: the arguments are passed on unchanged.
    assert!(unsafe { host_cann::c::aclrtMemcpyAsync(into, room, from, bytes, kind, stream) }.is_success());
    ACL_ERROR_RT_PARAM_INVALID
}

fn stream() -> Result<Stream> {
    let own = [(c"aclrtMemcpyAsync", copy_and_fail as *const c_void)];
    // SAFETY: the functions are host-cann's, or call the ones that they replace.
    unsafe { Runtime::from_cann(Cann::from_table(own).then(Cann::from_table(host_cann::table()))) }?
        .device(0)?
        .stream()
}

#[test]
fn pinned_memory_stays() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut tensor = Tensor::<f32>::zeros([2], &stream)?;
    let gate = Gate::new(&stream);
    let failed =
        tensor.copy_from_pinned(PinnedBuffer::from_slice(&stream, &[1.0, 2.0])?, &stream).unwrap_err();
    assert!(matches!(*failed.error, Error::Acl { call: "aclrtMemcpyAsync", .. }), "{failed}");
    assert!(failed.buffer.is_none());
    let failed = tensor.copy_to_pinned(PinnedBuffer::new(&stream, 2)?, &stream).unwrap_err();
    assert!(failed.buffer.is_none());
    assert_eq!(Counters::now().host_allocations, 2);
    gate.open();
    stream.synchronize()?;
    assert_eq!(Counters::now().host_allocations, 0);
    // If a copy is refused before CANN is called, the error contains the buffer.
    let refused = tensor.copy_to_pinned(PinnedBuffer::new(&stream, 3)?, &stream).unwrap_err();
    assert_eq!(refused.buffer.unwrap().len(), 3);
    stream.close()
}

#[test]
fn device_memory_stays() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let (from, mut to) = (Tensor::<f32>::zeros([2], &stream)?, Tensor::<f32>::zeros([2], &stream)?);
    let gate = Gate::new(&stream);
    let failed = to.copy_from(&from, &stream);
    assert!(matches!(failed, Err(Error::Acl { call: "aclrtMemcpyAsync", .. })), "{failed:?}");
    drop((from, to));
    assert_eq!(Counters::now().device_allocations, 2);
    gate.open();
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 0);
    stream.close()
}

/// A phase two that enqueues work and then fails.
unsafe extern "C" fn refuse(
    workspace: *mut c_void,
    _: u64,
    _: *mut aclOpExecutor,
    _: aclrtStream,
) -> AclnnStatus {
    assert!(!workspace.is_null());
    ACLNN_ERR_PARAM_INVALID
}

#[test]
fn operands_and_workspace_stay() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let input = Tensor::<f32>::zeros([2], &stream)?;
    let operands = [ExecutorOperand::read(&input)?];
    // SAFETY: phase two ignores the executor.
    let executor = unsafe {
        Executor::prepare("aclnnRefuse", &stream, operands, refuse, |bytes, executor| {
            *bytes = 64;
            *executor = core::ptr::without_provenance_mut(0x1230);
            aclnn::sys::ACLNN_SUCCESS
        })
    }?;
    let gate = Gate::new(&stream);
    assert!(matches!(executor.launch(&stream), Err(Error::Aclnn { call: "aclnnRefuse", .. })));
    drop(input);
    stream.trim_workspace();
    assert_eq!(Counters::now().device_allocations, 2);
    gate.open();
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 0);
    stream.close()
}
