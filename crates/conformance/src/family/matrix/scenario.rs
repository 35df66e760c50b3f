//! Named families of shapes, whose sizes are random.

use engines::random::Random;
use scatter::{Addressing, Axes, Operator};

use super::geometry::{Axis, Geometry, Pattern};

/// A family of shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Whether there are enough axes for layouts to differ.
    pub(super) has_axes: bool,
    /// Whether the tensors are large; most have 2^15 updates or more, for which the CPU engine
    /// takes several threads. Such cases take long, so only some combinations have them.
    pub(super) large: bool,
    draw: fn(&mut Random) -> Geometry,
}

impl Scenario {
    /// The scenarios of an operator.
    pub(super) const fn of(operator: Operator) -> &'static [Self] {
        match operator.signature().addressing {
            Addressing::Nd => &ND,
            Addressing::Slices => &SLICES,
            Addressing::Windows => &WINDOWS,
            Addressing::Axes => &CHOSEN,
            Addressing::Rows => &ROWS,
            _ => &ALONG_AN_AXIS,
        }
    }

    /// Random shapes of this family.
    pub(super) fn draw(&self, random: &mut Random) -> Geometry {
        (self.draw)(random)
    }
}

const fn small(name: &'static str, draw: fn(&mut Random) -> Geometry) -> Scenario {
    Scenario { name, has_axes: true, large: false, draw }
}

const fn line(name: &'static str, draw: fn(&mut Random) -> Geometry) -> Scenario {
    Scenario { has_axes: false, ..small(name, draw) }
}

const fn large(name: &'static str, draw: fn(&mut Random) -> Geometry) -> Scenario {
    Scenario { large: true, ..small(name, draw) }
}

const ALONG_AN_AXIS: [Scenario; 21] = [
    line("rank0", rank0),
    line("rank1", |random| some(random, 1, 9)),
    small("rank2", |random| some(random, 2, 7)),
    small("rank3", |random| some(random, 3, 5)),
    small("rank4", |random| some(random, 4, 4)),
    small("rank5", |random| some(random, 5, 3)),
    small("rank6", |random| some(random, 6, 3)),
    small("rank7", |random| some(random, 7, 2)),
    small("rank8", |random| some(random, 8, 2)),
    small("few-targets", |random| patterned(random, Pattern::Few, |_, _| 40)),
    small("sorted", |random| patterned(random, Pattern::Sorted, |random, _| random.between(3, 20))),
    small("unique", |random| patterned(random, Pattern::Unique, |random, size| random.between(1, size))),
    small("negative", |random| patterned(random, Pattern::Negative, |random, _| random.between(1, 8))),
    small("longer-than-self", |random| {
        patterned(random, Pattern::Any, |random, size| size + random.between(1, 9))
    }),
    small("smaller-than-src-and-self", smaller),
    small("axes-of-one", axes_of_one),
    small("empty-index", empty_index),
    small("empty-self", empty_self),
    large("large-rows", |random| sized(random, [60, 130], [300, 120], 0)),
    large("large-columns", |random| sized(random, [130, 60], [120, 300], 1)),
    large("large-line", |random| sized(random, [1, 5000], [1, 34_000], 1)),
];

const ND: [Scenario; 10] = [
    line("k0", |random| nd(random, 2, 0, 2)),
    small("k1", |random| nd(random, 3, 1, 2)),
    small("k2", |random| nd(random, 4, 2, 1)),
    small("k-is-rank", |random| nd(random, 3, 3, 2)),
    small("one-row", |random| nd(random, 2, 1, 0)),
    small("rank8", |_| nd_of(&[2; 8], 4, &[2, 2])),
    line("rank1", |random| nd(random, 1, 1, 1)),
    small("few-targets", |_| Geometry { pattern: Pattern::Few, ..nd_of(&[3, 4], 1, &[30]) }),
    small("no-rows", |_| nd_of(&[3, 2], 1, &[2, 0])),
    large("large", |_| nd_of(&[50, 130], 1, &[270])),
];

