//! The two-phase call of an operator that this crate does not have.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::sync::Mutex;

use aclnn::sys::{ACLNN_ERR_INNER, AclnnStatus, Cann, aclOpExecutor, aclTensor};
use aclnn::{Error, ExecutorOperand, Result, Runtime, Tensor};
use common::{Gate, alone, stand_in, stream};
use host_cann::{Counters, c};

#[test]
fn one_is_launched_behind_what_it_reads() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let other = stream.device().stream()?;
    let mut input = Tensor::<f32>::new([1.0, 2.0, 3.0], &stream)?;
    let mut out = Tensor::<f32>::zeros([3], &stream)?;
    let executor = stand_in::prepare(&input, &mut out, 12, &stream)?;
    assert_eq!(executor.workspace_bytes(), 12);
    let gate = Gate::new(&other);
    let index = Tensor::<i32>::new([1], &stream)?;
    input.scatter_(0, &index, 7.0, aclnn::Reduce::None, &other)?;
    executor.launch(&stream)?;
    drop((input, index));
    gate.open();
    assert_eq!(out.to_vec(&stream)?, [2.0, 14.0, 6.0]);
    assert_eq!(Counters::now().executors, 0);
    Ok(())
}

#[test]
fn one_that_is_never_launched_is_destroyed() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let input = Tensor::<f32>::new([1.0], &stream)?;
    let mut out = Tensor::<f32>::zeros([1], &stream)?;
    let tensors = Counters::now().tensors;
    let executor = stand_in::prepare(&input, &mut out, 4, &stream)?;
    assert_eq!((Counters::now().executors, Counters::now().tensors), (1, tensors + 2));
    drop(executor);
    assert_eq!((Counters::now().executors, Counters::now().tensors), (0, tensors));
    stream.close()
}

#[test]
fn a_phase_that_fails_says_so() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let input = Tensor::<f32>::new([1.0], &stream)?;
    let broken = stand_in::prepare_broken(&input, &stream)?.launch(&stream);
    assert!(matches!(broken, Err(Error::Aclnn { call: "aclnnBroken", code, .. }) if code.0 == 161_002));
    // Phase one that succeeds without an executor.
    // SAFETY: no tensor is used, and phase two ignores its arguments.
    let none = unsafe {
        aclnn::Executor::prepare("aclnnNothing", &stream, [], stand_in::refuse, |_, _| {
            aclnn::sys::ACLNN_SUCCESS
        })
    };
    assert!(matches!(none, Err(Error::Aclnn { call: "aclnnNothing", code, .. }) if code.0 == 561_103));
    // Operands and streams of another device.
    let elsewhere = stream.device().runtime().device(1)?.stream()?;
    let mut out = Tensor::<f32>::zeros([1], &elsewhere)?;
    let mixed = stand_in::prepare(&input, &mut out, 4, &stream);
    assert!(matches!(mixed, Err(Error::Device { call: "aclnnDouble", expected: 0, got: 1 })));
    let mut out = Tensor::<f32>::zeros([1], &stream)?;
    let launched = stand_in::prepare(&input, &mut out, 4, &stream)?.launch(&elsewhere);
    assert!(matches!(launched, Err(Error::Device { expected: 1, got: 0, .. })));
    // The refused executor was never launched, and has been destroyed.
    stream.synchronize()
}

#[test]
fn one_is_launched_again_with_other_memory() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let mut input = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let mut out = Tensor::<f32>::zeros([2], &stream)?;
    let mut executor = stand_in::prepare(&input, &mut out, 8, &stream)?.repeatable()?;
    executor.launch(&stream)?;
    executor.launch(&stream)?;
    assert_eq!(out.to_vec(&stream)?, [2.0, 4.0]);

    let (second, result) = (Tensor::<f32>::new([5.0, 6.0], &stream)?, Tensor::<f32>::zeros([2], &stream)?);
    let gate = Gate::new(&stream);
    executor.launch(&stream)?;
    // SAFETY: operand 0 is input 0, and operand 1 is output 0.
    unsafe {
        executor.set_input(0, 0, second.buffer().clone())?;
        executor.set_output(1, 0, result.buffer().clone())?;
    }
    executor.launch(&stream)?;
    // The executor keeps the memory alive.
    drop(second);
    gate.open();
    assert_eq!(result.to_vec(&stream)?, [10.0, 12.0]);
    assert_eq!(out.to_vec(&stream)?, [2.0, 4.0]);

    // The tensors of phase one still have their own memory.
    let index = Tensor::<i64>::new([0], &stream)?;
    let one = Tensor::<f32>::new([1.0], &stream)?;
    input.scatter_add_(0, &index, &one, &stream)?;
    out.scatter_add_(0, &index, &one, &stream)?;
    assert_eq!((input.to_vec(&stream)?, out.to_vec(&stream)?), (vec![2.0, 2.0], vec![3.0, 4.0]));
    assert_eq!(result.to_vec(&stream)?, [10.0, 12.0]);

    // SAFETY: each call is refused, before it sets anything or by the executor.
    unsafe {
        let small = aclnn::DeviceBuffer::new(&stream, 4)?;
        let error = executor.set_input(0, 0, small).unwrap_err();
        assert_eq!(error.to_string(), "set_input: 8 bytes at least expected, got 4");
        let missing = executor.set_input(2, 0, result.buffer().clone()).unwrap_err();
        assert_eq!(missing.to_string(), "set_input: operand below 2 expected, got 2");
        let wrong = executor.set_output(1, 1, result.buffer().clone());
        assert!(matches!(wrong, Err(Error::Aclnn { call: "aclSetOutputTensorAddr", .. })));
        let there = stream.device().runtime().device(1)?;
        let elsewhere = aclnn::DeviceBuffer::new(&there, 8)?;
        assert!(matches!(
            executor.set_output(1, 0, elsewhere),
            Err(Error::Device { expected: 0, got: 1, .. })
        ));
    }
    executor.close()?;
    assert_eq!(Counters::now().executors, 0);
    Ok(())
}

