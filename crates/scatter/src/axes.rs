//! Sets of a tensor's axes.

use core::fmt;

use crate::MAX_RANK;

/// Some of a tensor's axes, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Axes(u8);

const _: () = assert!(MAX_RANK <= u8::BITS as usize);

impl Axes {
    /// No axes.
    pub const NONE: Self = Self(0);

    /// This axis alone; `None` if it is not below [`MAX_RANK`].
    #[must_use]
    pub fn one(axis: usize) -> Option<Self> {
        Self::NONE.with(axis)
    }

    /// These axes and one more; `None` if that is not below [`MAX_RANK`].
    #[must_use]
    pub fn with(self, axis: usize) -> Option<Self> {
        (axis < MAX_RANK).then(|| Self(self.0 | 1 << axis))
    }

    /// These axes; `None` if one of them is not below [`MAX_RANK`].
    #[must_use]
    pub fn new(axes: &[usize]) -> Option<Self> {
        axes.iter().try_fold(Self::NONE, |all, &axis| all.with(axis))
    }

    /// The axes from 0 to below `count`, of [`MAX_RANK`] at most.
    pub(crate) fn leading(count: usize) -> Self {
        Self(if count >= MAX_RANK { u8::MAX } else { (1 << count) - 1 })
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The axes, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_RANK).filter(move |axis| self.0 >> axis & 1 == 1)
    }

    /// Whether no other axis lies between them.
    #[must_use]
    pub fn are_neighbours(self) -> bool {
        let first = self.iter().next().unwrap_or(0);
        self.iter().eq(first..first + self.count())
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_ascending_and_tell_whether_they_are_neighbours() {
        let some = Axes::new(&[4, 1, 2]).unwrap();
        assert_eq!((some.count(), some.to_string().as_str()), (3, "[1, 2, 4]"));
        assert!(!some.are_neighbours() && Axes::new(&[2, 1]).unwrap().are_neighbours());
        assert!(Axes::NONE.are_neighbours() && Axes::NONE.iter().next().is_none());
        assert_eq!(Axes::leading(8), Axes::new(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap());
        assert_eq!((Axes::leading(2), Axes::new(&[8])), (Axes::new(&[0, 1]).unwrap(), None));
    }
}
