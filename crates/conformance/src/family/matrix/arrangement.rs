//! How tensors lie in their storages.

use core::fmt;

use engines::random::Random;
use engines::storage::Storage;
use engines::tensor::Tensor;

/// How the tensors of a case lie in their storages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// In row-major order.
    Contiguous,
    /// With the axes in the opposite order in memory.
    Transposed,
    /// With gaps between the elements.
    Gaps,
    /// With unused storage before and after the elements.
    Offset,
    /// index is expanded along at least one axis: it has a stride of 0 there.
    ExpandedIndex,
    /// src is expanded.
    ExpandedSrc,
    /// Tensors that are only read have negative strides.
    Flipped,
    /// All of these, chosen for each tensor by itself.
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

/// The role of a tensor in a call, which decides the layouts that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Written, so no two elements may share memory; it has no negative strides either.
    Destination,
    /// self that is only read.
    Read,
    Src,
    /// The number of leading axes that may be expanded: all, except the last axis of indices, along
    /// which the components of an entry lie.
    Index(usize),
}

/// The order of the axes in memory, and the treatment of each.
#[derive(Clone, Debug)]
struct MemoryOrder {
    /// The axes, outermost first.
    order: Vec<usize>,
    gaps: Vec<usize>,
    flipped: Vec<bool>,
    expanded: Vec<bool>,
    before: usize,
    after: usize,
}

impl Arrangement {
    /// A tensor of `shape` with these elements in this arrangement. Along an expanded axis the last
    /// element replaces the others.
    pub(super) fn tensor(
        self,
        role: Role,
        elements: &Storage,
        shape: &[usize],
        random: &mut Random,
    ) -> Tensor {
        self.memory_order(role, shape.len(), random).tensor(role, elements, shape, random)
    }

    fn memory_order(self, role: Role, rank: usize, random: &mut Random) -> MemoryOrder {
        let mut memory = MemoryOrder {
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
            Self::Transposed => memory.order.reverse(),
            Self::Gaps => memory.gaps.fill_with(|| random.between(1, 3)),
            Self::Offset => (memory.before, memory.after) = (random.between(1, 9), random.between(0, 9)),
            Self::ExpandedIndex if matches!(role, Role::Index(_)) => {
                some_of(&mut memory.expanded[..expandable], random);
            }
            Self::ExpandedSrc if role == Role::Src => some_of(&mut memory.expanded, random),
            Self::ExpandedIndex | Self::ExpandedSrc => {}
            Self::Flipped if reads => some_of(&mut memory.flipped, random),
            Self::Flipped => {}
            Self::Mixed => {
                random.shuffle(&mut memory.order);
                memory.gaps.fill_with(|| if random.once_in(3) { random.between(1, 2) } else { 0 });
                (memory.before, memory.after) = (random.between(0, 4), random.between(0, 4));
                memory.flipped.fill_with(|| reads && random.once_in(3));
                memory.expanded[..expandable].fill_with(|| expands && random.once_in(4));
            }
        }
        memory
    }
}

/// Sets random flags, at least one.
fn some_of(flags: &mut [bool], random: &mut Random) {
    flags.fill_with(|| random.once_in(2));
    if !flags.contains(&true) && !flags.is_empty() {
        flags[random.between(0, flags.len() - 1)] = true;
    }
}

impl MemoryOrder {
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
        let storage = around(role, elements, len, random);
        let mut tensor = Tensor { storage, shape: shape.to_vec(), strides, offset };
        let addresses = tensor.addresses();
        tensor.storage.scattered(&addresses, elements);
        tensor
    }
}

/// A storage of `len` elements, of the dtype of `elements`, which are then put into it. Around them
/// it holds values that are out of range if the tensor is an index, and random bytes otherwise.
fn around(role: Role, elements: &Storage, len: usize, random: &mut Random) -> Storage {
    match role {
        Role::Index(_) => Storage::filled(elements.dtype(), len, 0x7f),
        _ => {
            let mut storage = Storage::zeroed(elements.dtype(), len);
            random.fill(storage.bytes_mut());
            storage
        }
    }
}
