//! `aclnnIndexPutImpl`, whose index is a list of tensors.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use aclnn_scatter::sys::Cann;
use aclnn_scatter::sys::{
    ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64, AclnnStatus, aclOpExecutor, aclTensor, aclTensorList,
};
use aclnn_scatter::{Engine, Scope, c, open};
use common::tensors::{List, Memory, Owned, Spec, handle, list};
use common::{Stream, cann, messages};

/// Runs a test with each engine that is available.
fn with_engines(test: impl Fn()) {
    let session = open(Cann::from_table(host_cann::table()));
    for engine in [Engine::Cpu, Engine::Kernel] {
        if engine == Engine::Cpu || cfg!(feature = "model") {
            Scope::new(session).engine(engine).run(&test);
        }
    }
}

/// Calls phase one.
fn first(
    self_: *mut aclTensor,
    indices: *const aclTensorList,
    values: *const aclTensor,
    accumulate: bool,
) -> (AclnnStatus, Planned) {
    let (mut size, mut executor) = (u64::MAX, null_mut());
    // SAFETY: handles are looked up, and the results are live locals.
    let status = unsafe {
        c::aclnnIndexPutImplGetWorkspaceSize(
            self_,
            indices,
            values,
            accumulate,
            false,
            &raw mut size,
            &raw mut executor,
        )
    };
    let size = if status.is_success() { size } else { 0 };
    (status, Planned { executor, size, workspace: Memory::of(&vec![0xCC_u8; size as usize]) })
}

/// An executor, and the workspace that it asks for.
struct Planned {
    executor: *mut aclOpExecutor,
    size: u64,
    workspace: Memory,
}

/// Calls phase two.
fn second(planned: &Planned, stream: &Stream) -> AclnnStatus {
    let Planned { executor, size, ref workspace } = *planned;
    let workspace = if size == 0 { null_mut() } else { workspace.address };
    // SAFETY: the executor is looked up; tests keep the tensors and the workspace until the stream
    // is synchronised.
    unsafe { c::aclnnIndexPutImpl(workspace, size, executor, stream.raw) }
}

fn assert_refused(
    code: i32,
    words: &str,
    self_: *mut aclTensor,
    indices: *const aclTensorList,
    values: *const aclTensor,
) {
    let _ = messages();
    let (status, _) = first(self_, indices, values, true);
    let told = messages();
    assert_eq!(status.0, code, "{words}: {told}");
    assert!(told.contains(words), "no {words:?} in {told:?}");
}

#[test]
fn it_adds_and_replaces_again_and_again() {
    with_engines(|| {
        let stream = Stream::new();
        let self_ = Owned::new(ACL_FLOAT, &[2, 3], &[0_f32; 6]);
        let values = Owned::new(ACL_FLOAT, &[2], &[1_f32, 2.0]);
        let indices = List::new(&[(&[2, 1], &[1, 0]), (&[2], &[0, -1])]);
        let (status, planned) = first(self_.raw(), indices.raw, values.raw(), true);
        assert!(status.is_success(), "{}", messages());
        // SAFETY: host-cann looks up the executor.
        assert!(unsafe { cann().aclSetAclOpExecutorRepeatable(planned.executor) }.unwrap().is_success());
        for times in [1.0, 2.0] {
            assert!(second(&planned, &stream).is_success(), "{}", messages());
            assert!(stream.synchronize().is_success());
            assert_eq!(self_.memory.read::<f32>(), [times, 0.0, 2.0 * times, times, 0.0, 2.0 * times]);
        }
        // SAFETY: host-cann looks up handles. Of the inputs that are tensors, none has number 2.
        let status =
            unsafe { cann().aclSetInputTensorAddr(planned.executor, 2, values.raw(), null_mut()) }.unwrap();
        assert!(!status.is_success());
        // SAFETY: as above.
        assert!(unsafe { cann().aclDestroyAclOpExecutor(planned.executor) }.unwrap().is_success());
        drop(indices);
    });
}

