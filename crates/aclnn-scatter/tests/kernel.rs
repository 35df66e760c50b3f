//! The engine `kernel`, on the strict host model of Ascend C.

#![cfg(feature = "model")]
// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use aclnn_scatter::sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_FLOAT, ACL_INT64, ACL_STOP_ON_FAILURE, ACL_SUCCESS, AclnnStatus,
};
use aclnn_scatter::{Check, Engine, c, set_check, set_engine};
use common::generate::check_each;
use common::tensors::{Memory, Owned, Spec};
use common::{Gate, Random, Stream, assert_clear, assert_told, cann, messages};
use scatter::{Bool, Complex, Element, bf16, f16};

fn check<T: Element>() {
    set_engine(Engine::Kernel);
    let stream = Stream::new();
    let mut random = Random(0x2545_F491_4F6C_DD1D ^ T::DTYPE as u64);
    for _ in 0..15 {
        check_each::<T, i32>(&mut random, stream.raw);
        check_each::<T, i64>(&mut random, stream.raw);
    }
}

#[test]
fn every_dtype_equals_the_reference() {
    check::<bf16>();
    check::<f16>();
    check::<f32>();
    check::<f64>();
    check::<i64>();
    check::<i32>();
    check::<i16>();
    check::<i8>();
    check::<u8>();
    check::<Bool>();
    check::<Complex<f32>>();
    check::<Complex<f64>>();
}

/// Computes `out[index[i]] += src[i]`, with a src of `[3]` and an out of `[4]`; the workspace is
/// `missing` bytes too small.
fn call(index: [i64; 3], stream: &Stream, missing: u64) -> (AclnnStatus, Owned) {
    call_and(index, stream, missing, || ())
}

/// The same; `then` runs when the work is in the stream.
fn call_and(index: [i64; 3], stream: &Stream, missing: u64, then: impl FnOnce()) -> (AclnnStatus, Owned) {
    set_engine(Engine::Kernel);
    let out = Owned::new(ACL_FLOAT, &[4], &[1_f32; 4]);
    let (index, src) = (Owned::new(ACL_INT64, &[3], &index), Owned::new(ACL_FLOAT, &[3], &[1_f32, 2.0, 4.0]));
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live, and the storages have the size that the tensors say until the
    // stream is synchronised.
    let status = unsafe {
        let (raw, index, src) = (out.raw(), index.raw(), src.raw());
        let first = c::aclnnScatterAddGetWorkspaceSize(raw, 0, index, src, raw, &mut size, &mut executor);
        assert!(first.is_success(), "{}", messages());
        let workspace = Memory::of(&vec![0xCC_u8; size as usize]);
        let status = c::aclnnScatterAdd(workspace.address, size - missing, executor, stream.raw);
        then();
        // Before the tensors are dropped.
        let waited = stream.synchronize();
        assert!(waited.is_success() || waited == ACL_ERROR_RT_AICPU_EXCEPTION, "{waited}");
        status
    };
    (status, out)
}

/// Held by tests that set the check, which is the process's.
static CHECK: Mutex<()> = Mutex::new(());

#[test]
fn a_bad_index_is_skipped_and_told_as_the_check_says() {
    let _one = CHECK.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = Stream::new();
    set_check(Check::Flag);
    let (status, out) = call([1, 7, -1], &stream, 0);
    assert!(status.is_success(), "{}", messages());
    assert_eq!(out.memory.read::<f32>(), [1.0, 2.0, 1.0, 5.0]);
    assert_told(&stream.status(), c"aclnnScatterAdd", &[1], 7, 4);
    assert_clear(&stream.status());

    set_check(Check::Sync);
    let (status, out) = call([i64::MIN, 0, (1 << 32) + 1], &stream, 0);
    assert_eq!(status.0, 161_002, "{}", messages());
    assert_eq!(out.memory.read::<f32>(), [3.0, 1.0, 1.0, 1.0]);
    assert_clear(&stream.status());

    set_check(Check::Off);
    let (status, _) = call([4, 0, 0], &stream, 0);
    assert!(status.is_success());
    assert_clear(&stream.status());

    set_check(Check::Flag);
    let (status, out) = call([0, 1, 2], &stream, 1);
    assert_eq!(status.0, 161_002);
    assert!(messages().contains("workspace: "));
    assert_eq!(out.memory.read::<f32>(), [1.0; 4]);
}

/// The kernels count the updates of an element in 32 bits.
#[test]
fn more_updates_than_can_be_counted_are_refused() {
    set_engine(Engine::Kernel);
    let _stream = Stream::new();
    let (mean, mut size, mut executor) = (5, 0, null_mut());
    let out = Spec::new(ACL_FLOAT, &[4], null_mut()).create();
    let expanded = |dtype| {
        let spec = Spec::new(dtype, &[1 << 33], null_mut());
        Spec { strides: vec![0], storage: vec![1], ..spec }.create()
    };
    let (index, src) = (expanded(ACL_INT64), expanded(ACL_FLOAT));
    let _ = messages();
    // SAFETY: the handles live, and pointers for results are to live locals.
    let status = unsafe {
        let first = c::aclnnInplaceScatterReduceGetWorkspaceSize;
        first(out.0, 0, index.0, src.0, mean, true, &mut size, &mut executor)
    };
    let message = messages();
    assert_eq!(status.0, 561_003, "{message}");
    assert!(
        message.contains("engine kernel: scatter_reduce: index: 4294967294 updates at most"),
        "{message}"
    );
}

