//! Few long lines: in rounds, updates are partitioned into ranges of the line that each fit a near
//! cache, and each range is a task. So random updates of a long line hardly miss the cache, and
//! threads share the work of one line.

use core::ops::Range;

use super::aligned::Aligned;
use super::call::Call;
use super::lines::Line;
use super::numbers::{BLOCK, Numbers};
use super::partition::{Block, Buckets, Entry, Partition};
use super::plan::{ROUND, Ranges};
use super::room::{NoMemory, Ready, reserved};
use super::rule::Rule;
use super::shared::Shared;
use super::slot::Slot;
use super::sweep::each_run;
use super::threads;
use crate::Element;
use crate::simd::prefetch;

/// How many updates ahead a value of src is prefetched.
const AHEAD: usize = 16;

/// Runs the call.
///
/// # Safety
/// As [`super::sweep::apply`], for the whole walk, which is one of lines.
pub(super) unsafe fn run<T: Element, R: Rule, L: Slot<T>>(
    call: &Call<'_, T>,
    numbers: &Numbers,
    plan: &Ranges,
    ready: Ready<'_>,
) -> Result<(), NoMemory> {
    let (targets, step) = (call.walk.components.targets(), call.walk.components.step().unwrap_or(1));
    let (tasks, Ranges { shift, number: ranges, slots }) = (call.plan.tasks, *plan);
    let parallel = tasks > 1 && ranges > 1;
    let round = call.walk.inner().extent.min(ROUND);
    let mut partition = Partition::new(round as u32, ranges, tasks)?;
    let mut slots: Vec<core::mem::MaybeUninit<L>> = reserved(slots)?;
    ready();
    let slots = Shared(slots.as_mut_ptr().cast::<L>());

    each_run(call.walk, |inner, [index_at, src_at, dst_at]| {
        // SAFETY: an address of the walk.
        let line = Line { start: unsafe { call.storages.dst.offset(dst_at) }, len: targets, step };
        let line = Shared(line);
        let part = |number: usize| {
            let line = line.get();
            let first = number << shift;
            let start = line.start.wrapping_offset(first as isize * step);
            (Line { start, len: (targets - first).min(1 << shift), step }, slots.get().wrapping_add(first))
        };
        if !L::IN_PLACE {
            threads::run(ranges, parallel, &|number| {
                let (line, slots) = part(number);
                // SAFETY: a range of the line, which this task owns, and of the slots, which were
                // reserved.
                unsafe { line.load::<R, L>(slots, call.include_self) }
            });
        }
        for round in (0..inner.extent).step_by(ROUND) {
            let len = (inner.extent - round).min(ROUND);
            let index_at = index_at + round as isize * inner.index;
            let blocks = |range: Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
                let mut block = Aligned([0; BLOCK]);
                for first in range.clone().step_by(BLOCK) {
                    let block = &mut block.0[..((range.end - first) as usize).min(BLOCK)];
                    // SAFETY: index addresses of the walk.
                    unsafe { numbers.read(index_at + first as isize * inner.index, inner.index, block) };
                    visit((0, first, block));
                }
            };
            let buckets = Buckets { number: ranges, shift, groups: None };
            partition.fill(len as u32, buckets, tasks.min(len), &blocks);
            let src = Shared(call.storages.src.wrapping_offset(src_at + round as isize * inner.src));
            threads::run(ranges, parallel, &|number| {
                let (line, slots) = (line.get(), slots.get());
                let (slots, step) = if L::IN_PLACE { (line.start.cast::<L>(), step) } else { (slots, 1) };
                let bucket = partition.group(number, number + 1);
                let from = |number: u32| src.get().cast_const().wrapping_offset(number as isize * inner.src);
                for (at, Entry { target, number }) in bucket.iter().enumerate() {
                    if let Some(Entry { number, .. }) = bucket.ahead(at + AHEAD) {
                        prefetch(from(number));
                    }
                    // SAFETY: a slot of the range that this task owns, and an address of src.
                    unsafe { (*slots.offset(target as isize * step)).update(R::REDUCE, from(number).read()) }
                }
            });
        }
        if !L::IN_PLACE {
            threads::run(ranges, parallel, &|number| {
                let (line, slots) = part(number);
                // SAFETY: a range of the line, which this task owns, and of the slots, which were
                // filled.
                unsafe { line.store(slots, call.include_self) }
            });
        }
    });
    Ok(())
}
