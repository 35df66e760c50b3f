//! The report as JSON.

use engines::judge::Mismatch;
use serde::Serialize;

use super::Run;
use crate::family::NotApplicable;
use crate::suite::{Deviating, Failure};

/// The version of this format.
const FORMAT: u64 = 1;

/// The whole report.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    format: u64,
    version: &'static str,
    seed: u64,
    seconds: f64,
    passed: usize,
    failed: usize,
    engines: Vec<EngineJson>,
    rows: Vec<Row>,
    not_applicable: Vec<Absent<'a>>,
    failures: Vec<FailureJson<'a>>,
    /// Differences of operators that aren't ours, which don't count as failures.
    deviations: Vec<DeviationJson<'a>>,
}

#[derive(Debug, Serialize)]
struct EngineJson {
    name: &'static str,
    description: String,
    settings: Vec<String>,
}

/// The counts of an engine and a family.
#[derive(Debug, Serialize)]
struct Row {
    engine: &'static str,
    family: &'static str,
    cases: usize,
    passed: usize,
    failed: usize,
    /// Cases with a difference that doesn't count as a failure.
    deviating: usize,
    not_applicable: usize,
    seconds: f64,
}

/// Cases that can't be run on an engine, or (`null`) on any.
#[derive(Debug, Serialize)]
struct Absent<'a> {
    engine: Option<&'static str>,
    what: &'a str,
    operator: &'static str,
    dtype: &'static str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct FailureJson<'a> {
    name: &'a str,
    engine: &'static str,
    setting: &'a str,
    call: &'a str,
    elements: usize,
    what: String,
    /// The coordinates of the first element of out that differs, if an element does.
    coordinates: Option<&'a [usize]>,
    expected: Option<&'a str>,
    got: Option<&'a str>,
    replay: String,
}

#[derive(Debug, Serialize)]
struct DeviationJson<'a> {
    kind: &'static str,
    operator: &'static str,
    dtype: &'static str,
    #[serde(flatten)]
    case: FailureJson<'a>,
}

impl<'a> Report<'a> {
    /// The report of a run.
    pub(crate) fn new(run: &'a Run<'_>) -> Self {
        let rows = run.by_family().into_iter().map(|((number, family), tally)| Row {
            engine: run.engines[number].name(),
            family: family.name(),
            cases: tally.cases(),
            passed: tally.passed,
            failed: tally.failed,
            deviating: tally.deviating,
            not_applicable: tally.not_applicable,
            seconds: tally.time.as_secs_f64(),
        });
        let rows: Vec<_> = rows.collect();
        let everywhere = run.not_applicable.iter().map(|absent| Absent::new(None, absent));
        let somewhere = run.outcome.not_applicable.iter();
        let somewhere =
            somewhere.map(|(number, absent)| Absent::new(Some(run.engines[*number].name()), absent));
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION"),
            seed: run.seed,
            seconds: run.seconds,
            passed: rows.iter().map(|row| row.passed).sum(),
            failed: rows.iter().map(|row| row.failed).sum(),
            engines: run
                .engines
                .iter()
                .map(|engine| EngineJson {
                    name: engine.name(),
                    description: engine.description(),
                    settings: engine.settings(),
                })
                .collect(),
            rows,
            not_applicable: everywhere.chain(somewhere).collect(),
            failures: run.outcome.failures.iter().map(|failure| FailureJson::new(run, failure)).collect(),
            deviations: run
                .outcome
                .deviations
                .iter()
                .map(|deviating| DeviationJson::new(run, deviating))
                .collect(),
        }
    }
}

impl<'a> Absent<'a> {
    fn new(engine: Option<&'static str>, absent: &'a NotApplicable) -> Self {
        let NotApplicable { operator, dtype, what, reason, .. } = absent;
        Self { engine, what, operator: operator.name(), dtype: dtype.name(), reason }
    }
}

impl<'a> DeviationJson<'a> {
    fn new(run: &Run<'_>, deviating: &'a Deviating) -> Self {
        let Deviating { kind, failure } = deviating;
        let case = FailureJson::new(run, failure);
        Self { kind: kind.name(), operator: failure.operator.name(), dtype: failure.dtype.name(), case }
    }
}

impl<'a> FailureJson<'a> {
    fn new(run: &Run<'_>, failure: &'a Failure) -> Self {
        let Failure { engine, setting, name, call, elements, mismatch, .. } = failure;
        let element = if let Mismatch::Element(element) = mismatch { Some(element) } else { None };
        Self {
            name,
            engine,
            setting,
            call,
            elements: *elements,
            what: mismatch.to_string(),
            coordinates: element.and_then(|element| element.coordinates.as_deref()),
            expected: element.map(|element| element.expected.as_str()),
            got: element.map(|element| element.got.as_str()),
            replay: run.replay(failure),
        }
    }
}
