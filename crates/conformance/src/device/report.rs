//! The whole report, which the JSON file and the page are made from.

use bench::cost::constants::{FORMAT, KIND};
use serde::Serialize;
use serde_json::Value;

use super::probes::Probed;
use super::versions::{Device, Library};
use super::workloads::Row;
use crate::origin::Origin;

/// A report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    kind: &'static str,
    format: u64,
    pub(super) title: String,
    /// A note that no device was involved; `None` where one was.
    rehearsal: Option<&'static str>,
    #[serde(flatten)]
    pub(super) origin: Origin,
    pub(super) device: Device,
    pub(super) kernels: Library,
    /// The suite's report in the form of its own `--json`.
    pub(super) suite: Value,
    pub(super) workloads: Vec<Row>,
    pub(super) probes: Probed,
}

/// The note in a report where no device was involved.
const REHEARSAL: &str = "A rehearsal on a stand-in for a device: its times mean nothing about a device.";

impl Report {
    /// A report of these results.
    pub(super) fn new(
        device: Device,
        kernels: Library,
        suite: Value,
        workloads: Vec<Row>,
        probes: Probed,
        origin: Origin,
    ) -> Self {
        let is_rehearsal = device.is_host || kernels.is_model();
        let scatter = format!("Scatter on {}", device.soc);
        Self {
            kind: KIND,
            format: FORMAT,
            title: if is_rehearsal {
                format!("Rehearsal on a stand-in, no device: {scatter}")
            } else {
                scatter
            },
            rehearsal: is_rehearsal.then_some(REHEARSAL),
            origin,
            device,
            kernels,
            suite,
            workloads,
            probes,
        }
    }

    /// The note that no device was involved; `None` where one was.
    pub(super) const fn rehearsal(&self) -> Option<&'static str> {
        self.rehearsal
    }
}
