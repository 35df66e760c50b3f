//! Boxes and arrows as SVG that can be read on a light and on a dark page.

use core::fmt::Write as _;

use super::{Arrow, COLUMNS, Drawing, Node, Unit};

const WIDTH: usize = 158;
const HEIGHT: usize = 76;
/// Between columns, where the names of pipes stand, and between rows.
const GAP: usize = 58;
const ROW_GAP: usize = 34;
const MARGIN: usize = 16;
/// The height above the nodes, for the title and the core's caption.
const TOP: usize = 74;
/// From a box to where its arrows turn.
const TURN: usize = 14;

const STYLE: &str = "
text { font: 11px system-ui, sans-serif; fill: #24292f } .title { font-size: 14px; font-weight: 600 }
.unit { font-size: 10px; font-weight: 700 } .quiet { fill: #57606a } .pipe { font-size: 10px; fill: #57606a }
rect { stroke-width: 1.5; rx: 5px } .core { fill: none; stroke: #afb8c1; stroke-dasharray: 5 4 }
.gm { fill: #eaeef2; stroke: #8c959f } .ub { fill: #ddf4ff; stroke: #2f6f9f }
.v { fill: #dafbe1; stroke: #2c8a4b } .s { fill: #fff1e5; stroke: #c4701f }
path { fill: none; stroke: #57606a; stroke-width: 1.3 } .head { fill: #57606a; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .quiet, .pipe { fill: #9198a1 } .core { stroke: #3d444d }
  .gm { fill: #21262d; stroke: #656c76 } .ub { fill: #0c2d48; stroke: #58a6d6 }
  .v { fill: #12331f; stroke: #3fb950 } .s { fill: #3d2410; stroke: #e0934a }
  path { stroke: #9198a1 } .head { fill: #9198a1 }
}
";

/// The picture.
pub(super) fn draw(drawing: &Drawing) -> String {
    let rows = drawing.nodes.iter().map(|of| of.at.1 + 1).max().unwrap_or_default();
    let width = 2 * MARGIN + COLUMNS * WIDTH + (COLUMNS - 1) * GAP;
    let height = TOP + rows * (HEIGHT + ROW_GAP) - ROW_GAP + MARGIN + 6;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path class=\"head\" d=\"M0 0l8 4l-8 4z\"/></marker></defs>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"24\">{}</text>\n",
        escaped(drawing.title),
        escaped(drawing.title),
    );
    // The pipes are the core's own.
    let core = left(1) - GAP + 8;
    let core_width = left(4) - 8 - core;
    svg += &format!(
        "<rect class=\"core\" x=\"{core}\" y=\"{}\" width=\"{core_width}\" height=\"{}\"/>\n",
        TOP - 30,
        height - TOP + 22
    );
    let (x, y) = (left(1), TOP - 12);
    svg += &format!("<text class=\"quiet\" x=\"{x}\" y=\"{y}\">a vector core</text>\n");
    for arrow in drawing.arrows {
        let find = |name| drawing.nodes.iter().find(|of| of.name == name);
        if let (Some(from), Some(to)) = (find(arrow.from), find(arrow.to)) {
            svg += &self::arrow(arrow, from, to);
        }
    }
    for of in drawing.nodes {
        svg += &self::of(of);
    }
    svg + "</svg>\n"
}

const fn left(column: usize) -> usize {
    MARGIN + column * (WIDTH + GAP)
}

const fn top(row: usize) -> usize {
    TOP + row * (HEIGHT + ROW_GAP)
}

fn of(of: &Node) -> String {
    let (x, y) = (left(of.at.0), top(of.at.1));
    let (class, unit) = match of.unit {
        Unit::Gm => ("gm", "GM"),
        Unit::Ub => ("ub", "UB"),
        Unit::Vector => ("v", "V"),
        Unit::Scalar => ("s", "S"),
    };
    let mut svg = format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"unit\" x=\"{}\" y=\"{}\">{unit}</text>\n",
        x + 8,
        y + 15
    );
    for (number, line) in of.lines.iter().enumerate() {
        let (x, y) = (x + 8, y + 33 + 16 * number);
        // Writing to a string doesn't fail.
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(line));
    }
    svg
}

/// The way between two boxes. Forwards it leaves a box at its right and ends at the other's left,
/// or from a row below at the other's bottom; otherwise it goes down from a box to the top of the
/// other.
fn arrow(arrow: &Arrow, from: &Node, to: &Node) -> String {
    let middle = |at: (usize, usize)| (left(at.0) + WIDTH / 2, top(at.1) + HEIGHT / 2);
    let ((x0, y0), (x1, y1)) = (middle(from.at), middle(to.at));
    let right = left(from.at.0) + WIDTH;
    let (path, name) = if from.at.0 >= to.at.0 {
        let (start, turn, end) = (top(from.at.1) + HEIGHT, top(to.at.1) - ROW_GAP / 2, top(to.at.1));
        (format!("M{x0} {start}V{turn}H{x1}V{end}"), (x1 + 8, end - 4))
    } else if from.at.1 > to.at.1 && to.at.0 > from.at.0 + 1 {
        (format!("M{right} {y0}H{x1}V{}", top(to.at.1) + HEIGHT), (right + TURN + 4, y0 - 5))
    } else {
        let end = left(to.at.0);
        let turn = if y0 == y1 { String::new() } else { format!("H{}V{y1}", right + TURN) };
        (format!("M{right} {y0}{turn}H{end}"), (end - GAP + TURN + 4, y1 - 5))
    };
    let start = if arrow.is_double { " marker-start=\"url(#head)\"" } else { "" };
    let mut svg = format!("<path d=\"{path}\" marker-end=\"url(#head)\"{start}/>\n");
    if !arrow.pipe.is_empty() {
        let (x, y) = name;
        let _ = writeln!(svg, "<text class=\"pipe\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(arrow.pipe));
    }
    svg
}

/// Text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
