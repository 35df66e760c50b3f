//! Threads that do at random what safe code can do: they drop, forget and share tensors, views,
//! streams, events and copies, use indices out of range, and close runtimes. What they read is
//! compared with the reference of `scatter`, or must be an expected error.
//!
//! `ACLNN_STRESS_SEED` and `ACLNN_STRESS_STEPS` choose the random numbers and the number of steps;
//! with `ACLNN_STRESS_FORGET=0` nothing is passed to `mem::forget`, and no object may be left at
//! the end.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod model;
#[path = "../../../../tests/processes/setting.rs"]
mod setting;
mod world;

use aclnn::{Reduce, Result, Runtime, Stream, Tensor};
use host_cann::Counters;

use setting::setting;
use world::World;

const THREADS: u64 = 4;

#[test]
fn everything_at_once() -> Result<()> {
    let seed = setting("ACLNN_STRESS_SEED", 1);
    let steps = setting("ACLNN_STRESS_STEPS", 2_000);
    let forgets = setting("ACLNN_STRESS_FORGET", 1) != 0;
    let runtime = Runtime::host()?;
    let device = runtime.device(0)?;
    let mut total = Tensor::<i64>::zeros([4], &device)?;
    let worlds = std::thread::scope(|scope| {
        let run = |thread| {
            let total = total.share();
            // Each thread has its own runtime of the same CANN, so that only it gets the errors of
            // its drops.
            scope.spawn(move || World::new(seed * THREADS + thread, total, forgets)?.run(steps / THREADS))
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<Vec<_>>>()
    })?;
    let stream: Stream = device.stream()?;
    let sum: i64 = worlds.iter().map(|ended| ended.added).sum();
    if worlds.iter().all(|ended| ended.forgotten_streams == 0) {
        assert_eq!(total.to_vec(&stream)?.iter().sum::<i64>(), sum);
    }
    println!("seed {seed}, {steps} steps: {worlds:?}");
    // The tensor still works although the streams that used it are gone.
    total.scatter_(0, &Tensor::<i64>::new([0], &stream)?, 1, Reduce::Add, &stream)?;
    drop(total);
    stream.close()?;
    if forgets {
        return Ok(());
    }
    device.close()?;
    runtime.close()?;
    assert_eq!(Counters::leftovers(), Some(Counters::default()));
    assert_eq!(Counters::now(), Counters::default());
    assert_eq!(aclnn_scatter::live_executors(), 0);
    Ok(())
}
