//! How much memory a call takes beyond its operands: the program's allocator counts while it is
//! asked to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

/// The system's allocator, which counts on demand.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
/// Bytes allocated less bytes freed since the count began, and the most that they came to.
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The bytes that all threads held at the most during `work`, beyond those that were held before.
/// One count at a time.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let result = work();
    IS_COUNTING.store(false, Relaxed);
    (result, PEAK.load(Relaxed).unsigned_abs())
}

fn count(bytes: isize) {
    if IS_COUNTING.load(Relaxed) {
        let held = HELD.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(held, Relaxed);
    }
}

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's word.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new block may both be there for a moment.
        count(size as isize);
        // SAFETY: the caller's word.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        count(-(layout.size() as isize));
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's word.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests of this process allocate meanwhile, but not as much.
    const LARGE: usize = 1 << 30;

    #[test]
    fn the_peak_counts_what_was_held_at_once() {
        let one = || drop(core::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
        let ((), peak) = peak(|| {
            one();
            one();
        });
        assert!((LARGE..2 * LARGE).contains(&peak), "{peak}");
    }
}
