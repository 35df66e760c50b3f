//! Runs cases on engines.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engines::case::Case;
use engines::engine::Engine;
use engines::judge::{Deviation, Mismatch, Wanted, judge};
use scatter::{DType, Error, Operator};

use crate::family::{Entry, Family, NotApplicable};

/// The outcome of all cases.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// By engine (its number in the suite) and family.
    pub(crate) tallies: BTreeMap<(usize, Family), Tally>,
    /// In the order of the cases.
    pub(crate) failures: Vec<Failure>,
    /// Differences of an engine that may deviate, in the order of the cases.
    pub(crate) deviations: Vec<Deviating>,
    /// Cases that an engine can't run, with its number.
    pub(crate) not_applicable: Vec<(usize, NotApplicable)>,
}

/// Counts of cases by outcome, with the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Cases with a difference that the engine may have.
    pub(crate) deviating: usize,
    pub(crate) not_applicable: usize,
    /// The time in the engine, over all settings.
    pub(crate) time: Duration,
}

/// A case that an engine got wrong.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) engine: &'static str,
    pub(crate) setting: String,
    pub(crate) name: String,
    /// The call on one line.
    pub(crate) call: String,
    /// The number of elements of all the case's tensors.
    pub(crate) elements: usize,
    pub(crate) mismatch: Mismatch,
}

/// A case with a difference that the engine may have.
#[derive(Clone, Debug)]
pub(crate) struct Deviating {
    pub(crate) kind: Deviation,
    pub(crate) operator: Operator,
    pub(crate) dtype: DType,
    pub(crate) failure: Failure,
}

impl Outcome {
    /// The failure with the fewest elements.
    pub(crate) fn smallest_failure(&self) -> Option<&Failure> {
        self.failures.iter().min_by_key(|failure| failure.elements)
    }
}

/// Runs every case on every engine in its settings; `done` is called after every case.
///
/// A slow engine runs each case in a sample of its settings, unless `every_setting` is true.
/// `workers` threads take the cases; apart from times the outcome doesn't depend on their number.
pub(crate) fn run(
    engines: &[Box<dyn Engine>],
    entries: &[Entry],
    every_setting: bool,
    workers: usize,
    done: &(dyn Fn(&Entry) + Sync),
) -> Outcome {
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers.min(entries.len()) {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let case = entry.case();
                    let wanted = Wanted::of(&case);
                    for (number, engine) in engines.iter().enumerate() {
                        let report = report(entry, &case, wanted.as_ref(), engine.as_ref(), every_setting);
                        if let Ok(mut reports) = reports.lock() {
                            reports.push((entry.name.as_str(), number, entry.family, report));
                        }
                    }
                    done(entry);
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_default();
    reports.sort_by_key(|&(name, number, ..)| (name, number));

    let mut outcome = Outcome::default();
    for (_, number, family, report) in reports {
        let tally = outcome.tallies.entry((number, family)).or_default();
        match report {
            Report::Passed(time) => {
                tally.passed += 1;
                tally.time += time;
            }
            Report::Failed(failure, time) => {
                tally.failed += 1;
                tally.time += time;
                outcome.failures.push(*failure);
            }
            Report::Deviating(deviating, time) => {
                tally.deviating += 1;
                tally.time += time;
                outcome.deviations.push(*deviating);
            }
            Report::NotApplicable(what) => {
                tally.not_applicable += 1;
                outcome.not_applicable.push((number, *what));
            }
        }
    }
    outcome
}

/// The outcome of a case on an engine.
enum Report {
    Passed(Duration),
    Failed(Box<Failure>, Duration),
    Deviating(Box<Deviating>, Duration),
    NotApplicable(Box<NotApplicable>),
}

fn report(
    entry: &Entry,
    case: &Case,
    wanted: Result<&Wanted, &Error>,
    engine: &dyn Engine,
    every_setting: bool,
) -> Report {
    if let Some(reason) = engine.not_applicable(case) {
        let Entry { family, operator, dtype, name, .. } = entry;
        let (what, dtype) = (name.clone(), *dtype);
        let not = NotApplicable { family: *family, operator: *operator, dtype, what, reason };
        return Report::NotApplicable(Box::new(not));
    }
    let failure = |setting: String, mismatch| {
        let (name, call, elements) = (entry.name.clone(), case.to_string(), case.elements());
        Box::new(Failure { engine: engine.name(), setting, name, call, elements, mismatch })
    };
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(&got) => {
            let mismatch = Mismatch::NoReference { got };
            return Report::Failed(failure(String::from("-"), mismatch), Duration::ZERO);
        }
    };
    let mut time = Duration::ZERO;
    let mut names = engine.settings();
    let settings = if every_setting { (0..names.len()).collect() } else { engine.sampled(&entry.name) };
    for setting in settings {
        let verdict = judge(case, wanted, engine, setting);
        time += verdict.time;
        if let Some(mismatch) = verdict.mismatch {
            let kind = || Deviation::of(case, &mismatch, verdict.got.as_ref());
            let kind = if engine.may_deviate() { kind() } else { None };
            let failure = failure(names.swap_remove(setting), mismatch);
            let (operator, dtype) = (entry.operator, entry.dtype);
            return match kind {
                Some(kind) => {
                    Report::Deviating(Box::new(Deviating { kind, operator, dtype, failure: *failure }), time)
                }
                None => Report::Failed(failure, time),
            };
        }
    }
    Report::Passed(time)
}
