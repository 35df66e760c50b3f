//! `conformance bench --limits` and `--peer`: our engine on one thread and on all, the machine's
//! limits, and other implementations, on the same tensors.
//!
//! All candidates take turns, so that other load on the machine affects them alike: each round
//! times every candidate once, and every second round runs in reverse order.

mod entry;
mod files;
mod ours;
mod report;
mod worker;

use std::io::Write;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use engines::Exit;
use engines::report_file::ReportFile;
use engines::storage::Storage;
use engines::usage::UsageError;

use crate::limit::{LimitLoop, machine};
use crate::measure::WARM_UP;
use crate::workload::Workload;
use crate::{Known, Options, memory};
use entry::{Entry, Kind};
use files::Folder;
use report::{Report, Section, summary};
use worker::Worker;

pub(super) use entry::Verdict;
pub(super) use ours::Ours;

/// The least time of a sample: shorter calls are repeated.
const WORTH_TIMING: Duration = Duration::from_millis(2);
/// A first call that takes fewer seconds than this is measured again, because cold caches or other
/// delays may dominate it.
const SHORT: f64 = 0.05;
/// A peer that is this many times slower than the fastest is timed only twice, however many rounds
/// there are.
const HOPELESS: f64 = 10.0;
/// A pause between two samples, after which threads that wait for work by spinning have stopped.
const PAUSE: Duration = Duration::from_millis(10);

/// Compares the candidates on these workloads.
pub(super) fn run(
    options: &Options,
    workloads: &[Workload],
    out: &mut dyn Write,
) -> Result<Exit, UsageError> {
    let counts = counts(options.engines.threads());
    let mut workers = options
        .peers
        .iter()
        .map(|command| Worker::start(command, options.engines.threads()))
        .collect::<Result<Vec<_>, _>>()?;
    let json = options.json.as_deref().map(ReportFile::create).transpose()?;
    let machines = counts.iter().map(|&threads| machine(threads, options.scale as usize));
    let machines = machines.collect::<Result<Vec<_>, UsageError>>()?;
    report::machines(&machines, out)?;
    let folder = Folder::new()?;
    let mut sections = Vec::new();
    for workload in workloads {
        let section = contest(*workload, options, &counts, &mut workers, &folder)?;
        section.write(out)?;
        out.flush()?;
        sections.push(section);
    }
    summary(&sections, &counts, out)?;
    if let Some(file) = json {
        file.write_json(&Report::new(options, &machines, &sections))?;
    }
    let failed = sections.iter().flat_map(|section| &section.entries).any(Entry::is_failure);
    Ok(if failed { Exit::Different } else { Exit::Same })
}

/// The number of calls of a sample, where a call takes this many seconds.
fn worth_timing(seconds: f64) -> usize {
    (WORTH_TIMING.as_secs_f64() / seconds.max(1e-7)).clamp(1.0, 1000.0) as usize
}

/// The number of calls before a sample, where a call takes this many seconds: one at the least.
fn warming_up(seconds: f64) -> usize {
    (WARM_UP.as_secs_f64() / seconds.max(1e-6)).ceil() as usize
}

fn is_peer(entry: &Entry) -> bool {
    matches!(entry.kind, Kind::Peer { .. })
}

/// Whether more samples of a peer would waste time, where the fastest peer takes `best` seconds.
fn is_hopeless(entry: &Entry, best: f64) -> bool {
    is_peer(entry) && entry.first > HOPELESS * best
}

/// The numbers of threads to measure: one, and all.
pub(super) fn counts(threads: usize) -> Vec<usize> {
    let mut counts = vec![1, threads];
    counts.dedup();
    counts
}

