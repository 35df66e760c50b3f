//! What one element of each dtype is in memory, and its arithmetic.
//!
//! The rules are those of `docs/semantics.md`, "Dtypes". Every engine takes its arithmetic from
//! here, so that engines can differ in the order of work only.

use core::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use num_complex::Complex;

use crate::cpu::HasLoops;
use crate::simd::Simd;
use crate::simd::half::{
    bf16_of, f16_of, f32_of_bf16, f32_of_f16, narrow_bf16, narrow_f16, widen_bf16, widen_f16,
};
use crate::{DType, Reduce, Scalar};

/// A bool as tensors store it: a byte that reads as true when it is not zero. 0 or 1 is written.
///
/// Rust's `bool` can't hold a 2, so it can't be the storage type; [`crate::View::from_bools`] takes
/// `bool` slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Bool(pub u8);

impl Bool {
    /// Whether the byte reads as true.
    #[must_use]
    pub const fn get(self) -> bool {
        self.0 != 0
    }

    /// A slice of Rust's `bool` as a storage, to read.
    #[must_use]
    pub fn slice(values: &[bool]) -> &[Self] {
        bytemuck::cast_slice(values)
    }
}

impl From<bool> for Bool {
    fn from(value: bool) -> Self {
        Self(value.into())
    }
}

/// The storage type of a [`DType`]. Sealed: its arithmetic is the contract's and no concern of
/// callers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is none of the twelve element types",
    label = "no dtype of the scatter family is stored as `{Self}`",
    note = "the dtypes are bf16, f16, f32, f64, i64, i32, i16, i8, u8, bool (the type `Bool`), complex64 and complex128 \
            (`Complex<f32>` and `Complex<f64>`)"
)]
pub trait Element: Pod + Debug + PartialEq + Send + Sync + Arithmetic + HasLoops {
    /// The dtype that this type stores.
    const DTYPE: DType;

    /// Whether both are the same result: equal bits, all NaNs being equal.
    fn same(self, other: Self) -> bool;
    /// The scalar in this dtype, or `None` where [`Scalar::fits`] says no.
    fn from_scalar(value: Scalar) -> Option<Self>;
}

/// Public in name only, so that nobody outside can implement [`Element`], or finds `max` on its own
/// types.
mod arithmetic {
    use crate::simd::Simd;
    use crate::{Element, Reduce};

    /// What the contract says of a dtype's numbers.
    pub trait Arithmetic: Sized {
        /// What sums, products and extrema are accumulated in: f32 for f16 and bf16, the type
        /// itself otherwise.
        type Acc: Element;
        /// Whether an accumulator is more than the element can hold, so that it must be rounded at
        /// the end.
        const WIDE_ACC: bool = false;

        /// The element as an accumulator; exact.
        fn widen(self) -> Self::Acc;
        /// The accumulator rounded to the element, to nearest even.
        fn narrow(acc: Self::Acc) -> Self;
        /// [`widen`](Self::widen) of a whole row; both have one length.
        fn widen_row(_simd: Simd, row: &[Self], accs: &mut [Self::Acc])
        where
            Self: Copy,
        {
            for (acc, &element) in accs.iter_mut().zip(row) {
                *acc = element.widen();
            }
        }
        /// [`narrow`](Self::narrow) of a whole row; both have one length.
        fn narrow_row(_simd: Simd, accs: &[Self::Acc], row: &mut [Self]) {
            for (element, &acc) in row.iter_mut().zip(accs) {
                *element = Self::narrow(acc);
            }
        }

        /// The sum; wraps for integers, OR for bool.
        fn add(a: Self::Acc, b: Self::Acc) -> Self::Acc;
        /// The product; wraps for integers, AND for bool, (ac-bd, ad+bc) for complex, never an FMA.
        fn mul(a: Self::Acc, b: Self::Acc) -> Self::Acc;
        /// The maximum of what is held and what comes; a NaN wins, a tie keeps `held`. Complex
        /// numbers have none: `held`.
        fn max(held: Self::Acc, comes: Self::Acc) -> Self::Acc;
        /// The minimum of what is held and what comes, by the same rules.
        fn min(held: Self::Acc, comes: Self::Acc) -> Self::Acc;
        /// The sum divided by the exact count, rounded once; with floor for integers. `count` is
        /// not zero.
        fn mean(sum: Self::Acc, count: u64) -> Self;
        /// What a touched element starts from when self is not included (0 for the reductions that
        /// have no identity).
        fn identity(reduce: Reduce) -> Self::Acc;

