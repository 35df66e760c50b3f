//! Reads an `aclScalar` as a [`Scalar`]. CANN's ABI has no getter for its value, but host-cann's
//! extension has one.

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_INT8,
    ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64, aclDataType, aclScalar,
};
use half::{bf16, f16};
use num_complex::Complex;
use operator_abi::Extension;
use scatter::Scalar;

use crate::failure::{Failure, failure};

/// A scalar's value, or its dtype if that is not a dtype of numbers.
///
/// # Safety
/// `scalar` is one that host-cann's own functions accept: made by host-cann, or any value that is
/// not a valid address.
pub(crate) unsafe fn read(
    host: &Extension,
    scalar: *const aclScalar,
) -> Result<Result<Scalar, aclDataType>, Failure> {
    // SAFETY: the caller guarantees a scalar of host-cann's, or a value that is no valid address.
    let (dtype, bytes) = unsafe { host.read_scalar(scalar) }
        .map_err(|status| failure!(status, "value: a scalar expected, got a handle of none"))?;
    Ok(scalar_of(dtype, bytes).ok_or(dtype))
}

/// The number that the first bytes encode in a dtype; `None` for a dtype that is not one of
/// numbers.
#[must_use]
pub fn scalar_of(dtype: aclDataType, bytes: [u8; 16]) -> Option<Scalar> {
    /// The `N` bytes at an offset.
    fn part<const N: usize>(bytes: &[u8; 16], from: usize) -> [u8; N] {
        core::array::from_fn(|i| bytes.get(from + i).copied().unwrap_or(0))
    }
    let b = &bytes;
    Some(match dtype {
        ACL_FLOAT => f32::from_ne_bytes(part(b, 0)).into(),
        ACL_FLOAT16 => f16::from_ne_bytes(part(b, 0)).into(),
        ACL_BF16 => bf16::from_ne_bytes(part(b, 0)).into(),
        ACL_DOUBLE => f64::from_ne_bytes(part(b, 0)).into(),
        ACL_INT8 => i8::from_ne_bytes(part(b, 0)).into(),
        ACL_INT16 => i16::from_ne_bytes(part(b, 0)).into(),
        ACL_INT32 => i32::from_ne_bytes(part(b, 0)).into(),
        ACL_INT64 => i64::from_ne_bytes(part(b, 0)).into(),
        ACL_UINT8 => u8::from_ne_bytes(part(b, 0)).into(),
        ACL_UINT16 => u16::from_ne_bytes(part(b, 0)).into(),
        ACL_UINT32 => u32::from_ne_bytes(part(b, 0)).into(),
        ACL_UINT64 => u64::from_ne_bytes(part(b, 0)).into(),
        ACL_BOOL => (bytes[0] != 0).into(),
        ACL_COMPLEX64 => Complex::new(f32::from_ne_bytes(part(b, 0)), f32::from_ne_bytes(part(b, 4))).into(),
        ACL_COMPLEX128 => Complex::new(f64::from_ne_bytes(part(b, 0)), f64::from_ne_bytes(part(b, 8))).into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclnn_sys::ACL_STRING;

    fn bytes(of: &[u8]) -> [u8; 16] {
        let mut all = [0xFF; 16];
        all[..of.len()].copy_from_slice(of);
        all
    }

    #[test]
    fn bytes_are_read_as_their_dtype_says_and_no_further() {
        for (dtype, of, expected) in [
            (ACL_FLOAT, 1.5_f32.to_ne_bytes().to_vec(), Scalar::from(1.5)),
            (ACL_FLOAT16, f16::from_f32(-2.0).to_ne_bytes().to_vec(), Scalar::from(-2.0)),
            (ACL_BF16, bf16::from_f32(3.0).to_ne_bytes().to_vec(), Scalar::from(3.0)),
            (ACL_DOUBLE, 0.1_f64.to_ne_bytes().to_vec(), Scalar::from(0.1)),
            (ACL_INT8, vec![0x80], Scalar::from(-128)),
            (ACL_INT16, 300_i16.to_ne_bytes().to_vec(), Scalar::from(300)),
            (ACL_INT32, (-7_i32).to_ne_bytes().to_vec(), Scalar::from(-7)),
            (ACL_INT64, i64::MIN.to_ne_bytes().to_vec(), Scalar::from(i64::MIN)),
            (ACL_UINT8, vec![200], Scalar::from(200)),
            (ACL_UINT16, 65535_u16.to_ne_bytes().to_vec(), Scalar::from(65535)),
            (ACL_UINT32, u32::MAX.to_ne_bytes().to_vec(), Scalar::from(u32::MAX)),
            (ACL_UINT64, u64::MAX.to_ne_bytes().to_vec(), Scalar::from(u64::MAX)),
            (ACL_BOOL, vec![2], Scalar::from(true)),
            (ACL_BOOL, vec![0], Scalar::from(false)),
            (ACL_COMPLEX64, [1_f32, -1.0].map(f32::to_ne_bytes).concat(), Complex::new(1_f32, -1.0).into()),
            (ACL_COMPLEX128, [1_f64, -1.0].map(f64::to_ne_bytes).concat(), Complex::new(1_f64, -1.0).into()),
        ] {
            assert_eq!(scalar_of(dtype, bytes(&of)), Some(expected), "{dtype}");
        }
        assert_eq!(scalar_of(ACL_STRING, [0; 16]), None);
    }
}
