//! The plans of `scatter_copy`: one tensor is copied to another, or a tensor becomes zeros.

use scatter::Layout;

use super::axes::{bytes, merge, offset};
use super::boxes::{BLOCK, Side};
use super::update::{ONE, RESERVE, aligned_elements, count, fill, grain, halves};
use super::{Kernel, Step, blocks};
use crate::tiling::{Axis, Box2, CopyTiling, MAX_AXES, Run};

/// The most bytes of a tile.
const TILE: u32 = 64 * 1024;

/// The most values that a tile of a repeated tensor has.
const VALUES: u64 = 256;
/// How often each value is repeated in a tile, at the most: as the repeats of one vector
/// instruction allow, and a multiple of 512 bytes.
const REPEATED: u64 = 4096;
/// Rows of fewer elements go element by element: to make one in UB takes as long as some of these.
const WORTH_A_ROW: u64 = 16;
/// i64s of 512 bytes, at which rows are cut.
const ALIGNED: u64 = aligned_elements(size_of::<i64>());

/// Two tensors of one shape, whose elements have `element` bytes. Those of `to` have twice as many
/// where they are `widened`, from i32 to i64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensors<'a> {
    pub(super) from: &'a Layout,
    pub(super) to: &'a Layout,
    pub(super) element: usize,
    pub(super) widened: bool,
}

impl<'a> Tensors<'a> {
    /// Two tensors of one dtype.
    pub(super) const fn same(from: &'a Layout, to: &'a Layout, element: usize) -> Self {
        Self { from, to, element, widened: false }
    }

    /// The bytes of an element of `to`.
    const fn out_element(&self) -> usize {
        if self.widened { 2 * self.element } else { self.element }
    }

    /// Their axes, in the order of the shape.
    fn axes(&self) -> Vec<Axis> {
        let Self { from, to, element, .. } = *self;
        let strides = to.strides().iter().zip(from.strides());
        let axis = |(&size, (&to, &from)): (&usize, (&isize, &isize))| Axis {
            size: size as u64,
            out: bytes(to, self.out_element()),
            index: bytes(from, element),
            ..Axis::default()
        };
        to.shape().iter().zip(strides).map(axis).collect()
    }

    /// Their axes in the order in which `to` lies in memory, merged where possible.
    fn sorted_axes(&self) -> Vec<Axis> {
        let mut axes = self.axes();
        axes.sort_by_key(|axis| core::cmp::Reverse(axis.out.unsigned_abs()));
        merge(&mut axes);
        axes
    }

    /// Whether both are contiguous along an axis.
    pub(super) const fn is_run(&self, axis: &Axis) -> bool {
        axis.out == self.out_element() as i64 && axis.index == self.element as i64
    }
}

/// The plan for `blocks` blocks and `ub` bytes of UB, where no element of `to` shares its address
/// with another element of `to` or `from`; `None` where there is nothing to copy.
pub(super) fn plan(tensors: &Tensors<'_>, blocks: u64, ub: u32) -> Option<CopyTiling> {
    let mut axes = tensors.sorted_axes();

    // Tiles are cut only along axes on which the source moves.
    let movers = |axes: &[Axis]| (0..axes.len()).filter(|&at| axes[at].index != 0).collect::<Vec<_>>();
    let candidates = movers(&axes);
    let inner =
        candidates.iter().copied().find(|&at| tensors.is_run(&axes[at])).or(candidates.last().copied());
    let inner = inner.map_or(ONE, |at| axes.remove(at));
    let across = movers(&axes).last().map_or(ONE, |&at| axes.remove(at));
    tiling(tensors, &axes, [across, inner], blocks, ub)
}

/// The plan of an index tensor that becomes i64 in `to`.
pub(super) fn index(tensors: &Tensors<'_>, blocks: u64, ub: u32) -> Option<CopyTiling> {
    repeated(tensors, blocks, ub).or_else(|| plan(tensors, blocks, ub))
}

/// The plan where `from` is broadcast along an axis on which `to` is contiguous; `None` elsewhere.
fn repeated(tensors: &Tensors<'_>, blocks: u64, ub: u32) -> Option<CopyTiling> {
    let Tensors { from, to, element, .. } = *tensors;
    let mut axes = tensors.sorted_axes();
    let inner = axes.pop_if(|axis| axis.index == 0 && axis.out == size_of::<i64>() as i64)?;
    if inner.size < WORTH_A_ROW || to.is_empty() {
        return None;
    }
    let across = axes.pop_if(|axis| axis.index != 0).unwrap_or(ONE);
    let room = u64::from(ub.checked_sub(RESERVE)?);
    let row = inner.size.next_multiple_of(ALIGNED).min(REPEATED);
    // The kernel fills whole repeats, of which an aligned row has some.
    let mut rows = halves(row, ALIGNED).take_while(|row| row.is_multiple_of(ALIGNED));
    let (row, values) = rows.find_map(|row| {
        let values = (room.checked_sub(2 * row * size_of::<i64>() as u64)? / u64::from(BLOCK)).min(VALUES);
        (values > 0).then_some((row, values))
    })?;
    let tasks = count(&axes) * inner.size.div_ceil(row);
    let values = across.size.div_ceil(blocks.div_ceil(tasks)).clamp(1, values);
    let column = [Side::cut(values, across.index), Side::cut(1, 0)];
    let mut tiling = CopyTiling {
        out_offset: offset(to, size_of::<i64>()),
        self_offset: offset(from, element),
        repeated: 1,
        step: [across, inner],
        tile: [values, row],
        tiles: [across.size.div_ceil(values), inner.size.div_ceil(row)],
        self_box: Box2::fit(column, element, u32::MAX)?,
        out_box: Box2 { bytes: (row * size_of::<i64>() as u64) as u32, ..Box2::default() },
        ..CopyTiling::default()
    };
    tiling.outer_axes = fill(&mut tiling.outer, &axes);
    tiling.tasks = count(&axes) * tiling.tiles[0] * tiling.tiles[1];
    Some(tiling)
}

