//! What a destination element is while it is updated: itself, or more where it can't hold what is
//! needed (an f32 accumulator for f16 and bf16, a count for Mean).

pub(in crate::cpu) mod block;
pub(in crate::cpu) mod loops;
pub(in crate::cpu) mod rule;

use bytemuck::TransparentWrapper;

use crate::cpu::aligned::Aligned;
use crate::cpu::slot::rule::Rule;
use crate::element::combine;
use crate::simd::Simd;
use crate::{DType, Element, Reduce};

/// The elements that are widened at a time, in the nearest cache.
pub(in crate::cpu) const WIDENED: usize = 64;

/// What a destination element is while it is updated. It consists of numbers, so that zero bytes
/// are a slot, too.
pub(in crate::cpu) trait Slot<T: Element>: Copy + Send + Sync {
    /// Whether it is the element itself, with the same memory representation, so that nothing is
    /// loaded or stored. Even then a mean of rows keeps its sums in slots apart from the elements.
    const IN_PLACE: bool = false;

    /// The slot of an element that holds `from`.
    fn load(from: T, reduce: Reduce, include_self: bool) -> Self;
    /// Takes an update in.
    #[inline(always)]
    fn update(&mut self, reduce: Reduce, src: T) {
        self.update_wide(reduce, src.widen());
    }
    /// Takes in an update that is widened already.
    fn update_wide(&mut self, reduce: Reduce, src: T::Acc);
    /// What the element becomes; `None` where it keeps its value.
    fn store(self, include_self: bool) -> Option<T>;

    /// [`load`](Self::load) of a row.
    #[inline(always)]
    fn load_row(row: &[T], slots: &mut [Self], reduce: Reduce, include_self: bool, _simd: Simd) {
        for (slot, &element) in slots.iter_mut().zip(row) {
            *slot = Self::load(element, reduce, include_self);
        }
    }

    /// [`update`](Self::update) of a row by a rule, which alone says whether the factor is used.
    #[inline(always)]
    fn update_row<R: Rule>(slots: &mut [Self], factor: T::Acc, src: &[T], _simd: Simd) {
        for (slot, &src) in slots.iter_mut().zip(src) {
            if R::SCALED {
                slot.update_wide(R::REDUCE, T::mul(factor, src.widen()));
            } else {
                slot.update(R::REDUCE, src);
            }
        }
    }

    /// [`store`](Self::store) of a row.
    #[inline(always)]
    fn store_row(slots: &[Self], row: &mut [T], include_self: bool, _simd: Simd) {
        for (&slot, element) in slots.iter().zip(row) {
            if let Some(value) = slot.store(include_self) {
                *element = value;
            }
        }
    }
}

/// The properties of a slot that decide how a scatter is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Kind {
    /// The bytes of one.
    pub(in crate::cpu) bytes: usize,
    /// The bytes of one in rows, where the updates of a mean are counted for a row as a whole.
    pub(in crate::cpu) bytes_in_row: usize,
    /// [`Slot::IN_PLACE`].
    pub(in crate::cpu) in_place: bool,
    /// Whether an element may have several slots, which are folded in the end: its updates may be
    /// made in any order.
    pub(in crate::cpu) is_divisible: bool,
}

impl Kind {
    /// The bytes of a number of slots apart from elements; none where they are in place.
    pub(in crate::cpu) const fn bytes_apart(&self, slots: usize) -> usize {
        if self.in_place { 0 } else { slots * self.bytes }
    }

    /// The properties of the slots `L` of elements `T`.
    pub(in crate::cpu) const fn of<T: Element, L: Slot<T>>(reduce: Reduce) -> Self {
        let folds = !matches!(reduce, Reduce::None | Reduce::Mean);
        // bool is left out: a fold would turn a byte that no update goes to into 0 or 1.
        let is_divisible =
            folds && matches!(T::DTYPE, DType::I64 | DType::I32 | DType::I16 | DType::I8 | DType::U8);
        let bytes_in_row = if matches!(reduce, Reduce::Mean) { size_of::<T::Acc>() } else { size_of::<L>() };
        Self { bytes: size_of::<L>(), bytes_in_row, in_place: L::IN_PLACE, is_divisible }
    }
}

