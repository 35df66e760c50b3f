//! What the two phases cost on host-cann, beside the work itself: `aclnnScatterAdd` of f32 `[64, 64]`, in place and not.
//!
//! `cargo bench -p aclnn-scatter -- --verbose` prints the medians. The clock runs during one phase alone: neither the other
//! nor the stream's synchronisation counts; or during a whole call with its synchronisation, and so with the work itself.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::ptr::null_mut;
use std::time::{Duration, Instant};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, aclOpExecutor, aclTensor};
use common::tensors::Owned;
use common::{Stream, messages};
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

    /// One call: what each phase took, the second one after a pause, and what all took with the synchronisation.
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
    group.finish();
    criterion.final_summary();
}
