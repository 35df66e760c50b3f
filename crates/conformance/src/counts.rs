//! `--counts`: how many cases each engine would run, without running them, as the table of
//! `docs/conformance.md`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use engines::engine::Engine;

use crate::family::{Cases, Entry, Family, NotApplicable};
use crate::html::grouped;

/// The cases that an engine runs, and those that it can't.
type Counts = (usize, usize);

/// Writes a row of Markdown for each engine, or for those with the same numbers together.
pub(crate) fn write(
    engines: &[Box<dyn Engine>],
    Cases { entries, not_applicable }: &Cases,
    workers: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let counts = count(engines, entries, workers);
    let mut rows: Vec<(Vec<String>, Vec<Counts>)> = Vec::new();
    for (number, engine) in engines.iter().enumerate() {
        let of = Family::ALL.map(|family| {
            let (cases, not) = counts.get(&(number, family)).copied().unwrap_or_default();
            (cases, not + NotApplicable::of(family, not_applicable))
        });
        let name = format!("`{}`", engine.name());
        match rows.iter_mut().find(|(_, counts)| *counts == of) {
            Some((names, _)) => names.push(name),
            None => rows.push((vec![name], of.to_vec())),
        }
    }
    writeln!(out, "| engine |{}", Family::ALL.map(|family| format!(" {family} | n/a |")).concat())?;
    writeln!(out, "|---|{}", Family::ALL.map(|_| "---|---|").concat())?;
    for (names, counts) in rows {
        let counts = counts.iter().map(|&(cases, not)| format!(" {} | {} |", grouped(cases), grouped(not)));
        writeln!(out, "| {} |{}", names.join(", "), counts.collect::<String>())?;
    }
    Ok(())
}

/// The counts by engine (its number) and family. Each case is made, because an engine may ask for
/// its tensors.
fn count(
    engines: &[Box<dyn Engine>],
    entries: &[Entry],
    workers: usize,
) -> BTreeMap<(usize, Family), Counts> {
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let case = entry.case();
                    for (number, engine) in engines.iter().enumerate() {
                        let runs = engine.not_applicable(&case).is_none();
                        if let Ok(mut counts) = counts.lock() {
                            let (cases, not): &mut Counts = counts.entry((number, entry.family)).or_default();
                            *(if runs { cases } else { not }) += 1;
                        }
                    }
                }
            });
        }
    });
    counts.into_inner().unwrap_or_default()
}
