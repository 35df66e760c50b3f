//! Executors that run once, that are repeated, that get other addresses, and that are destroyed;
//! and the order of work in streams.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::common::{Memory, Tensor, cann, handle, launch, messages, planned, scalar};
use aclnn_sys::{
    ACL_SUCCESS, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus,
    aclOpExecutor,
};
use host_ops::c;

const DONE: (AclnnStatus, aclnn_sys::AclError) = (AclnnStatus::SUCCESS, ACL_SUCCESS);

fn repeatable(executor: *mut aclOpExecutor) {
    // SAFETY: the executor lives.
    let status = unsafe { cann().aclSetAclOpExecutorRepeatable(executor) };
    assert_eq!(status, Ok(AclnnStatus::SUCCESS), "{}", messages());
}

/// `aclSetTensorAddr`.
fn set(executor: *mut aclOpExecutor, index: usize, tensor: &Tensor, address: *mut c_void) -> AclnnStatus {
    // SAFETY: handles live.
    unsafe { cann().aclSetTensorAddr(executor, index, tensor.raw, address) }.unwrap()
}

#[test]
fn a_repeatable_executor_takes_other_addresses() {
    let (left, right) = (Tensor::new(&[2], &[1_f32, 2.0]), Tensor::new(&[2], &[10_f32, 20.0]));
    let out = Tensor::new(&[2], &[0_f32; 2]);
    let executor = planned!(aclnnAddGetWorkspaceSize(left.raw, right.raw, scalar(2_i64), out.raw));
    repeatable(executor);
    assert_eq!(launch(executor, c::aclnnAdd), DONE);
    assert_eq!(out.read::<f32>(), [21.0, 42.0]);
    // As MindSpore does it: all addresses, by the numbers of the prototype.
    let (a, b, o) = (Memory::new(&[5_f32, 6.0]), Memory::new(&[1_f32, 1.0]), Memory::new(&[0_f32; 2]));
    for (index, tensor, memory) in [(0, &left, &a), (1, &right, &b), (2, &out, &o)] {
        assert_eq!(set(executor, index, tensor, memory.address), AclnnStatus::SUCCESS, "{}", messages());
    }
    assert_eq!(launch(executor, c::aclnnAdd), DONE);
    assert_eq!(o.read::<f32>(), [7.0, 8.0]);
    assert_eq!(out.read::<f32>(), [21.0, 42.0], "the old memory is no longer written");
    assert_eq!(set(executor, 3, &out, o.address), ACLNN_ERR_PARAM_INVALID);
    assert!(messages().contains("aclnnAdd has no such tensor 3"));
    assert_eq!(set(executor, 0, &left, a.address.wrapping_byte_add(1)), ACLNN_ERR_INNER_NULLPTR);
    // SAFETY: handles live.
    unsafe {
        let (input, output) = (a.address, o.address);
        assert_eq!(cann().aclSetInputTensorAddr(executor, 1, right.raw, input), Ok(AclnnStatus::SUCCESS));
        assert_eq!(cann().aclSetOutputTensorAddr(executor, 0, out.raw, output), Ok(AclnnStatus::SUCCESS));
        assert_eq!(cann().aclSetInputTensorAddr(executor, 2, right.raw, input), Ok(ACLNN_ERR_PARAM_INVALID));
    }
    assert_eq!(launch(executor, c::aclnnAdd), DONE);
    assert_eq!(o.read::<f32>(), [15.0, 18.0]);
    // SAFETY: the executor lives, and no work of it waits.
    unsafe {
        assert_eq!(cann().aclDestroyAclOpExecutor(executor), Ok(AclnnStatus::SUCCESS));
        assert_ne!(cann().aclDestroyAclOpExecutor(executor), Ok(AclnnStatus::SUCCESS));
    }
    assert_eq!(launch(executor, c::aclnnAdd).0, ACLNN_ERR_PARAM_INVALID);
}

#[test]
fn a_tensor_in_place_has_one_address() {
    let (self_ref, other) = (Tensor::new(&[2], &[1_i64, 2]), Tensor::new(&[2], &[3_i64, 4]));
    let executor = planned!(aclnnInplaceMulGetWorkspaceSize(self_ref.raw, other.raw));
    repeatable(executor);
    let memory = Memory::new(&[5_i64, 6]);
    assert_eq!(set(executor, 0, &self_ref, memory.address), AclnnStatus::SUCCESS);
    assert_eq!(launch(executor, c::aclnnInplaceMul), DONE);
    assert_eq!((memory.read::<i64>(), self_ref.read::<i64>()), (vec![15, 24], vec![1, 2]));
    // The same tensor for self and out.
    let executor = planned!(aclnnMulGetWorkspaceSize(self_ref.raw, other.raw, self_ref.raw));
    repeatable(executor);
    let memory = Memory::new(&[7_i64, 8]);
    assert_eq!(set(executor, 2, &self_ref, memory.address), AclnnStatus::SUCCESS);
    assert_eq!(launch(executor, c::aclnnMul), DONE);
    assert_eq!(memory.read::<i64>(), [21, 32]);
}

