//! The storages of a call, whatever their types.

use core::ptr;

use super::index::storage::IndexStorage;
use super::memory::Memory;
use crate::{Addresses, Element, Index, Problem};

/// Storages whose types are in the problem.
#[derive(Clone, Copy)]
pub(super) struct Pointers {
    pub(super) self_: *const u8,
    pub(super) index: IndexStorage,
    pub(super) src: *const u8,
    pub(super) out: *mut u8,
}

impl Pointers {
    /// Those of the tensors that a problem was made for.
    pub(super) fn of<T: Element, I: Index>(problem: &Problem, memory: &mut Memory<'_, T, I>) -> Self {
        let Memory { self_, index, src, out } = memory;
        Self {
            self_: self_.as_ref().map_or(ptr::null(), |self_| self_.storage().cast()),
            index: IndexStorage::new(problem.index_dtype(), index.storage().cast()),
            src: src.as_ref().map_or(ptr::null(), |src| src.storage().cast()),
            out: out.storage().cast(),
        }
    }

    /// Those at the addresses that a problem is bound to, whose provenance is exposed.
    pub(super) fn exposed(problem: &Problem) -> Self {
        let Addresses { self_, index, src, out } = problem.addresses();
        Self {
            self_: ptr::with_exposed_provenance(self_),
            index: IndexStorage::new(problem.index_dtype(), ptr::with_exposed_provenance(index)),
            src: ptr::with_exposed_provenance(src),
            out: ptr::with_exposed_provenance_mut(out),
        }
    }
}

// SAFETY: the addresses belong to no thread. Until the call is done, nobody else writes the memory
// behind them or reads that of out, and tasks that run at the same time own different elements of
// out.
unsafe impl Send for Pointers {}
// SAFETY: the addresses belong to no thread. Until the call is done, nobody else writes the memory
// behind them or reads that of out, and tasks that run at the same time own different elements of
// out.
unsafe impl Sync for Pointers {}
