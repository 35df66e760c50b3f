//! What phase one of the function whose index names windows refuses; of two broken rules the first
//! is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_FLOAT16, ACL_UINT16};
use common::Stream;
use common::call::{
    Call, Pages, Rule, Which, assert_in_order, assert_refused, index, reshape, self_, src, turn,
};

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    assert_in_order(Which::Windows, &pages, RULES);
}

/// As CANN, which has no update of nothing.
#[test]
fn tensors_without_elements_are_refused() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let cases: [Rule; 3] = [
        (|call| reshape(self_(call), &[0, 5]), 161_002, "data: elements expected, got none"),
        (|call| reshape(index(call), &[0]), 161_002, "indices: elements expected, got none"),
        (|call| reshape(src(call), &[3, 0]), 161_002, "updates: elements expected, got none"),
    ];
    for (empty, code, words) in cases {
        let mut call = Call::new(Which::Windows, &pages);
        empty(&mut call);
        assert_refused(&call, code, words);
    }
}

/// What is refused, in the order of the rules; `{self}` stands for the name of self in the
/// prototype.
const RULES: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.self_ = None, 161_001, "{self} is null"),
    (|call| call.index = None, 161_001, "indices is null"),
    (|call| call.src = None, 161_001, "updates is null"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "data: one of the twelve"),
    (|call| src(call).dtype = ACL_FLOAT16, 161_002, "updates: dtype f32"),
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "indices: dtype i32 or i64 expected"),
    (|call| turn(self_(call)), 561_103, "{self}: "),
    (|call| index(call).offset = 300, 561_103, "indices: elements 300 to "),
    (|call| turn(src(call)), 561_103, "updates: "),
    (|call| reshape(self_(call), &[1; 9]), 161_002, "data: rank 8 at most expected, got 9"),
    (|call| reshape(index(call), &[1, 1, 3]), 161_002, "indices: rank 2 at most expected, got 3"),
    (|call| reshape(index(call), &[3, 1]), 161_002, "indices: size 2 on axis 1 expected, got 1"),
    (|call| reshape(src(call), &[3, 2, 1]), 161_002, "updates: rank 2 of data expected, got 3"),
    (|call| call.dim = -2, 161_002, "axis: another axis than 0 expected, got -2"),
    (|call| reshape(index(call), &[5]), 161_002, "indices: size 4 of data at most expected on axis 0, got 5"),
    (|call| reshape(src(call), &[2, 2]), 161_002, "updates: size 3 on axis 0 expected, got 2"),
    (
        |call| reshape(src(call), &[3, 6]),
        161_002,
        "updates: size 5 of data at most expected on axis 1, got 6",
    ),
    (|call| call.dim = 2, 161_002, "axis: -2 to below 2 expected, got 2"),
    (|call| src(call).address = self_(call).address, 161_002, "out: memory apart from updates"),
];
