//! A call so small that index stays in a near cache. Index is checked whole, and then read again
//! for the updates: as it is, if no value is negative.

use crate::cpu::call::Call;
use crate::cpu::index::numbers::{Number, Numbers, Values};
use crate::cpu::lines;
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::slot::loops::Line;
use crate::cpu::threads::room::{NoMemory, reserved_slots, zeros};
use crate::cpu::walk::sweep::each_run;

/// Runs the call with `slots` for a line; false, and nothing was written, if an index value is not
/// valid.
///
/// # Safety
/// As [`sweep::apply`](crate::cpu::walk::sweep::apply), for the whole walk, which is one of lines
/// whose index is one run. Index values may be invalid.
pub(in crate::cpu) unsafe fn run(call: &Call<'_>, numbers: &Numbers, slots: usize) -> Result<bool, NoMemory> {
    let (at, len) = (call.walk.index, call.walk.steps());
    // SAFETY: the whole index, which is one run; what is read of it is valid. The destination
    // shares no memory with it, so that the updates don't write it.
    unsafe {
        match numbers.values(at, 1, len).filter(|&values| numbers.are_plain(values)) {
            // Values that are not negative have the same bits without a sign.
            Some(Values::I32(values)) => {
                update(call, bytemuck::cast_slice(values), slots, call.update().line)?;
            }
            Some(Values::I64(values)) => update(call, values, slots, call.update().line_i64)?,
            None => {
                let mut read = zeros(len)?;
                if !numbers.read(at, 1, &mut read) {
                    return Ok(false);
                }
                update(call, &read, slots, call.update().line)?;
            }
        }
    }
    Ok(true)
}

/// Makes the updates, whose targets have these numbers.
///
/// # Safety
/// As [`run`]; the numbers are valid.
unsafe fn update<N: Number>(
    call: &Call<'_>,
    numbers: &[N],
    slots: usize,
    update_line: Line<N>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let in_place = call.update().slot.in_place;
    let mut slots = reserved_slots(slots, call.update().slot.bytes)?;
    let slots = slots.as_mut_ptr().cast::<u8>();
    let mut rest = numbers;
    each_run(call.walk, |axis, [_, src, dst]| {
        let (numbers, others) = rest.split_at(axis.extent);
        rest = others;
        let line = lines::Line { start: call.storages.dst.at(dst), len: targets, step };
        // SAFETY: addresses of the walk: a line, and its updates' src. Slots that are in place have
        // the line's representation, others were reserved, and are filled before they are updated.
        unsafe {
            call.copy_self(dst, step, targets);
            let slots = if in_place {
                Slots { start: line.start, step }
            } else {
                line.load(call, slots);
                Slots { start: slots, step: 1 }
            };
            let start = call.storages.src.at(src).cast_const();
            update_line(slots, Source { start, step: axis.src }, numbers, targets);
            if !in_place {
                line.store(call, slots.start);
            }
        }
    });
    Ok(())
}
