//! The scalar of a call: it takes the place of src, or src is multiplied by it.

use aclnn_sys::{aclDataType, aclScalar};
use scatter::Scalar;

use crate::failure::Failure;
use crate::function::Function;
use crate::phase_one::scalar;
use crate::process::session::Session;

/// The scalar of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// The function takes no scalar.
    None,
    /// A scalar that was read.
    Known(Scalar),
    /// A scalar whose dtype, which this is, is not one of numbers.
    Unknown(aclDataType),
    /// A scalar that can't be read without host-cann. The operator of CANN's that takes it checks
    /// it.
    Unreadable,
}

impl Value {
    /// Reads the scalar of a call, if it has one and it can be read.
    ///
    /// # Safety
    /// The contract of the C functions, which `entry!` documents: `scalar` is null or made by CANN.
    pub(super) unsafe fn read(
        session: &Session,
        function: Function,
        scalar: *const aclScalar,
    ) -> Result<Self, Failure> {
        Ok(match session.host() {
            _ if !function.operator().takes_scalar() => Self::None,
            None => Self::Unreadable,
            // SAFETY: by the caller's contract, this host-cann made the scalar, or it is null.
            Some(host) => match unsafe { scalar::read(host, scalar) }? {
                Ok(value) => Self::Known(value),
                Err(dtype) => Self::Unknown(dtype),
            },
        })
    }

    /// The value for a `Problem`. False takes the place of an unknown value, because every dtype
    /// can represent it, so that the rule about the value holds.
    pub(crate) fn for_problem(self) -> Scalar {
        match self {
            Self::Known(value) => value,
            Self::None | Self::Unknown(_) | Self::Unreadable => Scalar::Bool(false),
        }
    }
}
