//! Memory of devices and pinned memory of the host.

pub(crate) mod allocate;
mod block;
pub(crate) mod copy;
pub(crate) mod hold;
pub(crate) mod info;
pub(crate) mod mapping;
mod pages;
mod ranges;
pub(crate) mod register;
pub(crate) mod set;
mod space;
pub(crate) mod span;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::config::{self, MAX_DEVICES};
use crate::sync::lock;
pub(crate) use block::Block;
pub(crate) use pages::address;
pub(crate) use space::{Space, Usage};

/// The memory of each device, and last the pinned memory of the host. Created when first used and
/// never removed, so that an address always belongs to the same space.
static SPACES: [OnceLock<Space>; MAX_DEVICES + 1] = [const { OnceLock::new() }; MAX_DEVICES + 1];
const PINNED: usize = MAX_DEVICES;
/// Bytes of memory of each device.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// Where an address lies.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a device's memory, in or just behind a living block or not.
    Device(i32, Option<Arc<Block>>),
    /// In pinned memory of the host, in or just behind a living block or not.
    Pinned(Option<Arc<Block>>),
    /// In host memory registered by `aclrtHostRegister`, with the bytes of that range from the
    /// address on.
    Registered(usize),
    /// In the program's own memory.
    Pageable,
}

/// Where an address lies.
pub(crate) fn locate(address: usize) -> Place {
    let mut spaces = SPACES.iter().enumerate().filter_map(|(index, space)| Some((index, space.get()?)));
    match spaces.find(|(_, space)| space.contains(address)) {
        Some((PINNED, space)) => Place::Pinned(space.find(address)),
        Some((index, space)) => Place::Device(i32::try_from(index).unwrap_or(i32::MAX), space.find(address)),
        None => match mapping::find(address) {
            Some((device, block)) => Place::Device(device, block),
            None => match register::room(address) {
                0 => Place::Pageable,
                room => Place::Registered(room),
            },
        },
    }
}

/// A device's memory; `None` if the system has no addresses for it.
pub(crate) fn device_space(device: i32) -> Option<&'static Space> {
    space(slot(device)?, LIMIT.load(Ordering::Relaxed), !config::host_access())
}

/// A device's memory, if it was used before.
fn made_space(device: i32) -> Option<&'static Space> {
    slot(device)?.get()
}

fn slot(device: i32) -> Option<&'static OnceLock<Space>> {
    usize::try_from(device).ok().filter(|index| *index < MAX_DEVICES).and_then(|index| SPACES.get(index))
}

/// The pinned memory of the host, which has no limit but the system's.
pub(crate) fn pinned_space() -> Option<&'static Space> {
    space(&SPACES[PINNED], usize::MAX, false)
}

fn space(slot: &'static OnceLock<Space>, limit: usize, apart: bool) -> Option<&'static Space> {
    first(slot, || Space::new(limit, apart))
}

/// The value of a slot, made now if there is none yet. One thread at a time makes one: of two
/// spaces for one slot the second would be of no use and still keep its addresses, and where the
/// system gives few of them, all threads together would take the last.
fn first<T>(slot: &OnceLock<T>, make: impl FnOnce() -> Option<T>) -> Option<&T> {
    static MAKING: Mutex<()> = Mutex::new(());
    if slot.get().is_none() {
        let _making = lock(&MAKING);
        if slot.get().is_none() {
            let _ = slot.set(make()?);
        }
    }
    slot.get()
}

/// Limits the devices' memory.
pub(crate) fn set_limit(limit: usize) {
    LIMIT.store(limit, Ordering::Relaxed);
    SPACES[..MAX_DEVICES].iter().filter_map(OnceLock::get).for_each(|space| space.set_limit(limit));
}

/// What is in use on all devices together, and of the host's pinned memory.
pub(crate) fn usage() -> (Usage, Usage) {
    let none = Usage { blocks: 0, used: 0, limit: 0 };
    let sum = |sum: Usage, next: Usage| Usage {
        blocks: sum.blocks + next.blocks,
        used: sum.used + next.used,
        limit: next.limit,
    };
    let of =
        |slots: &[OnceLock<Space>]| slots.iter().filter_map(OnceLock::get).map(Space::usage).fold(none, sum);
    (of(&SPACES[..PINNED]), of(&SPACES[PINNED..]))
}

/// A copy of the program's values; `None` where the system has no memory for it.
pub(crate) fn copied<T: Copy>(values: &[T]) -> Option<Box<[T]>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).ok()?;
    copy.extend_from_slice(values);
    Some(copy.into_boxed_slice())
}

/// Ends all allocations.
pub(crate) fn clear() {
    SPACES.iter().filter_map(OnceLock::get).for_each(Space::clear);
    register::clear();
    mapping::clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_come_at_once_share_what_one_of_them_makes() {
        const THREADS: usize = 4;
        let (slot, made, come) = (OnceLock::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        // Nothing is made before all of them have come.
        let make = || {
            while come.load(Ordering::Relaxed) < THREADS {
                std::thread::yield_now();
            }
            Some(made.fetch_add(1, Ordering::Relaxed))
        };
        let come_and_look = || {
            come.fetch_add(1, Ordering::Relaxed);
            first(&slot, make)
        };
        std::thread::scope(|scope| {
            let threads = [(); THREADS].map(|()| scope.spawn(come_and_look));
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == Some(&0)));
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!(first(&OnceLock::<u8>::new(), || None), None);
    }
}