/// Compares the candidates on one workload.
fn contest(
    workload: Workload,
    options: &Options,
    counts: &[usize],
    workers: &mut [Worker],
    folder: &Folder,
) -> Result<Section, UsageError> {
    let workload = workload.divided(options.scale as usize);
    let known = Known::new(workload.draw(options.seed)?)?;
    let mut section = Section::new(&workload, &known);
    if !workers.is_empty() {
        let description = folder.write(&workload, &known.case)?;
        for (number, worker) in workers.iter_mut().enumerate() {
            let absent = worker.load(&description)?;
            for (candidate, (of, absent)) in worker.candidates().iter().zip(absent).enumerate() {
                let kind = Kind::Peer { worker: number, candidate };
                section.entries.push(Entry::new(kind, &of.name, of.threads, absent));
            }
        }
    }
    let mut limits = Vec::new();
    let mut ours = Vec::new();
    for &threads in counts {
        limits.push(LimitLoop::new(workload.form(), &known.case, threads)?);
        ours.push(Ours::new(&known.case, threads)?);
    }
    let mut own: Vec<_> = Vec::new();
    for (number, &threads) in counts.iter().enumerate() {
        own.push(Entry::new(Kind::Ours(number), "scatter", threads, None));
        own.push(Entry::new(Kind::Limit(number), "limit", threads, None));
    }
    section.entries.splice(0..0, own);
    let mut field = Field { known: &known, ours, limits, workers, folder };
    field.warm_up(&mut section)?;
    field.rounds(&mut section.entries, options.repeats.into())?;
    for worker in field.workers {
        worker.unload()?;
    }
    Ok(section)
}

/// Everything that is timed on a workload.
struct Field<'a> {
    known: &'a Known,
    ours: Vec<Ours>,
    limits: Vec<LimitLoop<'a>>,
    workers: &'a mut [Worker],
    folder: &'a Folder,
}

