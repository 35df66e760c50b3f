//! `cat`, `masked_select` and `embedding`.

use std::ptr::null_mut;

use crate::common::{Tensor, Truth, Typed, call, cann, launch, messages, planned, refusal, truths};
use aclnn_sys::{ACL_ERROR_RT_AICPU_EXCEPTION, ACL_SUCCESS, ACLNN_ERR_INNER, AclnnStatus, aclTensorList};
use half::bf16;
use host_ops::c;

/// A list of tensors. (It is never destroyed, because it owns them.)
fn list(tensors: &[&Tensor]) -> *mut aclTensorList {
    let handles: Vec<_> = tensors.iter().map(|tensor| tensor.raw.cast_const()).collect();
    // SAFETY: the length is that of the handles.
    unsafe { cann().aclCreateTensorList(handles.as_ptr(), handles.len() as u64) }.unwrap()
}

#[test]
fn tensors_are_put_one_behind_the_other() {
    let (one, two) =
        (Tensor::new(&[2, 1], &[1_f32, 2.0]), Tensor::strided(&[2, 2], &[1, 2], 0, &[3_f32, 4.0, 5.0, 6.0]));
    let out = Tensor::new(&[2, 3], &[0_f32; 6]);
    call!(aclnnCat, aclnnCatGetWorkspaceSize(list(&[&one, &two]), -1, out.raw));
    assert_eq!(out.read::<f32>(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    // Dtypes meet, and a tensor of shape [0] counts as none.
    let (none, numbers) = (Tensor::new::<f32>(&[0], &[]), Tensor::new(&[1, 2], &[7_i64, 8]));
    let out = Tensor::new(&[3, 2], &[0_f32; 6]);
    call!(aclnnCat, aclnnCatGetWorkspaceSize(list(&[&two, &none, &numbers]), 0, out.raw));
    assert_eq!(out.read::<f32>(), [3.0, 5.0, 4.0, 6.0, 7.0, 8.0]);
    let out = Tensor::new::<f32>(&[0], &[]);
    call!(aclnnCat, aclnnCatGetWorkspaceSize(list(&[&none, &none]), 0, out.raw));
    let out = Tensor::new(&[4, 2], &[0_f32; 8]);
    let (_, words) = refusal!(aclnnCatGetWorkspaceSize(list(&[&two, &one]), 0, out.raw));
    assert!(words.contains("tensors[1]: shape [2, 2] but along axis 0 expected, got [2, 1]"), "{words}");
    let (_, words) = refusal!(aclnnCatGetWorkspaceSize(list(&[&two]), 2, out.raw));
    assert!(words.contains("dim: -2 to 1 expected, got 2"), "{words}");
    let (_, words) = refusal!(aclnnCatGetWorkspaceSize(list(&[&two]), 0, out.raw));
    assert!(words.contains("out: shape [2, 2] expected, got [4, 2]"), "{words}");
    let (_, words) = refusal!(aclnnCatGetWorkspaceSize(list(&[]), 0, out.raw));
    assert!(words.contains("tensors: one at least expected, got none"), "{words}");
}

#[test]
fn an_executor_with_a_list_is_not_repeatable() {
    let one = Tensor::new(&[1], &[1_f32]);
    let out = Tensor::new(&[1], &[0_f32]);
    let executor = planned!(aclnnCatGetWorkspaceSize(list(&[&one]), 0, out.raw));
    // SAFETY: the executor lives.
    assert_eq!(unsafe { cann().aclSetAclOpExecutorRepeatable(executor) }, Ok(ACLNN_ERR_INNER));
    let words = messages();
    assert!(words.contains("aclnnCat: an executor without lists of tensors expected"), "{words}");
    assert_eq!(launch(executor, c::aclnnCat), (AclnnStatus::SUCCESS, ACL_SUCCESS));
    assert_eq!(out.read::<f32>(), [1.0]);
}

/// The shape that CANN tells of a tensor.
fn shape(tensor: &Tensor) -> Vec<i64> {
    let (mut first, mut len) = (null_mut(), 0);
    // SAFETY: the places for results are locals; the array has the length that was told.
    unsafe {
        let told = cann().aclGetViewShape(tensor.raw, &raw mut first, &raw mut len);
        assert_eq!(told, Ok(AclnnStatus::SUCCESS));
        let numbers = std::slice::from_raw_parts(first, len as usize).to_vec();
        libc::free(first.cast());
        numbers
    }
}

/// Selects, and returns the elements that out has then.
fn selected<T: Typed>(self_: &Tensor, mask: &Tensor, room: usize) -> Vec<T> {
    let out = Tensor::new(&[room as i64], &vec![T::zeroed(); room]);
    call!(aclnnMaskedSelect, aclnnMaskedSelectGetWorkspaceSize(self_.raw, mask.raw, out.raw));
    let [count] = shape(&out)[..] else { panic!("one axis") };
    out.read::<T>()[..count as usize].to_vec()
}

#[test]
fn elements_are_selected_and_counted() {
    let numbers = Tensor::strided(&[2, 2], &[1, 2], 0, &[1_f32, 2.0, 3.0, 4.0]);
    let mask = Tensor::new(&[2, 2], &truths(&[true, true, false, true]));
    assert_eq!(selected::<f32>(&numbers, &mask, 4), [1.0, 3.0, 4.0]);
    let row = Tensor::new(&[2], &truths(&[false, true]));
    assert_eq!(selected::<f32>(&numbers, &row, 4), [3.0, 4.0]);
    let none = Tensor::new(&[], &[Truth(0)]);
    assert!(selected::<f32>(&numbers, &none, 4).is_empty());
    let (one, all) = (Tensor::new(&[1], &[-7_i64]), Tensor::new(&[3], &[1_u8, 0, 2]));
    assert_eq!(selected::<i64>(&one, &all, 3), [-7, -7]);
    let out = Tensor::new(&[3], &[0_f32; 3]);
    let (_, words) = refusal!(aclnnMaskedSelectGetWorkspaceSize(numbers.raw, mask.raw, out.raw));
    assert!(words.contains("out: shape [4] expected, got [3]"), "{words}");
    let (_, words) = refusal!(aclnnMaskedSelectGetWorkspaceSize(numbers.raw, numbers.raw, out.raw));
    assert!(words.contains("mask: bool or u8 expected, got f32"), "{words}");
}

#[test]
fn rows_are_looked_up() {
    let weight = Tensor::new(&[3, 2], &[1_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(bf16::from_f32));
    let indices = Tensor::new(&[2, 2], &[2_i64, 0, 1, 1]);
    let out = Tensor::new(&[2, 2, 2], &[bf16::ZERO; 8]);
    call!(aclnnEmbedding, aclnnEmbeddingGetWorkspaceSize(weight.raw, indices.raw, out.raw));
    assert_eq!(out.read::<bf16>(), [5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0].map(bf16::from_f32));
    let (one, out) = (Tensor::new(&[], &[1_u8]), Tensor::new(&[2], &[bf16::ZERO; 2]));
    call!(aclnnEmbedding, aclnnEmbeddingGetWorkspaceSize(weight.raw, one.raw, out.raw));
    assert_eq!(out.read::<bf16>(), [3.0, 4.0].map(bf16::from_f32));
}

#[test]
fn an_index_out_of_range_fails_the_stream_and_writes_nothing() {
    let weight = Tensor::new(&[3, 1], &[1_f32, 2.0, 3.0]);
    for bad in [3_i64, -1] {
        let indices = Tensor::new(&[1, 2], &[0, bad]);
        let out = Tensor::new(&[1, 2, 1], &[9_f32; 2]);
        let executor = planned!(aclnnEmbeddingGetWorkspaceSize(weight.raw, indices.raw, out.raw));
        // A stream of its own, for the default stream is that of other tests, too.
        let mut stream = null_mut();
        // SAFETY: the place for the stream is a local, and the tensors live until it is done.
        let waited = unsafe {
            assert_eq!(cann().aclrtCreateStream(&raw mut stream), Ok(ACL_SUCCESS));
            assert_eq!(c::aclnnEmbedding(null_mut(), 0, executor, stream), AclnnStatus::SUCCESS);
            cann().aclrtSynchronizeStream(stream)
        };
        assert_eq!(waited, Ok(ACL_ERROR_RT_AICPU_EXCEPTION));
        let words = messages();
        let expected = format!("indices: 0 to 2 expected at [0, 1], got {bad}, for weight has 3 rows");
        assert!(words.contains("aclnnEmbedding: ") && words.contains(&expected), "{words}");
        assert_eq!(out.read::<f32>(), [9.0; 2]);
        // SAFETY: the stream lives.
        assert_eq!(unsafe { cann().aclrtDestroyStream(stream) }, Ok(ACL_SUCCESS));
    }
}
