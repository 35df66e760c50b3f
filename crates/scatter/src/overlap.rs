//! Whether strided tensors share memory, exactly.
//!
//! Two elements meet where a bounded linear equation over coordinates has a solution: the approach
//! of NumPy's `shares_memory`. Views that people make (slices, transposes, columns side by side)
//! are decided in a few steps.

use crate::Layout;
use crate::shape::MAX_RANK;

/// How many partial solutions are tried before an answer is given up. Only strides that no slicing
/// produces get there.
const MAX_STEPS: u32 = 100_000;

/// `factor * x` with `0 <= x <= bound`.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    factor: u128,
    bound: u128,
}

/// Terms of both tensors and of the bytes of an element of each.
type Terms = [Term; 2 * MAX_RANK + 2];

/// Memory of a tensor: its layout, the address of its storage's first byte, and the bytes of an
/// element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) address: usize,
    pub(crate) element: usize,
}

impl Extent<'_> {
    /// The address of element `[0…]`.
    pub(crate) fn effective_address(&self) -> i128 {
        self.address as i128 + self.layout.offset() as i128 * self.element as i128
    }

    /// The lowest address and the bytes from it to the start of the highest element; `None` where
    /// there is no element.
    fn span(&self) -> Option<(i128, i128)> {
        let (lowest, highest) = self.layout.span()?.into_inner();
        let element = self.element as i128;
        Some((self.address as i128 + lowest as i128 * element, (highest - lowest) as i128 * element))
    }

    /// One term per axis that has more than one element, in bytes.
    fn terms(&self) -> impl Iterator<Item = Term> {
        let bytes = self.element as u128;
        self.layout.shape().iter().zip(self.layout.strides()).filter(|&(&size, _)| size > 1).map(
            move |(&size, &stride)| Term {
                factor: stride.unsigned_abs() as u128 * bytes,
                bound: size as u128 - 1,
            },
        )
    }
}

/// Whether a and b are the same tensor: effective address, shape, and strides on axes longer than 1
/// agree.
pub(crate) fn is_same(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    let strides = a.layout.strides().iter().zip(b.layout.strides());
    a.effective_address() == b.effective_address()
        && a.layout.shape() == b.layout.shape()
        && a.layout.shape().iter().zip(strides).all(|(&size, (a, b))| size <= 1 || a == b)
}

/// Whether any byte belongs to both. True, too, where it can't be told within a bounded effort.
pub(crate) fn overlap(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    let (Some((a_low, a_reach)), Some((b_low, b_reach))) = (a.span(), b.span()) else { return false };
    // a_low + A + i = b_low + B - with B counted down from its highest element, all terms become
    // sums: A + (b_reach - B) + i + (b.element - 1 - j) = b_low - a_low + b_reach + b.element - 1.
    let target = b_low - a_low + b_reach + b.element as i128 - 1;
    let most = a_reach + b_reach + a.element as i128 + b.element as i128 - 2;
    if target < 0 || target > most {
        return false;
    }
    let mut terms = Terms::default();
    let bytes = [a.element, b.element].map(|element| Term { factor: 1, bound: element as u128 - 1 });
    let mut count = 0;
    for term in a.terms().chain(b.terms()).chain(bytes) {
        terms[count] = term;
        count += 1;
    }
    solvable(&mut terms[..count], target as u128)
}

/// An axis along which two elements of the tensor share an address, or `None` where each has its
/// own.
pub(crate) fn self_overlap(layout: &Layout) -> Option<usize> {
    if layout.is_empty() {
        return None;
    }
    // Two elements meet where the differences d of their coordinates give sum(d * stride) = 0. Take
    // the first axis with a difference, where it may be taken positive, d = 1 + y; on the later
    // ones d = x - bound, x in 0..=2*bound.
    let (shape, strides) = (layout.shape(), layout.strides());
    (0..layout.rank()).filter(|&axis| shape[axis] > 1).find(|&first| {
        let term = |axis: usize, bound| Term { factor: strides[axis].unsigned_abs() as u128, bound };
        let later = (first + 1..layout.rank()).filter(|&axis| shape[axis] > 1);
        let later = later.map(|axis| term(axis, shape[axis] as u128 - 1));
        let own = term(first, shape[first] as u128 - 2);
        let balance = later.clone().map(|term| term.factor * term.bound).sum::<u128>();
        balance.checked_sub(own.factor).is_some_and(|target| {
            let mut terms = Terms::default();
            terms[0] = own;
            for (term, later) in terms[1..].iter_mut().zip(later) {
                *term = Term { bound: 2 * later.bound, ..later };
            }
            solvable(&mut terms[..MAX_RANK], target)
        })
    })
}

