//! What the kernels move: one drawing for each algorithm.

use super::Unit::{Gm, Scalar, Ub, Vector};
use super::{Arrow, Drawing, Node, Unit};

pub(super) const ALL: [Drawing; 8] = [COPY, INDEX, ROWS, LANES, FILTER, GENERAL, GATHER, WINDOWS];

const MTE2: &str = "MTE2";
const MTE3: &str = "MTE3";

const COPY: Drawing = Drawing {
    name: "copy",
    title: "scatter_copy: out = self, and where out overlaps self by way of the workspace",
    nodes: &[
        of("self", Gm, (0, 0), &["self", "any strides"]),
        of("tile", Ub, (1, 0), &["tile", "two at a time"]),
        of("out", Gm, (4, 0), &["out", "any strides"]),
        of("old", Gm, (0, 1), &["self", "out overlaps it, or itself:", "a first launch"]),
        of("first", Ub, (1, 1), &["tile"]),
        of("saved", Gm, (4, 1), &["workspace", "self, contiguous"]),
        of("again", Gm, (0, 2), &["workspace", "a second launch"]),
        of("second", Ub, (1, 2), &["tile"]),
        of("new", Gm, (4, 2), &["out", "where it overlaps itself:", "one block, in order"]),
    ],
    arrows: &[
        to("self", "tile", MTE2),
        to("tile", "out", MTE3),
        to("old", "first", MTE2),
        to("first", "saved", MTE3),
        to("again", "second", MTE2),
        to("second", "new", MTE3),
    ],
};

const INDEX: Drawing = Drawing {
    name: "index",
    title: "scatter_index: the targets of all updates, each core a part of them",
    nodes: &[
        of("index", Gm, (0, 0), &["index", "a core's part of it,", "chunk by chunk"]),
        of("raw", Ub, (1, 0), &["values, i32 or i64", "two chunks at a time"]),
        of(
            "narrow",
            Vector,
            (2, 0),
            &["Cast to f32 by FLOOR,", "wrap negative ones,", "one target for an entry"],
        ),
        of("targets", Ub, (3, 0), &["f32 targets", "bad ones outside [0, n)"]),
        of("list", Gm, (4, 0), &["list of targets", "in the workspace"]),
        of("differ", Vector, (2, 1), &["stored whole for rows:", "compare the columns", "of an entry"]),
        of("first", Scalar, (3, 1), &["first bad value, if any;", "do columns differ"]),
        of("status", Gm, (4, 1), &["status words", "of the block"]),
    ],
    arrows: &[
        to("index", "raw", MTE2),
        to("raw", "narrow", ""),
        to("narrow", "targets", ""),
        to("targets", "list", MTE3),
        to("raw", "differ", ""),
        to("differ", "first", ""),
        to("targets", "first", "Compare"),
        to("first", "status", MTE3),
    ],
};

const ROWS: Drawing = Drawing {
    name: "rows",
    title: "scatter_rows: a core takes the updates of a range of targets, sorted, and adds row after row",
    nodes: &[
        of("list", Gm, (0, 0), &["list of targets", "of scatter_index"]),
        of("sample", Ub, (1, 0), &["a sample of the list", "the same for every core"]),
        of("sort", Vector, (2, 0), &["Sort32, MrgSort"]),
        of(
            "share",
            Scalar,
            (3, 0),
            &["this core's share:", "a range of targets, or", "columns of a hot one"],
        ),
        of("chunk", Ub, (1, 1), &["chunk of the list"]),
        of("filter", Vector, (2, 1), &["Compare with the range,", "GatherMask,", "Sort32, MrgSort"]),
        of("own", Ub, (3, 1), &["own updates, sorted by", "target, then position:", "a run for each row"]),
        of("src", Gm, (0, 2), &["src", "the rows of the updates"]),
        of("rows", Ub, (1, 2), &["group of rows of src", "two groups at a time"]),
        of("add", Vector, (2, 2), &["a run's rows of src", "onto its row of out,", "in the order of index"]),
        of("sums", Ub, (3, 2), &["rows of out", "(f16, bf16 as f32)"]),
        of("out", Gm, (4, 2), &["out", "each row written once"]),
        of("before", Gm, (0, 3), &["out", "each row read once"]),
    ],
    arrows: &[
        to("list", "sample", MTE2),
        to("sample", "sort", ""),
        to("sort", "share", ""),
        to("list", "chunk", MTE2),
        to("chunk", "filter", ""),
        to("share", "filter", ""),
        to("filter", "own", ""),
        to("own", "add", "which rows"),
        to("src", "rows", MTE2),
        to("rows", "add", ""),
        both("add", "sums"),
        to("sums", "out", MTE3),
        to("before", "sums", MTE2),
    ],
};

