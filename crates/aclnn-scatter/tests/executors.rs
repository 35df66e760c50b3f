//! Executors that run once, that are repeated, that get other addresses, that are destroyed, and
//! that are misused.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, AclnnStatus, aclOpExecutor};
use common::tensors::{Memory, Owned};
use common::{Stream, cann, messages};

/// The tensors of `self[index] += src`, with three elements each.
struct Tensors {
    self_: Owned,
    index: Owned,
    src: Owned,
    out: Owned,
}

impl Tensors {
    fn new() -> Self {
        Self {
            self_: Owned::new(ACL_FLOAT, &[3], &[1_f32, 2.0, 3.0]),
            index: Owned::new(ACL_INT64, &[3], &[0_i64, 2, -1]),
            src: Owned::new(ACL_FLOAT, &[3], &[10_f32, 20.0, 30.0]),
            out: Owned::new(ACL_FLOAT, &[3], &[0_f32; 3]),
        }
    }

    fn add(&self) -> *mut aclOpExecutor {
        let (mut size, mut executor) = (7, null_mut());
        // SAFETY: the handles live, and pointers for results are to live locals.
        let status = unsafe {
            c::aclnnScatterAddGetWorkspaceSize(
                self.self_.raw(),
                0,
                self.index.raw(),
                self.src.raw(),
                self.out.raw(),
                &mut size,
                &mut executor,
            )
        };
        assert!(status.is_success(), "{}", messages());
        assert_eq!(size, 0);
        executor
    }

    fn inplace(&self) -> *mut aclOpExecutor {
        let (mut size, mut executor) = (7, null_mut());
        // SAFETY: the handles live, and pointers for results are to live locals.
        let status = unsafe {
            c::aclnnInplaceScatterGetWorkspaceSize(
                self.out.raw(),
                0,
                self.index.raw(),
                self.src.raw(),
                1,
                &mut size,
                &mut executor,
            )
        };
        assert!(status.is_success(), "{}", messages());
        executor
    }

    fn result(&self) -> Vec<f32> {
        self.out.memory.read()
    }
}

fn run(executor: *mut aclOpExecutor, stream: &Stream) -> i32 {
    // SAFETY: executors are looked up, and the tensors live until the stream is synchronised.
    unsafe { c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw) }.0
}

fn repeatable(executor: *mut aclOpExecutor) -> AclnnStatus {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclSetAclOpExecutorRepeatable(executor) }.unwrap()
}

fn destroy(executor: *mut aclOpExecutor) -> AclnnStatus {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclDestroyAclOpExecutor(executor) }.unwrap()
}

fn set_input(executor: *mut aclOpExecutor, place: usize, tensor: &Owned, address: *mut c_void) -> i32 {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclSetInputTensorAddr(executor, place, tensor.raw(), address) }.unwrap().0
}

fn set_output(executor: *mut aclOpExecutor, place: usize, tensor: &Owned, address: *mut c_void) -> i32 {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclSetOutputTensorAddr(executor, place, tensor.raw(), address) }.unwrap().0
}

const EXPECTED: [f32; 3] = [11.0, 2.0, 53.0];

#[test]
fn an_executor_runs_once_and_a_second_run_is_told() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let executor = tensors.add();
    // A handle points to a block of zeros, in which CANN's own functions find no magic number.
    // SAFETY: the block has 4096 bytes, and is never freed.
    assert!(unsafe { std::slice::from_raw_parts(executor.cast::<u8>(), 4096) }.iter().all(|&byte| byte == 0));
    assert_eq!(run(executor, &stream), 0);
    assert_eq!(run(executor, &stream), 161_002);
    assert!(messages().contains("it has run and is not repeatable, or it was destroyed"));
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), EXPECTED);
    assert!(!destroy(executor).is_success());
    assert!(!repeatable(executor).is_success());
}

