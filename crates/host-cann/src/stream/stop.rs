//! Contexts whose streams stop when a task fails.
//!
//! According to CANN's documents of `aclrtSetStreamFailureMode`, all streams of a context stop when
//! any of them fails, and none takes another task.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aclnn_sys::AclError;

use super::{Stream, of_context};
use crate::failure::{Failure, failure};

/// The state that the streams of a context share.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    /// The failure's code and words.
    reason: OnceLock<(AclError, String)>,
}

impl Stop {
    /// Has the first failure from now on stop all streams.
    pub(super) fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// The code of the failure that has stopped the streams, for good.
    pub(super) fn reason(&self) -> Option<AclError> {
        self.reason.get().map(|(code, _)| *code)
    }

    /// What calls of stopped streams fail with. Each of them says what had failed: the
    /// synchronisation that returned the failure may have been that of a thread which told nobody.
    pub(super) fn refusal(&self, effect: &str) -> Option<Failure<AclError>> {
        let (code, words) = self.reason.get()?;
        Some(failure!(
            *code,
            "the context's streams stopped when a task failed{effect}; it failed with: {words}"
        ))
    }
}

impl Stream {
    /// Stops all streams of the context after a failure, if [`Stop::ask`] was called.
    pub(super) fn stop_all(&self, code: AclError, words: &str) {
        if !self.stop.asked.load(Ordering::SeqCst) {
            return;
        }
        // Set before tasks are dropped, so that no stream takes a task after that.
        let code = self.stop.reason.get_or_init(|| (code, words.to_owned())).0;
        // This stream may be ending, and then isn't among the others.
        self.drop_work(code, |_| {});
        of_context(self.context).iter().for_each(|stream| stream.drop_work(code, |_| {}));
    }
}
