//! Times the CPU engine of another revision (`old`) beside that of this one: see `run`.

use std::process::{Command, ExitCode};
use std::time::Instant;

use bench::{Workload, median, warm_up};
use engines::case::Case;
use scatter::{DType, Op, Reduce, Scalar, bf16, f16};

/// What is asked for.
struct Options {
    rounds: usize,
    scale: usize,
    processes: usize,
    /// The workloads that are named; none for all.
    names: Vec<String>,
}

/// A function that makes the call of a case; false where the engine has no such function.
type Make = fn(&mut Case) -> bool;

/// Defines `$name`, which makes the call of a case by the engine of the crate `$scatter`, in place.
macro_rules! engine {
    ($name:ident, $scatter:ident) => {
        fn $name<T, I>(case: &mut Case) -> bool
        where
            T: old::Element + scatter::Element,
            I: old::Index + scatter::Index,
        {
            let Case { op, self_, index, src, .. } = case;
            let index = $scatter::View::strided(
                index.storage.elements::<I>(),
                &index.shape,
                &index.strides,
                index.offset,
            );
            let src = src.as_ref().map(|src| {
                $scatter::View::strided(src.storage.elements::<T>(), &src.shape, &src.strides, src.offset)
            });
            let out = $scatter::ViewMut::strided(
                self_.storage.elements_mut::<T>(),
                &self_.shape,
                &self_.strides,
                self_.offset,
            );
            let (Ok(index), Ok(mut out)) = (index, out) else { return false };
            let reduced = |reduce: Reduce| $scatter::Reduce::from_code(reduce.code());
            let done = match (*op, src) {
                (Op::ScatterAdd { dim }, Some(Ok(src))) => $scatter::scatter_add(&mut out, dim, &index, &src),
                (Op::Scatter { dim, reduce }, Some(Ok(src))) => {
                    let Some(reduce) = reduced(reduce) else { return false };
                    $scatter::scatter(&mut out, dim, &index, &src, reduce)
                }
                (Op::ScatterValue { dim, value: Scalar::Float(value), reduce }, None) => {
                    let Some(reduce) = reduced(reduce) else { return false };
                    $scatter::scatter_value(&mut out, dim, &index, value, reduce)
                }
                (Op::ScatterNdAdd, Some(Ok(src))) => $scatter::scatter_nd_add(&mut out, &index, &src),
                _ => return false,
            };
            done.is_ok()
        }
    };
}

engine!(by_old, old);
engine!(by_new, scatter);

/// Both engines for the types of a case; `None` where they don't share these.
fn engines_of(case: &Case) -> Option<[Make; 2]> {
    fn of<T>(index: DType) -> [Make; 2]
    where
        T: old::Element + scatter::Element,
    {
        match index {
            DType::I32 => [by_old::<T, i32>, by_new::<T, i32>],
            _ => [by_old::<T, i64>, by_new::<T, i64>],
        }
    }
    let index = case.index.storage.dtype();
    Some(match case.dtype() {
        DType::F32 => of::<f32>(index),
        DType::F64 => of::<f64>(index),
        DType::F16 => of::<f16>(index),
        DType::Bf16 => of::<bf16>(index),
        DType::I64 => of::<i64>(index),
        DType::I32 => of::<i32>(index),
        DType::I16 => of::<i16>(index),
        DType::I8 => of::<i8>(index),
        DType::U8 => of::<u8>(index),
        _ => return None,
    })
}

