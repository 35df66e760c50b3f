//! What loops prefetch, and how far ahead.
//!
//! Hardware prefetches a stream by itself, but not beyond the end of a page, and hardly where a
//! loop reads and writes several streams, short rows, or single elements. Distances were measured,
//! on a Zen 4 or a Zen 5, unless they are called a guess. Whether a loop prefetches where that is
//! not always better is a part of the [plan](crate::cpu::plan).

/// The bytes of a cache line.
pub(in crate::cpu) const CACHE_LINE: usize = 64;

/// How many updates ahead a slot is prefetched, where slots are far apart.
pub(in crate::cpu) const SLOTS_AHEAD: usize = 192;

/// How many updates ahead a bucket's slots and values of src are prefetched. A guess.
pub(in crate::cpu) const BUCKET_AHEAD: usize = 32;

/// How many values ahead a stream is prefetched by a loop that reads several.
pub(in crate::cpu) const STREAM_AHEAD: usize = 768;

/// How many values of index are read at a time, and prefetched.
pub(in crate::cpu) const PREFETCHED: usize = 128;

/// How many runs ahead short ones are prefetched.
pub(in crate::cpu) const RUNS_AHEAD: isize = 8;

/// The bytes of a part: a longer row is updated and prefetched part by part.
pub(in crate::cpu) const PART: usize = 1024;

/// How many parts ahead a row of several is prefetched, if slots are in place.
pub(in crate::cpu) const PARTS_AHEAD: usize = 6;

/// How many bytes ahead rows are prefetched.
const BYTES_AHEAD: usize = 4096;

/// The most that [`rows_ahead`] returns.
pub(in crate::cpu) const MOST_ROWS_AHEAD: usize = 16;

/// How many bytes ahead rows whose updates are made together are prefetched, where hardware doesn't
/// prefetch them.
pub(in crate::cpu) const TOGETHER_AHEAD: usize = 2048;

/// The bytes of a page, within which hardware prefetches.
pub(in crate::cpu) const PAGE: usize = 4096;

/// How many updates ahead index and src are prefetched where a line's updates are made by index
/// values as they are. Elements of 1 byte, whose updates are faster than others, took 0.95 of the
/// time with 2048 that they took with [`STREAM_AHEAD`]; those of 2 bytes were not measured apart.
pub(in crate::cpu) const fn updates_ahead<T>() -> usize {
    if size_of::<T>() < 4 { 2048 } else { STREAM_AHEAD }
}

/// How many rows, each `bytes` long, to prefetch ahead.
#[inline(always)]
pub(in crate::cpu) fn rows_ahead(bytes: usize) -> usize {
    (BYTES_AHEAD / bytes.max(1)).clamp(1, MOST_ROWS_AHEAD)
}

/// Whether a row that is `bytes` long is updated in parts.
#[inline(always)]
pub(in crate::cpu) const fn is_in_parts(bytes: usize) -> bool {
    bytes > PART
}

/// Prefetches the cache line at `address`, which is about to be read or written.
#[inline(always)]
pub(in crate::cpu) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and can't fault.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch reads nothing and can't fault.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Prefetches the cache lines of `len` elements from `start` on.
#[inline(always)]
pub(in crate::cpu) fn prefetch_all<T>(start: *const T, len: usize) {
    prefetch_stream(start, len);
    // Elements that don't begin at a cache line may reach into one more: a large allocation of
    // glibc begins 16 bytes after a cache line.
    if !start.addr().is_multiple_of(CACHE_LINE) {
        prefetch(start.wrapping_add(len).cast::<u8>().wrapping_sub(1));
    }
}

/// As [`prefetch_all`], but without the last cache line if the elements don't begin at one: the
/// next call prefetches that line.
#[inline(always)]
pub(in crate::cpu) fn prefetch_stream<T>(start: *const T, len: usize) {
    for line in (0..len * size_of::<T>()).step_by(CACHE_LINE) {
        prefetch(start.cast::<u8>().wrapping_add(line));
    }
}

/// Prefetches a row that is `bytes` long, or the first [`PART`] of a longer one.
#[inline(always)]
pub(in crate::cpu) fn prefetch_row(row: *const u8, bytes: usize) {
    prefetch_all(row, bytes.min(PART));
}

/// Prefetches what comes [`STREAM_AHEAD`] after a block of values.
#[inline(always)]
pub(in crate::cpu) fn prefetch_on<T>(values: &[T]) {
    prefetch_stream(values.as_ptr().wrapping_add(STREAM_AHEAD), values.len());
}
