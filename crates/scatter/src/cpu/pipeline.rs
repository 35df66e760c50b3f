//! The updates of a line by one thread, in order, while another one reads what index the next of them have, and checks it: for
//! lines whose updates can't be divided, where there are threads that have nothing else to do.

use core::mem::swap;

use super::block::Slots;
use super::call::Call;
use super::line_updates::{self, Run};
use super::numbers::Numbers;
use super::rule::Rule;
use super::shared::Shared;
use super::slot::Slot;
use super::threads;
use crate::Element;

/// So many numbers are handed over at once: their updates take much longer than that, and they stay in a cache that cores share.
const PART: usize = 1 << 16;

/// What [`line_updates::make`] does, for a line that stays in a near cache.
///
/// # Safety
/// As there.
pub(super) unsafe fn make<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
    run: Run<'_>,
    slots: Slots<L>,
) -> bool {
    let Run { axis, index, .. } = run;
    let len = |first: usize| (axis.extent - first).min(PART);
    let read = |first: usize, part: &mut [u32]| {
        // SAFETY: index addresses of the run.
        unsafe { numbers.read_on(index + first as isize * axis.index, axis.index, &mut part[..len(first)]) }
    };
    let (mut part, mut next) = (vec![0; len(0)], vec![0; len(0)]);
    let mut valid = read(0, &mut part);
    let (start, step) = (Shared(slots.start), slots.step);
    for first in (0..axis.extent).step_by(PART) {
        if !valid {
            break;
        }
        let numbers = &part[..len(first)];
        let mut update = || {
            let slots = Slots { start: start.get(), step };
            // SAFETY: the caller's promise; the numbers were valid.
            unsafe { line_updates::make_read::<T, R, L>(call, run, slots, first, numbers, &|_, _| ()) }
        };
        threads::join(&mut update, &mut || valid = read(first + numbers.len(), &mut next));
        swap(&mut part, &mut next);
    }
    valid
}
