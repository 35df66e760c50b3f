//! The contract's rules for a call, from the tensors that were read.

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, aclDataType};
use scatter::{Argument, DType, Error, Op, Problem, Scalar};

use crate::failure::{Failure, ensure, failure};
use crate::function::Function;
use crate::nd;
use crate::plan::Plan;
use crate::tensor::Tensor;

/// The tensors of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensors {
    pub(crate) self_: Tensor,
    pub(crate) index: Tensor,
    /// `None` where a scalar stands for it.
    pub(crate) src: Option<Tensor>,
    /// self, in place.
    pub(crate) out: Tensor,
    /// The handle of self and of out, where they are one.
    pub(crate) one_tensor: Option<usize>,
}

/// The scalar of a value operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// There is none to take.
    None,
    /// One that was read.
    Known(Scalar),
    /// One of a dtype that is not a number's.
    Unknown(aclDataType),
    /// One that can't be read here; whoever computes checks it.
    Unreadable,
}

impl Value {
    /// What stands in a problem for it. False can be converted to every dtype, so that no rule of its own is broken.
    pub(crate) fn for_problem(self) -> Scalar {
        match self {
            Self::Known(value) => value,
            Self::None | Self::Unknown(_) | Self::Unreadable => Scalar::Bool(false),
        }
    }
}

/// Rules 4 to 12, in the contract's order.
pub(crate) fn check(function: Function, op: Op, value: Value, tensors: &Tensors) -> Result<Plan, Failure> {
    let mut tensors = *tensors;
    forgive_empty_index(&op, &mut tensors.index);
    let plan = match op {
        Op::ScatterNdAdd => nd::plan(function, &tensors)?,
        _ => problem(op, &tensors).map(|problem| Plan::new(function, problem, &tensors)),
    };
    let plan = plan.map_err(|error| refused(function, &error, &tensors));
    match value {
        Value::Unknown(dtype) if !plan.as_ref().is_err_and(Refused::is_before_the_value) => {
            Err(failure!(ACLNN_ERR_PARAM_INVALID, "value: a number expected, got {dtype}"))
        }
        _ => plan.map_err(|refused| refused.failure),
    }
}

/// The validated problem of these tensors.
pub(crate) fn problem(op: Op, tensors: &Tensors) -> Result<Problem, Error> {
    let src = tensors.src.as_ref().map(|src| &src.operand);
    Problem::new(op, &tensors.self_.operand, &tensors.index.operand, src, &tensors.out.operand)
}

/// The dtype of an empty index is not checked, also where its layout is refused.
fn forgive_empty_index(op: &Op, index: &mut Tensor) {
    let is_empty = if op.dim().is_some() { index.is_empty } else { index.has_no_rows };
    if is_empty && index.operand.layout.is_err() && index.operand.dtype.is_err() {
        index.operand.dtype = Ok(DType::I64);
    }
}

/// A failure, and whether its rule stands before the value's.
struct Refused {
    failure: Failure,
    is_before_the_value: bool,
}

impl Refused {
    fn is_before_the_value(&self) -> bool {
        self.is_before_the_value
    }
}

/// The failure of a broken rule; a layout that only the C ABI refuses is told in its own words.
fn refused(function: Function, error: &Error, tensors: &Tensors) -> Refused {
    let is_before_the_value = match error {
        Error::UnsupportedDType { argument, .. } => *argument != Argument::Index,
        Error::DTypeMismatch { .. } => true,
        _ => false,
    };
    let failure = match error {
        Error::Layout { argument, .. } => {
            let argument = *argument;
            let tensor = match argument {
                Argument::Index => Some(&tensors.index),
                Argument::Src => tensors.src.as_ref(),
                Argument::Out => Some(&tensors.out),
                _ => Some(&tensors.self_),
            };
            match tensor.and_then(|tensor| tensor.refusal) {
                Some(refusal) => {
                    let name = function.parameter(argument);
                    failure!(ACLNN_ERR_INNER_NULLPTR, "{name}: {refusal}")
                }
                None => (*error).into(),
            }
        }
        _ => (*error).into(),
    };
    Refused { failure, is_before_the_value }
}

/// Rule 3.
pub(crate) fn reduce(code: i64) -> Result<scatter::Reduce, Failure> {
    let reduce = scatter::Reduce::from_code(code);
    reduce.ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "reduce: 0 to 5 expected, got {code}"))
}

/// Rules 1 and 2: an argument that must not be null.
pub(crate) fn present<T>(name: &str, argument: *const T) -> Result<(), Failure> {
    ensure!(!argument.is_null(), aclnn_sys::ACLNN_ERR_PARAM_NULLPTR, "{name} is null");
    Ok(())
}
