//! The scalar value of `scatter_value`, and when it fits a dtype.

use core::fmt;

use num_complex::Complex;

use crate::DType;

/// A host scalar that stands for every element of src; it is converted to self's dtype.
///
/// The conversion (`docs/semantics.md`, "The scalar of `scatter_value` and `index_fill`"):
/// truncated toward zero for integers, rounded to nearest for floats (f16 and bf16 by way of f32),
/// non-zero is true for bool, and a negative number wraps into u8.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A truth value; 0 or 1 in every other dtype.
    Bool(bool),
    /// An integer. Wide enough for every 64-bit integer of a caller, signed or not.
    Int(i128),
    /// A real number, infinities and NaN included (they pass for floats only).
    Float(f64),
    /// A complex number, for the complex dtypes only.
    Complex(Complex<f64>),
}

impl Scalar {
    /// Whether the value can be converted to `dtype`.
    #[must_use]
    pub fn fits(self, dtype: DType) -> bool {
        match dtype {
            DType::Bf16 => self.fits_float(f64::from(half::bf16::MAX)),
            DType::F16 => self.fits_float(f64::from(half::f16::MAX)),
            DType::F32 => self.fits_float(f64::from(f32::MAX)),
            DType::F64 => self.fits_float(f64::MAX),
            DType::I64 => self.fits_integer(i64::MIN.into(), i64::MAX.into()),
            DType::I32 => self.fits_integer(i32::MIN.into(), i32::MAX.into()),
            DType::I16 => self.fits_integer(i16::MIN.into(), i16::MAX.into()),
            DType::I8 => self.fits_integer(i8::MIN.into(), i8::MAX.into()),
            // "|v| above the maximum" of an unsigned integer: -255 still wraps, to 1.
            DType::U8 => self.fits_integer(-i128::from(u8::MAX), u8::MAX.into()),
            DType::Bool => match self {
                Self::Float(value) => value.is_finite(),
                Self::Complex(_) => false,
                Self::Bool(_) | Self::Int(_) => true,
            },
            DType::Complex64 => self.fits_complex(f64::from(f32::MAX)),
            DType::Complex128 => self.fits_complex(f64::MAX),
        }
    }

    fn fits_float(self, max: f64) -> bool {
        match self {
            Self::Bool(_) => true,
            // f16's limit is the only one below i128's range, and it is exact there; the others
            // saturate above it.
            Self::Int(value) => value.unsigned_abs() <= max as u128,
            Self::Float(value) => !value.is_finite() || value.abs() <= max,
            Self::Complex(_) => false,
        }
    }

    fn fits_complex(self, max: f64) -> bool {
        match self {
            Self::Complex(value) => {
                Self::Float(value.re).fits_float(max) && Self::Float(value.im).fits_float(max)
            }
            real => real.fits_float(max),
        }
    }

    /// A float is compared before it is truncated: 127.9 and -128.9 are outside i8. (PyTorch 2.15
    /// refuses the second only.)
    fn fits_integer(self, min: i128, max: i128) -> bool {
        match self {
            Self::Bool(_) => true,
            Self::Int(value) => (min..=max).contains(&value),
            // `max as f64` rounds i64::MAX up to 2^63, which is outside; i128 holds every truncated
            // candidate.
            Self::Float(value) => {
                value >= min as f64 && value <= max as f64 && (min..=max).contains(&(value as i128))
            }
            Self::Complex(_) => false,
        }
    }

    /// The value truncated toward zero; only asked of what [`Self::fits`] an integer dtype.
    pub(crate) fn truncated(self) -> i128 {
        match self {
            Self::Bool(value) => value.into(),
            Self::Int(value) => value,
            Self::Float(value) => value as i128,
            Self::Complex(value) => value.re as i128,
        }
    }

    /// The value rounded once to f32 (an integer goes there directly, not by way of f64).
    pub(crate) fn to_f32(self) -> f32 {
        match self {
            Self::Bool(value) => u8::from(value).into(),
            Self::Int(value) => value as f32,
            Self::Float(value) => value as f32,
            Self::Complex(value) => value.re as f32,
        }
    }

