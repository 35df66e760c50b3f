//! What the two phases cost on host-cann, beside the work itself: `aclnnScatterAdd` of f32
//! `[64, 64]`, in place and not.
//!
//! `cargo bench -p overhead --bench c_functions -- --verbose` prints the medians. The clock runs
//! during one phase alone: neither the other nor the stream's synchronisation counts; or during a
//! whole call with its synchronisation, and so with the work itself. What it costs to hold the
//! call's three tensors to their memory, which is a part of the work, has a row of its own, because
//! the time in which a stream's thread wakes up hides it in a whole call.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../crates/aclnn-scatter/tests/common/mod.rs"]
mod common;

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};
use std::time::{Duration, Instant};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, ACL_SUCCESS, aclOpExecutor, aclTensor, hostcannRange};
use common::tensors::Owned;
use common::{Stream, cann, messages};
use criterion::{Criterion, SamplingMode};

/// The tensors of a call and its stream.
struct Call<'a> {
    self_: *mut aclTensor,
    index: &'a Owned,
    src: &'a Owned,
    out: *mut aclTensor,
    stream: &'a Stream,
}

impl Call<'_> {
    fn phase_one(&self) -> *mut aclOpExecutor {
        let (index, src) = (self.index.raw(), self.src.raw());
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: handles are alive and there are places for the results.
        let status = unsafe {
            c::aclnnScatterAddGetWorkspaceSize(self.self_, 1, index, src, self.out, &mut size, &mut executor)
        };
        assert!(status.is_success(), "{}", messages());
        executor
    }

    fn phase_two(&self, executor: *mut aclOpExecutor) {
        // SAFETY: the tensors stay until the stream is synchronised.
        let status = unsafe { c::aclnnScatterAdd(null_mut(), 0, executor, self.stream.raw) };
        assert!(status.is_success(), "{}", messages());
    }

    /// One call: what each phase took, the second one after a pause, and what all took with the
    /// synchronisation.
    fn time(&self, pause: Duration) -> [Duration; 3] {
        let begin = Instant::now();
        let start = begin;
        let executor = self.phase_one();
        let first = start.elapsed();
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        let start = Instant::now();
        self.phase_two(executor);
        let second = start.elapsed();
        assert!(self.stream.synchronize().is_success(), "{}", messages());
        [first, second, begin.elapsed()]
    }
}

/// Ranges that a host function holds again and again, and what that took.
struct Holding {
    ranges: [hostcannRange; 3],
    times: u64,
    took: Duration,
}

/// The host function: `argument` is a `Holding`.
unsafe extern "C" fn hold(argument: *mut c_void) {
    // SAFETY: it is the caller's, who waits.
    let holding = unsafe { &mut *argument.cast::<Holding>() };
    // SAFETY: the extension is there for the whole process.
    let hold = unsafe { &*host_cann::hostcann_extension() }.holdMemory.unwrap();
    let ranges = &mut holding.ranges;
    let start = Instant::now();
    for _ in 0..holding.times {
        // SAFETY: names and ranges are there, and the stream is the one that runs this.
        let held =
            unsafe { hold(null_mut(), c"aclnnScatterAdd".as_ptr(), ranges.as_mut_ptr(), ranges.len()) };
        assert!(held.is_success());
    }
    holding.took = start.elapsed();
}

/// What it takes to hold the tensors of a call `times` times, in host functions that do so a
/// thousand times each.
fn hold_often(call: &Call<'_>, out: &Owned, times: u64) -> Duration {
    let range = |argument: &'static std::ffi::CStr, tensor: &Owned, bytes, is_written| hostcannRange {
        argument: argument.as_ptr(),
        address: tensor.memory.address.cast_const(),
        bytes,
        isWritten: is_written,
        memory: null_mut(),
    };
    let (index, src) = (call.index, call.src);
    let ranges = [
        range(c"index", index, 64 * 64 * 8, false),
        range(c"src", src, 64 * 64 * 4, false),
        range(c"out", out, 64 * 64 * 4, true),
    ];
    let mut holding = Holding { ranges, times: 0, took: Duration::ZERO };
    let mut took = Duration::ZERO;
    let mut left = times;
    while left > 0 {
        holding.times = left.min(1000);
        left -= holding.times;
        let argument = from_mut(&mut holding).cast();
        // SAFETY: the argument stays until the stream is synchronised.
        let launched = unsafe { cann().aclrtLaunchHostFunc(call.stream.raw, Some(hold), argument) };
        assert_eq!(launched, Ok(ACL_SUCCESS));
        assert!(call.stream.synchronize().is_success());
        took += holding.took;
    }
    took
}

fn main() {
    let stream = Stream::new();
    let index: Vec<i64> = (0..64 * 64).map(|number| number * 7 % 64).collect();
    let self_ = Owned::new(ACL_FLOAT, &[64, 64], &[0_f32; 64 * 64]);
    let out = Owned::new(ACL_FLOAT, &[64, 64], &[0_f32; 64 * 64]);
    let index = Owned::new(ACL_INT64, &[64, 64], &index);
    let src = Owned::new(ACL_FLOAT, &[64, 64], &[1_f32; 64 * 64]);
    let in_place = Call { self_: self_.raw(), index: &index, src: &src, out: self_.raw(), stream: &stream };
    let out_of_place = Call { out: out.raw(), ..in_place };
    // The stream's thread falls asleep in this time.
    let (none, some) = (Duration::ZERO, Duration::from_micros(200));
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("aclnnScatterAdd f32 [64, 64]");
    group.sampling_mode(SamplingMode::Flat);
    for (name, call, phase, pause) in [
        ("phase one, in place", &in_place, 0, none),
        ("phase one, out of place", &out_of_place, 0, none),
        ("phase two, in place", &in_place, 1, none),
        ("phase two, out of place", &out_of_place, 1, none),
        ("phase two, in place, to a stream that sleeps", &in_place, 1, some),
        ("whole, in place", &in_place, 2, none),
        ("whole, out of place", &out_of_place, 2, none),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|calls| (0..calls).map(|_| call.time(pause)[phase]).sum());
        });
    }
    group.bench_function("holding three tensors to their memory", |bencher| {
        bencher.iter_custom(|times| hold_often(&in_place, &out, times));
    });
    group.finish();
    criterion.final_summary();
}