        /// The element as Replace writes it: its bits, with bool made 0 or 1.
        #[must_use]
        fn stored(self) -> Self {
            self
        }
    }
}
pub(crate) use arithmetic::Arithmetic;

/// What `held` becomes when `comes` meets it. Replace and Mean have no such step of their own:
/// Replace takes what comes, Mean sums and divides at the end (`Arithmetic::mean`).
pub(crate) fn combine<T: Element>(reduce: Reduce, held: T::Acc, comes: T::Acc) -> T::Acc {
    match reduce {
        Reduce::None => comes,
        Reduce::Add | Reduce::Mean => T::add(held, comes),
        Reduce::Mul => T::mul(held, comes),
        Reduce::Max => T::max(held, comes),
        Reduce::Min => T::min(held, comes),
    }
}

/// The element type of an index: `i32` or `i64`. Sealed.
#[diagnostic::on_unimplemented(
    message = "an index can't be of `{Self}`",
    label = "an index is of `i32` or `i64`"
)]
pub trait Index: Element + Ord {
    /// The value as 64 bits, in which it is range-checked before anything narrows it.
    fn to_i64(self) -> i64;
}

impl Index for i32 {
    fn to_i64(self) -> i64 {
        self.into()
    }
}

impl Index for i64 {
    fn to_i64(self) -> i64 {
        self
    }
}

/// Maximum or minimum by one comparison: a NaN that comes is taken, and no comparison lets go of a
/// NaN that is held.
macro_rules! extremum {
    ($held:ident $op:tt $comes:ident) => {
        // `comes != comes` is how a NaN shows; for integers it is never true.
        #[allow(clippy::eq_op)]
        if $comes $op $held || $comes != $comes { $comes } else { $held }
    };
}

macro_rules! integer {
    ($($t:ident => $dtype:ident),+ $(,)?) => {$(
        impl Arithmetic for $t {
            type Acc = Self;

            fn widen(self) -> Self { self }
            fn narrow(acc: Self) -> Self { acc }
            fn add(a: Self, b: Self) -> Self { a.wrapping_add(b) }
            fn mul(a: Self, b: Self) -> Self { a.wrapping_mul(b) }
            fn max(held: Self, comes: Self) -> Self { held.max(comes) }
            fn min(held: Self, comes: Self) -> Self { held.min(comes) }
            fn mean(sum: Self, count: u64) -> Self {
                // The quotient lies between 0 and the sum (or -1), so it fits again.
                match i64::try_from(count) {
                    Ok(count) => i64::from(sum).div_euclid(count) as Self,
                    Err(_) => i128::from(sum).div_euclid(i128::from(count)) as Self,
                }
            }
            fn identity(reduce: Reduce) -> Self {
                match reduce {
                    Reduce::Mul => 1,
                    Reduce::Max => Self::MIN,
                    Reduce::Min => Self::MAX,
                    Reduce::None | Reduce::Add | Reduce::Mean => 0,
                }
            }
        }

        impl Element for $t {
            const DTYPE: DType = DType::$dtype;

            fn same(self, other: Self) -> bool { self == other }
            fn from_scalar(value: Scalar) -> Option<Self> {
                // A negative number wraps into u8, as `as` does.
                value.fits(Self::DTYPE).then(|| value.truncated() as Self)
            }
        }
    )+};
}

integer!(i64 => I64, i32 => I32, i16 => I16, i8 => I8, u8 => U8);

