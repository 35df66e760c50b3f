//! CANN's dtypes.

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_INT8,
    ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, aclDataType,
};
use scatter::{DType, UnsupportedDType};

/// The dtype of a code, if the family has it.
pub(crate) fn dtype_of(code: aclDataType) -> Result<DType, UnsupportedDType> {
    Ok(match code {
        ACL_BF16 => DType::Bf16,
        ACL_FLOAT16 => DType::F16,
        ACL_FLOAT => DType::F32,
        ACL_DOUBLE => DType::F64,
        ACL_INT64 => DType::I64,
        ACL_INT32 => DType::I32,
        ACL_INT16 => DType::I16,
        ACL_INT8 => DType::I8,
        ACL_UINT8 => DType::U8,
        ACL_BOOL => DType::Bool,
        ACL_COMPLEX64 => DType::Complex64,
        ACL_COMPLEX128 => DType::Complex128,
        aclDataType(other) => return Err(UnsupportedDType(other.into())),
    })
}

/// What an element's address must be a multiple of: the size of its number, or of one part of a complex one.
pub(crate) const fn alignment(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_one_code() {
        let mut found: Vec<_> = (-1..64).filter_map(|code| dtype_of(aclDataType(code)).ok()).collect();
        found.sort_unstable();
        let mut all = DType::ALL.to_vec();
        all.sort_unstable();
        assert_eq!(found, all);
        assert_eq!(dtype_of(aclDataType(33)), Err(UnsupportedDType(33)));
    }
}
