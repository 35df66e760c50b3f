//! A typical program: tensors, the two phases of an operator, and the result copied back. host-cann
//! has no operators, so one is written here as a library would: `out[i] = x[i] + alpha`, in a host
//! function.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use aclnn_sys::*;
use common::{D2H, H2D, Session, acl, extension, fails, malloc, message, ok, stream};

/// What phase one prepares for phase two.
struct AddScalar {
    x: usize,
    out: usize,
    count: usize,
    alpha: f32,
    repeatable: bool,
}

/// The library's executors by handle.
static EXECUTORS: Mutex<BTreeMap<usize, AddScalar>> = Mutex::new(BTreeMap::new());
static CALLS: hostcannExecutorCalls = hostcannExecutorCalls {
    setRepeatable: Some(set_repeatable),
    setAddress: Some(set_address),
    destroy: Some(destroy),
};

fn count(tensor: *const aclTensor) -> usize {
    let (mut shape, mut axes) = (ptr::null_mut(), 0);
    ok!(aclGetViewShape(tensor, &mut shape, &mut axes));
    // SAFETY: the array has `axes` sizes.
    let count = unsafe { std::slice::from_raw_parts(shape, axes as usize) }.iter().product::<i64>();
    // SAFETY: `delete[]` of such an array is `free`.
    unsafe { libc::free(shape.cast()) };
    count as usize
}

fn address(tensor: *const aclTensor) -> usize {
    let mut address = ptr::null_mut();
    ok!(aclGetRawTensorAddr(tensor, &mut address));
    address.expose_provenance()
}

/// Phase one.
fn prepare(x: *const aclTensor, alpha: *const aclScalar, out: *const aclTensor) -> *mut aclOpExecutor {
    let (mut dtype, mut value) = (ACL_DT_UNDEFINED, 0.0_f32);
    // SAFETY: there is room for a float.
    let read = unsafe { extension().readScalar.unwrap()(alpha, &mut dtype, (&raw mut value).cast(), 4) };
    assert!(read.is_success() && dtype == ACL_FLOAT);
    let mut executors = EXECUTORS.lock().unwrap();
    let handle = 0x1000 * (executors.len() + 1);
    let prepared =
        AddScalar { x: address(x), out: address(out), count: count(x), alpha: value, repeatable: false };
    executors.insert(handle, prepared);
    let executor = ptr::without_provenance_mut(handle);
    // SAFETY: the calls are a static.
    assert!(unsafe { extension().registerExecutor.unwrap()(executor, &CALLS) }.is_success());
    executor
}

/// Phase two.
fn run(executor: *mut aclOpExecutor, stream: aclrtStream) {
    unsafe extern "C" fn work(job: *mut c_void) {
        // SAFETY: made below, and called once.
        let AddScalar { x, out, count, alpha, .. } = *unsafe { Box::from_raw(job.cast::<AddScalar>()) };
        if alpha.is_nan() {
            return common::fail(ACL_ERROR_RT_AICPU_EXCEPTION, c"alpha is not a number");
        }
        for place in 0..count {
            let (x, out) =
                (ptr::with_exposed_provenance::<f32>(x), ptr::with_exposed_provenance_mut::<f32>(out));
            // SAFETY: both tensors have `count` values, in memory that the program keeps until the
            // stream is done.
            unsafe { out.add(place).write(x.add(place).read() + alpha) };
        }
    }
    let mut executors = EXECUTORS.lock().unwrap();
    let prepared = &executors[&executor.addr()];
    let job = AddScalar { repeatable: false, ..*prepared };
    if !prepared.repeatable {
        executors.remove(&executor.addr());
        // SAFETY: any handle may be given.
        assert!(unsafe { extension().unregisterExecutor.unwrap()(executor) }.is_success());
    }
    ok!(aclrtLaunchHostFunc(stream, Some(work), Box::into_raw(Box::new(job)).cast()));
}

unsafe extern "C" fn set_repeatable(executor: *mut aclOpExecutor) -> aclnnStatus {
    EXECUTORS.lock().unwrap().get_mut(&executor.addr()).unwrap().repeatable = true;
    ACLNN_SUCCESS
}

unsafe extern "C" fn set_address(
    executor: *mut aclOpExecutor,
    kind: u32,
    _index: usize,
    _tensor: *mut aclTensor,
    address: *mut c_void,
) -> aclnnStatus {
    let mut executors = EXECUTORS.lock().unwrap();
    let prepared = executors.get_mut(&executor.addr()).unwrap();
    let place = if kind == HOSTCANN_TENSOR_INPUT { &mut prepared.x } else { &mut prepared.out };
    *place = address.expose_provenance();
    ACLNN_SUCCESS
}

unsafe extern "C" fn destroy(executor: *mut aclOpExecutor) -> aclnnStatus {
    EXECUTORS.lock().unwrap().remove(&executor.addr());
    // SAFETY: any handle may be given.
    unsafe { extension().unregisterExecutor.unwrap()(executor) }
}

fn tensor(memory: *mut c_void) -> *mut aclTensor {
    let shape = [2_i64, 3];
    let (dims, none) = (shape.as_ptr(), ptr::null());
    acl!(aclCreateTensor(dims, 2, ACL_FLOAT, none, 0, ACL_FORMAT_ND, dims, 2, memory))
}

const BYTES: usize = 24;

fn read_back(memory: *mut c_void) -> [f32; 6] {
    let mut values = [0.0; 6];
    ok!(aclrtMemcpy(values.as_mut_ptr().cast(), BYTES, memory, BYTES, D2H));
    values
}

#[test]
fn an_operator_s_two_phases_once_and_again_with_other_addresses() {
    let _session = Session::new();
    let stream = stream();
    let (from, to, other) = (malloc(BYTES), malloc(BYTES), malloc(BYTES));
    let values = [0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
    ok!(aclrtMemcpy(from, BYTES, values.as_ptr().cast(), BYTES, H2D));
    let (x, out) = (tensor(from), tensor(to));
    let mut alpha = 0.5_f32;
    let scalar = acl!(aclCreateScalar((&raw mut alpha).cast(), ACL_FLOAT));

    let executor = prepare(x, scalar, out);
    run(executor, stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(read_back(to), values.map(|value| value + 0.5));
    fails!(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER, "ran already");

    let executor = prepare(x, scalar, out);
    ok!(aclSetAclOpExecutorRepeatable(executor));
    run(executor, stream);
    ok!(aclSetInputTensorAddr(executor, 0, x, to));
    ok!(aclSetOutputTensorAddr(executor, 0, out, other));
    run(executor, stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(read_back(other), values.map(|value| value + 1.0));
    ok!(aclDestroyAclOpExecutor(executor));

    alpha = f32::NAN;
    let wrong = acl!(aclCreateScalar((&raw mut alpha).cast(), ACL_FLOAT));
    run(prepare(x, wrong, out), stream);
    fails!(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICPU_EXCEPTION, "alpha is not a number");
    assert_eq!(message(), "");

    [scalar, wrong].into_iter().for_each(|scalar| ok!(aclDestroyScalar(scalar)));
    [x, out].into_iter().for_each(|tensor| ok!(aclDestroyTensor(tensor)));
    [from, to, other].into_iter().for_each(|memory| ok!(aclrtFree(memory)));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtResetDevice(0));
}
