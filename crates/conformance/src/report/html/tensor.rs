//! A tensor drawn small: matrices of its last two axes, cut to what is around the elements that
//! differ.

use core::ops::Range;
use std::collections::BTreeSet;

use engines::tensor::Tensor;
use scatter::{Layout, Shape};

use crate::html::{Markup, scrolled};

/// The most that is drawn of a tensor.
const MATRICES: usize = 3;
const ROWS: usize = 8;
const COLUMNS: usize = 10;

/// Coordinates of elements.
pub(super) type Places = BTreeSet<Vec<usize>>;

/// Draws what is around the elements at `places`, which are set off if `differ` is true; without
/// any, the beginning of the tensor.
pub(super) fn drawn(name: &str, tensor: &Tensor, places: &Places, differ: bool) -> Markup {
    let layout = match tensor.layout() {
        Ok(layout) => layout,
        Err(error) => return Markup::paragraph(&format!("It can't be drawn: {error}")),
    };
    if tensor.elements() == 0 {
        return Markup::paragraph("It has no elements.");
    }
    let (matrices, all) = matrices(layout.shape(), places);
    let part = |matrix: &Matrix| matrix.drawn(name, tensor, &layout, differ.then_some(places));
    let drawn = matrices.iter().map(part).collect();
    match all - matrices.len() {
        0 => drawn,
        _ => {
            Markup::and(drawn, Markup::paragraph(&format!("These are {} of {all} matrices.", matrices.len())))
        }
    }
}

/// A part of a matrix of the last two axes.
#[derive(Debug, PartialEq, Eq)]
struct Matrix {
    /// The coordinates along the axes before the last two.
    leading: Vec<usize>,
    rows: Range<usize>,
    columns: Range<usize>,
}

/// The matrices to draw: the first ones with an element at one of the places, or without any the
/// first ones. Also the number of all.
fn matrices(shape: &Shape, places: &Places) -> (Vec<Matrix>, usize) {
    let axes = shape.len().saturating_sub(2);
    let size = |from_end: usize| shape.len().checked_sub(from_end).map_or(1, |axis| shape[axis]);
    let mut chosen: Vec<Matrix> = Vec::new();
    for at in shape.coordinates() {
        let leading = &at[..axes];
        let is_chosen = chosen.last().is_some_and(|matrix| matrix.leading == leading);
        if is_chosen || !(places.is_empty() || places.contains(&at[..])) {
            continue;
        }
        if chosen.len() == MATRICES {
            break;
        }
        let coordinate = |from_end: usize| at.len().checked_sub(from_end).map_or(0, |axis| at[axis]);
        chosen.push(Matrix {
            leading: leading.to_vec(),
            rows: window(coordinate(2), size(2), ROWS),
            columns: window(coordinate(1), size(1), COLUMNS),
        });
    }
    (chosen, shape[..axes].iter().product())
}

/// A range of at most `most` of `size` around `focus`.
fn window(focus: usize, size: usize, most: usize) -> Range<usize> {
    let start = focus.saturating_sub(most / 2).min(size.saturating_sub(most));
    start..size.min(start + most)
}

impl Matrix {
    fn drawn(&self, name: &str, tensor: &Tensor, layout: &Layout, marked: Option<&Places>) -> Markup {
        let Self { leading, rows, columns } = self;
        let rank = tensor.shape.len();
        let number = |scope, at: usize| Markup::tag("th", &[("scope", scope)], Markup::text(&at.to_string()));
        let cell = |row, column| {
            let at = [&leading[..], &[row, column][2 - rank.min(2)..]].concat();
            let address = layout.address(&at);
            let value = Markup::text(&tensor.storage.shown(address));
            if marked.is_none_or(|marked| !marked.contains(&at)) {
                return Markup::tag("td", &[], value);
            }
            let title = format!("differs, {}", tensor.storage.hex(address));
            Markup::tag("td", &[("class", "differs"), ("title", &title)], Markup::tag("mark", &[], value))
        };
        let row = |row| {
            // Without a second axis there are no rows to number.
            let heading = if rank < 2 { Markup::none() } else { number("row", row) };
            Markup::tag("tr", &[], heading.and(columns.clone().map(|column| cell(row, column)).collect()))
        };
        let corner = if rank < 2 { Markup::none() } else { Markup::tag("td", &[], Markup::none()) };
        let head = match rank {
            0 => Markup::none(),
            _ => {
                let numbers = columns.clone().map(|column| number("col", column)).collect();
                Markup::tag("thead", &[], Markup::tag("tr", &[], corner.and(numbers)))
            }
        };
        let body = Markup::tag("tbody", &[], rows.clone().map(row).collect());
        let caption = self.caption(name, tensor);
        scrolled(&caption, &[("class", "tensor")], head.and(body))
    }

    /// Such as `got[1, 3, 10..20 of 400, :]`, the part of the tensor that is drawn.
    fn caption(&self, name: &str, tensor: &Tensor) -> String {
        let rank = tensor.shape.len();
        let part = |range: &Range<usize>, size: usize| match range.len() == size {
            true => ":".to_owned(),
            false => format!("{}..{} of {size}", range.start, range.end),
        };
        let mut axes: Vec<_> = self.leading.iter().map(ToString::to_string).collect();
        if rank >= 2 {
            axes.push(part(&self.rows, tensor.shape[rank - 2]));
        }
        if rank >= 1 {
            axes.push(part(&self.columns, tensor.shape[rank - 1]));
        }
        format!("{name}[{}]", axes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use engines::storage::Storage;

    use super::*;

    fn tensor(shape: &[usize]) -> Tensor {
        let count = shape.iter().product::<usize>() as i64;
        Tensor::contiguous(Storage::of(&(0..count).collect::<Vec<i64>>()), shape)
    }

    /// The captions of the matrices that are drawn, and the number of all.
    fn captions(shape: &[usize], places: &[&[usize]]) -> (Vec<String>, usize) {
        let tensor = tensor(shape);
        let places = places.iter().map(|at| at.to_vec()).collect();
        let (matrices, all) = matrices(tensor.layout().unwrap().shape(), &places);
        (matrices.iter().map(|matrix| matrix.caption("got", &tensor)).collect(), all)
    }

    #[test]
    fn the_part_that_is_drawn_has_what_differs() {
        assert_eq!(captions(&[], &[&[]]), (vec!["got[]".to_owned()], 1));
        assert_eq!(captions(&[100], &[&[98]]), (vec!["got[90..100 of 100]".to_owned()], 1));
        let of_two = captions(&[40, 200], &[&[20, 100]]);
        assert_eq!(of_two, (vec!["got[16..24 of 40, 95..105 of 200]".to_owned()], 1));
        let of_three = captions(&[9, 2, 3], &[&[3, 0, 1], &[7, 0, 0], &[7, 1, 2]]);
        assert_eq!(of_three, (vec!["got[3, :, :]".to_owned(), "got[7, :, :]".to_owned()], 9));
        assert_eq!(captions(&[5, 1, 2], &[]).0, ["got[0, :, :]", "got[1, :, :]", "got[2, :, :]"]);
    }
}
