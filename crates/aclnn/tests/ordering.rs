//! Several streams and threads that use the same tensors give the same results as one stream.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use aclnn::{Reduce, Result, Stream, Tensor};
use common::{Gate, stream};

/// Pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const SIZE: usize = 16;

#[test]
fn many_streams_compute_what_one_does() -> Result<()> {
    let first = stream()?;
    let streams: Vec<Stream> = (0..6).map(|_| first.device().stream()).collect::<Result<_>>()?;
    let mut numbers = Numbers(7);
    let mut tensors: Vec<Tensor<i64>> =
        (0..4).map(|number| Tensor::full([SIZE], number, &first)).collect::<Result<_>>()?;
    let mut wanted: Vec<Vec<i64>> = (0..4).map(|number| vec![number; SIZE]).collect();
    for step in 0..3_000 {
        // Some streams are held up, so that others could overtake them.
        let gate = (step % 100 == 0).then(|| Gate::new(&streams[numbers.below(6)]));
        let stream = &streams[numbers.below(6)];
        let (to, from) = (numbers.below(4), numbers.below(4));
        let places: Vec<i64> = (0..SIZE).map(|_| numbers.below(SIZE) as i64).collect();
        let index = Tensor::from_slice(&places, [SIZE], stream)?;
        let reduce = [Reduce::None, Reduce::Add, Reduce::Mul][numbers.below(3)];
        let (value, old) = (numbers.below(9) as i64, wanted[from].clone());
        let src = if to == from {
            tensors[to].scatter_(0, &index, value, reduce, stream)?;
            vec![value; SIZE]
        } else {
            let [to, from] = tensors.get_disjoint_mut([to, from]).unwrap();
            to.scatter_(0, &index, &*from, reduce, stream)?;
            old
        };
        for (&place, &update) in places.iter().zip(&src) {
            let element = &mut wanted[to][place as usize];
            *element = match reduce {
                Reduce::None => update,
                Reduce::Add => element.wrapping_add(update),
                _ => element.wrapping_mul(update),
            };
        }
        drop(gate);
        if step % 500 == 0 {
            assert_eq!(tensors[to].to_vec(&streams[numbers.below(6)])?, wanted[to], "step {step}");
        }
    }
    for (tensor, wanted) in tensors.iter().zip(&wanted) {
        assert_eq!(tensor.to_vec(&first)?, *wanted);
    }
    Ok(())
}

#[test]
fn work_waits_on_the_device_and_the_host_goes_on() -> Result<()> {
    let first = stream()?;
    let (second, third) = (first.device().stream()?, first.device().stream()?);
    let index = Tensor::<i64>::new([0], &first)?;
    let mut a = Tensor::<f32>::new([1.0], &first)?;
    let mut b = Tensor::<f32>::new([1.0], &first)?;
    let gate = Gate::new(&first);
    a.scatter_(0, &index, 3.0, Reduce::Add, &first)?; // 4
    b.scatter_(0, &index, &a, Reduce::Mul, &second)?; // 4, after the first stream's write
    a.scatter_(0, &index, 9.0, Reduce::None, &third)?; // after the second stream's read
    assert!(!second.is_idle()? && !third.is_idle()?);
    gate.open();
    assert_eq!((b.to_vec(&third)?, a.to_vec(&second)?), (vec![4.0], vec![9.0]));
    // Reads don't wait for each other.
    let gate = Gate::new(&first);
    b.copy_from(&a, &first)?;
    let c = a.contiguous(&second)?;
    assert_eq!(c.to_vec(&second)?, [9.0]);
    assert!(!first.is_idle()?);
    gate.open();
    Ok(())
}

#[test]
fn threads_share_a_tensor_and_streams() -> Result<()> {
    let stream = stream()?;
    let streams: Vec<Stream> = (0..3).map(|_| stream.device().stream()).collect::<Result<_>>()?;
    let (left, right) = (Tensor::<i64>::zeros([8], &stream)?, Tensor::<i64>::zeros([8], &stream)?);
    let ones = Tensor::<i64>::full([8], 1, &stream)?;
    let index = Tensor::<i32>::new([0, 1, 2, 3, 4, 5, 6, 7], &stream)?;
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (streams, index, ones) = (&streams, &index, &ones);
            let (mut left, mut right) = (left.share(), right.share());
            scope.spawn(move || {
                for step in 0..300 {
                    let stream = &streams[(thread + step) % 3];
                    // In both directions: locking one tensor after the other would deadlock here.
                    left.scatter_add_(0, index, ones, stream).unwrap();
                    right.scatter_add_(0, index, ones, stream).unwrap();
                    if thread % 2 == 0 {
                        left.copy_from(&right, stream).unwrap();
                    } else {
                        right.copy_from(&left, stream).unwrap();
                    }
                    if step % 50 == 0 {
                        let seen = right.to_vec(stream).unwrap();
                        assert!(seen.iter().all(|element| *element == seen[0]), "half of a call: {seen:?}");
                    }
                }
            });
        }
    });
    let seen = left.to_vec(&stream)?;
    assert!(seen[0] >= 300 && seen.iter().all(|element| *element == seen[0]), "{seen:?}");
    Ok(())
}
