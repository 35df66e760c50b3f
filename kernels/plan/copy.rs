//! The plan of `scatter_copy`: out = self.

use scatter::Problem;

use super::axes::{bytes, merge, offset};
use super::boxes::Side;
use super::update::{count, grain, halves};
use crate::tiling::{Axis, Box2, CopyTiling, MAX_AXES, Run};

/// A tile at the most; there are two in UB, with room to spare.
const TILE: u32 = 64 * 1024;

/// The plan for so many blocks and so much UB; `None` where there is nothing to copy.
pub(super) fn plan(problem: &Problem, blocks: u64, ub: u32) -> Option<CopyTiling> {
    let (self_, out, element) = (problem.self_layout(), problem.out_layout(), problem.dtype().size());
    if out.is_empty() {
        return None;
    }
    let mut axes: Vec<Axis> = out
        .shape()
        .iter()
        .zip(out.strides().iter().zip(self_.strides()))
        .map(|(&size, (&to, &from))| Axis {
            size: size as u64,
            out: bytes(to, element),
            index: bytes(from, element),
            ..Axis::default()
        })
        .collect();
    axes.sort_by_key(|axis| core::cmp::Reverse(axis.out.unsigned_abs()));
    merge(&mut axes);

    let step = element as i64;
    // Where self does not move there is nothing to take by the tile.
    let movers = |axes: &[Axis]| (0..axes.len()).filter(|&at| axes[at].index != 0).collect::<Vec<_>>();
    let is_run = |axis: &Axis| axis.out == step && axis.index == step;
    let candidates = movers(&axes);
    let inner = candidates.iter().copied().find(|&at| is_run(&axes[at])).or(candidates.last().copied());
    let one = Axis { size: 1, ..Axis::default() };
    let inner = inner.map_or(one, |at| axes.remove(at));
    let across = movers(&axes).last().map_or(one, |&at| axes.remove(at));

    let in_runs = is_run(&inner);
    let outers = count(&axes);
    let (tile, boxes) =
        tile(element, [across, inner], in_runs, blocks.div_ceil(outers.max(1)), TILE.min(ub / 2))?;
    let mut tiling = CopyTiling {
        out_offset: offset(out, element),
        self_offset: offset(self_, element),
        outer_axes: axes.len() as u32,
        step: [across, inner],
        tile,
        tiles: [across.size.div_ceil(tile[0]), inner.size.div_ceil(tile[1])],
        self_box: boxes[0],
        out_box: boxes[1],
        ..CopyTiling::default()
    };
    debug_assert!(axes.len() <= MAX_AXES, "as many as a tensor has");
    for (to, from) in tiling.outer.iter_mut().zip(&axes) {
        *to = *from;
    }
    tiling.tasks = outers * tiling.tiles[0] * tiling.tiles[1];
    Some(tiling)
}

/// The largest tile that fits and leaves something for each block, with its boxes in self and in out.
fn tile(
    element: usize,
    [across, inner]: [Axis; 2],
    in_runs: bool,
    blocks: u64,
    most: u32,
) -> Option<([u64; 2], [Box2; 2])> {
    let grain = grain(inner.out, element);
    let share0 = across.size.div_ceil(blocks).max(1);
    let pieces = blocks.div_ceil(across.size.div_ceil(share0));
    let share1 = inner.size.div_ceil(pieces.max(1)).next_multiple_of(grain).min(inner.size);
    let run = if in_runs { Run::Axis1 } else { Run::None };
    // Fewer along the outer axis first, for runs to stay long.
    let fewer = halves(share0, 1).map(|n0| [n0, share1]);
    let shorter = halves(share1, grain).map(|n1| [1, n1]);
    fewer.chain(shorter).find_map(|tile| {
        let of = |strides: [i64; 2]| {
            let sides = [0, 1].map(|axis| Side::cut(tile[axis], strides[axis]));
            Box2::with_run(sides, element, run, most)
        };
        Some((tile, [of([across.index, inner.index])?, of([across.out, inner.out])?]))
    })
}