/// f32 and f64 accumulate in themselves, f16 and bf16 in f32; the arithmetic is the accumulator's.
macro_rules! float {
    ($t:ident => $dtype:ident in $acc:ident, widen $widen:expr, narrow $narrow:expr, mean $mean:expr, scalar $scalar:expr
     $(, rows $widen_row:path, $narrow_row:path)?) => {
        impl Arithmetic for $t {
            type Acc = $acc;
            const WIDE_ACC: bool = size_of::<$acc>() > size_of::<Self>();

            fn widen(self) -> $acc {
                $widen(self)
            }
            fn narrow(acc: $acc) -> Self {
                $narrow(acc)
            }
            $(
                #[inline(always)]
                fn widen_row(simd: Simd, row: &[Self], accs: &mut [$acc]) {
                    $widen_row(simd, row, accs);
                }
                #[inline(always)]
                fn narrow_row(simd: Simd, accs: &[$acc], row: &mut [Self]) {
                    $narrow_row(simd, accs, row);
                }
            )?
            fn add(a: $acc, b: $acc) -> $acc {
                a + b
            }
            fn mul(a: $acc, b: $acc) -> $acc {
                a * b
            }
            fn max(held: $acc, comes: $acc) -> $acc {
                extremum!(held > comes)
            }
            fn min(held: $acc, comes: $acc) -> $acc {
                extremum!(held < comes)
            }
            fn mean(sum: $acc, count: u64) -> Self {
                $mean(sum, count)
            }
            fn identity(reduce: Reduce) -> $acc {
                match reduce {
                    Reduce::Mul => 1.0,
                    Reduce::Max => $acc::NEG_INFINITY,
                    Reduce::Min => $acc::INFINITY,
                    Reduce::None | Reduce::Add | Reduce::Mean => 0.0,
                }
            }
        }

        impl Element for $t {
            const DTYPE: DType = DType::$dtype;

            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
            fn from_scalar(value: Scalar) -> Option<Self> {
                value.fits(Self::DTYPE).then(|| $scalar(value))
            }
        }
    };
}

float!(f64 => F64 in f64, widen core::convert::identity, narrow core::convert::identity,
    mean mean_f64, scalar Scalar::to_f64);
float!(f32 => F32 in f32, widen core::convert::identity, narrow core::convert::identity,
    mean mean_f32, scalar Scalar::to_f32);
float!(f16 => F16 in f32, widen f32_of_f16, narrow f16_of,
    mean |sum, count| f16_of(odd_quotient(sum, count)), scalar |v: Scalar| f16::from_f32(v.to_f32()),
    rows widen_f16, narrow_f16);
float!(bf16 => Bf16 in f32, widen f32_of_bf16, narrow bf16_of,
    mean |sum, count| bf16_of(odd_quotient(sum, count)), scalar |v: Scalar| bf16::from_f32(v.to_f32()),
    rows widen_bf16, narrow_bf16);

fn mean_f64(sum: f64, count: u64) -> f64 {
    sum / count as f64
}

/// The counts up to here are exact in f32.
const EXACT_COUNT: u64 = 1 << f32::MANTISSA_DIGITS;

fn mean_f32(sum: f32, count: u64) -> f32 {
    // Of two numbers that are exact, a division rounds the quotient, once.
    if count <= EXACT_COUNT { sum / count as f32 } else { quotient(sum, count) as f32 }
}

/// `sum / count` in f32, from which rounding to f16 or bf16 equals rounding the exact quotient
/// once.
fn odd_quotient(sum: f32, count: u64) -> f32 {
    // A midpoint between two neighbouring f16 or bf16 has at most 12 significant bits. A quotient
    // of two numbers of 24 bits that isn't a midpoint differs from every midpoint by more than
    // 2^-36 of its value. Rounding to f64 changes it by less than 2^-52, so that it can't reach a
    // midpoint.
    let is_exact = count <= EXACT_COUNT;
    round_to_odd(if is_exact { f64::from(sum) / count as f64 } else { quotient(sum, count) })
}

/// `sum / count` in f64, rounded to odd, from which rounding to f32, f16 or bf16 equals rounding
/// the exact quotient once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
/// proved algorithms using rounding to odd", 2008).
fn quotient(sum: f32, count: u64) -> f64 {
    let (sum, count) = (f64::from(sum), count as f64);
    let nearest = sum / count;
    // What is left of the sum, exactly: nothing of this under- or overflows between f32 and f64.
    let rest = (-nearest).mul_add(count, sum);
    if rest == 0.0 || !rest.is_finite() {
        return nearest;
    }
    // Toward zero, and then to the odd one of the two neighbours.
    let truncated = nearest.to_bits() - u64::from((rest > 0.0) != (sum > 0.0));
    f64::from_bits(truncated | 1)
}

/// f64 to f32 rounded to odd, after which rounding to f16 or bf16 equals rounding the f64 once; see
/// [`quotient`].
fn round_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if back == value || nearest.is_nan() || nearest.to_bits() & 1 == 1 {
        return nearest; // exact, or already the odd neighbour
    }
    // The other neighbour, on the far side of `value`, is the odd one; stepping the bits steps the
    // magnitude.
    f32::from_bits(if back.abs() > value.abs() { nearest.to_bits() - 1 } else { nearest.to_bits() + 1 })
}

impl Arithmetic for Bool {
    type Acc = Self;

