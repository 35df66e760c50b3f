//! Copies, casts, fills and steps.

use crate::common::{Tensor, Truth, Typed, call, scalar, truths};
use half::{bf16, f16};
use num_complex::Complex;

/// What copying some numbers to a dtype gives.
fn cast<From: Typed, To: Typed + PartialEq + std::fmt::Debug>(from: &[From], expected: &[To]) {
    let shape = [from.len() as i64];
    let (source, out) = (Tensor::new(&shape, from), Tensor::new(&shape, &vec![To::zeroed(); from.len()]));
    call!(aclnnCast, aclnnCastGetWorkspaceSize(source.raw, To::DTYPE, out.raw));
    assert_eq!(out.read::<To>(), expected, "cast from {} to {}", From::DTYPE, To::DTYPE);
    let copy = Tensor::new(&shape, &vec![To::zeroed(); from.len()]);
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(copy.raw, source.raw));
    assert_eq!(copy.read::<To>(), expected, "copy from {} to {}", From::DTYPE, To::DTYPE);
}

#[test]
fn numbers_are_cast_between_all_kinds_of_dtypes() {
    let small = [0.0_f32, 1.0, -2.0, 3.5];
    cast(&small, &[0_i8, 1, -2, 3]);
    cast(&small, &[0_i64, 1, -2, 3]);
    cast(&small, &truths(&[false, true, true, true]));
    cast(&small, &small.map(f16::from_f32));
    cast(&small, &small.map(bf16::from_f32));
    cast(&small, &small.map(f64::from));
    cast(&small, &small.map(Complex::from));
    cast(&[f32::NAN, f32::INFINITY, -1e30, 300.0], &[0_i32, i32::MAX, i32::MIN, 300]);
    cast(&[f64::NAN, 0.0, -0.0, f64::INFINITY], &truths(&[true, false, false, true]));
    // Integers keep their low bits, and are rounded to floats.
    cast(&[i64::MAX, 256 + 7, -1], &[-1_i8, 7, -1]);
    cast(&[i64::MAX, (1 << 53) + 1, -1], &[u64::MAX / 2, (1 << 53) + 1, u64::MAX]);
    cast(&[u64::MAX, (1 << 24) + 1], &[18_446_744_073_709_551_615_f32, 16_777_216.0]);
    cast(&[u64::MAX, 1 << 63], &[-1_i64, i64::MIN]);
    cast(&[1_u16, 65535], &[1_i32, 65535]);
    cast(&[1_u32, u32::MAX], &[1_i16, -1]);
    // Every byte but 0 is true.
    cast(&[Truth(0), Truth(2), Truth(255)], &[0_u8, 1, 1]);
    cast(&[Complex::new(1.5_f32, 9.0)], &[1.5_f64]);
    cast(&[Complex::new(1.5_f64, -9.0)], &[Complex::new(1.5_f32, -9.0)]);
    cast(&[Complex::new(0_f64, 1.0), Complex::new(0.0, 0.0)], &truths(&[true, false]));
    cast(&[0.1_f64], &[0.1_f32]);
}

#[test]
fn the_bits_of_a_dtype_are_copied_as_they_are() {
    let noisy = f32::from_bits(0x7FA0_0001);
    let (out, source) = (Tensor::new(&[2], &[0_f32; 2]), Tensor::new(&[2], &[noisy, -0.0]));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
    let bits: Vec<u32> = out.read::<f32>().into_iter().map(f32::to_bits).collect();
    assert_eq!(bits, [0x7FA0_0001, 1 << 31]);
    let (out, source) = (Tensor::new(&[1], &[Truth(0)]), Tensor::new(&[1], &[Truth(7)]));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
    assert_eq!(out.read::<Truth>(), [Truth(7)]);
    let numbers = [Complex::new(1_f64, 2.0), Complex::new(3.0, 4.0)];
    let (out, source) = (Tensor::new(&[2], &[Complex::new(0_f64, 0.0); 2]), Tensor::new(&[2], &numbers));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
    assert_eq!(out.read::<Complex<f64>>(), numbers);
}

/// Copies between layouts, and compares with a loop over indices.
fn copies_strided<T: Typed + PartialEq + std::fmt::Debug>(number: impl Fn(usize) -> T) {
    let storage: Vec<T> = (0..40).map(&number).collect();
    let shape = [2_i64, 3, 4];
    for (strides, offset) in [
        ([12, 4, 1], 0),  // one behind the other
        ([1, 2, 6], 3),   // transposed
        ([12, 4, 1], 16), // at the end
        ([0, 0, 2], 5),   // expanded
        ([0, 0, 0], 39),
    ] {
        for (out_strides, out_offset) in [([12, 4, 1], 0), ([3, 1, 6], 2), ([20, 6, 1], 1)] {
            let source = Tensor::strided(&shape, &strides, offset, &storage);
            let out = Tensor::strided(&shape, &out_strides, out_offset, &[T::zeroed(); 45]);
            call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
            let mut expected = vec![T::zeroed(); 45];
            for place in 0..24 {
                let index = [place / 12, place / 4 % 3, place % 4];
                let at = |strides: [i64; 3], offset: i64| {
                    (offset + (0..3).map(|axis| index[axis] * strides[axis]).sum::<i64>()) as usize
                };
                expected[at(out_strides, out_offset)] = storage[at(strides, offset)];
            }
            assert_eq!(out.read::<T>(), expected, "{} {strides:?} {out_strides:?}", T::DTYPE);
        }
    }
}

