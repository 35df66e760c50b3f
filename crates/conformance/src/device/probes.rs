//! Runs the probes on the device. Each is launched twice, the second time with twice the rounds, so
//! that the difference excludes the launch itself and what a kernel does only once.

use core::ffi::c_void;
use core::fmt;
use core::ops::Range as Numbers;

use aclnn::{DeviceBuffer, Stream};
use bench::cost::constants::{Constant, Measurement, constants};
use bench::median_seconds;
use engines::engine::{SafeApi, Timed, times};
use engines::refusal::Refusal;
use scatter_kernels::Range;
use scatter_kernels::probes::{DATA, Probes, ROOM, Work};
use serde::Serialize;

use super::options::Options;
use super::versions::{Device, Library};

/// The results of the probes.
#[derive(Debug, Default, Serialize)]
pub(super) struct Probed {
    /// Why no probe was run; `None` where they were.
    pub(super) not_run: Option<String>,
    pub(super) measurements: Vec<Measurement>,
    pub(super) constants: Vec<Constant>,
}

/// A probe with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedProbe {
    /// The name in the report.
    pub(super) name: &'static str,
    probe: &'static str,
    blocks: u32,
    repeats: u32,
    size: u32,
    form: u32,
    /// The rounds as a multiple of `--rounds`; 0 stands for a single round.
    times: u32,
    /// Bytes by which the memory that it works on is offset.
    skew: usize,
}

/// Bytes of a tile of the probe `bandwidth`.
const TILE: u32 = 16 * 1024;
/// The working sets, in bytes, for which the cost table has a bandwidth.
pub(super) const WORKING_SETS: [u64; 3] = [64 << 20, 320 << 20, 2560 << 20];

/// An empty launch, whose own time is measured.
const LAUNCH: PlannedProbe = PlannedProbe {
    name: "launch",
    probe: "launch",
    blocks: 1,
    repeats: 0,
    size: 0,
    form: 0,
    times: 1,
    skew: 0,
};

/// All probes, for a device with `cores` cores. The working sets are divided by `scale`.
pub(super) fn plans(cores: u32, scale: u32) -> Vec<PlannedProbe> {
    // Scalar operations take a few cycles only, so they are done more often.
    let scalar = |name| PlannedProbe { name, probe: name, times: 16, ..LAUNCH };
    let copies =
        |name, repeats, size| PlannedProbe { name, probe: "copy_in", repeats, size, form: 1, ..LAUNCH };
    let vector = |name, probe, size| PlannedProbe { name, probe, size, times: 4, ..LAUNCH };
    let bandwidth = |name, bytes: u64| {
        let share = bytes / u64::from(scale) / u64::from(cores);
        let repeats = (share / u64::from(TILE)).max(1) as u32;
        PlannedProbe { name, probe: "bandwidth", blocks: cores, repeats, size: TILE, times: 0, ..LAUNCH }
    };
    let [small, middle, large] = WORKING_SETS;
    vec![
        LAUNCH,
        scalar("loop"),
        scalar("read"),
        scalar("reads"),
        scalar("write"),
        scalar("gm"),
        copies("no copy", 0, 32),
        copies("one copy of 32 bytes", 1, 32),
        copies("1024 copies of 128 bytes", 1024, 128),
        copies("16 copies of 8192 bytes", 16, 8192),
        PlannedProbe { skew: 64, ..copies("the same, 64 bytes off", 16, 8192) },
        PlannedProbe { form: 64, ..copies("16 copies of 64 blocks of 128 bytes", 16, 128) },
        PlannedProbe { probe: "copy_out", ..copies("one copy of 32 bytes from UB", 1, 32) },
        bandwidth("bandwidth, small", small),
        bandwidth("bandwidth, middle", middle),
        bandwidth("bandwidth, large", large),
        PlannedProbe { form: 256, ..vector("Add of 512", "add", 512) },
        PlannedProbe { form: 256, ..vector("Add of 7680", "add", 7680) },
        vector("Add of 512, same banks", "add", 512),
        vector("Add of 7680, same banks", "add", 7680),
        vector("Cast of 512", "cast", 512),
        vector("Cast of 7680", "cast", 7680),
        vector("Gather of 512", "gather", 512),
        vector("Gather of 4096", "gather", 4096),
        vector("GatherMask of 512", "gather_mask", 512),
        vector("GatherMask of 7680", "gather_mask", 7680),
        vector("Sort32 of 256", "sort", 256),
        vector("Sort32 of 3840", "sort", 3840),
        vector("MrgSort of 128", "merge", 128),
        vector("MrgSort of 3840", "merge", 3840),
    ]
}

impl PlannedProbe {
    /// The rounds of the shorter launch.
    fn rounds(&self, rounds: u32) -> u32 {
        (rounds * self.times).max(1)
    }