    fn widen(self) -> Self {
        self.stored()
    }
    fn narrow(acc: Self) -> Self {
        acc
    }
    fn add(a: Self, b: Self) -> Self {
        (a.get() | b.get()).into()
    }
    fn mul(a: Self, b: Self) -> Self {
        (a.get() & b.get()).into()
    }
    fn max(held: Self, comes: Self) -> Self {
        Self::add(held, comes)
    }
    fn min(held: Self, comes: Self) -> Self {
        Self::mul(held, comes)
    }
    fn mean(sum: Self, _count: u64) -> Self {
        sum // refused by `Problem`: a bool has no mean
    }
    fn identity(reduce: Reduce) -> Self {
        matches!(reduce, Reduce::Mul | Reduce::Min).into()
    }
    fn stored(self) -> Self {
        self.get().into()
    }
}

impl Element for Bool {
    const DTYPE: DType = DType::Bool;

    fn same(self, other: Self) -> bool {
        self == other
    }
    fn from_scalar(value: Scalar) -> Option<Self> {
        value.fits(Self::DTYPE).then(|| (!value.is_zero()).into())
    }
}

macro_rules! complex {
    ($($part:ident => $dtype:ident, scalar $scalar:expr),+ $(,)?) => {$(
        impl Arithmetic for Complex<$part> {
            type Acc = Self;

            fn widen(self) -> Self { self }
            fn narrow(acc: Self) -> Self { acc }
            fn add(a: Self, b: Self) -> Self { Self::new(a.re + b.re, a.im + b.im) }
            fn mul(a: Self, b: Self) -> Self { Self::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re) }
            fn max(held: Self, _comes: Self) -> Self { held }
            fn min(held: Self, _comes: Self) -> Self { held }
            fn mean(sum: Self, count: u64) -> Self {
                Self::new($part::mean(sum.re, count), $part::mean(sum.im, count))
            }
            fn identity(reduce: Reduce) -> Self {
                Self::new(if reduce == Reduce::Mul { 1.0 } else { 0.0 }, 0.0)
            }
        }

        impl Element for Complex<$part> {
            const DTYPE: DType = DType::$dtype;

            fn same(self, other: Self) -> bool { self.re.same(other.re) && self.im.same(other.im) }
            fn from_scalar(value: Scalar) -> Option<Self> {
                value.fits(Self::DTYPE).then(|| Self::new($scalar(value), value.imaginary() as $part))
            }
        }
    )+};
}

complex!(f32 => Complex64, scalar Scalar::to_f32, f64 => Complex128, scalar Scalar::to_f64);