/// Whether the terms can add up to `target`; true where [`MAX_STEPS`] don't suffice to tell.
fn solvable(terms: &mut [Term], target: u128) -> bool {
    terms.sort_unstable_by_key(|term| core::cmp::Reverse(term.factor));
    let count = merged(terms);
    let terms = &terms[..count];
    // No storage reaches so far; below, products of two factors fit.
    let is_too_large = terms.first().is_some_and(|term| u64::try_from(term.factor).is_err());
    let mut steps = MAX_STEPS;
    is_too_large || search(terms, target, &mut steps)
}

/// Merges two terms wherever the smaller's multiples leave no gap between the larger's, and returns
/// how many remain, in their order. So the rows of two tensors that lie in one storage count once,
/// however many there are.
fn merged(terms: &mut [Term]) -> usize {
    let mut count = 0;
    for at in 0..terms.len() {
        if terms[at].factor != 0 && terms[at].bound != 0 {
            terms[count] = terms[at];
            count += 1;
        }
    }
    let fits = |outer: &Term, inner: &Term| {
        outer.factor.is_multiple_of(inner.factor) && outer.factor / inner.factor <= inner.bound + 1
    };
    while let Some((outer, inner)) = (1..count)
        .rev()
        .flat_map(|inner| (0..inner).map(move |outer| (outer, inner)))
        .find(|&(outer, inner)| fits(&terms[outer], &terms[inner]))
    {
        terms[inner].bound += terms[outer].bound * (terms[outer].factor / terms[inner].factor);
        terms.copy_within(outer + 1..count, outer);
        count -= 1;
    }
    count
}

fn search(terms: &[Term], target: u128, steps: &mut u32) -> bool {
    if target == 0 || *steps == 0 {
        return true;
    }
    *steps -= 1;
    let (Term { factor, bound }, rest) = match terms {
        [] => return false,
        [last] => return target.is_multiple_of(last.factor) && target / last.factor <= last.bound,
        [one, other] => return solvable_by_two(one, other, target),
        [one, other, last] => {
            // From `first` on, only each `every`th number of the last step leaves a sum that the
            // other two can have.
            let modulus = gcd(one.factor, other.factor);
            let every = modulus / gcd(modulus, last.factor);
            if last.bound / every <= one.bound {
                let Some(first) = residue(last.factor, modulus, target) else { return false };
                let mut tries = (first..=last.bound.min(target / last.factor)).step_by(every as usize);
                return tries.any(|x| search(&terms[..2], target - x * last.factor, steps));
            }
            (*one, &terms[1..])
        }
        [first, rest @ ..] => (*first, rest),
    };
    if !target.is_multiple_of(terms.iter().fold(0, |divisor, term| gcd(divisor, term.factor))) {
        return false;
    }
    let most: u128 = rest.iter().map(|term| term.factor * term.bound).sum();
    let highest = (target / factor).min(bound);
    let lowest = target.saturating_sub(most).div_ceil(factor);
    (lowest..=highest).rev().any(|x| search(rest, target - x * factor, steps))
}

/// Whether `a x + b y = target` within the bounds.
fn solvable_by_two(one: &Term, other: &Term, target: u128) -> bool {
    let every = other.factor / gcd(one.factor, other.factor);
    residue(one.factor, other.factor, target).is_some_and(|class| {
        // The least x of the class for which y is not too large.
        let lowest = target.saturating_sub(other.factor * other.bound).div_ceil(one.factor);
        let x = lowest + (class + every - lowest % every) % every;
        x <= one.bound && x * one.factor <= target
    })
}

/// The least x with `a x = sum` modulo `b`, of which there is one modulo `b / gcd(a, b)`, or none.
fn residue(a: u128, b: u128, sum: u128) -> Option<u128> {
    let divisor = gcd(a, b);
    let (a, b) = (a / divisor, b / divisor);
    sum.is_multiple_of(divisor).then(|| sum / divisor % b * inverse(a % b, b) % b)
}

