//! Computes constants of the cost table from measurements of the probes, and makes the table with
//! such constants.

use core::fmt;
use std::path::Path;

use engines::usage::{Reason, UsageError};
use scatter_kernels::model::{Costs, SETTINGS, costs};
use serde::Serialize;
use serde_json::Value;

/// The kind of a device report in its JSON.
pub const KIND: &str = "device-report";
/// The version of the report's format.
pub const FORMAT: u64 = 1;

/// The measurement of a probe.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The name of the measurement.
    pub name: &'static str,
    /// The kernel that is launched.
    pub probe: &'static str,
    /// The number of blocks.
    pub blocks: u32,
    /// How often a round repeats what is measured.
    pub repeats: u32,
    /// The size of one instruction or copy, in the probe's unit.
    pub size: u32,
    /// The variant of the probe.
    pub form: u32,
    /// Rounds of the shorter launch.
    pub rounds: u32,
    /// The time of a round, from the difference between the launches.
    pub nanoseconds: Option<f64>,
    /// Why there is no time; `None` where there is one.
    pub problem: Option<String>,
}

/// A constant of the cost table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constant {
    /// The name in the cost table.
    pub name: &'static str,
    /// The measured value; `None` where a probe that it needs was not run.
    pub value: Option<f64>,
    /// The value in the table, in the same unit.
    pub table: f64,
    /// The unit of both.
    pub unit: &'static str,
    /// Whether the value can be a cost: a finite number above zero.
    pub usable: bool,
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, table, unit, usable } = self;
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let note = if *usable { "" } else { "  (not usable)" };
        write!(f, "{name:<28}{value:>12}{table:>12.2}  {unit}{note}")
    }
}

/// How the table stores a constant: the unit, the scale and the field.
struct Field {
    name: &'static str,
    unit: &'static str,
    /// The number in the table that stands for one unit.
    one: f64,
    place: fn(&mut Costs) -> &mut u64,
}

const fn cycles(name: &'static str, place: fn(&mut Costs) -> &mut u64) -> Field {
    Field { name, unit: "cycles", one: 1000.0, place }
}

const fn plain(name: &'static str, unit: &'static str, place: fn(&mut Costs) -> &mut u64) -> Field {
    Field { name, unit, one: 1.0, place }
}

/// The constants that probes measure, in the order of the table.
const FIELDS: [Field; 23] = [
    plain("launch_nanoseconds", "ns", |costs| &mut costs.launch_nanoseconds),
    plain("gm_bytes_per_cycle", "bytes / cycle", |costs| &mut costs.gm_bytes_per_cycle),
    plain("gm_bytes_per_nanosecond_0", "bytes / ns", |costs| &mut costs.gm_bytes_per_nanosecond[0]),
    plain("gm_bytes_per_nanosecond_1", "bytes / ns", |costs| &mut costs.gm_bytes_per_nanosecond[1]),
    plain("gm_bytes_per_nanosecond_2", "bytes / ns", |costs| &mut costs.gm_bytes_per_nanosecond[2]),
    cycles("copy_head", |costs| &mut costs.copy_head),
    cycles("copy_block", |costs| &mut costs.copy_block),
    plain("unaligned_percent", "%", |costs| &mut costs.unaligned_percent),
    cycles("read_latency", |costs| &mut costs.read_latency),
    cycles("write_latency", |costs| &mut costs.write_latency),
    cycles("vector_repeat", |costs| &mut costs.vector_repeat),
    cycles("vector_repeat_conflict", |costs| &mut costs.vector_repeat_conflict),
    cycles("vector_repeat_slow", |costs| &mut costs.vector_repeat_slow),
    cycles("vector_latency", |costs| &mut costs.vector_latency),
    cycles("merge_record", |costs| &mut costs.merge_record),
    cycles("scalar_iteration", |costs| &mut costs.scalar_iteration),
    cycles("scalar_read", |costs| &mut costs.scalar_read),
    cycles("scalar_next_read", |costs| &mut costs.scalar_next_read),
    cycles("scalar_write", |costs| &mut costs.scalar_write),
    cycles("scalar_gm", |costs| &mut costs.scalar_gm),
    cycles("gather_mask", |costs| &mut costs.gather_mask),
    cycles("sort32", |costs| &mut costs.sort32),
    cycles("gather", |costs| &mut costs.gather),
];

/// The measurements by name, converted to cycles for each round.
struct Rounds<'a> {
    measurements: &'a [Measurement],
    megahertz: f64,
}

