//! A problem in the form that kernels are planned from: its axes sorted by their role, and merged
//! where possible.

use scatter::{Layout, Problem, Reduce, Target};

use crate::tiling::{Axis, MAX_AXES, TargetAxis};

/// The axes of an update, their strides in bytes. A gather is described as a scatter whose elements
/// move the other way: with self as its out, and out as its src.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Along these axes out, index and src move together, so updates never meet.
    pub(super) batch: Vec<Axis>,
    /// Along these axes out does not move, so updates may meet, and are applied in row-major order.
    /// At least one.
    pub(super) updates: Vec<Axis>,
    /// The sizes of the axes that the components of an entry of index address, against which they
    /// are checked; but the last must leave room for a window.
    pub(super) components: Vec<u64>,
    /// index's stride between the components of an entry.
    pub(super) component_stride: i64,
    /// The axes that the components address. Empty where out has no element.
    pub(super) targets: Vec<TargetAxis>,
    pub(super) target_count: u64,
    pub(super) update_count: u64,
    /// How many targets an index value names: more than 1 where it names the beginning of a window,
    /// of which the last update axis has the elements.
    pub(super) window: u64,
    /// In [`Self::of_one_list`], how many targets apart successive entries are that have the same
    /// index value; else 0.
    pub(super) apart: u64,
    pub(super) element: usize,
    pub(super) index_bytes: usize,
    pub(super) has_src: bool,
    pub(super) is_wide: bool,
    pub(super) is_counted: bool,
    pub(super) offsets: Offsets,
}

/// Where the first elements are, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offsets {
    pub(super) out: i64,
    pub(super) index: i64,
    pub(super) src: i64,
}

/// A stride or an offset in bytes. The layouts lie inside their storages, so no value that is used
/// overflows; the stride of an axis of size 1 may, but is not used.
pub(super) fn bytes(elements: isize, size: usize) -> i64 {
    (elements as i64).wrapping_mul(size as i64)
}

/// Where a layout begins, in bytes.
pub(super) fn offset(layout: &Layout, size: usize) -> i64 {
    bytes(layout.offset() as isize, size)
}

impl Work {
    /// The axes of a problem; `None` where there are no updates.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let (index, indexed) = (problem.index_layout()?, problem.target()?);
        let (out, src) = if problem.gathers() {
            (problem.self_layout(), Some(problem.out_layout()))
        } else {
            (problem.out_layout(), problem.src_layout())
        };
        let (element, index_size) = (problem.dtype().size(), problem.index_dtype()?.size());
        // Where out has no element, src is not needed, and may have no elements either.
        let src = src.filter(|_| !out.is_empty());
        let src_stride = |axis: usize| src.map_or(0, |src| bytes(src.strides()[axis], element));
        let out_stride = |axis: usize| bytes(out.strides()[axis], element);
        let index_stride = |axis: usize| bytes(index.strides()[axis], index_size);
        let positions = positions(index);

