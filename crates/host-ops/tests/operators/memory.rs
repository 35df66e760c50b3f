//! The memory that work touches is held to what a device can access.

use std::ptr::{null_mut, without_provenance_mut};

use crate::common::{Tensor, cann, handle, messages, planned};
use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACL_SUCCESS, AclError, aclTensor,
};
use host_ops::c;

/// Copies on a stream of its own, and returns what waiting for it does.
fn copy(out: *mut aclTensor, source: *mut aclTensor) -> AclError {
    let executor = planned!(aclnnInplaceCopyGetWorkspaceSize(out, source));
    let mut stream = null_mut();
    // SAFETY: the place for the stream is a local; of memory that isn't there nothing is touched.
    unsafe {
        assert_eq!(cann().aclrtCreateStream(&raw mut stream), Ok(ACL_SUCCESS));
        assert!(c::aclnnInplaceCopy(null_mut(), 0, executor, stream).is_success());
        let waited = cann().aclrtSynchronizeStream(stream).unwrap();
        assert_eq!(cann().aclrtDestroyStream(stream), Ok(ACL_SUCCESS));
        waited
    }
}

#[test]
fn memory_that_a_device_can_not_access_fails_the_stream() {
    let good = Tensor::new(&[4], &[7_f32; 4]);
    let nowhere = handle::<f32>(&[4], &[1], 0, 4, without_provenance_mut(4096));
    assert_eq!(copy(good.raw, nowhere), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    let words = messages();
    assert!(words.contains("aclnnInplaceCopy: src: device 0 can't read 16 bytes at 0x1000"), "{words}");
    assert_eq!(copy(nowhere, good.raw), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    let words = messages();
    assert!(words.contains("selfRef: device 0 can't write 16 bytes at 0x1000"), "{words}");
    // Larger than its allocation.
    let large = handle::<f32>(&[1 << 20], &[1], 0, 1 << 20, good.memory.address);
    assert_eq!(copy(large, good_of_one(&good)), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_eq!(good.read::<f32>(), [7.0; 4]);
    // An empty tensor's address is never looked at.
    let none = handle::<f32>(&[0], &[1], 0, 0, without_provenance_mut(4096));
    assert_eq!(copy(none, none), ACL_SUCCESS);
}

/// The first element.
fn good_of_one(good: &Tensor) -> *mut aclTensor {
    handle::<f32>(&[1], &[1], 0, 4, good.memory.address)
}

/// An element may be expanded to more of them than there is memory for.
#[test]
fn more_elements_than_memory_fail_the_stream() {
    let (one, sum) = (Tensor::new(&[1], &[1_f32]), Tensor::new(&[1], &[0_f32]));
    let expanded = handle::<f32>(&[1 << 50], &[0], 0, 1, one.memory.address);
    let executor = planned!(aclnnMaxGetWorkspaceSize(expanded, sum.raw));
    let mut stream = null_mut();
    // SAFETY: the place for the stream is a local, and the tensors outlive its work.
    unsafe {
        assert_eq!(cann().aclrtCreateStream(&raw mut stream), Ok(ACL_SUCCESS));
        assert!(c::aclnnMax(null_mut(), 0, executor, stream).is_success());
        assert_eq!(cann().aclrtSynchronizeStream(stream), Ok(ACL_ERROR_RT_AICPU_EXCEPTION));
    }
    let words = messages();
    assert!(
        words.contains("aclnnMax: ACLNN_ERR_RUNTIME_ERROR (361001): memory: 4503599627370500 bytes"),
        "{words}"
    );
    // SAFETY: the stream is not used again.
    assert_eq!(unsafe { cann().aclrtDestroyStream(stream) }, Ok(ACL_SUCCESS));
}
