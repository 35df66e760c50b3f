//! What phase one of `aclnnGather` refuses; of two broken rules the first is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_FLOAT16, ACL_UINT16};
use common::Stream;
use common::call::{
    Call, Pages, Rule, Which, assert_in_order, assert_refused, index, out, reshape, self_, turn,
};
use common::tensors::Spec;

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    assert_in_order(Which::Gather, &pages, RULES);
}

/// Behind the shape of out nothing is checked where index is empty.
#[test]
fn an_empty_index_gathers_nothing() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let mut call = Call::new(Which::Gather, &pages);
    reshape(index(&mut call), &[0]);
    reshape(out(&mut call), &[0]);
    index(&mut call).dtype = ACL_FLOAT;
    call.dim = 9;
    assert_eq!(call.run().0.0, 0);
    reshape(out(&mut call), &[1]);
    assert_refused(&call, 161_002, "out: size 0 on axis 0 expected, got 1");
}

/// Tensors without addresses pass, also where out has self's shape.
#[test]
fn tensors_of_one_shape_get_their_addresses_later() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let mut call = Call::new(Which::Gather, &pages);
    for spec in [&mut call.self_, &mut call.index, &mut call.out].into_iter().flatten() {
        *spec = Spec::new(spec.dtype, &[4, 5], null_mut());
    }
    let (status, message) = call.run();
    assert_eq!(status.0, 0, "{message}");
}

/// In the order of the rules.
const RULES: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.self_ = None, 161_001, "self is null"),
    (|call| call.index = None, 161_001, "index is null"),
    (|call| call.out = None, 161_001, "out is null"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
    (|call| out(call).dtype = ACL_FLOAT16, 161_002, "out: dtype f32"),
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "index: dtype i32 or i64 expected"),
    (|call| turn(self_(call)), 561_103, "self: "),
    (|call| index(call).offset = 300, 561_103, "index: elements 300 to "),
    (|call| turn(out(call)), 561_103, "out: "),
    (|call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
    (|call| reshape(index(call), &[1; 9]), 161_002, "index: rank 8 at most expected, got 9"),
    (|call| reshape(out(call), &[2, 4]), 161_002, "gather: out: "),
    (
        |call| {
            reshape(index(call), &[2]);
            reshape(out(call), &[2]);
        },
        161_002,
        "index: rank 2 of self expected, got 1",
    ),
    (
        |call| {
            reshape(index(call), &[5, 3]);
            reshape(out(call), &[5, 3]);
        },
        161_002,
        "index: size 4 of self at most expected on axis 0, got 5",
    ),
    (|call| call.dim = 2, 161_002, "dim: -2 to below 2 expected, got 2"),
    (|call| out(call).strides = vec![0, 1], 161_002, "out: elements that don't overlap expected"),
    (|call| out(call).address = self_(call).address, 161_002, "out: memory apart from self"),
    (|call| out(call).address = index(call).address, 161_002, "out: memory apart from index"),
];
