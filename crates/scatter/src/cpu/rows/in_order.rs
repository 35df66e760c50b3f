//! The loop over rows that are updated in the order of index.

use core::marker::PhantomData;

use crate::Element;
use crate::cpu::prefetch::rows_ahead;
use crate::cpu::rows::row::{self, Next, SrcRow};
use crate::cpu::slot::Slot;
use crate::cpu::slot::rule::{self, Factor, Rule};
use crate::cpu::walk::rows::RowSteps;
use crate::simd::{Simd, SimdLoop};

/// Makes the updates of a block.
pub(in crate::cpu) type InOrderLoop = unsafe fn(&InOrder<'_>);

/// A block of updates in order.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct InOrder<'a> {
    /// The row of src of the first update, or, with positions, the first row.
    pub(super) src: *const u8,
    /// The row of target 0.
    pub(super) dst: *mut u8,
    /// The updates of the first `made` targets are made; the rows of the others are prefetched.
    pub(super) targets: &'a [u32],
    pub(super) made: usize,
    /// Which row of src each update has, where they don't follow one another.
    pub(super) positions: Option<&'a [u32]>,
    pub(super) columns: usize,
    pub(super) steps: RowSteps,
    pub(super) factor: Factor,
    pub(super) simd: Simd,
}

/// Makes a block of updates in order.
///
/// # Safety
/// Only the caller accesses these columns of the targets' rows, whose slots are in place; src has a
/// row at each position, which nobody writes.
pub(in crate::cpu) unsafe fn update_in_order<T: Element, R: Rule, L: Slot<T>>(block: &InOrder<'_>) {
    block.simd.run(RowByRow::<T, R, L> { block, types: PhantomData });
}

/// The loop over a block of updates in order.
struct RowByRow<'a, T, R, L> {
    block: &'a InOrder<'a>,
    types: PhantomData<(T, R, L)>,
}

impl<T: Element, R: Rule, L: Slot<T>> SimdLoop for RowByRow<'_, T, R, L> {
    type Output = ();
    const AVX512: bool = rule::is_common::<R>();

    #[inline(always)]
    fn run(self, simd: Simd) {
        let InOrder { positions, columns, steps, .. } = *self.block;
        // A row that is prefetched may be beyond the last one.
        let chosen = |positions: &[u32], number: usize| positions[number.min(positions.len() - 1)] as usize;
        match positions {
            _ if !row::is_short::<R>(columns * size_of::<T>(), steps.is_still) => {
                self.each::<false>(simd, |number| {
                    positions.map_or(number, |positions| chosen(positions, number))
                });
            }
            None => self.each::<true>(simd, |number| number),
            Some(positions) => self.each::<true>(simd, |number| chosen(positions, number)),
        }
    }
}

impl<T: Element, R: Rule, L: Slot<T>> RowByRow<'_, T, R, L> {
    /// Makes the updates, whose rows of src are at the positions that `position` says. `SHORT` says
    /// that rows are short.
    #[inline(always)]
    fn each<const SHORT: bool>(&self, simd: Simd, position: impl Fn(usize) -> usize) {
        let InOrder { targets, made, columns, .. } = *self.block;
        let (src, dst) = (self.block.src.cast::<T>(), self.block.dst.cast::<L>());
        let RowSteps { src: src_step, dst: dst_step, is_still } = self.block.steps;
        let (ahead, factor) = (rows_ahead(columns * size_of::<T>()), self.block.factor.get::<T>());
        let row_of = |target: u32| dst.wrapping_offset(target as isize * dst_step);
        let src_of = |number: usize| src.wrapping_offset(position(number) as isize * src_step);
        for (number, &target) in targets[..made].iter().enumerate() {
            let next = Next {
                // Rows of src mostly follow one another, but hardware reads them ahead too late.
                src: (!is_still && src_step != 0).then(|| src_of(number + ahead)),
                dst: targets.get(number + ahead).map(|&next| row_of(next).cast_const().cast()),
            };
            let start = src_of(number);
            // SAFETY: only this task accesses these columns of the row of the destination; the row
            // of src lies inside its storage, which nobody writes. A slot that is in place has the
            // representation of an element.
            unsafe {
                let slots = core::slice::from_raw_parts_mut(row_of(target), columns);
                if SHORT {
                    row::update_short::<T, R, L>(start, slots, factor, next, simd);
                } else {
                    SrcRow { start, is_still }.update::<R, L>(slots, true, factor, next, simd);
                }
            }
        }
    }
}
