//! Work as a host function of host-cann's.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACLNN_ERR_INNER, ACLNN_ERR_RUNTIME_ERROR, AclnnStatus, aclrtStream,
};
use scatter::Error;

use crate::failure::{Failure, c_string, ensure, failure, text};
use crate::session::{Session, session};
use crate::settings::Check;
use crate::status;
use crate::work::{Problem, Work};

/// How a job ended, for a phase two that waits; `None` until it has, and of one that the stream drops.
type Outcome = Arc<Mutex<Option<Result<(), Failure>>>>;

/// What a stream is given to do.
struct Job {
    session: &'static Session,
    work: Work,
    /// The stream, never null where the runtime knows better.
    stream: aclrtStream,
    check: Check,
    /// Where a phase two waits for the outcome.
    outcome: Option<Outcome>,
}

/// Enqueues work, and waits for it if `check` says so.
pub(crate) fn launch(
    session: &'static Session,
    work: Work,
    stream: aclrtStream,
    check: Check,
) -> Result<(), Failure> {
    let Some(host) = session.host() else {
        return Err(failure!(
            ACLNN_ERR_RUNTIME_ERROR,
            "work of the host needs host-cann, and this CANN is not that"
        ));
    };
    let outcome = (check == Check::Sync).then(Outcome::default);
    let job = Job { session, work, stream: session.resolve(stream), check, outcome: outcome.clone() };
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
    let waited = synchronize(session, stream);
    let ended = outcome.lock().unwrap_or_else(PoisonError::into_inner).take().transpose()?;
    waited?;
    // The failure of a stream that stopped may have been told to somebody else.
    ensure!(ended.is_some(), ACLNN_ERR_RUNTIME_ERROR, "stream: it dropped this call");
    Ok(())
}

/// Waits for a stream.
pub(crate) fn synchronize(session: &Session, stream: aclrtStream) -> Result<(), Failure> {
    // SAFETY: any stream may be given; it is looked up.
    let waited = unsafe { session.cann.aclrtSynchronizeStream(stream) }?;
    ensure!(waited.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: aclrtSynchronizeStream returned {waited}");
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
    /// Does the work.
    fn compute(&self) -> Result<(), Problem> {
        // SAFETY: phase one's caller (or that of `launch_src_grad`) has said that the tensors' storages are as large as they
        // say until this is done, and an address that is null or not aligned was refused there; phase two's has said so of
        // the workspace.
        unsafe { self.work.compute() }
    }

    /// Tells the phase two that waits how the job ended, or else the stream of a failure.
    fn tell(&self, ended: Result<(), Problem>) {
        if let Some(outcome) = &self.outcome {
            let ended = ended.map_err(|problem| problem.failure);
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
            return;
        }
        let Err(Problem { failure, bad }) = ended else { return };
        if let Some(bad) = bad.filter(|_| self.check == Check::Flag) {
            status::record(self.session, self.stream, *bad);
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

/// `aclnnScatterStreamStatus`.
///
/// # Safety
/// `info` is null or can be written to.
pub(crate) unsafe fn stream_status(
    stream: aclrtStream,
    info: *mut aclnn_sys::aclnnScatterStatusInfo,
) -> Result<AclnnStatus, Failure> {
    crate::check::present("info", info)?;
    let session = session();
    let told = status::take(session, session.resolve(stream)).map_or(status::NONE, |bad| bad.info());
    // SAFETY: it is not null, so by the caller's word it can be written to.
    unsafe { info.write(told) };
    Ok(AclnnStatus::SUCCESS)
}

/// Tells, and forgets, the first index out of range of a stream of this session that the caller has synchronised: the rule that
/// it breaks, as [`scatter`] names it. What `aclnnScatterStreamStatus` tells a Rust program.
#[must_use]
pub fn take_stream_error(session: &Session, stream: aclrtStream) -> Option<Error> {
    status::take(session, session.resolve(stream)).map(|bad| bad.error())
}