impl Rounds<'_> {
    fn nanoseconds(&self, name: &str) -> Option<f64> {
        self.measurements.iter().find(|measurement| measurement.name == name)?.nanoseconds
    }

    fn cycles(&self, name: &str) -> Option<f64> {
        Some(self.nanoseconds(name)? * self.megahertz / 1e3)
    }

    /// The cycles of one item, from a large and a small instruction that differ by `more` items.
    fn each(&self, large: &str, small: &str, more: f64) -> Option<f64> {
        Some((self.cycles(large)? - self.cycles(small)?) / more)
    }

    /// The bytes that are read and written in a nanosecond.
    fn bandwidth(&self, name: &str) -> Option<f64> {
        let measurement = self.measurements.iter().find(|measurement| measurement.name == name)?;
        let Measurement { blocks, repeats, size, nanoseconds, .. } = measurement;
        let bytes = 2.0 * f64::from(*blocks) * f64::from(*repeats) * f64::from(*size);
        Some(bytes / (*nanoseconds)?)
    }

    /// The constants of copies: the head, the cycles for a byte, and the latency. A round of n
    /// copies of b bytes takes n (head + b byte) + latency more than one without a copy.
    fn copies(&self) -> Option<[f64; 3]> {
        let one = self.cycles("one copy of 32 bytes")?;
        let small = self.cycles("1024 copies of 128 bytes")?;
        let large = self.cycles("16 copies of 8192 bytes")?;
        const BYTES: f64 = 128.0 * 1024.0;
        let head = (small - large) / (1024.0 - 16.0);
        let byte = (large - one - 15.0 * head) / (BYTES - 32.0);
        Some([head, byte, one - self.cycles("no copy")? - head - 32.0 * byte])
    }

    /// A constant of the cost table, in its unit.
    fn constant(&self, name: &str) -> Option<f64> {
        let loop_ = self.cycles("loop");
        let beside_loop = |name| Some(self.cycles(name)? - loop_?);
        let large_copies = "16 copies of 8192 bytes";
        match name {
            "launch_nanoseconds" => self.nanoseconds("launch"),
            "gm_bytes_per_cycle" => Some(1.0 / self.copies()?[1]),
            "gm_bytes_per_nanosecond_0" => self.bandwidth("bandwidth, small"),
            "gm_bytes_per_nanosecond_1" => self.bandwidth("bandwidth, middle"),
            "gm_bytes_per_nanosecond_2" => self.bandwidth("bandwidth, large"),
            "copy_head" => Some(self.copies()?[0]),
            "copy_block" => self.each("16 copies of 64 blocks of 128 bytes", large_copies, 16.0 * 63.0),
            "unaligned_percent" => {
                let [_, byte, _] = self.copies()?;
                let longer = self.each("the same, 64 bytes off", large_copies, 16.0 * 8192.0 * byte)?;
                Some(100.0 * (1.0 + longer))
            }
            "read_latency" => Some(self.copies()?[2]),
            "write_latency" => {
                let [head, byte, _] = self.copies()?;
                let one = self.each("one copy of 32 bytes from UB", "no copy", 1.0)?;
                Some(one - head - 32.0 * byte)
            }
            "vector_repeat" => self.each("Add of 7680", "Add of 512", 112.0),
            "vector_repeat_conflict" => self.each("Add of 7680, same banks", "Add of 512, same banks", 112.0),
            "vector_repeat_slow" => self.each("Cast of 7680", "Cast of 512", 112.0),
            "vector_latency" => {
                let repeat = self.each("Add of 7680", "Add of 512", 112.0)?;
                Some(self.cycles("Add of 512")? - 8.0 * repeat)
            }
            "merge_record" => self.each("MrgSort of 3840", "MrgSort of 128", 3840.0 - 128.0),
            // The table has a separate cost for basic blocks, which no probe measures, so the
            // loop's are subtracted.
            "scalar_iteration" => {
                let [Costs { scalar_block, .. }, ..] = costs();
                Some(loop_? - LOOP_BLOCKS * scalar_block as f64 / 1e3)
            }
            "scalar_read" => beside_loop("read"),
            "scalar_next_read" => self.each("reads", "read", 7.0),
            "scalar_write" => beside_loop("write"),
            "scalar_gm" => beside_loop("gm"),
            "gather_mask" => self.each("GatherMask of 7680", "GatherMask of 512", 112.0),
            "gather" => self.each("Gather of 4096", "Gather of 512", 4096.0 - 512.0),
            "sort32" => self.each("Sort32 of 3840", "Sort32 of 256", 112.0),
            _ => None,
        }
    }
}

/// The basic blocks in an iteration of the probe `loop`.
const LOOP_BLOCKS: f64 = 2.0;