/// The element itself.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::cpu) struct Plain<T>(T);

impl<T: Element> Slot<T> for Plain<T> {
    const IN_PLACE: bool = true;

    #[inline(always)]
    fn load(from: T, _reduce: Reduce, _include_self: bool) -> Self {
        Self(from)
    }

    #[inline(always)]
    fn update(&mut self, reduce: Reduce, src: T) {
        self.0 = match reduce {
            Reduce::None => src.stored(),
            reduce => T::narrow(combine::<T>(reduce, self.0.widen(), src.widen())),
        };
    }

    #[inline(always)]
    fn update_wide(&mut self, reduce: Reduce, src: T::Acc) {
        self.update(reduce, T::narrow(src));
    }

    #[inline(always)]
    fn store(self, _include_self: bool) -> Option<T> {
        Some(self.0)
    }
}

/// An accumulator, which starts from what the element holds: without self, that is the identity,
/// which was written before. An untouched element is written back as it was (an f16 or bf16 NaN
/// quieted).
#[derive(Clone, Copy, Debug, TransparentWrapper)]
#[repr(transparent)]
pub(in crate::cpu) struct Accumulated<A>(A);

impl<T: Element<Acc = A>, A: Copy + Send + Sync> Slot<T> for Accumulated<A> {
    #[inline(always)]
    fn load(from: T, _reduce: Reduce, _include_self: bool) -> Self {
        Self(from.widen())
    }

    #[inline(always)]
    fn update_wide(&mut self, reduce: Reduce, src: T::Acc) {
        self.0 = combine::<T>(reduce, self.0, src);
    }

    #[inline(always)]
    fn store(self, _include_self: bool) -> Option<T> {
        Some(T::narrow(self.0))
    }

    #[inline(always)]
    fn load_row(row: &[T], slots: &mut [Self], _reduce: Reduce, _include_self: bool, simd: Simd) {
        T::widen_row(simd, row, Self::peel_slice_mut(slots));
    }

    #[inline(always)]
    fn update_row<R: Rule>(slots: &mut [Self], factor: T::Acc, src: &[T], simd: Simd) {
        let mut wide = Aligned([T::identity(R::REDUCE); WIDENED]);
        for (slots, src) in slots.chunks_mut(WIDENED).zip(src.chunks(WIDENED)) {
            let wide = &mut wide.0[..src.len()];
            T::widen_row(simd, src, wide);
            for (slot, &src) in slots.iter_mut().zip(&*wide) {
                let src = if R::SCALED { T::mul(factor, src) } else { src };
                slot.0 = combine::<T>(R::REDUCE, slot.0, src);
            }
        }
    }

    #[inline(always)]
    fn store_row(slots: &[Self], row: &mut [T], _include_self: bool, simd: Simd) {
        T::narrow_row(simd, Self::peel_slice(slots), row);
    }
}

/// Mean: a sum and how many updates went into it, and self if it is included.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Counted<A> {
    sum: A,
    updates: u64,
}

impl<T: Element<Acc = A>, A: Copy + Send + Sync> Slot<T> for Counted<A> {
    #[inline(always)]
    fn load(from: T, reduce: Reduce, include_self: bool) -> Self {
        let sum = if include_self { from.widen() } else { T::identity(reduce) };
        Self { sum, updates: 0 }
    }

    #[inline(always)]
    fn update_wide(&mut self, reduce: Reduce, src: T::Acc) {
        self.sum = combine::<T>(reduce, self.sum, src);
        self.updates += 1;
    }

    #[inline(always)]
    fn store(self, include_self: bool) -> Option<T> {
        (self.updates > 0).then(|| T::mean(self.sum, self.updates + u64::from(include_self)))
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    #[test]
    fn no_slot_is_larger_than_the_memory_that_is_promised() {
        const MOST: usize = 24;
        assert_eq!(size_of::<Accumulated<f32>>(), 4);
        assert!(size_of::<Counted<Complex<f64>>>() <= MOST);
    }
}
