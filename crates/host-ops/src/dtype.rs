//! The dtypes that the operators compute with, and the rules by which two are promoted to one.

use core::fmt;

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_INT8,
    ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64, aclDataType,
};
use half::{bf16, f16};

/// A dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DType {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
    C64,
    C128,
}

/// What kind of numbers a dtype has; a later one can hold those of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Category {
    Bool,
    Integer,
    Float,
    Complex,
}

/// The type in which numbers of a dtype are computed: `i128` holds every integer and every product
/// of two; halves are computed in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Int,
    Single,
    Double,
    ComplexSingle,
    ComplexDouble,
}

/// Every dtype with its code, its name and the bytes of an element.
const ALL: [(DType, aclDataType, &str, usize); 15] = [
    (DType::Bool, ACL_BOOL, "bool", 1),
    (DType::U8, ACL_UINT8, "u8", 1),
    (DType::I8, ACL_INT8, "i8", 1),
    (DType::U16, ACL_UINT16, "u16", 2),
    (DType::I16, ACL_INT16, "i16", 2),
    (DType::U32, ACL_UINT32, "u32", 4),
    (DType::I32, ACL_INT32, "i32", 4),
    (DType::U64, ACL_UINT64, "u64", 8),
    (DType::I64, ACL_INT64, "i64", 8),
    (DType::F16, ACL_FLOAT16, "f16", 2),
    (DType::Bf16, ACL_BF16, "bf16", 2),
    (DType::F32, ACL_FLOAT, "f32", 4),
    (DType::F64, ACL_DOUBLE, "f64", 8),
    (DType::C64, ACL_COMPLEX64, "c64", 8),
    (DType::C128, ACL_COMPLEX128, "c128", 16),
];

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().2)
    }
}

impl DType {
    /// The dtype with this code, if the operators compute with it.
    pub(crate) fn of(code: aclDataType) -> Option<Self> {
        ALL.iter().find(|(_, known, ..)| *known == code).map(|(dtype, ..)| *dtype)
    }

    fn facts(self) -> (Self, aclDataType, &'static str, usize) {
        // The table has them in the order of the declaration.
        ALL.get(self as usize).copied().unwrap_or(ALL[0])
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        self.facts().3
    }

    /// The code in C.
    pub(crate) fn code(self) -> aclDataType {
        self.facts().1
    }

    /// What addresses of elements are multiples of.
    pub(crate) fn alignment(self) -> usize {
        if self.category() == Category::Complex { self.size() / 2 } else { self.size() }
    }

    pub(crate) fn category(self) -> Category {
        match self {
            Self::Bool => Category::Bool,
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => Category::Float,
            Self::C64 | Self::C128 => Category::Complex,
            _ => Category::Integer,
        }
    }

    pub(crate) fn class(self) -> Class {
        match self {
            Self::F16 | Self::Bf16 | Self::F32 => Class::Single,
            Self::F64 => Class::Double,
            Self::C64 => Class::ComplexSingle,
            Self::C128 => Class::ComplexDouble,
            _ => Class::Int,
        }
    }

    fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// The smallest and the largest number; `None` unless it is one of integers.
    pub(crate) fn bounds(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size();
        match self.category() {
            Category::Bool => Some((0, 1)),
            Category::Integer if self.is_unsigned() => Some((0, (1 << bits) - 1)),
            Category::Integer => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            _ => None,
        }
    }

    /// The largest finite number of a float or complex dtype.
    pub(crate) fn largest(self) -> Option<f64> {
        match self {
            Self::F16 => Some(f16::MAX.to_f64()),
            Self::Bf16 => Some(bf16::MAX.to_f64()),
            Self::F32 | Self::C64 => Some(f32::MAX.into()),
            Self::F64 | Self::C128 => Some(f64::MAX),
            _ => None,
        }
    }

