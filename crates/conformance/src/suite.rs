//! Runs cases on engines.

use core::borrow::Borrow;
use core::ops::AddAssign;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engines::case::Case;
use engines::engine::Engine;
use engines::judge::{Deviation, Differing, Mismatch, Verdict, Wanted, judge};
use engines::storage::Storage;
use engines::usage::UsageError;
use scatter::{DType, Error, Operator, Reduce};

use crate::family::{Entry, Family, NotApplicable};

/// The outcome of all cases.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The counts, as fine as any report needs them.
    pub(crate) tallies: BTreeMap<Group, Tally>,
    /// In the order of the cases.
    pub(crate) failures: Vec<Failure>,
    /// Differences of an engine that may deviate, in the order of the cases.
    pub(crate) deviations: Vec<Deviating>,
    /// Cases that an engine can't run, with its number.
    pub(crate) not_applicable: Vec<(usize, NotApplicable)>,
    /// The tensors of the smallest failure of each engine (its number) and operator.
    pub(crate) evidence: Evidence,
}

/// The tensors of failures, by engine and operator.
pub(crate) type Evidence = BTreeMap<(usize, Operator), Exhibit>;

/// The cases that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    /// The engine's number in the suite.
    pub(crate) engine: usize,
    pub(crate) family: Family,
    pub(crate) operator: Operator,
    /// self's dtype.
    pub(crate) dtype: DType,
    pub(crate) reduce: Reduce,
    pub(crate) index_dtype: DType,
}

/// A failed case with its tensors.
#[derive(Clone, Debug)]
pub(crate) struct Exhibit {
    pub(crate) failure: Failure,
    pub(crate) case: Case,
    /// What out's storage became, and where it differs from what was expected; `None` where the
    /// difference is not in out's elements.
    pub(crate) result: Option<(Storage, Differing)>,
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
    pub(crate) operator: Operator,
    /// self's dtype.
    pub(crate) dtype: DType,
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
    pub(crate) failure: Failure,
}

impl Tally {
    /// The cases that were run.
    pub(crate) const fn cases(&self) -> usize {
        self.passed + self.failed + self.deviating
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.deviating += other.deviating;
        self.not_applicable += other.not_applicable;
        self.time += other.time;
    }
}

impl Outcome {
    /// The failure with the fewest elements.
    pub(crate) fn smallest_failure(&self) -> Option<&Failure> {
        self.failures.iter().min_by_key(|failure| failure.elements)
    }

    /// The counts of the groups for which `key` is the same, added up; without those for which it
    /// is `None`.
    pub(crate) fn tallies_by<K: Ord>(&self, key: impl Fn(&Group) -> Option<K>) -> BTreeMap<K, Tally> {
        let mut tallies: BTreeMap<K, Tally> = BTreeMap::new();
        for (group, tally) in &self.tallies {
            if let Some(key) = key(group) {
                *tallies.entry(key).or_default() += *tally;
            }
        }
        tallies
    }
}

