//! What phase one refuses: every rule with its code and words, and of two broken rules the first.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::sys::{
    ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_HIFLOAT8, ACL_INT8, ACL_INT64,
    ACL_STRING, ACL_UINT16,
};
use common::Stream;
use common::call::{Call, Pages, Rule, Which, assert_refused, index, out, reshape, self_, src};

/// The rules of `aclnnScatterReduce` in their order; those before the empty index first, then those behind it.
const BEFORE_EMPTY: &[Rule] = &[
    (|call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (|call| call.has_executor = false, 161_001, "executor is null"),
    (|call| call.self_ = None, 161_001, "self is null"),
    (|call| call.index = None, 161_001, "index is null"),
    (|call| call.src = None, 161_001, "src is null"),
    (|call| call.out = None, 161_001, "out is null"),
    (|call| call.reduce = 6, 161_002, "reduce: 0 to 5 expected, got 6"),
    (|call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
    (|call| src(call).dtype = ACL_STRING, 161_002, "src: one of the twelve"),
    (|call| src(call).dtype = ACL_FLOAT16, 161_002, "src: dtype f32 of self expected"),
    (|call| out(call).dtype = ACL_DOUBLE, 161_002, "out: dtype f32 of self expected"),
    (
        |call| {
            for spec in [&mut call.self_, &mut call.src, &mut call.out].into_iter().flatten() {
                spec.dtype = ACL_COMPLEX64;
            }
            call.reduce = 3;
        },
        161_002,
        "reduce: max does not exist for complex64",
    ),
];

const INDEX_DTYPE: Rule =
    (|call| index(call).dtype = ACL_FLOAT, 161_002, "index: dtype i32 or i64 expected, got f32");

const LAYOUTS: &[Rule] = &[
    (|call| self_(call).strides[0] = -1, 561_103, "self: stride 0 or more expected on axis 0, got -1"),
    (|call| self_(call).shape[0] = -4, 561_103, "self: size 0 or more expected on axis 0, got -4"),
    (|call| index(call).offset = 300, 561_103, "index: elements 300 to "),
    (|call| index(call).offset = -1, 561_103, "index: offset 0 or more expected, got -1"),
    (|call| src(call).strides.fill(i64::MAX), 561_103, "src: "),
    (
        |call| src(call).storage = vec![2, -4],
        561_103,
        "src: size 0 or more expected on axis 1 of the storage",
    ),
    (|call| src(call).address = null_mut(), 561_103, "src: a storage expected, got the address null"),
    (|call| out(call).storage = vec![i64::MAX, 3], 561_103, "out: a storage that can be addressed expected"),
    (
        |call| out(call).address = out(call).address.wrapping_byte_add(2),
        561_103,
        "out: an address that is a multiple of 4 expected",
    ),
];

const SHAPES: &[Rule] = &[
    (|call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
    (|call| reshape(out(call), &[4, 6]), 161_002, "out: size 5 on axis 1 expected, got 6"),
    (|call| reshape(out(call), &[4]), 161_002, "out: rank 2 expected, got 1"),
];

const BEHIND_EMPTY: &[Rule] = &[
    (|call| reshape(index(call), &[2]), 161_002, "index: rank 2 of self expected, got 1"),
    (|call| reshape(src(call), &[1, 2, 3]), 161_002, "src: rank 2 of self expected, got 3"),
    (|call| reshape(src(call), &[1, 4]), 161_002, "index: size 1 of src at most expected on axis 0, got 2"),
    (
        |call| {
            reshape(index(call), &[5, 3]);
            reshape(src(call), &[5, 4]);
        },
        161_002,
        "index: size 4 of self at most expected on axis 0, got 5",
    ),
    (|call| call.dim = 2, 161_002, "dim: -2 to below 2 expected, got 2"),
    (|call| call.dim = i64::MIN, 161_002, "dim: -2 to below 2 expected"),
    (|call| out(call).strides = vec![0, 1], 161_002, "out: elements that don't overlap expected"),
    (
        |call| {
            out(call).address = self_(call).address;
            (self_(call).storage, out(call).storage) = (vec![256], vec![256]);
            out(call).offset = 1;
        },
        161_002,
        "out: memory apart from self expected",
    ),
    (|call| index(call).address = out(call).address, 161_002, "out: memory apart from index expected"),
    (|call| src(call).address = out(call).address, 161_002, "out: memory apart from src expected"),
];

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let rules: Vec<Rule> = [BEFORE_EMPTY, &[INDEX_DTYPE], LAYOUTS, SHAPES, BEHIND_EMPTY].concat();
    assert_eq!(Call::new(Which::Reduce, &pages).run().0.0, 0);
    for (place, (break_one, code, words)) in rules.iter().enumerate() {
        let mut call = Call::new(Which::Reduce, &pages);
        break_one(&mut call);
        assert_refused(&call, *code, words);
        for (break_later, ..) in &rules[place + 1..] {
            let mut call = Call::new(Which::Reduce, &pages);
            // What is null can't be broken further, so nulls come last. Of one tensor's layouts the later may hide the earlier.
            break_later(&mut call);
            if call.self_.is_some() && call.index.is_some() && call.src.is_some() && call.out.is_some() {
                break_one(&mut call);
                let (status, message) = call.run();
                assert_eq!(status.0, *code, "{words}: {message}\n{call:?}");
            }
        }
    }
}

#[test]
fn behind_an_empty_index_nothing_is_checked_and_before_it_everything() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let empty = |call: &mut Call| reshape(index(call), &[2, 0]);
    let break_with_empty = |(break_one, ..): &Rule| {
        let mut call = Call::new(Which::Reduce, &pages);
        break_one(&mut call);
        if call.index.is_some() {
            empty(&mut call);
        }
        call
    };
    for rule in [BEFORE_EMPTY, SHAPES].concat() {
        assert_refused(&break_with_empty(&rule), rule.1, rule.2);
    }
    for rule in LAYOUTS.iter().filter(|rule| !rule.2.starts_with("index:")) {
        assert_refused(&break_with_empty(rule), rule.1, rule.2);
    }
    for rule in BEHIND_EMPTY {
        let (status, message) = break_with_empty(rule).run();
        assert_eq!(status.0, 0, "{message}");
    }
    let mut call = Call::new(Which::Reduce, &pages);
    empty(&mut call);
    index(&mut call).dtype = ACL_UINT16;
    assert_eq!(call.run().0.0, 0);
    // Its layout is checked, and its dtype is not even then.
    index(&mut call).strides[0] = -1;
    assert_refused(&call, 561_103, "index: stride 0 or more expected");
}

#[test]
fn in_place_the_parameter_is_called_as_in_the_prototype() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let mut call = Call::new(Which::InplaceReduce, &pages);
    assert_eq!(call.run().0.0, 0);
    self_(&mut call).strides[1] = -1;
    assert_refused(
        &call,
        561_103,
        "aclnnInplaceScatterReduceGetWorkspaceSize: ACLNN_ERR_INNER_NULLPTR (561103): selfRef: ",
    );
    call.self_ = None;
    assert_refused(&call, 161_001, "selfRef is null");
}

