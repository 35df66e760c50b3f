//! The parts of the repository, from the programs that call it to what it runs on, for README.md
//! and `docs/README.md`.

use core::fmt::Write as _;

/// A box: columns from its first on, and rows likewise.
struct Part {
    class: &'static str,
    column: usize,
    columns: usize,
    row: usize,
    rows: usize,
    lines: &'static [&'static str],
}

/// What stands left of a row.
const ROWS: [&str; 5] = ["programs", "interfaces", "the call", "engines", "run on"];

const PARTS: [Part; 16] = [
    part("program", (0, 1), 0, &["Rust", "on a CPU"]),
    part("program", (1, 1), 0, &["Rust", "on an Ascend host"]),
    part("program", (2, 1), 0, &["C and C++", "for CANN"]),
    part("program", (3, 1), 0, &["torch_npu,", "MindSpore"]),
    part("ours", (0, 1), 1, &["scatter", "typed functions"]),
    part("ours", (1, 1), 1, &["aclnn", "streams, tensors"]),
    part("ours", (2, 2), 1, &["libaclnn_scatter.so, libopapi.so", "aclnnScatterAdd and its siblings"]),
    part("ours", (0, 4), 2, &["Problem", "a call whose every rule that needs no data has been checked"]),
    part("ours", (0, 1), 3, &["reference", "one loop, decides"]),
    part("ours", (1, 1), 3, &["CPU engine", "parallel"]),
    part("ours", (2, 1), 3, &["Ascend C kernels", "of the family"]),
    part("other", (3, 1), 3, &["CANN's own", "operators"]),
    part("machine", (0, 2), 4, &["any CPU", "host-cann is CANN there"]),
    part("machine", (2, 1), 4, &["host model", "of Ascend C, strict"]),
    part("never", (3, 1), 4, &["an NPU", "nothing has run yet"]),
    Part {
        class: "suite",
        column: 4,
        columns: 1,
        row: 1,
        rows: 3,
        lines: &[
            "conformance",
            "",
            "the same cases on",
            "every engine,",
            "compared with the",
            "reference bit for bit",
        ],
    },
];

/// Arrows down, each from a column of a row to one of the next.
const ARROWS: [(usize, usize, usize); 15] = [
    (0, 0, 0),
    (0, 1, 1),
    (0, 2, 2),
    (0, 3, 3),
    (1, 0, 0),
    (1, 1, 1),
    (1, 2, 2),
    (2, 0, 0),
    (2, 1, 1),
    (2, 2, 2),
    (2, 3, 3),
    (3, 0, 0),
    (3, 1, 1),
    (3, 2, 2),
    (3, 3, 3),
];

const WIDTH: usize = 172;
const HEIGHT: usize = 54;
const GAP: usize = 16;
const ROW_GAP: usize = 26;
const LEFT: usize = 96;
const TOP: usize = 20;

const STYLE: &str = "
text { font: 12px system-ui, sans-serif; fill: #24292f; text-anchor: middle } .name { font-weight: 600 }
.row { text-anchor: start; fill: #57606a } rect { rx: 5px; stroke-width: 1.5 }
.program { fill: #f6f8fa; stroke: #8c959f } .ours { fill: #ddf4ff; stroke: #2f6f9f }
.other { fill: #eaeef2; stroke: #8c959f } .machine { fill: #dafbe1; stroke: #2c8a4b }
.never { fill: #fff1e5; stroke: #c4701f; stroke-dasharray: 5 4 } .suite { fill: #fbefff; stroke: #8250df }
path { fill: none; stroke: #57606a; stroke-width: 1.3 } .head { fill: #57606a; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .row { fill: #9198a1 } .program { fill: #151b23; stroke: #656c76 }
  .ours { fill: #0c2d48; stroke: #58a6d6 } .other { fill: #21262d; stroke: #656c76 }
  .machine { fill: #12331f; stroke: #3fb950 } .never { fill: #3d2410; stroke: #e0934a }
  .suite { fill: #271052; stroke: #a371f7 } path { stroke: #9198a1 } .head { fill: #9198a1 }
}
";

const fn part(
    class: &'static str,
    (column, columns): (usize, usize),
    row: usize,
    lines: &'static [&'static str],
) -> Part {
    Part { class, column, columns, row, rows: 1, lines }
}

const fn left(column: usize) -> usize {
    LEFT + column * (WIDTH + GAP)
}

const fn top(row: usize) -> usize {
    TOP + row * (HEIGHT + ROW_GAP)
}

/// The picture. Writing to a string doesn't fail.
pub(super) fn draw() -> String {
    let (width, height) = (left(5), top(ROWS.len()) - ROW_GAP + TOP);
    let title = "Programs, interfaces, the checked call, engines, and what they run on";
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path class=\"head\" d=\"M0 0l8 4l-8 4z\"/></marker></defs>\n",
    );
    for (row, name) in ROWS.iter().enumerate() {
        let _ =
            writeln!(svg, "<text class=\"row\" x=\"12\" y=\"{}\">{name}</text>", top(row) + HEIGHT / 2 + 4);
    }
    for part in &PARTS {
        let (x, y) = (left(part.column), top(part.row));
        let width = part.columns * (WIDTH + GAP) - GAP;
        let height = part.rows * (HEIGHT + ROW_GAP) - ROW_GAP;
        let _ = writeln!(
            svg,
            "<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>",
            part.class
        );
        let first = y + height / 2 + 12 - 8 * part.lines.len();
        for (number, line) in part.lines.iter().enumerate() {
            let class = if number == 0 { " class=\"name\"" } else { "" };
            let (x, y) = (x + width / 2, first + 17 * number);
            let _ = writeln!(svg, "<text{class} x=\"{x}\" y=\"{y}\">{line}</text>");
        }
    }
    for (row, from, to) in ARROWS {
        let x = |column| left(column) + WIDTH / 2;
        let (start, end) = (top(row) + HEIGHT, top(row + 1));
        let _ = writeln!(svg, "<path d=\"M{} {start}L{} {end}\" marker-end=\"url(#head)\"/>", x(from), x(to));
    }
    // The kernels run on both.
    let (start, end) = (top(3) + HEIGHT, top(4));
    let (from, to) = (left(2) + WIDTH - 20, left(3) + 20);
    let _ = writeln!(svg, "<path d=\"M{from} {start}L{to} {end}\" marker-end=\"url(#head)\"/>");
    // The suite is beside all of them.
    for row in [1, 2, 3] {
        let y = top(row) + HEIGHT / 2;
        let _ = writeln!(svg, "<path d=\"M{} {y}H{}\" marker-end=\"url(#head)\"/>", left(4), left(4) - GAP);
    }
    svg + "</svg>\n"
}
