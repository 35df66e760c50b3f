//! The memory that work accesses, in the form in which host-cann checks and holds it.

use core::ffi::{CStr, c_void};
use core::ptr;

use aclnn_sys::hostcannRange;
use scatter::{Argument, IndexList, Layout, Problem};
use scatter_kernels::launch::Range;

use crate::function::Function;

/// The most ranges of one piece of work: self, an index or several, src, out and a workspace.
const MOST: usize = 4 + scatter::MAX_RANK;

/// The ranges of memory that work accesses, in the order of a call's arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges {
    ranges: [hostcannRange; MOST],
    /// For each range, the address of the storage, or of the workspace, in which it lies.
    storages: [usize; MOST],
    count: usize,
}

impl Ranges {
    /// No ranges.
    pub(crate) const NONE: Self = {
        let none = hostcannRange {
            argument: c"".as_ptr(),
            address: ptr::null(),
            bytes: 0,
            isWritten: false,
            memory: ptr::null_mut(),
        };
        Self { ranges: [none; MOST], storages: [0; MOST], count: 0 }
    };

    /// The ranges of a scatter: each tensor from its first byte to its last; of src only the part
    /// that index covers.
    pub(crate) fn of(problem: &Problem, function: Function, list: Option<&IndexList>) -> Self {
        let (addresses, bytes) = (problem.addresses(), problem.dtype().size());
        let name = |argument| function.c_parameter(argument);
        let is_in_place = problem.in_place();
        let mut all = Self::NONE;
        if !problem.starts_from_zeros() {
            all.add(name(Argument::SelfTensor), addresses.self_, problem.self_layout(), bytes, is_in_place);
        }
        if let Some(list) = list.filter(|_| !problem.is_copy()) {
            for (dtype, layout, address) in list.tensors() {
                all.add(name(Argument::Index), *address, layout, dtype.size(), false);
            }
        } else if let Some((index, dtype)) = problem.index_layout().zip(problem.index_dtype()) {
            all.add(name(Argument::Index), addresses.index, index, dtype.size(), false);
        }
        if let Some(src) = problem.src_layout() {
            all.add(name(Argument::Src), addresses.src, src, bytes, false);
        }
        if !is_in_place {
            all.add(name(Argument::Out), addresses.out, problem.out_layout(), bytes, true);
        }
        all
    }

    /// Adds the range of a workspace.
    pub(crate) fn and_workspace(mut self, workspace: &Range) -> Self {
        let bytes = usize::try_from(workspace.bytes).unwrap_or(usize::MAX);
        self.push(c"workspace", workspace.address.addr(), workspace.address.cast_const(), bytes, true);
        self
    }

    /// Adds the range from a tensor's lowest element to its highest. An element has `element`
    /// bytes.
    fn add(&mut self, name: &'static CStr, address: usize, layout: &Layout, element: usize, written: bool) {
        let Some(span) = layout.span() else { return };
        let first = address.saturating_add(span.start().saturating_mul(element));
        let bytes = (span.end() - span.start() + 1).saturating_mul(element);
        self.push(name, address, ptr::with_exposed_provenance(first), bytes, written);
    }

    fn push(
        &mut self,
        name: &'static CStr,
        storage: usize,
        address: *const c_void,
        bytes: usize,
        is_written: bool,
    ) {
        if let Some((range, place)) = self.ranges.get_mut(self.count).zip(self.storages.get_mut(self.count)) {
            let (argument, memory) = (name.as_ptr(), address.cast_mut());
            *range = hostcannRange { argument, address, bytes, isWritten: is_written, memory };
            *place = storage;
            self.count += 1;
        }
    }

