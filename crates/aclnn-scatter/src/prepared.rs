//! The two phases for a Rust program that already has a checked [`Problem`]: without `aclTensor`s,
//! and without the handle of an executor.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, AclnnStatus, aclrtStream};
use scatter::{Argument, Axes, IndexList, Op, Operand, Problem};

use crate::executor::Executor;
use crate::executor::call::{Call, Operands};
use crate::executor::planned_kernels::PlannedKernels;
use crate::failure::{Failure, failure};
use crate::function::Function;
use crate::pair::OperatorPair;
use crate::phase_two::{self, Launch};
use crate::process::engine::{self, Chosen};
use crate::process::guard::guarded_in;
use crate::process::session::Session;
use crate::process::settings::{Check, Engine};
use crate::refusal;

/// A scatter that is planned for an engine of this library, to be launched once.
///
/// It corresponds to the executor that phase one of the C functions makes, but comes from a
/// [`Problem`]. Failures have the codes of the C functions; their messages are in
/// [`take_error_message`](crate::take_error_message).
#[derive(Debug)]
pub struct PreparedScatter(Box<Executor>);

/// The engine that computes a scatter.
#[derive(Debug)]
pub enum Planned {
    /// An engine of this library.
    Here(PreparedScatter),
    /// CANN's own operator. It can't take a [`Problem`], so call it through these C functions, in a
    /// [`Scope`](crate::Scope) with the same session and engine.
    Vendor(OperatorPair),
}

/// Chooses the engine for a scatter, and plans the scatter if it is an engine of this library.
/// `problem` must have been made from `operands` ([`PreparedScatter::launch`] relies on it). Where
/// index is made from a `list`, that of the operands is the list's
/// [`operand`](IndexList::operand).
///
/// A context of the session's CANN must be current on the thread, because a call may look for
/// kernels.
///
/// # Errors
/// 561003 where the engine is not available, or can't compute the scatter; 561103 for a tensor that
/// can't lie at its address; 161002 where the operator has no C function; 361001 in a fork.
pub fn plan(
    session: &'static Session,
    engine: Engine,
    problem: &Problem,
    operands: &Operands,
    list: Option<Box<IndexList>>,
) -> Result<Planned, AclnnStatus> {
    let op = problem.op();
    // Without updates, or without an axis to index, no tensor of the list is read.
    let list = list.filter(|list| !problem.is_copy() && list.axes() != Axes::NONE);
    guarded_in(session, function_name(op), || {
        let pair = OperatorPair::of(op)
            .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "no C function computes {}", op.operator()))?;
        let function = pair.function();
        let launcher = match engine::choose(session, engine, op.operator(), true)? {
            Chosen::Vendor => return Ok(Planned::Vendor(pair)),
            Chosen::Kernel(launcher) => Some(launcher),
            Chosen::Cpu => None,
        };
        refuse_addresses(function, operands, list.as_deref())?;
        // No handle: without one, nobody can change the addresses later.
        let call = Call::new(function, *problem, *operands, None);
        let call = Box::new(match list {
            Some(list) => call.with_list(list),
            None => call,
        });
        let kernels = match launcher {
            Some(launcher) => match PlannedKernels::plan_for(engine, launcher, &call, None)? {
                None => return Ok(Planned::Vendor(pair)),
                planned => planned,
            },
            None => None,
        };
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

    /// Enqueues the scatter to a stream, and returns at once.
    ///
    /// `ticket` is a number for this call, with which
    /// [`take_stream_errors`](crate::take_stream_errors) reports an index out of range; 0 for none.
    ///
    /// # Safety
    /// `stream` is a stream of the session's CANN, or null for the default stream of the thread's
    /// context of that CANN. The problem was made from the operands. Their storages, and in the
    /// place of index's those of the list's tensors, are memory of the stream's device of the size
    /// that their layouts say, and the provenance of their addresses is exposed. Until the work is
    /// done, only work that is ordered with it writes them, or reads out. The workspace is memory
    /// of the same device with [`workspace_bytes`](Self::workspace_bytes) bytes, and nothing else
    /// uses it until then.
    pub unsafe fn launch(self, workspace: *mut c_void, stream: aclrtStream, ticket: u64) -> AclnnStatus {
        let (session, name) = (self.0.session, self.0.call.function.name());
        let workspace_size = self.workspace_bytes();
        let launch = Launch { workspace, workspace_size, stream, check: Check::Flag, ticket };
        // SAFETY: the caller guarantees what `phase_two::enqueue` needs of the stream, of the
        // operands, which the executor holds, and of the workspace, which has the size that the
        // executor asks for.
        let launched = guarded_in(session, name, || unsafe { phase_two::enqueue(self.0, &launch) });
        launched.err().unwrap_or(AclnnStatus::SUCCESS)
    }
}

/// The name of an operator in messages: the C function that computes it into a separate out.
#[must_use]
pub fn function_name(op: &Op) -> &'static str {
    Function::computing(op).map_or(op.operator().name(), Function::name)
}

/// Refuses tensors whose storage can't lie at their addresses.
fn refuse_addresses(
    function: Function,
    operands: &Operands,
    list: Option<&IndexList>,
) -> Result<(), Failure> {
    let Operands { self_, index, src, out } = operands;
    let can_lie = |argument, operand: &Operand| refusal::can_lie(function.parameter(argument), operand);
    can_lie(Argument::SelfTensor, self_)?;
    can_lie(Argument::Index, index)?;
    if let Some(list) = list {
        refusal::each_of_list(function.parameter(Argument::Index), list, |name, operand| {
            refusal::can_lie(name, operand)
        })?;
    }
    src.as_ref().map_or(Ok(()), |src| can_lie(Argument::Src, src))?;
    can_lie(Argument::Out, out)
}
