//! What phase one of the functions whose index names slices refuses; of two broken rules the first
//! is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aclnn_scatter::sys::{ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_UINT16};
use common::Stream;
use common::call::{
    Call, Pages, Rule, Which, assert_in_order, assert_refused, index, out, reshape, self_, src, turn, written,
};

/// Those whose index names slices.
const ALL: [Which; 6] =
    [Which::Copy, Which::InplaceCopy, Which::AddSlices, Which::AddSlicesV2, Which::Fill, Which::InplaceFill];

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    for which in ALL {
        let rules: Vec<Rule> = RULES.iter().filter(|(.., words)| applies(which, words)).copied().collect();
        assert_in_order(which, &pages, &rules);
    }
}

/// Whether a rule applies to a function, by its words: some are about a source, a scalar, or an out
/// that isn't self. Without a source an index can ask for more updates than can be counted.
fn applies(which: Which, words: &str) -> bool {
    let (has_source, has_scalar, has_out) = (which.takes_src(), which.takes_value(), which.has_output());
    let kinds = [
        ("source", has_source),
        ("alpha", has_source && has_scalar),
        ("value", has_scalar && !has_source),
        ("{out}", has_out),
        ("out: dtype", has_out),
        ("out: size", has_out),
        ("overflows", !has_source),
    ];
    kinds.iter().all(|&(word, applies)| applies || !words.contains(word))
}

/// With an empty index overlaps are not checked, but the dtype of index is.
#[test]
fn an_empty_index_is_checked_but_for_overlaps() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    for which in ALL {
        let mut call = Call::new(which, &pages);
        reshape(index(&mut call), &[0]);
        reshape(src(&mut call), &[4, 0]);
        src(&mut call).address = written(&mut call).address;
        assert_eq!(call.run().0.0, 0, "{which:?}");
        index(&mut call).dtype = ACL_FLOAT;
        assert_refused(&call, 161_002, "index: dtype i32 or i64 expected, got f32");
    }
}

/// What they refuse, in the order of the rules, as far as they [apply](applies); `{self}` and
/// `{out}` stand for the names in the prototype.
const RULES: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.self_ = None, 161_001, "{self} is null"),
    (|call| call.index = None, 161_001, "index is null"),
    (|call| call.src = None, 161_001, "source is null"),
    (|call| call.value = None, 161_001, "alpha is null"),
    (|call| call.value = None, 161_001, "value is null"),
    (|call| call.out = None, 161_001, "{out} is null"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
    (|call| src(call).dtype = ACL_FLOAT16, 161_002, "source: dtype f32"),
    (|call| out(call).dtype = ACL_FLOAT16, 161_002, "out: dtype f32"),
    (|call| call.value = Some((1e39, ACL_DOUBLE)), 161_002, "alpha: a number that f32"),
    (|call| call.value = Some((1e39, ACL_DOUBLE)), 161_002, "value: a number that f32"),
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "index: dtype i32 or i64 expected"),
    (|call| turn(self_(call)), 561_103, "{self}: "),
    (|call| index(call).offset = 300, 561_103, "index: elements 300 to "),
    (|call| turn(src(call)), 561_103, "source: "),
    (|call| turn(out(call)), 561_103, "{out}: "),
    (|call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
    (|call| reshape(out(call), &[4, 6]), 161_002, "out: size 5 on axis 1 expected, got 6"),
    (|call| reshape(index(call), &[1, 3]), 161_002, "index: rank 1 at most expected, got 2"),
    (|call| reshape(src(call), &[4, 3, 1]), 161_002, "source: rank 2 expected, got 3"),
    (|call| reshape(src(call), &[4, 2]), 161_002, "source: size 3 on axis 1 expected, got 2"),
    (|call| reshape(src(call), &[3, 3]), 161_002, "source: size 4 on axis 0 expected, got 3"),
    (|call| call.dim = 2, 161_002, "dim: -2 to below 2 expected, got 2"),
    (|call| src(call).address = written(call).address, 161_002, "out: memory apart from source"),
    (
        |call| (index(call).shape, index(call).strides) = (vec![1 << 62], vec![0]),
        561_103,
        "index: axis 0: size 4611686018427387904 with stride 0 overflows",
    ),
];