        let (mut batch, mut updates) = (Vec::new(), Vec::new());
        let (indexed_axes, component_stride) = match indexed {
            Target::Dim(dim) => {
                for (axis, &size) in index.shape().iter().enumerate() {
                    let is_update = axis == dim;
                    let made = Axis {
                        size: size as u64,
                        out: if is_update { 0 } else { out_stride(axis) },
                        index: index_stride(axis),
                        src: src_stride(axis),
                        position: positions[axis],
                    };
                    if is_update { updates.push(made) } else { batch.push(made) }
                }
                (dim..dim + 1, 0)
            }
            Target::Nd(depth) => {
                let rows = index.rank() - 1;
                for (axis, &size) in index.shape().iter().take(rows).enumerate() {
                    updates.push(Axis {
                        size: size as u64,
                        out: 0,
                        index: index_stride(axis),
                        src: src_stride(axis),
                        position: positions[axis],
                    });
                }
                for (axis, &size) in out.shape().iter().enumerate().skip(depth) {
                    batch.push(Axis {
                        size: size as u64,
                        out: out_stride(axis),
                        src: src_stride(rows + axis - depth),
                        ..Axis::default()
                    });
                }
                (0..depth, index_stride(rows))
            }
        };
        let components: Vec<u64> =
            out.shape()[indexed_axes.clone()].iter().map(|&size| size as u64).collect();
        let mut targets = Vec::new();
        let mut target_count = 0;
        if out.is_empty() {
            batch.clear();
        } else {
            targets = indexed_axes
                .map(|axis| TargetAxis { size: out.shape()[axis] as u64, out: out_stride(axis) })
                .collect();
            merge_targets(&mut targets);
            target_count = targets.iter().map(|target| target.size).product();
        }
        sort_and_merge(&mut batch);
        // The axis of a window is the last one. It stays apart: the place along it counts.
        let window = problem.window().and_then(|_| updates.pop());
        merge(&mut updates);
        updates.extend(window);
        if updates.is_empty() {
            updates.push(Axis { size: 1, ..Axis::default() });
        }
        let reduce = problem.reduce();
        let include_self = problem.op().include_self();
        Some(Self {
            update_count: updates.iter().map(|axis| axis.size).product(),
            window: window.map_or(1, |axis| axis.size),
            apart: 0,
            batch,
            updates,
            components,
            component_stride,
            targets,
            target_count,
            element,
            index_bytes: index_size,
            has_src: src.is_some(),
            is_wide: reduce != Reduce::None
                && matches!(problem.dtype(), scatter::DType::F16 | scatter::DType::Bf16),
            is_counted: reduce == Reduce::Mean || (reduce != Reduce::None && !include_self),
            offsets: Offsets {
                out: offset(out, element),
                index: offset(index, index_size),
                src: src.map_or(0, |src| offset(src, element)),
            },
        })
    }

    /// The same updates with a batch axis as the update axis, so that a list of all its entries
    /// takes the place of a list of one entry for each of its coordinates. Each entry has targets
    /// of its own. `None` where coordinates have several updates, and where no batch axis steps
    /// over whole ranges of targets.
    pub(super) fn of_one_list(&self) -> Option<Self> {
        let ([update], [places], [target]) = (&self.updates[..], &self.components[..], &self.targets[..])
        else {
            return None;
        };
        if update.size != 1 {
            return None;
        }
        let apart = |axis: &Axis| {
            let apart = u64::try_from(axis.out.checked_div(target.out)?).ok()?;
            (axis.out % target.out == 0 && apart >= *places).then_some(apart)
        };
        let found =
            self.batch.iter().enumerate().filter_map(|(at, axis)| Some((axis.size, at, apart(axis)?)));
        let (size, at, apart) = found.max()?;
        let target_count = apart.checked_mul(size)?;
        let mut batch = self.batch.clone();
        let joined = batch.remove(at);
        Some(Self {
            batch,
            updates: vec![Axis { out: 0, ..joined }],
            targets: vec![TargetAxis { size: target_count, ..*target }],
            target_count,
            update_count: size,
            apart,
            ..self.clone()
        })
    }

    /// The same updates by a list of i32, which has the number of each one's target, instead of an
    /// index of several components. `None` where targets have no numbers, and for windows.
    pub(super) fn by_numbers(&self) -> Option<Self> {
        let ([update], [_]) = (&self.updates[..], &self.targets[..]) else { return None };
        let index_bytes = size_of::<i32>();
        (self.components.len() > 1 && self.window == 1).then(|| Self {
            components: vec![self.target_count],
            component_stride: 0,
            updates: vec![Axis { index: index_bytes as i64, ..*update }],
            index_bytes,
            offsets: Offsets { index: 0, ..self.offsets },
            ..self.clone()
        })
    }

    /// out's stride from a target to the next; 0 where there is none.
    pub(super) fn target_step(&self) -> i64 {
        self.targets.last().map_or(0, |target| target.out)
    }

    /// The last update axis, which is cut into chunks.
    pub(super) fn last_update(&self) -> Axis {
        self.updates.last().copied().unwrap_or_default()
    }
}

/// The strides of index's row-major order: 0 along an axis on which it is broadcast, whose first
/// entry stands for all.
fn positions(index: &Layout) -> [u64; MAX_AXES] {
    let mut positions = [0; MAX_AXES];
    let mut step = 1_u64;
    for (axis, &size) in index.shape().iter().enumerate().rev() {
        positions[axis] = if index.strides()[axis] == 0 { 0 } else { step };
        step = step.wrapping_mul(size as u64);
    }
    positions
}

/// [`merge`] for batch axes, whose order does not matter; in out's memory order they merge best.
fn sort_and_merge(batch: &mut Vec<Axis>) {
    batch.sort_by_key(|axis| core::cmp::Reverse(axis.out.unsigned_abs()));
    merge(batch);
}

/// Drops axes of one element, and merges two axes into one where the strides of every tensor allow
/// it.
pub(super) fn merge(axes: &mut Vec<Axis>) {
    axes.retain(|axis| axis.size != 1);
    axes.dedup_by(|inner, outer| {
        let steps = |stride: i64| i64::try_from(inner.size).ok().and_then(|size| size.checked_mul(stride));
        let is_one = steps(inner.out) == Some(outer.out)
            && steps(inner.index) == Some(outer.index)
            && steps(inner.src) == Some(outer.src)
            && inner.position.checked_mul(inner.size) == Some(outer.position);
        if is_one {
            *outer = Axis { size: outer.size * inner.size, ..*inner };
        }
        is_one
    });
}

/// As [`merge`].
fn merge_targets(targets: &mut Vec<TargetAxis>) {
    targets.retain(|target| target.size != 1);
    targets.dedup_by(|inner, outer| {
        let is_one =
            i64::try_from(inner.size).ok().and_then(|size| size.checked_mul(inner.out)) == Some(outer.out);
        if is_one {
            *outer = TargetAxis { size: outer.size * inner.size, out: inner.out };
        }
        is_one
    });
}
