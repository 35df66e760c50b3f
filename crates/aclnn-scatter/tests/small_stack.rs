//! Both phases, and host-cann's calls, work in a thread with a small stack.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr::null_mut;

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64};
use common::tensors::Owned;
use common::{Stream, cann, messages, setting};

/// The stack in KiB that `docs/host-cann.md` promises to be enough. To try a smaller one:
/// `SCATTER_STACK_KIB=24 cargo test -p aclnn-scatter --test small_stack`.
const KIB: u64 = 32;

fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let kib = setting("SCATTER_STACK_KIB", KIB) as usize;
    std::thread::Builder::new().stack_size(kib << 10).spawn(run).unwrap().join().unwrap();
}

/// Calls both phases. Returns the message if one of them fails.
fn call(self_: &Owned, index: &Owned, src: &Owned, dim: i64, stream: &Stream) -> String {
    let (mut size, mut executor) = (0, null_mut());
    // SAFETY: the handles live, and the storages have the size that the tensors say.
    unsafe {
        let out = self_.raw();
        let first = c::aclnnScatterAddGetWorkspaceSize(
            out,
            dim,
            index.raw(),
            src.raw(),
            out,
            &mut size,
            &mut executor,
        );
        if first.is_success() {
            let second = c::aclnnScatterAdd(null_mut(), 0, executor, stream.raw);
            assert!(second.is_success());
        }
    }
    messages()
}

#[test]
fn both_phases_run_in_a_small_stack() {
    // Initialises host-cann on another thread, as a program's main thread would.
    cann();
    on_small_stack(|| {
        let stream = Stream::new();
        let (self_, index) =
            (Owned::new(ACL_FLOAT, &[3], &[0_f32; 3]), Owned::new(ACL_INT64, &[2], &[2_i64, 0]));
        let src = Owned::new(ACL_FLOAT, &[2], &[1_f32, 2.0]);
        assert_eq!(call(&self_, &index, &src, 0, &stream), "");
        assert!(stream.synchronize().is_success());
        // A refused call has a message.
        assert!(call(&self_, &index, &src, 5, &stream).contains("dim"));
        let wrong = Owned::new(ACL_INT64, &[2], &[2_i64, 9]);
        assert_eq!(call(&self_, &wrong, &src, 0, &stream), "");
        assert!(!stream.synchronize().is_success());
        assert!(messages().contains("got 9"));
        assert_eq!(stream.status().value, 9);
    });
}
