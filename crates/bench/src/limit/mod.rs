//! The machine's limit for a workload: a loop with the loads and stores that no implementation can
//! avoid, in the same order, with prefetch and without the arithmetic.
//!
//! Each thread has a destination of its own. For rows, and for elements of a single line, it is a
//! range of the targets, whose updates the thread makes in the order that an engine must keep.
//! Where sums don't depend on the order, each thread instead takes a part of a line's updates, with
//! the targets scaled down: with two threads, element r of 1000 becomes element r / 2 of 500. An
//! engine must find the owner of each update; the loop knows it beforehand. But each thread that
//! owns a range of a line reads the line's whole index, and an index that is stored in full is read
//! in full, because an engine can't know in advance that it is constant along a row. Lines and
//! columns read index once before the first store and once with it: no engine may write before all
//! values are known to be in range, and the destination is too large to write to a copy first. The
//! only operation that is left, a wrapping addition of words, keeps the loads from being optimised
//! away. A gather's loop only copies, each thread to a part of out.

mod columns;
mod elements;
mod machine;
mod owned;
mod reads;
mod rows;

use std::time::{Duration, Instant};

use engines::case::Case;
use engines::storage::Storage;
use engines::threads;
use engines::usage::UsageError;
use rayon::ThreadPool;
use rayon::prelude::*;
use scatter::{DType, Index};

use crate::measure::{is_replace, warm_up};
use crate::workload::Form;
use columns::Columns;
use elements::{Access, Elements};
use owned::Owned;
use reads::Reads;
use rows::Rows;

pub(crate) use machine::{MachineLimits, machine};

/// One thread's share of a loop.
trait Share: Send {
    /// Writes the destination, so that as much of it is in the caches as of a self that was just
    /// restored.
    fn reset(&mut self);
    /// Runs the share in one of [`CHOICES`] ways, which differ in the prefetch distance or the size
    /// of a tile.
    fn run(&mut self, choice: usize);
}

const CHOICES: usize = 4;

/// The loop of a workload on a number of threads.
pub(crate) struct LimitLoop<'a> {
    pool: ThreadPool,
    shares: Vec<Box<dyn Share + 'a>>,
    choice: usize,
}

impl<'a> LimitLoop<'a> {
    /// The loop of a workload on `threads` threads, with the choice that is fastest on this
    /// machine.
    pub(crate) fn new(form: Form, case: &'a Case, threads: usize) -> Result<Self, UsageError> {
        let pool = threads::pool(threads)?;
        let shares = match case.index.storage.dtype() {
            DType::I32 => shares::<i32>(form, case, threads),
            _ => shares::<i64>(form, case, threads),
        };
        let mut limit = Self { pool, shares, choice: 0 };
        limit.tune();
        Ok(limit)
    }

    /// The mean time of `runs` runs on one destination, which is written before the first.
    pub(crate) fn time(&mut self, runs: usize) -> Duration {
        let Self { pool, shares, choice } = self;
        pool.install(|| {
            shares.par_iter_mut().for_each(|share| share.reset());
            let start = Instant::now();
            for _ in 0..runs {
                shares.par_iter_mut().for_each(|share| share.run(*choice));
            }
            start.elapsed() / runs as u32
        })
    }

    /// Takes the fastest choice, with threads that are warm and memory that has been touched.
    fn tune(&mut self) {
        warm_up(|| self.time(1));
        let time = |choice| {
            self.choice = choice;
            self.time(1).min(self.time(1))
        };
        let times = [0, 1, 2, 3].map(time);
        self.choice = (0..CHOICES).min_by_key(|&choice| times[choice]).unwrap_or(0);
    }
}

/// The shares of the threads.
fn shares<I: Place>(form: Form, case: &Case, threads: usize) -> Vec<Box<dyn Share + '_>> {
    match case.dtype().size() {
        1 => shares_of::<u8, I>(form, case, threads),
        2 => shares_of::<u16, I>(form, case, threads),
        4 => shares_of::<u32, I>(form, case, threads),
        _ => shares_of::<u64, I>(form, case, threads),
    }
}