const SLICES: [Scenario; 13] = [
    line("rank0", rank0),
    line("rank1", |random| slices(random, 1, 9)),
    small("rank2", |random| slices(random, 2, 7)),
    small("rank3", |random| slices(random, 3, 5)),
    small("rank5", |random| slices(random, 5, 3)),
    small("rank8", |random| slices(random, 8, 2)),
    small("few-targets", |random| slices_of(random, &[5, 7], 40, Pattern::Few)),
    small("unique", |random| slices_of(random, &[5, 7], 5, Pattern::Unique)),
    small("negative", |random| slices_of(random, &[4, 3, 2], 3, Pattern::Negative)),
    small("no-slices", |random| slices_of(random, &[4, 3], 0, Pattern::Any)),
    small("empty-slices", |random| slices_of(random, &[3, 0, 2], 2, Pattern::Any)),
    large("large-rows", |random| slices_of(random, &[60, 60], 400, Pattern::Any)),
    large("large-line", |random| slices_of(random, &[5000], 34_000, Pattern::Any)),
];

const WINDOWS: [Scenario; 12] = [
    line("rank2", |random| windows(random, 2, 6, Columns::One)),
    small("rank3", |random| windows(random, 3, 5, Columns::One)),
    small("rank5", |random| windows(random, 5, 3, Columns::One)),
    small("rank8", |random| windows(random, 8, 2, Columns::One)),
    small("one-element", |random| windows_of(&[4, 3, 5], 3, 1, random, Columns::One)),
    small("all-of-the-axis", |random| windows_of(&[3, 4, 2], 3, 4, random, Columns::One)),
    small("two-columns", |random| windows(random, 3, 5, Columns::Two)),
    small("two-columns-one-element", |random| windows_of(&[3, 6, 2], 9, 1, random, Columns::Two)),
    small("windows-that-overlap", |random| windows_of(&[2, 9, 2], 8, 4, random, Columns::Two)),
    small("no-updates", |random| windows_of(&[3, 4, 2], 0, 2, random, Columns::Two)),
    large("large-one-element", |random| windows_of(&[300, 40, 40], 300, 1, random, Columns::One)),
    large("large", |random| windows_of(&[40, 90, 40], 70, 30, random, Columns::Two)),
];

const CHOSEN: [Scenario; 12] = [
    line("rank1", |random| chosen(random, &[9], &[0], &[4])),
    small("first-axis", |random| chosen(random, &[5, 3, 2], &[0], &[6])),
    small("last-axis", |random| chosen(random, &[3, 2, 5], &[2], &[2, 3])),
    small("neighbours", |random| chosen(random, &[2, 4, 3, 2], &[1, 2], &[5])),
    small("apart", |random| chosen(random, &[4, 2, 3], &[0, 2], &[3, 2])),
    small("all-axes", |random| chosen(random, &[3, 4, 2], &[0, 1, 2], &[7])),
    small("rank8", |random| chosen(random, &[2, 1, 2, 1, 2, 1, 2, 2], &[1, 3, 4, 6, 7], &[2, 3])),
    small("many-rows", |random| chosen(random, &[4, 5], &[1], &[2, 1, 2, 1, 3, 2])),
    small("few-targets", |random| Geometry { pattern: Pattern::Few, ..chosen(random, &[3, 4], &[0], &[40]) }),
    small("no-rows", |random| chosen(random, &[3, 2], &[1], &[2, 0])),
    large("large-rows", |random| chosen(random, &[60, 130], &[0], &[270])),
    large("large-points", |random| chosen(random, &[60, 130], &[0, 1], &[34_000])),
];

/// A self of this shape, of which rows of indices name points on some axes; src is broadcast along
/// some of the axes of what they name.
fn chosen(random: &mut Random, self_: &[usize], axes: &[usize], rows: &[usize]) -> Geometry {
    let all = Axes::new(axes).unwrap_or_default();
    let first = if all.are_neighbours() { axes[0] } else { 0 };
    let rest = (0..self_.len()).filter(|axis| !axes.contains(axis)).map(|axis| self_[axis]);
    let mut src: Vec<usize> = rest.collect();
    src.splice(first..first, rows.iter().copied());
    if random.once_in(2) {
        src.drain(..random.between(0, src.len()) / 2);
        src.iter_mut().filter(|_| random.once_in(3)).for_each(|size| *size = 1);
    }
    Geometry {
        self_: self_.to_vec(),
        index: [rows, &[axes.len()]].concat(),
        src,
        axis: Axis::Chosen(all),
        pattern: Pattern::Any,
    }
}