impl Field<'_> {
    /// Makes a first call of each candidate, to check the result and to choose the number of calls
    /// of a sample.
    fn warm_up(&mut self, section: &mut Section) -> Result<(), UsageError> {
        for entry in &mut section.entries {
            if entry.verdict != Verdict::Unknown {
                continue;
            }
            sleep(PAUSE);
            let (seconds, verdict) = match entry.kind {
                Kind::Limit(number) => (self.limits[number].time(1).as_secs_f64(), Verdict::Nothing),
                Kind::Ours(number) => {
                    let (time, peak) = memory::peak(|| self.ours[number].time(&self.known.case, 1));
                    entry.extra_memory = Some(peak);
                    (time?.as_secs_f64(), self.ours[number].verdict(&self.known.expected))
                }
                Kind::Peer { worker, candidate } => {
                    let file = self.folder.result()?;
                    match self.workers[worker].check(candidate, &file)? {
                        Err(error) => (0.0, Verdict::NotApplicable { reason: error }),
                        Ok(seconds) => (seconds, self.verdict(&file)?),
                    }
                }
            };
            entry.first = seconds;
            entry.calls = worth_timing(seconds);
            entry.verdict = verdict;
            // Twice: if the first call was delayed, the first of these samples has only one call,
            // to cold caches.
            for _ in 0..2 {
                if entry.first < SHORT && entry.is_running() {
                    self.time(entry)?;
                    entry.first = entry.seconds.pop().unwrap_or(entry.first);
                    entry.calls = worth_timing(entry.first);
                }
            }
        }
        Ok(())
    }

    /// The verdict on the result that a peer has written to a file.
    fn verdict(&self, file: &Path) -> Result<Verdict, UsageError> {
        let Some(bytes) = files::read(file)? else {
            return Ok(Verdict::Wrong { what: "no result was written".to_owned() });
        };
        let dtype = self.known.case.dtype();
        let got = Storage::from_bytes(dtype, &bytes).unwrap_or_else(|| Storage::zeroed(dtype, 0));
        Ok(Verdict::of(&got, &self.known.expected.storage, false))
    }

    /// Times all candidates in rounds, and compares our result once more.
    fn rounds(&mut self, entries: &mut [Entry], repeats: usize) -> Result<(), UsageError> {
        let peers = entries.iter().filter(|entry| is_peer(entry) && entry.is_running());
        let best = peers.map(|entry| entry.first).fold(f64::INFINITY, f64::min);
        for round in 0..repeats {
            let count = entries.len();
            for turn in 0..count {
                let entry = &mut entries[if round % 2 == 0 { turn } else { count - 1 - turn }];
                if entry.is_running() && !(round >= 2 && is_hopeless(entry, best)) {
                    sleep(PAUSE);
                    self.seconds(entry, warming_up(entry.first))?;
                    if entry.is_running() {
                        self.time(entry)?;
                    }
                }
            }
        }
        for entry in entries {
            if let Kind::Ours(number) = entry.kind
                && entry.is_running()
            {
                // By a call of its own: those of a sample may be made on one destination.
                self.ours[number].time(&self.known.case, 1)?;
                entry.verdict = self.ours[number].verdict(&self.known.expected);
                if entry.is_failure() {
                    entry.seconds.clear();
                }
            }
        }
        Ok(())
    }

    /// Takes one sample.
    fn time(&mut self, entry: &mut Entry) -> Result<(), UsageError> {
        let seconds = self.seconds(entry, entry.calls)?;
        entry.seconds.extend(seconds);
        Ok(())
    }

    /// The mean time of `calls` calls in seconds. `None` if a peer fails, which ends its part.
    fn seconds(&mut self, entry: &mut Entry, calls: usize) -> Result<Option<f64>, UsageError> {
        Ok(match entry.kind {
            Kind::Limit(number) => Some(self.limits[number].time(calls).as_secs_f64()),
            Kind::Ours(number) => Some(self.ours[number].time(&self.known.case, calls)?.as_secs_f64()),
            Kind::Peer { worker, candidate } => match self.workers[worker].time(candidate, calls)? {
                Ok(seconds) => Some(seconds),
                Err(error) => {
                    entry.verdict = Verdict::NotApplicable { reason: error };
                    None
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_counted_once() {
        assert_eq!((counts(1), counts(4)), (vec![1], vec![1, 4]));
    }

    #[test]
    fn only_a_peer_is_hopeless() {
        let is = |kind, first| is_hopeless(&Entry { first, ..Entry::new(kind, "candidate", 1, None) }, 1.0);
        assert!(is(Kind::Peer { worker: 0, candidate: 0 }, 10.5));
        assert!(!is(Kind::Peer { worker: 0, candidate: 0 }, 9.5));
        assert!(!is(Kind::Ours(0), 10.5) && !is(Kind::Limit(0), 10.5));
    }

    #[test]
    fn our_result_is_compared_after_the_rounds() {
        let workload = Workload::named("moe").unwrap().divided(1024);
        let mut known = Known::new(workload.draw(1).unwrap()).unwrap();
        let folder = Folder::new().unwrap();
        let after_rounds = |known: &Known| {
            let ours = vec![Ours::new(&known.case, 1).unwrap()];
            let entry = Entry::new(Kind::Ours(0), "scatter", 1, None);
            let mut entries = [Entry { first: 1.0, calls: 3, verdict: Verdict::Equal, ..entry }];
            let mut field = Field { known, ours, limits: Vec::new(), workers: &mut [], folder: &folder };
            field.rounds(&mut entries, 2).unwrap();
            let [entry] = entries;
            (entry.verdict, entry.seconds.len())
        };
        assert_eq!(after_rounds(&known), (Verdict::Equal, 2));
        known.expected.storage.bytes_mut()[0] ^= 1;
        let (verdict, samples) = after_rounds(&known);
        assert!(verdict.is_wrong() && samples == 0, "{verdict:?}");
    }

    #[test]
    fn short_calls_are_repeated() {
        let calls = [1.0, 2e-3, 1e-3, 4e-6, 0.0].map(worth_timing);
        assert_eq!(calls, [1, 1, 2, 500, 1000]);
    }

    #[test]
    fn calls_warm_up_for_as_long_as_threads_may_share_a_core() {
        assert_eq!([1.0, 0.11, 0.1, 0.04, 0.03].map(warming_up), [1, 1, 1, 3, 4]);
    }
}
