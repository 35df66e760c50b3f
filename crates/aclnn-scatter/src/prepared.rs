//! The two phases for a Rust program that has checked its scatter already: without `aclTensor`s,
//! and without a handle in between.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, AclnnStatus, aclrtStream};
use scatter::{Argument, Op, Problem};

use crate::executor::Executor;
use crate::executor::call::{Call, Operands};
use crate::executor::planned_kernels::PlannedKernels;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::pair::Pair;
use crate::phase_two::{self, Launch};
use crate::process::engine::{self, Chosen};
use crate::process::guard::guarded_in;
use crate::process::session::Session;
use crate::process::settings::{Check, Engine};
use crate::refusal::can_lie;

/// A scatter that is planned for an engine of this library, to be given to a stream once.
///
/// It is what phase one of the C functions makes, of a [`Problem`] that the caller has. Failures
/// have the codes of the C functions, and their words are in
/// [`take_error_message`](crate::take_error_message).
#[derive(Debug)]
pub struct PreparedScatter(Box<Executor>);

/// Who computes a scatter.
#[derive(Debug)]
pub enum Planned {
    /// An engine of this library.
    Here(PreparedScatter),
    /// CANN's own operator. A [`Problem`] can't be given to it: it is called through these C
    /// functions, in a [`Scope`](crate::Scope) with the same session and engine.
    Vendor(Pair),
}

/// Chooses who computes a scatter, and plans it where that is an engine of this library. `problem`
/// must have been made of `operands` ([`PreparedScatter::launch`] relies on it).
///
/// The thread has a context of the session's CANN: the first call looks for kernels there.
///
/// # Errors
/// 561003 where the engine can't be had; 561103 for a tensor that can't lie at its address; 161002
/// where kernels can't compute it, or the operator has no C function; 361001 in a fork.
pub fn plan(
    session: &'static Session,
    engine: Engine,
    problem: &Problem,
    operands: &Operands,
) -> Result<Planned, AclnnStatus> {
    let op = problem.op();
    guarded_in(session, function_name(op), || {
        let pair = Pair::of(op)
            .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "no C function computes {}", op.operator()))?;
        let function = pair.function();
        let launcher = match engine::choose(session, engine)? {
            Chosen::Vendor => return Ok(Planned::Vendor(pair)),
            Chosen::Kernel(launcher) => Some(launcher),
            Chosen::Cpu => None,
        };
        refuse_addresses(function, operands)?;
        // There are no handles that an address could be changed by.
        let call = Call::new(function, *problem, *operands, None);
        let kernels = launcher.map(|launcher| PlannedKernels::plan(launcher, &call, None)).transpose()?;
        let executor = Executor { session, call, kernels, fill: None, is_repeatable: false };
        Ok(Planned::Here(PreparedScatter(Box::new(executor))))
    })
}

impl PreparedScatter {
    /// Bytes of workspace that [`launch`](Self::launch) must be given.
    #[must_use]
    pub fn workspace_bytes(&self) -> u64 {
        self.0.workspace_bytes()
    }

    /// Gives the scatter to a stream, and returns at once.
    ///
    /// `ticket` is the number of the call, by which
    /// [`take_stream_errors`](crate::take_stream_errors) tells of an index out of range; 0 for
    /// none.
    ///
    /// # Safety
    /// `stream` is a stream of the session's CANN, or null, where the thread has a context of that
    /// CANN, for its default stream. The problem was made of the operands. Their storages are
    /// memory of the stream's device and as large as their layouts say, the provenance of their
    /// addresses is exposed, and other than by work of streams that is ordered with this they are
    /// neither written nor, where out is, read until the work is done. The workspace is memory of
    /// the same device, has as many bytes as asked for, and is nobody else's until then.
    pub unsafe fn launch(self, workspace: *mut c_void, stream: aclrtStream, ticket: u64) -> AclnnStatus {
        let (session, name) = (self.0.session, self.0.call.function.name());
        let workspace_size = self.workspace_bytes();
        let launch = Launch { workspace, workspace_size, stream, check: Check::Flag, ticket };
        // SAFETY: the caller's word. The operands are the executor's, whose workspace is asked for.
        let launched = guarded_in(session, name, || unsafe { phase_two::launch(self.0, &launch) });
        launched.err().unwrap_or(AclnnStatus::SUCCESS)
    }
}

/// What an operator is called in messages: the C function that computes it into another tensor.
#[must_use]
pub fn function_name(op: &Op) -> &'static str {
    Pair::of(op).map_or(op.operator().name(), |pair| pair.name())
}

/// Refuses tensors that can't lie at their addresses.
fn refuse_addresses(function: Function, operands: &Operands) -> Result<(), Failure> {
    let Operands { self_, index, src, out } = operands;
    [
        (Argument::SelfTensor, Some(self_)),
        (Argument::Index, Some(index)),
        (Argument::Src, src.as_ref()),
        (Argument::Out, Some(out)),
    ]
    .into_iter()
    .filter_map(|(argument, operand)| Some((function.parameter(argument), operand?)))
    .try_for_each(|(name, operand)| can_lie(name, operand))
}
