//! What phase one of the functions with coordinates along the last axis of index refuses; of two
//! broken rules the first is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_FLOAT16, ACL_UINT16};
use common::Stream;
use common::call::{
    Call, Pages, Rule, Which, assert_in_order, assert_refused, index, out, reshape, self_, src, turn, written,
};
use scatter::Addressing;

fn is_nd(which: &Which) -> bool {
    which.addressing() == Addressing::Nd
}

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    for which in Which::ALL.into_iter().filter(is_nd) {
        assert_in_order(which, &pages, RULES);
        // With an empty index, overlaps are not checked.
        for shape in [&[0, 1][..], &[3, 0]] {
            let mut call = Call::new(which, &pages);
            reshape(index(&mut call), shape);
            let updates: &[i64] = if shape[0] == 0 { &[0, 5] } else { &[3, 4, 5] };
            reshape(src(&mut call), updates);
            src(&mut call).address = written(&mut call).address;
            let (status, message) = call.run();
            assert_eq!(status.0, 0, "{which:?}: {message}");
        }
    }
}

/// Out of place, there are rules about out beside those of [`RULES`].
#[test]
fn an_out_is_refused_that_is_missing_or_of_another_kind() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let rules: [Rule; 6] = [
        (|call| call.out = None, 161_001, "out is null"),
        (|call| out(call).dtype = ACL_FLOAT16, 161_002, "out: dtype f32"),
        (|call| turn(out(call)), 561_103, "out: "),
        (|call| reshape(out(call), &[4, 6]), 161_002, "out: size 5 on axis 1 expected, got 6"),
        (
            |call| {
                reshape(out(call), &[4]);
                reshape(index(call), &[1; 9]);
            },
            161_002,
            "out: rank 2 expected, got 1",
        ),
        (|call| out(call).strides = vec![0, 1], 161_002, "out: elements that don't overlap expected"),
    ];
    for (break_it, code, words) in rules {
        let mut call = Call::new(Which::Nd, &pages);
        break_it(&mut call);
        assert_refused(&call, code, words);
    }
}

/// Only this function takes rows of self by an index without an axis of coordinates.
#[test]
fn the_row_form_is_of_tf_scatter_add_alone() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    for which in Which::ALL.into_iter().filter(is_nd) {
        let mut call = Call::new(which, &pages);
        reshape(index(&mut call), &[3]);
        if which == Which::NdAdd {
            assert_eq!(call.run().0.0, 0);
        } else {
            assert_refused(&call, 161_002, "indices: size 2 (the rank of self) at most expected");
        }
    }
}

/// What they refuse, in the order of the rules; `{self}` stands for the name of self in the
/// prototype.
const RULES: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.self_ = None, 161_001, "{self} is null"),
    (|call| call.index = None, 161_001, "indices is null"),
    (|call| call.src = None, 161_001, "updates is null"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
    (|call| src(call).dtype = ACL_FLOAT16, 161_002, "updates: dtype f32"),
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "indices: dtype i32 or i64 expected"),
    (|call| turn(self_(call)), 561_103, "{self}: "),
    (|call| index(call).offset = 300, 561_103, "indices: elements 300 to "),
    (|call| turn(src(call)), 561_103, "updates: "),
    (|call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
    (
        |call| {
            reshape(self_(call), &[]);
            call.out.iter_mut().for_each(|out| reshape(out, &[]));
        },
        161_002,
        "{self}: rank 1 to 8 expected, got 0",
    ),
    (|call| reshape(index(call), &[]), 161_002, "indices: rank 1 to 8 expected, got 0"),
    (|call| reshape(src(call), &[]), 161_002, "updates: rank 1 to 8 expected, got 0"),
    (
        |call| reshape(index(call), &[3, 4]),
        161_002,
        "indices: size 2 (the rank of self) at most expected on axis 1, got 4",
    ),
    (|call| reshape(src(call), &[3, 4]), 161_002, "updates: size 5 on axis 1 expected, got 4"),
    (|call| src(call).address = written(call).address, 161_002, "out: memory apart from updates"),
];