const ROWS: [Scenario; 11] = [
    line("no-axes", |random| rows_of(random, &[], Pattern::Any)),
    small("rank1", |random| rows(random, 1, 9)),
    small("rank2", |random| rows(random, 2, 4)),
    small("rank7", |random| rows(random, 7, 2)),
    small("few-targets", |random| rows_of(random, &[40], Pattern::Few)),
    small("unique", |random| rows_of(random, &[1], Pattern::Unique)),
    small("negative", |random| rows_of(random, &[3, 2], Pattern::Negative)),
    small("no-rows", |random| rows_of(random, &[2, 0], Pattern::Any)),
    small("empty-rows", |_| Geometry { self_: vec![3, 0], src: vec![2, 0], ..rows_into(&[3, 1], &[2]) }),
    large("large-rows", |_| rows_into(&[60, 60], &[20, 20])),
    large("large-line", |_| rows_into(&[5000, 1], &[34_000])),
];

/// `rank` random sizes from 1 to `most`.
fn sizes(random: &mut Random, rank: usize, most: usize) -> Vec<usize> {
    (0..rank).map(|_| random.between(1, most)).collect()
}

/// A shape for src: index's, or larger on some axes.
fn src_for(random: &mut Random, index: &[usize]) -> Vec<usize> {
    let more = if random.once_in(2) { 0 } else { 2 };
    index.iter().map(|&size| size + random.between(0, more)).collect()
}

fn along(
    random: &mut Random,
    self_: Vec<usize>,
    index: Vec<usize>,
    dim: usize,
    pattern: Pattern,
) -> Geometry {
    Geometry { src: src_for(random, &index), self_, index, axis: Axis::Dim(dim), pattern }
}

/// Random shapes of a rank.
fn some(random: &mut Random, rank: usize, most: usize) -> Geometry {
    let self_ = sizes(random, rank, most);
    let dim = random.between(0, rank - 1);
    let mut index: Vec<usize> = self_.iter().map(|&size| random.between(1, size)).collect();
    index[dim] = random.between(1, most + 2);
    along(random, self_, index, dim, Pattern::Any)
}

/// Tensors of rank 0, which count as `[1]` and may be mixed with it.
fn rank0(random: &mut Random) -> Geometry {
    let mut scalar = || if random.once_in(2) { vec![] } else { vec![1] };
    Geometry { self_: vec![], index: scalar(), src: scalar(), axis: Axis::Dim(0), pattern: Pattern::Any }
}

/// Two or three axes, of which index points into the longest, by a pattern.
fn patterned(random: &mut Random, pattern: Pattern, length: fn(&mut Random, usize) -> usize) -> Geometry {
    let rank = random.between(2, 3);
    let mut self_ = sizes(random, rank, 4);
    let dim = random.between(0, rank - 1);
    self_[dim] = random.between(3, 9);
    let mut index = self_.clone();
    index[dim] = length(random, self_[dim]);
    along(random, self_, index, dim, pattern)
}

fn smaller(random: &mut Random) -> Geometry {
    let index = sizes(random, 3, 3);
    let mut beyond = || index.iter().map(|&size| size + random.between(1, 3)).collect();
    let (self_, src) = (beyond(), beyond());
    Geometry { self_, src, index, axis: Axis::Dim(random.between(0, 2)), pattern: Pattern::Any }
}

fn axes_of_one(random: &mut Random) -> Geometry {
    let mut self_ = vec![1, random.between(1, 6), 1, random.between(1, 6), 1];
    random.shuffle(&mut self_);
    let dim = random.between(0, 4);
    let mut index = self_.clone();
    index[dim] = random.between(1, 4);
    along(random, self_, index, dim, Pattern::Any)
}

/// An index without elements. Then src may have any shape, and index any rank.
fn empty_index(random: &mut Random) -> Geometry {
    let (rank, other_rank) = (random.between(1, 4), random.between(1, 4));
    let mut index = sizes(random, other_rank, 4);
    index[random.between(0, other_rank - 1)] = 0;
    let (self_, src) = (sizes(random, rank, 4), sizes(random, other_rank, 4));
    Geometry { self_, index, src, axis: Axis::Dim(0), pattern: Pattern::Any }
}

