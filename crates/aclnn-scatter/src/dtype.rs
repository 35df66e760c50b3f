//! CANN's dtypes.

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_INT8,
    ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, aclDataType,
};
use scatter::{DType, UnsupportedDType};

/// The dtypes of the scatter family and CANN's codes for them.
macro_rules! codes {
    ($($dtype:ident = $code:ident),* $(,)?) => {
        /// CANN's code for a dtype.
        #[must_use]
        pub const fn acl_dtype(dtype: DType) -> aclDataType {
            match dtype {
                $(DType::$dtype => $code),*
            }
        }

        /// The dtype for a code of CANN's, if the scatter family supports it.
        pub(crate) fn dtype_of(code: aclDataType) -> Result<DType, UnsupportedDType> {
            match code {
                $($code => Ok(DType::$dtype),)*
                aclDataType(other) => Err(UnsupportedDType(other.into())),
            }
        }
    };
}
codes! {
    Bf16 = ACL_BF16,
    F16 = ACL_FLOAT16,
    F32 = ACL_FLOAT,
    F64 = ACL_DOUBLE,
    I64 = ACL_INT64,
    I32 = ACL_INT32,
    I16 = ACL_INT16,
    I8 = ACL_INT8,
    U8 = ACL_UINT8,
    Bool = ACL_BOOL,
    Complex64 = ACL_COMPLEX64,
    Complex128 = ACL_COMPLEX128,
}

/// The alignment of an element: its size, or the size of one part of a complex element.
pub(crate) const fn alignment(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_has_one_code() {
        let found: Vec<_> = (-1..64).filter(|code| dtype_of(aclDataType(*code)).is_ok()).collect();
        assert_eq!(found.len(), DType::ALL.len());
        assert!(DType::ALL.into_iter().all(|dtype| dtype_of(acl_dtype(dtype)) == Ok(dtype)));
        // The numbers in CANN's headers.
        assert_eq!((acl_dtype(DType::F32), acl_dtype(DType::Bf16)), (aclDataType(0), aclDataType(27)));
        assert_eq!(dtype_of(aclDataType(33)), Err(UnsupportedDType(33)));
    }
}
