//! Loops compiled for several instruction sets, one of which is chosen at run time.
//!
//! A loop is written once, in plain Rust that the compiler can vectorise, as the body of a
//! [`SimdLoop`]. [`Simd::run`] has a copy of it for each instruction set; the portable copy is all
//! that there is on other architectures than x86-64. Rust never contracts a product and a sum, so
//! all copies compute the same bits.

pub(crate) mod half;
mod range_search;

pub(crate) use range_search::RangeSearch;

use crate::Element;

/// An instruction set that this machine has.
///
/// The default is the best one. Others change speed, never the result; they are there for tests,
/// and no part of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Level);

/// The instruction sets that loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// What every machine of the architecture has.
    Portable,
    /// AVX2 and F16C.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, BW, DQ and VL, with F16C and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A loop. `run` must be `#[inline(always)]`, and so must what it calls, to be compiled for each
/// instruction set.
pub(crate) trait SimdLoop {
    /// What it computes.
    type Output;
    /// Whether there is a copy for AVX-512; without, the one for AVX2 is run.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    const AVX512: bool = true;
    /// Runs the loop. `simd` is what the copy is compiled for: a constant in each of them.
    fn run(self, simd: Simd) -> Self::Output;
}

/// A function, which must be `#[inline(always)]`, and its argument.
impl<A, R, F: FnOnce(A) -> R> SimdLoop for (F, A) {
    type Output = R;

    #[inline(always)]
    fn run(self, _simd: Simd) -> R {
        let (function, argument) = self;
        function(argument)
    }
}

impl Default for Simd {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Self(Level::Avx512);
            }
            if has_avx2() {
                return Self(Level::Avx2);
            }
        }
        Self::PORTABLE
    }
}

impl Simd {
    /// What every machine has.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// Those that this machine has, the best one last.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let better = [
            #[cfg(target_arch = "x86_64")]
            has_avx2().then_some(Self(Level::Avx2)),
            #[cfg(target_arch = "x86_64")]
            has_avx512().then_some(Self(Level::Avx512)),
        ];
        [Some(Self::PORTABLE)].into_iter().chain(better).flatten().collect()
    }

    /// The name in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        }
    }

    /// Runs a loop with these instructions.
    #[inline]
    pub(crate) fn run<L: SimdLoop>(self, body: L) -> L::Output {
        match self.0 {
            Level::Portable => body.run(Self::PORTABLE),
            // SAFETY: such a value is made by asking whether the machine has the instructions, or
            // in a copy of a loop that runs only where it has.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { run_avx2(body) },
            // SAFETY: a value of this level is only made on a machine that has the instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if L::AVX512 => unsafe { run_avx512(body) },
            // SAFETY: a machine that has AVX-512 has AVX2, too.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { run_avx2(body) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// # Safety
/// The machine has these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn run_avx2<L: SimdLoop>(body: L) -> L::Output {
    body.run(Simd(Level::Avx2))
}

/// # Safety
/// The machine has these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
fn run_avx512<L: SimdLoop>(body: L) -> L::Output {
    body.run(Simd(Level::Avx512))
}

/// Reads four numbers by one load where that is faster: x86-64 processors load two floating-point
/// values in a cycle, and loops that load two for each that they store wait for that.
///
/// # Safety
/// There are four elements from `from` on.
#[inline(always)]
pub(crate) unsafe fn read_four<T: Element>(from: *const T) -> [T; 4] {
    // Miri knows no assembly.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if matches!(T::DTYPE, crate::DType::F32) {
        use core::arch::x86_64::{_mm_cvtss_f32, _mm_loadu_ps, _mm_shuffle_ps};
        // SAFETY: there are four elements; every machine of the architecture has these
        // instructions; T is f32, the only type of its DTYPE.
        return unsafe {
            let mut four = _mm_loadu_ps(from.cast());
            // Or else the compiler makes four loads of it.
            core::arch::asm!("/* {} */", inout(xmm_reg) four, options(pure, nomem, nostack, preserves_flags));
            let [b, c, d] = [
                _mm_shuffle_ps::<1>(four, four),
                _mm_shuffle_ps::<2>(four, four),
                _mm_shuffle_ps::<3>(four, four),
            ];
            let four = [four, b, c, d].map(|value| _mm_cvtss_f32(value));
            core::mem::transmute_copy::<[f32; 4], [T; 4]>(&four)
        };
    }
    // SAFETY: there are four elements.
    unsafe { from.cast::<[T; 4]>().read() }
}
