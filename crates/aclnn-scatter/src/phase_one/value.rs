//! The scalar that stands for src in the value operators.

use aclnn_sys::{aclDataType, aclScalar};
use scatter::Scalar;

use crate::failure::Failure;
use crate::function::Function;
use crate::phase_one::scalar;
use crate::process::session::Session;

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
    /// The scalar of a call, as far as it can be read.
    ///
    /// # Safety
    /// As the C functions say.
    pub(super) unsafe fn read(
        session: &Session,
        function: Function,
        scalar: *const aclScalar,
    ) -> Result<Self, Failure> {
        Ok(match session.host() {
            _ if !function.takes_value() => Self::None,
            None => Self::Unreadable,
            // SAFETY: the caller's word.
            Some(host) => match unsafe { scalar::read(host, scalar) }? {
                Ok(value) => Self::Known(value),
                Err(dtype) => Self::Unknown(dtype),
            },
        })
    }

    /// What stands in a problem for it. False can be converted to every dtype, so that no rule of
    /// its own is broken.
    pub(crate) fn for_problem(self) -> Scalar {
        match self {
            Self::Known(value) => value,
            Self::None | Self::Unknown(_) | Self::Unreadable => Scalar::Bool(false),
        }
    }
}
