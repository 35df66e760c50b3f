//! Sizes and coordinates of at most eight axes, without a heap.

use core::fmt;
use core::ops::Deref;

/// The most axes that a tensor can have.
pub const MAX_RANK: usize = 8;

/// The sizes of a tensor's axes, or the coordinates of an element: up to [`MAX_RANK`] numbers, read
/// as a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    rank: u8,
    sizes: [usize; MAX_RANK],
}

impl Shape {
    /// A shape of these sizes, or `None` where there are more than [`MAX_RANK`].
    #[must_use]
    pub fn new(sizes: &[usize]) -> Option<Self> {
        let mut shape = Self { rank: 0, sizes: [0; MAX_RANK] };
        shape.sizes.get_mut(..sizes.len())?.copy_from_slice(sizes);
        shape.rank = sizes.len() as u8;
        Some(shape)
    }

    /// `rank` zeros (at most [`MAX_RANK`] of them).
    pub(crate) fn zeros(rank: usize) -> Self {
        Self { rank: rank.min(MAX_RANK) as u8, sizes: [0; MAX_RANK] }
    }

    /// The number of axes.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The product of the sizes (1 for rank 0), or `None` on overflow.
    #[must_use]
    pub fn elements(&self) -> Option<usize> {
        element_count(self)
    }

    pub(crate) fn sizes_mut(&mut self) -> &mut [usize] {
        let rank = self.rank();
        &mut self.sizes[..rank]
    }

    /// All coordinates of a tensor of this shape, in row-major order.
    pub fn coordinates(&self) -> Coordinates {
        let done = self.contains(&0);
        Coordinates { shape: *self, next: Self::zeros(self.rank()), done }
    }
}

/// The product of `sizes`, or `None` on overflow. A zero anywhere makes it zero, however large the
/// others are.
pub(crate) fn element_count(sizes: &[usize]) -> Option<usize> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size))
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.sizes[..self.rank()]
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Iterator over all coordinates of a shape; see [`Shape::coordinates`].
#[derive(Clone, Debug)]
pub struct Coordinates {
    shape: Shape,
    next: Shape,
    done: bool,
}

impl Iterator for Coordinates {
    type Item = Shape;

    fn next(&mut self) -> Option<Shape> {
        if self.done {
            return None;
        }
        let current = self.next;
        self.done = true;
        for (coordinate, &size) in self.next.sizes_mut().iter_mut().zip(self.shape.iter()).rev() {
            *coordinate += 1;
            if *coordinate < size {
                self.done = false;
                break;
            }
            *coordinate = 0;
        }
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_row_major() {
        let all: Vec<_> = Shape::new(&[2, 1, 2]).unwrap().coordinates().map(|c| c.to_vec()).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(Shape::new(&[]).unwrap().coordinates().count(), 1);
        assert_eq!(Shape::new(&[3, 0]).unwrap().coordinates().count(), 0);
    }

    #[test]
    fn a_zero_size_makes_any_shape_empty() {
        assert_eq!(Shape::new(&[usize::MAX, usize::MAX, 0]).unwrap().elements(), Some(0));
        assert_eq!(Shape::new(&[usize::MAX, 2]).unwrap().elements(), None);
        assert_eq!(Shape::new(&[1; 9]), None);
    }
}