const LANES: Drawing = Drawing {
    name: "elements",
    title: "scatter_elements: all targets of some lanes stay in UB while the updates pass",
    nodes: &[
        of("index", Gm, (0, 0), &["index", "of the task's lanes"]),
        of("chunk", Ub, (1, 0), &["chunk of index", "two at a time"]),
        of(
            "narrow",
            Vector,
            (2, 0),
            &["narrow, wrap, and count", "in elements that are held;", "bad ones: nobody's place"],
        ),
        of("places", Ub, (3, 0), &["places", "of updates × lanes"]),
        of("src", Gm, (0, 1), &["src"]),
        of("values", Ub, (1, 1), &["chunk of src", "two at a time"]),
        of(
            "apply",
            Scalar,
            (2, 1),
            &["a batch: read places, src", "and elements of 8 lanes,", "combine, write"],
        ),
        of("held", Ub, (3, 1), &["all targets × the lanes", "(f16, bf16 as f32)"]),
        of("out", Gm, (4, 1), &["out", "at the end of a task"]),
        of("before", Gm, (0, 2), &["out", "when a task begins"]),
    ],
    arrows: &[
        to("index", "chunk", MTE2),
        to("chunk", "narrow", ""),
        to("narrow", "places", ""),
        to("places", "apply", ""),
        to("src", "values", MTE2),
        to("values", "apply", ""),
        both("apply", "held"),
        to("held", "out", MTE3),
        to("before", "held", MTE2),
    ],
};

const FILTER: Drawing = Drawing {
    name: "filtered",
    title: "scatter_elements without lanes: a core keeps the updates of its part of the targets",
    nodes: &[
        of("index", Gm, (0, 0), &["index", "every core reads all of it"]),
        of("chunk", Ub, (1, 0), &["chunk of index"]),
        of(
            "filter",
            Vector,
            (2, 0),
            &["narrow, Compare [lo, hi),", "pack target - lo and", "position, GatherMask"],
        ),
        of("words", Ub, (3, 0), &["own updates,", "a word for each,", "in their order"]),
        of("src", Gm, (0, 1), &["src"]),
        of("values", Ub, (1, 1), &["chunk of src"]),
        of("apply", Scalar, (2, 1), &["word by word:", "read src by the position,", "combine, write"]),
        of("held", Ub, (3, 1), &["targets lo to hi"]),
        of("out", Gm, (4, 1), &["out", "at the end of a part"]),
        of("before", Gm, (0, 2), &["out", "when a part begins"]),
    ],
    arrows: &[
        to("index", "chunk", MTE2),
        to("chunk", "filter", ""),
        to("filter", "words", ""),
        to("words", "apply", ""),
        to("src", "values", MTE2),
        to("values", "apply", ""),
        both("apply", "held"),
        to("held", "out", MTE3),
        to("before", "held", MTE2),
    ],
};

const GENERAL: Drawing = Drawing {
    name: "general",
    title: "scatter_general: any layout, by the scalar unit, with a window on out",
    nodes: &[
        of("index", Gm, (0, 0), &["index", "of the task's lanes"]),
        of("chunk", Ub, (1, 0), &["chunk of index", "two at a time"]),
        of("look", Scalar, (2, 0), &["check as 64 bits, wrap;", "pass over other parts;", "find the place"]),
        of("places", Ub, (3, 0), &["places in the window"]),
        of("src", Gm, (0, 1), &["src"]),
        of("values", Ub, (1, 1), &["chunk of src", "two at a time"]),
        of("apply", Scalar, (2, 1), &["one by one, in order:", "read, combine, write"]),
        of("window", Ub, (3, 1), &["window: lines of out,", "of which one may make", "way for another"]),
        of("out", Gm, (4, 1), &["out", "a line that makes way,", "and all at the end"]),
        of("before", Gm, (0, 2), &["out", "a line that an update", "needs"]),
    ],
    arrows: &[
        to("index", "chunk", MTE2),
        to("chunk", "look", ""),
        to("look", "places", ""),
        to("places", "apply", ""),
        to("src", "values", MTE2),
        to("values", "apply", ""),
        both("apply", "window"),
        to("window", "out", MTE3),
        to("before", "window", MTE2),
    ],
};

