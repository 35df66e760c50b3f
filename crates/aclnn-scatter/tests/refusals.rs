//! What phase one refuses: every rule has its code and message, and of two broken rules the first
//! is reported.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::sys::{
    ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_HIFLOAT8, ACL_INT8, ACL_INT64,
    ACL_STRING, ACL_UINT16,
};
use common::Stream;
use common::call::{Call, Pages, Which, assert_refused, index, out, reshape, self_, src, written};
use scatter::Addressing;

/// What a function must take so that a rule can be broken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    Nothing,
    Src,
    Value,
    Reduce,
    Out,
}
use Needs::{Nothing, Out, Reduce, Src, Value};

/// What a function must take, a change that breaks the rule, the code for that, and a part of the
/// message, in which `{self}` stands for the parameter's name.
type Rule = (Needs, fn(&mut Call), i32, &'static str);

/// The rules in their order: those that apply to an empty index come first.
const BEFORE_EMPTY: &[Rule] = &[
    (Nothing, |call| call.has_workspace_size = false, 161_001, "workspaceSize is null"),
    (Nothing, |call| call.has_executor = false, 161_001, "executor is null"),
    (Nothing, |call| call.self_ = None, 161_001, "{self} is null"),
    (Nothing, |call| call.index = None, 161_001, "index is null"),
    (Src, |call| call.src = None, 161_001, "src is null"),
    (Value, |call| call.value = None, 161_001, "value is null"),
    (Out, |call| call.out = None, 161_001, "out is null"),
    (Reduce, |call| call.reduce = 6, 161_002, "reduce: 0 to 5 expected, got 6"),
    (Nothing, |call| self_(call).dtype = ACL_UINT16, 161_002, "self: one of the twelve"),
    (Src, |call| src(call).dtype = ACL_STRING, 161_002, "src: one of the twelve"),
    (Src, |call| src(call).dtype = ACL_FLOAT16, 161_002, "src: dtype "),
    (Out, |call| out(call).dtype = ACL_DOUBLE, 161_002, "out: dtype "),
    (Value, |call| call.value = Some((1.0, ACL_HIFLOAT8)), 161_002, "value: a number expected"),
    (
        Reduce,
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
    (Nothing, |call| index(call).dtype = ACL_FLOAT, 161_002, "index: dtype i32 or i64 expected, got f32");

const LAYOUTS: &[Rule] = &[
    (
        Nothing,
        |call| self_(call).strides[0] = -1,
        561_103,
        "{self}: stride 0 or more expected on axis 0, got -1",
    ),
    (Nothing, |call| self_(call).shape[0] = -4, 561_103, "{self}: size 0 or more expected on axis 0, got -4"),
    (Nothing, |call| index(call).offset = 300, 561_103, "index: elements 300 to "),
    (Nothing, |call| index(call).offset = -1, 561_103, "index: offset 0 or more expected, got -1"),
    (Src, |call| src(call).strides.fill(i64::MAX), 561_103, "src: "),
    (
        Src,
        |call| src(call).storage = vec![2, -4],
        561_103,
        "src: size 0 or more expected on axis 1 of the storage",
    ),
    (
        Src,
        |call| src(call).address = src(call).address.wrapping_byte_add(1),
        561_103,
        "src: an address that is a multiple of 4 expected",
    ),
    (
        Out,
        |call| out(call).storage = vec![i64::MAX, 3],
        561_103,
        "out: a storage that can be addressed expected",
    ),
    (
        Out,
        |call| out(call).address = out(call).address.wrapping_byte_add(2),
        561_103,
        "out: an address that is a multiple of 4 expected",
    ),
];

const SHAPES: &[Rule] = &[
    (Nothing, |call| reshape(self_(call), &[1; 9]), 161_002, "self: rank 8 at most expected, got 9"),
    (Out, |call| reshape(out(call), &[4, 6]), 161_002, "out: size 5 on axis 1 expected, got 6"),
    (Out, |call| reshape(out(call), &[4]), 161_002, "out: rank 2 expected, got 1"),
];

const BEHIND_EMPTY: &[Rule] = &[
    (Nothing, |call| reshape(index(call), &[2]), 161_002, "index: rank 2 of self expected, got 1"),
    (Src, |call| reshape(src(call), &[1, 2, 3]), 161_002, "src: rank 2 of self expected, got 3"),
    (Src, |call| reshape(src(call), &[1, 4]), 161_002, "index: size 1 of src at most expected on axis 0"),
    (
        Nothing,
        |call| {
            reshape(index(call), &[5, 3]);
            reshape(src(call), &[5, 4]);
        },
        161_002,
        "index: size 4 of self at most expected on axis 0, got 5",
    ),
    (Nothing, |call| call.dim = 2, 161_002, "dim: -2 to below 2 expected, got 2"),
    (Nothing, |call| call.dim = i64::MAX, 161_002, "dim: -2 to below 2 expected"),
    (
        Nothing,
        |call| written(call).strides = vec![0, 1],
        161_002,
        "out: elements that don't overlap expected",
    ),
    (
        Out,
        |call| {
            out(call).address = self_(call).address;
            (self_(call).storage, out(call).storage) = (vec![256], vec![256]);
            out(call).offset = 1;
        },
        161_002,
        "out: memory apart from self expected",
    ),
    (
        Nothing,
        |call| index(call).address = written(call).address,
        161_002,
        "out: memory apart from index expected",
    ),
    (Src, |call| src(call).address = written(call).address, 161_002, "out: memory apart from src expected"),
];

/// A change that breaks a rule, the code for that, and a part of the message.
type Broken = (fn(&mut Call), i32, String);

/// The rules that can be broken for a function, with the names of its parameters.
fn rules_of(which: Which, rules: &[Rule]) -> Vec<Broken> {
    let takes = |needs| match needs {
        Nothing => true,
        Src => which.takes_src(),
        Value => which.takes_value(),
        Reduce => which.takes_reduce(),
        Out => !which.is_in_place(),
    };
    let [name, ..] = which.names();
    let broken = rules.iter().filter(|rule| takes(rule.0));
    broken.map(|(_, rule, code, words)| (*rule, *code, words.replace("{self}", name))).collect()
}

/// The other functions have rules of their own.
fn is_along_dim(which: &Which) -> bool {
    which.addressing() == Addressing::Dim && !which.gathers()
}

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let all: Vec<Rule> = [BEFORE_EMPTY, &[INDEX_DTYPE], LAYOUTS, SHAPES, BEHIND_EMPTY].concat();
    for which in Which::ALL.into_iter().filter(is_along_dim) {
        let rules = rules_of(which, &all);
        let (status, message) = Call::new(which, &pages).run();
        assert_eq!(status.0, 0, "{which:?}: {message}");
        for (place, (break_one, code, words)) in rules.iter().enumerate() {
            let mut call = Call::new(which, &pages);
            break_one(&mut call);
            assert_refused(&call, *code, words);
            for (break_later, later_code, later_words) in &rules[place + 1..] {
                // Break the later rule first, because a tensor that is null can't be changed any
                // more, and nulls are the first rules.
                let mut call = Call::new(which, &pages);
                break_later(&mut call);
                break_one(&mut call);
                let tensor = |words: &str| words.split(':').next().map(str::to_owned);
                let of_one_layout =
                    code == later_code && *code == 561_103 && tensor(words) == tensor(later_words);
                // Of two errors in the layout of the same tensor either may be reported.
                assert_refused(&call, *code, if of_one_layout { "" } else { words });
            }
        }
    }
}

#[test]
fn behind_an_empty_index_nothing_is_checked_and_before_it_everything() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let empty = |call: &mut Call| reshape(index(call), &[2, 0]);
    for which in Which::ALL.into_iter().filter(is_along_dim) {
        let break_with_empty = |break_one: fn(&mut Call)| {
            let mut call = Call::new(which, &pages);
            break_one(&mut call);
            if call.index.is_some() {
                empty(&mut call);
            }
            call
        };
        for (break_one, code, words) in rules_of(which, &[BEFORE_EMPTY, LAYOUTS, SHAPES].concat()) {
            // `break_with_empty` gives index another layout, which undoes an error in it.
            if !(code == 561_103 && words.starts_with("index:")) {
                assert_refused(&break_with_empty(break_one), code, &words);
            }
        }
        for (break_one, ..) in rules_of(which, BEHIND_EMPTY) {
            let (status, message) = break_with_empty(break_one).run();
            assert_eq!(status.0, 0, "{which:?}: {message}");
        }
        let mut call = Call::new(which, &pages);
        empty(&mut call);
        index(&mut call).dtype = ACL_UINT16;
        assert_eq!(call.run().0.0, 0);
        // The layout of an empty index is checked; its dtype is not, even if the layout is refused.
        index(&mut call).strides[0] = -1;
        assert_refused(&call, 561_103, "index: stride 0 or more expected");
    }
}

/// For the rules before its own, a dim that is out of range is clamped to the nearest axis.
#[test]
fn the_least_dim_of_all_is_out_of_range() {
    let (_stream, pages) = (Stream::new(), Pages::new());
    let mut call = Call::new(Which::Add, &pages);
    call.dim = i64::MIN;
    assert_refused(&call, 161_002, "dim: -2 to below 2 expected, got -9223372036854775808");
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
        // SAFETY: handles are looked up, whatever their value.
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
