//! `conformance cost`: the modelled times of our kernels for each workload on an Ascend 910B1, from
//! the host model's counts and cost table, beside those of CANN's own path by the same table.
//! Nothing here is a measurement.

mod bars;
mod cann;
pub mod constants;
mod cores;
mod limit;
mod measured;
mod published;
mod report;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use engines::Exit;
use engines::judge::Wanted;
use engines::refusal::Refusal;
use engines::report_file::ReportFile;
use engines::usage::{self, UsageError};
use scatter_kernels::model::{self, Costs, Mode, SETTINGS};
use scatter_kernels::{Algorithm, Soc};

use crate::workload::Workload;
use cann::{Absent, Path};
use measured::{Images, measure};
use report::Row;
use report::json::Report;

/// Runs the Ascend C kernels on the host model with the workloads of bench, and prints the times
/// that the model's cost table gives them on an Ascend 910B1, next to the times of CANN's own path
/// by the same table.
///
/// Needs the feature `cost`: `cargo run --release --features cost -- cost`. All times are modelled.
/// They don't depend on threads, on seeds, or on the speed of this machine. Every result is
/// compared with the reference, bit for bit.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The workloads: those of bench, and others that are only modelled [default: all]
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',', value_parser = Workload::named_of_kernels)]
    workloads: Vec<Workload>,
    /// Algorithms (general, rows, elements, windows) [default: all that can compute the workload]
    #[arg(long = "algorithm", value_name = "NAME", value_delimiter = ',', value_parser = parse_algorithm)]
    algorithms: Vec<Algorithm>,
    /// Runs only the algorithm that the plan chooses, which takes much less time
    #[arg(long, conflicts_with = "algorithms")]
    chosen: bool,
    /// Divides the number of updates, and the number of rows that they go to
    #[arg(long, value_name = "DIVISOR", default_value_t = bars::TABLE_SCALE, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// The number of vector cores; all else is modelled as for the device with 48
    #[arg(long, value_name = "N", default_value_t = bars::CORES, value_parser = clap::value_parser!(u16).range(1..=48))]
    cores: u16,
    /// This machine's threads on which the model runs blocks [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Runs the strict model with the schedules of this seed, which takes longer and gives the same
    /// figures
    #[arg(long, value_name = "SEED")]
    strict: Option<u64>,
    /// Also writes the figures to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints the figures of the algorithms that the plan chooses as a Markdown table; rows that
    /// miss a bar are in bold
    #[arg(long, conflicts_with = "algorithms")]
    markdown: bool,
    /// Instead prints CANN's times divided by ours on 20, 40 and 48 cores, and our times on an
    /// Ascend 950
    #[arg(long, conflicts_with_all = ["cores", "json", "markdown", "algorithms"])]
    every_cores: bool,
    /// Models with the constants in FILE, which is the JSON of a device-report, instead of the
    /// frozen ones
    #[arg(long, value_name = "FILE", conflicts_with = "markdown")]
    calibrate: Option<PathBuf>,
    /// Only compares the cost table with times that others measured on devices; runs nothing
    #[arg(long, exclusive = true)]
    published: bool,
}

/// The seed of the workloads' tensors.
const SEED: u64 = 42;

impl Options {
    /// The workloads that are asked for. Those of integers come last, because they are compared
    /// with the others.
    fn workloads(&self) -> impl Iterator<Item = &'static Workload> {
        let is_chosen = |workload: &&Workload| self.workloads.is_empty() || self.workloads.contains(workload);
        let (integers, others): (Vec<_>, Vec<_>) =
            Workload::of_kernels().filter(is_chosen).partition(|workload| is_integer(workload));
        others.into_iter().chain(integers)
    }

    /// Whether only the algorithm that the plan chooses is run.
    const fn is_of_chosen(&self) -> bool {
        self.chosen || self.every_cores || self.markdown
    }

    /// The processor to plan for.
    fn soc(&self) -> Soc {
        Soc::default().with_cores(self.cores.into())
    }

    /// The options of the host model.
    fn model(&self, soc: &Soc) -> model::Options {
        let mode = if self.strict.is_some() { Mode::Strict } else { Mode::Fast };
        let threads = self.threads.map_or(0, u32::from);
        model::Options { mode, threads, ..model::Options::strict(self.strict.unwrap_or(0)).on(soc) }
    }
}

