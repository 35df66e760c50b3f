//! `cargo xtask drawings`: the pictures of `docs/` that no measurement is behind, as SVG: the parts
//! of the repository, calls of `scatter_add`, and the data flow of each kernel.
//!
//! The data flow of a kernel is a grid of boxes and the arrows between them: [`kernels`] describes
//! them, [`svg`] draws.

mod example;
mod house;
mod kernels;
mod svg;

use crate::generated::{self, Outcome};

/// The data flow of an algorithm.
pub(crate) struct Drawing {
    /// The file is `docs/kernels-<name>.svg`.
    name: &'static str,
    title: &'static str,
    nodes: &'static [Node],
    arrows: &'static [Arrow],
}

/// A piece of memory, or the work of a unit.
pub(crate) struct Node {
    /// By which arrows name it.
    name: &'static str,
    unit: Unit,
    /// From the left, of [`COLUMNS`], and from the top.
    at: (usize, usize),
    lines: &'static [&'static str],
}

/// The columns: global memory; memory, units and memory of a core; and global memory again.
const COLUMNS: usize = 5;

/// The part of the processor that a box is in.
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

/// An arrow from a box to another, with the name of the pipe that moves the data, if any.
pub(crate) struct Arrow {
    from: &'static str,
    to: &'static str,
    pipe: &'static str,
    /// Whether data moves in both directions.
    is_double: bool,
}

/// Draws all of them, or compares them with `check`.
pub(crate) fn run(check: bool) -> Outcome {
    let file = |drawing: &Drawing| (format!("docs/kernels-{}.svg", drawing.name), svg::draw(drawing));
    let mut files: Vec<_> = kernels::ALL.iter().map(file).collect();
    files.extend(example::ALL.iter().map(|of| (format!("docs/scatter-{}.svg", of.name), example::draw(of))));
    files.push(("docs/house.svg".to_owned(), house::draw()));
    generated::put(&files, check, "docs/ has other drawings; run `cargo xtask drawings`")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The most lines of a box, and the most letters of a line.
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
