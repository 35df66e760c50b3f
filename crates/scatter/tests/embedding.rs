//! The gradient of an embedding: what starts from zeros, and the row that stays zero.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{Argument, DType, Error, Layout, Op, Operand, Operator, Problem, View, ViewMut};
use scatter::{bf16, embedding_backward};

fn backward(shape: &[usize], indices: &[i64], grad: &[f32], padding: Option<usize>, scale: bool) -> Vec<f32> {
    let mut out = [f32::NAN; 8];
    let indices = View::new(indices, shape).unwrap();
    let grad = View::new(grad, &[shape, &[2]].concat()).unwrap();
    let mut to = ViewMut::new(&mut out, &[4, 2]).unwrap();
    embedding_backward(&grad, &indices, padding, scale, &mut to).unwrap();
    out.to_vec()
}

const GRAD: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

#[test]
fn rows_are_added_into_zeros() {
    let sums = [0.0, 0.0, 13.0, 16.0, 0.0, 0.0, 3.0, 4.0];
    // The row -1 is the last.
    assert_eq!(backward(&[4], &[1, -1, 1, -3], &GRAD, None, false), sums);
    assert_eq!(backward(&[2, 2], &[1, 3, 1, 1], &GRAD, None, false), sums);
    assert_eq!(backward(&[2, 2], &[1, 3, 1, 1], &GRAD, Some(4), false), sums);
    let means = [0.0, 0.0, 13.0 / 3.0, 16.0 / 3.0, 0.0, 0.0, 3.0, 4.0];
    assert_eq!(backward(&[1, 4], &[1, 3, 1, 1], &GRAD, None, true), means);
    // A single word, without axes.
    assert_eq!(backward(&[], &[2], &GRAD[..2], None, true), [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
    assert_eq!(backward(&[0, 3], &[], &[], None, true), [0.0; 8]);
    assert!(backward(&[1], &[0], &[-0.0; 2], None, false).iter().all(|zero| zero.is_sign_positive()));
}

#[test]
fn the_row_of_the_padding_stays_zero() {
    let grad = [f32::NAN, f32::INFINITY, 3.0, 4.0, 5.0, 6.0, f32::NAN, 8.0];
    for scale in [false, true] {
        let left = [0.0, 0.0, 0.0, 0.0, 5.0, 6.0, 3.0, 4.0];
        assert_eq!(backward(&[4], &[1, 3, 2, -3], &grad, Some(1), scale), left);
    }
}

#[test]
fn halves_are_rounded_once() {
    // 256 and 257 ones round to the same bf16, so a sum that is rounded at each step ends at 256.
    let grad = vec![bf16::from_f32(1.0); 512];
    let mut out = [bf16::from_f32(7.0); 3];
    let indices = View::new(&[1_i32; 512], &[512]).unwrap();
    let mut to = ViewMut::new(&mut out, &[3, 1]).unwrap();
    embedding_backward(&View::new(&grad, &[512, 1]).unwrap(), &indices, None, false, &mut to).unwrap();
    assert_eq!(out.map(f32::from), [0.0, 512.0, 0.0]);
}

fn operand(dtype: DType, shape: &[usize], address: usize) -> Operand {
    Operand::new(dtype, Layout::contiguous(shape, shape.iter().product()).unwrap(), address)
}

#[test]
fn rules_are_about_out_where_others_have_a_self() {
    let operator = Operator::EmbeddingBackward;
    let new = |grad: &Operand, indices: &Operand, out: &Operand| {
        let op = Op::EmbeddingBackward { padding: None, scale: false };
        // self is not looked at.
        let self_ = operand(DType::I8, &[1], 0x4000);
        Problem::new(op, &self_, indices, Some(grad), out)
    };
    let f32s = |shape: &[usize], address| operand(DType::F32, shape, address);
    let (grad, indices) = (f32s(&[2, 3, 5], 0x1000), operand(DType::I32, &[2, 3], 0x2000));
    let out = f32s(&[4, 5], 0x3000);
    let problem = new(&grad, &indices, &out).unwrap();
    assert!(problem.starts_from_zeros() && !problem.in_place() && problem.has_work());
    assert_eq!(
        new(&grad, &indices, &f32s(&[4], 0x3000)),
        Err(Error::OutShape { operator, axis: None, expected: 2, got: 1 })
    );
    assert_eq!(
        new(&grad, &indices, &f32s(&[4, 6], 0x3000)),
        Err(Error::UpdatesShape { operator, axis: Some(2), expected: 6, got: 5 })
    );
    let error = new(&f32s(&[6, 5], 0x1000), &indices, &out).unwrap_err();
    assert_eq!(error.to_string(), "embedding_backward: grad: rank 3 expected, got 2");
    let error = new(&grad, &indices, &operand(DType::F16, &[4, 5], 0x3000)).unwrap_err();
    assert_eq!(error.to_string(), "embedding_backward: grad: dtype f16 of out expected, got f32");
    assert_eq!(
        new(&grad, &operand(DType::U8, &[2, 3], 0x2000), &out),
        Err(Error::IndexDType { operator, got: DType::U8 })
    );
    assert_eq!(
        new(&grad, &indices, &f32s(&[4, 5], 0x1004)),
        Err(Error::Overlap { operator, argument: Argument::Src })
    );
    let wide = Operand::new(DType::F32, Layout::new(&[4, 5], &[1, 1], 0, 10).unwrap(), 0x3000);
    assert!(matches!(new(&grad, &indices, &wide), Err(Error::SelfOverlap { argument: Argument::Out, .. })));
    let outside = Operand { layout: Layout::new(&[4, 5], &[5, 1], 1, 20), ..out };
    assert!(matches!(new(&grad, &indices, &outside), Err(Error::Layout { argument: Argument::Out, .. })));
    // Without entries only zeros are written, also to an out that overlaps itself.
    let problem = new(&f32s(&[0, 5], 0x1000), &operand(DType::I32, &[0], 0x2000), &wide).unwrap();
    assert!(problem.is_copy() && problem.has_work());
    let error = new(&f32s(&[0, 5], 0x1000), &operand(DType::U8, &[0], 0x2000), &out).unwrap_err();
    assert_eq!(error.to_string(), "embedding_backward: indices: dtype i32 or i64 expected, got u8");
}

#[test]
fn no_self_is_taken() {
    let (indices, grad) = ([0_i64], [1.0_f32]);
    let (indices, grad) = (View::new(&indices, &[1]).unwrap(), View::new(&grad, &[1, 1]).unwrap());
    let (mut out, self_) = ([5.0_f32], [5.0_f32]);
    let mut to = ViewMut::new(&mut out, &[1, 1]).unwrap();
    let self_ = View::new(&self_, &[1, 1]).unwrap();
    let mut memory = Memory {
        self_: Some(self_.as_tensor()),
        index: indices.as_tensor(),
        src: Some(grad.as_tensor()),
        out: to.as_tensor_mut(),
    };
    let op = Op::EmbeddingBackward { padding: None, scale: false };
    let operand = *memory.out.operand();
    let problem =
        Problem::new(op, &operand, indices.as_tensor().operand(), Some(grad.as_tensor().operand()), &operand)
            .unwrap();
    let operator = Operator::EmbeddingBackward;
    assert_eq!(
        cpu::run(&problem, &mut memory),
        Err(Error::Binding { operator, argument: Argument::SelfTensor })
    );
    memory.self_ = None;
    cpu::run(&problem, &mut memory).unwrap();
    assert_eq!(out, [1.0]);
}

#[test]
fn zeros_are_written_to_views_too() {
    // Every second column of a storage, in an order of its own, and more rows than one task has.
    let (rows, width) = (3000, 40);
    let mut storage = vec![9.0_f64; rows * width * 2];
    let grad = vec![2.0_f64; 2 * width];
    let mut to = ViewMut::strided(&mut storage, &[rows, width], &[2 * width as isize, 2], 1).unwrap();
    let indices = View::new(&[7_i64, 7], &[2]).unwrap();
    embedding_backward(&View::new(&grad, &[2, width]).unwrap(), &indices, None, true, &mut to).unwrap();
    for (at, &number) in storage.iter().enumerate() {
        let expected = match (at % 2, at / (2 * width)) {
            (0, _) => 9.0,
            (_, 7) => 2.0,
            _ => 0.0,
        };
        assert_eq!(number, expected, "at {at}");
    }
}

#[test]
fn all_of_a_long_out_becomes_zero() {
    let mut out = vec![9.0_f32; 3000 * 40];
    let mut to = ViewMut::new(&mut out, &[3000, 40]).unwrap();
    let indices = View::new(&[2_i32], &[1]).unwrap();
    embedding_backward(&View::new(&[1.0; 40], &[1, 40]).unwrap(), &indices, None, false, &mut to).unwrap();
    let expected = |at: usize| if at / 40 == 2 { 1.0 } else { 0.0 };
    assert!(out.iter().enumerate().all(|(at, &number)| number == expected(at)));
}

/// A row of padding of an out without columns is nowhere.
#[test]
fn an_out_without_columns_has_no_row_to_write() {
    let (grad, indices) = (View::<f32>::new(&[], &[3, 0]).unwrap(), [1_i64, 0, 1]);
    let mut nothing = [0.0_f32; 0];
    let mut out = ViewMut::strided(&mut nothing, &[2, 0], &[1, 1], isize::MAX as usize).unwrap();
    let indices = View::new(&indices, &[3]).unwrap();
    embedding_backward(&grad, &indices, Some(1), false, &mut out).unwrap();
}
