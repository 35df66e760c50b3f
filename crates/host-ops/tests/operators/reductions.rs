//! Sums, and the smallest and the largest elements.

use crate::common::{Tensor, Truth, Typed, call, integers, refusal, truths};
use aclnn_sys::{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT64};
use half::f16;
use num_complex::Complex;

#[test]
fn sums_go_along_any_axes() {
    let numbers: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let shape = [2_usize, 3, 4];
    for (strides, transposed) in [([12_i64, 4, 1], false), ([1, 2, 6], true)] {
        let tensor = Tensor::strided(&shape.map(|size| size as i64), &strides, 0, &numbers);
        let element = |[i, j, k]: [usize; 3]| {
            if transposed { numbers[i + 2 * j + 6 * k] } else { numbers[12 * i + 4 * j + k] }
        };
        for dims in [&[0_i64][..], &[1], &[-1], &[0, 2], &[2, 0], &[0, 1, 2], &[]] {
            let is_summed =
                |axis: usize| dims.is_empty() || dims.iter().any(|dim| dim.rem_euclid(3) as usize == axis);
            let kept = |axis: usize| if is_summed(axis) { 1 } else { shape[axis] };
            let mut expected = vec![0_f32; kept(0) * kept(1) * kept(2)];
            for place in 0..24 {
                let index = [place / 12, place / 4 % 3, place % 4];
                let at = |axis: usize| if is_summed(axis) { 0 } else { index[axis] };
                expected[(at(0) * kept(1) + at(1)) * kept(2) + at(2)] += element(index);
            }
            for keeps in [false, true] {
                let sizes: Vec<i64> =
                    (0..3).filter(|axis| keeps || !is_summed(*axis)).map(|axis| kept(axis) as i64).collect();
                let out = Tensor::new(&sizes, &vec![-1_f32; expected.len()]);
                let array = integers(dims);
                call!(
                    aclnnReduceSum,
                    aclnnReduceSumGetWorkspaceSize(tensor.raw, array, keeps, ACL_FLOAT, out.raw)
                );
                assert_eq!(out.read::<f32>(), expected, "{dims:?} {keeps} {transposed}");
            }
        }
    }
}

/// The sum of all.
fn sum<T: Typed, R: Typed>(all: &[T]) -> R {
    let tensor = Tensor::new(&[all.len() as i64], all);
    let out = Tensor::new(&[], &[R::zeroed()]);
    call!(
        aclnnReduceSum,
        aclnnReduceSumGetWorkspaceSize(tensor.raw, integers(&[0]), false, R::DTYPE, out.raw)
    );
    out.read::<R>()[0]
}

#[test]
fn sums_have_the_dtype_that_is_asked_for() {
    assert_eq!(sum::<u8, i64>(&[200, 100]), 300);
    assert_eq!(sum::<u8, u8>(&[200, 100]), 44);
    assert_eq!(sum::<i64, i64>(&[i64::MAX, 1]), i64::MIN);
    assert_eq!(sum::<Truth, i64>(&truths(&[true, true, false])), 2);
    assert_eq!(sum::<Truth, Truth>(&truths(&[true, true])), Truth(1));
    assert_eq!(sum::<f32, f32>(&[16_777_216.0, 1.0, 1.0]), 16_777_218.0);
    assert_eq!(sum::<f16, f16>(&[f16::from_f32(2048.0), f16::ONE, f16::ONE]), f16::from_f32(2050.0));
    assert_eq!(sum::<f16, f32>(&[f16::from_f32(2048.0), f16::ONE]), 2049.0);
    assert_eq!(sum::<i32, f32>(&[1, 2]), 3.0);
    let i = Complex::new(0_f32, 1.0);
    assert_eq!(sum::<Complex<f32>, Complex<f32>>(&[i, i + 1.0]), i * 2.0 + 1.0);
    assert_eq!(sum::<f32, f32>(&[]), 0.0);
    // Rank 0 has nothing to sum along.
    let (one, out) = (Tensor::new(&[], &[7_i8]), Tensor::new(&[], &[0_i64]));
    call!(aclnnReduceSum, aclnnReduceSumGetWorkspaceSize(one.raw, integers(&[-1]), true, ACL_INT64, out.raw));
    assert_eq!(out.read::<i64>(), [7]);
}

#[test]
fn sums_are_refused() {
    let (tensor, out) = (Tensor::new(&[2, 3], &[0_f32; 6]), Tensor::new(&[2], &[0_f32; 2]));
    for (dims, dtype, words) in [
        (&[2_i64][..], ACL_FLOAT, "dims: -2 to 1 expected, got 2"),
        (&[1, -1], ACL_FLOAT, "dims: each axis once expected, got 1 again"),
        (&[0], ACL_FLOAT, "out: shape [3] expected, got [2]"),
        (&[1], ACL_FLOAT16, "dtype: that of out, ACL_FLOAT"),
    ] {
        let (_, got) =
            refusal!(aclnnReduceSumGetWorkspaceSize(tensor.raw, integers(dims), false, dtype, out.raw));
        assert!(got.contains(words), "{got}");
    }
    let out = Tensor::new(&[2], &[0_i8; 2]);
    let (_, got) =
        refusal!(aclnnReduceSumGetWorkspaceSize(tensor.raw, integers(&[1]), false, ACL_INT8, out.raw));
    assert!(got.contains("dtype: one that f32 can be cast to expected, got i8"), "{got}");
}

/// The smallest and the largest of all.
fn extremes<T: Typed>(all: &[T]) -> [T; 2] {
    let tensor = Tensor::new(&[1, all.len() as i64], all);
    let out = Tensor::new(&[], &[T::zeroed()]);
    call!(aclnnMin, aclnnMinGetWorkspaceSize(tensor.raw, out.raw));
    let smallest = out.read::<T>()[0];
    call!(aclnnMax, aclnnMaxGetWorkspaceSize(tensor.raw, out.raw));
    [smallest, out.read::<T>()[0]]
}

#[test]
fn extremes_are_found() {
    assert_eq!(extremes(&[3_f32, -1.0, 2.0]), [-1.0, 3.0]);
    assert_eq!(extremes(&[i64::MIN, i64::MAX]), [i64::MIN, i64::MAX]);
    assert_eq!(extremes(&[u64::MAX, 1]), [1, u64::MAX]);
    assert_eq!(extremes(&truths(&[true, false])), [Truth(0), Truth(1)]);
    assert_eq!(extremes(&[5_i8]), [5, 5]);
    for numbers in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
        assert!(extremes(&numbers).iter().all(|found| found.is_nan()));
    }
    let (none, out) = (Tensor::new::<f32>(&[0], &[]), Tensor::new(&[], &[0_f32]));
    let (_, words) = refusal!(aclnnMaxGetWorkspaceSize(none.raw, out.raw));
    assert!(words.contains("self: an element at least expected, got shape [0]"), "{words}");
}
