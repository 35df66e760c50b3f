//! Scatters that CANN's own operator computes, called through its C functions.

use core::ptr::null_mut;

use aclnn_scatter::{Check, Handles, OperatorPair, Scope};
use aclnn_sys::aclOpExecutor;
use scatter::Problem;

use super::copy::copy;
use super::tensors::{IndexTensors, Tensors};
use crate::error::Result;
use crate::executor::Prepared;
use crate::scalar::AclScalar;
use crate::stream::On;
use crate::stream::uses::Locked;
use crate::tensor::{Descriptor, DescriptorList, RawTensor};

/// Runs both phases of a scatter that has been checked.
pub(super) fn run(pair: &OperatorPair, problem: &Problem, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let session = on.stream.device().runtime().session();
    let scope = Scope::new(session).engine(on.engine()).check(Check::Flag);
    scope.run(|| launch(pair, problem, tensors, on))
}

fn launch(pair: &OperatorPair, problem: &Problem, tensors: Tensors<'_>, on: On<'_>) -> Result<()> {
    let Tensors { self_, index, src, out } = tensors;
    if let (IndexTensors::List(_), Some(self_), true) = (index, self_, problem.is_copy()) {
        // In a list of CANN's, a tensor without elements would stand for an axis without index.
        return copy(self_, out, on);
    }
    let raw = |tensor: &RawTensor| tensor.descriptor().map(Descriptor::handle);
    let (index, list) = match index {
        IndexTensors::One(index) => (raw(index)?, None),
        IndexTensors::List(list) => (null_mut(), Some(DescriptorList::new(list, on.stream.device())?)),
    };
    let value = problem.op().scalar().map(|value| AclScalar::new(value, on.stream)).transpose()?;
    let handles = Handles {
        self_: self_.map_or(Ok(null_mut()), raw)?,
        index,
        indices: list.as_ref().map_or(null_mut(), DescriptorList::handle).cast_const(),
        src: src.map_or(Ok(null_mut()), raw)?,
        value: value.as_ref().map_or(null_mut(), AclScalar::as_raw).cast_const(),
        out: raw(out)?,
        rows: out.layout.shape().first().copied().unwrap_or_default(),
    };
    let first = |bytes: *mut u64, executor: *mut *mut aclOpExecutor| {
        // SAFETY: the handles belong to `tensors`, to `list` and to `value`, which live; the
        // tensors' layouts lie inside their buffers.
        unsafe { pair.phase_one(&handles, bytes, executor) }
    };
    // SAFETY: `pair` has both phases of the same function, of which `first` calls phase one; the
    // tensors live, those of the list, too, and their memory is locked by `launch` below.
    let prepared = unsafe { Prepared::new(pair.name(), on.stream.device(), pair.phase_two(), first) }?;
    // Where CANN's operator works only in place, or doesn't write out, self is copied to a separate
    // out, but only after phase one has accepted the call.
    if let Some(self_) = self_
        && pair.leaves_out(problem)
        && !problem.in_place()
    {
        copy(self_, out, on)?;
    }
    prepared.launch(on.stream, &mut Locked::new(&mut tensors.uses()))
}
