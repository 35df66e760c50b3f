//! What the plans of several algorithms have in common.

use scatter::{Element, Problem, with_element};

use super::axes::Work;
use super::division::Division;
use crate::tiling::{Axis, Tiling};

/// The alignment in bytes of parts of a tensor with which vector instructions work and DMA is
/// fastest.
pub(super) const ALIGNMENT: u64 = 512;

/// The bytes of UB that every kernel needs beside its buffers: for the status words.
pub(super) const RESERVE: u32 = 256;

/// The targets whose marks fill a block of UB: buffers of marks, and of what is marked, are sized
/// for a multiple of them.
pub(super) const MARKED: u64 = 256;

/// The most updates of a chunk: 16 KiB of index as i32.
pub(super) const CHUNK: u64 = 4096;

/// How many elements of `size` bytes there are in [`ALIGNMENT`] bytes.
pub(super) const fn aligned_elements(size: usize) -> u64 {
    ALIGNMENT / size as u64
}

/// An axis of one element.
pub(super) const ONE: Axis = Axis { size: 1, out: 0, index: 0, src: 0, position: 0 };

/// The batch axes with the one that becomes the lanes taken out.
pub(super) fn split(batch: &[Axis], lane: Option<usize>) -> (Vec<Axis>, Axis) {
    let mut outer = batch.to_vec();
    let lane = lane.map_or(ONE, |at| outer.remove(at));
    (outer, lane)
}

/// The product of the sizes.
pub(super) fn count(axes: &[Axis]) -> u64 {
    axes.iter().map(|axis| axis.size).product()
}

/// An axis of this stride is cut at multiples of this many elements, where its pieces are as large.
pub(super) const fn grain(stride: i64, element: usize) -> u64 {
    if stride == element as i64 { aligned_elements(element) } else { 1 }
}

/// `most`, its half, the half of that, and so on down to 1: multiples of `grain` until they are
/// smaller than that.
pub(super) fn halves(most: u64, grain: u64) -> impl Iterator<Item = u64> {
    core::iter::successors(Some(most), move |&size| {
        let half = size.div_ceil(2);
        (size > 1).then(|| if size > grain { half.next_multiple_of(grain) } else { half })
    })
}

/// Puts a list into an array, and returns its length.
pub(super) fn fill<T: Copy, const N: usize>(to: &mut [T; N], from: &[T]) -> u32 {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    from.len() as u32
}

/// A plan without its boxes, chunks and window.
pub(super) fn skeleton(
    problem: &Problem,
    work: &Work,
    outer: &[Axis],
    lane: Axis,
    division: Division,
) -> Tiling {
    let mut tiling = Tiling {
        dtype: problem.dtype() as u32,
        reduce: problem.reduce().code() as u32,
        include_self: problem.op().include_self().into(),
        index_bytes: work.index_bytes as u32,
        out_offset: work.offsets.out,
        index_offset: work.offsets.index,
        src_offset: work.offsets.src,
        lane,
        outers: count(outer),
        targets: work.target_count,
        lane_tile: division.lanes,
        lane_tiles: lane.size.div_ceil(division.lanes),
        target_part: division.part,
        target_parts: work.target_count.div_ceil(division.part).max(1),
        runs: count(&work.updates[..work.updates.len() - 1]),
        counted: work.is_counted.into(),
        has_value: (!work.has_src).into(),
        value: value(problem),
        scaled: problem.alpha().is_some().into(),
        window: work.window,
        ..Tiling::default()
    };
    tiling.outer_axes = fill(&mut tiling.outer, outer);
    tiling.update_axes = fill(&mut tiling.update, &work.updates);
    tiling.components = fill(&mut tiling.component, &work.components);
    tiling.target_axes = fill(&mut tiling.target, &work.targets);
    tiling.tasks = tiling.outers * tiling.lane_tiles * tiling.target_parts;
    tiling
}

/// The bytes of the scalar that a call has instead of src, repeated, or those of alpha in the type
/// of the accumulator; zeros where there is neither.
pub(super) fn value(problem: &Problem) -> [u64; 2] {
    let mut value = [0; 2];
    let (scalar, dtype) = match (problem.op().value(), problem.alpha()) {
        (Some(scalar), _) => (scalar, problem.dtype()),
        (None, Some(alpha)) => (alpha, problem.dtype().accumulator()),
        (None, None) => return value,
    };
    with_element!(dtype, T => if let Some(element) = T::from_scalar(scalar) {
        let bytes = bytemuck::bytes_of(&element);
        for (to, from) in bytemuck::bytes_of_mut(&mut value).iter_mut().zip(bytes.iter().cycle()) {
            *to = *from;
        }
    });
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_cut_at_the_grain() {
        let of = |most, grain| halves(most, grain).collect::<Vec<_>>();
        assert_eq!(of(10, 1), [10, 5, 3, 2, 1]);
        assert_eq!(of(1000, 128), [1000, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]);
        assert_eq!(of(400, 128), [400, 256, 128, 64, 32, 16, 8, 4, 2, 1]);
        assert_eq!((of(1, 128), of(0, 128)), (vec![1], vec![0]));
    }
}
