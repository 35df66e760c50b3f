//! A process that ends while streams work: in a process of its own.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
#[path = "../../../tests/processes/runner.rs"]
mod runner;

use std::process::exit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;

use aclnn_sys::*;
use common::{acl, event, hold, launch, malloc, ok, stream};

/// How a child ends.
const HOW: &str = "HOST_CANN_TEST_EXIT";

static STREAM: AtomicPtr<aclrtStreamOpaque> = AtomicPtr::new(ptr::null_mut());

/// Calls the runtime as a destructor of a C++ program's globals may.
extern "C" fn clean_up() {
    let stream = STREAM.load(Ordering::SeqCst);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(acl!(aclrtSynchronizeStream(ptr::null_mut())), ACL_SUCCESS);
    ok!(aclrtDestroyStream(stream));
    ok!(aclFinalize());
    println!("cleaned up");
}

/// Runs only in the child: leaves two streams, of which one is working and one waits for it, both
/// with further work.
#[test]
#[ignore = "the other test runs it in a process of its own"]
fn child() {
    ok!(aclInit(ptr::null()));
    ok!(aclrtSetDevice(0));
    let (works, waits, mark, memory) = (stream(), stream(), event(), malloc(4096));
    let cleans_up = std::env::var(HOW).unwrap() == "clean up";
    STREAM.store(works, Ordering::SeqCst);
    let gate = hold(works);
    ok!(aclrtRecordEvent(mark, works));
    ok!(aclrtStreamWaitEvent(waits, mark));
    for stream in [works, waits] {
        ok!(aclrtMemsetAsync(memory, 4096, 1, 4096, stream));
        launch(stream, thread::yield_now);
    }
    if cleans_up {
        // SAFETY: the function may run at the end of the process.
        assert_eq!(unsafe { libc::atexit(clean_up) }, 0);
        drop(gate);
    } else {
        // The first stream never gets further.
        std::mem::forget(gate);
    }
    exit(7);
}

#[test]
fn a_process_may_end_with_work_in_its_streams() {
    for (how, printed) in [("at once", false), ("clean up", true)] {
        let output = runner::itself()
            .args(["child", "--exact", "--ignored", "--nocapture"])
            .envs([("HOST_CANN_QUIET", "1"), (HOW, how)])
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(7), "{how}: {out}{err}");
        assert_eq!(out.contains("cleaned up"), printed, "{how}: {out}{err}");
    }
}
