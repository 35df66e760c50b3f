//! The soak: random calls on every engine by several threads at once, with faults, for as long as
//! one likes.
//!
//! In each step every thread draws an engine and, where that has devices, a device; makes some
//! calls with faults in them, and after each fault a call without one. Then all wait for each
//! other, and what is left of host-cann's objects must be what was there at the beginning.
//! Everything that a thread does in a step is drawn from the seed, the step and the thread alone,
//! so that a step can be run again without those before it.

mod check;
mod draw;
mod session;
mod tally;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use engines::Exit;
use engines::host::{self, Live};
use engines::usage::UsageError;

use self::session::World;
use self::tally::Tally;

/// Devices that all threads use; each has one more, which only it uses and resets.
const SHARED: u16 = 2;

/// Makes random calls on every engine from several threads, with faults, and checks what they
/// leave.
///
/// Faults are allocations, copies, tasks of streams and threads that fail, devices that are reset
/// in the middle of a call, indices out of range, and calls that break a rule. After each, the
/// error must be the right one, nothing half written, the next call right, and nothing left over.
/// The exit code is 0 if all is so, and 1 otherwise.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Begins no further step after N minutes; there is one at least
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = minutes, conflicts_with = "steps")]
    minutes: f64,
    /// Runs N steps, however long they take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// The first step, to run one again
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// The seed from which everything is drawn
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// The number of threads
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=62))]
    threads: u16,
}

fn minutes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|minutes| *minutes > 0.0 && *minutes <= 1e6);
    number.ok_or_else(|| String::from("a number of minutes above 0 expected"))
}

/// Runs the soak.
pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    let Options { minutes, steps, first, seed, threads } = *options;
    // The objects are counted from here to the end of the process's use of host-cann.
    let _runtime = host::begin(usize::from(SHARED + threads))?;
    let world = World::new(seed, SHARED)?;
    let start = Instant::now();
    let goes_on = |done: u64| match steps {
        Some(steps) => done < steps,
        None => done == 0 || start.elapsed() < Duration::from_secs_f64(minutes * 60.0),
    };
    let (done, tally) = world.soak(threads, first, goes_on, Live::now);
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "soak: {done} steps from {first} with seed {seed}, {threads} threads, {SHARED} shared devices and one of \
         each thread; {seconds:.1} s\n"
    )?;
    tally.write(&format!("--seed {seed} --threads {threads}"), out)?;
    Ok(if tally.is_clean() { Exit::Same } else { Exit::Different })
}

/// What is left of objects after a step.
trait Left: Display {
    /// Whether that is what there was before, and `kept` bytes of devices' memory.
    fn is_only(&self, before: &Self, kept: usize) -> bool;
}

impl Left for Live {
    fn is_only(&self, before: &Self, kept: usize) -> bool {
        Self::is_only(self, before, kept)
    }
}

impl World {
    /// Runs steps from `first` on while `goes_on` says so of the number of those that are done.
    /// Returns that number with what they found; `live` tells what is left after each step.
    fn soak<L: Left>(
        &self,
        threads: u16,
        first: u64,
        goes_on: impl Fn(u64) -> bool,
        live: impl Fn() -> L,
    ) -> (u64, Tally) {
        let (mut done, mut tally, mut before) = (0, Tally::default(), live());
        while goes_on(done) {
            let step = first + done;
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..threads).map(|thread| scope.spawn(move || self.step(step, thread))).collect();
                for (thread, running) in threads.into_iter().enumerate() {
                    match running.join() {
                        Ok(of_thread) => tally.add(of_thread),
                        Err(_) => tally.fail(step, format!("thread {thread} of the soak itself panicked")),
                    }
                }
            });
            let after = live();
            if !after.is_only(&before, tally.take_kept()) {
                tally.leak(step, &format!("before: {before}; after: {after}"));
            }
            before = after;
            done += 1;
        }
        (done, tally)
    }
}
