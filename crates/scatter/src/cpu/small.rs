//! A call so small that index stays in a near cache. Index is checked whole, and then read again
//! for the updates: as it is, if no value is negative.

use super::block::{Slots, Source, update_line};
use super::call::Call;
use super::lines::{self, Line};
use super::numbers::{Number, Numbers, Values};
use super::room::{NoMemory, reserved, zeros};
use super::rule::Rule;
use super::slot::Slot;
use super::sweep::each_run;
use crate::Element;

/// Runs the call with `slots` for a line; false, and nothing was written, if an index value is not
/// valid.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which is one of lines whose index is one run.
/// Index values may be invalid.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
    slots: usize,
) -> Result<bool, NoMemory> {
    let (at, len) = (call.walk.index, call.walk.steps());
    // SAFETY: the whole index, which is one run; what is read of it is valid. The destination
    // shares no memory with it, so that the updates don't write it.
    unsafe {
        match numbers.values(at, 1, len).filter(|&values| numbers.are_plain(values)) {
            // Values that are not negative have the same bits without a sign.
            Some(Values::I32(values)) => update::<T, R, L, u32>(call, bytemuck::cast_slice(values), slots)?,
            Some(Values::I64(values)) => update::<T, R, L, _>(call, values, slots)?,
            None => {
                let mut read = zeros(len)?;
                if !numbers.read(at, 1, &mut read) {
                    return Ok(false);
                }
                update::<T, R, L, _>(call, &read, slots)?;
            }
        }
    }
    Ok(true)
}

/// Makes the updates, whose targets have these numbers.
///
/// # Safety
/// As [`run`]; the numbers are valid.
unsafe fn update<T: Element, R: Rule, L: Slot<T>, N: Number>(
    call: &Call<'_, T>,
    numbers: &[N],
    slots: usize,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let mut slots: Vec<L> = reserved(slots)?;
    let mut rest = numbers;
    each_run(call.walk, |axis, [_, src, dst]| {
        let (numbers, others) = rest.split_at(axis.extent);
        rest = others;
        // SAFETY: addresses of the walk: a line, and its updates' src. Slots that are in place have
        // the line's representation, others were reserved, and are filled before they are updated.
        unsafe {
            let line = Line { start: call.storages.dst.offset(dst), len: targets, step };
            lines::copy_self(call, dst, &line);
            let slots = if L::IN_PLACE {
                Slots { start: line.start.cast::<L>(), step }
            } else {
                line.load::<R, L>(slots.as_mut_ptr(), call.include_self);
                Slots { start: slots.as_mut_ptr(), step: 1 }
            };
            let start = call.storages.src.cast_const().offset(src);
            update_line::<T, R, L, N>(slots, Source { start, step: axis.src }, numbers);
            if !L::IN_PLACE {
                line.store(slots.start.cast_const(), call.include_self);
            }
        }
    });
    Ok(())
}
