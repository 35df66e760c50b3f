//! Contexts whose streams stop when a task fails.
//!
//! According to CANN's documents of `aclrtSetStreamFailureMode`, all streams of a context stop when
//! any of them fails, and none takes another task.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::AclError;

use super::{Stream, of_context};

/// The state that the streams of a context share.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    reason: OnceLock<AclError>,
}

impl Stop {
    /// Has the first failure from now on stop all streams.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// The failure that has stopped the streams, for good.
    pub(super) fn reason(&self) -> Option<AclError> {
        self.reason.get().copied()
    }
}

impl Stream {
    /// Stops all streams of the context after a failure, if [`Stop::ask`] was called.
    pub(super) fn stop_all(&self, code: AclError) {
        if !self.stop.asked.load(Ordering::SeqCst) {
            return;
        }
        // Set before tasks are dropped, so that no stream takes a task after that.
        let code = *self.stop.reason.get_or_init(|| code);
        // This stream may be ending, and then isn't among the others.
        self.drop_work(code, |_| {});
        of_context(self.context).iter().for_each(|stream| stream.drop_work(code, |_| {}));
    }
}
