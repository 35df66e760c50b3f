//! Whether index values are in range, and whether any is negative.

use crate::Index;
use crate::cpu::prefetch::{PREFETCHED, prefetch_on};
use crate::cpu::walk::Component;
use crate::simd::Simd;

/// What some index values are. Of several the worst, which is the greatest, says what all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cpu) enum Values {
    /// In range, and none is negative.
    NotNegative,
    /// In range: `[-size, size)` of their component.
    Valid,
    /// One is out of range.
    Bad,
}

impl Values {
    /// What values into an axis of `size` elements are, of which these are the least and the
    /// greatest.
    pub(in crate::cpu) fn between(least: i64, greatest: i64, size: usize) -> Self {
        let size = size as i64;
        if greatest >= size || least < -size {
            Self::Bad
        } else if least < 0 {
            Self::Valid
        } else {
            Self::NotNegative
        }
    }
}

/// What the values of entries are that lie one after the other. Later ones may be prefetched.
pub(in crate::cpu) fn check_adjacent<I: Index, const K: usize>(
    entries: &[[I; K]],
    components: [Component; K],
    prefetches: bool,
    simd: Simd,
) -> Values {
    let Some(&first) = entries.first() else { return Values::NotNegative };
    let extremes = simd.run((extremes, (entries, first, prefetches)));
    extremes.iter().zip(&components).fold(Values::NotNegative, |worst, ([least, greatest], component)| {
        worst.max(Values::between(least.to_i64(), greatest.to_i64(), component.size))
    })
}

/// The least and the greatest value of each component of entries, of which one is `first`; with
/// `prefetches`, later ones are prefetched.
#[inline(always)]
fn extremes<I: Index, const K: usize>(
    (entries, first, prefetches): (&[[I; K]], [I; K], bool),
) -> [[I; 2]; K] {
    let mut extremes = first.map(|value| [value; 2]);
    for entries in entries.chunks(if prefetches { PREFETCHED } else { entries.len() }) {
        if prefetches {
            prefetch_on(entries);
        }
        for entry in entries {
            for ([least, greatest], &value) in extremes.iter_mut().zip(entry) {
                (*least, *greatest) = (value.min(*least), value.max(*greatest));
            }
        }
    }
    extremes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::walk::Coordinate;

    /// Entries of one axis, and of two, all of whose values but one are 0.
    #[test]
    fn entries_are_as_the_worst_of_their_values() {
        let axis = |size| Component { coordinate: Coordinate::Value(0), size, step: 1, weight: 1 };
        for size in [0, 1, 2, 64, u32::MAX.into(), 1 << 62, i64::MAX] {
            let near = [i64::MIN, -size, 0, size, i64::MAX];
            for value in near.iter().flat_map(|near| (-2..=2).filter_map(|step| near.checked_add(step))) {
                for (at, simd) in [0, 1, 130, 299]
                    .into_iter()
                    .flat_map(|at| Simd::all().into_iter().map(move |simd| (at, simd)))
                {
                    let (mut of_one, mut of_two) = ([[0]; 300], [[0; 2]; 300]);
                    of_one[at] = [value];
                    of_two[at][at % 2] = value;
                    let mut sizes = [axis(1); 2];
                    sizes[at % 2] = axis(size as usize);
                    let expected = match value {
                        _ if !(-size..size).contains(&value) => Values::Bad,
                        ..0 => Values::Valid,
                        0.. => Values::NotNegative,
                    };
                    for prefetches in [false, true] {
                        let values = check_adjacent(&of_one, [axis(size as usize)], prefetches, simd);
                        assert_eq!(values, expected, "{value} of {size} at {at} {simd:?}");
                        let values = check_adjacent(&of_two, sizes, prefetches, simd);
                        assert_eq!(values, expected, "{value} of {sizes:?} at {at} {simd:?}");
                    }
                }
            }
        }
        let none = check_adjacent::<i64, 1>(&[], [axis(0)], true, Simd::PORTABLE);
        assert_eq!(none, Values::NotNegative);
    }
}