#[test]
fn the_tensors_of_a_list_can_get_other_addresses() {
    with_engines(|| {
        let stream = Stream::new();
        let values = Owned::new(ACL_FLOAT, &[2, 1], &[1_f32, 2.0]);
        let indices = List::new(&[(&[2], &[0, 1]), (&[0], &[0]), (&[2], &[0, 0])]);
        let out = Owned::new(ACL_FLOAT, &[2, 1, 3], &[0_f32; 6]);
        let (status, planned) = first(out.raw(), indices.raw, values.raw(), true);
        assert!(status.is_success(), "{}", messages());
        // SAFETY: host-cann looks up the executor.
        assert!(unsafe { cann().aclSetAclOpExecutorRepeatable(planned.executor) }.unwrap().is_success());
        let set = |input: usize, place: usize, address: *mut c_void| {
            // SAFETY: host-cann looks up handles, and reads nothing at the address.
            unsafe {
                cann().aclSetDynamicInputTensorAddr(planned.executor, input, place, indices.raw, address)
            }
            .unwrap()
        };
        assert!(second(&planned, &stream).is_success() && stream.synchronize().is_success());
        assert_eq!(out.memory.read::<f32>(), [1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        let columns = Memory::of(&[2_i64, 1]);
        assert!(set(1, 2, columns.address).is_success(), "{}", messages());
        assert!(second(&planned, &stream).is_success() && stream.synchronize().is_success());
        assert_eq!(out.memory.read::<f32>(), [1.0, 0.0, 1.0, 2.0, 2.0, 0.0]);
        // The list is input 1, and has three tensors.
        for (input, place, words) in [(0, 0, "input 0"), (2, 0, "input 2"), (1, 3, "not within 3 tensors")] {
            assert!(!set(input, place, columns.address).is_success());
            let told = messages();
            assert!(told.contains(words), "no {words:?} in {told:?}");
        }
        // Another list may be longer than that of phase one.
        let longer = List::new(&[(&[1], &[0]), (&[1], &[0]), (&[1], &[0]), (&[1], &[0])]);
        // SAFETY: as above.
        let status = unsafe {
            cann().aclSetDynamicInputTensorAddr(planned.executor, 1, 3, longer.raw, columns.address)
        }
        .unwrap();
        assert_eq!(status.0, 161_002);
        assert!(messages().contains("no tensor 3"));
        // What now overlaps out, or has no address, is refused when it runs; nothing is written.
        for (address, code) in [(out.memory.address, 161_002), (null_mut(), 161_001)] {
            assert!(set(1, 0, address).is_success(), "{}", messages());
            assert_eq!(second(&planned, &stream).0, code, "{}", messages());
            assert_eq!(out.memory.read::<f32>(), [1.0, 0.0, 1.0, 2.0, 2.0, 0.0]);
        }
        // SAFETY: host-cann looks up the executor.
        assert!(unsafe { cann().aclDestroyAclOpExecutor(planned.executor) }.unwrap().is_success());
        drop(indices);
    });
}

#[test]
fn of_the_rules_that_are_broken_the_first_is_told() {
    let _stream = Stream::new();
    let self_ = Owned::new(ACL_FLOAT, &[2, 3], &[0_f32; 6]);
    let values = Owned::new(ACL_FLOAT, &[1], &[1_f32]);
    let halves = Owned::new(ACL_FLOAT16, &[1], &[0_u16]);
    let good = List::new(&[(&[2], &[0, 1])]);
    let (self_, values) = (self_.raw(), values.raw());
    assert_refused(161_001, "selfRef is null", null_mut(), null(), null());
    assert_refused(161_001, "indices is null", self_, null(), null());
    assert_refused(161_001, "values is null", self_, good.raw, null());
    // A dtype of values comes before those of the list.
    let mixed = List::of(&[(ACL_INT32, vec![2], vec![0, 0]), (ACL_FLOAT, vec![2], vec![0, 0])]);
    assert_refused(161_002, "values: dtype f32", self_, mixed.raw, halves.raw());
    assert_refused(161_002, "indices: dtype i32 or i64 expected, got f32", self_, mixed.raw, values);
    let apart = List::new(&[(&[2], &[0, 0]), (&[3], &[0, 0, 0])]);
    assert_refused(
        161_002,
        "indices: size 2 or 1 expected on axis 0 of the one for axis 1 of self, got 3",
        self_,
        apart.raw,
        values,
    );
    let beyond = List::new(&[(&[0], &[]), (&[0], &[]), (&[1], &[0])]);
    assert_refused(161_002, "indices: an axis below 2, self's rank, expected", self_, beyond.raw, values);
    // In CANN's list an entry may be null.
    let some = list(&[handle(&Spec::new(ACL_INT64, &[1], good.memory[0].address)), null()]);
    assert_refused(161_001, "indices[1] is null", self_, some, values);
    // SAFETY: host-cann looks up the handle.
    assert!(unsafe { cann().aclDestroyTensorList(some) }.unwrap().is_success());
    // SAFETY: the handle is looked up.
    assert!(!first(self_, some, values, true).0.is_success());
    // The layout that is refused may be one that only C doesn't allow.
    let spec = Spec::new(ACL_INT64, &[2], good.memory[0].address);
    let outside = || handle(&Spec { storage: vec![1], ..spec.clone() });
    let backwards = || handle(&Spec { strides: vec![-1], ..spec.clone() });
    for (entries, words) in [
        ([outside(), backwards()], "indices: elements 0 to 1 of the storage are addressed"),
        ([backwards(), outside()], "indices[0]: stride 0 or more expected on axis 0, got -1"),
    ] {
        let wrong = list(&entries);
        assert_refused(561_103, words, self_, wrong, values);
        // SAFETY: host-cann looks up the handle.
        assert!(unsafe { cann().aclDestroyTensorList(wrong) }.unwrap().is_success());
    }
}

#[test]
fn self_is_apart_from_the_list() {
    let _stream = Stream::new();
    let self_ = Owned::new(ACL_FLOAT, &[2, 3], &[0_f32; 6]);
    let values = Owned::new(ACL_FLOAT, &[1], &[1_f32]);
    let inside = list(&[handle(&Spec::new(ACL_INT64, &[1], self_.memory.address))]);
    assert_refused(161_002, "out: memory apart from indices", self_.raw(), inside, values.raw());
    // SAFETY: host-cann looks up the handle.
    assert!(unsafe { cann().aclDestroyTensorList(inside) }.unwrap().is_success());
}

#[test]
fn a_tensor_without_an_address_is_told_when_the_work_would_run() {
    with_engines(|| {
        let stream = Stream::new();
        let self_ = Owned::new(ACL_FLOAT, &[2, 3], &[0_f32; 6]);
        let values = Owned::new(ACL_FLOAT, &[1], &[1_f32]);
        let bare = list(&[handle(&Spec::new(ACL_INT64, &[1], null_mut()))]);
        let (status, planned) = first(self_.raw(), bare, values.raw(), false);
        assert!(status.is_success(), "{}", messages());
        let _ = messages();
        assert_eq!(second(&planned, &stream).0, 161_001);
        assert!(messages().contains("indices[0]: an address expected, got null"));
        // SAFETY: host-cann looks up the handle.
        assert!(unsafe { cann().aclDestroyTensorList(bare) }.unwrap().is_success());
    });
}

/// As CANN: a list without an index does nothing.
#[test]
fn without_an_index_nothing_is_done() {
    with_engines(|| {
        let stream = Stream::new();
        let self_ = Owned::new(ACL_FLOAT, &[2], &[3_f32, 4.0]);
        let values = Owned::new(ACL_FLOAT, &[1], &[1_f32]);
        for tensors in [&[][..], &[(ACL_FLOAT, vec![0], vec![])]] {
            let list = List::of(tensors);
            let (status, planned) = first(self_.raw(), list.raw, values.raw(), false);
            assert!(status.is_success(), "{}", messages());
            assert!(second(&planned, &stream).is_success(), "{}", messages());
            assert!(stream.synchronize().is_success());
            assert_eq!(self_.memory.read::<f32>(), [3.0, 4.0]);
        }
    });
}
