//! Elements as they lie in memory.

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use num_complex::Complex;

use crate::values::Wide;

/// An element of a dtype.
pub(crate) trait Element: Pod {
    /// The type in which it is computed.
    type Wide: Wide;
    fn widen(self) -> Self::Wide;
    /// The nearest element; of an integer the low bits.
    fn narrow(wide: Self::Wide) -> Self;
}

/// An element of `bool`: of its bytes all but 0 are true.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Truth(u8);

impl Element for Truth {
    type Wide = i128;

    fn widen(self) -> i128 {
        i128::from(self.0 != 0)
    }

    fn narrow(wide: i128) -> Self {
        Self(u8::from(wide != 0))
    }
}

macro_rules! integers {
    ($($kind:ty)*) => {$(
        impl Element for $kind {
            type Wide = i128;

            fn widen(self) -> i128 {
                self.into()
            }

            fn narrow(wide: i128) -> Self {
                wide as Self
            }
        }
    )*};
}
integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

macro_rules! halves {
    ($($kind:ty)*) => {$(
        impl Element for $kind {
            type Wide = f32;

            fn widen(self) -> f32 {
                self.to_f32()
            }

            fn narrow(wide: f32) -> Self {
                Self::from_f32(wide)
            }
        }
    )*};
}
halves! { f16 bf16 }

macro_rules! as_they_are {
    ($($kind:ty)*) => {$(
        impl Element for $kind {
            type Wide = Self;

            fn widen(self) -> Self {
                self
            }

            fn narrow(wide: Self) -> Self {
                wide
            }
        }
    )*};
}
as_they_are! { f32 f64 Complex<f32> Complex<f64> }

/// Evaluates an expression with `$element` as the type of a dtype's elements.
macro_rules! with_element {
    ($dtype:expr, $element:ident => $body:expr) => {{
        use $crate::dtype::DType;
        macro_rules! of {
            ($kind:ty) => {{
                type $element = $kind;
                $body
            }};
        }
        match $dtype {
            DType::Bool => of!($crate::element::Truth),
            DType::U8 => of!(u8),
            DType::I8 => of!(i8),
            DType::U16 => of!(u16),
            DType::I16 => of!(i16),
            DType::U32 => of!(u32),
            DType::I32 => of!(i32),
            DType::U64 => of!(u64),
            DType::I64 => of!(i64),
            DType::F16 => of!(half::f16),
            DType::Bf16 => of!(half::bf16),
            DType::F32 => of!(f32),
            DType::F64 => of!(f64),
            DType::C64 => of!(num_complex::Complex<f32>),
            DType::C128 => of!(num_complex::Complex<f64>),
        }
    }};
}
pub(crate) use with_element;

/// Evaluates an expression with `$bits` as a type with the size of a dtype's elements, and an
/// alignment that is not greater: for what only moves elements.
macro_rules! with_bits {
    ($dtype:expr, $bits:ident => $body:expr) => {{
        macro_rules! of {
            ($kind:ty) => {{
                type $bits = $kind;
                $body
            }};
        }
        match $dtype.size() {
            1 => of!(u8),
            2 => of!(u16),
            4 => of!(u32),
            8 => of!([u32; 2]),
            _ => of!([u64; 2]),
        }
    }};
}
pub(crate) use with_bits;
