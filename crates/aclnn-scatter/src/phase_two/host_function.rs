//! Work as a host function of host-cann's.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::{Failure, c_string, ensure, failure, text};
use crate::phase_two::launch::Launch;
use crate::phase_two::ranges::Ranges;
use crate::phase_two::stream_errors;
use crate::phase_two::work::{Work, WorkFailure};
use crate::process::session::Session;
use crate::process::settings::Check;
use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACLNN_ERR_INNER,
    ACLNN_ERR_RUNTIME_ERROR, aclrtStream,
};

/// How a job ended, for a phase two that waits; `None` until it has, and of one that the stream
/// drops.
type Outcome = Arc<Mutex<Option<Result<(), Failure>>>>;

/// What a stream is given to do.
struct Job {
    session: &'static Session,
    work: Work,
    /// The stream, never null where the runtime knows better.
    stream: aclrtStream,
    check: Check,
    /// The number that the caller gave the call, 0 for none.
    ticket: u64,
    /// Where a phase two waits for the outcome.
    outcome: Option<Outcome>,
}

/// Enqueues work, and waits for it if the launch's check says so.
///
/// # Safety
/// The stream is one of the session's CANN, or null. What [`Work::compute`] asks for holds from the
/// time when the stream begins with the work until it is done; only whether the memory is there is
/// asked then.
pub(crate) unsafe fn launch(session: &'static Session, work: Work, launch: &Launch) -> Result<(), Failure> {
    let Launch { stream, check, ticket, .. } = *launch;
    let Some(host) = session.host() else {
        return Err(failure!(
            ACLNN_ERR_RUNTIME_ERROR,
            "work of the host needs host-cann, and this CANN is not that"
        ));
    };
    let outcome = (check == Check::Sync).then(Outcome::default);
    let stream_key = session.resolve(stream);
    let job = Job { session, work, stream: stream_key, check, ticket, outcome: outcome.clone() };
    // SAFETY: both functions are given what they expect, and one of them gets it.
    let launched = unsafe { host.launch(stream, run, abandon, Box::into_raw(Box::new(job)).cast()) };
    ensure!(
        launched.is_success(),
        ACLNN_ERR_RUNTIME_ERROR,
        "stream: host-cann's launchHostFunc returned {launched}"
    );
    outcome.map_or(Ok(()), |outcome| wait(session, stream, &outcome))
}

/// Waits for the stream, and tells how the job ended.
fn wait(session: &Session, stream: aclrtStream, outcome: &Outcome) -> Result<(), Failure> {
    let waited = session.synchronize(stream);
    let ended = outcome.lock().unwrap_or_else(PoisonError::into_inner).take().transpose()?;
    waited?;
    // The failure of a stream that stopped may have been told to somebody else.
    ensure!(ended.is_some(), ACLNN_ERR_RUNTIME_ERROR, "stream: it dropped this call");
    Ok(())
}

/// What is called in the place of [`run`] when the stream drops the job.
///
/// # Safety
/// `job` is a boxed [`Job`] that nobody else has.
unsafe extern "C" fn abandon(job: *mut c_void) {
    // SAFETY: the caller's word.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // It only frees memory; a panic must not leave this function all the same.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(job)));
}

/// The host function.
///
/// # Safety
/// `job` is a boxed [`Job`] that nobody else has.
unsafe extern "C" fn run(job: *mut c_void) {
    // SAFETY: the caller's word.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // Nothing that a panic leaves half done is used again: the job is gone with it.
    let ended = catch_unwind(AssertUnwindSafe(|| job.compute()));
    let ended = ended.unwrap_or_else(|_| {
        let failure = failure!(ACLNN_ERR_INNER, "aclnn-scatter panicked, which is a bug of its own");
        Err(failure.into())
    });
    // Telling it only copies words; it has nothing that panics.
    let _ = catch_unwind(AssertUnwindSafe(|| job.tell(ended)));
}

impl Job {
    /// Does the work, unless a device could not touch the memory.
    fn compute(&self) -> Result<(), WorkFailure> {
        let memory = self.hold()?;
        // SAFETY: the memory is there until the host function returns, as host-cann has said, and
        // the caller of `launch` has given its word for the rest.
        unsafe { self.work.compute(&memory) }
    }

    /// Holds the memory that the work touches, all or none, and tells where it is.
    fn hold(&self) -> Result<Ranges, WorkFailure> {
        let (Some(host), Some(mut ranges)) = (self.session.host(), self.work.ranges()) else {
            return Ok(Ranges::NONE);
        };
        // SAFETY: the names are constants.
        let held = unsafe { host.hold_memory(self.work.name(), ranges.as_mut_slice()) };
        if held.is_success() {
            return Ok(ranges);
        }
        let words = self.session.recent_message();
        let failure = failure!(ACLNN_ERR_RUNTIME_ERROR, "stream: {words}");
        Err(WorkFailure { failure, bad: None, has_failed_stream: held == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION })
    }

    /// Tells the phase two that waits how the job ended, or else the stream of a failure.
    fn tell(&self, ended: Result<(), WorkFailure>) {
        if let Some(outcome) = &self.outcome {
            let ended = ended.map_err(|ended| ended.failure);
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
            return;
        }
        let Err(WorkFailure { failure, bad, has_failed_stream: false }) = ended else { return };
        if let Some(bad) = bad.filter(|_| self.check == Check::Flag) {
            stream_errors::record(self.session, self.stream, self.ticket, *bad);
        }
        if let Some(host) = self.session.host() {
            let name = text(self.work.name());
            let Failure { code, message } = failure;
            let message = c_string(&format!("{name}: {code}: {message}"));
            // As an AI CPU task that meets such an index fails on a device.
            host.fail_stream(self.stream, ACL_ERROR_RT_AICPU_EXCEPTION, &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ptr::{null, null_mut};

    use aclnn_sys::Cann;

    /// It must not leave the stream's thread, which is host-cann's, nor be forgotten.
    #[test]
    fn a_panic_of_the_work_fails_the_call_or_the_stream() {
        let session = crate::process::session::open(Cann::from_table(host_cann::table()));
        // SAFETY: there is no configuration.
        unsafe {
            // Another test of this process may have begun.
            let _ = session.cann.aclInit(null());
            assert!(session.cann.aclrtSetDevice(0).unwrap().is_success());
        }
        let on_default_stream =
            |check| Launch { workspace: null_mut(), workspace_size: 0, stream: null_mut(), check, ticket: 0 };
        // SAFETY: the thread has a context, and the work touches no memory.
        let launch = |check| unsafe { launch(session, Work::Panic, &on_default_stream(check)) };
        let failure = launch(Check::Sync).unwrap_err();
        assert_eq!(failure.code, ACLNN_ERR_INNER);
        assert!(failure.message.contains("aclnn-scatter panicked"), "{}", failure.message);
        launch(Check::Flag).unwrap();
        // SAFETY: null is the default stream.
        let waited = unsafe { session.cann.aclrtSynchronizeStream(null_mut()) }.unwrap();
        assert_eq!(waited, ACL_ERROR_RT_AICPU_EXCEPTION);
        // SAFETY: the message is a text until the thread asks again.
        let words = unsafe { core::ffi::CStr::from_ptr(session.cann.aclGetRecentErrMsg().unwrap()) };
        assert!(words.to_str().unwrap().contains("aclnn-scatter panicked"), "{words:?}");
        // The stream goes on.
        // SAFETY: as above.
        assert!(unsafe { session.cann.aclrtSynchronizeStream(null_mut()) }.unwrap().is_success());
    }
}