/// Runs what the options ask for.
///
/// # Errors
/// Options or files that can't be used, or output that can't be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    if options.published {
        write!(out, "{}", published::table())?;
        return Ok(Exit::Same);
    }
    let calibrated = options.calibrate.as_deref().map(constants::calibrated).transpose()?;
    if !model::CHARGES_CODE {
        return Err(UsageError::Feature { command: "cost", feature: "cost" });
    }
    if let Some(calibrated) = calibrated {
        writeln!(out, "{calibrated}")?;
        // SAFETY: no kernel has been launched yet, and this process has no other thread, so nothing
        // reads the cost table while it is replaced.
        unsafe { model::calibrate(&calibrated.costs) };
    }
    if options.every_cores {
        return on_every_device(options, out);
    }
    let json = options.json.as_deref().map(ReportFile::create).transpose()?;
    let head = if options.markdown { report::markdown::head() } else { report::head() };
    writeln!(out, "{head}")?;
    let mut rows: Vec<Row> = Vec::new();
    for workload in options.workloads() {
        out.flush()?;
        let is_first = rows.last().is_some_and(|row| bars::in_f32(row.name()).is_none());
        if options.markdown && is_first && is_integer(workload) {
            writeln!(out, "\n{head}")?;
        }
        let mut row = row(&workload.divided(options.scale as usize), options, &options.soc())?;
        // The bars apply to the frozen table on the full device only.
        if options.cores == bars::CORES && options.calibrate.is_none() {
            let in_f32 = bars::in_f32(workload.name());
            row.judge(options.scale, rows.iter().find(|row| in_f32.as_deref() == Some(row.name())));
        }
        match options.markdown {
            true => write!(out, "{}", report::markdown::row(&row))?,
            false => write!(out, "{row}")?,
        }
        rows.push(row);
    }
    if !options.markdown {
        write!(out, "{}{}", report::legend(options.cores), report::bars(&rows))?;
    }
    if let Some(file) = json {
        file.write_json(&Report::new(options, &rows))?;
    }
    // If no algorithm could compute any workload, nothing was found.
    let reasons: Option<Vec<_>> = rows.iter().map(Row::not_applicable).collect();
    if let Some(reasons) = reasons {
        let engines = reasons.into_iter().next().unwrap_or_default();
        return Err(UsageError::NotApplicable { engines });
    }
    Ok(if rows.iter().any(Row::is_failure) { Exit::Different } else { Exit::Same })
}

/// Whether it is a workload of integers, which is compared with its f32 form.
fn is_integer(workload: &Workload) -> bool {
    bars::in_f32(workload.name()).is_some()
}

/// Prints the ratios of CANN's times to ours on each of [`cores::DEVICES`].
fn on_every_device(options: &Options, out: &mut dyn Write) -> Result<Exit, UsageError> {
    writeln!(out, "{}", cores::head())?;
    let (mut told, mut is_failure) = (Vec::new(), false);
    for workload in options.workloads() {
        out.flush()?;
        let divided = workload.divided(options.scale as usize);
        let (mut ratios, mut limits) = ([None; cores::DEVICES.len()], [None; cores::DEVICES.len()]);
        let mut errors = Vec::new();
        for (at, cores) in cores::DEVICES.into_iter().enumerate() {
            let options = Options { cores, ..options.clone() };
            let row = row(&divided, &options, &options.soc())?;
            errors.extend(row.errors().map(|error| format!("on {cores} cores: {error}")));
            ratios[at] = row.chosen_ratio();
            limits[at] = row.chosen().map(|measured| measured.limit);
        }
        let on_950 = row(&divided, options, &cores::ascend_950())?;
        errors.extend(on_950.errors().map(|error| format!("on 950: {error}")));
        let ratios = match ratios {
            [Some(first), Some(second), Some(last)] => Some([first, second, last]),
            _ => None,
        };
        let nanoseconds = on_950.chosen().map(|measured| measured.counters.nanoseconds[0]);
        let row = cores::CoresRow { name: workload.name(), ratios, limits, on_950: nanoseconds };
        write!(out, "{row}")?;
        errors.iter().try_for_each(|error| writeln!(out, "  WRONG {error}"))?;
        is_failure |= !errors.is_empty();
        told.push(row);
    }
    write!(out, "{}", cores::legend(&told))?;
    Ok(if is_failure { Exit::Different } else { Exit::Same })
}

