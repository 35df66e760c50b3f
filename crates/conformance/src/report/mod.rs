//! Reports of a run: as a table, as JSON, and as an HTML page.

pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::path::Path;

use engines::engine::Engine;
use engines::judge::Deviation;
use scatter::{DType, Operator};

use crate::family::{Family, NotApplicable};
use crate::shell;
use crate::suite::{Deviating, Failure, Outcome, Tally};

/// A finished run, with the options that repeat it.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// The command that was run, with its options.
    pub(crate) command_line: &'a str,
    pub(crate) engines: &'a [Box<dyn Engine>],
    pub(crate) seed: u64,
    /// Whether every case was run in every setting.
    pub(crate) every_setting: bool,
    /// The folder of the vectors; `None` for the embedded ones.
    pub(crate) vectors: Option<String>,
    pub(crate) threads: Option<usize>,
    /// The strategy that the CPU engine was told to take.
    pub(crate) pattern: Option<&'static str>,
    /// The folder of the C libraries, where one was given.
    pub(crate) c_libraries: Option<&'a Path>,
    pub(crate) outcome: &'a Outcome,
    /// Cases that no engine can run.
    pub(crate) not_applicable: &'a [NotApplicable],
    pub(crate) seconds: f64,
}

/// Stands for all engines, of cases that the library itself doesn't support.
pub(crate) const EVERY: &str = "every engine";

impl Run<'_> {
    /// The counts by engine (its number) and family. Cases that no engine can run are among those
    /// that are not applicable to each.
    pub(crate) fn by_family(&self) -> BTreeMap<(usize, Family), Tally> {
        let mut tallies = self.outcome.tallies_by(|group| Some((group.engine, group.family)));
        for family in Family::ALL {
            let absent = NotApplicable::of(family, self.not_applicable);
            if absent > 0 {
                for engine in 0..self.engines.len() {
                    tallies.entry((engine, family)).or_default().not_applicable += absent;
                }
            }
        }
        tallies
    }

    /// The counts of all engines and families together.
    pub(crate) fn total(&self) -> Tally {
        self.by_family().into_values().fold(Tally::default(), |mut total, tally| {
            total += tally;
            total
        })
    }

    /// How many cases of an operator and a dtype no engine can run.
    pub(crate) fn absent(&self, operator: Operator, dtype: DType) -> usize {
        let is_of = |absent: &&NotApplicable| (absent.operator, absent.dtype) == (operator, dtype);
        self.not_applicable.iter().filter(is_of).count()
    }

    /// The names of the cases that are not applicable, by engine (or [`EVERY`]), family and reason.
    pub(crate) fn not_applicable(&self) -> BTreeMap<(&str, Family, &str), Vec<&str>> {
        let everywhere = self.not_applicable.iter().map(|absent| (EVERY, absent));
        let somewhere =
            self.outcome.not_applicable.iter().map(|(number, absent)| (self.engines[*number].name(), absent));
        let mut by_reason: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for (engine, absent) in everywhere.chain(somewhere) {
            let reason = absent.reason.as_str();
            by_reason.entry((engine, absent.family, reason)).or_default().push(&absent.what);
        }
        by_reason
    }

    /// The deviations by engine, kind and operator.
    pub(crate) fn deviations(&self) -> BTreeMap<(&str, Deviation, &str), Vec<&Deviating>> {
        let mut kinds: BTreeMap<_, Vec<&Deviating>> = BTreeMap::new();
        for deviating in &self.outcome.deviations {
            let Deviating { kind, failure } = deviating;
            kinds.entry((failure.engine, *kind, failure.operator.name())).or_default().push(deviating);
        }
        kinds
    }

    /// The command that runs a failed case alone.
    pub(crate) fn replay(&self, failure: &Failure) -> String {
        let Failure { engine, name, .. } = failure;
        let mut command = format!(
            "cargo run --release -- --engine {engine} --filter {} --seed {}",
            shell::quoted(name),
            self.seed
        );
        if self.every_setting {
            command += " --every-setting";
        }
        if let Some(pattern) = self.pattern {
            command += &format!(" --pattern {pattern}");
        }
        if let Some(threads) = self.threads {
            command += &format!(" --threads {threads}");
        }
        if let Some(folder) = &self.vectors {
            command += &format!(" --vectors {}", shell::quoted(folder));
        }
        if let Some(folder) = self.c_libraries {
            command += &format!(" --c-libraries {}", shell::quoted(&folder.to_string_lossy()));
        }
        command
    }
}
