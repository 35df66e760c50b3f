//! The threads that a call can have.

/// The threads that tasks are spread over: those of the rayon pool that the caller is in, or its
/// own alone.
pub(in crate::cpu) fn count() -> usize {
    #[cfg(feature = "rayon")]
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    1
}

/// The threads that take part in `tasks`: one where more are not worth it.
pub(in crate::cpu) fn parts(tasks: usize, worth_it: bool) -> usize {
    if worth_it { count().min(tasks).max(1) } else { 1 }
}