/// self has an axis of size 0 other than dim, so index has no elements either.
fn empty_self(random: &mut Random) -> Geometry {
    let self_ = vec![random.between(1, 4), 0, random.between(1, 4)];
    let dim = 2 * random.between(0, 1);
    along(random, self_.clone(), self_, dim, Pattern::Any)
}

/// Shapes so large that the CPU engine uses several threads.
fn sized(random: &mut Random, self_: [usize; 2], index: [usize; 2], dim: usize) -> Geometry {
    let pattern = random.pick(&[Pattern::Few, Pattern::Any, Pattern::Any]);
    along(random, self_.to_vec(), index.to_vec(), dim, pattern)
}

/// A self of `rank` random axes, and slices along one of them.
fn slices(random: &mut Random, rank: usize, most: usize) -> Geometry {
    let (self_, count) = (sizes(random, rank, most), random.between(1, most + 2));
    slices_of(random, &self_, count, Pattern::Any)
}

/// `count` slices for an axis of self that has a size other than 0.
fn slices_of(random: &mut Random, self_: &[usize], count: usize, pattern: Pattern) -> Geometry {
    let axes: Vec<usize> = (0..self_.len()).filter(|&axis| self_[axis] > 0).collect();
    let dim = random.pick(&axes);
    // Unique slices are not more than there are targets.
    let count = if pattern == Pattern::Unique { count.min(self_[dim]) } else { count };
    let mut src = self_.to_vec();
    src[dim] = count;
    Geometry { self_: self_.to_vec(), index: vec![count], src, axis: Axis::Slices(dim), pattern }
}

/// The columns of an index that names windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    /// The beginning of each window.
    One,
    /// The coordinate along axis 0, and the beginning.
    Two,
}

/// A self of `rank` random axes, and windows along one of them.
fn windows(random: &mut Random, rank: usize, most: usize, columns: Columns) -> Geometry {
    let self_ = sizes(random, rank, most);
    let dim = random.between(1, rank - 1);
    let (count, extent) = (random.between(1, self_[0]), random.between(1, self_[dim]));
    windows_along(&self_, dim, count, extent, columns)
}

/// `count` windows along axis 1 or the last, which may be as long as `extent`.
fn windows_of(
    self_: &[usize],
    count: usize,
    extent: usize,
    random: &mut Random,
    columns: Columns,
) -> Geometry {
    let last = self_.len() - 1;
    let dim = if self_[last] >= extent { random.pick(&[1, last]) } else { 1 };
    windows_along(self_, dim, count, extent, columns)
}

fn windows_along(self_: &[usize], dim: usize, count: usize, extent: usize, columns: Columns) -> Geometry {
    let mut src = self_.to_vec();
    (src[0], src[dim]) = (count, extent);
    let index = if columns == Columns::One { vec![count] } else { vec![count, 2] };
    let axis = Axis::Windows { dim, extent };
    Geometry { self_: self_.to_vec(), index, src, axis, pattern: Pattern::Any }
}

/// Rows of an index of `rank` random axes.
fn rows(random: &mut Random, rank: usize, most: usize) -> Geometry {
    let index = sizes(random, rank, most);
    rows_of(random, &index, Pattern::Any)
}

/// Rows for an out of random sizes.
fn rows_of(random: &mut Random, index: &[usize], pattern: Pattern) -> Geometry {
    let out = [random.between(2, 6), random.between(1, 5)];
    Geometry { pattern, ..rows_into(&out, index) }
}

fn rows_into(out: &[usize; 2], index: &[usize]) -> Geometry {
    Geometry {
        self_: out.to_vec(),
        index: index.to_vec(),
        src: [index, &out[1..]].concat(),
        axis: Axis::Rows,
        pattern: Pattern::Any,
    }
}

/// A self of `rank` axes, of which `k` are indexed by indices of `rows` axes and the axis of the
/// components.
fn nd(random: &mut Random, rank: usize, k: usize, rows: usize) -> Geometry {
    let (self_, rows) = (sizes(random, rank, 4), sizes(random, rows, 5));
    nd_of(&self_, k, &rows)
}

fn nd_of(self_: &[usize], k: usize, rows: &[usize]) -> Geometry {
    Geometry {
        self_: self_.to_vec(),
        index: [rows, &[k]].concat(),
        src: [rows, &self_[k..]].concat(),
        axis: Axis::Leading(k),
        pattern: Pattern::Any,
    }
}
