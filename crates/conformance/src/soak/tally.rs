//! What a soak did and found.

use std::collections::BTreeMap;
use std::io::{self, Write};

use engines::host::Fault;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// host-cann fails.
    Fault(Fault),
    /// An index is out of range.
    BadIndex,
    /// The call breaks a rule that needs no data.
    Rule,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Fault(Fault::Allocation),
        Self::Fault(Fault::Copy),
        Self::Fault(Fault::Task),
        Self::Fault(Fault::Thread),
        Self::Fault(Fault::Reset),
        Self::BadIndex,
        Self::Rule,
    ];

    /// The head of its column.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fault(Fault::Allocation) => "allocation",
            Self::Fault(Fault::Copy) => "copy",
            Self::Fault(Fault::Task) => "task",
            Self::Fault(Fault::Thread) => "thread",
            Self::Fault(Fault::Reset) => "reset",
            Self::BadIndex => "index",
            Self::Rule => "rule",
        }
    }
}

/// How many failures are kept with their words.
const KEPT: usize = 5;

/// The calls by engine and fault, and what was wrong.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// By engine: all calls, and those with a fault of each kind.
    engines: BTreeMap<&'static str, (u64, BTreeMap<Kind, u64>)>,
    failures: u64,
    leaks: u64,
    /// Bytes that are never freed, as documented, because their device was reset: of the last step,
    /// and of those before.
    kept: [usize; 2],
    /// The words of the first failures and leaks, with their steps.
    words: Vec<(u64, String)>,
}

impl Tally {
    /// Counts a call of an engine, with the fault that happened in it.
    pub(super) fn call(&mut self, engine: &'static str, kind: Option<Kind>) {
        let (calls, faults) = self.engines.entry(engine).or_default();
        *calls += 1;
        if let Some(kind) = kind {
            *faults.entry(kind).or_default() += 1;
        }
    }

    /// Notes a failure of a step.
    pub(super) fn fail(&mut self, step: u64, words: String) {
        self.failures += 1;
        self.keep(step, words);
    }

    /// Notes that something is left after a step.
    pub(super) fn leak(&mut self, step: u64, words: &str) {
        self.leaks += 1;
        self.keep(step, format!("a leak: {words}"));
    }

    /// Notes that this many bytes of a device that was reset are never freed, as documented.
    pub(super) fn keep_memory(&mut self, bytes: usize) {
        self.kept[0] += bytes;
    }

    /// The bytes of the last step.
    pub(super) fn take_kept(&mut self) -> usize {
        let [last, before] = &mut self.kept;
        *before += *last;
        core::mem::take(last)
    }

    fn keep(&mut self, step: u64, words: String) {
        if self.words.len() < KEPT {
            self.words.push((step, words));
        }
    }

    /// Adds what another found.
    pub(super) fn add(&mut self, other: Self) {
        for (engine, (calls, faults)) in other.engines {
            let mine = self.engines.entry(engine).or_default();
            mine.0 += calls;
            for (kind, count) in faults {
                *mine.1.entry(kind).or_default() += count;
            }
        }
        self.failures += other.failures;
        self.leaks += other.leaks;
        self.keep_memory(other.kept[0]);
        other.words.into_iter().for_each(|(step, words)| self.keep(step, words));
    }

    /// Whether nothing was wrong.
    pub(super) fn is_clean(&self) -> bool {
        (self.failures, self.leaks) == (0, 0)
    }

    /// Writes the table, and the first failures with the options that run their steps again.
    pub(super) fn write(&self, options: &str, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{:<10}{:>10}", "engine", "calls")?;
        Kind::ALL.iter().try_for_each(|kind| write!(out, "{:>11}", kind.name()))?;
        writeln!(out, "{:>11}", "faults")?;
        let mut total = (0, BTreeMap::new());
        for (engine, (calls, faults)) in &self.engines {
            row(engine, *calls, faults, out)?;
            total.0 += calls;
            for (kind, count) in faults {
                *total.1.entry(*kind).or_default() += count;
            }
        }
        row("total", total.0, &total.1, out)?;
        writeln!(out, "\n{} bytes are kept after resets, as documented", self.kept[1])?;
        writeln!(out, "{} failures, {} leaks", self.failures, self.leaks)?;
        for (step, words) in &self.words {
            writeln!(out, "\nstep {step}: {words}")?;
            writeln!(out, "  run it again: cargo run --release -- soak {options} --first {step} --steps 1")?;
        }
        Ok(())
    }
}

fn row(engine: &str, calls: u64, faults: &BTreeMap<Kind, u64>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{engine:<10}{calls:>10}")?;
    for kind in Kind::ALL {
        write!(out, "{:>11}", faults.get(&kind).copied().unwrap_or(0))?;
    }
    writeln!(out, "{:>11}", faults.values().sum::<u64>())
}
