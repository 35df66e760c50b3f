//! How far a run is: a bar on a terminal, and elsewhere a line every ten seconds.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::family::{Entry, Family};

/// Between two lines.
const PERIOD: Duration = Duration::from_secs(10);

/// Runs `work` and tells how many of the cases are done, of which it is told one by one: on the
/// terminal of stderr by a bar, and else by lines on `err`.
pub(crate) fn with_progress<T>(
    entries: &[Entry],
    err: &mut (dyn Write + Send),
    work: impl FnOnce(&(dyn Fn(&Entry) + Sync)) -> T,
) -> T {
    if !std::io::stderr().is_terminal() {
        let start = Instant::now();
        let lines = Lines::new(entries.len(), || start.elapsed(), err);
        return work(&|entry| lines.done(entry.family));
    }
    let bar = ProgressBar::new(entries.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} cases, {eta} left, {msg}") {
        bar.set_style(style);
    }
    let result = work(&|entry| {
        bar.set_message(entry.family.name());
        bar.inc(1);
    });
    bar.finish_and_clear();
    result
}

/// Writes lines. The clock tells the time since the run began.
struct Lines<'a, C> {
    all: usize,
    clock: C,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    done: usize,
    /// When the next line is due.
    due: Duration,
    out: &'a mut (dyn Write + Send),
}

impl<'a, C: Fn() -> Duration> Lines<'a, C> {
    fn new(all: usize, clock: C, out: &'a mut (dyn Write + Send)) -> Self {
        Self { all, clock, state: Mutex::new(State { done: 0, due: PERIOD, out }) }
    }

    /// Counts a case, and writes a line if it is due. That a line can't be written is no reason to
    /// end the run.
    fn done(&self, family: Family) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += 1;
        let now = (self.clock)();
        if now < state.due {
            return;
        }
        state.due = now + PERIOD;
        let (done, all, seconds) = (state.done, self.all, now.as_secs());
        let _ = writeln!(state.out, "{done} of {all} cases after {seconds} s, {family}")
            .and_then(|()| state.out.flush());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_line_is_written_every_ten_seconds() {
        let (seconds, mut out) = (AtomicU64::new(0), Vec::new());
        let lines = Lines::new(50, || Duration::from_secs(seconds.load(Ordering::Relaxed)), &mut out);
        // A case of three seconds, and one of thirty, after which there is one line and not three.
        for (lasts, cases) in [(3, 8), (30, 1), (3, 5)] {
            for _ in 0..cases {
                seconds.fetch_add(lasts, Ordering::Relaxed);
                lines.done(Family::Matrix);
            }
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "4 of 50 cases after 12 s, matrix\n\
             8 of 50 cases after 24 s, matrix\n\
             9 of 50 cases after 54 s, matrix\n\
             13 of 50 cases after 66 s, matrix\n"
        );
    }
}
