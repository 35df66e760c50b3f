//! The values of a tensor in the type in which they are computed.

use core::fmt;

use half::{bf16, f16};
use ndarray::ArrayD;
use num_complex::Complex;

use crate::dtype::{Category, Class, DType};
use crate::element::{Element, with_element};

/// An array of one of the computing types.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Int(ArrayD<i128>),
    Single(ArrayD<f32>),
    Double(ArrayD<f64>),
    ComplexSingle(ArrayD<Complex<f32>>),
    ComplexDouble(ArrayD<Complex<f64>>),
}

/// A computing type.
pub(crate) trait Wide: Copy + PartialEq + Send + Sync + 'static {
    fn wrap(array: ArrayD<Self>) -> Values;
    fn from_int(value: i128) -> Self;
    /// Of an integer type: without its fraction, and the nearest that there is.
    fn from_float(value: f64) -> Self;
    /// Of a real type: the real part.
    fn from_complex(value: Complex<f64>) -> Self;
    /// The array of a class that is known to be this one, without a copy.
    fn unwrap(values: Values) -> Result<ArrayD<Self>, Values>;

    /// The values in this type.
    fn of(values: Values) -> ArrayD<Self> {
        match Self::unwrap(values) {
            Ok(array) => array,
            Err(Values::Int(array)) => array.mapv(Self::from_int),
            Err(Values::Single(array)) => array.mapv(|value| Self::from_float(value.into())),
            Err(Values::Double(array)) => array.mapv(Self::from_float),
            Err(Values::ComplexSingle(array)) => {
                array.mapv(|value| Self::from_complex(Complex { re: value.re.into(), im: value.im.into() }))
            }
            Err(Values::ComplexDouble(array)) => array.mapv(Self::from_complex),
        }
    }
}

macro_rules! wide {
    ($kind:ty, $variant:ident, $int:expr, $float:expr, $complex:expr) => {
        impl Wide for $kind {
            fn wrap(array: ArrayD<Self>) -> Values {
                Values::$variant(array)
            }

            fn from_int(value: i128) -> Self {
                $int(value)
            }

            fn from_float(value: f64) -> Self {
                $float(value)
            }

            fn from_complex(value: Complex<f64>) -> Self {
                $complex(value)
            }

            fn unwrap(values: Values) -> Result<ArrayD<Self>, Values> {
                match values {
                    Values::$variant(array) => Ok(array),
                    other => Err(other),
                }
            }
        }
    };
}
wide!(i128, Int, |value| value, |value| value as Self, |value: Complex<f64>| value.re as Self);
wide!(f32, Single, |value| value as Self, |value| value as Self, |value: Complex<f64>| value.re as Self);
wide!(f64, Double, |value| value as Self, |value| value, |value: Complex<f64>| value.re);
wide!(
    Complex<f32>,
    ComplexSingle,
    |value| Self::from(value as f32),
    |value| Self::from(value as f32),
    |value: Complex<f64>| Self::new(value.re as f32, value.im as f32)
);
wide!(Complex<f64>, ComplexDouble, |value| Self::from(value as f64), Self::from, |value| value);

/// Evaluates an expression with `$wide` as the computing type of a class.
macro_rules! in_class {
    ($class:expr, $wide:ident => $body:expr) => {{
        macro_rules! of {
            ($kind:ty) => {{
                type $wide = $kind;
                $body
            }};
        }
        match $class {
            $crate::dtype::Class::Int => of!(i128),
            $crate::dtype::Class::Single => of!(f32),
            $crate::dtype::Class::Double => of!(f64),
            $crate::dtype::Class::ComplexSingle => of!(num_complex::Complex<f32>),
            $crate::dtype::Class::ComplexDouble => of!(num_complex::Complex<f64>),
        }
    }};
}
pub(crate) use in_class;

impl Values {
    /// Truth values.
    pub(crate) fn truths(array: &ArrayD<bool>) -> Self {
        Self::Int(array.mapv(i128::from))
    }

    /// One value, of rank 0.
    pub(crate) fn one<W: Wide>(value: W) -> Self {
        W::wrap(ndarray::arr0(value).into_dyn())
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Self::Int(_) => Class::Int,
            Self::Single(_) => Class::Single,
            Self::Double(_) => Class::Double,
            Self::ComplexSingle(_) => Class::ComplexSingle,
            Self::ComplexDouble(_) => Class::ComplexDouble,
        }
    }

    /// The values as a tensor of this dtype has them, in the dtype's class. Integers keep the low
    /// bits that the dtype has. Floats become integers without their fractions, and the nearest
    /// that there are; NaN becomes 0. A value is true unless it is 0.
    pub(crate) fn convert(self, dtype: DType) -> Self {
        let values = match dtype.bounds() {
            _ if dtype == DType::Bool => self.are_nonzero(),
            Some((low, high)) if self.class() != Class::Int => {
                Self::Int(i128::of(self).mapv_into(|value| value.clamp(low, high)))
            }
            _ => self,
        };
        with_element!(dtype, E => {
            Wide::wrap(<E as Element>::Wide::of(values).mapv_into(|value| E::narrow(value).widen()))
        })
    }

    fn are_nonzero(self) -> Self {
        let are = in_class!(self.class(), W => {
            let zero = W::from_int(0);
            W::of(self).mapv(|value| i128::from(value != zero))
        });
        Self::Int(are)
    }
}