    /// The ranges for host-cann, which stores in each where the host can access it.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [hostcannRange] {
        self.ranges.get_mut(..self.count).unwrap_or_default()
    }

    /// Whether the host accesses a range at another address than the device's.
    pub(crate) fn are_elsewhere(&self) -> bool {
        self.pairs().any(|(_, range)| range.memory.cast_const() != range.address)
    }

    /// The address at which the host can access the storage, or the workspace, with this device
    /// address.
    pub(crate) fn place(&self, storage: usize) -> usize {
        let range = self.pairs().find(|(known, _)| *known == storage).map(|(_, range)| range);
        range.map_or(storage, |range| {
            storage.wrapping_add(range.memory.expose_provenance().wrapping_sub(range.address.addr()))
        })
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, &hostcannRange)> {
        self.storages.iter().copied().zip(&self.ranges).take(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use scatter::{DType, Op, Operand};

    /// For each range: its name, the address of its first byte, its size, and whether it is
    /// written.
    fn listed(ranges: &Ranges) -> Vec<(&'static str, usize, usize, bool)> {
        let listed = |range: &hostcannRange| {
            // SAFETY: the names are constant C strings.
            let name = unsafe { CStr::from_ptr(range.argument) }.to_str().unwrap();
            (name, range.address.addr(), range.bytes, range.isWritten)
        };
        ranges.pairs().map(|(_, range)| listed(range)).collect()
    }

    fn operand(dtype: DType, shape: &[usize], strides: &[isize], offset: usize, address: usize) -> Operand {
        Operand::new(dtype, Layout::new(shape, strides, offset, 1000).unwrap(), address)
    }

    #[test]
    fn a_tensor_reaches_from_its_first_byte_to_its_last() {
        // self with every second row in reverse order, and a transposed index.
        let self_ = operand(DType::F32, &[3, 4], &[-8, 1], 18, 0x1000);
        let index = operand(DType::I64, &[2, 3], &[1, 2], 5, 0x20000);
        let src = operand(DType::F32, &[2, 3], &[0, 7], 1, 0x30000);
        let out = operand(DType::F32, &[3, 4], &[10, 3], 0, 0x40000);
        let op = Op::ScatterAdd { dim: 1 };
        let problem = Problem::new(op, &self_, &index, Some(&src), &out).unwrap();
        let read = [
            ("self", 0x1000 + 2 * 4, 20 * 4, false),
            ("index", 0x20000 + 5 * 8, 6 * 8, false),
            ("src", 0x30000 + 4, 15 * 4, false),
        ];
        let ranges = Ranges::of(&problem, Function::ScatterAdd, None);
        assert_eq!(listed(&ranges), [&read[..], &[("out", 0x40000, 30 * 4, true)]].concat());
        // In place, self is written.
        let problem = Problem::new(op, &self_, &index, Some(&src), &self_).unwrap();
        let ranges = Ranges::of(&problem, Function::InplaceScatter, None);
        let written = ("selfRef", 0x1000 + 2 * 4, 20 * 4, true);
        assert_eq!(listed(&ranges), [&[written], &read[1..]].concat());
        let workspace = Range { address: ptr::without_provenance_mut(0x5000), bytes: 192 };
        let last = listed(&ranges.and_workspace(&workspace)).pop();
        assert_eq!(last, Some(("workspace", 0x5000, 192, true)));
    }

    #[test]
    fn of_src_only_the_block_counts_that_is_read() {
        let self_ = operand(DType::F16, &[5, 6], &[6, 1], 0, 0x1000);
        let index = operand(DType::I32, &[2, 3], &[3, 1], 0, 0x2000);
        let src = operand(DType::F16, &[4, 10], &[10, 1], 100, 0x3000);
        let problem = Problem::new(Op::ScatterAdd { dim: 0 }, &self_, &index, Some(&src), &self_).unwrap();
        let ranges = Ranges::of(&problem, Function::ScatterAdd, None);
        assert_eq!(listed(&ranges)[2], ("src", 0x3000 + 200, 13 * 2, false));
    }

    #[test]
    fn what_is_not_touched_is_not_told() {
        let self_ = operand(DType::F32, &[4], &[1], 0, 0x1000);
        let out = operand(DType::F32, &[4], &[1], 0, 0x4000);
        let (none, one) =
            (operand(DType::I64, &[0], &[1], 0, 0x2000), operand(DType::I64, &[1], &[1], 0, 0x2000));
        let src = operand(DType::F32, &[4], &[1], 0, 0x3000);
        let (read, written) = (("self", 0x1000, 16, false), ("out", 0x4000, 16, true));
        // An empty index: self is copied to out.
        let copy = Problem::new(Op::ScatterAdd { dim: 0 }, &self_, &none, Some(&src), &out).unwrap();
        assert_eq!(listed(&Ranges::of(&copy, Function::ScatterAdd, None)), [read, written]);
        // A scalar takes the place of src.
        let value = scatter::Scalar::Int(1);
        let op = Op::ScatterValue { dim: 0, value, reduce: scatter::Reduce::None };
        let problem = Problem::new(op, &self_, &one, None, &out).unwrap();
        let ranges = Ranges::of(&problem, Function::ScatterValue, None);
        assert_eq!(listed(&ranges), [read, ("index", 0x2000, 8, false), written]);
        // Neither self nor out has elements.
        let nothing = operand(DType::F32, &[0], &[1], 0, 0x1000);
        let problem = Problem::new(Op::ScatterAdd { dim: 0 }, &nothing, &one, Some(&src), &nothing).unwrap();
        let ranges = Ranges::of(&problem, Function::TfScatterAdd, None);
        assert_eq!(listed(&ranges), [("indices", 0x2000, 8, false), ("updates", 0x3000, 4, false)]);
    }

    /// Memory that the host accesses at another address is found by the storage's address,
    /// regardless of where the tensor begins in it.
    #[test]
    fn a_storage_lies_where_its_range_does() {
        let self_ = operand(DType::F32, &[4], &[1], 3, 0x1000);
        let index = operand(DType::I64, &[2], &[1], 0, 0x2000);
        let src = operand(DType::F32, &[2], &[1], 5, 0x3000);
        let problem = Problem::new(Op::ScatterAdd { dim: 0 }, &self_, &index, Some(&src), &self_).unwrap();
        let mut ranges = Ranges::of(&problem, Function::ScatterAdd, None);
        assert!(!ranges.are_elsewhere());
        assert_eq!(
            [0x1000, 0x2000, 0x3000, 0x4000].map(|at| ranges.place(at)),
            [0x1000, 0x2000, 0x3000, 0x4000]
        );
        let moved = [ranges.as_mut_slice()[0].memory, ranges.as_mut_slice()[2].memory];
        ranges.as_mut_slice()[0].memory = moved[0].wrapping_byte_add(0x70_0000);
        ranges.as_mut_slice()[2].memory = moved[1].wrapping_byte_sub(0x100);
        assert!(ranges.are_elsewhere());
        assert_eq!(
            [0x1000, 0x2000, 0x3000, 0x4000].map(|at| ranges.place(at)),
            [0x70_1000, 0x2000, 0x2f00, 0x4000]
        );
    }

    #[test]
    fn out_is_only_written_where_it_starts_as_zeros() {
        let grad = operand(DType::F32, &[2, 4], &[4, 1], 0, 0x1000);
        let index = operand(DType::I32, &[2], &[1], 0, 0x2000);
        let out = operand(DType::F32, &[3, 4], &[4, 1], 0, 0x3000);
        let op = Op::EmbeddingBackward { padding: None, scale: false };
        let problem = Problem::new(op, &out, &index, Some(&grad), &out).unwrap();
        let ranges = Ranges::of(&problem, Function::EmbeddingDenseBackward, None);
        let read = [("indices", 0x2000, 8, false), ("grad", 0x1000, 32, false)];
        assert_eq!(listed(&ranges), [&read[..], &[("out", 0x3000, 48, true)]].concat());
    }

    #[test]
    fn a_gather_reads_self_and_writes_out() {
        let grad = operand(DType::F32, &[3, 4], &[4, 1], 0, 0x1000);
        let index = operand(DType::I32, &[2, 4], &[4, 1], 0, 0x2000);
        let out = operand(DType::F32, &[2, 4], &[5, 1], 2, 0x3000);
        let problem = Problem::new(Op::Gather { dim: 0 }, &grad, &index, None, &out).unwrap();
        let ranges = Ranges::of(&problem, Function::Gather, None);
        let listed = listed(&ranges);
        assert_eq!(listed[..2], [("self", 0x1000, 48, false), ("index", 0x2000, 32, false)]);
        assert_eq!(listed[2..], [("out", 0x3008, 36, true)]);
    }
}
