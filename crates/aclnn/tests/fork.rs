//! A fork of a process with streams. The test is a program of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../../tests/processes/mod.rs"]
mod processes;

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::{Condvar, Mutex};

use aclnn::sys::{ACLNN_SUCCESS, AclnnStatus, Cann, aclOpExecutor, aclrtStream, prototypes};
use aclnn::{Event, Executor, ExecutorOperand, PinnedBuffer, Runtime, Tensor};
use common::Gate;
use processes::{in_a_fork, is_inside};

const QUIET: [(&str, &str); 1] = [("HOST_CANN_QUIET", "1")];

/// The state of `wait_until_let_go`: whether it has begun, and whether it may end.
static STEPS: Mutex<(bool, bool)> = Mutex::new((false, false));
static CHANGED: Condvar = Condvar::new();

fn wait_until_let_go() {
    let mut steps = STEPS.lock().unwrap();
    steps.0 = true;
    CHANGED.notify_all();
    drop(CHANGED.wait_while(steps, |steps| !steps.1).unwrap());
}

/// A phase two that holds the locks of its tensors and its stream until the test lets it go on.
unsafe extern "C" fn linger(_: *mut c_void, _: u64, _: *mut aclOpExecutor, _: aclrtStream) -> AclnnStatus {
    wait_until_let_go();
    ACLNN_SUCCESS
}

/// The name of a chip, which the search for kernels asks for; returns when the test lets it go on.
unsafe extern "C" fn slow_name() -> *const c_char {
    wait_until_let_go();
    c"Ascend910B2".as_ptr()
}

/// Lets the waiting call go on, also when the test fails.
struct LetsGo;

impl Drop for LetsGo {
    fn drop(&mut self) {
        STEPS.lock().unwrap().1 = true;
        CHANGED.notify_all();
    }
}

#[test]
fn in_a_fork_every_call_names_it_and_drops_do_not_wait() {
    if !is_inside("in_a_fork_every_call_names_it_and_drops_do_not_wait", &QUIET) {
        return;
    }
    let runtime = Runtime::host().unwrap();
    let device = runtime.device(0).unwrap();
    let (stream, busy) = (device.stream().unwrap(), device.stream().unwrap());
    let x = Tensor::<f32>::zeros([4], &stream).unwrap();
    let mut y = Tensor::<f32>::zeros([4], &stream).unwrap();
    let index = Tensor::<i64>::new([1_i64, 2], &stream).unwrap();
    let src = Tensor::<f32>::new([1.0_f32, 2.0], &stream).unwrap();
    let pinned = PinnedBuffer::<f32>::new(&device, 4).unwrap();
    let mut event = Event::new(&stream).unwrap();
    stream.record(&mut event).unwrap();
    let gate = Gate::new(&busy);
    let mut used = Tensor::<f32>::zeros([4], &stream).unwrap();
    stream.synchronize().unwrap();
    used.scatter_add_(0, &index, &src, &busy).unwrap();

    std::thread::scope(|scope| {
        scope.spawn(|| {
            let operands = [ExecutorOperand::read(&x).unwrap()];
            // SAFETY: phase two ignores its arguments.
            let executor = unsafe {
                Executor::prepare("aclnnLinger", &stream, operands, linger, |_, executor| {
                    *executor = ptr::without_provenance_mut(0x1230);
                    ACLNN_SUCCESS
                })
            };
            executor.unwrap().launch(&stream).unwrap();
        });
        drop(CHANGED.wait_while(STEPS.lock().unwrap(), |steps| !steps.0).unwrap());
        let _lets_go = LetsGo;
        in_a_fork(|| {
            let is_fork =
                |told: &dyn ToString| assert!(told.to_string().contains("is a fork"), "{}", told.to_string());
            is_fork(&x.to_vec(&stream).unwrap_err());
            is_fork(&stream.synchronize().unwrap_err());
            is_fork(&busy.synchronize().unwrap_err());
            is_fork(&y.scatter_add_(0, &index, &src, &stream).unwrap_err());
            is_fork(&y.copy_from_slice(&[0.0; 4], &stream).unwrap_err());
            is_fork(&Tensor::<f32>::zeros([4], &stream).unwrap_err());
            is_fork(&stream.is_idle().unwrap_err());
            is_fork(&stream.as_raw().unwrap_err());
            is_fork(&event.synchronize().unwrap_err());
            is_fork(&device.stream().unwrap_err());
            is_fork(&Runtime::host().unwrap_err());
            assert_eq!(stream.workspace_bytes(), 0);
            stream.trim_workspace();
            // What the end of a child process drops and closes.
            // SAFETY: the child has its own copies of these values, and does not use the originals
            // again.
            unsafe {
                drop(ptr::read(&y));
                drop(ptr::read(&used));
                drop(ptr::read(&pinned));
                drop(ptr::read(&event));
                is_fork(&ptr::read(&busy).close().unwrap_err());
                drop(ptr::read(&stream));
                drop(ptr::read(&device));
                drop(ptr::read(&runtime));
            }
        });
    });
    gate.open();
    assert_eq!(used.to_vec(&stream).unwrap(), [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(x.to_vec(&stream).unwrap(), [0.0; 4]);
}

#[test]
fn a_fork_does_not_wait_for_another_thread_s_search_for_kernels() {
    if !is_inside("a_fork_does_not_wait_for_another_thread_s_search_for_kernels", &QUIET) {
        return;
    }
    // host-cann disguised as another CANN, so that kernels are searched for.
    let others = [c"hostcann_extension", c"aclrtGetSocName"];
    let functions = host_cann::table().filter(|(name, _)| !others.contains(name));
    let slow = (c"aclrtGetSocName", slow_name as prototypes::aclrtGetSocName as *const c_void);
    // SAFETY: the functions are host-cann's, and one with the prototype of the function that it
    // replaces.
    let runtime = unsafe { Runtime::from_cann(Cann::from_table(functions.chain([slow]))) }.unwrap();
    let stream = runtime.device(0).unwrap().stream().unwrap();
    let index = Tensor::<i64>::new([1_i64, 2], &stream).unwrap();
    let src = Tensor::<f32>::new([1.0_f32, 2.0], &stream).unwrap();
    let [mut x, mut y] = [(); 2].map(|()| Tensor::<f32>::zeros([4], &stream).unwrap());
    stream.synchronize().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let error = x.scatter_add_(0, &index, &src, &stream).unwrap_err();
            assert!(error.to_string().contains("561003"), "{error}");
        });
        drop(CHANGED.wait_while(STEPS.lock().unwrap(), |steps| !steps.0).unwrap());
        let _lets_go = LetsGo;
        in_a_fork(|| {
            let error = y.scatter_add_(0, &index, &src, &stream).unwrap_err();
            assert!(error.to_string().contains("is a fork"), "{error}");
        });
    });
}
