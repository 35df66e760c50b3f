//! The cases behind each field of the heat maps.

use std::collections::BTreeMap;

use scatter::{DType, Operator, Reduce};

use super::super::Run;
use super::parts::{command, id, line, more, told};
use crate::html::{Cell, Markup, grouped, table, text};
use crate::shell;
use crate::suite::{Failure, Tally};

/// How many failures of an operator and a dtype are listed.
const SHOWN: usize = 20;

/// Counts by reduction and index dtype.
type Rows = BTreeMap<(Reduce, DType), BTreeMap<usize, Tally>>;

/// For each operator the parts of its dtypes, folded up. A link to what is inside unfolds it.
pub(super) fn cases(run: &Run<'_>) -> Option<Markup> {
    let mut parts: BTreeMap<(Operator, DType), Rows> = BTreeMap::new();
    let all = run.outcome.tallies_by(|group| {
        Some(((group.operator, group.dtype), (group.reduce, group.index_dtype), group.engine))
    });
    for ((of, row, engine), tally) in all {
        parts.entry(of).or_default().entry(row).or_default().insert(engine, tally);
    }
    for absent in run.not_applicable {
        parts.entry((absent.operator, absent.dtype)).or_default();
    }
    let of_operator = |operator: Operator| {
        let parts: Vec<_> = parts.iter().filter(|((of, _), _)| *of == operator).collect();
        let part = |((_, dtype), rows): &(&(Operator, DType), &Rows)| part(run, operator, *dtype, rows);
        let summary = Markup::tag("summary", &[], Markup::text(operator.name()));
        (!parts.is_empty())
            .then(|| Markup::tag("details", &[], summary.and(parts.iter().map(part).collect())))
    };
    let told = "Counts by reduction (of the operators that have none, what they do) and dtype of the index, over all \
                families of cases. A case's name says all about it; its data comes from the name and the seed.";
    Some(Markup::paragraph(told).and(Operator::ALL.into_iter().filter_map(of_operator).collect()))
}

/// The cases of an operator and a dtype.
fn part(run: &Run<'_>, operator: Operator, dtype: DType, rows: &Rows) -> Markup {
    let name = format!("{operator}, {dtype}");
    let heading = Markup::tag("h4", &[("id", &id(operator, dtype))], Markup::text(&name));
    let names: Vec<_> = run.engines.iter().map(|engine| engine.name()).collect();
    let head = [&["reduction", "index"][..], &names].concat();
    let cells = |((reduce, index), tallies): (&(Reduce, DType), &BTreeMap<usize, Tally>)| {
        let counts = (0..run.engines.len()).map(|engine| match tallies.get(&engine) {
            Some(tally) if tally.failed > 0 => Cell::Bad(told(tally)),
            Some(tally) => Cell::Number(told(tally)),
            None => Cell::Number("–".to_owned()),
        });
        [text(reduce.name()), text(index.name())].into_iter().chain(counts).collect::<Vec<_>>()
    };
    let mut part = heading;
    if !rows.is_empty() {
        part = part.and(table(&format!("Cases of {name}"), &head, rows.iter().map(cells)));
    }
    let absent = run.absent(operator, dtype);
    if absent > 0 {
        let told = format!("{} more exist on no engine: ", grouped(absent));
        let why = Markup::link("not-applicable", "why");
        part = part.and(Markup::tag("p", &[], Markup::text(&told).and(why).and(Markup::text("."))));
    }
    let is_of = |failure: &&Failure| (failure.operator, failure.dtype) == (operator, dtype);
    let failures: Vec<_> = run.outcome.failures.iter().filter(is_of).collect();
    part = part.and(failures.iter().take(SHOWN).map(|failure| line(failure)).collect());
    if failures.len() > SHOWN {
        part = part.and(more(failures.len() - SHOWN));
    }
    let vectors = run
        .vectors
        .as_ref()
        .map(|folder| format!(" --vectors {}", shell::quoted(folder)))
        .unwrap_or_default();
    let which = format!("--full --op {operator} --dtype {dtype} --seed {}{vectors}", run.seed);
    let told = "The names of all there are, of which a run without --full has a sample:";
    part.and(Markup::paragraph(told)).and(command(&format!("cargo run --release -- --list {which}")))
}
