//! What phase one of `aclnnTfScatterAdd` refuses; of two broken rules the first is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aclnn_scatter::sys::{ACL_FLOAT, ACL_FLOAT16, ACL_UINT16};
use common::Stream;
use common::call::{Call, Pages, Rule, Which, assert_refused, index, reshape, self_, src, turn};

#[test]
fn the_rules_of_tf_scatter_add() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let rules: &[Rule] = &[
        (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
        (|call| call.has_executor = false, 161_001, "executor is null"),
        (|call| call.self_ = None, 161_001, "varRef is null"),
        (|call| call.index = None, 161_001, "indices is null"),
        (|call| call.src = None, 161_001, "updates is null"),
        (|call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
        (|call| src(call).dtype = ACL_FLOAT16, 161_002, "updates: dtype f32"),
        INDEX_DTYPE_ND,
        (|call| turn(self_(call)), 561_103, "varRef: "),
        (|call| index(call).offset = 300, 561_103, "indices: elements 300 to "),
        (|call| turn(src(call)), 561_103, "updates: "),
        (|call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
        (|call| reshape(self_(call), &[]), 161_002, "varRef: rank 1 to 8 expected, got 0"),
        (|call| reshape(index(call), &[]), 161_002, "indices: rank 1 to 8 expected, got 0"),
        (|call| reshape(src(call), &[]), 161_002, "updates: rank 1 to 8 expected, got 0"),
        (
            |call| reshape(index(call), &[3, 4]),
            161_002,
            "indices: size 2 (the rank of self) at most expected on axis 1, got 4",
        ),
        (
            |call| reshape(src(call), &[3, 4]),
            161_002,
            "updates: size 5 on axis 1 expected, got 4 (nor is it the row form",
        ),
        (|call| src(call).address = self_(call).address, 161_002, "out: memory apart from updates"),
    ];
    assert_eq!(Call::new(Which::Nd, &pages).run().0.0, 0);
    for (place, (break_one, code, words)) in rules.iter().enumerate() {
        let mut call = Call::new(Which::Nd, &pages);
        break_one(&mut call);
        assert_refused(&call, *code, words);
        for (break_later, ..) in &rules[place + 1..] {
            // Break the later rule first, because a tensor that is null can't be changed any more,
            // and nulls are the first rules.
            let mut call = Call::new(Which::Nd, &pages);
            break_later(&mut call);
            break_one(&mut call);
            assert_refused(&call, *code, words);
        }
    }
    // With an empty index, overlaps are not checked.
    for shape in [&[0, 1][..], &[3, 0]] {
        let mut call = Call::new(Which::Nd, &pages);
        reshape(index(&mut call), shape);
        let updates: &[i64] = if shape[0] == 0 { &[0, 5] } else { &[3, 4, 5] };
        reshape(src(&mut call), updates);
        src(&mut call).address = self_(&mut call).address;
        let (status, message) = call.run();
        assert_eq!(status.0, 0, "{message}");
    }
}

const INDEX_DTYPE_ND: Rule =
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "indices: dtype i32 or i64 expected");
