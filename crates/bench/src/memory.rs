//! Measures the memory that a call takes beyond its operands, by a global allocator that counts
//! during the measurement.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

/// The system's allocator, with counters that can be switched on.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
/// The bytes allocated minus the bytes freed since the count began, and the maximum of that.
static HELD: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The maximum of the bytes that all threads held during `work`, minus those held before. Only one
/// such count may run at a time.
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

// SAFETY: every function forwards to the system's allocator with the same arguments and returns its
// result; counting doesn't allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract of `alloc`, with the same layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract of `alloc_zeroed`, with the same layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new block may both exist for a moment.
        count(size as isize);
        // SAFETY: the block is from this allocator, and so from `System`, with this layout.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        count(-(layout.size() as isize));
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the block is from this allocator, and so from `System`, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tests of this process allocate meanwhile, but much less than this.
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
