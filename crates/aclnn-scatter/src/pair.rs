//! The pair of C functions that computes an operator, for a Rust program that has `aclTensor`s.

use core::ffi::c_void;

use aclnn_sys::{AclnnStatus, aclOpExecutor, aclScalar, aclTensor, aclrtStream};
use scatter::Op;

use crate::api as c;
use crate::function::Function;
use crate::phase_one::Arguments;

/// Calls phase one with the arguments that it takes. It has the contract of [`Pair::phase_one`].
type PhaseOne = unsafe fn(&Arguments) -> AclnnStatus;

/// The type of phase two, the same for every pair.
pub(crate) type PhaseTwo =
    unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> AclnnStatus;

/// The pair of C functions that computes an operator into a separate out. (`aclnnTfScatterAdd`
/// works only in place, and is called with out as its `varRef`.)
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    op: Op,
    function: Function,
    first: PhaseOne,
    second: PhaseTwo,
}

/// The tensors of a scatter, and its scalar. Handles that the operator doesn't take are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// self.
    pub self_: *const aclTensor,
    /// index.
    pub index: *const aclTensor,
    /// src.
    pub src: *const aclTensor,
    /// The scalar that takes the place of src.
    pub value: *const aclScalar,
    /// out; the same as self in place.
    pub out: *mut aclTensor,
}

impl Pair {
    /// The pair that computes an operator; `None` where there is none.
    pub(crate) fn of(op: &Op) -> Option<Self> {
        let op = *op;
        Some(match op {
            Op::ScatterAdd { .. } => Self {
                op,
                function: Function::ScatterAdd,
                first: |a| {
                    // SAFETY: by the contract of `Pair::phase_one`, handles are null or made by
                    // CANN, and pointers for results are null or can be written to.
                    unsafe {
                        c::aclnnScatterAddGetWorkspaceSize(
                            a.self_,
                            a.dim,
                            a.index,
                            a.src,
                            out(a),
                            a.workspace_size,
                            a.executor,
                        )
                    }
                },
                second: c::aclnnScatterAdd,
            },
            Op::Scatter { .. } => Self {
                op,
                function: Function::Scatter,
                first: |a| {
                    // SAFETY: by the contract of `Pair::phase_one`, handles are null or made by
                    // CANN, and pointers for results are null or can be written to.
                    unsafe {
                        c::aclnnScatterGetWorkspaceSize(
                            a.self_,
                            a.dim,
                            a.index,
                            a.src,
                            a.reduce,
                            out(a),
                            a.workspace_size,
                            a.executor,
                        )
                    }
                },
                second: c::aclnnScatter,
            },
            Op::ScatterValue { .. } => Self {
                op,
                function: Function::ScatterValue,
                first: |a| {
                    // SAFETY: by the contract of `Pair::phase_one`, handles are null or made by
                    // CANN, and pointers for results are null or can be written to.
                    unsafe {
                        c::aclnnScatterValueGetWorkspaceSize(
                            a.self_,
                            a.dim,
                            a.index,
                            a.value,
                            a.reduce,
                            out(a),
                            a.workspace_size,
                            a.executor,
                        )
                    }
                },
                second: c::aclnnScatterValue,
            },
            Op::ScatterReduce { .. } => Self {
                op,
                function: Function::ScatterReduce,
                first: |a| {
                    // SAFETY: by the contract of `Pair::phase_one`, handles are null or made by
                    // CANN, and pointers for results are null or can be written to.
                    unsafe {
                        c::aclnnScatterReduceGetWorkspaceSize(
                            a.self_,
                            a.dim,
                            a.index,
                            a.src,
                            a.reduce,
                            a.include_self,
                            out(a),
                            a.workspace_size,
                            a.executor,
                        )
                    }
                },
                second: c::aclnnScatterReduce,
            },
            Op::ScatterNdAdd => Self {
                op,
                function: Function::TfScatterAdd,
                first: |a| {
                    // SAFETY: by the contract of `Pair::phase_one`, handles are null or made by
                    // CANN, and pointers for results are null or can be written to.
                    unsafe {
                        c::aclnnTfScatterAddGetWorkspaceSize(
                            out(a),
                            a.index,
                            a.src,
                            a.workspace_size,
                            a.executor,
                        )
                    }
                },
                second: c::aclnnTfScatterAdd,
            },
            // An operator that `scatter` adds later is refused until it has a pair here.
            _ => return None,
        })
    }

    /// The pair, as the rest of this crate identifies it.
    pub(crate) const fn function(&self) -> Function {
        self.function
    }

    /// The name of phase two, which stands for the pair.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.function.name()
    }

    /// Calls phase one.
    ///
    /// # Safety
    /// The contract of the C functions: handles that the operator takes are null or made by CANN;
    /// `workspace_size` and `executor` are null or can be written to.
    pub unsafe fn phase_one(
        &self,
        handles: &Handles,
        workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor,
    ) -> AclnnStatus {
        let Self { op, first, .. } = self;
        let Handles { self_, index, src, value, out } = *handles;
        let arguments = Arguments {
            self_,
            dim: op.dim().unwrap_or_default(),
            index,
            src,
            value,
            reduce: op.reduce().code(),
            include_self: op.include_self(),
            out,
            workspace_size,
            executor,
        };
        // SAFETY: handles and pointers for results are the caller's, who upholds the same contract.
        unsafe { first(&arguments) }
    }

    /// The function of phase two.
    #[must_use]
    pub const fn phase_two(&self) -> PhaseTwo {
        self.second
    }
}

/// out as the C functions take it.
fn out(arguments: &Arguments) -> *mut aclTensor {
    arguments.out.cast_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ptr::{null, null_mut};

    use aclnn_sys::ACLNN_ERR_PARAM_NULLPTR;
    use scatter::{Reduce, Scalar};

    use crate::process::guard::take_error_message;

    #[test]
    fn both_phases_are_of_the_function_that_computes_the_operator() {
        let (dim, reduce, value) = (0, Reduce::Add, Scalar::Int(1));
        for (op, name) in [
            (Op::ScatterAdd { dim }, "aclnnScatterAdd"),
            (Op::Scatter { dim, reduce }, "aclnnScatter"),
            (Op::ScatterValue { dim, value, reduce }, "aclnnScatterValue"),
            (Op::ScatterReduce { dim, reduce, include_self: true }, "aclnnScatterReduce"),
            (Op::ScatterNdAdd, "aclnnTfScatterAdd"),
        ] {
            let pair = Pair::of(&op).unwrap();
            assert_eq!(pair.name(), name);
            let nulls = Handles { self_: null(), index: null(), src: null(), value: null(), out: null_mut() };
            // SAFETY: both functions accept null pointers, and refuse them.
            let codes = unsafe {
                let first = pair.phase_one(&nulls, null_mut(), null_mut());
                let words = take_error_message().unwrap();
                assert!(words.starts_with(&format!("{name}GetWorkspaceSize: ")), "{words}");
                [first, pair.phase_two()(null_mut(), 0, null_mut(), null_mut())]
            };
            let words = take_error_message().unwrap();
            assert!(words.starts_with(&format!("{name}: ")), "{words}");
            assert_eq!(codes, [ACLNN_ERR_PARAM_NULLPTR; 2]);
        }
    }
}
