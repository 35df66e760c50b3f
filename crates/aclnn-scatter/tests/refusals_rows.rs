//! What phase one of `aclnnEmbeddingDenseBackward` refuses; of two broken rules the first is
//! reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_FLOAT16, ACL_UINT16, aclOpExecutor};
use common::call::{
    Call, Pages, Rule, Which, assert_in_order, assert_refused, index, reshape, self_, src, turn,
};
use common::tensors::Tensor;
use common::{Stream, messages};

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    assert_in_order(Which::Embedding, &pages, RULES);
}

/// `numWeights` says how many rows out has.
#[test]
fn another_number_of_weights_is_refused() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let begun = Call::new(Which::Embedding, &pages).begin();
    assert!(begun.status.is_success(), "{}", messages());
    let raw = |tensor: &Option<Tensor>| tensor.as_ref().map_or(null_mut(), |tensor| tensor.0);
    let [grad, indices, out] = [&begun.src, &begun.index, &begun.self_].map(raw);
    let first = |weights: u64| {
        let (mut size, mut executor) = (7, null_mut::<aclOpExecutor>());
        let first = c::aclnnEmbeddingDenseBackwardGetWorkspaceSize;
        // SAFETY: handles are looked up, and pointers for results are valid.
        let status =
            unsafe { first(grad, indices, weights, u64::MAX, false, out, &raw mut size, &raw mut executor) };
        assert!(executor.is_null() && size == 7, "a refused call has written");
        (status.0, messages())
    };
    for weights in [0, 3, 5, u64::MAX] {
        let (code, message) = first(weights);
        let words = format!("embedding_backward: out: size {weights} on axis 0 expected, got 4");
        assert!(code == 161_002 && message.contains(&words), "{code}: no {words:?} in {message:?}");
    }
}

/// indices may be a scalar, and grad is one row then, with or without an axis for it.
#[test]
fn a_scalar_names_one_row() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    for grad in [&[5][..], &[1, 5]] {
        let mut call = Call::new(Which::Embedding, &pages);
        reshape(index(&mut call), &[]);
        reshape(src(&mut call), grad);
        let (status, message) = call.run();
        assert!(status.is_success(), "{grad:?}: {message}");
    }
    let mut call = Call::new(Which::Embedding, &pages);
    reshape(index(&mut call), &[]);
    reshape(src(&mut call), &[2, 5]);
    assert_refused(&call, 161_002, "grad: size 1 on axis 0 expected, got 2");
}

/// What is refused, in the order of the rules.
const RULES: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.src = None, 161_001, "grad is null"),
    (|call| call.index = None, 161_001, "indices is null"),
    (|call| call.self_ = None, 161_001, "out is null"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "out: one of the twelve"),
    (|call| src(call).dtype = ACL_FLOAT16, 161_002, "grad: dtype f32"),
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "indices: dtype i32 or i64 expected"),
    (|call| turn(self_(call)), 561_103, "out: "),
    (|call| index(call).offset = 300, 561_103, "indices: elements 300 to "),
    (|call| turn(src(call)), 561_103, "grad: "),
    (|call| reshape(self_(call), &[1; 9]), 161_002, "out: rank 8 at most expected, got 9"),
    (|call| reshape(self_(call), &[4]), 161_002, "out: rank 2 expected, got 1"),
    (|call| reshape(index(call), &[1; 9]), 161_002, "indices: rank 8 at most expected, got 9"),
    (|call| reshape(src(call), &[3, 1, 5]), 161_002, "grad: rank 2 expected, got 3"),
    (|call| reshape(src(call), &[2, 5]), 161_002, "grad: size 3 on axis 0 expected, got 2"),
    (|call| self_(call).strides = vec![0, 1], 161_002, "out: elements that don't overlap expected"),
    (|call| self_(call).address = index(call).address, 161_002, "out: memory apart from indices"),
];
