//! The engine must detect errors beneath the crate `aclnn`: each test replaces a C function by a
//! faulty one.

use core::ffi::{CStr, c_void};

use aclnn::Runtime;
use aclnn_sys::{
    ACL_MEMCPY_DEVICE_TO_HOST, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, Cann, aclError,
    aclrtMemcpyKind, aclrtStream, prototypes,
};
use scatter::{Argument, Error, Op, Operator, Scalar, UnsupportedDType};

use super::*;
use crate::call::Claim;
use crate::case::Expected;
use crate::sample::{self, bad, case};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// The mismatch that both engines report of a case where the function `name` is replaced by
/// `other`; empty if there is none.
fn told(case: &Case, name: &'static CStr, other: *const c_void) -> String {
    let [typed, any] = [Form::Typed, Form::Any]
        .map(|form| sample::told(case, &engine(form, aclnn::Engine::Auto, name, other), 0));
    assert_eq!(typed, any);
    typed
}

/// The engine on host-cann, where the function `name` is replaced by `other`, and `by` computes.
fn engine(form: Form, by: aclnn::Engine, name: &'static CStr, other: *const c_void) -> SafeApi {
    libraries::silence();
    let cann = Cann::from_table([(name, other)].into_iter().chain(host_cann::table()));
    // SAFETY: the functions are host-cann's, except one that has the same signature as the one that
    // it replaces.
    let runtime = unsafe { Runtime::from_cann(cann) };
    let place = Place::of("wrong".to_owned(), runtime.map(|runtime| runtime.with_engine(by))).unwrap();
    SafeApi { name: form.name(), form, places: vec![place], missing: None }
}

/// [`told`] with the correct functions.
fn told_right(case: &Case) -> String {
    told(case, c"nothing", core::ptr::null())
}

#[test]
fn the_right_functions_pass() {
    assert_eq!(told_right(&case()), "");
    assert_eq!(told_right(&bad()), "");
    let Case { self_, .. } = case();
    assert_eq!(told_right(&Case { out: Some(self_), ..case() }), "");
}

/// An `aclrtMemcpy` that corrupts the last byte of a copy of `LENGTH` bytes to the host.
unsafe extern "C" fn spoils<const LENGTH: usize>(
    to: *mut c_void,
    room: usize,
    from: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    // SAFETY: the arguments are passed on unchanged, and this function has the same contract.
    let copied = unsafe { host_cann::c::aclrtMemcpy(to, room, from, count, kind) };
    if kind == ACL_MEMCPY_DEVICE_TO_HOST && count == LENGTH {
        // SAFETY: `to` is host memory, of which `count` bytes were just written.
        unsafe { *to.cast::<u8>().add(count - 1) ^= 1 };
    }
    copied
}

#[test]
fn what_is_written_beside_a_tensor_or_in_a_source_is_seen() {
    let copy = |function: prototypes::aclrtMemcpy| function as *const c_void;
    let spoilt = |case: &Case, function| told(case, c"aclrtMemcpy", copy(function));
    let Case { self_, index, src, .. } = case();
    let bytes = |tensor: &Tensor| tensor.storage.bytes().len();
    assert_eq!((bytes(&self_), bytes(&index), bytes(&src.unwrap())), (32, 16, 8));
    assert_eq!(spoilt(&case(), spoils::<5>), "");
    for case in [case(), bad()] {
        let message = spoilt(&case, spoils::<32>);
        assert!(message.starts_with("element 7 of out's storage, which is not out's"), "{message}");
        assert!(spoilt(&case, spoils::<16>).contains("index was written, which is only to be read"));
        assert!(spoilt(&case, spoils::<8>).contains("src was written, which is only to be read"));
    }
}

/// An `aclrtSynchronizeStream` that fails.
unsafe extern "C" fn fails(_: aclrtStream) -> aclError {
    aclnn_sys::ACL_ERROR_RT_FEATURE_NOT_SUPPORT
}

/// Where src shares out's memory, the other sources must be as they were all the same.
#[test]
fn what_is_written_in_a_source_is_seen_where_another_overlaps() {
    let error = Error::Overlap { operator: Operator::ScatterAdd, argument: Argument::Src };
    let claim = Some(Claim::BytesAfterOut(Argument::Src, 16));
    let overlapping = Case { claim, expected: Expected::Refusal(error), ..case() };
    assert_eq!(told_right(&overlapping), "");
    let spoils = spoils::<16> as prototypes::aclrtMemcpy as *const c_void;
    let message = told(&overlapping, c"aclrtMemcpy", spoils);
    assert_eq!(message, "index was written, which is only to be read");
}

