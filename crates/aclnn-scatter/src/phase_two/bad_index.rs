//! An index out of range, in the terms of the caller's C function.

use core::ffi::{CStr, c_char};

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclnnScatterStatusInfo};
use scatter::{Error, Operator, Shape};

use crate::executor::positions::Positions;

/// An index that is out of range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BadIndex {
    pub(crate) function: &'static CStr,
    pub(crate) operator: Operator,
    pub(crate) axis: usize,
    pub(crate) position: Shape,
    pub(crate) value: i64,
    pub(crate) size: usize,
}

/// The status of a stream without an index out of range.
pub(crate) const NONE: aclnnScatterStatusInfo = aclnnScatterStatusInfo {
    code: aclnn_sys::AclnnStatus::SUCCESS,
    rank: 0,
    position: [0; 8],
    value: 0,
    size: 0,
    opName: [0; 64],
};

impl BadIndex {
    /// The index out of range that an error reports, if it is such an error. `positions` converts
    /// its position to the caller's index, if that has another shape than the problem's.
    pub(crate) fn of(error: &Error, function: &'static CStr, positions: Option<Positions>) -> Option<Self> {
        let Error::IndexOutOfRange { operator, axis, position, value, size } = *error else { return None };
        let position = positions.map_or(position, |positions| positions.original(&position));
        Some(Self { function, operator, axis, position, value, size })
    }

    /// The error, as [`scatter`] reports it.
    pub(crate) fn error(&self) -> Error {
        let Self { operator, axis, position, value, size, .. } = *self;
        Error::IndexOutOfRange { operator, axis, position, value, size }
    }

    /// The status that `aclnnScatterStreamStatus` reports.
    pub(crate) fn info(&self) -> aclnnScatterStatusInfo {
        let mut info = aclnnScatterStatusInfo {
            code: ACLNN_ERR_PARAM_INVALID,
            rank: self.position.rank() as u32,
            value: self.value,
            size: i64::try_from(self.size).unwrap_or(i64::MAX),
            ..NONE
        };
        for (place, &coordinate) in info.position.iter_mut().zip(self.position.iter()) {
            *place = i64::try_from(coordinate).unwrap_or(i64::MAX);
        }
        // The last byte stays 0, as the NUL of the C string.
        let places = info.opName.len() - 1;
        for (place, &byte) in info.opName.iter_mut().take(places).zip(self.function.to_bytes()) {
            *place = byte as c_char;
        }
        info
    }
}