/// The plan where `to` may overlap itself, but not `from`, and its blocks; `None` where there is
/// nothing to copy. Of elements of `to` at one address the last in row-major order stays.
pub(super) fn last_stays(tensors: &Tensors<'_>, cores: u64, ub: u32) -> Option<(u32, CopyTiling)> {
    let (tiling, writers) = match tensors.to.overlaps_itself() {
        true => (in_order(tensors, ub)?, 1),
        false => (plan(tensors, cores, ub)?, cores),
    };
    Some((blocks(tiling.tasks, writers), tiling))
}

/// The step that writes zeros to a tensor, which may overlap itself; `None` where it is empty.
pub(super) fn zeros(to: &Layout, element: usize, cores: u64, ub: u32) -> Option<Step> {
    let (blocks, tiling) = last_stays(&Tensors::same(to, to, element), cores, ub)?;
    Some(Step { blocks, kernel: Kernel::Zeros(CopyTiling { zeros: 1, ..tiling }) })
}

/// The plan for one block that writes the elements of `to` in the row-major order of the shape, so
/// that of several at one address the last stays; `None` where there is nothing to copy.
fn in_order(tensors: &Tensors<'_>, ub: u32) -> Option<CopyTiling> {
    let mut axes = tensors.axes();
    merge(&mut axes);
    // Along a single axis no two elements have the same address, so a tile may be written at once.
    let is_inner = |axis: &mut Axis| axis.index != 0 && axis.out != 0;
    let inner = axes.pop_if(is_inner).unwrap_or(ONE);
    let tiling = tiling(tensors, &axes, [ONE, inner], 1, ub)?;
    Some(CopyTiling { in_order: 1, ..tiling })
}

/// The plan that cuts `across` and `inner` into tiles, and goes through the other axes in their
/// order.
fn tiling(
    tensors: &Tensors<'_>,
    axes: &[Axis],
    [across, inner]: [Axis; 2],
    blocks: u64,
    ub: u32,
) -> Option<CopyTiling> {
    let Tensors { from, to, element, widened } = *tensors;
    if to.is_empty() {
        return None;
    }
    let outers = count(axes);
    // Two tiles are in UB; where they are widened, with the wide elements of both.
    let most = TILE.min(ub / if widened { 6 } else { 2 });
    let (tile, boxes) = tile(tensors, [across, inner], blocks.div_ceil(outers.max(1)), most)?;
    let mut tiling = CopyTiling {
        out_offset: offset(to, tensors.out_element()),
        self_offset: offset(from, element),
        step: [across, inner],
        tile,
        tiles: [across.size.div_ceil(tile[0]), inner.size.div_ceil(tile[1])],
        self_box: boxes[0],
        out_box: boxes[1],
        widened: widened.into(),
        ..CopyTiling::default()
    };
    debug_assert!(axes.len() <= MAX_AXES, "as many as a tensor has");
    tiling.outer_axes = fill(&mut tiling.outer, axes);
    tiling.tasks = outers * tiling.tiles[0] * tiling.tiles[1];
    Some(tiling)
}

/// The largest tile of at most `most` bytes that leaves work for each block, with its boxes in self
/// and in out.
pub(super) fn tile(
    tensors: &Tensors<'_>,
    [across, inner]: [Axis; 2],
    blocks: u64,
    most: u32,
) -> Option<([u64; 2], [Box2; 2])> {
    let element = tensors.element;
    let wider = if tensors.widened { 2 } else { 1 };
    let grain = grain(inner.out, tensors.out_element());
    let share0 = across.size.div_ceil(blocks).max(1);
    let pieces = blocks.div_ceil(across.size.div_ceil(share0));
    let share1 = inner.size.div_ceil(pieces.max(1)).next_multiple_of(grain).min(inner.size);
    let run = if tensors.is_run(&inner) { Run::Axis1 } else { Run::None };
    // Shorter along the outer axis first, so that runs stay long.
    let fewer = halves(share0, 1).map(|n0| [n0, share1]);
    let shorter = halves(share1, grain).map(|n1| [1, n1]);
    fewer.chain(shorter).find_map(|tile| {
        let of = |strides: [i64; 2], element: usize, most: u32| {
            let sides = [0, 1].map(|axis| Side::cut(tile[axis], strides[axis]));
            Box2::with_run(sides, element, run, most)
        };
        let from = of([across.index, inner.index], element, most)?;
        let to = of([across.out, inner.out], tensors.out_element(), wider * most)?;
        // Each block of i32 becomes two of i64, with whatever it has behind its elements.
        let to = Box2 { ub: from.ub.map(|step| wider * step), bytes: wider * from.bytes, ..to };
        Some((tile, [from, to]))
    })
}