#[test]
fn what_is_no_executor_of_this_pair_is_refused_and_left_alone() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    assert_eq!(run(null_mut(), &stream), 161_001);
    let number = 5_u64;
    for stray in [without_provenance_mut(0x10), (&raw const number).cast_mut().cast(), stream.raw.cast()] {
        assert_eq!(run(stray, &stream), 161_002);
        assert!(messages().contains("executor: no phase one made it"));
    }
    let other = tensors.inplace();
    assert_eq!(run(other, &stream), 161_002);
    let words = "executor: one of aclnnScatterAddGetWorkspaceSize expected, got one of aclnnInplaceScatterGetWorkspaceSize";
    assert!(messages().contains(words));
    // SAFETY: executors are looked up, and the tensors live until the stream is synchronised.
    assert_eq!(unsafe { c::aclnnInplaceScatter(null_mut(), 0, other, stream.raw) }.0, 0);
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), [10.0, 0.0, 50.0]);
}

#[test]
fn a_workspace_that_is_promised_must_be_there() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let executor = tensors.add();
    // SAFETY: executors are looked up, and the tensors live until the stream is synchronised.
    let status = unsafe { c::aclnnScatterAdd(null_mut(), 64, executor, stream.raw) };
    assert_eq!(status.0, 161_001);
    assert_eq!(run(executor, &stream), 161_002); // CANN, too, destroys an executor whose phase two fails.
}

#[test]
fn a_stream_that_is_none_is_told() {
    let tensors = { (Stream::new(), Tensors::new()) };
    let executor = tensors.1.add();
    // SAFETY: host-cann looks up streams.
    let status = unsafe { c::aclnnScatterAdd(null_mut(), 0, executor, without_provenance_mut(0x1230)) };
    assert_eq!(status.0, 361_001);
    let message = messages();
    assert!(
        message.contains("aclnnScatterAdd: ") && message.contains("launchHostFunc returned"),
        "{message}"
    );
}

#[test]
fn a_repeatable_executor_runs_until_it_is_destroyed() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let executor = tensors.inplace();
    assert!(repeatable(executor).is_success());
    for _ in 0..3 {
        // SAFETY: executors are looked up, and the tensors live until the stream is synchronised.
        assert_eq!(unsafe { c::aclnnInplaceScatter(null_mut(), 0, executor, stream.raw) }.0, 0);
    }
    // Enqueued work is done even if the executor is destroyed.
    assert!(destroy(executor).is_success());
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), [30.0, 0.0, 150.0]);
    assert_eq!(run(executor, &stream), 161_002);
    assert!(!destroy(executor).is_success());
}

#[test]
fn addresses_can_be_changed_between_runs() {
    let (stream, tensors, others) = (Stream::new(), Tensors::new(), Tensors::new());
    let executor = tensors.add();
    assert!(repeatable(executor).is_success());
    assert_eq!(run(executor, &stream), 0);
    let source = Memory::of(&[1_f32, 1.0, 1.0]);
    let index = Memory::of(&[1_i64, 1, 1]);
    assert_eq!(set_input(executor, 0, &tensors.self_, others.self_.memory.address), 0);
    assert_eq!(set_input(executor, 1, &tensors.index, index.address), 0);
    assert_eq!(set_input(executor, 2, &tensors.src, source.address), 0);
    assert_eq!(set_output(executor, 0, &tensors.out, others.out.memory.address), 0);
    assert_eq!(run(executor, &stream), 0);
    // Giving self and out the same address makes the call work in place. `aclSetTensorAddr` counts
    // outputs after inputs.
    let set = |place, address| {
        // SAFETY: host-cann looks up handles.
        unsafe { cann().aclSetTensorAddr(executor, place, tensors.out.raw(), address) }.unwrap().0
    };
    assert_eq!(set(0, others.out.memory.address), 0);
    assert_eq!(set(3, others.out.memory.address), 0);
    assert_eq!(set(4, others.out.memory.address), 161_002);
    assert_eq!(run(executor, &stream), 0);
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), EXPECTED);
    assert_eq!(others.result(), [1.0, 8.0, 3.0]);
    assert!(destroy(executor).is_success());
}

