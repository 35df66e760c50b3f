//! Handles: numbers that stand for objects and are never addresses.
//!
//! A handle consists of its kind, the slot in that kind's table, and the generation of the slot. A
//! slot's generation grows whenever its object is removed, so that no later object has the handle
//! of an earlier one. No address has these top bits, so a handle is never mistaken for an address,
//! and reading through one faults.

use std::collections::VecDeque;
use std::sync::RwLock;

use crate::sync::{read, write};

const _: () = assert!(size_of::<usize>() == 8, "handles need 64 bits");

const INDEX_BITS: u32 = 28;
const GENERATION_BITS: u32 = 28;

/// A kind of handle, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Context = 0xA1,
    Stream,
    Event,
    Tensor,
    Scalar,
    IntArray,
    FloatArray,
    BoolArray,
    TensorList,
    ScalarList,
    Exception,
    Physical,
    Channel,
    Dataset,
    DataBuffer,
    TensorDesc,
    OpAttr,
}

/// The existing objects of a kind.
pub(crate) struct Table<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Slots without an object, the longest unused first.
    free: VecDeque<usize>,
    live: usize,
}

struct Slot<T> {
    generation: usize,
    value: Option<T>,
}

impl<T> Table<T> {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { kind, slots: RwLock::new(Slots { slots: Vec::new(), free: VecDeque::new(), live: 0 }) }
    }

    /// Adds an object; `None` when all handles are used up.
    pub(crate) fn insert(&self, value: T) -> Option<usize> {
        self.insert_with(|_| value)
    }

    /// Adds an object that is made with its handle.
    pub(crate) fn insert_with(&self, make: impl FnOnce(usize) -> T) -> Option<usize> {
        let mut slots = write(&self.slots);
        let index = match slots.free.pop_front() {
            Some(index) => index,
            None if slots.slots.len() < 1 << INDEX_BITS => {
                slots.slots.push(Slot { generation: 1, value: None });
                slots.slots.len() - 1
            }
            None => return None,
        };
        let slot = slots.slots.get_mut(index)?;
        let handle = (self.kind as usize) << 56 | slot.generation << INDEX_BITS | index;
        slot.value = Some(make(handle));
        slots.live += 1;
        Some(handle)
    }

    /// Reads an object under the table's lock: `look` must not call the same table.
    pub(crate) fn with<R>(&self, handle: usize, look: impl FnOnce(&T) -> R) -> Option<R> {
        let (index, generation) = self.parts(handle)?;
        let slots = read(&self.slots);
        let slot = slots.slots.get(index).filter(|slot| slot.generation == generation)?;
        slot.value.as_ref().map(look)
    }

    /// Changes an object under the table's lock: `change` must not call the same table.
    pub(crate) fn with_mut<R>(&self, handle: usize, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let (index, generation) = self.parts(handle)?;
        let mut slots = write(&self.slots);
        let slot = slots.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        slot.value.as_mut().map(change)
    }

    /// The object itself.
    pub(crate) fn get(&self, handle: usize) -> Option<T>
    where
        T: Clone,
    {
        self.with(handle, T::clone)
    }

    /// Ends a handle and returns its object.
    pub(crate) fn remove(&self, handle: usize) -> Option<T> {
        let (index, generation) = self.parts(handle)?;
        let mut slots = write(&self.slots);
        let slot = slots.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        let value = slot.value.take()?;
        slot.generation += 1;
        let used_up = slot.generation >= 1 << GENERATION_BITS;
        slots.live -= 1;
        // A slot that has had every generation is never used again.
        if !used_up {
            slots.free.push_back(index);
        }
        Some(value)
    }

    /// The objects that a condition holds for.
    pub(crate) fn matching(&self, wanted: impl Fn(&T) -> bool) -> Vec<T>
    where
        T: Clone,
    {
        let slots = read(&self.slots);
        slots
            .slots
            .iter()
            .filter_map(|slot| slot.value.as_ref())
            .filter(|value| wanted(value))
            .cloned()
            .collect()
    }

    /// How many objects a condition holds for.
    pub(crate) fn count(&self, wanted: impl Fn(&T) -> bool) -> usize {
        read(&self.slots)
            .slots
            .iter()
            .filter_map(|slot| slot.value.as_ref())
            .filter(|value| wanted(value))
            .count()
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> usize {
        read(&self.slots).live
    }

    /// Ends every handle and returns the objects.
    pub(crate) fn drain(&self) -> Vec<T> {
        let mut guard = write(&self.slots);
        let slots = &mut *guard;
        let mut drained = Vec::new();
        for (index, slot) in slots.slots.iter_mut().enumerate() {
            if let Some(value) = slot.value.take() {
                drained.push(value);
                slot.generation += 1;
                if slot.generation < 1 << GENERATION_BITS {
                    slots.free.push_back(index);
                }
            }
        }
        slots.live = 0;
        drained
    }

    /// Slot and generation, if the number is a handle of this kind.
    fn parts(&self, handle: usize) -> Option<(usize, usize)> {
        let low = |bits: u32| (1_usize << bits) - 1;
        (handle >> 56 == self.kind as usize)
            .then_some((handle & low(INDEX_BITS), handle >> INDEX_BITS & low(GENERATION_BITS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_means_its_object_until_it_ends_and_nothing_afterwards() {
        let table = Table::new(Kind::Event);
        let first = table.insert("first").unwrap();
        assert_eq!(table.get(first), Some("first"));
        assert_eq!(table.remove(first), Some("first"));
        assert_eq!(table.remove(first), None);
        let second = table.insert("second").unwrap();
        assert_ne!(first, second);
        assert_eq!((table.get(first), table.get(second), table.len()), (None, Some("second"), 1));
        assert_eq!(table.drain(), ["second"]);
        assert_eq!((table.get(second), table.len()), (None, 0));
        // A handle that ended with all others isn't used again either.
        let third = table.insert("third").unwrap();
        assert!(third != first && third != second, "{third:#x}");
        assert_eq!((table.get(second), table.get(third)), (None, Some("third")));
    }

    #[test]
    fn a_handle_of_another_kind_or_of_nothing_is_refused() {
        let events = Table::new(Kind::Event);
        let streams = Table::new(Kind::Stream);
        let event = events.insert(1).unwrap();
        let stream = streams.insert(2).unwrap();
        for handle in
            [0, 1, 0x1000, usize::MAX, stream, event + 1, event & !(0xF << 60), &raw const event as usize]
        {
            assert_eq!(events.get(handle), None, "{handle:#x}");
        }
        assert_eq!(streams.get(event), None);
    }
}
