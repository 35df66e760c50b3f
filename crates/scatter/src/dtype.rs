//! The element types of the scatter family.

use core::fmt;
use core::str::FromStr;

/// The element type of a tensor. Every operator takes all twelve; an index is [`DType::I32`] or
/// [`DType::I64`].
///
/// The list is that of CANN's `aclnnScatterAdd` on Atlas A2, A3 and Ascend 950.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// bfloat16, accumulated in f32.
    Bf16,
    /// IEEE binary16, accumulated in f32.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Signed 64-bit integer, wrapping.
    I64,
    /// Signed 32-bit integer, wrapping.
    I32,
    /// Signed 16-bit integer, wrapping.
    I16,
    /// Signed 8-bit integer, wrapping.
    I8,
    /// Unsigned 8-bit integer, wrapping.
    U8,
    /// A byte that reads as true when it is not zero; 0 or 1 is written.
    Bool,
    /// A pair of f32.
    Complex64,
    /// A pair of f64.
    Complex128,
}

impl DType {
    /// Every dtype, in the order of the contract.
    pub const ALL: [Self; 12] = [
        Self::Bf16,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::I64,
        Self::I32,
        Self::I16,
        Self::I8,
        Self::U8,
        Self::Bool,
        Self::Complex64,
        Self::Complex128,
    ];

    /// The bytes of one element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::Bf16 | Self::F16 | Self::I16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 | Self::Complex64 => 8,
            Self::Complex128 => 16,
        }
    }

    /// The name as the contract spells it (`bf16`, `complex64`, …), which [`FromStr`] reads back.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::Bool => "bool",
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
        }
    }

    /// The dtype in which sums and products are accumulated.
    #[must_use]
    pub const fn accumulator(self) -> Self {
        match self {
            Self::Bf16 | Self::F16 => Self::F32,
            other => other,
        }
    }

    /// Whether a tensor of this dtype can be an index.
    #[must_use]
    pub const fn is_index(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// Whether the elements are pairs, which have no order and so neither Max nor Min.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::Complex64 | Self::Complex128)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a [`DType`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown dtype {got:?}: expected bf16, f16, f32, f64, i64, i32, i16, i8, u8, bool, complex64 or complex128"
)]
#[non_exhaustive]
pub struct ParseDTypeError {
    /// The text.
    pub got: String,
}

impl FromStr for DType {
    type Err = ParseDTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|dtype| dtype.name() == text)
            .ok_or_else(|| ParseDTypeError { got: text.to_owned() })
    }
}

/// A dtype that the scatter family does not have, as the code that its caller gave (CANN's
/// `aclDataType`, say).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("dtype code {0}")]
pub struct UnsupportedDType(pub i64);
