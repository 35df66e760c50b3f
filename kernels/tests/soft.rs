//! The arithmetic in software is that of the host's floating-point unit.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

unsafe extern "C" {
    safe fn scatter_test_soft_add(a: u64, b: u64) -> u64;
    safe fn scatter_test_soft_mul(a: u64, b: u64) -> u64;
    safe fn scatter_test_soft_less(a: u64, b: u64) -> u32;
    safe fn scatter_test_soft_mean_f64(sum: u64, count: u32) -> u64;
    safe fn scatter_test_soft_mean_f32(sum: u64, count: u32) -> u64;
    safe fn scatter_test_soft_mean_f16(sum: u64, count: u32) -> u64;
    safe fn scatter_test_soft_mean_bf16(sum: u64, count: u32) -> u64;
    safe fn scatter_test_soft_widen_f16(bits: u64) -> u64;
}

/// Numbers at the limits of formats.
fn specials() -> Vec<u64> {
    let mut bits = vec![0];
    for exponent in [0_u64, 1, 2, 53, 1022, 1023, 1024, 1075, 2044, 2045, 2046, 2047] {
        for fraction in [0, 1, 2, 3, 1 << 51, (1 << 51) + 1, (1 << 52) - 2, (1 << 52) - 1] {
            bits.push(exponent << 52 | fraction);
        }
    }
    bits.iter().flat_map(|&bits| [bits, bits | 1 << 63]).collect()
}

/// Pairs of random bits: of any exponents, of near ones (where sums cancel and carry), and of short
/// fractions (where products are ties).
fn random_pairs(count: usize) -> impl Iterator<Item = (u64, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..count).map(move |number| {
        let (a, b) = (rng.next_u64(), rng.next_u64());
        let near = (a & !(0x7ff << 52))
            | ((b >> 52 & 0x7ff).wrapping_add(a >> 52 & 3).wrapping_sub(1) & 0x7ff) << 52;
        match number % 4 {
            0 => (a, b),
            1 => (near, b),
            2 => (a & !0 << (a & 63), b & !0 << (b & 63)),
            _ => (near & !0 << (a & 31), b & !0 << (b & 31)),
        }
    })
}

fn assert_same(got: u64, expected: f64, what: impl Fn() -> String) {
    let got = f64::from_bits(got);
    assert!(
        got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
        "{}: {got:?}",
        what()
    );
}

fn check(a: u64, b: u64) {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let of =
        |operator: &str, expected: f64| format!("{x:?} {operator} {y:?} ({a:#x}, {b:#x}) is {expected:?}");
    assert_same(scatter_test_soft_add(a, b), x + y, || of("+", x + y));
    assert_same(scatter_test_soft_mul(a, b), x * y, || of("*", x * y));
    assert_eq!(scatter_test_soft_less(a, b) != 0, x < y, "{x:?} < {y:?}");
    let count = (b >> (b & 31)) as u32 | 1;
    let mean = x / f64::from(count);
    assert_same(scatter_test_soft_mean_f64(a, count), mean, || format!("{x:?} / {count} is {mean:?}"));
}

#[test]
fn doubles_are_those_of_the_host() {
    for a in specials() {
        for b in specials() {
            check(a, b);
        }
    }
    for (a, b) in random_pairs(8_000_000) {
        check(a, b);
    }
}

/// sign, mantissa and exponent of a finite f32.
fn parts(value: f32) -> (i128, i32) {
    let bits = value.to_bits();
    let field = (bits >> 23 & 0xff) as i32;
    let fraction = i128::from(bits & 0x7f_ffff);
    let (mantissa, exponent) = if field == 0 { (fraction, -149) } else { (fraction | 1 << 23, field - 150) };
    (if value.is_sign_negative() { -mantissa } else { mantissa }, exponent)
}

/// How far `quotient` × count is from `sum`, in units that do not depend on `quotient`; exact.
fn distance(sum: f32, count: u32, quotient: f32, unit: i32) -> i128 {
    let ((sum, s), (quotient, q)) = (parts(sum), parts(quotient));
    ((sum << (s - unit)) - ((quotient * i128::from(count)) << (q - unit))).abs()
}