/// One number, as a scalar holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
    Complex(Complex<f64>),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            // Unlike `Display`, this writes 1e39 in four characters.
            Self::Float(value) => fmt::Debug::fmt(value, f),
            Self::Complex(value) => value.fmt(f),
        }
    }
}

/// A scalar: a number, and its dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar {
    pub(crate) number: Number,
    pub(crate) dtype: DType,
}

impl Scalar {
    /// The number that the first bytes encode in a dtype.
    pub(crate) fn new(dtype: DType, bytes: [u8; 16]) -> Self {
        /// The `N` bytes at an offset.
        fn part<const N: usize>(bytes: &[u8; 16], from: usize) -> [u8; N] {
            core::array::from_fn(|i| bytes.get(from + i).copied().unwrap_or(0))
        }
        let b = &bytes;
        let number = match dtype {
            DType::Bool => Number::Int((part::<1>(b, 0) != [0]).into()),
            DType::U8 => Number::Int(u8::from_ne_bytes(part(b, 0)).into()),
            DType::I8 => Number::Int(i8::from_ne_bytes(part(b, 0)).into()),
            DType::U16 => Number::Int(u16::from_ne_bytes(part(b, 0)).into()),
            DType::I16 => Number::Int(i16::from_ne_bytes(part(b, 0)).into()),
            DType::U32 => Number::Int(u32::from_ne_bytes(part(b, 0)).into()),
            DType::I32 => Number::Int(i32::from_ne_bytes(part(b, 0)).into()),
            DType::U64 => Number::Int(u64::from_ne_bytes(part(b, 0)).into()),
            DType::I64 => Number::Int(i64::from_ne_bytes(part(b, 0)).into()),
            DType::F16 => Number::Float(f16::from_ne_bytes(part(b, 0)).into()),
            DType::Bf16 => Number::Float(bf16::from_ne_bytes(part(b, 0)).into()),
            DType::F32 => Number::Float(f32::from_ne_bytes(part(b, 0)).into()),
            DType::F64 => Number::Float(f64::from_ne_bytes(part(b, 0))),
            DType::C64 => Number::Complex(Complex {
                re: f32::from_ne_bytes(part(b, 0)).into(),
                im: f32::from_ne_bytes(part(b, 4)).into(),
            }),
            DType::C128 => Number::Complex(Complex {
                re: f64::from_ne_bytes(part(b, 0)),
                im: f64::from_ne_bytes(part(b, 8)),
            }),
        };
        Self { number, dtype }
    }

    /// The number in a computing type.
    pub(crate) fn to<W: Wide>(self) -> W {
        match self.number {
            Number::Int(value) => W::from_int(value),
            Number::Float(value) => W::from_float(value),
            Number::Complex(value) => W::from_complex(value),
        }
    }

    /// Whether a tensor of this dtype can hold the number. A negative integer stands for the
    /// unsigned one with the same bits. A float may have a fraction, but not one that lies beyond
    /// the bounds. Infinities and NaNs are numbers of every float dtype, which a finite number
    /// beyond its largest isn't.
    pub(crate) fn fits(self, dtype: DType) -> bool {
        let bounds = dtype.bounds().filter(|_| dtype != DType::Bool);
        let is_within = |least: i128, most: i128| {
            bounds.is_none_or(|(low, high)| {
                let low = if low == 0 && matches!(self.number, Number::Int(_)) { -high } else { low };
                low <= least && most <= high
            })
        };
        let largest = dtype.largest();
        let is_finite_there = |part: f64| !part.is_finite() || largest.is_none_or(|most| part.abs() <= most);
        let (real, imaginary) = match self.number {
            Number::Int(value) => return is_within(value, value) && is_finite_there(value as f64),
            Number::Float(value) => (value, 0.0),
            Number::Complex(value) => (value.re, value.im),
        };
        (dtype.category() == Category::Complex || imaginary == 0.0)
            && (bounds.is_none() || real.is_finite())
            && is_within(real.floor() as i128, real.ceil() as i128)
            && [real, imaginary].into_iter().all(is_finite_there)
    }

    /// The number as a tensor of rank 0.
    pub(crate) fn values(self) -> Values {
        match self.number {
            Number::Int(value) => Values::one(value),
            Number::Float(value) => Values::one(value),
            Number::Complex(value) => Values::one(value),
        }
    }
}