    /// The bytes of memory that it needs.
    fn bytes(&self) -> usize {
        let work = match self.probe {
            "bandwidth" => self.blocks as usize * self.repeats as usize * self.size as usize,
            "gm" => CHAIN,
            _ => ROOM
                .max(self.repeats as usize * self.form as usize * (self.size as usize).next_multiple_of(512)),
        };
        DATA + self.skew + work
    }

    fn work(&self, rounds: u32) -> Work {
        let Self { blocks, repeats, size, form, .. } = *self;
        Work { blocks, rounds, repeats, size, form }
    }

    /// The nanoseconds of a round. `time` measures those of a number of launches of some work: one
    /// launch, except for the probe `launch`, whose rounds are launches.
    pub(super) fn round(
        &self,
        rounds: u32,
        time: &mut dyn FnMut(&Self, &Work, u32) -> Result<f64, String>,
    ) -> Result<f64, String> {
        let few = self.rounds(rounds);
        let mut of = |rounds| match self.probe {
            "launch" => time(self, &self.work(0), rounds),
            _ => time(self, &self.work(rounds), 1),
        };
        Ok((of(2 * few)? - of(few)?) / f64::from(few))
    }

    /// The measurement for the report.
    pub(super) fn measured(&self, rounds: u32, round: Result<f64, String>) -> Measurement {
        let Self { name, probe, blocks, repeats, size, form, .. } = *self;
        let rounds = self.rounds(rounds);
        let (nanoseconds, problem) = match round {
            Ok(nanoseconds) => (Some(nanoseconds), None),
            Err(problem) => (None, Some(problem)),
        };
        Measurement { name, probe, blocks, repeats, size, form, rounds, nanoseconds, problem }
    }

    /// The content that its memory must have before the launch.
    pub(super) fn content(&self) -> Vec<u8> {
        if self.probe == "gm" { chain(DATA / 4..(DATA + CHAIN) / 4) } else { Vec::new() }
    }
}

/// Bytes of the chain of addresses that the scalar unit follows through GM: more than its cache
/// holds.
const CHAIN: usize = 1 << 20;

/// Words of GM. One in each cache line holds the place of the next, 4 KiB and 64 bytes further on,
/// so that they visit all lines in one cycle.
fn chain(places: Numbers<usize>) -> Vec<u8> {
    let words = places.len();
    const LINE: usize = 16;
    const STEP: usize = 65 * LINE;
    let next = |place: usize| (place - places.start + STEP) % words + places.start;
    let word = |place: usize| if place < places.start { 0 } else { next(place) as u32 };
    (0..places.end).flat_map(|place| word(place).to_ne_bytes()).collect()
}

/// Runs all probes on the device.
pub(super) fn measure(engine: &SafeApi, library: &Library, device: &Device, options: &Options) -> Probed {
    match (&library.path, &library.problem) {
        (Some(path), None) => {
            // SAFETY: this is the library that the operators have loaded already, so loading it
            // runs no new initialiser; whoever installed it answers for its functions.
            match unsafe { Probes::load(path) } {
                Ok(probes) => measure_with(engine, &probes, device, options),
                Err(error) => Probed { not_run: Some(error.to_string()), ..Probed::default() },
            }
        }
        (_, problem) => Probed { not_run: problem.clone(), ..Probed::default() },
    }
}

fn measure_with(engine: &SafeApi, probes: &Probes, device: &Device, options: &Options) -> Probed {
    let stream = match engine.device().stream() {
        Ok(stream) => stream,
        Err(error) => return Probed { not_run: Some(error.to_string()), ..Probed::default() },
    };
    let mut measurements = Vec::new();
    for planned in plans(device.cores, options.scale) {
        let round = memory(&planned, &stream).and_then(|memory| {
            planned.round(options.rounds, &mut |planned, work, launches| {
                nanoseconds(probes, planned, work, launches, &memory, &stream, options)
            })
        });
        measurements.push(planned.measured(options.rounds, round));
    }
    let constants = constants(&measurements, device.megahertz);
    Probed { not_run: None, measurements, constants }
}

/// A probe's memory on the device, with its content.
fn memory(planned: &PlannedProbe, stream: &Stream) -> Result<DeviceBuffer, String> {
    let told = |error: aclnn::Error| error.to_string();
    let memory = DeviceBuffer::new(stream, planned.bytes()).map_err(told)?;
    let content = planned.content();
    if !content.is_empty() {
        memory.write(0, &content, stream).map_err(told)?;
    }
    Ok(memory)
}

