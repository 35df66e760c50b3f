//! A heat map for each engine: operators × dtypes, with the counts of cases over all reductions and
//! index dtypes.

use scatter::{DType, Operator};

use super::super::Run;
use super::parts::{id, told};
use crate::html::{Markup, grouped, scrolled};
use crate::suite::{Group, Tally};

/// The maps, with a key to their colours.
pub(super) fn maps(run: &Run<'_>) -> Option<Markup> {
    let told = "The number of cases that passed, over all families, reductions and index dtypes; the more, the \
                stronger the colour. Each field leads to its cases.";
    let of_field = |group: &Group| Some((group.engine, group.operator, group.dtype));
    let most = run.outcome.tallies_by(of_field).values().map(|tally| tally.passed).max().unwrap_or_default();
    let heat = Heat { most };
    let key = |class: &str, text: &str| {
        Markup::tag("span", &[("class", &format!("key {class}"))], Markup::text(text))
    };
    let levels = LEVELS
        .into_iter()
        .enumerate()
        .map(|(level, class)| key(class, &format!("{} or more passed", grouped(heat.from(level)))));
    let others = [
        key("failed", "✗ so many failed"),
        key("differs", "≠ so many differ as the vendor's may"),
        key("absent", "n/a: not applicable"),
        key("absent", "–: none selected"),
    ];
    let key = Markup::tag("p", &[], levels.chain(others).collect());
    let maps = (0..run.engines.len()).map(|engine| map(run, engine, heat));
    let maps = Markup::tag("div", &[("class", "maps")], maps.collect());
    Some(Markup::paragraph(told).and(key).and(maps))
}

/// The classes of fields with ever more cases.
const LEVELS: [&str; 4] = ["heat1", "heat2", "heat3", "heat4"];

/// The scale of the colours, where no field has more than `most` cases.
#[derive(Clone, Copy)]
struct Heat {
    most: usize,
}

impl Heat {
    /// The least number of cases of a level: each has twice that of the one below.
    fn from(self, level: usize) -> usize {
        if level == 0 { 1 } else { (self.most >> (LEVELS.len() - level)).max(level + 1) }
    }

    /// The class of a number of cases.
    fn class(self, passed: usize) -> &'static str {
        let level = (1..LEVELS.len()).rev().find(|&level| passed >= self.from(level));
        LEVELS[level.unwrap_or_default()]
    }
}

/// The map of an engine.
fn map(run: &Run<'_>, engine: usize, heat: Heat) -> Markup {
    let of_engine = |group: &Group| (group.engine == engine).then_some((group.operator, group.dtype));
    let tallies = run.outcome.tallies_by(of_engine);
    let tally = |operator, dtype| {
        let mut tally = tallies.get(&(operator, dtype)).copied().unwrap_or_default();
        tally.not_applicable += run.absent(operator, dtype);
        tally
    };
    let dtype = |dtype: DType| Markup::tag("th", &[("scope", "col")], Markup::simple("span", dtype.name()));
    let corner = Markup::tag("td", &[], Markup::none());
    let head = Markup::tag("tr", &[], corner.and(DType::ALL.into_iter().map(dtype).collect()));
    let row = |operator: Operator| {
        let name = Markup::tag("th", &[("scope", "row")], Markup::text(operator.name()));
        let cell = |dtype| cell(operator, dtype, &tally(operator, dtype), heat);
        Markup::tag("tr", &[], name.and(DType::ALL.into_iter().map(cell).collect()))
    };
    let body = Markup::tag("tbody", &[], Operator::ALL.into_iter().map(row).collect());
    let content = Markup::tag("thead", &[], head).and(body);
    scrolled(&format!("Cases on {}", run.engines[engine].name()), &[("class", "map")], content)
}

fn cell(operator: Operator, dtype: DType, tally: &Tally, heat: Heat) -> Markup {
    let Tally { passed, failed, deviating, not_applicable, .. } = *tally;
    let (class, shown) = match (failed, deviating, passed) {
        (0, 0, 0) if not_applicable > 0 => ("absent", "n/a".to_owned()),
        (0, 0, 0) => return Markup::tag("td", &[("class", "absent")], Markup::text("–")),
        (0, 0, _) => (heat.class(passed), passed.to_string()),
        (0, _, _) => ("differs", format!("≠{deviating}")),
        (_, _, _) => ("failed", format!("✗{failed}")),
    };
    let title = format!("{operator}, {dtype}: {}", told(tally));
    let place = format!("#{}", id(operator, dtype));
    let link = Markup::tag("a", &[("href", &place), ("title", &title)], Markup::text(&shown));
    Markup::tag("td", &[("class", class)], link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_follow_the_numbers() {
        let classes = |most, of: [usize; 5]| of.map(|passed| Heat { most }.class(passed));
        assert_eq!(classes(800, [1, 99, 100, 200, 400]), ["heat1", "heat1", "heat2", "heat3", "heat4"]);
        assert_eq!(classes(4, [1, 2, 3, 4, 4]), ["heat1", "heat2", "heat3", "heat4", "heat4"]);
    }
}
