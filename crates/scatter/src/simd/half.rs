//! f16 and bf16 to f32 and back, one or many at a time. All compute what `half` computes: exact,
//! and rounded to nearest even. Rounding quiets a NaN; widening may keep its bits, where `half`
//! quiets it. Unlike those of `half`, the functions for one element are inlined, and don't ask what
//! instructions the machine has. Those for many of bf16 are loops of a [`SimdLoop`], whose
//! instructions they take.

use half::{bf16, f16};

use super::{Level, Simd, SimdLoop};

/// Widens the numbers of `narrow` into `wide`: as many as the shorter slice has.
#[inline(always)]
pub(crate) fn widen_bf16(simd: Simd, narrow: &[bf16], wide: &mut [f32]) {
    Convert { from: narrow, to: wide, one: f32_of_bf16 }.run(simd);
}

/// Narrows the numbers of `wide` into `narrow`, rounded.
#[inline(always)]
pub(crate) fn narrow_bf16(simd: Simd, wide: &[f32], narrow: &mut [bf16]) {
    Convert { from: wide, to: narrow, one: bf16_of }.run(simd);
}

/// Widens the numbers of `narrow` into `wide`.
#[inline(always)]
pub(crate) fn widen_f16(simd: Simd, narrow: &[f16], wide: &mut [f32]) {
    match simd.0 {
        #[cfg(not(target_arch = "aarch64"))]
        Level::Portable => simd.run(Convert { from: narrow, to: wide, one: f32_of_f16 }),
        // SAFETY: every machine of the architecture has the instructions.
        #[cfg(target_arch = "aarch64")]
        Level::Portable => unsafe { aarch64::widen_f16_by_8(narrow, wide) },
        // SAFETY: this machine has the instructions, which is what the level says.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::widen_f16_by_8(narrow, wide) },
        // SAFETY: this machine has the instructions, which is what the level says.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::widen_f16_by_16(narrow, wide) },
    }
}

/// Narrows the numbers of `wide` into `narrow`, rounded.
#[inline(always)]
pub(crate) fn narrow_f16(simd: Simd, wide: &[f32], narrow: &mut [f16]) {
    match simd.0 {
        #[cfg(not(target_arch = "aarch64"))]
        Level::Portable => simd.run(Convert { from: wide, to: narrow, one: f16_of }),
        // SAFETY: every machine of the architecture has the instructions.
        #[cfg(target_arch = "aarch64")]
        Level::Portable => unsafe { aarch64::narrow_f16_by_8(wide, narrow) },
        // SAFETY: this machine has the instructions, which is what the level says.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::narrow_f16_by_8(wide, narrow) },
        // SAFETY: this machine has the instructions, which is what the level says.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::narrow_f16_by_16(wide, narrow) },
    }
}

/// `to[i] = one(from[i])`.
struct Convert<'a, S, D, F> {
    from: &'a [S],
    to: &'a mut [D],
    one: F,
}

impl<S: Copy, D, F: Fn(S) -> D> SimdLoop for Convert<'_, S, D, F> {
    type Output = ();

    #[inline(always)]
    fn run(self, _simd: Simd) {
        for (to, &from) in self.to.iter_mut().zip(self.from) {
            *to = (self.one)(from);
        }
    }
}

/// By the upper half of f32's bits.
#[inline(always)]
pub(crate) fn f32_of_bf16(narrow: bf16) -> f32 {
    f32::from_bits(u32::from(narrow.to_bits()) << 16)
}

/// By integer arithmetic: half a unit in the last place less one, and one more where the kept part
/// is odd.
#[inline(always)]
pub(crate) fn bf16_of(wide: f32) -> bf16 {
    let bits = wide.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let quieted = bits >> 16 | 0x40;
    bf16::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { quieted } else { rounded } as u16)
}

/// Without branches: exponent and fraction take f32's places and the exponent's bias is made up for
/// by a product, which is exact, also for subnormals.
#[inline(always)]
pub(crate) fn f32_of_f16(narrow: f16) -> f32 {
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let bits = u32::from(narrow.to_bits());
    let (sign, magnitude) = ((bits & 0x8000) << 16, (bits & 0x7fff) << 13);
    let finite = (f32::from_bits(magnitude) * REBIAS).to_bits();
    // An exponent of ones stays one of ones: infinities and NaNs.
    let special = magnitude | 0x7f80_0000;
    f32::from_bits(sign | if bits & 0x7c00 == 0x7c00 { special } else { finite })
}

