//! The two kinds of code that C functions return.

/// What a function of the runtime returns. The constants are [`ACL_SUCCESS`](crate::ACL_SUCCESS)
/// and `ACL_ERROR_…`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "this code is the only report of a failure"]
pub struct AclError(pub i32);

/// What a function of an operator returns. The constants are
/// [`ACLNN_SUCCESS`](crate::ACLNN_SUCCESS) and `ACLNN_ERR_…`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "this code is the only report of a failure"]
pub struct AclnnStatus(pub i32);

macro_rules! code {
    ($code:ident) => {
        impl $code {
            /// No error.
            pub const SUCCESS: Self = Self(0);

            /// Whether there was no error.
            #[must_use]
            pub const fn is_success(self) -> bool {
                self.0 == 0
            }
        }

        impl From<i32> for $code {
            fn from(code: i32) -> Self {
                Self(code)
            }
        }

        impl From<$code> for i32 {
            fn from(code: $code) -> Self {
                code.0
            }
        }
    };
}

code!(AclError);
code!(AclnnStatus);
