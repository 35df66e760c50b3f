//! Sums, products, quotients and bits, over dtypes, layouts and shapes.

use crate::common::{Tensor, Truth, Typed, call, refusal, scalar, truths};
use half::{bf16, f16};
use num_complex::Complex;

/// `self + alpha * other`, `self - alpha * other` and `self * other` of one dtype.
fn computes<T: Typed + PartialEq + std::fmt::Debug>(
    left: &[T; 3],
    right: &[T; 3],
    alpha: i64,
    [sums, differences, products]: [&[T; 3]; 3],
) {
    let (left, right) = (Tensor::new(&[3], left), Tensor::strided(&[3], &[1], 0, right));
    let out = Tensor::new(&[3], &[T::zeroed(); 3]);
    call!(aclnnAdd, aclnnAddGetWorkspaceSize(left.raw, right.raw, scalar(alpha), out.raw));
    assert_eq!(out.read::<T>(), sums, "{}", T::DTYPE);
    call!(aclnnSub, aclnnSubGetWorkspaceSize(left.raw, right.raw, scalar(alpha), out.raw));
    assert_eq!(out.read::<T>(), differences, "{}", T::DTYPE);
    call!(aclnnMul, aclnnMulGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<T>(), products, "{}", T::DTYPE);
    call!(aclnnInplaceMul, aclnnInplaceMulGetWorkspaceSize(left.raw, right.raw));
    assert_eq!(left.read::<T>(), products, "{}", T::DTYPE);
}

macro_rules! integers_wrap {
    ($($kind:ident)*) => {$(
        computes::<$kind>(
            &[$kind::MAX, 3, $kind::MIN],
            &[1, 4, $kind::MAX],
            2,
            [
                &[$kind::MAX.wrapping_add(2), 11, $kind::MIN.wrapping_add($kind::MAX.wrapping_mul(2))],
                &[$kind::MAX - 2, (3 as $kind).wrapping_sub(8), $kind::MIN.wrapping_sub($kind::MAX.wrapping_mul(2))],
                &[$kind::MAX, 12, $kind::MIN.wrapping_mul($kind::MAX)],
            ],
        );
    )*};
}

#[test]
fn every_dtype_is_computed() {
    integers_wrap!(u8 i8 u16 i16 u32 i32 u64 i64);
    macro_rules! floats {
        ($($of:expr;)*) => {$(
            let of = $of;
            let three = |numbers: [f32; 3]| numbers.map(of);
            computes(
                &three([1.5, -2.0, f32::INFINITY]),
                &three([2.0, 0.5, 1.0]),
                3,
                [
                    &three([7.5, -0.5, f32::INFINITY]),
                    &three([-4.5, -3.5, f32::INFINITY]),
                    &three([3.0, -1.0, f32::INFINITY]),
                ],
            );
        )*};
    }
    floats! { f16::from_f32; bf16::from_f32; |x: f32| x; |x: f32| f64::from(x); }
    let i = Complex::new(0_f32, 1.0);
    computes(
        &[i, i + 1.0, i * 2.0],
        &[i, i, i + 3.0],
        2,
        [
            &[i * 3.0, i * 3.0 + 1.0, i * 4.0 + 6.0],
            &[-i, -i + 1.0, Complex::new(-6.0, 0.0)],
            &[i * i, i - 1.0, i * 6.0 - 2.0],
        ],
    );
}

#[test]
fn bool_is_added_as_or_and_multiplied_as_and() {
    let (left, right) =
        (Tensor::new(&[3], &truths(&[true, true, false])), Tensor::new(&[3], &truths(&[true, false, false])));
    let out = Tensor::new(&[3], &[Truth(9); 3]);
    for alpha in [1_i64, -1, 2] {
        call!(aclnnAdd, aclnnAddGetWorkspaceSize(left.raw, right.raw, scalar(alpha), out.raw));
        assert_eq!(out.read::<Truth>(), truths(&[true, true, false]), "{alpha}");
    }
    call!(aclnnMul, aclnnMulGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true, false, false]));
    call!(aclnnBitwiseAndTensor, aclnnBitwiseAndTensorGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<Truth>(), truths(&[true, false, false]));
}