/// Without branches. Normal results round as integers do; for subnormal ones a sum puts the
/// fraction's last place where f32's own rounding to nearest even cuts it off.
#[inline(always)]
pub(crate) fn f16_of(wide: f32) -> f16 {
    /// The least f32 that rounds to an f16 infinity or lies beyond.
    const OVERFLOW: u32 = (127 + 16) << 23;
    /// The least normal f16.
    const NORMAL: u32 = (127 - 14) << 23;
    /// Its last place is the last place of subnormal f16s.
    const ALIGN: u32 = (127 - 15 + 23 - 10 + 1) << 23;
    let bits = wide.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let subnormal = (f32::from_bits(magnitude) + f32::from_bits(ALIGN)).to_bits().wrapping_sub(ALIGN);
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let infinite = if magnitude > 0x7f80_0000 { 0x7e00 | magnitude >> 13 & 0x3ff } else { 0x7c00 };
    let finite = if magnitude < NORMAL { subnormal } else { normal };
    f16::from_bits((sign | if magnitude >= OVERFLOW { infinite } else { finite }) as u16)
}

/// A function by a target's instructions: `$lanes` elements at a time, and what is left one by one.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! by_lanes {
    ($name:ident, $features:literal, $lanes:literal, $from:ty => $to:ty,
     |$source:ident, $target:ident| $block:expr, $one:ident) => {
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn $name(from: &[$from], to: &mut [$to]) {
            let len = from.len().min(to.len());
            let (from_blocks, from_rest) = from[..len].as_chunks::<$lanes>();
            let (to_blocks, to_rest) = to[..len].as_chunks_mut::<$lanes>();
            for (from, to) in from_blocks.iter().zip(to_blocks) {
                let ($source, $target) = (from.as_ptr(), to.as_mut_ptr());
                // SAFETY: the block has as many elements as the instructions load and store,
                // unaligned.
                unsafe { $block }
            }
            for (to, &from) in to_rest.iter_mut().zip(from_rest) {
                *to = $one(from);
            }
        }
    };
}

/// F16C and its AVX-512 form.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps, _mm256_cvtps_ph,
        _mm256_loadu_ps, _mm256_loadu_si256, _mm256_storeu_ps, _mm256_storeu_si256, _mm512_cvtph_ps,
        _mm512_cvtps_ph, _mm512_loadu_ps, _mm512_storeu_ps,
    };

    use half::f16;

    use super::{f16_of, f32_of_f16};

    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;

    by_lanes!(widen_f16_by_8, "avx2,f16c", 8, f16 => f32,
        |from, to| _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(from.cast()))), f32_of_f16);
    by_lanes!(narrow_f16_by_8, "avx2,f16c", 8, f32 => f16,
        |from, to| _mm_storeu_si128(to.cast(), _mm256_cvtps_ph::<NEAREST>(_mm256_loadu_ps(from))), f16_of);
    by_lanes!(widen_f16_by_16, "avx512f", 16, f16 => f32,
        |from, to| _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256(from.cast()))), f32_of_f16);
    by_lanes!(narrow_f16_by_16, "avx512f", 16, f32 => f16,
        |from, to| _mm256_storeu_si256(to.cast(), _mm512_cvtps_ph::<NEAREST>(_mm512_loadu_ps(from))), f16_of);
}

