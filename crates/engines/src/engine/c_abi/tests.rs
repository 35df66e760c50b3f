//! The engine must detect faulty C functions: each test replaces one function by a faulty one.

use core::ffi::{CStr, c_void};
use std::collections::HashSet;

use aclnn_sys::{
    AclnnStatus, Cann, aclOpExecutor, aclTensor, aclnnScatterStatusInfo, aclrtStream, prototypes,
};
use scatter::{DType, Error, Op, Operator, Scalar};

use super::*;
use crate::case::Expected;
use crate::sample::{self, bad, case};

/// The engine in two settings, where the function `name` is replaced by `other`.
fn engine(name: &'static CStr, other: *const c_void) -> CAbi {
    engine_of(&[(name, other)])
}

/// The engine in two settings, where functions are replaced by these.
fn engine_of(wrong: &[(&'static CStr, *const c_void)]) -> CAbi {
    // Makes the operators use host-cann.
    Library::linked().unwrap();
    let functions = wrong.iter().copied().chain(aclnn_scatter::table()).chain(host_cann::table());
    let library = Arc::new(Library::open("wrong".to_owned(), Cann::from_table(functions)).unwrap());
    CAbi { name: CAbi::NAME, libraries: vec![library.clone(), library], missing: None, device: None }
}

/// The mismatch that is reported of a case where the function `name` is replaced by `other`; empty
/// if there is none.
fn told(case: &Case, name: &'static CStr, other: *const c_void) -> String {
    sample::told(case, &engine(name, other), 0)
}

#[test]
fn the_right_functions_pass() {
    assert_eq!(told(&case(), c"nothing", core::ptr::null()), "");
    assert_eq!(told(&bad(), c"nothing", core::ptr::null()), "");
}

/// A phase two that does nothing.
unsafe extern "C" fn idle(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    AclnnStatus::SUCCESS
}

#[test]
fn a_phase_two_that_does_nothing_is_seen() {
    let idle = idle as prototypes::aclnnScatterAdd as *const c_void;
    assert!(told(&case(), c"aclnnScatterAdd", idle).starts_with("out[0] (element 3 of the storage)"));
    assert!(told(&bad(), c"aclnnScatterAdd", idle).ends_with("got a result"));
}

/// Each of two functions that compute the same is called for every case, in one setting or the
/// other, and for some of the cases in the first.
#[test]
fn functions_that_compute_the_same_take_turns() {
    let idle = idle as prototypes::aclnnScatterAdd as *const c_void;
    let engines = [c"aclnnIndexAdd", c"aclnnIndexAddV2"].map(|name| engine(name, idle));
    let mut seen = HashSet::new();
    for alpha in 1..=8 {
        let case = Case { op: Op::IndexAdd { dim: 0, alpha: Scalar::Int(alpha) }, ..case() };
        let is_seen = |engine: &CAbi| [0, 1].map(|setting| !sample::told(&case, engine, setting).is_empty());
        let [first, second] = engines.each_ref().map(is_seen);
        assert_eq!(first, second.map(|is_seen| !is_seen), "{case}");
        assert_ne!(first[0], first[1], "{case}");
        seen.insert(first);
    }
    assert_eq!(seen.len(), 2);
}

/// A phase one that returns `CODE`, and also writes the workspace size if `WRITES`.
unsafe extern "C" fn refuses<const CODE: i32, const WRITES: bool>(
    _: *const aclTensor,
    _: i64,
    _: *const aclTensor,
    _: *const aclTensor,
    _: *mut aclTensor,
    size: *mut u64,
    _: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    if WRITES {
        // SAFETY: the engine passes a pointer that is valid for a write.
        unsafe { size.write(0) };
    }
    AclnnStatus(CODE)
}

#[test]
fn codes_and_words_of_phase_one_are_compared() {
    type First = prototypes::aclnnScatterAddGetWorkspaceSize;
    let name = c"aclnnScatterAddGetWorkspaceSize";
    let dim = Error::Dim { operator: Operator::ScatterAdd, expected: 1, got: 1 };
    let op = Op::ScatterAdd { dim: 1 };
    let refused = Case { op, expected: Expected::Refusal(dim), ..case() };
    assert_eq!(told(&refused, c"nothing", core::ptr::null()), "");
    // The right code without a message.
    let silent = told(&refused, name, refuses::<161_002, false> as First as *const c_void);
    assert!(
        silent.starts_with("expected the error: scatter_add: dim") && silent.contains("161002"),
        "{silent}"
    );
    let writes = told(&refused, name, refuses::<161_002, true> as First as *const c_void);
    assert!(writes.contains("and has written results"), "{writes}");
    let refuses_all = told(&case(), name, refuses::<561_103, false> as First as *const c_void);
    assert!(refuses_all.starts_with("expected a result") && refuses_all.contains("561103"), "{refuses_all}");
}

/// A phase one that says nothing of what the call breaks, but leaves its message.
unsafe extern "C" fn accepts(
    self_: *const aclTensor,
    dim: i64,
    index: *const aclTensor,
    src: *const aclTensor,
    out: *mut aclTensor,
    size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    // SAFETY: the arguments are passed on unchanged, and this function has the same contract.
    let _ = unsafe {
        aclnn_scatter::c::aclnnScatterAddGetWorkspaceSize(self_, dim, index, src, out, size, executor)
    };
    // SAFETY: the engine passes a pointer that is valid for a write.
    unsafe { size.write(0) };
    AclnnStatus::SUCCESS
}

/// A phase two that returns the code of a broken rule.
unsafe extern "C" fn late(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    AclnnStatus(161_002)
}

#[test]
fn a_refusal_of_phase_two_is_none_of_phase_one() {
    let dim = Error::Dim { operator: Operator::ScatterAdd, expected: 1, got: 1 };
    let refused = Case { op: Op::ScatterAdd { dim: 1 }, expected: Expected::Refusal(dim), ..case() };
    let wrong = [
        (
            c"aclnnScatterAddGetWorkspaceSize",
            accepts as prototypes::aclnnScatterAddGetWorkspaceSize as *const c_void,
        ),
        (c"aclnnScatterAdd", late as prototypes::aclnnScatterAdd as *const c_void),
    ];
    let message = sample::told(&refused, &engine_of(&wrong), 0);
    assert!(message.contains("; got: aclnnScatterAdd: phase two returned "), "{message}");
}

#[test]
fn a_status_that_is_not_the_streams_is_seen() {
    unsafe extern "C" fn clear(_: aclrtStream, info: *mut aclnnScatterStatusInfo) -> AclnnStatus {
        let nothing = aclnnScatterStatusInfo {
            code: AclnnStatus::SUCCESS,
            rank: 0,
            position: [0; 8],
            value: 0,
            size: 0,
            opName: [0; 64],
        };
        // SAFETY: the engine passes a pointer that is valid for a write.
        unsafe { info.write(nothing) };
        AclnnStatus::SUCCESS
    }
    let clear = clear as prototypes::aclnnScatterStreamStatus as *const c_void;
    assert_eq!(told(&case(), c"aclnnScatterStreamStatus", clear), "");
    let message = told(&bad(), c"aclnnScatterStreamStatus", clear);
    let told = "(507018), aclnnScatterStreamStatus told ACLNN_SUCCESS (0) of \"\"";
    assert!(message.contains(told), "{message}");
}

#[test]
fn what_c_has_no_words_for_is_not_asked() {
    let engine = CAbi { name: CAbi::NAME, libraries: Vec::new(), missing: None, device: None };
    let reason = |case: Case| engine.not_applicable(&case);
    assert_eq!(reason(case()), None);
    assert!(reason(Case { op: Op::ScatterSrcGrad { dim: 0 }, ..case() }).is_some());
    let mut backwards = case();
    backwards.index.strides = vec![-1];
    backwards.index.offset = 1;
    assert!(reason(backwards).is_some());
    let nd = || Case { op: Op::ScatterNdAdd, ..case() };
    let index = |shape: &[usize]| Tensor::contiguous(Storage::zeroed(DType::I32, 2), shape);
    assert_eq!(reason(Case { index: index(&[2, 1]), ..nd() }), None);
    assert!(reason(Case { index: index(&[2, 0]), ..nd() }).is_some());
    assert!(reason(Case { self_: index(&[]), ..nd() }).is_some());
    let into = || Case { out: Some(case().self_), ..nd() };
    assert_eq!(reason(into()), None);
    assert!(reason(Case { expected: bad().expected, ..into() }).is_some());
}