#[test]
fn an_error_of_repeatable_comes_once() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let input = Tensor::<f32>::new([1.0], &stream)?;
    let refused = stand_in::prepare_broken(&input, &stream)?.repeatable().map(drop);
    assert!(
        matches!(refused, Err(Error::Aclnn { call: "aclSetAclOpExecutorRepeatable", .. })),
        "{refused:?}"
    );
    stream.synchronize()
}

/// The calls of [`one_that_is_not_repeatable_is_destroyed_before_its_tensors`], in order.
static CALLED: Mutex<Vec<&str>> = Mutex::new(Vec::new());

/// Fails the first time.
unsafe extern "C" fn set_repeatable(executor: *mut aclOpExecutor) -> AclnnStatus {
    let mut called = CALLED.lock().unwrap();
    called.push("repeatable");
    if called.len() == 1 {
        return ACLNN_ERR_INNER;
    }
    // SAFETY: the executor is the caller's.
    unsafe { c::aclSetAclOpExecutorRepeatable(executor) }
}

unsafe extern "C" fn destroy_executor(executor: *mut aclOpExecutor) -> AclnnStatus {
    CALLED.lock().unwrap().push("destroy executor");
    // SAFETY: the executor is the caller's.
    unsafe { c::aclDestroyAclOpExecutor(executor) }
}

unsafe extern "C" fn destroy_tensor(tensor: *const aclTensor) -> AclnnStatus {
    CALLED.lock().unwrap().push("destroy tensor");
    // SAFETY: the tensor is the caller's.
    unsafe { c::aclDestroyTensor(tensor) }
}

#[test]
fn one_that_is_not_repeatable_is_destroyed_before_its_tensors() -> Result<()> {
    let _alone = alone();
    let watched = Cann::from_table([
        (c"aclSetAclOpExecutorRepeatable", set_repeatable as *const c_void),
        (c"aclDestroyAclOpExecutor", destroy_executor as *const c_void),
        (c"aclDestroyTensor", destroy_tensor as *const c_void),
    ]);
    // SAFETY: the functions are host-cann's, or have the prototypes of those that they replace.
    let runtime = unsafe { Runtime::from_cann(watched.then(Cann::from_table(host_cann::table()))) }?;
    let stream = runtime.device(0)?.stream()?;
    let input = Tensor::<f32>::new([1.0], &stream)?;
    let mut out = Tensor::<f32>::zeros([1], &stream)?;
    stand_in::prepare(&input, &mut out, 4, &stream)?.repeatable().unwrap_err();
    assert_eq!(
        *CALLED.lock().unwrap(),
        ["repeatable", "repeatable", "destroy executor", "destroy tensor", "destroy tensor"]
    );
    assert_eq!(Counters::now().executors, 0);
    stream.synchronize()
}

#[test]
fn one_keeps_the_memory_that_it_was_given() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let input = Tensor::<f32>::new([1.0, 2.0], &stream)?;
    let mut out = Tensor::<f32>::zeros([2], &stream)?;
    let mut executor = stand_in::prepare(&input, &mut out, 8, &stream)?.repeatable()?;
    let given = Tensor::<f32>::new([5.0, 6.0], &stream)?;
    let result = Tensor::<f32>::zeros([2], &stream)?;
    // SAFETY: operand 0 is input 0, and operand 1 is output 0.
    unsafe {
        executor.set_input(0, 0, given.buffer().clone())?;
        executor.set_output(1, 0, result.buffer().clone())?;
    }
    // The executor has released its former buffers and keeps the new ones alive, although no work
    // uses them.
    drop((input, out));
    assert_eq!(Counters::now().device_allocations, 2);
    drop(given);
    let result = {
        let kept = result.buffer().clone();
        drop(result);
        kept
    };
    assert_eq!(Counters::now().device_allocations, 2);
    executor.launch(&stream)?;
    let result = Tensor::<f32>::from_buffer(result, [2], [1], 0)?;
    assert_eq!(result.to_vec(&stream)?, [10.0, 12.0]);
    // Only the executor has the output.
    drop(result);
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 3, "input, output and workspace");
    executor.launch(&stream)?;
    stream.synchronize()?;
    executor.close()?;
    stream.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn operands_wait_for_each_other_as_tensors_do() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    let others: Vec<_> = (0..4).map(|_| stream.device().stream()).collect::<Result<_>>()?;
    // Doubles a number 100 times, with two tensors and four streams.
    let mut tensors = [Tensor::<f32>::full([64], 1.0, &stream)?, Tensor::<f32>::zeros([64], &stream)?];
    for step in 0..100 {
        let [from, to] = &mut tensors;
        let executor = stand_in::prepare(from, to, 256, &stream)?;
        executor.launch(&others[step % 4])?;
        tensors.swap(0, 1);
    }
    assert_eq!(tensors[0].to_vec(&stream)?, [2_f32.powi(100); 64]);
    // The same tensor twice among the operands.
    let read = ExecutorOperand::read(&tensors[0])?;
    assert!(!read.as_raw().is_null());
    Ok(())
}