#[test]
fn every_layout_is_copied() {
    copies_strided(|i| i as u8);
    copies_strided(|i| bf16::from_f32(i as f32));
    copies_strided(|i| i as f32);
    copies_strided(|i| i as i64);
    copies_strided(|i| Complex::new(i as f32, -1.0));
    copies_strided(|i| Complex::new(i as f64, -1.0));
}

#[test]
fn a_source_is_broadcast_and_may_lie_in_the_tensor_that_is_written() {
    let (out, source) = (Tensor::new(&[2, 3], &[0_f32; 6]), Tensor::new(&[3], &[1_i32, 2, 3]));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
    assert_eq!(out.read::<f32>(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    // Each element moves by one.
    let whole = Tensor::new(&[5], &[1_f32, 2.0, 3.0, 4.0, 5.0]);
    let (from, to) = (
        crate::common::handle::<f32>(&[4], &[1], 0, 5, whole.memory.address),
        crate::common::handle::<f32>(&[4], &[1], 1, 5, whole.memory.address),
    );
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(to, from));
    assert_eq!(whole.read::<f32>(), [1.0, 1.0, 2.0, 3.0, 4.0]);
    // Nothing to copy, with rank 0 and without elements.
    let (out, source) = (Tensor::new(&[], &[0_f32]), Tensor::new(&[], &[7_i64]));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
    assert_eq!(out.read::<f32>(), [7.0]);
    let (out, source) = (Tensor::new::<f32>(&[0, 3], &[]), Tensor::new(&[3], &[7_i64; 3]));
    call!(aclnnInplaceCopy, aclnnInplaceCopyGetWorkspaceSize(out.raw, source.raw));
}

fn filled<T: Typed + PartialEq + std::fmt::Debug>(zero: T, one: T, five: T) {
    let out = Tensor::strided(&[2, 2], &[1, 3], 1, &[five; 6]);
    call!(aclnnInplaceZero, aclnnInplaceZeroGetWorkspaceSize(out.raw));
    assert_eq!(out.read::<T>(), [five, zero, zero, five, zero, zero]);
    call!(aclnnInplaceOne, aclnnInplaceOneGetWorkspaceSize(out.raw));
    assert_eq!(out.read::<T>(), [five, one, one, five, one, one]);
    call!(aclnnInplaceFillScalar, aclnnInplaceFillScalarGetWorkspaceSize(out.raw, scalar(5_i64)));
    assert_eq!(out.read::<T>(), [five; 6]);
    call!(aclnnInplaceFillScalar, aclnnInplaceFillScalarGetWorkspaceSize(out.raw, scalar(1_f64)));
    assert_eq!(out.read::<T>(), [five, one, one, five, one, one]);
}

#[test]
fn tensors_of_every_dtype_are_filled() {
    filled(0_u8, 1, 5);
    filled(0_i8, 1, 5);
    filled(0_u16, 1, 5);
    filled(0_i16, 1, 5);
    filled(0_u32, 1, 5);
    filled(0_i32, 1, 5);
    filled(0_u64, 1, 5);
    filled(0_i64, 1, 5);
    filled(f16::ZERO, f16::ONE, f16::from_f32(5.0));
    filled(bf16::ZERO, bf16::ONE, bf16::from_f32(5.0));
    filled(0_f32, 1.0, 5.0);
    filled(0_f64, 1.0, 5.0);
    filled(Complex::new(0_f32, 0.0), Complex::new(1.0, 0.0), Complex::new(5.0, 0.0));
    filled(Complex::new(0_f64, 0.0), Complex::new(1.0, 0.0), Complex::new(5.0, 0.0));
    let out = Tensor::new(&[2], &[Truth(0); 2]);
    call!(aclnnInplaceFillScalar, aclnnInplaceFillScalarGetWorkspaceSize(out.raw, scalar(5_i64)));
    assert_eq!(out.read::<Truth>(), [Truth(1); 2]);
    let out = Tensor::new(&[], &[0_u64]);
    call!(aclnnInplaceFillScalar, aclnnInplaceFillScalarGetWorkspaceSize(out.raw, scalar(u64::MAX)));
    assert_eq!(out.read::<u64>(), [u64::MAX]);
    call!(aclnnInplaceFillScalar, aclnnInplaceFillScalarGetWorkspaceSize(out.raw, scalar(-1_i64)));
    assert_eq!(out.read::<u64>(), [u64::MAX]);
}

#[test]
fn numbers_go_in_steps() {
    let out = Tensor::new(&[4], &[0_i64; 4]);
    call!(aclnnArange, aclnnArangeGetWorkspaceSize(scalar(1_i64), scalar(8_i64), scalar(2_i64), out.raw));
    assert_eq!(out.read::<i64>(), [1, 3, 5, 7]);
    call!(aclnnArange, aclnnArangeGetWorkspaceSize(scalar(3_i64), scalar(-1_i64), scalar(-1_i64), out.raw));
    assert_eq!(out.read::<i64>(), [3, 2, 1, 0]);
    let out = Tensor::new(&[5], &[0_f32; 5]);
    call!(aclnnArange, aclnnArangeGetWorkspaceSize(scalar(0_f64), scalar(0.5_f64), scalar(0.1_f64), out.raw));
    assert_eq!(out.read::<f32>(), [0.0, 0.1, 0.2, 0.3, 0.4]);
    let out = Tensor::new::<i32>(&[0], &[]);
    call!(aclnnArange, aclnnArangeGetWorkspaceSize(scalar(2_i64), scalar(2_i64), scalar(1_i64), out.raw));
}
