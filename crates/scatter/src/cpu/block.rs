//! The updates of a block of target numbers, element by element.

use super::rule::Rule;
use super::slot::Slot;
use crate::Element;

/// How a loop goes from one update to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// In slots, from one update to the next.
    pub(super) along: isize,
    /// In slots, from one target to the next.
    pub(super) target: isize,
    /// In src, from one update to the next.
    pub(super) src: isize,
}

/// Updates slot `number · target + n · along` with element `n · src`, for the `n`th of `numbers`, in order.
///
/// # Safety
/// These are slots that the caller owns, and elements of src.
#[inline(always)]
pub(super) unsafe fn update_block<T: Element, R: Rule, L: Slot<T>>(
    slots: *mut L,
    src: *const T,
    steps: Steps,
    numbers: &[u32],
) {
    let update = |slot: isize, value: T| {
        // SAFETY: the caller's promise.
        unsafe { (*slots.offset(slot)).update(R::REDUCE, value) }
    };
    // SAFETY: the caller's promise.
    let value = |at: isize| unsafe { src.offset(at).read() };
    let numbered = (0_isize..).zip(numbers.iter().map(|&number| number as isize));
    // Written apart so that the compiler knows the steps.
    match steps {
        Steps { along: 0, target: 1, src: 1 } => numbered.for_each(|(at, number)| update(number, value(at))),
        Steps { along: 0, target: 1, src: 0 } => {
            let value = value(0);
            numbered.for_each(|(_, number)| update(number, value));
        }
        Steps { along: 1, target, src: 1 } => {
            numbered.for_each(|(at, number)| update(number * target + at, value(at)));
        }
        Steps { along, target, src } => {
            numbered.for_each(|(at, number)| update(number * target + at * along, value(at * src)));
        }
    }
}
