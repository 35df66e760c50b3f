//! `scatter_add` of small tensors, with where each update goes, for `docs/scatter.md`.

use core::fmt::Write as _;

/// An example: `self` has [`ROWS`] rows and [`COLUMNS`] columns, index and src are smaller.
pub(super) struct Example {
    /// The file is `docs/scatter-<name>.svg`.
    pub(super) name: &'static str,
    /// 0 or 1.
    dim: usize,
    formula: &'static str,
    index: &'static [&'static [usize]],
    src: &'static [&'static [u32]],
}

pub(super) const ALL: [Example; 3] = [
    Example {
        name: "dim0",
        dim: 0,
        formula: "self[index[i][j]][j] += src[i][j]",
        index: &[&[0, 2, 1, 0], &[2, 2, 0, 0]],
        src: &[&[1, 2, 3, 4], &[5, 6, 7, 8]],
    },
    Example {
        name: "dim1",
        dim: 1,
        formula: "self[i][index[i][j]] += src[i][j]",
        index: &[&[3, 0], &[1, 1], &[0, 2]],
        src: &[&[1, 2], &[3, 4], &[5, 6]],
    },
    Example {
        name: "rows",
        dim: 0,
        formula: "index is the same along a row: whole rows are added",
        index: &[&[2, 2, 2, 2], &[0, 0, 0, 0]],
        src: &[&[1, 2, 3, 4], &[5, 6, 7, 8]],
    },
];

const ROWS: usize = 3;
const COLUMNS: usize = 4;

/// The size of an element, and what lies between two tensors.
const WIDTH: usize = 66;
const HEIGHT: usize = 46;
const GAP: usize = 44;
const MARGIN: usize = 16;
/// Above the tensors: the title and their names.
const TOP: usize = 84;

const STYLE: &str = "
text { font: 16px system-ui, sans-serif; fill: #24292f; text-anchor: middle } .small { font-size: 12px }
.title, .name { text-anchor: start; font-weight: 600 } .number { font-size: 12px; fill: #57606a }
rect { fill: #f6f8fa; stroke: #8c959f } .once { fill: #ddf4ff; stroke: #2f6f9f } .twice { fill: #fff1e5; stroke: #c4701f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .number { fill: #9198a1 } rect { fill: #21262d; stroke: #656c76 }
  .once { fill: #0c2d48; stroke: #58a6d6 } .twice { fill: #3d2410; stroke: #e0934a }
}
";

impl Example {
    /// The element of self that the update at `[i][j]` of index goes to.
    const fn target(&self, i: usize, j: usize) -> (usize, usize) {
        let value = self.index[i][j];
        if self.dim == 0 { (value, j) } else { (i, value) }
    }

    /// Each update's place in index, in their order.
    fn updates(&self) -> impl Iterator<Item = (usize, usize)> {
        self.index.iter().enumerate().flat_map(|(i, row)| (0..row.len()).map(move |j| (i, j)))
    }

    /// How many updates an element gets.
    fn count(&self, element: (usize, usize)) -> usize {
        self.updates().filter(|&(i, j)| self.target(i, j) == element).count()
    }

    /// What an element is before: ten times its number in self.
    fn before(&self, (row, column): (usize, usize)) -> Cell {
        Cell { text: (10 * (row * COLUMNS + column)).to_string(), below: String::new(), class: "" }
    }

    /// What it is afterwards, and the sum that it is.
    fn after(&self, at: (usize, usize)) -> Cell {
        let Cell { text: mut terms, .. } = self.before(at);
        let mut sum = terms.parse().unwrap_or(0);
        for (i, j) in self.updates().filter(|&(i, j)| self.target(i, j) == at) {
            sum += self.src[i][j];
            let _ = write!(terms, "+{}", self.src[i][j]);
        }
        let below = if self.count(at) > 0 { terms } else { String::new() };
        Cell { text: sum.to_string(), below, class: self.class(at) }
    }

    /// The class of an element that gets updates.
    fn class(&self, element: (usize, usize)) -> &'static str {
        match self.count(element) {
            0 => "",
            1 => "once",
            _ => "twice",
        }
    }
}

/// An element of a tensor as it is drawn: its value, and in small letters what is beneath it.
struct Cell {
    text: String,
    below: String,
    class: &'static str,
}

/// The picture.
pub(super) fn draw(example: &Example) -> String {
    let (rows, columns) = (example.index.len(), example.index[0].len());
    let self_left = MARGIN + 16;
    let index_left = self_left + COLUMNS * WIDTH + GAP;
    let src_left = index_left + columns * WIDTH + GAP;
    let out_left = src_left + columns * WIDTH + GAP;
    let width = out_left + COLUMNS * WIDTH + MARGIN;
    let height = TOP + ROWS * HEIGHT + MARGIN;
    let title = format!("scatter_add along dim {}: {}", example.dim, example.formula);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{STYLE}</style>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"26\">{title}</text>\n",
    );
    grid(&mut svg, "self", self_left, (ROWS, COLUMNS), |at| example.before(at));
    grid(&mut svg, "index", index_left, (rows, columns), |(i, j)| {
        let class = example.class(example.target(i, j));
        Cell { text: example.index[i][j].to_string(), below: String::new(), class }
    });
    grid(&mut svg, "src", src_left, (rows, columns), |(i, j)| {
        let (row, column) = example.target(i, j);
        let class = example.class((row, column));
        Cell { text: example.src[i][j].to_string(), below: format!("to [{row}][{column}]"), class }
    });
    grid(&mut svg, "self afterwards", out_left, (ROWS, COLUMNS), |at| example.after(at));
    svg + "</svg>\n"
}

/// A tensor, with its name and the numbers of its rows and columns. Writing to a string doesn't
/// fail.
fn grid(
    svg: &mut String,
    name: &str,
    left: usize,
    (rows, columns): (usize, usize),
    cell: impl Fn((usize, usize)) -> Cell,
) {
    let _ = writeln!(svg, "<text class=\"name\" x=\"{left}\" y=\"{}\">{name}</text>", TOP - 26);
    for column in 0..columns {
        let x = left + column * WIDTH + WIDTH / 2;
        let _ = writeln!(svg, "<text class=\"number\" x=\"{x}\" y=\"{}\">{column}</text>", TOP - 7);
    }
    for row in 0..rows {
        let y = TOP + row * HEIGHT;
        let (x, middle) = (left - 10, y + HEIGHT / 2 + 4);
        let _ = writeln!(svg, "<text class=\"number\" x=\"{x}\" y=\"{middle}\">{row}</text>");
        for column in 0..columns {
            let x = left + column * WIDTH;
            let Cell { text, below, class } = cell((row, column));
            let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
            let _ = writeln!(svg, "<rect{class} x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
            let (x, up) = (x + WIDTH / 2, if below.is_empty() { 0 } else { 7 });
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\">{text}</text>", middle + 1 - up);
            if !below.is_empty() {
                let _ = writeln!(svg, "<text class=\"small\" x=\"{x}\" y=\"{}\">{below}</text>", middle + 10);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_calls_that_scatter_add_takes() {
        for example in &ALL {
            assert_eq!(example.index.len(), example.src.len(), "{}", example.name);
            for (i, (index, src)) in example.index.iter().zip(example.src).enumerate() {
                assert_eq!(index.len(), src.len(), "{}", example.name);
                for j in 0..index.len() {
                    let (row, column) = example.target(i, j);
                    assert!(row < ROWS && column < COLUMNS, "{}: [{i}, {j}]", example.name);
                }
            }
        }
    }
}