/// Checks that the quotient is the nearest of a format's numbers, given as f32, and the even one of
/// two.
fn check_quotient(sum: f32, count: u32, [below, got, above]: [f32; 3], is_even: bool) {
    let exponents = [sum, below, got, above].map(|value| parts(value).1);
    let (unit, highest) = exponents.into_iter().fold((i32::MAX, i32::MIN), |(l, h), e| (l.min(e), h.max(e)));
    if highest - unit > 60 {
        return; // further than 128 bits reach
    }
    let far = |quotient| distance(sum, count, quotient, unit);
    let message = format!("{sum:?} / {count} is not {got:?}");
    for neighbour in [below, above] {
        assert!(far(got) < far(neighbour) || (far(got) == far(neighbour) && is_even), "{message}");
    }
}

#[test]
fn quotients_are_rounded_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for number in 0..3_000_000 {
        let random = rng.next_u64();
        // Counts of any length; sums whose quotients lie in each format, subnormals too.
        let count = ((random >> 32) as u32 >> (random & 31)).max(1);
        let exponent = match number % 3 {
            0 => 1 + (random >> 5 & 0xff) as u32 % 254,
            1 => 100 + (random >> 5 & 31) as u32,
            _ => (random >> 5 & 31) as u32,
        };
        let short = !0_u32 << (random >> 13 & 15);
        let sum = f32::from_bits((random as u32 & 0x807f_ffff & short) | exponent << 23);
        if sum == 0.0 {
            continue;
        }
        let bits = u64::from(sum.to_bits());

        let f32_bits = scatter_test_soft_mean_f32(bits, count) as u32;
        let f32_of = |bits: u32| f32::from_bits(bits);
        if f32_bits & 0x7fff_ffff != 0 && f32_bits & 0x7fff_ffff < 0x7f7f_ffff {
            check_quotient(sum, count, [f32_bits - 1, f32_bits, f32_bits + 1].map(f32_of), f32_bits & 1 == 0);
        }
        let bf16_bits = scatter_test_soft_mean_bf16(bits, count) as u32;
        if bf16_bits & 0x7fff != 0 && bf16_bits & 0x7fff < 0x7f7f {
            let of = |bits: u32| f32::from_bits(bits << 16);
            check_quotient(sum, count, [bf16_bits - 1, bf16_bits, bf16_bits + 1].map(of), bf16_bits & 1 == 0);
        }
        let f16_bits = scatter_test_soft_mean_f16(bits, count) as u16;
        if f16_bits & 0x7fff != 0 && f16_bits & 0x7fff < 0x7bff {
            let of = |bits: u16| scatter::f16::from_bits(bits).to_f32();
            check_quotient(sum, count, [f16_bits - 1, f16_bits, f16_bits + 1].map(of), f16_bits & 1 == 0);
        }
        // Numbers without neighbours to compare with are at an end of the format.
        let quotient = f64::from(sum) / f64::from(count);
        if f16_bits & 0x7fff == 0 {
            assert!(quotient.abs() <= 2.0_f64.powi(-25), "{sum:?} / {count} is not 0");
        }
        if f16_bits & 0x7fff == 0x7c00 {
            assert!(quotient.abs() >= 65_520.0, "{sum:?} / {count} is not infinite");
        }
        assert!(f16_bits & 0x7fff <= 0x7c00, "{sum:?} / {count} is a number");
    }
    let infinity = u64::from(f32::INFINITY.to_bits());
    assert_eq!(scatter_test_soft_mean_f16(infinity, 3), 0x7c00);
    assert_eq!(scatter_test_soft_mean_bf16(u64::from((-0.0_f32).to_bits()), 3), 0x8000);
    assert!(f32::from_bits(scatter_test_soft_mean_f32(u64::from(f32::NAN.to_bits()), 3) as u32).is_nan());
}

#[test]
fn every_half_widens_exactly() {
    for bits in 0..=u16::MAX {
        let (got, expected) =
            (scatter_test_soft_widen_f16(bits.into()) as u32, scatter::f16::from_bits(bits).to_f32());
        assert!(
            got == expected.to_bits() || (f32::from_bits(got).is_nan() && expected.is_nan()),
            "{bits:#x}"
        );
    }
}
