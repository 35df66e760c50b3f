//! Calls that allocate and free memory.

use std::ptr::null_mut;

use aclnn_scatter::sys::ACL_MEM_MALLOC_HUGE_FIRST;

use super::address::pointer;
use crate::common::messages;
use crate::memory::{Place, charged};
use crate::world::{LIMIT, World, acl};

/// The most allocations that a world has.
const MOST: usize = 40;

/// Allocates memory of the thread's device, or pinned memory.
pub(crate) fn allocate(world: &mut World) {
    let is_pinned = world.one_in(6);
    let size = match world.random.below(24) {
        0 => 0,
        1 => usize::MAX - world.random.below(64),
        2 if !is_pinned => 1 << 40,
        3 => LIMIT / 2,
        _ => {
            let most = 64 << world.random.below(7);
            1 + world.random.below(most)
        }
    };
    if world.memory.all().count() < MOST {
        new(world, size, is_pinned);
    }
}

/// Allocates memory. This must succeed if there is enough left.
pub(crate) fn new(world: &mut World, size: usize, is_pinned: bool) -> Option<usize> {
    let device = world.device();
    let place = if is_pinned { Place::Pinned } else { Place::Device(device.unwrap_or(-1)) };
    let left = if is_pinned { 1 << 30 } else { LIMIT - world.memory.used(|other| other == place) };
    let fits = size > 0 && charged(place, size).is_some_and(|bytes| bytes <= left);
    let mut memory = null_mut();
    let code = match is_pinned {
        true => acl!(world, aclrtMallocHost(&mut memory, size)),
        false => acl!(world, aclrtMalloc(&mut memory, size, ACL_MEM_MALLOC_HUGE_FIRST)),
    };
    assert_eq!(code == 0, fits && device.is_some(), "{size} bytes of {place:?}: {code} {}", messages());
    if code != 0 {
        assert!(memory.is_null());
        return None;
    }
    let base = memory.expose_provenance();
    world.memory.add(base, place, size);
    world.doubt(base, charged(place, size).unwrap_or(size));
    if !world.one_in(4) {
        let values = values(world, size);
        super::copy::upload(world, base, &values);
    }
    Some(base)
}

/// The bytes of small numbers of a random dtype.
pub(crate) fn values(world: &mut World, len: usize) -> Vec<u8> {
    let kind = world.random.below(5);
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        let number = world.random.below(9) as i16 - 4;
        match kind {
            0 => bytes.extend(f32::from(number).to_ne_bytes()),
            1 => bytes.extend(i64::from(number).to_ne_bytes()),
            2 => bytes.extend(f64::from(number).to_ne_bytes()),
            3 => bytes.extend(scatter::f16::from_f32(number.into()).to_ne_bytes()),
            _ => bytes.push(number.unsigned_abs() as u8),
        }
    }
    bytes.truncate(len);
    bytes
}

/// Frees memory, or tries to free something that can't be freed in this way.
pub(crate) fn free(world: &mut World) {
    let all: Vec<(usize, Place)> = world.memory.all().map(|found| (found.base, found.place)).collect();
    let Some(place) = world.place(all.len()) else { return };
    let (base, place) = all[place];
    match world.random.below(20) {
        0 => refused(world, base + 1, place),
        1 => refused(world, base + 64, place),
        2 => refused(world, 0, place),
        3 => refused(world, world.host.as_ptr().addr(), place),
        4 => refused(world, 0x1000, place),
        5 => refused(world, base, if place == Place::Pinned { Place::Device(0) } else { Place::Pinned }),
        6 | 7 => {
            let Some(at) = world.place(world.memory.freed().len()) else { return };
            let freed = world.memory.freed()[at];
            if world.memory.at(freed).is_none() {
                refused(world, freed, place);
            }
        }
        8 => free_when_done(world, base, place),
        _ => free_at_once(world, base, place),
    }
}

/// Asserts that freeing an address as memory of this place is refused.
fn refused(world: &mut World, address: usize, place: Place) {
    let code = match place {
        Place::Pinned => acl!(world, aclrtFreeHost(pointer(address))),
        Place::Device(_) => acl!(world, aclrtFree(pointer(address))),
    };
    assert_ne!(code, 0, "{address:#x} of {place:?} was freed");
}

fn free_at_once(world: &mut World, base: usize, place: Place) {
    let Some(len) = world.memory.at(base).map(crate::memory::Allocation::len) else { return };
    if world.random.flip() {
        world.order(None, &[], &[(base, len)]);
        world.memory.compare(base, "before it is freed");
    }
    world.doubt(base, len);
    let code = match place {
        Place::Pinned => acl!(world, aclrtFreeHost(pointer(base))),
        Place::Device(_) => acl!(world, aclrtFree(pointer(base))),
    };
    assert_eq!(code, 0, "{}", messages());
    world.memory.remove(base);
}

/// Frees memory of a device with `aclrtFreeWithDevSync`, which waits for the device's streams, and
/// fails if one of them has failed.
fn free_when_done(world: &mut World, base: usize, place: Place) {
    let Place::Device(device) = place else { return };
    world.open_gates();
    let code = acl!(world, aclrtFreeWithDevSync(pointer(base)));
    super::stream::device_is_done(world, device, code);
    if code == 0 {
        // The call has not waited for streams of the other device, which may be filling this
        // memory.
        let len = world.memory.at(base).map_or(0, crate::memory::Allocation::len);
        world.doubt(base, len);
        world.memory.remove(base);
    }
}
