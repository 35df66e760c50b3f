//! A scatter by CANN's own operator, through the C functions.

use core::ptr::null_mut;

use aclnn_scatter::{Check, Handles, Pair, Scope};
use aclnn_sys::aclOpExecutor;
use scatter::{Op, Problem};

use super::run::copy;
use super::tensors::Tensors;
use crate::error::Result;
use crate::executor::Prepared;
use crate::scalar::AclScalar;
use crate::stream::On;
use crate::stream::uses::Locked;
use crate::tensor::{Descriptor, RawTensor};

/// Both phases of a scatter that has been checked.
pub(super) fn run(pair: &Pair, problem: &Problem, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let session = on.stream.device().runtime().session();
    let scope = Scope::new(session).engine(on.engine()).check(Check::Flag);
    scope.run(|| launch(pair, problem, tensors, on))
}

fn launch(pair: &Pair, problem: &Problem, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let Tensors { self_, index, src, out } = tensors;
    let raw = |tensor: &RawTensor| tensor.descriptor().map(Descriptor::handle);
    let value = problem.op().value().map(|value| AclScalar::new(value, on.stream)).transpose()?;
    let handles = Handles {
        self_: raw(self_)?,
        index: raw(index)?,
        src: src.map_or(Ok(null_mut()), raw)?,
        value: value.as_ref().map_or(null_mut(), AclScalar::as_raw).cast_const(),
        out: raw(out)?,
    };
    let first = |bytes: *mut u64, executor: *mut *mut aclOpExecutor| {
        // SAFETY: the handles are those of tensors, and of a scalar, that are alive; their memory
        // is as large as they say.
        unsafe { pair.phase_one(&handles, bytes, executor) }
    };
    // SAFETY: phase two is that of the function that `first` calls.
    let prepared = unsafe { Prepared::new(pair.name(), on.stream.device(), pair.phase_two(), first) }?;
    // CANN's is in place alone: another out becomes self, once phase one has accepted the rest.
    if matches!(problem.op(), Op::ScatterNdAdd) && !problem.in_place() {
        copy(self_, out, on)?;
    }
    prepared.launch(on.stream, &mut Locked::new(&mut tensors.uses()))
}