/// The times of `rounds` calls of each engine in milliseconds, in the order in which they were
/// made, each after calls by the same engine that warm its threads up; `None` where one of them has
/// no such call. Values are those that these calls leave: to restore them before the one that is
/// timed would let threads sleep.
fn times(case: &mut Case, rounds: usize) -> Option<[Vec<f64>; 2]> {
    let engines = engines_of(case)?;
    let before = case.self_.storage.clone();
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        // Which is first changes from round to round.
        for turn in 0..2 {
            let which = (round + turn) % 2;
            case.self_.storage.bytes_mut().copy_from_slice(before.bytes());
            let is_made = warm_up(|| engines[which](case));
            let start = Instant::now();
            if !(is_made && engines[which](case)) {
                return None;
            }
            times[which].push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Some(times)
}

fn options(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { rounds: 25, scale: 2, processes: 1, names: Vec::new() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let number = |text: Option<String>| match text.as_deref().map(str::parse) {
            Some(Ok(number)) if number > 0 => Ok(number),
            _ => Err(format!("{argument}: a positive number expected")),
        };
        match argument.as_str() {
            "--rounds" => options.rounds = number(arguments.next())?,
            "--scale" => options.scale = number(arguments.next())?,
            "--processes" => options.processes = number(arguments.next())?,
            _ => options.names.push(argument),
        }
    }
    Ok(options)
}

/// The ratios of each workload that some processes of this program find, one after the other.
fn ratios_of_processes(options: &Options) -> Result<Vec<(String, Vec<f64>)>, String> {
    let mut ratios: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..options.processes {
        let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
        command.args(["--rounds", &options.rounds.to_string(), "--scale", &options.scale.to_string()]);
        command.args(&options.names);
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            return Err(error.trim().trim_start_matches("two-engines: ").to_owned());
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let fields: Vec<_> = line.split_whitespace().collect();
            let [name, _, _, ratio, _] = fields[..] else { continue };
            let Ok(ratio) = ratio.parse() else { continue };
            match ratios.iter_mut().find(|(other, _)| other == name) {
                Some((_, ratios)) => ratios.push(ratio),
                None => ratios.push((name.to_owned(), vec![ratio])),
            }
        }
    }
    Ok(ratios)
}

/// Prints the median of what some processes find, and the extremes.
fn run_processes(options: &Options) -> Result<(), String> {
    println!("{:<26} {:>6} {:>6} {:>8}", "workload", "ratio", "least", "greatest");
    let mut medians = Vec::new();
    for (name, ratios) in ratios_of_processes(options)? {
        let middle = median(ratios.iter().copied()).unwrap_or(f64::NAN);
        let least = least(&ratios);
        let greatest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        println!("{name:<26} {middle:6.2} {least:6.2} {greatest:8.2}");
        medians.push(middle);
    }
    print_summary(&medians);
    Ok(())
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn print_summary(ratios: &[f64]) {
    let least = least(ratios);
    let middle = median(ratios.iter().copied()).unwrap_or(f64::NAN);
    println!("median {middle:.2}, least {least:.2}, of {} workloads", ratios.len());
}

fn run() -> Result<(), String> {
    let options = options(std::env::args().skip(1))?;
    if options.processes > 1 {
        return run_processes(&options);
    }
    let Options { rounds, scale, names, .. } = options;
    let workloads: Vec<_> = match &names[..] {
        [] => Workload::of_cpus().copied().collect(),
        names => names.iter().map(|name| Workload::named_of_cpus(name)).collect::<Result<_, _>>()?,
    };
    println!("{:<26} {:>9} {:>9} {:>6} {:>8}", "workload", "old ms", "new ms", "ratio", "of best");
    let mut ratios = Vec::new();
    for workload in workloads {
        let mut case = workload.divided(scale).draw(1).map_err(|error| error.to_string())?.into_case();
        let Some([old, new]) = times(&mut case, rounds) else { continue };
        // Of calls that follow each other, so that what changes on the machine changes both.
        let ratio = median(old.iter().zip(&new).map(|(old, new)| old / new)).unwrap_or(f64::NAN);
        let best = least(&old) / least(&new);
        let name = case.name.trim_start_matches("bench/");
        let [old, new] = [old, new].map(|times| median(times).unwrap_or(f64::NAN));
        println!("{name:<26} {old:9.3} {new:9.3} {ratio:6.2} {best:8.2}");
        ratios.push(ratio);
    }
    print_summary(&ratios);
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("two-engines: {error}");
            ExitCode::from(2)
        }
    }
}