/// Everything that is reported of a workload.
fn row(workload: &Workload, options: &Options, soc: &Soc) -> Result<Row, UsageError> {
    let mut drawn = workload.draw(SEED)?;
    let cann = in_each_setting(|costs| cann::path(&drawn, &costs.with_cores(soc.cores.into())));
    let bytes = crate::measure::bytes(&drawn);
    let case = &mut drawn.case;
    let of = |refusal: Refusal| usage::Reason::Refused(refusal).of(workload.name());
    let problem = case.call().problem().map_err(|error| of(error.into()))?;
    let wanted = Wanted::of(case).map_err(|error| of(error.into()))?;
    let images = Images::of(case).map_err(|error| of(error.into()))?;
    let plan = |algorithm| images.plan(&problem, soc, algorithm);
    let taken = plan(None)
        .map_err(|unsupported| format!("refused: {unsupported}"))
        .and_then(|plan| plan.algorithm.ok_or_else(|| "there are no updates".to_owned()));
    let (mut ours, mut absent) = (Vec::new(), Vec::new());
    match taken {
        Err(error) => ours.push(Err(error)),
        Ok(taken) => {
            let is_named = |algorithm: &Algorithm| options.algorithms.contains(algorithm);
            let is_asked = |algorithm: &Algorithm| match options.is_of_chosen() {
                true => *algorithm == taken,
                false => options.algorithms.is_empty() || is_named(algorithm),
            };
            for algorithm in Algorithm::ALL.into_iter().filter(is_asked) {
                match plan(Some(algorithm)) {
                    Ok(plan) => {
                        let of = (algorithm, algorithm == taken);
                        let measured = measure(case, &images, &wanted, of, &plan, &options.model(soc));
                        ours.push(measured.map_err(|refusal| refusal.to_string()));
                    }
                    Err(unsupported) if is_named(&algorithm) => absent.push((algorithm, unsupported)),
                    Err(_) => {}
                }
            }
        }
    }
    Ok(Row::new(workload, case, bytes, ours, absent, cann))
}

/// CANN's path in each setting of the costs.
fn in_each_setting(path: impl Fn(&Costs) -> Result<Path, Absent>) -> Result<[Path; SETTINGS], Absent> {
    let [cautious, hopeful, halved, doubled] = model::costs();
    Ok([path(&cautious)?, path(&hopeful)?, path(&halved)?, path(&doubled)?])
}

/// Parses the name of an algorithm.
fn parse_algorithm(text: &str) -> Result<Algorithm, String> {
    let known = Algorithm::ALL.map(Algorithm::name);
    let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == text);
    found.ok_or_else(|| format!("expected {}", known.join(" or ")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A command line of the options alone.
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn a_call_that_the_plan_refuses_is_told_and_fails() {
        let workload = Workload::named("moe").unwrap().divided(1024);
        for option in ["--chosen", "--algorithm=general", "--markdown"] {
            let Alone { options } = Alone::try_parse_from(["cost", option]).unwrap();
            let row = row(&workload, &options, &Soc { ub: 64, ..options.soc() }).unwrap();
            let told = "WRONG: refused: scatter_add: 64 bytes of UB are not enough";
            for report in [row.to_string(), report::markdown::row(&row)] {
                assert!(report.contains(told), "{option}: {report}");
            }
            assert!(row.is_failure() && row.not_applicable().is_none(), "{option}");
        }
    }
}
