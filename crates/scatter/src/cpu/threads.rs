//! Tasks over the threads that there are.

/// The threads that tasks are spread over: those of the current rayon pool, or one without the feature `rayon`.
pub(super) fn count() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Runs `task(0)` to `task(tasks - 1)`, in any order, each with a scratch value that a thread uses again.
pub(super) fn run<S>(
    tasks: usize,
    scratch: impl Fn() -> S + Send + Sync,
    task: impl Fn(&mut S, usize) + Send + Sync,
) {
    #[cfg(feature = "rayon")]
    if tasks > 1 {
        use rayon::prelude::*;
        return (0..tasks).into_par_iter().for_each_init(scratch, task);
    }
    let mut scratch = scratch();
    for number in 0..tasks {
        task(&mut scratch, number);
    }
}

/// Whether `task` returns true for any number; stops early where it can.
pub(super) fn any(tasks: usize, task: impl Fn(usize) -> bool + Send + Sync) -> bool {
    #[cfg(feature = "rayon")]
    if tasks > 1 {
        use rayon::prelude::*;
        return (0..tasks).into_par_iter().any(task);
    }
    (0..tasks).any(task)
}
