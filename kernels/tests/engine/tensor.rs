//! Tensors of any layout with random elements, and the memory around them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use scatter::{Element, Layout, Operand, Scalar};
use scatter_kernels::Range;

/// A number below `bound`.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    (rng.next_u64() % bound.max(1) as u64) as usize
}

/// How a tensor lies in its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    Contiguous,
    /// Contiguous along the last axis, with gaps between such rows.
    Rows,
    /// Contiguous, with its axes in the reverse order.
    Transposed,
    /// Its axes in another order, with gaps, some of them backwards.
    Strided,
    /// Broadcast along some axes; only for tensors that are read.
    Expanded,
    /// Broadcast along every axis but this one.
    ExpandedBut(usize),
}

/// A tensor and its storage.
#[derive(Clone, Debug)]
pub(crate) struct Tensor<T> {
    pub(crate) storage: Vec<T>,
    pub(crate) layout: Layout,
}

impl<T: Copy> Tensor<T> {
    pub(crate) fn new(
        rng: &mut ChaCha8Rng,
        shape: &[usize],
        arrangement: Arrangement,
        element: impl FnMut(&mut ChaCha8Rng) -> T,
    ) -> Self {
        let layout = layout(rng, shape, arrangement);
        let mut element = element;
        let storage = (0..layout.storage_len()).map(|_| element(rng)).collect();
        Self { storage, layout }
    }

    pub(crate) fn range(&self) -> Range {
        Range {
            address: self.storage.as_ptr().cast_mut().cast(),
            bytes: size_of_val(&self.storage[..]) as u64,
        }
    }
}

impl<T: Element> Tensor<T> {
    pub(crate) fn operand(&self) -> Operand {
        Operand::new(T::DTYPE, self.layout, self.storage.as_ptr().addr())
    }
}

/// A layout of a shape, somewhere in a storage that has more elements than it needs.
fn layout(rng: &mut ChaCha8Rng, shape: &[usize], arrangement: Arrangement) -> Layout {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    let is_strided = arrangement == Arrangement::Strided;
    if arrangement == Arrangement::Transposed {
        order.reverse();
    }
    if is_strided {
        for at in (1..order.len()).rev() {
            order.swap(at, below(rng, at + 1));
        }
    }
    let mut strides = vec![0_isize; shape.len()];
    let (mut step, mut offset) = (1_isize, below(rng, 20));
    for &axis in order.iter().rev() {
        let size = shape[axis] as isize;
        let is_expanded = match arrangement {
            Arrangement::Expanded => below(rng, 2) == 0,
            Arrangement::ExpandedBut(kept) => axis != kept,
            _ => false,
        };
        if is_expanded {
            continue;
        }
        if is_strided {
            step *= 1 + below(rng, 2) as isize;
        }
        strides[axis] = step;
        if is_strided && below(rng, 4) == 0 && size > 0 {
            offset += (step * (size - 1)) as usize;
            strides[axis] = -step;
        }
        step *= size.max(1);
        if arrangement == Arrangement::Rows && axis + 1 == shape.len() {
            step += 3;
        }
    }
    let storage_len = offset + step as usize + below(rng, 20);
    Layout::new(shape, &strides, offset, storage_len).unwrap()
}

/// An element: mostly a small number, so that sums and ties are meaningful; sometimes any bits at
/// all.
pub(crate) fn element<T: Element>(rng: &mut ChaCha8Rng) -> T {
    let bits = rng.next_u64();
    if bits & 7 == 0 {
        let mut element = T::zeroed();
        rng.fill_bytes(bytemuck::bytes_of_mut(&mut element));
        return element;
    }
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40, 3e38, 6e4];
    let number = match bits >> 3 & 15 {
        0 => special[(bits >> 7 & 7) as usize],
        // A third, so that every sum is rounded.
        1..=6 => (((bits >> 7 & 63) as f64) - 31.0) / 3.0,
        _ => ((bits >> 7 & 15) as f64) - 7.0,
    };
    T::from_scalar(Scalar::from(number)).unwrap_or_else(T::zeroed)
}
