//! What the two phases cost on host-cann, beside the work itself: `aclnnScatterAdd` of f32 `[64, 64]`, in place and not.
//!
//! Each number is the median of many calls on one thread; the stream is synchronised between them, outside the clock.
//! `cargo bench -p aclnn-scatter` measures; as a test it only runs.

// clippy.toml allows these in test functions, of which helpers are none.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::ptr::null_mut;
use std::time::{Duration, Instant};

use aclnn_scatter::c;
use aclnn_scatter::sys::{ACL_FLOAT, ACL_INT64, aclTensor};
use common::tensors::Owned;
use common::{Stream, messages};

/// The middle of some times.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The two phases, each by its median; phase two after a pause, in which the stream's thread falls asleep.
fn measure(
    stream: &Stream,
    calls: usize,
    pause: Duration,
    self_: *mut aclTensor,
    index: &Owned,
    src: &Owned,
    out: *mut aclTensor,
) -> [Duration; 2] {
    let (mut first, mut second) = (Vec::with_capacity(calls), Vec::with_capacity(calls));
    for _ in 0..calls {
        let (mut size, mut executor) = (0, null_mut());
        let start = Instant::now();
        // SAFETY: handles are alive and there are places for the results.
        let status = unsafe {
            c::aclnnScatterAddGetWorkspaceSize(
                self_,
                1,
                index.raw(),
                src.raw(),
                out,
                &mut size,
                &mut executor,
            )
        };
        first.push(start.elapsed());
        assert!(status.is_success(), "{}", messages());
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        let start = Instant::now();
        // SAFETY: the tensors stay until the stream is synchronised.
        let status = unsafe { c::aclnnScatterAdd(null_mut(), size, executor, stream.raw) };
        second.push(start.elapsed());
        assert!(status.is_success(), "{}", messages());
        assert!(stream.synchronize().is_success(), "{}", messages());
    }
    [median(&mut first), median(&mut second)]
}

fn main() {
    let calls: usize = if std::env::args().any(|argument| argument == "--bench") { 20_000 } else { 10 };
    let stream = Stream::new();
    let index: Vec<i64> = (0..64 * 64).map(|number| number * 7 % 64).collect();
    let self_ = Owned::new(ACL_FLOAT, &[64, 64], &[0_f32; 64 * 64]);
    let out = Owned::new(ACL_FLOAT, &[64, 64], &[0_f32; 64 * 64]);
    let index = Owned::new(ACL_INT64, &[64, 64], &index);
    let src = Owned::new(ACL_FLOAT, &[64, 64], &[1_f32; 64 * 64]);
    let (none, some) = (Duration::ZERO, Duration::from_micros(200));
    for (name, out, calls, pause) in [
        ("in place", self_.raw(), calls, none),
        ("out of place", out.raw(), calls, none),
        ("in place, to a stream that sleeps", self_.raw(), calls.div_ceil(10), some),
    ] {
        measure(&stream, calls.div_ceil(10), pause, self_.raw(), &index, &src, out);
        let [first, second] = measure(&stream, calls, pause, self_.raw(), &index, &src, out);
        println!("{name}: phase one {first:?}, phase two {second:?}");
    }
}