#[test]
fn a_changed_address_is_held_to_the_rules() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let executor = tensors.add();
    assert!(repeatable(executor).is_success());
    let out = tensors.out.memory.address;
    assert_eq!(set_input(executor, 3, &tensors.src, out), 161_002);
    assert!(messages().contains("index: below 3 expected for an input of aclnnScatterAdd, got 3"));
    assert_eq!(set_output(executor, 1, &tensors.out, out), 161_002);
    assert!(messages().contains("index: below 1 expected for an output of aclnnScatterAdd, got 1"));
    assert_eq!(set_input(executor, 0, &tensors.self_, out.wrapping_byte_add(1)), 561_103);
    assert!(messages().contains("aclnnScatterAdd: self: an address that is a multiple of 4 expected"));
    // Giving src the address of out is accepted, because out may get another one; only a run
    // refuses the overlap.
    assert_eq!(set_input(executor, 2, &tensors.src, out), 0);
    assert_eq!(run(executor, &stream), 161_002);
    assert!(
        messages().contains("out: memory apart from src expected, got an overlap at the changed addresses")
    );
    assert_eq!(set_output(executor, 0, &tensors.out, tensors.self_.memory.address), 0);
    assert_eq!(run(executor, &stream), 0);
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.self_.memory.read::<f32>(), [1.0, 2.0, 3.0]);
    assert!(destroy(executor).is_success());
}

#[test]
fn in_place_the_one_tensor_has_one_address() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let executor = tensors.inplace();
    assert!(repeatable(executor).is_success());
    for set in [set_input, set_output] {
        let other = Memory::of(&[0_f32; 3]);
        assert_eq!(set(executor, 0, &tensors.out, other.address), 0);
        // SAFETY: executors are looked up, and the tensors live until the stream is synchronised.
        assert_eq!(unsafe { c::aclnnInplaceScatter(null_mut(), 0, executor, stream.raw) }.0, 0);
        assert!(stream.synchronize().is_success());
        assert_eq!(other.read::<f32>(), [10.0, 0.0, 50.0]);
    }
    assert!(destroy(executor).is_success());
}

#[test]
fn an_ended_handle_is_not_another_executors_soon() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let first = tensors.add();
    assert_eq!(run(first, &stream), 0);
    for _ in 0..200 {
        let next = tensors.add();
        assert_ne!(next, first);
        assert!(destroy(next).is_success());
    }
    assert_eq!(run(first, &stream), 161_002);
    assert!(stream.synchronize().is_success());
}

#[test]
fn an_empty_index_in_place_is_nothing_to_do() {
    let (stream, tensors) = (Stream::new(), Tensors::new());
    let nothing = Owned::new::<i64>(ACL_INT64, &[0], &[]);
    let (mut size, mut executor) = (7, null_mut());
    let (out, src) = (tensors.out.raw(), tensors.src.raw());
    // SAFETY: the handles live, and pointers for results are to live locals.
    let status = unsafe {
        c::aclnnScatterAddGetWorkspaceSize(out, 0, nothing.raw(), src, out, &mut size, &mut executor)
    };
    assert!(status.is_success(), "{}", messages());
    assert!(repeatable(executor).is_success());
    assert_eq!(run(executor, &stream), 0);
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), [0.0; 3]);
    // When out has another address, the call copies self to it.
    assert_eq!(set_input(executor, 0, &tensors.self_, tensors.self_.memory.address), 0);
    assert_eq!(run(executor, &stream), 0);
    assert!(stream.synchronize().is_success());
    assert_eq!(tensors.result(), [1.0, 2.0, 3.0]);
    assert!(destroy(executor).is_success());
}