/// Executors made without addresses, which are set later and changed.
#[test]
fn addresses_may_come_after_phase_one() {
    set_engine(Engine::Kernel);
    let stream = Stream::new();
    let shape_of = |dtype, len| Spec::new(dtype, &[len], null_mut()).create();
    let (out, index, src) = (shape_of(ACL_FLOAT, 4), shape_of(ACL_INT64, 3), shape_of(ACL_FLOAT, 3));
    let (mut size, mut executor) = (0, null_mut());
    let (to, from) = (Memory::of(&[1_f32; 4]), Memory::of(&[1_f32, 2.0, 4.0]));
    let places = Memory::of(&[3_i64, 0, -1]);
    // SAFETY: the handles live, and the storages have the size that the tensors say until the
    // stream is synchronised.
    unsafe {
        let first =
            c::aclnnScatterAddGetWorkspaceSize(out.0, 0, index.0, src.0, out.0, &mut size, &mut executor);
        assert!(first.is_success(), "{}", messages());
        assert!(cann().aclSetAclOpExecutorRepeatable(executor).unwrap().is_success());
        let workspace = Memory::of(&vec![0xCC_u8; size as usize]);
        let run = || c::aclnnScatterAdd(workspace.address, size, executor, stream.raw).0;
        assert_eq!(run(), 161_001);
        assert!(messages().contains("self: an address expected, got null"));
        for (place, (tensor, address)) in
            [(&out, to.address), (&index, places.address), (&src, from.address)].into_iter().enumerate()
        {
            assert!(cann().aclSetInputTensorAddr(executor, place, tensor.0, address).unwrap().is_success());
        }
        for expected in [[3.0, 1.0, 1.0, 6.0], [5.0, 1.0, 1.0, 11.0]] {
            assert_eq!(run(), 0, "{}", messages());
            assert!(stream.synchronize().is_success());
            assert_eq!(to.read::<f32>(), expected);
        }
        assert!(cann().aclDestroyAclOpExecutor(executor).unwrap().is_success());
    }
}

/// If index is empty, out may overlap self and itself: self is completely read to the workspace
/// first.
#[test]
fn a_copy_may_overlap_itself() {
    let _one = CHECK.lock().unwrap_or_else(PoisonError::into_inner);
    set_engine(Engine::Kernel);
    let stream = Stream::new();
    let memory = Memory::of(&[1_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let view = |shape: &[i64], strides: &[i64], offset| {
        let strides = strides.to_vec();
        Spec { strides, offset, storage: vec![7], ..Spec::new(ACL_FLOAT, shape, memory.address) }.create()
    };
    let (self_, out) = (view(&[3, 2], &[2, 1], 0), view(&[3, 2], &[1, 1], 2));
    let index = Spec::new(ACL_INT64, &[0, 2], null_mut()).create();
    for check in [Check::Flag, Check::Sync, Check::Off] {
        set_check(check);
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: the handles live, and the storages have the size that the tensors say until the
        // stream is synchronised.
        unsafe {
            let (raw, to) = (self_.0, out.0);
            let first =
                c::aclnnScatterAddGetWorkspaceSize(raw, 0, index.0, raw, to, &mut size, &mut executor);
            assert!(first.is_success(), "{}", messages());
            assert_eq!(size, 6 * 4);
            let workspace = Memory::of(&vec![0xCC_u8; size as usize]);
            let status = c::aclnnScatterAdd(workspace.address, size, executor, stream.raw);
            assert!(status.is_success(), "{}", messages());
            assert!(stream.synchronize().is_success());
        }
        if check == Check::Flag {
            assert_eq!(memory.read::<f32>(), [1.0, 2.0, 1.0, 3.0, 5.0, 6.0, 7.0]);
        }
        assert_clear(&stream.status());
    }
    set_check(Check::Flag);
}

/// Of two launches, the first with a bad index is told.
#[test]
fn of_two_bad_indices_the_first_launched_is_told() {
    let _one = CHECK.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = Stream::new();
    set_check(Check::Flag);
    for bad in [[0, 9, 0], [5, 0, 0]] {
        assert!(call(bad, &stream, 0).0.is_success(), "{}", messages());
    }
    assert_told(&stream.status(), c"aclnnScatterAdd", &[1], 9, 4);
    assert_clear(&stream.status());
}

/// A stream that stops at the failure drops all that was enqueued behind the kernels.
#[test]
fn a_bad_index_that_stops_its_stream_is_told() {
    static GATE: Gate = Gate::new();
    let _one = CHECK.lock().unwrap_or_else(PoisonError::into_inner);
    // Not the device of the other tests, whose streams would stop, too.
    let stream = Stream::on(1);
    set_check(Check::Flag);
    // SAFETY: the stream lives.
    let stop = unsafe { cann().aclrtSetStreamFailureMode(stream.raw, ACL_STOP_ON_FAILURE.into()) };
    assert_eq!(stop, Ok(ACL_SUCCESS));
    GATE.close(&stream);
    let (status, _) = call_and([0, 1, -6], &stream, 0, || GATE.open());
    assert!(status.is_success(), "{}", messages());
    assert_told(&stream.status(), c"aclnnScatterAdd", &[2], -6, 4);
    assert_clear(&stream.status());
}
