//! Contexts whose streams stop when a task fails.
//!
//! CANN's documents of `aclrtSetStreamFailureMode`: where one stream of a context stops, all do, whichever fails, and none takes
//! another task.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::AclError;

use super::{Stream, of_context};

/// What the streams of a context share.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    reason: OnceLock<AclError>,
}

impl Stop {
    /// The first failure from now on stops all streams.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// The failure that has stopped the streams, for good.
    pub(super) fn reason(&self) -> Option<AclError> {
        self.reason.get().copied()
    }
}

impl Stream {
    /// Stops all streams of the context after a failure, if that was asked for.
    pub(super) fn stop_all(&self, code: AclError) {
        if !self.stop.asked.load(Ordering::SeqCst) {
            return;
        }
        // Before tasks are dropped, so that no stream takes one behind them.
        let code = *self.stop.reason.get_or_init(|| code);
        // This one may be ending, and not among the others.
        self.drop_work(code, |_| {});
        of_context(self.context).iter().for_each(|stream| stream.drop_work(code, |_| {}));
    }
}
