//! Converts coordinates in a problem's index to coordinates in the caller's index.

use scatter::Shape;

/// How the problem's index differs in shape from the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Positions {
    /// The rank of the caller's index.
    pub(crate) rank: usize,
    /// An axis of the problem's index that merges two of the caller's, and the size of the second
    /// of these.
    pub(crate) merged: Option<(usize, usize)>,
}

impl Positions {
    /// The coordinates in the caller's index.
    pub(crate) fn original(self, position: &Shape) -> Shape {
        let mut coordinates = position.to_vec();
        if let Some((axis, size)) = self.merged
            && let Some(&both) = coordinates.get(axis)
            && let (Some(first), Some(second)) = (both.checked_div(size), both.checked_rem(size))
        {
            coordinates.splice(axis..=axis, [first, second]);
        }
        coordinates.truncate(self.rank);
        Shape::new(&coordinates).unwrap_or(*position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_told_in_the_callers_coordinates() {
        let position = |coordinates: &[usize]| Shape::new(coordinates).unwrap();
        let plain = Positions { rank: 2, merged: None };
        assert_eq!(plain.original(&position(&[1, 2])), position(&[1, 2]));
        assert_eq!(Positions { rank: 0, merged: None }.original(&position(&[0])), position(&[]));
        // In the row form, the problem's index has one more axis at the end.
        assert_eq!(plain.original(&position(&[1, 2, 0])), position(&[1, 2]));
        let merged = Positions { rank: 8, merged: Some((1, 5)) };
        assert_eq!(
            merged.original(&position(&[3, 13, 0, 1, 0, 1, 6, 0])),
            position(&[3, 2, 3, 0, 1, 0, 1, 6])
        );
    }
}
