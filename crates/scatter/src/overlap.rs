//! Whether strided tensors share memory, exactly.
//!
//! Two elements meet where a bounded linear equation over coordinates has a solution: the approach of NumPy's
//! `shares_memory`. Views that people make (slices, transposes, columns side by side) are decided in a few steps.

use crate::Layout;
use crate::shape::MAX_RANK;

/// How many partial solutions are tried before an answer is given up. Only strides that no slicing produces get there.
const MAX_STEPS: u32 = 100_000;

/// `factor * x` with `0 <= x <= bound`.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    factor: u128,
    bound: u128,
}

/// Terms of both tensors and of the bytes of an element of each.
type Terms = [Term; 2 * MAX_RANK + 2];

/// Memory of a tensor: its layout, the address of its storage's first byte, and the bytes of an element.
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

    /// The lowest address and the bytes from it to the start of the highest element; every term non-negative.
    fn span(&self) -> (i128, i128) {
        let (mut low, mut reach) = (self.effective_address(), 0);
        for (&size, &stride) in self.layout.shape().iter().zip(self.layout.strides()) {
            let steps = (size as i128 - 1) * stride as i128 * self.element as i128;
            low += steps.min(0);
            reach += steps.abs();
        }
        (low, reach)
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

/// Whether a and b are the same tensor: effective address, shape, and strides on axes longer than 1 agree.
pub(crate) fn is_same(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    let strides = a.layout.strides().iter().zip(b.layout.strides());
    a.effective_address() == b.effective_address()
        && a.layout.shape() == b.layout.shape()
        && a.layout.shape().iter().zip(strides).all(|(&size, (a, b))| size <= 1 || a == b)
}

/// Whether any byte belongs to both. True, too, where it can't be told within a bounded effort.
pub(crate) fn overlap(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    if a.layout.is_empty() || b.layout.is_empty() {
        return false;
    }
    let ((a_low, a_reach), (b_low, b_reach)) = (a.span(), b.span());
    // a_low + A + i = b_low + B - with B counted down from its highest element, all terms become sums:
    // A + (b_reach - B) + i + (b.element - 1 - j) = b_low - a_low + b_reach + b.element - 1.
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

/// An axis along which two elements of the tensor share an address, or `None` where each has its own.
pub(crate) fn self_overlap(layout: &Layout) -> Option<usize> {
    if layout.is_empty() {
        return None;
    }
    // Two elements meet where the differences d of their coordinates give sum(d * stride) = 0. Take the first axis
    // with a difference, where it may be taken positive, d = 1 + y; on the later ones d = x - bound, x in 0..=2*bound.
    let (shape, strides) = (layout.shape(), layout.strides());
    (0..layout.rank()).filter(|&axis| shape[axis] > 1).find(|&first| {
        let mut terms = Terms::default();
        let mut balance = 0;
        let later = (first + 1..layout.rank()).filter(|&axis| shape[axis] > 1);
        for (term, axis) in terms[1..].iter_mut().zip(later) {
            let bound = shape[axis] as u128 - 1;
            *term = Term { factor: strides[axis].unsigned_abs() as u128, bound: 2 * bound };
            balance += term.factor * bound;
        }
        let factor = strides[first].unsigned_abs() as u128;
        terms[0] = Term { factor, bound: shape[first] as u128 - 2 };
        balance.checked_sub(factor).is_some_and(|target| solvable(&mut terms[..MAX_RANK], target))
    })
}

/// Whether the terms can add up to `target`; true where [`MAX_STEPS`] don't suffice to tell.
fn solvable(terms: &mut [Term], target: u128) -> bool {
    terms.sort_unstable_by_key(|term| core::cmp::Reverse(term.factor));
    let mut steps = MAX_STEPS;
    search(terms, target, &mut steps)
}

fn search(terms: &[Term], target: u128, steps: &mut u32) -> bool {
    if target == 0 || *steps == 0 {
        return true;
    }
    *steps -= 1;
    let Some((&Term { factor, bound }, rest)) = terms.split_first() else {
        return false;
    };
    if factor == 0 {
        return false; // and so are all later ones
    }
    if !target.is_multiple_of(terms.iter().fold(0, |divisor, term| gcd(divisor, term.factor))) {
        return false;
    }
    let most: u128 = rest.iter().map(|term| term.factor * term.bound).sum();
    let highest = (target / factor).min(bound);
    let lowest = target.saturating_sub(most).div_ceil(factor);
    (lowest..=highest).rev().any(|x| search(rest, target - x * factor, steps))
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
        // An index in the gaps between the elements of out.
        let wide = layout(&[8], &[4], 0);
        assert!(!overlap(&extent(&wide, 0, 4), &extent(&layout(&[8], &[2], 0), 8, 8)));
        assert!(overlap(&extent(&wide, 0, 4), &extent(&layout(&[8], &[2], 0), 4, 16)));
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
