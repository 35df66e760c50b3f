//! Tasks over the threads that there are. Nothing here is generic, so that rayon's machinery is
//! compiled once.

pub(in crate::cpu) mod available;
#[cfg(feature = "rayon")]
mod pool;
pub(in crate::cpu) mod room;
pub(in crate::cpu) mod shared;

use core::ops::Range;
#[cfg(feature = "rayon")]
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::Error;
use crate::cpu::threads::room::{Room, Scratch};

/// Runs a call that is worth threads where it has some: in the rayon pool that the caller is in, or
/// else in the crate's own; on the caller's thread where there is none.
pub(in crate::cpu) fn enter(call: &mut (dyn FnMut() -> Result<(), Error> + Send)) -> Result<(), Error> {
    #[cfg(feature = "rayon")]
    if rayon::current_thread_index().is_none()
        && let Some(pool) = pool::get()
    {
        return pool.install(call);
    }
    call()
}

/// Part `number` of `0..len` in `parts`, whose lengths differ by one at the most.
pub(in crate::cpu) fn share(len: usize, parts: usize, number: usize) -> Range<usize> {
    let start = |number: usize| len / parts * number + number.min(len % parts);
    start(number)..start(number + 1)
}

/// Runs `task(0)` to `task(tasks - 1)`: in any order on all threads, or on this one where more are
/// not worth it.
pub(in crate::cpu) fn run(tasks: usize, worth_it: bool, task: &(dyn Fn(usize) + Sync)) {
    let others = (1..available::parts(tasks, worth_it)).map(|_| Scratch::default()).collect();
    run_in(Room { others, ..Room::default() }, tasks, &|_, number| task(number));
}

/// Runs `task(0)` to `task(tasks - 1)` on as many threads as there is room for, each with its
/// scratch.
pub(in crate::cpu) fn run_in(mut room: Room, tasks: usize, task: &(dyn Fn(&mut Scratch, usize) + Sync)) {
    #[cfg(feature = "rayon")]
    if !room.others.is_empty() {
        use rayon::prelude::*;
        let mut all = room.others;
        all.push(room.first);
        // Each thread takes the next task when it is done with one, and has one scratch for all.
        let next = AtomicUsize::new(0);
        let work = |scratch: &mut Scratch| {
            let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < tasks);
            while let Some(number) = claim() {
                task(scratch, number);
            }
        };
        return all.par_iter_mut().with_max_len(1).for_each(work);
    }
    (0..tasks).for_each(|number| task(&mut room.first, number));
}

/// Whether `task` returns true for any number; stops early where it can.
pub(in crate::cpu) fn any(tasks: usize, task: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    #[cfg(feature = "rayon")]
    if tasks > 1 && available::count() > 1 {
        use rayon::prelude::*;
        return (0..tasks).into_par_iter().any(task);
    }
    (0..tasks).any(task)
}