#[test]
fn sums_of_floats_are_rounded_once() {
    // 1 + 2^-12 squared has a bit at 2^-24, which a rounded product loses.
    let near = 1.0 + f32::EPSILON * 2048.0;
    let (left, right) = (Tensor::new(&[1], &[-1_f32]), Tensor::new(&[1], &[near]));
    call!(aclnnInplaceAdd, aclnnInplaceAddGetWorkspaceSize(left.raw, right.raw, scalar(near)));
    assert_eq!(left.read::<f32>(), [near.mul_add(near, -1.0)]);
    assert_ne!(left.read::<f32>(), [near * near - 1.0]);
    // An alpha may be larger than f16's numbers, for sums are made in f32.
    let (zero, tiny) = (Tensor::new(&[1], &[f16::ZERO]), Tensor::new(&[1], &[f16::from_f32(0.01)]));
    call!(aclnnInplaceAdd, aclnnInplaceAddGetWorkspaceSize(zero.raw, tiny.raw, scalar(70_000_i64)));
    assert_eq!(zero.read::<f16>(), [f16::from_f32(70_000.0 * f16::from_f32(0.01).to_f32())]);
    // A scalar has more digits than the tensor.
    let (half, out) = (Tensor::new(&[1], &[f16::from_f32(1000.0)]), Tensor::new(&[1], &[f16::ZERO]));
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(half.raw, scalar(1.0005_f64), out.raw));
    assert_eq!(out.read::<f16>(), [f16::from_f32(1000.5)]);
}

