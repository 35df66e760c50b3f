//! Products of matrices.

use crate::common::{Tensor, call, refusal, scalar};
use aclnn_sys::ACLNN_ERR_PARAM_INVALID;
use half::{bf16, f16};

/// The product of two stacks by its definition, in the order of out's elements.
fn by_hand(left: &[f64], right: &[f64], [count, rows, inner, columns]: [usize; 4]) -> Vec<f64> {
    let mut out = Vec::new();
    for matrix in 0..count {
        for row in 0..rows {
            for column in 0..columns {
                let of = |place: usize| {
                    let (left, right) = (left.len() / count, right.len() / count);
                    (matrix * left + row * inner + place, matrix * right + place * columns + column)
                };
                out.push((0..inner).map(of).map(|(i, j)| left[i] * right[j]).sum());
            }
        }
    }
    out
}

#[test]
fn matrices_are_multiplied() {
    let left: Vec<f32> = (0..6).map(|i| i as f32 - 2.0).collect();
    let right: Vec<f32> = (0..12).map(|i| i as f32 * 0.5).collect();
    let wide = |all: &[f32]| all.iter().copied().map(f64::from).collect::<Vec<_>>();
    let expected: Vec<f32> =
        by_hand(&wide(&left), &wide(&right), [1, 2, 3, 4]).iter().map(|sum| *sum as f32).collect();
    let (a, b) = (Tensor::new(&[2, 3], &left), Tensor::new(&[3, 4], &right));
    let out = Tensor::new(&[2, 4], &[0_f32; 8]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), expected);
    let out = Tensor::new(&[2, 4], &[0_f32; 8]);
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(a.raw, b.raw, out.raw, 1));
    assert_eq!(out.read::<f32>(), expected);
    // Transposed by strides: the right one has its columns one behind the other.
    let columns: Vec<f32> = (0..12).map(|i| right[i % 3 * 4 + i / 3]).collect();
    let transposed = Tensor::strided(&[3, 4], &[1, 3], 0, &columns);
    let out = Tensor::strided(&[2, 4], &[1, 2], 0, &[0_f32; 8]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, transposed.raw, out.raw, 0));
    let stored: Vec<f32> = (0..8).map(|i| expected[i % 2 * 4 + i / 2]).collect();
    assert_eq!(out.read::<f32>(), stored);
    // Without numbers to sum.
    let (a, b) = (Tensor::new::<f32>(&[2, 0], &[]), Tensor::new::<f32>(&[0, 2], &[]));
    let out = Tensor::new(&[2, 2], &[7_f32; 4]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [0.0; 4]);
}

#[test]
fn stacks_are_broadcast() {
    let left: Vec<f64> = (0..12).map(f64::from).collect();
    let right: Vec<f64> = (0..6).map(|i| f64::from(i) - 3.0).collect();
    let twice: Vec<f64> = right.iter().chain(&right).copied().collect();
    let expected = by_hand(&left, &twice, [2, 2, 3, 2]);
    let (a, b) = (Tensor::new(&[2, 2, 3], &left), Tensor::new(&[1, 3, 2], &right));
    let out = Tensor::new(&[2, 2, 2], &[0_f64; 8]);
    call!(aclnnBatchMatMul, aclnnBatchMatMulGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f64>(), expected);
    let (matrix, out) = (Tensor::new(&[3, 2], &right), Tensor::new(&[2, 2, 2], &[0_f64; 8]));
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(a.raw, matrix.raw, out.raw, 0));
    assert_eq!(out.read::<f64>(), expected);
    // Two stacks, each broadcast along another axis.
    let (a, b) = (Tensor::new(&[2, 1, 1, 3], &left[..6]), Tensor::new(&[1, 2, 3, 1], &right));
    let out = Tensor::new(&[2, 2, 1, 1], &[0_f64; 4]);
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    let dot = |i: usize, j: usize| (0..3).map(|k| left[3 * i + k] * right[3 * j + k]).sum::<f64>();
    assert_eq!(out.read::<f64>(), [dot(0, 0), dot(0, 1), dot(1, 0), dot(1, 1)]);
}