/// The conversions of Advanced SIMD. `core::arch` has them from Rust 1.94 on.
#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use core::arch::aarch64::{float32x4_t, uint16x8_t, vld1q_f32, vld1q_u16, vst1q_f32, vst1q_u16};
    use core::arch::asm;

    use half::f16;

    use super::{f16_of, f32_of_f16};

    by_lanes!(widen_f16_by_8, "neon", 8, f16 => f32, |from, to| {
        let [low, high] = wide(vld1q_u16(from.cast()));
        vst1q_f32(to, low);
        vst1q_f32(to.add(4), high);
    }, f32_of_f16);
    by_lanes!(narrow_f16_by_8, "neon", 8, f32 => f16,
        |from, to| vst1q_u16(to.cast(), narrow([vld1q_f32(from), vld1q_f32(from.add(4))])), f16_of);

    /// The numbers of eight f16.
    #[inline]
    #[target_feature(enable = "neon")]
    fn wide(narrow: uint16x8_t) -> [float32x4_t; 2] {
        let (low, high);
        // SAFETY: the instructions touch these registers only, and what exceptions set in FPSR.
        unsafe {
            asm!(
                "fcvtl {low:v}.4s, {narrow:v}.4h",
                "fcvtl2 {high:v}.4s, {narrow:v}.8h",
                narrow = in(vreg) narrow,
                low = out(vreg) low,
                high = lateout(vreg) high,
                options(pure, nomem, nostack),
            );
        }
        [low, high]
    }

    /// Eight numbers, rounded to f16.
    #[inline]
    #[target_feature(enable = "neon")]
    fn narrow([low, high]: [float32x4_t; 2]) -> uint16x8_t {
        let narrow;
        // SAFETY: the instructions touch these registers only, and what exceptions set in FPSR.
        unsafe {
            asm!(
                "fcvtn {narrow:v}.4h, {low:v}.4s",
                "fcvtn2 {narrow:v}.8h, {high:v}.4s",
                low = in(vreg) low,
                high = in(vreg) high,
                narrow = out(vreg) narrow,
                options(pure, nomem, nostack),
            );
        }
        narrow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Widen<'a>(&'a [bf16], &'a mut [f32]);

    impl SimdLoop for Widen<'_> {
        type Output = ();

        #[inline(always)]
        fn run(self, simd: Simd) {
            widen_bf16(simd, self.0, self.1);
        }
    }

    struct Narrow<'a>(&'a [f32], &'a mut [bf16]);

    impl SimdLoop for Narrow<'_> {
        type Output = ();

        #[inline(always)]
        fn run(self, simd: Simd) {
            narrow_bf16(simd, self.0, self.1);
        }
    }

    /// Every exponent and the edges of every rounding are all upper halves with these lower ones.
    const LOWER: [u32; 14] =
        [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000, 0x7fff, 0x8000, 0x8001, 0xb000, 0xf000, 0xffff];

    /// Bits, all NaNs being one.
    fn f32_key(x: f32) -> u32 {
        if x.is_nan() { u32::MAX } else { x.to_bits() }
    }

    #[test]
    fn one_number_is_converted_as_half_does() {
        for bits in 0..=u16::MAX {
            let (narrow, short) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert_eq!(f32_key(f32_of_f16(narrow)), f32_key(narrow.to_f32()), "{narrow:?}");
            assert_eq!(f32_key(f32_of_bf16(short)), f32_key(short.to_f32()), "{short:?}");
            for lower in LOWER {
                let wide = f32::from_bits(u32::from(bits) << 16 | lower);
                let (got, expected) = (f16_of(wide), f16::from_f32(wide));
                assert!(got == expected || got.is_nan() && expected.is_nan(), "{wide:e}: {got:?}");
                let (got, expected) = (bf16_of(wide), bf16::from_f32(wide));
                assert!(got == expected || got.is_nan() && expected.is_nan(), "{wide:e}: {got:?}");
            }
        }
    }

    #[test]
    fn all_narrow_numbers_are_widened_as_half_does() {
        for simd in Simd::all() {
            let all: Vec<u16> = (0..=u16::MAX).chain(0..5).collect();
            let mut wide = vec![0.0; all.len()];
            let narrow: Vec<f16> = all.iter().map(|&bits| f16::from_bits(bits)).collect();
            widen_f16(simd, &narrow, &mut wide);
            for (wide, narrow) in wide.iter().zip(narrow) {
                assert_eq!(f32_key(*wide), f32_key(narrow.to_f32()), "{simd:?} {narrow:?}");
            }
            let narrow: Vec<bf16> = all.iter().map(|&bits| bf16::from_bits(bits)).collect();
            simd.run(Widen(&narrow, &mut wide));
            for (wide, narrow) in wide.iter().zip(narrow) {
                assert_eq!(f32_key(*wide), f32_key(narrow.to_f32()), "{simd:?} {narrow:?}");
            }
        }
    }

    #[test]
    fn wide_numbers_are_narrowed_as_half_does() {
        let bits = (0..=u16::MAX).flat_map(|upper| LOWER.map(|lower| u32::from(upper) << 16 | lower));
        let wide: Vec<f32> = bits.map(f32::from_bits).collect();
        for simd in Simd::all() {
            let mut narrow = vec![f16::ZERO; wide.len()];
            narrow_f16(simd, &wide, &mut narrow);
            for (&wide, got) in wide.iter().zip(narrow) {
                let expected = f16::from_f32(wide);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "{simd:?} {wide:e}: got {got:?}, expected {expected:?}");
            }
            let mut narrow = vec![bf16::ZERO; wide.len()];
            simd.run(Narrow(&wide, &mut narrow));
            for (&wide, got) in wide.iter().zip(narrow) {
                let expected = bf16::from_f32(wide);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "{simd:?} {wide:e}: got {got:?}, expected {expected:?}");
            }
        }
    }
}