/// Refuses cases of which no engine can run any, because a run of none finds no difference.
pub(crate) fn expect_runnable(
    engines: &[Box<dyn Engine>],
    cases: impl IntoIterator<Item: Borrow<Case>>,
) -> Result<(), UsageError> {
    let mut first = Vec::new();
    for case in cases {
        let reasons: Vec<_> = engines
            .iter()
            .filter_map(|engine| Some((engine.name().to_owned(), engine.not_applicable(case.borrow())?)))
            .collect();
        if reasons.len() < engines.len() {
            return Ok(());
        }
        if first.is_empty() {
            first = reasons;
        }
    }
    Err(UsageError::NotApplicable { engines: first })
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
    let evidence = Mutex::new(Evidence::new());
    std::thread::scope(|scope| {
        for _ in 0..workers.min(entries.len()) {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let case = entry.case();
                    let wanted = Wanted::of(&case);
                    for (number, engine) in engines.iter().enumerate() {
                        let group = Group {
                            engine: number,
                            family: entry.family,
                            operator: entry.operator,
                            dtype: entry.dtype,
                            reduce: case.op.reduce(),
                            index_dtype: case.index.storage.dtype(),
                        };
                        let mut keep = |exhibit| keep(&evidence, number, exhibit);
                        let mut run = Run { entry, case: &case, engine: engine.as_ref(), keep: &mut keep };
                        let report = run.report(wanted.as_ref(), every_setting);
                        if let Ok(mut reports) = reports.lock() {
                            reports.push((entry.name.as_str(), group, report));
                        }
                    }
                    done(entry);
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_default();
    reports.sort_by_key(|&(name, group, _)| (name, group));

    let evidence = evidence.into_inner().unwrap_or_default();
    let mut outcome = Outcome { evidence, ..Outcome::default() };
    for (_, group, report) in reports {
        let tally = outcome.tallies.entry(group).or_default();
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
                outcome.not_applicable.push((group.engine, *what));
            }
        }
    }
    outcome
}

/// Keeps the tensors of a failure if it is the smallest of its engine and operator so far, by
/// elements and then by name, so that it doesn't matter which is found first.
fn keep(evidence: &Mutex<Evidence>, engine: usize, exhibit: Exhibit) {
    let size = |of: &Exhibit| (of.failure.elements, of.failure.name.clone());
    if let Ok(mut evidence) = evidence.lock() {
        let of = (engine, exhibit.failure.operator);
        if evidence.get(&of).is_none_or(|kept| size(&exhibit) < size(kept)) {
            evidence.insert(of, exhibit);
        }
    }
}

/// The outcome of a case on an engine.
enum Report {
    Passed(Duration),
    Failed(Box<Failure>, Duration),
    Deviating(Box<Deviating>, Duration),
    NotApplicable(Box<NotApplicable>),
}

/// A case on an engine.
struct Run<'a> {
    entry: &'a Entry,
    case: &'a Case,
    engine: &'a dyn Engine,
    /// Takes the tensors of a failure.
    keep: &'a mut dyn FnMut(Exhibit),
}

impl Run<'_> {
    fn report(&mut self, wanted: Result<&Wanted, &Error>, every_setting: bool) -> Report {
        let Self { entry, case, engine, .. } = *self;
        if let Some(reason) = engine.not_applicable(case) {
            let Entry { family, operator, dtype, name, .. } = entry;
            let (what, dtype) = (name.clone(), *dtype);
            let not = NotApplicable { family: *family, operator: *operator, dtype, what, reason };
            return Report::NotApplicable(Box::new(not));
        }
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(&got) => {
                let failure = self.failure(String::from("-"), Mismatch::NoReference { got });
                return self.failed(failure, None, Duration::ZERO);
            }
        };
        let mut time = Duration::ZERO;
        let mut names = engine.settings();
        let settings = if every_setting { (0..names.len()).collect() } else { engine.sampled(&entry.name) };
        for setting in settings {
            let Verdict { mismatch, got, time: of_setting } = judge(case, wanted, engine, setting);
            time += of_setting;
            if let Some(mismatch) = mismatch {
                let kind = || Deviation::of(case, &mismatch, got.as_ref());
                let kind = if engine.may_deviate() { kind() } else { None };
                let failure = self.failure(names.swap_remove(setting), mismatch);
                return match kind {
                    Some(kind) => Report::Deviating(Box::new(Deviating { kind, failure }), time),
                    None => {
                        let result = got.and_then(|got| Some((wanted.differing(case, &got)?, got)));
                        self.failed(failure, result.map(|(differing, got)| (got, differing)), time)
                    }
                };
            }
        }
        Report::Passed(time)
    }

    fn failure(&self, setting: String, mismatch: Mismatch) -> Failure {
        let Self { entry, case, engine, .. } = self;
        Failure {
            engine: engine.name(),
            setting,
            name: entry.name.clone(),
            operator: entry.operator,
            dtype: entry.dtype,
            call: case.to_string(),
            elements: case.elements(),
            mismatch,
        }
    }

    fn failed(&mut self, failure: Failure, result: Option<(Storage, Differing)>, time: Duration) -> Report {
        (self.keep)(Exhibit { failure: failure.clone(), case: self.case.clone(), result });
        Report::Failed(Box::new(failure), time)
    }
}