#[test]
fn a_tensor_of_one_axis_is_a_row_or_a_column() {
    let (row, matrix) = (Tensor::new(&[2], &[1_f32, 10.0]), Tensor::new(&[2, 2], &[1_f32, 2.0, 3.0, 4.0]));
    let out = Tensor::new(&[2], &[0_f32; 2]);
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(row.raw, matrix.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [31.0, 42.0]);
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(matrix.raw, row.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [21.0, 43.0]);
    let out = Tensor::new(&[], &[0_f32]);
    call!(aclnnMatmul, aclnnMatmulGetWorkspaceSize(row.raw, row.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [101.0]);
}

#[test]
fn sums_of_products_are_rounded_at_their_end() {
    // In f32 the first sum would lose 1.
    let (a, b) = (Tensor::new(&[1, 3], &[16_777_216_f32, 1.0, 1.0]), Tensor::new(&[3, 1], &[1_f32; 3]));
    let out = Tensor::new(&[1, 1], &[0_f32]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [16_777_218.0]);
    let half = |value: f32| f16::from_f32(value);
    let (a, b) =
        (Tensor::new(&[1, 3], &[half(2048.0), half(1.0), half(1.0)]), Tensor::new(&[3, 1], &[half(1.0); 3]));
    let out = Tensor::new(&[1, 1], &[half(0.0)]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f16>(), [half(2050.0)]);
    // 2049.00006 is 2049 in f32, which lies in the middle of 2048 and 2050.
    let small = half(1.0 / 128.0);
    let left = Tensor::new(&[1, 3], &[half(2048.0), half(1.0), small]);
    let right = Tensor::new(&[3, 1], &[half(1.0), half(1.0), small]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(left.raw, right.raw, out.raw, 0));
    assert_eq!(out.read::<f16>(), [half(2048.0)]);
    // Two dtypes of halves are promoted to f32.
    let b = Tensor::new(&[3, 1], &[bf16::ONE; 3]);
    let out = Tensor::new(&[1, 1], &[0_f32]);
    call!(aclnnMm, aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(out.read::<f32>(), [2050.0]);
}

#[test]
fn a_product_is_added_to_what_is_broadcast() {
    let (a, b) = (Tensor::new(&[2, 1], &[1_f32, 2.0]), Tensor::new(&[1, 2], &[10_f32, 20.0]));
    let (bias, out) = (Tensor::new(&[2], &[1_f32, -1.0]), Tensor::new(&[2, 2], &[0_f32; 4]));
    call!(
        aclnnAddmm,
        aclnnAddmmGetWorkspaceSize(bias.raw, a.raw, b.raw, scalar(2_f32), scalar(0.5_f32), out.raw, 0)
    );
    assert_eq!(out.read::<f32>(), [7.0, 8.0, 12.0, 18.0]);
    let nothing = Tensor::new(&[1, 1], &[f32::NAN]);
    call!(
        aclnnAddmm,
        aclnnAddmmGetWorkspaceSize(nothing.raw, a.raw, b.raw, scalar(0_i64), scalar(1_i64), out.raw, 0)
    );
    assert_eq!(out.read::<f32>(), [10.0, 20.0, 20.0, 40.0]);
    let other = Tensor::new(&[3], &[0_f32; 3]);
    let (code, words) = refusal!(aclnnAddmmGetWorkspaceSize(
        other.raw,
        a.raw,
        b.raw,
        scalar(1_f32),
        scalar(1_f32),
        out.raw,
        0
    ));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(words.contains("self: a shape that can be broadcast to [2, 2] expected, got [3]"), "{words}");
}

#[test]
fn products_of_other_tensors_are_refused() {
    let (a, b) = (Tensor::new(&[2, 3], &[0_f32; 6]), Tensor::new(&[2, 3], &[0_f32; 6]));
    let out = Tensor::new(&[2, 3], &[0_f32; 6]);
    let (code, words) = refusal!(aclnnMmGetWorkspaceSize(a.raw, b.raw, out.raw, 0));
    assert_eq!(code, ACLNN_ERR_PARAM_INVALID);
    assert!(words.contains("mat2: columns of 3 numbers expected, as many as a row of self has"), "{words}");
    let row = Tensor::new(&[3], &[0_f32; 3]);
    let (_, words) = refusal!(aclnnMmGetWorkspaceSize(a.raw, row.raw, out.raw, 0));
    assert!(words.contains("mat2: 2 axes expected, got [3]"), "{words}");
    let (_, words) = refusal!(aclnnMatmulGetWorkspaceSize(a.raw, row.raw, out.raw, 0));
    assert!(words.contains("out: shape [2] expected, got [2, 3]"), "{words}");
    let whole = Tensor::new(&[3, 3], &[0_i32; 9]);
    let (_, words) = refusal!(aclnnMmGetWorkspaceSize(a.raw, whole.raw, out.raw, 0));
    assert!(words.contains("mat2: a dtype of real floats expected, got i32"), "{words}");
    let (stack, other) = (Tensor::new(&[2, 1, 3], &[0_f32; 6]), Tensor::new(&[3, 3, 1], &[0_f32; 9]));
    let (_, words) = refusal!(aclnnBatchMatMulGetWorkspaceSize(stack.raw, other.raw, out.raw, 0));
    assert!(
        words.contains("mat2: leading axes that can be broadcast with [2] of self expected, got [3]"),
        "{words}"
    );
}