    pub(crate) fn to_f64(self) -> f64 {
        match self {
            Self::Bool(value) => u8::from(value).into(),
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
            Self::Complex(value) => value.re,
        }
    }

    /// The imaginary part; zero for whatever is real.
    pub(crate) const fn imaginary(self) -> f64 {
        match self {
            Self::Complex(value) => value.im,
            _ => 0.0,
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::Bool(value) => !value,
            Self::Int(value) => value == 0,
            Self::Float(value) => value == 0.0,
            Self::Complex(value) => value.re == 0.0 && value.im == 0.0,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => fmt::Display::fmt(value, f),
            Self::Int(value) => fmt::Display::fmt(value, f),
            Self::Float(value) => fmt::Debug::fmt(value, f),
            Self::Complex(value) => fmt::Display::fmt(value, f),
        }
    }
}

macro_rules! scalar_from {
    ($($source:ty => $variant:ident($value:ident: $converted:expr)),+ $(,)?) => {$(
        impl From<$source> for Scalar {
            fn from($value: $source) -> Self {
                Self::$variant($converted)
            }
        }
    )+};
}

scalar_from! {
    bool => Bool(v: v),
    i8 => Int(v: v.into()), i16 => Int(v: v.into()), i32 => Int(v: v.into()), i64 => Int(v: v.into()),
    u8 => Int(v: v.into()), u16 => Int(v: v.into()), u32 => Int(v: v.into()), u64 => Int(v: v.into()),
    isize => Int(v: v as i128), usize => Int(v: v as i128), i128 => Int(v: v),
    half::f16 => Float(v: v.into()), half::bf16 => Float(v: v.into()),
    f32 => Float(v: v.into()), f64 => Float(v: v),
    Complex<f32> => Complex(v: Complex::new(v.re.into(), v.im.into())), Complex<f64> => Complex(v: v),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_at_the_edges() {
        let complex = |re, im| Scalar::from(Complex::new(re, im));
        for (value, dtype, fits) in [
            (Scalar::from(127.9), DType::I8, false),
            (Scalar::from(127.0), DType::I8, true),
            (Scalar::from(-128.0), DType::I8, true),
            (Scalar::from(-128.5), DType::I8, false),
            (Scalar::from(128), DType::I8, false),
            (Scalar::from(-1), DType::U8, true),
            (Scalar::from(-255), DType::U8, true),
            (Scalar::from(-256), DType::U8, false),
            (Scalar::from(255.5), DType::U8, false),
            (Scalar::from(i64::MAX), DType::I64, true),
            (Scalar::from(u64::MAX), DType::I64, false),
            (Scalar::from(9_223_372_036_854_775_808.0), DType::I64, false),
            (Scalar::from(-9_223_372_036_854_775_808.0), DType::I64, true),
            (Scalar::from(65504), DType::F16, true),
            (Scalar::from(65505), DType::F16, false),
            (Scalar::from(65504.5), DType::F16, false),
            (Scalar::from(3.5e38), DType::F32, false),
            (Scalar::from(u64::MAX), DType::F32, true),
            (Scalar::from(f64::INFINITY), DType::F16, true),
            (Scalar::from(f64::NAN), DType::Complex64, true),
            (Scalar::from(f64::NAN), DType::I32, false),
            (Scalar::from(f64::INFINITY), DType::Bool, false),
            (Scalar::from(0.5), DType::Bool, true),
            (complex(1.0, 0.0), DType::F64, false),
            (complex(1.0, 0.0), DType::Bool, false),
            (complex(1e39, 0.0), DType::Complex64, false),
            (complex(0.0, -1e39), DType::Complex64, false),
            (complex(1e39, -1e39), DType::Complex128, true),
            (Scalar::from(true), DType::I8, true),
        ] {
            assert_eq!(value.fits(dtype), fits, "{value} into {dtype}");
        }
    }
}
