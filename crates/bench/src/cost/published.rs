//! `conformance cost --published`: the cost table compared with published measurements of devices.
//!
//! Every row has a published time, and the time that the cautious setting gives for the same work,
//! including launches. A row is unsure where the device, the shape or the code isn't known well
//! enough to attribute a difference to the table.

mod rows;

use scatter_kernels::model::{Costs, costs};

use rows::ROWS;

/// A published time.
#[derive(Clone, Copy, Debug)]
struct Row {
    what: &'static str,
    /// The device; empty if the source doesn't name it.
    soc: &'static str,
    microseconds: f64,
    /// The modelled time in picoseconds; `None` where the work isn't known well enough to model it.
    model: Option<fn(&Costs) -> u64>,
    /// Why the times may differ for other reasons than the costs.
    unsure: Option<&'static str>,
}

impl Row {
    /// The modelled time in microseconds.
    fn modelled(&self) -> Option<f64> {
        self.model.map(|model| model(&costs()[0]) as f64 / 1e6)
    }

    /// The published time divided by the modelled one.
    fn ratio(&self) -> Option<f64> {
        self.modelled().map(|modelled| self.microseconds / modelled)
    }
}

/// A line of the table.
fn line(what: &str, soc: &str, figures: [String; 3], unsure: &str) -> String {
    let [measured, modelled, ratio] = figures;
    format!("{what:<54}{soc:<8}{measured:>11}{modelled:>11}{ratio:>7}  {unsure}").trim_end().to_owned() + "\n"
}

/// All rows with their modelled times.
pub(super) fn table() -> String {
    let head = ["measured", "modelled", "ratio"].map(str::to_owned);
    let mut table = line("what (us)", "SoC", head, "unsure, because");
    for row in &ROWS {
        let told = |figure: Option<f64>, decimals| {
            figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.decimals$}"))
        };
        let figures = [told(Some(row.microseconds), 1), told(row.modelled(), 1), told(row.ratio(), 2)];
        table += &line(row.what, row.soc, figures, row.unsure.unwrap_or_default());
    }
    let Costs { cores, megahertz, .. } = costs()[0];
    table
        + &format!(
            "
Modelled: {cores} vector cores of {megahertz} MHz, by the cautious setting, launches included.
ratio: measured / modelled. The sources are in kernels/model/include/model/cost.h and in the code.
"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_borne_out_by_what_was_published() {
        for row in &ROWS {
            let bound = if row.unsure.is_some() { 2.0 } else { 1.5 };
            let ratio = row.ratio().unwrap_or(1.0);
            assert!((1.0 / bound..bound).contains(&ratio), "{}: {ratio:.2}\n{}", row.what, table());
            assert!(row.model.is_some() || row.unsure.is_some(), "{}", row.what);
        }
        assert!(ROWS.iter().filter(|row| row.unsure.is_none()).count() >= 5);
    }
}
