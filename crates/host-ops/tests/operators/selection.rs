//! `cat`, `masked_select`, `embedding`, `index` and `nonzero`.

use std::ptr::null_mut;

use crate::common::{
    PhaseTwo, Tensor, Truth, Typed, call, cann, launch, list, messages, planned, refusal, truths,
};
use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_SUCCESS, ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, AclnnStatus,
    aclOpExecutor,
};
use half::bf16;
use host_ops::c;

#[test]
fn tensors_are_put_one_behind_the_other() {
    let (one, two) =
        (Tensor::new(&[2, 1], &[1_f32, 2.0]), Tensor::strided(&[2, 2], &[1, 2], 0, &[3_f32, 4.0, 5.0, 6.0]));
    let out = Tensor::new(&[2, 3], &[0_f32; 6]);
    call!(aclnnCat, aclnnCatGetWorkspaceSize(list(&[&one, &two]), -1, out.raw));
    assert_eq!(out.read::<f32>(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    // Dtypes are promoted, and a tensor of shape [0] counts as none.
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

#[test]
fn the_addresses_of_a_list_can_t_be_changed() {
    let (one, two) = (Tensor::new(&[1], &[1_f32]), Tensor::new(&[1], &[2_f32]));
    let (out, elsewhere) = (Tensor::new(&[2], &[0_f32; 2]), Tensor::new(&[2], &[7_f32; 2]));
    let tensors = list(&[&one, &two]);
    let executor = planned!(aclnnCatGetWorkspaceSize(tensors, 0, out.raw));
    let address = elsewhere.memory.address;
    for place in [0, 1] {
        // SAFETY: handles live.
        let status = unsafe { cann().aclSetDynamicInputTensorAddr(executor, 0, place, tensors, address) };
        assert_eq!(status, Ok(ACLNN_ERR_PARAM_INVALID), "{place}");
    }
    assert_eq!(launch(executor, c::aclnnCat), (AclnnStatus::SUCCESS, ACL_SUCCESS));
    assert_eq!((out.read::<f32>(), elsewhere.read::<f32>()), (vec![1.0, 2.0], vec![7.0; 2]));
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
    let out = Tensor::strided(&[4], &[2], 0, &[0_f32; 8]);
    let (_, words) = refusal!(aclnnMaskedSelectGetWorkspaceSize(numbers.raw, mask.raw, out.raw));
    assert!(
        words.contains("out: elements one behind the other expected, got shape [4] with strides [2]"),
        "{words}"
    );
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

/// Runs an executor on a stream of its own, which must fail, and returns the words.
fn fails(executor: *mut aclOpExecutor, two: PhaseTwo) -> String {
    let mut stream = null_mut();
    // SAFETY: the place for the stream is a local, and the tensors live until it is done.
    unsafe {
        assert_eq!(cann().aclrtCreateStream(&raw mut stream), Ok(ACL_SUCCESS));
        assert_eq!(two(null_mut(), 0, executor, stream), AclnnStatus::SUCCESS);
        assert_eq!(cann().aclrtSynchronizeStream(stream), Ok(ACL_ERROR_RT_AICPU_EXCEPTION));
        assert_eq!(cann().aclrtDestroyStream(stream), Ok(ACL_SUCCESS));
    }
    messages()
}

#[test]
fn an_index_out_of_range_fails_the_stream_and_writes_nothing() {
    let weight = Tensor::new(&[3, 1], &[1_f32, 2.0, 3.0]);
    for bad in [3_i64, -1, -4] {
        let indices = Tensor::new(&[1, 2], &[0, bad]);
        let out = Tensor::new(&[1, 2, 1], &[9_f32; 2]);
        let executor = planned!(aclnnEmbeddingGetWorkspaceSize(weight.raw, indices.raw, out.raw));
        let words = fails(executor, c::aclnnEmbedding);
        let expected = format!("indices: 0 to 2 expected at [0, 1], got {bad}, on an axis of size 3");
        assert!(words.contains("aclnnEmbedding: ") && words.contains(&expected), "{words}");
        if bad != -1 {
            let executor = planned!(aclnnIndexGetWorkspaceSize(weight.raw, list(&[&indices]), out.raw));
            let words = fails(executor, c::aclnnIndex);
            let expected = format!("indices[0]: -3 to 2 expected at [0, 1], got {bad}, on an axis of size 3");
            assert!(words.contains("aclnnIndex: ") && words.contains(&expected), "{words}");
        }
        assert_eq!(out.read::<f32>(), [9.0; 2]);
    }
}

#[test]
fn places_of_elements_are_found() {
    let numbers = Tensor::strided(&[2, 3], &[1, 2], 0, &[0_f32, -1.0, 0.0, f32::NAN, 2.0, 0.0]);
    let out = Tensor::new(&[6, 2], &[9_i64; 12]);
    call!(aclnnNonzero, aclnnNonzeroGetWorkspaceSize(numbers.raw, out.raw));
    assert_eq!(shape(&out), [3, 2]);
    assert_eq!(out.read::<i64>()[..6], [0, 2, 1, 0, 1, 1]);
    let out = Tensor::new(&[2, 6], &[9_i64; 12]);
    call!(aclnnNonzeroV2, aclnnNonzeroV2GetWorkspaceSize(numbers.raw, out.raw));
    assert_eq!(shape(&out), [2, 3]);
    // One row behind the other, not where they were in the larger shape.
    assert_eq!(out.read::<i64>()[..6], [0, 1, 1, 2, 0, 1]);
    let (one, out) = (Tensor::new(&[], &[5_u8]), Tensor::new::<i64>(&[1, 0], &[]));
    call!(aclnnNonzero, aclnnNonzeroGetWorkspaceSize(one.raw, out.raw));
    assert_eq!(shape(&out), [1, 0]);
    let out = Tensor::new(&[6, 2], &[9_i32; 12]);
    let (_, words) = refusal!(aclnnNonzeroGetWorkspaceSize(numbers.raw, out.raw));
    assert!(words.contains("out: i64 expected, got i32"), "{words}");
}

#[test]
fn elements_are_taken_by_index_tensors() {
    let numbers: Vec<i32> = (0..24).collect();
    let tensor = Tensor::strided(&[2, 3, 4], &[12, 4, 1], 0, &numbers);
    let (column, row) = (Tensor::new(&[2, 1], &[1_i64, -1]), Tensor::new(&[2], &[0_i32, 3]));
    let none = Tensor::new::<i64>(&[0], &[]);
    let element = |i: i32, j: i32, k: i32| 12 * i + 4 * j + k;
    // Neighbours: the axes of the index tensors take their place.
    let out = Tensor::new(&[2, 2, 2], &[0_i32; 8]);
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(tensor.raw, list(&[&none, &column, &row]), out.raw));
    let expected: Vec<i32> =
        (0..8).map(|at| element(at / 4, [1, 2][at as usize / 2 % 2], [0, 3][at as usize % 2])).collect();
    assert_eq!(out.read::<i32>(), expected);
    // Others: they come first.
    let out = Tensor::new(&[2, 2, 3], &[0_i32; 12]);
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(tensor.raw, list(&[&column, &none, &row]), out.raw));
    let expected: Vec<i32> = (0..12).map(|at| element(1, at % 3, [0, 3][at as usize / 3 % 2])).collect();
    assert_eq!(out.read::<i32>(), expected);
    // One tensor, for the first axis.
    let out = Tensor::new(&[2, 1, 3, 4], &[0_i32; 24]);
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(tensor.raw, list(&[&column]), out.raw));
    assert_eq!(out.read::<i32>(), [&numbers[12..], &numbers[12..]].concat());
    let (_, words) = refusal!(aclnnIndexGetWorkspaceSize(tensor.raw, list(&[&row, &row, &row]), out.raw));
    assert!(words.contains("out: shape [2] expected, got [2, 1, 3, 4]"), "{words}");
    let (_, words) =
        refusal!(aclnnIndexGetWorkspaceSize(tensor.raw, list(&[&row, &row, &row, &row]), out.raw));
    assert!(words.contains("indices: at most 3 tensors expected, got 4"), "{words}");
}

#[test]
fn an_out_without_elements_must_have_the_right_shape() {
    let (four, three) = (Tensor::new(&[4], &[0_f32; 4]), Tensor::new(&[3], &[0_i64; 3]));
    let (none, out) = (Tensor::new::<i64>(&[0], &[]), Tensor::new::<f32>(&[0], &[]));
    let (_, words) = refusal!(aclnnIndexGetWorkspaceSize(four.raw, list(&[&three]), out.raw));
    assert!(words.contains("out: shape [3] expected, got [0]"), "{words}");
    let (_, words) = refusal!(aclnnIndexGetWorkspaceSize(four.raw, list(&[&four]), out.raw));
    assert!(words.contains("indices[0]: a dtype of integers expected, got f32"), "{words}");
    // There, an index tensor may have no elements itself.
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(four.raw, list(&[&none]), out.raw));
    let (table, wide) = (Tensor::new(&[2, 3], &[0_f32; 6]), Tensor::new::<f32>(&[2, 0], &[]));
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(table.raw, list(&[&none, &none]), wide.raw));
    let long = Tensor::new::<f32>(&[3, 0], &[]);
    let (_, words) = refusal!(aclnnIndexGetWorkspaceSize(table.raw, list(&[&none, &none]), long.raw));
    assert!(words.contains("out: shape [2, 3] expected, got [3, 0]"), "{words}");
    // An axis without elements has none to take.
    let (hollow, out) = (Tensor::new::<f32>(&[4, 0], &[]), Tensor::new::<f32>(&[3, 0], &[]));
    call!(aclnnIndex, aclnnIndexGetWorkspaceSize(hollow.raw, list(&[&three]), out.raw));
}