#[test]
fn operands_are_broadcast_in_every_layout() {
    let (left, right) = (
        Tensor::strided(&[2, 1, 3], &[1, 9, 2], 1, &[0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        Tensor::strided(&[4, 1], &[2, 1], 1, &[0_f64, 10.0, 0.0, 20.0, 0.0, 30.0, 0.0, 40.0]),
    );
    // Promoted to f64, and stored in f32.
    let out = Tensor::strided(&[2, 4, 3], &[1, 6, 2], 0, &[0_f32; 24]);
    call!(aclnnAdd, aclnnAddGetWorkspaceSize(left.raw, right.raw, scalar(1_i64), out.raw));
    let got = out.read::<f32>();
    for place in 0..24 {
        let (i, j, k) = (place / 12, place / 3 % 4, place % 3);
        let expected = (1 + i + 2 * k) as f32 + 10.0 * (j + 1) as f32;
        assert_eq!(got[i + 6 * j + 2 * k], expected, "{i} {j} {k}");
    }
    // Rank 0, and no elements.
    let (zero, one) = (Tensor::new(&[], &[3_i32]), Tensor::new(&[1], &[4_u8]));
    let out = Tensor::new(&[1], &[0_i32]);
    call!(aclnnMul, aclnnMulGetWorkspaceSize(zero.raw, one.raw, out.raw));
    assert_eq!(out.read::<i32>(), [12]);
    let (none, out) = (Tensor::new::<f32>(&[3, 0], &[]), Tensor::new::<f32>(&[3, 0], &[]));
    call!(aclnnMul, aclnnMulGetWorkspaceSize(none.raw, one.raw, out.raw));
}

#[test]
fn dtypes_are_promoted() {
    let (left, right) = (Tensor::new(&[2], &[200_u8, 7]), Tensor::new(&[2], &[-1_i8, 100]));
    let out = Tensor::new(&[2], &[0_i16; 2]);
    call!(aclnnMul, aclnnMulGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<i16>(), [-200, 700]);
    let out = Tensor::new(&[2], &[0_f32; 2]);
    call!(aclnnMuls, aclnnMulsGetWorkspaceSize(left.raw, scalar(0.5_f64), out.raw));
    assert_eq!(out.read::<f32>(), [100.0, 3.5]);
    // An integer is rounded to a half, to which both are promoted.
    let (left, right) = (Tensor::new(&[1], &[2049_i32]), Tensor::new(&[1], &[f16::ONE]));
    let out = Tensor::new(&[1], &[0_f32]);
    call!(aclnnSub, aclnnSubGetWorkspaceSize(left.raw, right.raw, scalar(1_i64), out.raw));
    assert_eq!(out.read::<f32>(), [2047.0]);
    let i64s = Tensor::new(&[2], &[i64::MAX, 1]);
    call!(aclnnInplaceAdds, aclnnInplaceAddsGetWorkspaceSize(i64s.raw, scalar(1_i64), scalar(-1_i64)));
    assert_eq!(i64s.read::<i64>(), [i64::MAX - 1, 0]);
    call!(aclnnInplaceSubs, aclnnInplaceSubsGetWorkspaceSize(i64s.raw, scalar(1_i64), scalar(-1_i64)));
    assert_eq!(i64s.read::<i64>(), [i64::MAX, 1]);
    call!(aclnnInplaceMuls, aclnnInplaceMulsGetWorkspaceSize(i64s.raw, scalar(2_i64)));
    assert_eq!(i64s.read::<i64>(), [-2, 2]);
    let floats = Tensor::new(&[2], &[1_f32, 3.0]);
    call!(aclnnInplaceDivs, aclnnInplaceDivsGetWorkspaceSize(floats.raw, scalar(2_i64)));
    assert_eq!(floats.read::<f32>(), [0.5, 1.5]);
}

#[test]
fn quotients_are_floats() {
    let (left, right) = (Tensor::new(&[3], &[1_i64, -7, 0]), Tensor::new(&[3], &[2_i64, 2, 0]));
    let out = Tensor::new(&[3], &[0_f32; 3]);
    call!(aclnnDiv, aclnnDivGetWorkspaceSize(left.raw, right.raw, out.raw));
    let got = out.read::<f32>();
    assert_eq!(got[..2], [0.5, -3.5]);
    assert!(got[2].is_nan());
    call!(aclnnDivs, aclnnDivsGetWorkspaceSize(left.raw, scalar(2_i64), out.raw));
    assert_eq!(out.read::<f32>(), [0.5, -3.5, 0.0]);
    let large = Complex::new(1e300_f64, 1e300);
    let (left, right) = (
        Tensor::new(&[2], &[large, Complex::new(4.0, 2.0)]),
        Tensor::new(&[2], &[large, Complex::new(0.0, 2.0)]),
    );
    call!(aclnnInplaceDiv, aclnnInplaceDivGetWorkspaceSize(left.raw, right.raw));
    assert_eq!(left.read::<Complex<f64>>(), [Complex::new(1.0, 0.0), Complex::new(1.0, -2.0)]);
}

#[test]
fn bits_of_integers_are_joined() {
    let (left, right) = (Tensor::new(&[2], &[-1_i64, 0b1100]), Tensor::new(&[1], &[0b1010_u8]));
    let out = Tensor::new(&[2], &[0_i64; 2]);
    call!(aclnnBitwiseAndTensor, aclnnBitwiseAndTensorGetWorkspaceSize(left.raw, right.raw, out.raw));
    assert_eq!(out.read::<i64>(), [0b1010, 0b1000]);
    call!(aclnnBitwiseAndScalar, aclnnBitwiseAndScalarGetWorkspaceSize(left.raw, scalar(6_i64), out.raw));
    assert_eq!(out.read::<i64>(), [6, 4]);
    call!(
        aclnnInplaceBitwiseAndScalar,
        aclnnInplaceBitwiseAndScalarGetWorkspaceSize(left.raw, scalar(4_i64))
    );
    assert_eq!(left.read::<i64>(), [4, 4]);
    call!(aclnnInplaceBitwiseAndTensor, aclnnInplaceBitwiseAndTensorGetWorkspaceSize(left.raw, right.raw));
    assert_eq!(left.read::<i64>(), [0, 0]);
}

#[test]
fn powers_are_computed() {
    let numbers = Tensor::new(&[3], &[1.1_f32, -2.0, 9.0]);
    let out = Tensor::new(&[3], &[0_f32; 3]);
    call!(aclnnPowTensorScalar, aclnnPowTensorScalarGetWorkspaceSize(numbers.raw, scalar(2_i64), out.raw));
    assert_eq!(out.read::<f32>(), [1.1 * 1.1, 4.0, 81.0]);
    call!(aclnnPowTensorScalar, aclnnPowTensorScalarGetWorkspaceSize(numbers.raw, scalar(0.5_f64), out.raw));
    assert_eq!(out.read::<f32>()[2], 3.0);
    // Roots and reciprocals are not those of a general power.
    let special = Tensor::new(&[3], &[f32::NEG_INFINITY, -0.0, 0.3]);
    for (exponent, expected) in [
        (0.5, [f32::NAN, -0.0, 0.3_f32.sqrt()]),
        (-0.5, [f32::NAN, f32::NEG_INFINITY, 1.0 / 0.3_f32.sqrt()]),
        (-1.0, [-0.0, f32::NEG_INFINITY, 1.0 / 0.3]),
        (-2.0, [0.0, f32::INFINITY, 1.0 / (0.3 * 0.3)]),
    ] {
        let exponent = scalar(exponent);
        call!(aclnnPowTensorScalar, aclnnPowTensorScalarGetWorkspaceSize(special.raw, exponent, out.raw));
        let got = out.read::<f32>();
        let is_same = |(got, expected): (&f32, &f32)| {
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan()
        };
        assert!(got.iter().zip(&expected).all(is_same), "{got:?} {expected:?}");
    }
    let bytes = Tensor::new(&[2], &[3_u8, 2]);
    call!(aclnnInplacePowTensorScalar, aclnnInplacePowTensorScalarGetWorkspaceSize(bytes.raw, scalar(6_i64)));
    assert_eq!(bytes.read::<u8>(), [(729 % 256) as u8, 64]);
    let (_, words) = refusal!(aclnnInplacePowTensorScalarGetWorkspaceSize(bytes.raw, scalar(-1_i64)));
    assert!(words.contains("exponent: a power of integers from 0 to 4294967295 expected, got -1"), "{words}");
}
