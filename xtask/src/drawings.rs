//! `cargo xtask drawings`: what each kernel moves where, as SVG for `docs/kernels.md`.
//!
//! A drawing is a grid of boxes and the arrows between them: [`kernels`] describes them, [`svg`] draws.

mod kernels;
mod svg;

use crate::generated::{self, Outcome};

/// What an algorithm moves.
pub(crate) struct Drawing {
    /// The file is `docs/kernels-<name>.svg`.
    name: &'static str,
    title: &'static str,
    nodes: &'static [Node],
    arrows: &'static [Arrow],
}

/// A piece of memory, or what a unit does.
pub(crate) struct Node {
    /// For arrows.
    name: &'static str,
    unit: Unit,
    /// From the left, of [`COLUMNS`], and from the top.
    at: (usize, usize),
    lines: &'static [&'static str],
}

/// Memory of all cores, then what a core has: memory, units, memory; and the memory of all again.
const COLUMNS: usize = 5;

/// Where a box is.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Global memory.
    Gm,
    /// The unified buffer of a core.
    Ub,
    /// The vector unit.
    Vector,
    /// The scalar unit.
    Scalar,
}

/// From a box to another, with the pipe that moves it, if one does.
pub(crate) struct Arrow {
    from: &'static str,
    to: &'static str,
    pipe: &'static str,
    /// Whether the other one gives something back.
    is_double: bool,
}

/// Draws all of them, or compares them with `check`.
pub(crate) fn run(check: bool) -> Outcome {
    let file = |drawing: &Drawing| (format!("docs/kernels-{}.svg", drawing.name), svg::draw(drawing));
    let files: Vec<_> = kernels::ALL.iter().map(file).collect();
    generated::put(&files, check, "docs/ has other drawings; run `cargo xtask drawings`")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Lines of a box, and letters of a line, that have room.
    const LINES: usize = 3;
    const LETTERS: usize = 27;

    #[test]
    fn boxes_have_places_of_their_own_and_arrows_their_ends() {
        for Drawing { name, nodes, arrows, .. } in &kernels::ALL {
            let places: HashSet<_> = nodes.iter().map(|of| of.at).collect();
            let names: HashSet<_> = nodes.iter().map(|of| of.name).collect();
            assert!(places.len() == nodes.len() && names.len() == nodes.len(), "{name}");
            for Node { name: of, at, lines, .. } in *nodes {
                assert!(at.0 < COLUMNS && (1..=LINES).contains(&lines.len()), "{name}: {of}");
                assert!(lines.iter().all(|line| line.chars().count() <= LETTERS), "{name}: {of}");
                assert!(arrows.iter().any(|arrow| arrow.from == *of || arrow.to == *of), "{name}: {of}");
            }
            for Arrow { from, to, .. } in *arrows {
                assert!(names.contains(from) && names.contains(to), "{name}: {from} to {to}");
            }
        }
    }
}
