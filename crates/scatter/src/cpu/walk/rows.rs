//! A walk as a scatter of rows.

use crate::cpu::walk::{Axis, Walk};

/// The scatter of rows that a walk is.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Rows<'a> {
    walk: &'a Walk,
    /// The iterations of the owned loops around the rows.
    pub(in crate::cpu) batches: usize,
    /// The updates of a batch.
    pub(in crate::cpu) entries: Axis,
    /// The elements of a row.
    pub(in crate::cpu) width: usize,
    /// Whether a row of src is one element that is repeated.
    pub(in crate::cpu) is_still: bool,
    /// The targets of a batch.
    pub(in crate::cpu) targets: usize,
    /// From one target to the next.
    pub(in crate::cpu) step: isize,
}

impl<'a> Rows<'a> {
    /// `None` where the walk is something else.
    pub(in crate::cpu) fn recognise(walk: &'a Walk) -> Option<Self> {
        let (row, entries) = (walk.inner(), walk.scanned()?);
        let is_still = row.src == 0;
        if !(row.owned && row.index == 0 && row.dst == 1 && (row.src == 1 || is_still)) {
            return None;
        }
        let targets = walk.components.targets();
        let batches = batch_axes(walk).map(|axis| axis.extent).product::<usize>();
        let all = batches.checked_mul(entries.extent.max(targets))?;
        u32::try_from(all).ok()?;
        let step = walk.components.step()?;
        Some(Self { walk, batches, entries, width: row.extent, is_still, targets, step })
    }

    /// Whether a walk is a scatter of rows.
    pub(in crate::cpu) fn are_of(walk: &Walk) -> bool {
        Rows::recognise(walk).is_some()
    }

    /// How far rows are apart.
    pub(in crate::cpu) const fn steps(&self) -> RowSteps {
        RowSteps { src: self.entries.src, dst: self.step, is_still: self.is_still }
    }

    /// Where batch `number` starts, from a column of its rows on: in index, in src and in the
    /// destination.
    pub(in crate::cpu) fn batch(&self, number: usize, column: usize) -> [isize; 3] {
        let (mut rest, mut at) = (number, [self.walk.index, self.walk.src, self.walk.dst]);
        for axis in batch_axes(self.walk).rev() {
            let coordinate = (rest % axis.extent) as isize;
            rest /= axis.extent;
            for (at, step) in at.iter_mut().zip(axis.steps()) {
                *at += coordinate * step;
            }
        }
        let [index, src, dst] = at;
        [index, if self.is_still { src } else { src + column as isize }, dst + column as isize]
    }
}

/// How far rows are apart, in elements.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct RowSteps {
    /// From the row of src of one update to that of the next.
    pub(in crate::cpu) src: isize,
    /// From one target to the next.
    pub(in crate::cpu) dst: isize,
    /// [`Rows::is_still`].
    pub(in crate::cpu) is_still: bool,
}

/// The owned loops around the rows of a walk, outermost first.
fn batch_axes(walk: &Walk) -> impl DoubleEndedIterator<Item = &Axis> {
    let outer = walk.axes.as_slice().split_last().map_or(&[][..], |(_, outer)| outer);
    outer.iter().filter(|axis| axis.owned)
}