#[test]
fn a_failure_of_cann_is_no_refusal() {
    let fails = fails as prototypes::aclrtSynchronizeStream as *const c_void;
    for case in [case(), bad()] {
        assert!(told(&case, c"aclrtSynchronizeStream", fails).contains("aclrtSynchronizeStream returned"));
    }
}

/// An `aclrtMemcpy` that fails to copy to the host.
unsafe extern "C" fn keeps(
    to: *mut c_void,
    room: usize,
    from: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
) -> aclError {
    if kind == ACL_MEMCPY_DEVICE_TO_HOST {
        return aclnn_sys::ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    // SAFETY: the arguments are passed on unchanged, and this function has the same contract.
    unsafe { host_cann::c::aclrtMemcpy(to, room, from, count, kind) }
}

#[test]
fn only_what_an_operator_returns_is_counted_as_refused() {
    let kind = |by, name, other| sample::kind(&case(), &engine(Form::Any, by, name, other), 0);
    // host-cann has no operators of its own.
    assert_eq!(kind(aclnn::Engine::Vendor, c"nothing", core::ptr::null()), Some("refused"));
    let copy = |function: prototypes::aclrtMemcpy| function as *const c_void;
    for (name, other) in [
        (c"aclrtSynchronizeStream", fails as prototypes::aclrtSynchronizeStream as *const c_void),
        (c"aclrtMemcpy", copy(keeps)),
        // src was written.
        (c"aclrtMemcpy", copy(spoils::<8>)),
    ] {
        assert_eq!(kind(aclnn::Engine::Auto, name, other), None, "{name:?}");
    }
    // An operator may meet a failure of the runtime, too.
    let returned = |code| {
        methods::refused(aclnn::Error::Aclnn { call: "aclnnScatterAdd", code, message: String::new() })
    };
    assert!(matches!(returned(ACLNN_ERR_PARAM_INVALID), Refusal::Operator(_)));
    assert!(matches!(returned(ACLNN_ERR_RUNTIME_ERROR), Refusal::Broken(_)));
}

#[test]
fn a_bad_index_comes_from_the_stream_alone() {
    let Expected::Refusal(index) = bad().expected else { unreachable!() };
    let dim = Error::Dim { operator: Operator::ScatterAdd, expected: 1, got: 1 };
    let (index, dim) = (|| Refusal::Error(index), || Refusal::Error(dim));
    let late = |refusal: Refusal| match refusal {
        Refusal::Error(error) => Err(aclnn::Error::from(error)),
        _ => Ok(()),
    };
    assert_eq!(outcome(Ok(()), Ok(())), Ok(()));
    assert_eq!(outcome(Ok(()), late(index())), Err(index()));
    assert_eq!(outcome(Err(dim()), Ok(())), Err(dim()));
    for broken in [
        outcome(Err(index()), Ok(())),
        outcome(Ok(()), late(dim())),
        outcome(Err(dim()), late(index())),
        outcome(Err(index()), late(index())),
    ] {
        assert!(matches!(broken, Err(Refusal::Broken(_))), "{broken:?}");
    }
}

#[test]
fn what_there_are_no_words_for_is_not_asked() {
    let asked = |case: &Case| [Form::Typed, Form::Any].map(|form| expressible::refusal(form, case).is_none());
    assert_eq!((asked(&case()), asked(&bad())), ([true; 2], [true; 2]));

    let unknown = Claim::DType(Argument::Index, UnsupportedDType(33));
    assert_eq!(asked(&Case { claim: Some(unknown), ..case() }), [false; 2]);
    assert_eq!(asked(&Case { src: None, ..case() }), [false; 2]);
    let op = Op::ScatterValue { dim: 0, value: Scalar::Int(1), reduce: scatter::Reduce::Add };
    assert_eq!(asked(&Case { op, ..case() }), [false; 2]);
    // An index of another dtype than i32 and i64 is an `AnyTensor` in both forms.
    let index = Tensor::contiguous(Storage::of(&[2_i16, 0]), &[2]);
    assert_eq!(asked(&Case { index, ..case() }), [true; 2]);
    let src = Tensor::contiguous(Storage::of(&[0.5_f64, 0.5]), &[2]);
    assert_eq!(asked(&Case { src: Some(src), ..case() }), [false, true]);

    let mut outside = case();
    outside.index.offset = 1;
    assert_eq!(asked(&outside), [false; 2]);
    let (operator, argument) = (Operator::ScatterAdd, Argument::Index);
    let layout = Error::Layout { operator, argument, got: outside.index.layout().unwrap_err() };
    outside.expected = Expected::Refusal(layout);
    assert_eq!(asked(&outside), [true; 2]);
    assert_eq!(told_right(&outside), "");

    let mut backwards = case();
    backwards.index.strides = vec![-1];
    backwards.index.offset = 1;
    assert_eq!(asked(&backwards), [true; 2]);
}
