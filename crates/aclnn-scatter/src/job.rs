//! The work of a stream: the CPU engine, as a host function.

use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use aclnn_sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACLNN_ERR_INNER, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR,
    AclnnStatus, aclrtStream,
};
use scatter::Error;

use crate::cpu;
use crate::executor::Executor;
use crate::failure::{Failure, c_string, ensure, failure};
use crate::session::{Session, session};
use crate::settings::Check;
use crate::status::{self, BadIndex};

/// Why a job failed, and the index if that is why.
struct Problem {
    failure: Failure,
    bad: Option<Box<BadIndex>>,
}

/// How a job ended, for a phase two that waits.
type Outcome = Arc<Mutex<Result<(), Failure>>>;

/// What a stream is given to do.
struct Job {
    executor: Box<Executor>,
    /// The stream, never null where the runtime knows better.
    stream: aclrtStream,
    check: Check,
    /// Where a phase two waits for the outcome.
    outcome: Option<Outcome>,
}

/// Enqueues the work of an executor, and waits for it if `check` says so.
pub(crate) fn launch(
    session: &Session,
    executor: Box<Executor>,
    stream: aclrtStream,
    check: Check,
) -> Result<(), Failure> {
    if executor.plan.work().is_none() {
        return Ok(());
    }
    let outcome = (check == Check::Sync).then(|| Arc::new(Mutex::new(Ok(()))));
    let job = Job { executor, stream: session.resolve(stream), check, outcome: outcome.clone() };
    let job = Box::into_raw(Box::new(job));
    // SAFETY: the function is given what it expects, which is its own from now on.
    let launched = unsafe { session.cann.aclrtLaunchHostFunc(stream, Some(run), job.cast()) };
    if !matches!(launched, Ok(code) if code.is_success()) {
        // SAFETY: the stream has not taken the job, so that nobody else has it.
        drop(unsafe { Box::from_raw(job) });
    }
    let launched = launched?;
    ensure!(
        launched.is_success(),
        ACLNN_ERR_RUNTIME_ERROR,
        "stream: aclrtLaunchHostFunc returned {launched}"
    );
    outcome.map_or(Ok(()), |outcome| wait(session, stream, &outcome))
}

/// Waits for the stream, and tells how the job ended.
fn wait(session: &Session, stream: aclrtStream, outcome: &Outcome) -> Result<(), Failure> {
    // SAFETY: any stream may be given; it is looked up.
    let waited = unsafe { session.cann.aclrtSynchronizeStream(stream) }?;
    let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
    core::mem::replace(&mut *outcome, Ok(()))?;
    ensure!(waited.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: aclrtSynchronizeStream returned {waited}");
    Ok(())
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
        let failure = failure!(ACLNN_ERR_INNER, "the CPU engine panicked, which is a bug of its own");
        Err(Problem { failure, bad: None })
    });
    if let Err(problem) = ended {
        // Telling it only copies words; it has nothing that panics.
        let _ = catch_unwind(AssertUnwindSafe(|| job.tell(problem)));
    }
}

impl Job {
    /// Runs the engine.
    fn compute(&self) -> Result<(), Problem> {
        let plan = &self.executor.plan;
        let Some((problem, operands)) = plan.work() else { return Ok(()) };
        // SAFETY: phase one's caller has said that the tensors' storages are as large as they say until this is done, and
        // phase one has refused an address that is null or not aligned.
        unsafe { cpu::run(problem, operands) }.map_err(|error| match error {
            Error::IndexOutOfRange { operator, axis, position, value, size } => {
                let position = plan.positions.original(&position);
                let error = Error::IndexOutOfRange { operator, axis, position, value, size };
                let bad = BadIndex { function: plan.function.c_name(), position, value, size };
                Problem { failure: failure!(ACLNN_ERR_PARAM_INVALID, "{error}"), bad: Some(Box::new(bad)) }
            }
            error => Problem { failure: failure!(ACLNN_ERR_INNER, "{error}"), bad: None },
        })
    }

    /// Tells of a failure: the phase two that waits, or else the stream.
    fn tell(&self, problem: Problem) {
        let Problem { failure, bad } = problem;
        if let Some(outcome) = &self.outcome {
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Err(failure);
            return;
        }
        if let Some(bad) = bad.filter(|_| self.check == Check::Flag) {
            status::record(self.stream, *bad);
        }
        if let Some(host) = session().host() {
            let name = self.executor.plan.function.name();
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
    let told = status::take(session().resolve(stream));
    // SAFETY: it is not null, so by the caller's word it can be written to.
    unsafe { info.write(told) };
    Ok(AclnnStatus::SUCCESS)
}