/// The inverse of `a` modulo `b`, both below 2^64 and without a common divisor (extended Euclid); 0
/// for `b == 1`.
fn inverse(a: u128, b: u128) -> u128 {
    let (mut row, mut next) = ((a as i128, 1_i128), (b as i128, 0_i128));
    while next.0 != 0 {
        let quotient = row.0 / next.0;
        (row, next) = (next, (row.0 - quotient * next.0, row.1 - quotient * next.1));
    }
    row.1.rem_euclid(b as i128) as u128
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
        Layout::new(shape, strides, offset, 1 << 50).unwrap()
    }

    fn extent(layout: &Layout, address: usize, element: usize) -> Extent<'_> {
        Extent { layout, address, element }
    }

    #[test]
    fn side_by_side_is_apart_and_one_byte_is_enough() {
        let left = layout(&[4, 5], &[10, 1], 0);
        let right = layout(&[4, 5], &[10, 1], 5);
        let middle = layout(&[4, 5], &[10, 1], 4);
        let even = layout(&[20], &[2], 0);
        let odd = layout(&[20], &[2], 1);
        for (a, b, expected) in [
            (&left, &right, false),
            (&left, &middle, true),
            (&even, &odd, false),
            (&even, &left, true),
            (&left, &left, true),
        ] {
            assert_eq!(overlap(&extent(a, 64, 4), &extent(b, 64, 4)), expected, "{a:?} {b:?}");
            assert_eq!(overlap(&extent(b, 64, 4), &extent(a, 64, 4)), expected, "{b:?} {a:?}");
        }
        // The last byte of an 8-byte element against a byte that follows it.
        let one = layout(&[1], &[1], 0);
        assert!(overlap(&extent(&one, 8, 8), &extent(&one, 15, 1)));
        assert!(!overlap(&extent(&one, 8, 8), &extent(&one, 16, 1)));
        // As many rows as one likes, and rows that are taken at different steps.
        let rows = 1 << 40;
        let (left, right) = (layout(&[rows, 5], &[10, 1], 0), layout(&[rows, 5], &[10, 1], 5));
        assert!(!overlap(&extent(&left, 64, 4), &extent(&right, 64, 4)));
        assert!(overlap(&extent(&left, 64, 4), &extent(&right, 44, 4)));
        let (second, third) = (layout(&[rows, 5], &[20, 1], 0), layout(&[rows, 5], &[30, 1], 5));
        assert!(!overlap(&extent(&second, 0, 4), &extent(&third, 0, 4)));
        assert!(overlap(&extent(&second, 0, 4), &extent(&third, 4, 5)));
        let (even, odd) = (layout(&[rows], &[2], 0), layout(&[rows], &[2], 1));
        assert!(!overlap(&extent(&even, 0, 8), &extent(&odd, 0, 8)));
        // An index in the gaps between the elements of out.
        let wide = layout(&[8], &[4], 0);
        assert!(!overlap(&extent(&wide, 0, 4), &extent(&layout(&[8], &[2], 0), 8, 8)));
        assert!(overlap(&extent(&wide, 0, 4), &extent(&layout(&[8], &[2], 0), 4, 16)));
    }

    #[test]
    fn what_cannot_be_told_counts_as_an_overlap() {
        // Sums of these steps are near multiples of 10^12, and the target is far from one; but
        // there are too many to try.
        let steps = |ends: [isize; 3]| ends.map(|end| 1_000_000_000_000 + end);
        let (a, b) =
            (layout(&[101; 3], &steps([-11, 39, -39]), 0), layout(&[101; 3], &steps([61, 63, -63]), 0));
        assert!(overlap(&extent(&a, 0, 1), &extent(&b, 500_000_000_000, 1)));
        // Steps of 2^65 bytes, which no address has.
        let (far, one) = (layout(&[2], &[1 << 49], 0), layout(&[1], &[1], 0));
        assert!(overlap(&extent(&far, 0, 1 << 16), &extent(&one, 1 << 20, 4)));
        assert!(!overlap(&extent(&far, 0, 1 << 14), &extent(&one, 1 << 20, 4)));
    }

    #[test]
    fn self_overlap_names_an_axis() {
        assert_eq!(self_overlap(&layout(&[4, 1, 5], &[5, 0, 1], 0)), None);
        assert_eq!(self_overlap(&layout(&[4, 5], &[0, 1], 0)), Some(0));
        assert_eq!(self_overlap(&layout(&[4, 5], &[4, 1], 0)), Some(0));
        assert_eq!(self_overlap(&layout(&[2, 3], &[3, 2], 0)), None);
        assert_eq!(self_overlap(&layout(&[3, 3], &[3, 2], 0)), None);
        assert_eq!(self_overlap(&layout(&[3, 4], &[3, 2], 0)), Some(0));
        assert_eq!(self_overlap(&layout(&[5, 4], &[-1, 5], 9)), None);
        assert_eq!(self_overlap(&layout(&[1 << 20, 1 << 20], &[1 << 20, 1], 0)), None);
        assert_eq!(self_overlap(&layout(&[3, 0], &[0, 0], 0)), None);
    }

    #[test]
    fn agrees_with_counting_addresses() {
        // Every pair of strides and sizes in a small range, against the definition.
        for n in 1..5_usize {
            for m in 1..5_usize {
                for s in -4..5_isize {
                    for t in -4..5_isize {
                        let a = layout(&[n, m], &[s, t], 40);
                        let addresses: Vec<_> = a.shape().coordinates().map(|c| a.address(&c)).collect();
                        let set: HashSet<_> = addresses.iter().copied().collect();
                        assert_eq!(self_overlap(&a).is_some(), set.len() < addresses.len(), "{a:?}");
                        for offset in 38..44 {
                            let b = layout(&[3, 2], &[3, 2], offset);
                            let shared = b.shape().coordinates().any(|c| set.contains(&b.address(&c)));
                            assert_eq!(overlap(&extent(&a, 0, 4), &extent(&b, 0, 4)), shared, "{a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }
}
