//! The pair of C functions that computes an operator, for a Rust program that has `aclTensor`s.

use core::ffi::c_void;

use aclnn_sys::{AclnnStatus, aclOpExecutor, aclScalar, aclTensor, aclTensorList, aclrtStream};
use scatter::{Addressing, Op, Problem, Reduce, Target};

use crate::api;
use crate::entry::argument;
use crate::function::Function;
use crate::phase_one::Arguments;

/// Calls phase one with those of the arguments that it takes. It has the contract of
/// [`OperatorPair::phase_one`].
type PhaseOne = unsafe fn(&Arguments) -> AclnnStatus;

/// The type of phase two, the same for every pair.
type PhaseTwo = unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, aclrtStream) -> AclnnStatus;

/// Both phases of a pair.
struct Phases {
    one: PhaseOne,
    two: PhaseTwo,
}

/// Declares [`Phases`] of every pair.
macro_rules! phases {
    ($(
        $(#[$doc:meta])*
        $function:ident: $first:ident, $second:ident
            ($($parameter:ident: $kind:ident),*) => $op:ident;
    )+) => {
        /// Both phases of a pair, to be called by [`OperatorPair`].
        fn phases(function: Function) -> Phases {
            match function {
                $(Function::$function => Phases {
                    one: |arguments| {
                        // SAFETY: by the contract of `OperatorPair::phase_one`, handles are null or
                        // made by CANN, and pointers for results are null or can be written to.
                        unsafe {
                            api::$first(
                                $(argument!(arguments, $kind),)*
                                arguments.workspace_size,
                                arguments.executor,
                            )
                        }
                    },
                    two: api::$second,
                }),+
            }
        }
    };
}
crate::for_each_pair!([phases]);

/// The pair of C functions that computes an operator into a separate out. (A pair that works only
/// in place, as `aclnnTfScatterAdd` does, is called with out as its self.)
#[derive(Clone, Copy, Debug)]
pub struct OperatorPair {
    op: Op,
    function: Function,
}

/// The tensors of a scatter, and its scalar. Handles that the operator doesn't take are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    /// self.
    pub self_: *const aclTensor,
    /// index.
    pub index: *const aclTensor,
    /// A list of index tensors, in the place of index.
    pub indices: *const aclTensorList,
    /// src.
    pub src: *const aclTensor,
    /// The scalar that takes the place of src.
    pub value: *const aclScalar,
    /// out; the same as self in place.
    pub out: *mut aclTensor,
    /// The size of out's first axis.
    pub rows: usize,
}

impl OperatorPair {
    /// The pair that computes an operator; `None` where there is none.
    pub(crate) fn of(op: &Op) -> Option<Self> {
        Some(Self { op: *op, function: Function::computing(op)? })
    }

    /// The pair, as the rest of this crate identifies it.
    pub(crate) const fn function(&self) -> Function {
        self.function
    }

    /// The name of phase two, which stands for the pair.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.function.name()
    }

    /// Whether the functions work only in place. They are then called with out as their self.
    #[must_use]
    pub fn is_inplace(&self) -> bool {
        self.function.is_inplace()
    }

    /// Whether CANN's own functions don't make out equal to self: they work only in place, or they
    /// return at once where there is no update. The caller then copies self to out after phase one.
    #[must_use]
    pub fn leaves_out(&self, problem: &Problem) -> bool {
        let is_without_updates = problem.is_copy() || problem.target() == Some(Target::Nd(0));
        // The functions along dim, with an index of self's rank, copy.
        let copies = self.op.operator().signature().addressing == Addressing::Dim;
        self.is_inplace() || is_without_updates && !copies && !problem.starts_from_zeros()
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
        let Self { op, function } = self;
        let Handles { self_, index, indices, src, value, out, rows } = *handles;
        let arguments = Arguments {
            self_,
            dim: op.dim().unwrap_or_default(),
            index,
            indices,
            src,
            value,
            reduce: op.reduce().code(),
            include_self: op.include_self(),
            accumulate: matches!(op, Op::IndexPut { accumulate: true, .. }),
            out,
            rows: Some(rows as u64),
            padding: op.padding().map_or(u64::MAX, |row| row as u64),
            scale: op.reduce() == Reduce::Mean,
            ..Arguments::new(workspace_size, executor)
        };
        // SAFETY: handles and pointers for results are the caller's, who upholds the same contract.
        unsafe { (phases(*function).one)(&arguments) }
    }

    /// The function of phase two.
    #[must_use]
    pub fn phase_two(&self) -> PhaseTwo {
        phases(self.function).two
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::ptr::{null, null_mut};

    use aclnn_sys::ACLNN_ERR_PARAM_NULLPTR;
    use scatter::{Axes, Reduce, Scalar};

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
            (Op::ScatterNdUpdate, "aclnnScatterNd"),
            (Op::IndexCopy { dim }, "aclnnIndexCopy"),
            (Op::IndexAdd { dim, alpha: value }, "aclnnIndexAdd"),
            (Op::IndexFill { dim, value }, "aclnnIndexFill"),
            (Op::ScatterUpdate { dim }, "aclnnInplaceScatterUpdate"),
            (Op::IndexPut { axes: Axes::NONE, accumulate: true }, "aclnnIndexPutImpl"),
            (Op::Gather { dim }, "aclnnGather"),
            (Op::ScatterSrcGrad { dim }, "aclnnGather"),
            (Op::EmbeddingBackward { padding: Some(1), scale: true }, "aclnnEmbeddingDenseBackward"),
        ] {
            let pair = OperatorPair::of(&op).unwrap();
            assert_eq!(pair.name(), name);
            let nulls = Handles {
                self_: null(),
                index: null(),
                indices: null(),
                src: null(),
                value: null(),
                out: null_mut(),
                rows: 0,
            };
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