#[test]
fn a_value_must_be_a_number_that_self_can_hold() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let value = |value, self_dtype| {
        let mut call = Call::new(Which::Value, &pages);
        (self_(&mut call).dtype, out(&mut call).dtype, call.value) = (self_dtype, self_dtype, value);
        call
    };
    assert_eq!(value(Some((127.0, ACL_DOUBLE)), ACL_INT8).run().0.0, 0);
    assert_eq!(value(Some((1.0, ACL_COMPLEX128)), ACL_COMPLEX64).run().0.0, 0);
    assert_refused(&value(None, ACL_INT8), 161_001, "value is null");
    assert_refused(
        &value(Some((300.0, ACL_INT64)), ACL_INT8),
        161_002,
        "value: a number that i8 can represent expected, got 300",
    );
    assert_refused(
        &value(Some((1.0, ACL_COMPLEX128)), ACL_FLOAT),
        161_002,
        "value: a number that f32 can represent",
    );
    assert_refused(
        &value(Some((1.0, ACL_HIFLOAT8)), ACL_FLOAT),
        161_002,
        "value: a number expected, got ACL_HIFLOAT8",
    );
    // After the dtypes of self and out, before the reduction, index and layouts.
    let mut call = value(Some((1.0, ACL_HIFLOAT8)), ACL_COMPLEX64);
    (call.reduce, index(&mut call).dtype, self_(&mut call).offset) = (3, ACL_FLOAT, -1);
    assert_refused(&call, 161_002, "value: ");
    out(&mut call).dtype = ACL_FLOAT;
    assert_refused(&call, 161_002, "out: dtype");
}

#[test]
fn a_handle_of_nothing_is_refused() {
    use aclnn_scatter::c::aclnnScatterAddGetWorkspaceSize as first;
    let (_stream, pages) = (Stream::new(), Pages::new());
    let call = Call::new(Which::Reduce, &pages);
    let [good, index, src] =
        [&call.self_, &call.index, &call.src].map(|spec| spec.as_ref().unwrap().create());
    let (mut size, mut executor) = (0, null_mut());
    let gone = call.out.as_ref().unwrap().create();
    let gone_raw = gone.0;
    drop(gone);
    for bad in [
        gone_raw,
        std::ptr::without_provenance_mut(0x1234),
        index.0.cast::<u8>().wrapping_add(0x10_0000).cast(),
    ] {
        // SAFETY: handles are looked up, whatever they are.
        let status = unsafe { first(good.0, 1, index.0, src.0, bad, &mut size, &mut executor) };
        assert!(!status.is_success());
        assert!(status.name().is_some_and(|name| name.starts_with("ACLNN_ERR_")), "{status}");
        let message = common::messages();
        assert!(
            message.contains("aclnnScatterAddGetWorkspaceSize") && message.contains("out: aclGet"),
            "{message}"
        );
    }
    assert_eq!(executor, null_mut());
}