fn shares_of<U: Word, I: Place>(form: Form, case: &Case, threads: usize) -> Vec<Box<dyn Share + '_>> {
    let index: &[I] = case.index.storage.elements();
    let src: Option<&[U]> = case.src.as_ref().map(|src| words(&src.storage));
    let update = match (is_replace(case), src) {
        (true, Some(src)) => Access::Write(src),
        (false, Some(src)) => Access::Add(src),
        (_, None) => Access::Value,
    };
    match (form, src) {
        (Form::Rows { rows, updates }, Some(src)) => {
            let from_zeros = !case.op.operator().signature().has_self;
            Rows::shares(rows, src, index, updates, threads, |values| values[0].at())
                .map(|share| boxed(share.starting(from_zeros)))
                .collect()
        }
        (Form::Pairs { side, updates }, Some(src)) if src.len() == updates => {
            let element = move |[row, column]: [I; 2]| row.at() * side + column.at();
            Owned::shares(side * side, src, index.as_chunks().0, element, threads).map(boxed).collect()
        }
        (Form::Pairs { side, updates }, Some(src)) => {
            let row = move |values: &[I]| values[0].at() * side + values[1].at();
            Rows::shares(side * side, src, index, updates, threads, row).map(boxed).collect()
        }
        (Form::Columns { rows, width }, Some(src)) => {
            Columns::shares([rows, width], src, index, threads).map(boxed).collect()
        }
        (Form::Lines { rows, width, updates }, _) => {
            Elements::lines([rows, width, updates], update, index, threads).map(boxed).collect()
        }
        (Form::Line { size }, Some(src)) if threads > 1 && depends_on_order(case) => {
            let entries = index.as_chunks().0;
            Owned::shares(size, src, entries, |[value]| value.at(), threads).map(boxed).collect()
        }
        (Form::Line { size }, _) => Elements::line(size, update, index, threads).map(boxed).collect(),
        (Form::GatherRows { rows, reads }, _) => {
            Rows::reads(rows, words::<U>(&case.self_.storage), index, reads, threads).map(boxed).collect()
        }
        (Form::GatherLines { rows, width, reads }, _) => {
            let sizes = [rows, width, reads];
            Reads::lines(sizes, words::<U>(&case.self_.storage), index, threads).map(boxed).collect()
        }
        // All scatters of rows or columns have src, and windows are not timed on CPUs.
        (Form::Rows { .. } | Form::Pairs { .. } | Form::Columns { .. }, None) | (Form::Windows, _) => {
            Vec::new()
        }
    }
}

/// Whether the result depends on the order of updates.
fn depends_on_order(case: &Case) -> bool {
    use DType::{Bool, I8, I16, I32, I64, U8};
    !matches!(case.dtype(), Bool | I8 | U8 | I16 | I32 | I64)
}

fn boxed<'a>(share: impl Share + 'a) -> Box<dyn Share + 'a> {
    Box::new(share)
}

/// An unsigned integer that stands for an element of the same size.
trait Word: bytemuck::Pod + Send + Sync {
    /// The operation that keeps loads from being optimised away.
    fn plus(self, other: Self) -> Self;
}

macro_rules! words {
    ($($T:ty),+) => {$(
        impl Word for $T {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )+};
}

words!(u8, u16, u32, u64);

/// An index value. Those of workloads are in range and never negative.
trait Place: Index {
    fn at(self) -> usize;
    fn of(at: usize) -> Self;
}

macro_rules! places {
    ($($I:ty),+) => {$(
        impl Place for $I {
            #[inline(always)]
            fn at(self) -> usize {
                self as usize
            }

            fn of(at: usize) -> Self {
                at as Self
            }
        }
    )+};
}

places!(i32, i64);

/// A storage as words; its memory is aligned for all of them.
fn words<U: Word>(storage: &Storage) -> &[U] {
    bytemuck::cast_slice(storage.bytes())
}

/// The prefetch distance for a stream beside others, in values. The hardware's own prefetch stops
/// at the end of a page.
const STREAM_AHEAD: usize = 512;

/// Reads every value, as a check of the range would. Nothing is prefetched: for one run of values
/// that would take longer.
fn read_all<I: Place>(values: &[I]) {
    core::hint::black_box(folded(values));
}

/// Reads every value of a part of index: that of a row, or what is read between some updates and
/// the next. The values of one part and the next are not one run to the hardware, so they are
/// prefetched.
fn read_part<I: Place>(values: &[I]) {
    let read = |values: &[I]| {
        (0..values.len()).step_by(64 / size_of::<I>()).for_each(|at| prefetch(values, at + STREAM_AHEAD));
        folded(values)
    };
    core::hint::black_box(values.chunks(64).fold(0, |all, values| all | read(values)));
}

/// A number that depends on every value, so that none is left unread.
#[inline(always)]
fn folded<I: Place>(values: &[I]) -> usize {
    values.iter().fold(0, |all, value| all | value.at())
}

/// Prefetches the cache lines of `len` elements from `at` on, including the last element's, because
/// few rows begin at a cache line.
#[inline(always)]
fn prefetch_row<T>(slice: &[T], at: usize, len: usize) {
    let lines = (at..at + len).step_by(64 / size_of::<T>());
    lines.chain((at..at + len).last()).for_each(|at| prefetch(slice, at));
}

/// Prefetches the cache line of `slice[at]`, which may be out of range; does nothing on processors
/// other than x86-64.
#[inline(always)]
fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is only a hint: it never faults and doesn't access memory in the
        // language's sense, whatever the address. `wrapping_add` allows any offset.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Workload;

    #[test]
    fn every_workload_has_a_loop_on_any_number_of_threads() {
        for workload in Workload::of_cpus() {
            let workload = workload.divided(500);
            let drawn = workload.draw(3).unwrap();
            for threads in [1, 2, 5] {
                let mut limit = LimitLoop::new(workload.form(), &drawn.case, threads).unwrap();
                assert!(!limit.shares.is_empty(), "{workload:?}");
                limit.time(2);
            }
        }
    }
}
