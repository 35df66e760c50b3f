//! Runs work as a host function of a stream of host-cann.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::{Failure, c_string, ensure, failure, text};
use crate::phase_two::arguments::Launch;
use crate::phase_two::ranges::Ranges;
use crate::phase_two::stream_errors;
use crate::phase_two::work::{Work, WorkFailure};
use crate::process::session::Session;
use crate::process::settings::Check;
use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACLNN_ERR_INNER,
    ACLNN_ERR_RUNTIME_ERROR, aclrtStream,
};

/// The result of a job, for a phase two that waits; `None` until the job has ended, and for good if
/// the stream drops it.
type Outcome = Arc<Mutex<Option<Result<(), Failure>>>>;

/// The argument of the host function.
struct Job {
    session: &'static Session,
    work: Work,
    /// The stream; null only if the runtime could not name the default stream.
    stream: aclrtStream,
    check: Check,
    /// The ticket of the call, 0 for none.
    ticket: u64,
    /// Where to put the outcome, if phase two waits for it.
    outcome: Option<Outcome>,
}

/// Enqueues work, and waits for it if the launch's check says so.
///
/// # Safety
/// The launch's stream is null or one of the session's CANN. What [`Work::compute`] demands holds
/// from the time when the stream begins the work until the work is done, except that the memory
/// need not exist: host-cann checks that first.
pub(crate) unsafe fn enqueue(session: &'static Session, work: Work, launch: &Launch) -> Result<(), Failure> {
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
    // SAFETY: both functions take a boxed `Job` that nothing else has, and only one of them is
    // called.
    let launched = unsafe { host.launch(stream, run, abandon, Box::into_raw(Box::new(job)).cast()) };
    ensure!(
        launched.is_success(),
        ACLNN_ERR_RUNTIME_ERROR,
        "stream: host-cann's launchHostFunc returned {launched}"
    );
    outcome.map_or(Ok(()), |outcome| wait(session, stream, &outcome))
}

/// Waits for the stream, and returns the result of the job.
fn wait(session: &Session, stream: aclrtStream, outcome: &Outcome) -> Result<(), Failure> {
    let waited = session.synchronize(stream);
    let ended = outcome.lock().unwrap_or_else(PoisonError::into_inner).take().transpose()?;
    waited?;
    // Without an outcome the stream has dropped the job, even if the failure that stopped it was
    // returned to another caller, so that this wait succeeded.
    ensure!(ended.is_some(), ACLNN_ERR_RUNTIME_ERROR, "stream: it dropped this call");
    Ok(())
}

/// What host-cann calls instead of [`run`] when the stream drops the job.
///
/// # Safety
/// `job` points to a boxed [`Job`], and nothing else uses it.
unsafe extern "C" fn abandon(job: *mut c_void) {
    // SAFETY: `job` came from `Box::into_raw` in `enqueue`, and host-cann passes it to only one of
    // `run` and `abandon`, once.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // Dropping only frees memory, but no panic may leave this function.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(job)));
}

/// The host function.
///
/// # Safety
/// `job` points to a boxed [`Job`], and nothing else uses it.
unsafe extern "C" fn run(job: *mut c_void) {
    // SAFETY: `job` came from `Box::into_raw` in `enqueue`, and host-cann passes it to only one of
    // `run` and `abandon`, once.
    let job = unsafe { Box::from_raw(job.cast::<Job>()) };
    // Unwind safety: the job, which a panic may leave half done, is not computed again.
    let ended = catch_unwind(AssertUnwindSafe(|| job.compute()));
    let ended = ended.unwrap_or_else(|_| {
        let failure = failure!(ACLNN_ERR_INNER, "aclnn-scatter panicked, which is a bug of its own");
        Err(failure.into())
    });
    // `report` should not panic, but no panic may leave this function.
    let _ = catch_unwind(AssertUnwindSafe(|| job.report(ended)));
}

impl Job {
    /// Does the work, unless a device could not access the memory.
    fn compute(&self) -> Result<(), WorkFailure> {
        let memory = self.hold()?;
        // SAFETY: host-cann holds the memory until the host function returns, and the caller of
        // `enqueue` guarantees the rest of the contract of `compute`.
        unsafe { self.work.compute(&memory) }
    }

    /// Lets host-cann hold all memory that the work accesses, and returns where the host can access
    /// it.
    fn hold(&self) -> Result<Ranges, WorkFailure> {
        let (Some(host), Some(mut ranges)) = (self.session.host(), self.work.ranges()) else {
            return Ok(Ranges::NONE);
        };
        // SAFETY: the names in the ranges are constant C strings.
        let held = unsafe { host.hold_memory(self.work.name(), ranges.as_mut_slice()) };
        if held.is_success() {
            return Ok(ranges);
        }
        let words = self.session.recent_message();
        let failure = failure!(ACLNN_ERR_RUNTIME_ERROR, "stream: {words}");
        Err(WorkFailure { failure, bad: None, has_failed_stream: held == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION })
    }

    /// Gives the result to the phase two that waits for it, or, if none does, reports a failure to
    /// the stream.
    fn report(&self, ended: Result<(), WorkFailure>) {
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
            // The code with which a device's stream fails when an AI CPU task does. An index out of
            // range has it, and so has any other failure of the work.
            host.fail_stream(self.stream, ACL_ERROR_RT_AICPU_EXCEPTION, &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ptr::{null, null_mut};

    use aclnn_sys::Cann;

    /// A panic must not unwind into host-cann's thread, and must not be lost.
    #[test]
    fn a_panic_of_the_work_fails_the_call_or_the_stream() {
        let session = crate::process::session::open(Cann::from_table(host_cann::table()));
        // SAFETY: null stands for no configuration.
        unsafe {
            // Another test of this process may have called it before.
            let _ = session.cann.aclInit(null());
            assert!(session.cann.aclrtSetDevice(0).unwrap().is_success());
        }
        let on_default_stream =
            |check| Launch { workspace: null_mut(), workspace_size: 0, stream: null_mut(), check, ticket: 0 };
        // SAFETY: null is the default stream of the thread's context, and the work accesses no
        // memory.
        let launch = |check| unsafe { enqueue(session, Work::Panic, &on_default_stream(check)) };
        let failure = launch(Check::Sync).unwrap_err();
        assert_eq!(failure.code, ACLNN_ERR_INNER);
        assert!(failure.message.contains("aclnn-scatter panicked"), "{}", failure.message);
        launch(Check::Flag).unwrap();
        // SAFETY: null is the default stream.
        let waited = unsafe { session.cann.aclrtSynchronizeStream(null_mut()) }.unwrap();
        assert_eq!(waited, ACL_ERROR_RT_AICPU_EXCEPTION);
        // SAFETY: the message is a C string, which is valid until the thread asks again.
        let words = unsafe { core::ffi::CStr::from_ptr(session.cann.aclGetRecentErrMsg().unwrap()) };
        assert!(words.to_str().unwrap().contains("aclnn-scatter panicked"), "{words:?}");
        // The failure has been taken, and the stream works again.
        // SAFETY: null is the default stream.
        assert!(unsafe { session.cann.aclrtSynchronizeStream(null_mut()) }.unwrap().is_success());
    }
}