const GATHER: Drawing = Drawing {
    name: "gather",
    title: "scatter_gather: rows by DMA; elements by the vector unit; or any elements, one by one",
    nodes: &[
        of(
            "index of rows",
            Gm,
            (0, 0),
            &["rows: index, one value", "for each, or the list", "of scatter_index"],
        ),
        of("values", Ub, (1, 0), &["chunk of index", "two at a time"]),
        of("narrow", Vector, (2, 0), &["narrow, wrap, mark bad;", "bad ones: the nearest"]),
        of("numbers", Ub, (3, 0), &["numbers of rows"]),
        of("table", Gm, (0, 1), &["self", "the rows that are named"]),
        of("rows", Ub, (3, 1), &["group of rows", "two groups at a time"]),
        of("rows of out", Gm, (4, 1), &["out", "a group by one copy"]),
        of("index of elements", Gm, (0, 2), &["elements: index", "of some lanes"]),
        of("chunk", Ub, (1, 2), &["chunk of index", "two at a time"]),
        of("offsets", Vector, (2, 2), &["narrow, wrap, mark bad;", "offsets in UB, in bytes"]),
        of("self", Gm, (0, 3), &["self", "read once for a tile"]),
        of("held", Ub, (1, 3), &["all targets × the lanes", "(bytes as f16)"]),
        of("pick", Vector, (2, 3), &["Gather", "(wide ones as words)"]),
        of("picked", Ub, (3, 3), &["picked elements", "two chunks at a time"]),
        of("out", Gm, (4, 3), &["out"]),
        of("any index", Gm, (0, 4), &["one by one: index", "any strides"]),
        of("raw", Ub, (1, 4), &["chunk of index", "two at a time"]),
        of("look", Scalar, (2, 4), &["check as 64 bits, wrap;", "bad ones: the nearest"]),
        of("any self", Gm, (0, 5), &["self", "the elements named"]),
        of("blocks", Ub, (1, 5), &["a block of 32 bytes for", "each; two groups of them"]),
        of("put", Scalar, (2, 5), &["put each where it goes"]),
        of("tile", Ub, (3, 5), &["tile of out", "two at a time"]),
        of("any out", Gm, (4, 5), &["out", "any strides"]),
    ],
    arrows: &[
        to("index of rows", "values", MTE2),
        to("values", "narrow", ""),
        to("narrow", "numbers", ""),
        to("numbers", "rows", "which rows"),
        to("table", "rows", MTE2),
        to("rows", "rows of out", MTE3),
        to("index of elements", "chunk", MTE2),
        to("chunk", "offsets", ""),
        to("offsets", "pick", ""),
        to("self", "held", MTE2),
        to("held", "pick", ""),
        to("pick", "picked", ""),
        to("picked", "out", MTE3),
        to("any index", "raw", MTE2),
        to("raw", "look", ""),
        to("look", "blocks", "a copy each"),
        to("any self", "blocks", MTE2),
        to("blocks", "put", ""),
        to("put", "tile", ""),
        to("tile", "any out", MTE3),
    ],
};

const WINDOWS: Drawing = Drawing {
    name: "windows",
    title: "scatter_windows: each window of src goes to where its entry of index says",
    nodes: &[
        of(
            "index",
            Gm,
            (0, 0),
            &["index: the entries of own", "windows, or, where these", "may meet, of all"],
        ),
        of("values", Ub, (1, 0), &["chunk of index"]),
        of(
            "convert",
            Vector,
            (2, 0),
            &["narrow, wrap, mark bad;", "number of the place", "through all sequences"],
        ),
        of("places", Ub, (3, 0), &["places"]),
        of("meet", Vector, (2, 1), &["where windows may meet:", "how far all are from one"]),
        of("left", Scalar, (3, 1), &["where the window goes;", "what later ones leave it"]),
        of("src", Gm, (0, 2), &["src", "tiles of own windows"]),
        of("tiles", Ub, (1, 2), &["tiles", "three at a time"]),
        of("out", Gm, (4, 2), &["out", "each element once"]),
    ],
    arrows: &[
        to("index", "values", MTE2),
        to("values", "convert", ""),
        to("convert", "places", ""),
        to("places", "meet", ""),
        to("places", "left", ""),
        to("meet", "left", ""),
        to("src", "tiles", MTE2),
        to("tiles", "out", MTE3),
        to("left", "out", "where"),
    ],
};

const fn of(name: &'static str, unit: Unit, at: (usize, usize), lines: &'static [&'static str]) -> Node {
    Node { name, unit, at, lines }
}

const fn to(from: &'static str, to: &'static str, pipe: &'static str) -> Arrow {
    Arrow { from, to, pipe, is_double: false }
}

const fn both(from: &'static str, to: &'static str) -> Arrow {
    Arrow { from, to, pipe: "", is_double: true }
}
