//! The smallest failed case of each engine and operator, with its tensors.

use engines::judge::Differing;
use engines::tensor::Tensor;

use super::super::Run;
use super::parts::{command, id, line};
use super::tensor::{Places, drawn};
use crate::html::{Markup, grouped};
use crate::suite::{Exhibit, Failure};

/// The failures, the smallest first; `None` where nothing failed.
pub(super) fn failures(run: &Run<'_>) -> Option<Markup> {
    let outcome = run.outcome;
    let smallest = outcome.smallest_failure()?;
    let mut exhibits: Vec<_> = outcome.evidence.values().collect();
    // The one that the table on the terminal shows is the first here.
    let order = |of: &Failure| (of.elements, of.name != smallest.name, of.engine != smallest.engine);
    exhibits.sort_by_key(|exhibit| order(&exhibit.failure));
    let told = format!(
        "{} failed. Here is the smallest case of each engine and operator; the others are among the cases below.",
        grouped(outcome.failures.len())
    );
    let exhibits = exhibits.into_iter().map(|exhibit| article(run, exhibit));
    Some(Markup::paragraph(&told).and(exhibits.collect()))
}

fn article(run: &Run<'_>, exhibit: &Exhibit) -> Markup {
    let Exhibit { failure, case, result } = exhibit;
    let heading = format!("{} on {}", failure.operator, failure.engine);
    let place = id(failure.operator, failure.dtype);
    let others = Markup::link(&place, &format!("all cases of {}, {}", failure.operator, failure.dtype));
    let destination = case.destination();
    let places = result.as_ref().map_or_else(Places::new, |(_, differing)| places(destination, differing));
    let nowhere = Places::new();
    // Of a self of out's shape, the same part is drawn as of out.
    let of_self = if case.self_.shape == destination.shape { &places } else { &nowhere };
    let mut given = vec![
        figure("self", &case.self_, drawn("self", &case.self_, of_self, false)),
        figure("index", &case.index, drawn("index", &case.index, &nowhere, false)),
    ];
    given.extend(case.src.as_ref().map(|src| figure("src", src, drawn("src", src, &nowhere, false))));
    let (mut results, mut beside) = (Vec::new(), Markup::none());
    if let Some((got, Differing { expected, addresses })) = result {
        for (name, storage) in [("expected", expected), ("got", got)] {
            let tensor = Tensor { storage: storage.clone(), ..destination.clone() };
            results.push(figure(name, &tensor, drawn(name, &tensor, &places, true)));
        }
        let own = destination.addresses();
        let outside = addresses.iter().filter(|address| !own.contains(address)).take(BESIDE);
        beside = outside
            .map(|&address| {
                let (expected, got) = (expected.shown(address), got.shown(address));
                let place = format!("Element {address} of the storage, which is not out's");
                Markup::paragraph(&format!("{place}: expected {expected}, got {got}."))
            })
            .collect();
    }
    let content = Markup::simple("h3", &heading)
        .and(line(failure))
        .and(Markup::tag("p", &[], Markup::code(&failure.call)))
        .and(Markup::tag("div", &[("class", "tensors")], given.into_iter().collect()))
        .and(Markup::tag("div", &[("class", "tensors")], results.into_iter().collect()))
        .and(beside)
        .and(Markup::tag("p", &[], Markup::text("To run it alone (").and(others).and(Markup::text("):"))))
        .and(command(&run.replay(failure)));
    Markup::tag("article", &[], content)
}

/// How many differing elements beside the tensor are told.
const BESIDE: usize = 5;

/// The coordinates at which out differs.
fn places(out: &Tensor, differing: &Differing) -> Places {
    let Ok(layout) = out.layout() else { return Places::new() };
    let differs = |at: &[usize]| differing.addresses.binary_search(&layout.address(at)).is_ok();
    layout.shape().coordinates().filter(|at| differs(at)).map(|at| at.to_vec()).collect()
}

fn figure(name: &str, tensor: &Tensor, drawn: Markup) -> Markup {
    let told = Markup::simple("b", name).and(Markup::text(&format!(" {tensor}")));
    Markup::tag("figure", &[], Markup::tag("figcaption", &[], told).and(drawn))
}