#[test]
fn addresses_may_come_later() {
    let (source, out) =
        (handle::<f32>(&[2], &[1], 0, 2, null_mut()), handle::<i32>(&[2], &[1], 0, 2, null_mut()));
    let executor = planned!(aclnnInplaceCopyGetWorkspaceSize(out, source));
    repeatable(executor);
    assert_eq!(launch(executor, c::aclnnInplaceCopy).0, ACLNN_ERR_PARAM_NULLPTR);
    assert!(messages().contains("selfRef: a storage expected, got the address null"));
    let (from, to) = (Memory::new(&[1_f32, 2.5]), Memory::new(&[0_i32; 2]));
    // SAFETY: handles live.
    unsafe {
        assert_eq!(cann().aclSetTensorAddr(executor, 0, out, to.address), Ok(AclnnStatus::SUCCESS));
        assert_eq!(cann().aclSetTensorAddr(executor, 1, source, from.address), Ok(AclnnStatus::SUCCESS));
    }
    assert_eq!(launch(executor, c::aclnnInplaceCopy), DONE);
    assert_eq!(to.read::<i32>(), [1, 2]);
}

#[test]
fn an_executor_runs_once_and_by_its_own_function() {
    let tensor = Tensor::new(&[1], &[5_f32]);
    let executor = planned!(aclnnInplaceZeroGetWorkspaceSize(tensor.raw));
    assert_eq!(launch(executor, c::aclnnInplaceOne).0, ACLNN_ERR_PARAM_INVALID);
    let words = messages();
    let expected = "executor: one of aclnnInplaceOneGetWorkspaceSize expected, got one of aclnnInplaceZeroGetWorkspaceSize";
    assert!(words.contains(expected), "{words}");
    assert_eq!(launch(executor, c::aclnnInplaceZero), DONE);
    assert_eq!(launch(executor, c::aclnnInplaceZero).0, ACLNN_ERR_PARAM_INVALID);
    assert!(messages().contains("that has run and is not repeatable"));
    assert_eq!(tensor.read::<f32>(), [0.0]);
}

#[test]
fn a_null_workspace_with_a_size_is_refused() {
    let tensor = Tensor::new(&[1], &[5_f32]);
    let executor = planned!(aclnnInplaceZeroGetWorkspaceSize(tensor.raw));
    // SAFETY: a null workspace of another size than 0 is refused.
    let status = unsafe { c::aclnnInplaceZero(null_mut(), 8, executor, null_mut()) };
    assert_eq!(status, ACLNN_ERR_PARAM_NULLPTR);
    let words = messages();
    assert!(words.contains("workspace: an address expected for workspaceSize 8, got null"), "{words}");
    assert_eq!(tensor.read::<f32>(), [5.0]);
}

#[test]
fn a_handle_is_an_address_in_memory_of_this_library() {
    let tensor = Tensor::new(&[1], &[5_f32]);
    let first = planned!(aclnnInplaceZeroGetWorkspaceSize(tensor.raw));
    // Another copy of the library in the process, whose memory is elsewhere, never gives the same.
    assert_eq!(first.addr() >> 47, 0, "{first:?} is no address of a process");
    assert_eq!(launch(first, c::aclnnInplaceZero), DONE);
}

#[test]
fn work_is_done_in_the_order_of_its_stream() {
    let tensor = Tensor::new(&[4096], &vec![0_i64; 4096]);
    let (mut stream, one, three) = (null_mut(), scalar(1_i64), scalar(3_i64));
    // SAFETY: the place for the stream is a local.
    assert_eq!(unsafe { cann().aclrtCreateStream(&raw mut stream) }, Ok(ACL_SUCCESS));
    let mut expected = 0_i64;
    for _ in 0..50 {
        // x = 3 x + 1, which another order would change.
        let times = planned!(aclnnInplaceMulsGetWorkspaceSize(tensor.raw, three));
        let plus = planned!(aclnnInplaceAddsGetWorkspaceSize(tensor.raw, one, one));
        // SAFETY: the tensor lives until the stream is done.
        unsafe {
            assert!(c::aclnnInplaceMuls(null_mut(), 0, times, stream).is_success());
            assert!(c::aclnnInplaceAdds(null_mut(), 0, plus, stream).is_success());
        }
        expected = expected.wrapping_mul(3).wrapping_add(1);
    }
    // SAFETY: the stream lives.
    unsafe {
        assert_eq!(cann().aclrtSynchronizeStream(stream), Ok(ACL_SUCCESS));
        assert_eq!(cann().aclrtDestroyStream(stream), Ok(ACL_SUCCESS));
    }
    assert_eq!(tensor.read::<i64>(), vec![expected; 4096]);
}