    /// The dtype to which two dtypes are promoted, by PyTorch's rules, which CANN's documents refer
    /// to; `None` for `u64` with a signed integer, which no dtype can hold both.
    pub(crate) fn promote(self, other: Self) -> Option<Self> {
        let (low, high) = if self.category() <= other.category() { (self, other) } else { (other, self) };
        Some(match (low.category(), high.category()) {
            _ if low == high => low,
            (Category::Float, Category::Complex) if low == Self::F64 => Self::C128,
            (low, high_category) if low < high_category => high,
            (Category::Float, _) if low.size() == high.size() => Self::F32,
            (Category::Integer, _) if low.is_unsigned() != high.is_unsigned() => {
                let (signed, unsigned) = if low.is_unsigned() { (high, low) } else { (low, high) };
                match signed.size().max(2 * unsigned.size()) {
                    2 => Self::I16,
                    4 => Self::I32,
                    8 => Self::I64,
                    _ => return None,
                }
            }
            _ if low.size() > high.size() => low,
            _ => high,
        })
    }

    /// The dtype to which a tensor of this dtype and a scalar are promoted: the scalar's dtype
    /// matters only where its category is a later one. A scalar of `f64` or `c128` makes it a dtype
    /// of this precision only where the result goes into one, as CANN's operators do it: they get
    /// every number of Python as one of `f64`.
    pub(crate) fn with_scalar(self, scalar: Self, out: Self) -> Self {
        match scalar.category() {
            category if category <= self.category() => self,
            Category::Bool | Category::Integer => Self::I64,
            Category::Float if scalar == Self::F64 && out == Self::F64 => Self::F64,
            Category::Float => Self::F32,
            Category::Complex if self == Self::F64 || scalar == Self::C128 && out == Self::C128 => Self::C128,
            Category::Complex => Self::C64,
        }
    }

    /// Whether a result of this dtype may be put into a tensor of another one: nothing becomes a
    /// number of an earlier category, but an integer may become a shorter one.
    pub(crate) fn casts_to(self, other: Self) -> bool {
        self.category() <= other.category()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_order_of_the_declaration() {
        for (place, (dtype, code, ..)) in ALL.iter().enumerate() {
            assert_eq!(*dtype as usize, place);
            assert_eq!(DType::of(*code), Some(*dtype));
        }
    }

    #[test]
    fn dtypes_are_promoted_as_in_pytorch() {
        use DType::*;
        for (left, right, expected) in [
            (Bool, Bool, Some(Bool)),
            (Bool, U8, Some(U8)),
            (U8, I8, Some(I16)),
            (U8, I64, Some(I64)),
            (I32, I8, Some(I32)),
            (U32, I32, Some(I64)),
            (U64, I64, None),
            (U64, U8, Some(U64)),
            (I64, F16, Some(F16)),
            (F16, Bf16, Some(F32)),
            (Bf16, F32, Some(F32)),
            (F64, F16, Some(F64)),
            (F64, C64, Some(C128)),
            (F32, C64, Some(C64)),
            (I64, C128, Some(C128)),
            (C64, C128, Some(C128)),
        ] {
            assert_eq!(left.promote(right), expected, "{left} {right}");
            assert_eq!(right.promote(left), expected, "{right} {left}");
        }
        for (tensor, scalar, out, expected) in [
            (Bool, I64, I64, I64),
            (I8, F64, F32, F32),
            (I8, F64, F64, F64),
            (I8, F32, F64, F32),
            (F16, F64, F64, F16),
            (F64, C64, C64, C128),
            (I8, C128, C64, C64),
            (F32, C128, C128, C128),
        ] {
            assert_eq!(tensor.with_scalar(scalar, out), expected, "{tensor} {scalar} {out}");
        }
        assert!(I64.casts_to(I8) && !F32.casts_to(I64) && !I8.casts_to(Bool));
        assert_eq!(I8.bounds(), Some((-128, 127)));
        assert_eq!(U64.bounds(), Some((0, u64::MAX.into())));
    }
}
