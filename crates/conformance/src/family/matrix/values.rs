//! The values in tensors, chosen so that a wrong order, a wrong rounding or a wrong corner case
//! shows.

use engines::random::Random;
use engines::storage::Storage;
use scatter::{Bool, Complex, DType, Element, Scalar, bf16, f16};

/// How often corner cases of a dtype occur: once in this number. NaN and infinities swallow the
/// other updates of an element, so half of the cases have almost none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners(u64);

impl Corners {
    /// A random frequency for one case.
    pub(super) fn drawn(random: &mut Random) -> Self {
        Self(random.pick(&[1000, 1000, 30, 6]))
    }

    /// `len` elements.
    pub(super) fn fill(self, dtype: DType, len: usize, random: &mut Random) -> Storage {
        match dtype {
            DType::Bf16 => filled(len, || bf16::from_f64(self.real(&BF16, random))),
            DType::F16 => filled(len, || f16::from_f64(self.real(&F16, random))),
            DType::F32 => filled(len, || self.real(&F32, random) as f32),
            DType::F64 => filled(len, || self.real(&F64, random)),
            DType::Complex64 => {
                filled(len, || Complex::new(self.real(&F32, random) as f32, self.real(&F32, random) as f32))
            }
            DType::Complex128 => {
                filled(len, || Complex::new(self.real(&F64, random), self.real(&F64, random)))
            }
            DType::I64 => filled(len, || self.integer(i64::MIN, i64::MAX, random)),
            DType::I32 => filled(len, || self.integer(i32::MIN.into(), i32::MAX.into(), random) as i32),
            DType::I16 => filled(len, || self.integer(i16::MIN.into(), i16::MAX.into(), random) as i16),
            DType::I8 => filled(len, || self.integer(i8::MIN.into(), i8::MAX.into(), random) as i8),
            DType::U8 => filled(len, || self.integer(0, u8::MAX.into(), random) as u8),
            // Bool: any byte but 0 reads as true.
            _ => filled(len, || Bool(random.pick(&[0, 0, 0, 1, 1, 2, 128, 255]))),
        }
    }

    /// A random scalar that `dtype` accepts.
    pub(super) fn scalar(self, dtype: DType, random: &mut Random) -> Scalar {
        let scalar = match dtype {
            DType::Bf16 => Scalar::Float(self.real(&BF16, random)),
            DType::F16 => Scalar::Float(self.real(&F16, random)),
            DType::F32 => Scalar::Float(self.real(&F32, random)),
            DType::F64 => Scalar::Float(self.real(&F64, random)),
            DType::Complex64 => {
                Scalar::Complex(Complex::new(self.real(&F32, random), self.real(&F32, random)))
            }
            DType::Complex128 => {
                Scalar::Complex(Complex::new(self.real(&F64, random), self.real(&F64, random)))
            }
            DType::Bool => random.pick(&[true, false]).into(),
            DType::U8 => Scalar::from(random.below(511) as i64 - 255),
            _ => Scalar::from(self.integer(i64::MIN, i64::MAX, random)),
        };
        // Every dtype accepts bools, integers and, within its range, real numbers.
        let other = match random.below(8) {
            0 => Scalar::from(random.below(2) == 1),
            1 => Scalar::from(random.below(200) as i64 - 100),
            2 => Scalar::from((random.unit() - 0.25) * 100.0),
            _ => scalar,
        };
        [other, scalar].into_iter().find(|scalar| scalar.fits(dtype)).unwrap_or(Scalar::Int(-3))
    }

    /// A random real number: of a magnitude that doesn't vanish in sums, or a corner case.
    fn real(self, format: &Format, random: &mut Random) -> f64 {
        let mut draw = random.draw();
        if draw.below(self.0) == 0 {
            let Format { subnormal, max } = *format;
            return random.pick(&[
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                0.0,
                -0.0,
                subnormal,
                -3.0 * subnormal,
                max,
                -max,
                1.0,
            ]);
        }
        match draw.below(4) {
            0 => draw.below(9) as f64 - 4.0,
            _ => {
                let scale = f64::from(1_u32 << draw.below(24)) / 4096.0;
                (draw.unit() - 0.5) * scale
            }
        }
    }

    /// A random integer from `min` to `max`: a small one, any, or a corner case.
    fn integer(self, min: i64, max: i64, random: &mut Random) -> i64 {
        let mut draw = random.draw();
        if draw.below(self.0) == 0 {
            return random.pick(&[min, max, min + 1, max - 1, 0, 1]);
        }
        match draw.below(4) {
            0 => random.bits() as i64,
            _ => draw.below(15) as i64 + if min < 0 { -7 } else { 0 },
        }
    }
}

/// The limits of a float format.
struct Format {
    /// The smallest positive number.
    subnormal: f64,
    /// The largest number.
    max: f64,
}

const BF16: Format = Format { subnormal: 9.183_549_615_799_121e-41, max: 3.389_531_389_251_535_5e38 };
const F16: Format = Format { subnormal: 5.960_464_477_539_063e-8, max: 65_504.0 };
const F32: Format = Format { subnormal: 1.401_298_464_324_817e-45, max: 3.402_823_466_385_288_6e38 };
const F64: Format = Format { subnormal: 5e-324, max: f64::MAX };

fn filled<T: Element>(len: usize, element: impl FnMut() -> T) -> Storage {
    let mut element = element;
    Storage::of(&(0..len).map(|_| element()).collect::<Vec<T>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_numbers_of_their_format() {
        for (format, exact) in [
            (BF16, f64::from(bf16::from_bits(1)) == BF16.subnormal && f64::from(bf16::MAX) == BF16.max),
            (F16, f64::from(f16::from_bits(1)) == F16.subnormal && f64::from(f16::MAX) == F16.max),
            (F32, f64::from(f32::from_bits(1)) == F32.subnormal && f64::from(f32::MAX) == F32.max),
        ] {
            assert!(exact, "{}", format.max);
        }
    }

    #[test]
    fn every_dtype_takes_its_scalars() {
        let mut random = Random::of(1, "scalars");
        for dtype in DType::ALL {
            for _ in 0..200 {
                let scalar = Corners(4).scalar(dtype, &mut random);
                assert!(scalar.fits(dtype), "{scalar} into {dtype}");
            }
        }
    }
}
