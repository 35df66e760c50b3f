//! How tensors lie in their storages.

use core::fmt;

use engines::random::Random;
use engines::storage::Storage;
use engines::tensor::Tensor;

use super::values::Corners;

/// How the tensors of a case lie in their storages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// In row-major order.
    Contiguous,
    /// The axes in the opposite order.
    Transposed,
    /// Elements in between that are nobody's.
    Gaps,
    /// Elements before and after that are nobody's.
    Offset,
    /// index repeats itself along an axis or more, with a stride of 0.
    ExpandedIndex,
    /// So does src.
    ExpandedSrc,
    /// What is only read has negative strides.
    Flipped,
    /// All of that, each tensor by itself.
    Mixed,
}

impl Arrangement {
    /// Every arrangement.
    pub(super) const ALL: [Self; 8] = [
        Self::Contiguous,
        Self::Transposed,
        Self::Gaps,
        Self::Offset,
        Self::ExpandedIndex,
        Self::ExpandedSrc,
        Self::Flipped,
        Self::Mixed,
    ];
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contiguous => "contiguous",
            Self::Transposed => "transposed",
            Self::Gaps => "gaps",
            Self::Offset => "offset",
            Self::ExpandedIndex => "expanded-index",
            Self::ExpandedSrc => "expanded-src",
            Self::Flipped => "flipped",
            Self::Mixed => "mixed",
        })
    }
}

/// What an engine does with a tensor, which decides how it may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is written: no element twice, no negative stride.
    Destination,
    /// self or a gradient that is only read.
    Read,
    Src,
    /// The first so many axes may be expanded: all but the one that holds coordinates of different
    /// axes of self.
    Index(usize),
}

/// The order of the axes in memory and what else is to be done with them.
#[derive(Clone, Debug)]
struct Plan {
    /// The axes, the outermost first.
    order: Vec<usize>,
    gaps: Vec<usize>,
    flipped: Vec<bool>,
    expanded: Vec<bool>,
    before: usize,
    after: usize,
}

impl Arrangement {
    /// A tensor of `shape` with these elements (of which an expanded axis keeps the last), so
    /// arranged.
    pub(super) fn tensor(
        self,
        role: Role,
        elements: &Storage,
        shape: &[usize],
        random: &mut Random,
    ) -> Tensor {
        self.plan(role, shape.len(), random).tensor(role, elements, shape, random)
    }

    fn plan(self, role: Role, rank: usize, random: &mut Random) -> Plan {
        let mut plan = Plan {
            order: (0..rank).collect(),
            gaps: vec![0; rank],
            flipped: vec![false; rank],
            expanded: vec![false; rank],
            before: 0,
            after: 0,
        };
        let (reads, expands) = (role != Role::Destination, matches!(role, Role::Src | Role::Index(_)));
        let expandable = if let Role::Index(axes) = role { axes } else { rank };
        match self {
            Self::Contiguous => {}
            Self::Transposed => plan.order.reverse(),
            Self::Gaps => plan.gaps.fill_with(|| random.between(1, 3)),
            Self::Offset => (plan.before, plan.after) = (random.between(1, 9), random.between(0, 9)),
            Self::ExpandedIndex if matches!(role, Role::Index(_)) => {
                some_of(&mut plan.expanded[..expandable], random);
            }
            Self::ExpandedSrc if role == Role::Src => some_of(&mut plan.expanded, random),
            Self::ExpandedIndex | Self::ExpandedSrc => {}
            Self::Flipped if reads => some_of(&mut plan.flipped, random),
            Self::Flipped => {}
            Self::Mixed => {
                random.shuffle(&mut plan.order);
                plan.gaps.fill_with(|| if random.once_in(3) { random.between(1, 2) } else { 0 });
                (plan.before, plan.after) = (random.between(0, 4), random.between(0, 4));
                plan.flipped.fill_with(|| reads && random.once_in(3));
                plan.expanded[..expandable].fill_with(|| expands && random.once_in(4));
            }
        }
        plan
    }
}

/// Turns on one at least.
fn some_of(flags: &mut [bool], random: &mut Random) {
    flags.fill_with(|| random.once_in(2));
    if !flags.contains(&true) && !flags.is_empty() {
        flags[random.between(0, flags.len() - 1)] = true;
    }
}

impl Plan {
    fn tensor(&self, role: Role, elements: &Storage, shape: &[usize], random: &mut Random) -> Tensor {
        let (mut strides, mut step, mut offset) = (vec![0; shape.len()], 1, self.before);
        for &axis in self.order.iter().rev() {
            if self.expanded[axis] {
                continue;
            }
            let size = shape[axis].max(1);
            strides[axis] = if self.flipped[axis] { -(step as isize) } else { step as isize };
            offset += if self.flipped[axis] { (size - 1) * step } else { 0 };
            step = step * size + self.gaps[axis];
        }
        let len = self.before + step + self.after;
        let storage = nobodys(role, elements, len, random);
        let mut tensor = Tensor { storage, shape: shape.to_vec(), strides, offset };
        let addresses = tensor.addresses();
        tensor.storage.scattered(&addresses, elements);
        tensor
    }
}

/// What is in a storage where the tensor isn't: index values that are refused when read, numbers
/// elsewhere.
fn nobodys(role: Role, elements: &Storage, len: usize, random: &mut Random) -> Storage {
    match role {
        Role::Index(_) => Storage::filled(elements.dtype(), len, 0x7f),
        _ => Corners::drawn(random).fill(elements.dtype(), len, random),
    }
}
