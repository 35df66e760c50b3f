//! Phase one: from a caller's arguments to an executor.

use aclnn_sys::{AclnnStatus, aclOpExecutor};

use crate::call::{Argument, Call, Work};
use crate::executor::{self, Executor};
use crate::failure::{Failure, bug, present};
use crate::guard::guarded;
use crate::host::host;

/// What checks a call of an operator, and makes its work.
pub(crate) type Operator = fn(&Call) -> Result<Work, Failure>;

/// Runs phase one of the operator whose phase two has this name.
///
/// # Safety
/// Handles are null or made by CANN; pointers for results are null or can be written to.
pub(crate) unsafe fn run(
    names: [&'static str; 2],
    arguments: &[(&'static str, Argument)],
    operator: Operator,
    workspace_size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus {
    let [own, name] = names;
    guarded(own, || {
        present("workspaceSize", workspace_size)?;
        present("executor", executor)?;
        let host = host()?;
        // SAFETY: the caller guarantees that handles are null, which is refused, or made by CANN.
        let call = unsafe { Call::read(host, arguments) }?;
        let work = operator(&call)?;
        let output = call.output.and_then(|place| call.operands.get(place));
        output.ok_or_else(|| bug("an operator without a result"))?.check_written()?;
        let handle = executor::create(Executor { host, name, call, work, is_repeatable: false })?;
        // SAFETY: neither pointer is null, so by the caller's contract both can be written to.
        unsafe {
            workspace_size.write(0);
            executor.write(handle);
        }
        Ok(())
    })
}
