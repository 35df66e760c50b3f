//! Random addresses, good and bad.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;

use crate::memory::Place;
use crate::world::World;

/// An address as a pointer.
pub(crate) fn pointer(address: usize) -> *mut c_void {
    with_exposed_provenance_mut(address)
}

/// A random allocation, in a place that `is_of` accepts, of at least `len` bytes: its address and
/// size.
fn room(world: &mut World, len: usize, is_of: impl Fn(Place) -> bool) -> Option<(usize, usize)> {
    let fit = |found: &&crate::memory::Allocation| is_of(found.place) && found.len() >= len;
    let found: Vec<(usize, usize)> =
        world.memory.all().filter(fit).map(|found| (found.base, found.len())).collect();
    let place = world.place(found.len())?;
    Some(found[place])
}

/// An aligned address of `len` allocated bytes on a device; `None` if no allocation is large
/// enough.
pub(crate) fn good(world: &mut World, device: i32, len: usize, alignment: usize) -> Option<usize> {
    let (base, room) = room(world, len, |place| place == Place::Device(device))?;
    let places = (room - len) / alignment + 1;
    Some(base + world.random.below(places.min(3)) * alignment)
}

/// An address at which not all of `len` bytes are allocated memory of the device.
pub(crate) fn bad(world: &mut World, device: i32, len: usize, alignment: usize) -> usize {
    let steps = 1 + world.random.below(len.div_ceil(alignment).max(1));
    let any = room(world, 1, |place| place == Place::Device(device)).unwrap_or((0x2000, 0));
    let round = |address: usize| address / alignment * alignment;
    match world.random.below(12) {
        // The last bytes, or the first, lie outside an allocation.
        0 | 1 => round(any.0 + any.1 + steps * alignment - len.min(any.0)),
        2 => any.0.saturating_sub(steps * alignment),
        // All bytes lie after an allocation.
        3 => (any.0 + any.1).next_multiple_of(alignment),
        4 | 5 => {
            let place = world.place(world.memory.freed().len());
            place.map_or(0x1000, |place| world.memory.freed()[place])
        }
        6 => world.host.as_ptr().addr(),
        7 => room(world, len, |place| place == Place::Pinned).map_or(0x3000, |found| found.0),
        8 => room(world, len, |place| place == Place::Device(1 - device)).map_or(0x4000, |found| found.0),
        9 => 0x1000,
        10 => round(usize::MAX - world.random.below(1 << 12)),
        _ => any.0 + 1,
    }
}

/// An address for `len` bytes, mostly a good one.
pub(crate) fn any(world: &mut World, device: i32, len: usize, alignment: usize) -> usize {
    match world.random.below(16) {
        0 => bad(world, device, len, alignment),
        1 if world.one_in(4) => 0,
        _ => good(world, device, len, alignment).unwrap_or_else(|| bad(world, device, len, alignment)),
    }
}
