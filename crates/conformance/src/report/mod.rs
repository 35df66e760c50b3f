//! Reports of a run: as a table, and as JSON.

pub(crate) mod json;
pub(crate) mod table;

use std::path::Path;

use engines::engine::Engine;

use crate::family::NotApplicable;
use crate::suite::{Failure, Outcome};

/// A finished run, with the options that repeat it.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) engines: &'a [Box<dyn Engine>],
    pub(crate) seed: u64,
    /// Whether every case was run in every setting.
    pub(crate) every_setting: bool,
    /// The folder of the vectors; `None` for the embedded ones.
    pub(crate) vectors: Option<String>,
    pub(crate) threads: Option<usize>,
    /// The folder of the C libraries, where one was given.
    pub(crate) c_libraries: Option<&'a Path>,
    pub(crate) outcome: &'a Outcome,
    /// Cases that no engine can run.
    pub(crate) not_applicable: &'a [NotApplicable],
    pub(crate) seconds: f64,
}

impl Run<'_> {
    /// The command that runs a failed case alone.
    pub(crate) fn replay(&self, failure: &Failure) -> String {
        let Failure { engine, name, .. } = failure;
        let mut command =
            format!("cargo run --release -- --engine {engine} --filter '{name}' --seed {}", self.seed);
        if self.every_setting {
            command += " --every-setting";
        }
        if let Some(threads) = self.threads {
            command += &format!(" --threads {threads}");
        }
        if let Some(folder) = &self.vectors {
            command += &format!(" --vectors '{folder}'");
        }
        if let Some(folder) = self.c_libraries {
            command += &format!(" --c-libraries '{}'", folder.display());
        }
        command
    }
}
