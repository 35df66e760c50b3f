//! Tasks over the threads that there are. Nothing here is generic, so that rayon's machinery is compiled once.

use core::ops::Range;
#[cfg(feature = "rayon")]
use core::sync::atomic::{AtomicUsize, Ordering};

/// The threads that tasks are spread over: those of the current rayon pool, or one without the feature `rayon`.
pub(super) fn count() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Fewer threads than this each read all of index for the updates that are their own; more of them had better share the reading, and
/// partition what they read.
pub(super) const MANY: usize = 5;

/// Memory that a thread uses again while it goes from task to task, for values of one type.
#[derive(Debug, Default)]
pub(super) struct Scratch(Vec<u128>);

impl Scratch {
    /// Memory for `len` values, valid until the next call: zeros, or values of an earlier task.
    pub(super) fn reserve<T>(&mut self, len: usize) -> *mut T {
        const { assert!(align_of::<T>() <= align_of::<u128>()) };
        let words = len.saturating_mul(size_of::<T>()).div_ceil(size_of::<u128>());
        if self.0.len() < words {
            // Never more than one task needs: the old memory goes first, and none is added beyond.
            self.0 = Vec::new();
            self.0 = vec![0; words];
        }
        self.0.as_mut_ptr().cast()
    }
}

/// Part `number` of so many parts of `0..len`, which differ by one at the most.
pub(super) fn share(len: usize, parts: usize, number: usize) -> Range<usize> {
    let start = |number: usize| len / parts * number + number.min(len % parts);
    start(number)..start(number + 1)
}

/// Runs `task(0)` to `task(tasks - 1)`: in any order on all threads, or on this one where it isn't worth it.
pub(super) fn run(tasks: usize, worth_it: bool, task: &(dyn Fn(&mut Scratch, usize) + Sync)) {
    #[cfg(not(feature = "rayon"))]
    let _ = worth_it;
    #[cfg(feature = "rayon")]
    if tasks > 1 && worth_it {
        use rayon::prelude::*;
        // Each thread takes the next task when it is done with one, and has one scratch for all.
        let next = AtomicUsize::new(0);
        let work = |_| {
            let mut scratch = Scratch::default();
            let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < tasks);
            while let Some(number) = claim() {
                task(&mut scratch, number);
            }
        };
        return (0..count().min(tasks)).into_par_iter().with_max_len(1).for_each(work);
    }
    let mut scratch = Scratch::default();
    for number in 0..tasks {
        task(&mut scratch, number);
    }
}

/// Whether `task` returns true for any number; stops early where it can.
pub(super) fn any(tasks: usize, task: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    #[cfg(feature = "rayon")]
    if tasks > 1 {
        use rayon::prelude::*;
        return (0..tasks).into_par_iter().any(task);
    }
    (0..tasks).any(task)
}