/// All constants that can be computed from measurements.
pub fn constants(measurements: &[Measurement], megahertz: u64) -> Vec<Constant> {
    let rounds = Rounds { measurements, megahertz: megahertz as f64 };
    let [mut table, ..] = costs();
    let constant = |field: &Field| {
        let value = rounds.constant(field.name).filter(|value| value.is_finite());
        Constant {
            name: field.name,
            value,
            table: *(field.place)(&mut table) as f64 / field.one,
            unit: field.unit,
            // The table stores integers, so the value must not round to 0 there.
            usable: value.is_some_and(|value| value * field.one >= 0.5),
        }
    };
    FIELDS.iter().map(constant).collect()
}

/// A cost table with the constants of a report.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// In each setting.
    pub costs: [Costs; SETTINGS],
    /// The title of the report.
    pub title: String,
    /// The constants that are kept from the frozen table, because the report's are missing or
    /// unusable.
    pub kept: Vec<&'static str>,
}

/// The heading of a table of costs that was made with these constants.
impl fmt::Display for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Calibrated: with the constants of the report \"{}\" in the place of the frozen ones.",
            self.title
        )?;
        match self.kept.as_slice() {
            [] => writeln!(f, "All constants that probes measure are the report's."),
            kept => writeln!(f, "Frozen, since the report has none to use: {}.", kept.join(", ")),
        }
    }
}

/// The frozen table with the constants of a report's JSON.
///
/// # Errors
/// The file can't be read, or is no report with constants.
pub fn calibrated(file: &Path) -> Result<Calibrated, UsageError> {
    let bytes = std::fs::read(file).map_err(|error| UsageError::File { file: file.to_owned(), error })?;
    let report: Value = serde_json::from_slice(&bytes).map_err(|error| Reason::from(error).of(file))?;
    of_report(&report).map_err(|problem| problem.of(file))
}

/// [`calibrated`] from the parsed JSON.
fn of_report(report: &Value) -> Result<Calibrated, Reason> {
    let field = |name, got: &Value, expected| Reason::Field { name, got: got.to_string(), expected };
    if report["kind"] != KIND {
        return Err(field("kind", &report["kind"], "\"device-report\""));
    }
    match report["format"].as_u64() {
        Some(FORMAT) => {}
        other => return Err(Reason::Format(other.unwrap_or(0))),
    }
    let measured = report["probes"]["constants"].as_array();
    let measured = measured.filter(|measured| !measured.is_empty());
    let measured =
        measured.ok_or(Reason::Missing("probes.constants, which a report has where probes were run,"))?;
    let megahertz = &report["device"]["megahertz"];
    let clock = megahertz.as_u64().filter(|clock| *clock > 0);
    let clock = clock.ok_or_else(|| field("device.megahertz", megahertz, "a number above 0"))?;
    let (mut all, mut kept) = (costs(), Vec::new());
    all.iter_mut().for_each(|costs| costs.megahertz = clock);
    for Field { name, one, place, .. } in &FIELDS {
        let constant = measured.iter().find(|constant| constant["name"] == *name);
        let value = constant
            .filter(|constant| constant["usable"] == true)
            .and_then(|constant| constant["value"].as_f64());
        match value.map(|value| (value * one).round()).filter(|value| (1.0..1e15).contains(value)) {
            Some(value) => all.iter_mut().for_each(|costs| *place(costs) = value as u64),
            None => kept.push(*name),
        }
    }
    let title = report["title"].as_str().unwrap_or_default().to_owned();
    Ok(Calibrated { costs: all, title, kept })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_s_constants_take_the_place_of_the_table_s() {
        let constant =
            |name: &str, value: f64, usable| json!({"name": name, "value": value, "usable": usable});
        let report = json!({
            "kind": "device-report",
            "format": 1,
            "title": "Scatter on a device",
            "device": {"megahertz": 1800},
            "probes": {"constants": [
                constant("copy_head", 21.25, true),
                constant("scalar_read", -3.0, false),
                constant("gather", f64::from(1 << 20), true),
            ]},
        });
        let Calibrated { costs: [cautious, hopeful, ..], title, kept } = of_report(&report).unwrap();
        let [frozen, ..] = costs();
        assert_eq!((cautious.copy_head, cautious.megahertz), (21_250, 1800));
        assert_eq!((cautious.scalar_read, cautious.copy_block), (frozen.scalar_read, frozen.copy_block));
        assert_eq!([cautious.gather, hopeful.gather], [1000 << 20; 2]);
        assert_eq!(title, "Scatter on a device");
        assert_eq!(kept.len(), FIELDS.len() - 2);
    }

    #[test]
    fn a_constant_that_is_no_cost_is_not_usable() {
        assert!(constants(&[], 1850).iter().all(|constant| constant.value.is_none() && !constant.usable));
    }
}
