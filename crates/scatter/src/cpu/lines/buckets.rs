//! Few long lines: in rounds, updates are partitioned into ranges of the line that each fit a near
//! cache, and each range is a task. So random updates of a long line hardly miss the cache, and
//! threads share the work of one line.

use core::ops::Range;

use crate::cpu::aligned::Aligned;
use crate::cpu::call::Call;
use crate::cpu::index::numbers::BLOCK;
use crate::cpu::index::partition::{Block, Division, Partition};
use crate::cpu::lines::Line;
use crate::cpu::plan::{LineBuckets, ROUND};
use crate::cpu::slot::block::{Slots, Source};
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, Ready, reserved_slots};
use crate::cpu::threads::shared::Shared;
use crate::cpu::walk::turns::each_run;

/// Runs the call.
///
/// # Safety
/// As [`apply`](crate::cpu::walk::visit::apply), for the whole walk, which is one of lines.
pub(in crate::cpu) unsafe fn run(
    call: &Call<'_>,
    plan: LineBuckets,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk().components.targets(), call.walk().components.step().unwrap_or(1));
    let (tasks, LineBuckets { shift, ranges }) = (call.plan.tasks, plan);
    let parallel = tasks > 1 && ranges > 1;
    let round = call.walk().inner().extent.min(ROUND);
    let mut partition = Partition::new(round as u32, ranges, tasks)?;
    let loops = call.loops();
    let mut slots = reserved_slots(if loops.slot.in_place { 0 } else { targets }, loops.slot)?;
    ready();
    let slots = Shared(slots.as_mut_ptr().cast::<u8>());

    each_run(call.walk(), |inner, [index_at, src_at, dst_at]| {
        let line = Shared(Line { start: call.storages.dst.at(dst_at), len: targets, step });
        let part = |number: usize| {
            let first = number << shift;
            let start = call.storages.dst.at(dst_at + first as isize * step);
            let slots = slots.get().wrapping_add(first * loops.slot.bytes);
            (Line { start, len: (targets - first).min(1 << shift), step }, slots)
        };
        if !loops.slot.in_place {
            threads::run(ranges, parallel, &|number| {
                let (line, slots) = part(number);
                // SAFETY: only this task accesses this range of the line and the slots of the
                // range, which were reserved.
                unsafe { line.load(call, slots) }
            });
        }
        for round in (0..inner.extent).step_by(ROUND) {
            let len = (inner.extent - round).min(ROUND);
            let index_at = index_at + round as isize * inner.index;
            let blocks = |range: Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
                let mut block = Aligned([0; BLOCK]);
                for first in range.clone().step_by(BLOCK) {
                    let block = &mut block.0[..((range.end - first) as usize).min(BLOCK)];
                    // SAFETY: the entries lie inside the index's storage, which nobody writes.
                    unsafe {
                        let at = index_at + first as isize * inner.index;
                        call.numbers.read(at, inner.index, block, false);
                    }
                    visit((0, first, block));
                }
            };
            let division = Division { number: ranges, shift, groups: None };
            partition.fill(len as u32, division, tasks.min(len), &blocks);
            let start = call.storages.src.at(src_at + round as isize * inner.src).cast_const();
            let src = Shared(Source { start, step: inner.src });
            threads::run(ranges, parallel, &|number| {
                let slots = match loops.slot.in_place {
                    true => Slots { start: line.get().start, step },
                    false => Slots { start: slots.get(), step: 1 },
                };
                // SAFETY: index values are valid, so that each entry of this bucket has a slot in
                // the task's range, which only this task accesses; src has an element for each
                // entry, which nobody writes.
                unsafe { (loops.bucket)(slots, src.get(), partition.group(number, number + 1)) }
            });
        }
        if !loops.slot.in_place {
            threads::run(ranges, parallel, &|number| {
                let (line, slots) = part(number);
                // SAFETY: only this task accesses this range of the line and the slots of the
                // range, which were filled.
                unsafe { line.store(call, slots) }
            });
        }
    });
    Ok(())
}