/// Runs a block with a type alias bound to the storage type of a [`DType`], which is known at run
/// time only.
///
/// ```
/// use scatter::{DType, Element};
/// let size = scatter::with_element!(DType::Bf16, T => size_of::<T>());
/// assert_eq!(size, 2);
/// ```
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bf16 => {
                type $T = $crate::bf16;
                $body
            }
            $crate::DType::F16 => {
                type $T = $crate::f16;
                $body
            }
            $crate::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::DType::F64 => {
                type $T = f64;
                $body
            }
            $crate::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::DType::I16 => {
                type $T = i16;
                $body
            }
            $crate::DType::I8 => {
                type $T = i8;
                $body
            }
            $crate::DType::U8 => {
                type $T = u8;
                $body
            }
            $crate::DType::Bool => {
                type $T = $crate::Bool;
                $body
            }
            $crate::DType::Complex64 => {
                type $T = $crate::Complex<f32>;
                $body
            }
            $crate::DType::Complex128 => {
                type $T = $crate::Complex<f64>;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_wins_and_ties_keep_what_is_held() {
        assert!(f32::max(1.0, f32::NAN).is_finite(), "the inherent max is not ours");
        assert!(<f32 as Arithmetic>::max(1.0, f32::NAN).is_nan());
        assert!(<f32 as Arithmetic>::min(f32::NAN, 1.0).is_nan());
        assert_eq!(<f64 as Arithmetic>::max(-0.0, 0.0).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(<f64 as Arithmetic>::min(0.0, -0.0).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn integers_wrap_and_their_mean_floors() {
        assert_eq!(<i8 as Arithmetic>::add(127, 1), -128);
        assert_eq!(<u8 as Arithmetic>::mul(16, 17), 16);
        assert_eq!(i8::mean(-7, 2), -4);
        assert_eq!(i8::mean(100, 300), 0);
        assert_eq!(i8::mean(-100, 300), -1);
        assert_eq!(i64::mean(i64::MIN, 1), i64::MIN);
        assert_eq!(u8::mean(200, 3), 66);
        assert_eq!((i64::mean(-1, u64::MAX), i64::mean(i64::MAX, 1 << 63)), (-1, 0));
        assert_eq!(i64::mean(i64::MIN, u64::MAX), -1);
    }

    #[test]
    fn a_mean_rounds_once() {
        // 1 + 2^-11 + 2^-24 lies just above the tie between 1 and 1 + 2^-10: by way of f32 it would
        // fall on the tie.
        let sum = 3.0 * (1.0 + 2f64.powi(-11)) + 2f64.powi(-22);
        let sum = sum as f32;
        let exact = f64::from(sum) / 3.0;
        assert!(exact > 1.0 + 2f64.powi(-11));
        assert_eq!(f16::mean(sum, 3), f16::from_f32(1.0 + 2f32.powi(-10)));
        assert_eq!(<f32 as Arithmetic>::mean(10_463_969.0, 2_048_619_735).to_bits(), 0x3ba7_5f73);
        assert_eq!(<f32 as Arithmetic>::mean(-10_463_969.0, 2_048_619_735).to_bits(), 0xbba7_5f73);
        assert_eq!(<f32 as Arithmetic>::mean(1.0, 3), 1.0 / 3.0);
        assert_eq!(<f32 as Arithmetic>::mean(-0.0, 3).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(f16::mean(f32::INFINITY, 2), f16::INFINITY);
        assert!(bf16::mean(f32::NAN, 2).is_nan());
        assert_eq!(f16::mean(-65504.0, 1), f16::MIN);
        assert_eq!(<f32 as Arithmetic>::mean(f32::from_bits(3), 2), f32::from_bits(2));
    }

    #[test]
    fn the_mean_of_a_count_that_f32_holds_is_the_quotient_rounded_once() {
        let mut bits = 1_u64;
        let mut random = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 32) as u32
        };
        for _ in 0..100_000 {
            let sum = f32::from_bits(random());
            let count = u64::from(random() % (1 << (1 + random() % 24))) + 1;
            // Where two f16 are halfway from each other, and near there.
            let (step, near) = (f32::from(f16::from_bits(random() as u16)), (random() % 3) as i32 - 1);
            let half = step * 1.000_488_3 * count as f32;
            let half = f32::from_bits(half.to_bits().wrapping_add_signed(near));
            for sum in [sum, half] {
                let exact = quotient(sum, count);
                let what = || format!("{sum:e} {count}");
                assert!(<f32 as Arithmetic>::mean(sum, count).same(exact as f32), "{}", what());
                assert!(f16::mean(sum, count).same(f16_of(round_to_odd(exact))), "{}", what());
                assert!(bf16::mean(sum, count).same(bf16_of(round_to_odd(exact))), "{}", what());
            }
        }
    }

    #[test]
    fn round_to_odd_keeps_exact_values_and_never_ends_even_otherwise() {
        for value in [0.0, 1.0, -1.5, 65504.0, f64::INFINITY] {
            assert_eq!(f64::from(round_to_odd(value)), value);
        }
        for value in [0.1, -0.1, 1.0 + 1e-12, -(1.0 + 1e-12), 1.0 - 1e-12, 1e300, 5e-324] {
            assert_eq!(round_to_odd(value).to_bits() & 1, 1, "{value}");
        }
    }

    #[test]
    fn bool_reads_any_byte_and_writes_0_or_1() {
        assert_eq!(Bool(2).widen(), Bool(1));
        assert_eq!(Bool(7).stored(), Bool(1));
        assert_eq!(Bool::from_scalar(Scalar::from(0.25)), Some(Bool(1)));
        assert_eq!(Bool::identity(Reduce::Min), Bool(1));
    }

    #[test]
    fn scalars_convert_as_the_contract_says() {
        assert_eq!(u8::from_scalar(Scalar::from(-1)), Some(255));
        assert_eq!(u8::from_scalar(Scalar::from(-1.9)), Some(255));
        assert_eq!(i32::from_scalar(Scalar::from(-2.9)), Some(-2));
        assert_eq!(i32::from_scalar(Scalar::from(2_147_483_648.0)), None);
        assert_eq!(f16::from_scalar(Scalar::from(65505)), None);
        assert_eq!(f32::from_scalar(Scalar::from(true)), Some(1.0));
        assert_eq!(
            Complex::<f32>::from_scalar(Scalar::from(Complex::new(1.5, -2.0))),
            Some(Complex::new(1.5, -2.0))
        );
    }
}