/// The median time of a number of consecutive launches.
fn nanoseconds(
    probes: &Probes,
    planned: &PlannedProbe,
    work: &Work,
    launches: u32,
    memory: &DeviceBuffer,
    stream: &Stream,
    options: &Options,
) -> Result<f64, String> {
    let launch = |name: &str, work: &Work| -> Result<(), Refusal> {
        let address = memory.as_raw().wrapping_byte_add(planned.skew);
        let range = Range { address, bytes: (memory.bytes() - planned.skew) as u64 };
        let raw = stream.as_raw()?.cast::<c_void>();
        // SAFETY: the memory has the bytes that the probe needs, and `times` waits for the stream
        // before the memory is dropped.
        match unsafe { probes.launch(name, work, range, raw) } {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::Broken(format!("the library has no probe {name}"))),
            Err(error) => Err(Refusal::Broken(error.to_string())),
        }
    };
    let mut run = |timed: &mut Timed<'_>| {
        // While this runs, the host enqueues the launches that are timed, so that the stream never
        // waits for the host.
        launch("loop", &Work { blocks: 1, rounds: options.rounds * 16, repeats: 0, size: 0, form: 0 })?;
        timed.begin()?;
        (0..launches).try_for_each(|_| launch(planned.probe, work))
    };
    let times = times(stream, options.repeats.into(), &mut run).map_err(|refusal| refusal.to_string())?;
    Ok(median_seconds(&times) * 1e9)
}

/// The constants as a table.
impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.not_run {
            return write!(f, "no probe was run: {why}");
        }
        write!(f, "{:<28}{:>12}{:>12}  unit", "constant", "measured", "the table's")?;
        for constant in &self.constants {
            write!(f, "\n{constant}")?;
        }
        for Measurement { name, problem, .. } in &self.measurements {
            if let Some(problem) = problem {
                write!(f, "\nnot measured: {name}: {problem}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model;

    use super::*;

    /// Memory aligned to 512 bytes, because costs depend on the alignment.
    #[derive(Clone)]
    #[repr(align(512))]
    struct Line([u8; 512]);

    /// The modelled time of a round of a probe on the host model.
    fn modelled(planned: &PlannedProbe, probes: &Probes) -> Result<f64, String> {
        let mut memory = vec![Line([0; 512]); planned.bytes().div_ceil(512)];
        for (line, content) in memory.iter_mut().zip(planned.content().chunks(512)) {
            line.0[..content.len()].copy_from_slice(content);
        }
        let address = memory.as_mut_ptr().cast::<c_void>().wrapping_byte_add(planned.skew);
        let range = Range { address, bytes: (memory.len() * 512 - planned.skew) as u64 };
        planned.round(8, &mut |planned, work, launches| {
            // SAFETY: `memory` has at least the bytes that the probe needs, and the host model is
            // done with it when the launch returns.
            let launched = unsafe { probes.launch(planned.probe, work, range, core::ptr::null_mut()) };
            assert!(launched.map_err(|error| error.to_string())?, "no probe {}", planned.probe);
            Ok(f64::from(launches) * model::counters().nanoseconds[0] as f64)
        })
    }

    /// On the model, the probes must measure the constants of its own cost table. So each probe
    /// measures what its name says, and the formulas are right.
    #[test]
    fn on_the_host_model_the_probes_find_its_own_table() {
        let probes = Probes::host_model();
        let [costs, ..] = model::costs();
        for seed in [1, 2] {
            model::configure(Some(&model::Options::strict(seed)));
            // Ten tiles for each core. The larger working sets would take too long on the model.
            let plans = plans(costs.cores as u32, 8).into_iter();
            let plans =
                plans.filter(|planned| !["bandwidth, middle", "bandwidth, large"].contains(&planned.name));
            let measurements: Vec<_> =
                plans.map(|planned| planned.measured(8, modelled(&planned, &probes))).collect();
            for measurement in &measurements {
                assert_eq!(measurement.problem, None, "{measurement:?}");
            }
            for Constant { name, value, table, .. } in constants(&measurements, costs.megahertz) {
                let Some(value) = value else {
                    assert!(["gm_bytes_per_nanosecond_1", "gm_bytes_per_nanosecond_2"].contains(&name));
                    continue;
                };
                let within = match name {
                    // The compiler decides how many basic blocks a loop has; the seven reads differ
                    // by them.
                    "scalar_iteration" => 4.0,
                    "scalar_next_read" => 0.6,
                    _ => 0.05 * table,
                };
                assert!((value - table).abs() <= within, "{name}: {value:.2}, the table has {table}");
            }
        }
    }

    #[test]
    fn a_chain_goes_through_every_line_before_it_repeats() {
        let words: Vec<u32> = chain(128..128 + CHAIN / 4)
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let (mut place, mut steps) = (128, 0);
        loop {
            place = words[place] as usize;
            steps += 1;
            if place == 128 {
                break;
            }
        }
        assert_eq!(steps, CHAIN / 64);
    }
}
