//! The position of an index out of range is reported in the caller's coordinates.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_ERROR_RT_AICPU_EXCEPTION, ACL_FLOAT, ACL_INT64, AclError};
use common::tensors::{Memory, Owned, Spec, zeros};
use common::{Stream, assert_told, messages};

/// Runs `aclnnTfScatterAdd`, and returns the code with which the stream is synchronised.
fn tf_scatter_add(stream: &Stream, var: &Owned, indices: &Owned, updates: &Owned) -> AclError {
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live, and the storages have the size that the tensors say.
    unsafe {
        let first = c::aclnnTfScatterAddGetWorkspaceSize(
            var.raw(),
            indices.raw(),
            updates.raw(),
            &mut size,
            &mut executor,
        );
        assert!(first.is_success(), "{}", messages());
        assert!(c::aclnnTfScatterAdd(null_mut(), 0, executor, stream.raw).is_success());
    }
    stream.synchronize()
}

#[test]
fn positions_are_those_of_the_callers_indices() {
    let stream = Stream::new();
    let var = Owned::new(ACL_FLOAT, &[3, 5], &[0_f32; 15]);
    // In the nd form, the last axis of indices has the coordinates of a row.
    let indices = Owned::new(ACL_INT64, &[2, 2], &[2_i64, 4, 0, 5]);
    let ended = tf_scatter_add(&stream, &var, &indices, &Owned::new(ACL_FLOAT, &[2], &[1_f32; 2]));
    assert_eq!(ended, ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_told(&stream.status(), c"aclnnTfScatterAdd", &[1, 1], 5, 5);
    // The row form.
    let indices = Owned::new(ACL_INT64, &[2, 2], &[0_i64, 1, 3, 0]);
    let ended = tf_scatter_add(&stream, &var, &indices, &Owned::new(ACL_FLOAT, &[2, 2, 5], &[1_f32; 20]));
    assert_eq!(ended, ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_told(&stream.status(), c"aclnnTfScatterAdd", &[1, 0], 3, 3);
    assert_eq!(var.memory.read::<f32>(), [0.0; 15]);
    // A tensor without axes has no coordinates.
    let (var, index) = (Owned::new(ACL_FLOAT, &[], &[0_f32]), Owned::new(ACL_INT64, &[], &[1_i64]));
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live, and the storages have the size that the tensors say.
    unsafe {
        let src = Owned::new(ACL_FLOAT, &[], &[1_f32]);
        let (var_raw, index) = (var.raw(), index.raw());
        let first = c::aclnnScatterAddGetWorkspaceSize(
            var_raw,
            0,
            index,
            src.raw(),
            var_raw,
            &mut size,
            &mut executor,
        );
        assert!(first.is_success(), "{}", messages());
        assert!(c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw).is_success());
        assert_eq!(stream.synchronize(), ACL_ERROR_RT_AICPU_EXCEPTION);
        assert_told(&stream.status(), c"aclnnScatterAdd", &[], 1, 1);
    }
}

/// Distributes updates evenly over four elements; then makes the third index value from the end,
/// which is at this position, out of range.
fn eight_axes(shape: &[i64], position: &[i64]) {
    let stream = Stream::new();
    let count = shape.iter().product::<i64>() as usize;
    let (var, updates) =
        (Owned::new(ACL_FLOAT, &[4], &[0_f32; 4]), Owned::new(ACL_FLOAT, shape, &vec![1_f32; count]));
    let mut values: Vec<i64> = (0..count as i64).map(|number| number % 4).collect();
    let ended = tf_scatter_add(&stream, &var, &Owned::new(ACL_INT64, shape, &values), &updates);
    assert!(ended.is_success());
    assert_eq!(var.memory.read::<f32>(), [count as f32 / 4.0; 4]);
    // The position is reported in eight coordinates.
    values[count - 3] = -5;
    let ended = tf_scatter_add(&stream, &var, &Owned::new(ACL_INT64, shape, &values), &updates);
    assert_eq!(ended, ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_told(&stream.status(), c"aclnnTfScatterAdd", position, -5, 4);
}

#[test]
fn the_row_form_has_eight_axes_where_two_can_be_read_as_one() {
    // Shapes with an axis of size 1, and with two neighbouring axes that can be merged.
    eight_axes(&[2, 1, 2, 3, 2, 2, 2, 2], &[1, 0, 1, 2, 1, 1, 0, 1]);
    eight_axes(&[2, 2, 2, 3, 2, 2, 2, 2], &[1, 1, 1, 2, 1, 1, 0, 1]);
    let _stream = Stream::new();
    let var = Owned::new(ACL_FLOAT, &[4], &[0_f32; 4]);
    // Eight axes of which no two neighbours can be merged.
    let memory = Memory::of(&zeros::<i64>(1 << 16));
    let spec = Spec {
        strides: (0..8).map(|axis| 1 << (15 - 2 * axis)).collect(),
        storage: vec![1 << 16],
        ..Spec::new(ACL_INT64, &[2; 8], memory.address)
    };
    let (indices, updates) = (spec.create(), Owned::new(ACL_FLOAT, &[2; 8], &[1_f32; 256]));
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live.
    let status = unsafe {
        c::aclnnTfScatterAddGetWorkspaceSize(var.raw(), indices.0, updates.raw(), &mut size, &mut executor)
    };
    assert_eq!(status.0, 161_002);
    assert!(messages().contains("in the row form"));
}
