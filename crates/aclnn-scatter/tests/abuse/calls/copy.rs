//! Calls that copy and fill memory.

use std::ptr::without_provenance_mut;

use aclnn_scatter::sys::{
    ACL_MEMCPY_DEFAULT, ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_HOST_TO_HOST, aclrtMemcpyKind,
};

use super::address::pointer;
use super::stream::chosen;
use crate::common::messages;
use crate::memory::Place;
use crate::stream::{Span, Task};
use crate::world::{World, acl};

/// Copies bytes to a device address at which they must fit.
pub(crate) fn upload(world: &mut World, start: usize, bytes: &[u8]) {
    if world.current == 0 {
        world.set_device(0);
    }
    world.order(None, &[], &[(start, bytes.len())]);
    let is_pinned = world.memory.at(start).is_some_and(|found| found.place == Place::Pinned);
    let kind = if is_pinned { ACL_MEMCPY_HOST_TO_HOST } else { ACL_MEMCPY_HOST_TO_DEVICE };
    let len = bytes.len();
    let code = acl!(world, aclrtMemcpy(pointer(start), len, bytes.as_ptr().cast(), len, kind));
    assert_eq!(code, 0, "{}", messages());
    let known: Vec<_> = bytes.iter().copied().map(Some).collect();
    world.memory.write(start, &known);
}

/// One side of a copy: its address, and the place of the live allocation that holds it, if any.
#[derive(Clone, Copy, Debug)]
struct Side {
    start: usize,
    place: Option<Place>,
    /// Whether it is the test's own memory.
    is_host: bool,
}

/// A random side of a copy: the test's own memory `own`, or an address in or near one of
/// host-cann's allocations.
fn side(world: &mut World, own: &[u8]) -> Option<Side> {
    let len = own.len();
    if world.one_in(3) {
        return Some(Side { start: own.as_ptr().expose_provenance(), place: None, is_host: true });
    }
    let all: Vec<(usize, usize)> = world.memory.all().map(|found| (found.base, found.len())).collect();
    let (base, room) = all[world.place(all.len())?];
    let start = match world.random.below(10) {
        // The last bytes lie outside of the allocation, or all do.
        0 => (base + room).saturating_sub(world.random.below(len)),
        1 if !world.memory.freed().is_empty() => {
            let place = world.random.below(world.memory.freed().len());
            world.memory.freed()[place]
        }
        _ => base + world.random.below(room.saturating_sub(len) + 1),
    };
    let place = world.memory.holding(start, len).map(|found| found.place);
    Some(Side { start, place, is_host: false })
}

/// Copies between any two sides.
pub(crate) fn copy(world: &mut World) {
    let len = 1 + world.random.below(64);
    let (mut into, out_of) = (vec![0_u8; len], super::memory::values(world, len));
    let (Some(to), Some(from)) = (side(world, &into), side(world, &out_of)) else { return };
    let is_device = |side: Side| matches!(side.place, Some(Place::Device(_)));
    let right = match (is_device(from), is_device(to)) {
        (false, false) => ACL_MEMCPY_HOST_TO_HOST,
        (false, true) => ACL_MEMCPY_HOST_TO_DEVICE,
        (true, false) => ACL_MEMCPY_DEVICE_TO_HOST,
        (true, true) => ACL_MEMCPY_DEVICE_TO_DEVICE,
    };
    let kind = match world.random.below(8) {
        0 => aclrtMemcpyKind(world.random.below(4) as u32),
        1 => ACL_MEMCPY_DEFAULT,
        2 => aclrtMemcpyKind(100),
        _ => right,
    };
    let room = if world.one_in(16) { len - 1 } else { len };
    let one_device = |a: Side, b: Side| !is_device(a) || !is_device(b) || a.place == b.place;
    let is_fine = [to, from].iter().all(|side| side.is_host || side.place.is_some())
        && (kind == right || kind == ACL_MEMCPY_DEFAULT)
        && room == len
        && one_device(to, from);
    let (target, source) = (pointer(to.start), pointer(from.start));
    if world.random.flip() {
        if is_fine {
            world.order(None, &[(from.start, len)], &[(to.start, len)]);
        }
        let is_fine = is_fine && world.current != 0;
        let code = acl!(world, aclrtMemcpy(target, room, source, len, kind));
        assert_eq!(code == 0, is_fine, "{to:?} {from:?} {kind:?}: {code} {}", messages());
        if is_fine {
            copied(world, (to, &mut into), (from, &out_of));
        }
        return;
    }
    let (raw, stream) = chosen(world);
    let device = world.device();
    let on_device = |side: Side| {
        !is_device(side) || side.place.map(Some) == device.map(|device| Some(Place::Device(device)))
    };
    let is_fine =
        is_fine && stream.is_some() && (is_device(to) || is_device(from)) && on_device(to) && on_device(from);
    let waits = to.is_host || from.is_host;
    if is_fine {
        world.order(stream, &[(from.start, len)], &[(to.start, len)]);
    }
    if waits {
        world.open_gates();
    }
    let code = acl!(world, aclrtMemcpyAsync(target, room, source, len, kind, without_provenance_mut(raw)));
    assert_eq!(code == 0, is_fine, "{to:?} {from:?} {kind:?}: {code} {}", messages());
    let Some(stream) = stream.filter(|_| is_fine) else { return };
    if waits {
        // The call has waited for the stream.
        world.settle(stream, None);
        copied(world, (to, &mut into), (from, &out_of));
    } else {
        let span = |side: Side| Span {
            allocation: world.memory.at(side.start).map_or(0, |found| found.number),
            start: side.start,
            len,
        };
        let (to, from) = (span(to), span(from));
        world.push(stream, Task::Copy { to, from });
    }
}

/// Notes a copy that is done.
fn copied(world: &mut World, (to, into): (Side, &mut [u8]), (from, out_of): (Side, &[u8])) {
    let len = into.len();
    let bytes = match from.is_host {
        true => out_of.iter().copied().map(Some).collect(),
        false => world.memory.peek(from.start, len),
    };
    if to.is_host {
        for (at, (&got, known)) in into.iter().zip(bytes).enumerate() {
            assert!(
                known.is_none_or(|known| known == got),
                "byte {at} of {from:?}: {got} instead of {known:?}"
            );
        }
    } else {
        world.memory.write(to.start, &bytes);
    }
}

/// Fills memory of a device or pinned memory.
pub(crate) fn fill(world: &mut World) {
    let len = 1 + world.random.below(64);
    let own = vec![0_u8; len];
    let Some(to) = side(world, &own).filter(|to| !to.is_host) else { return };
    let value = world.random.below(4) as u8;
    let room = if world.one_in(16) { len - 1 } else { len };
    let is_fine = to.place.is_some() && room == len;
    if world.random.flip() {
        if is_fine {
            world.order(None, &[], &[(to.start, len)]);
        }
        let is_fine = is_fine && world.current != 0;
        let code = acl!(world, aclrtMemset(pointer(to.start), room, value.into(), len));
        assert_eq!(code == 0, is_fine, "{to:?}: {code} {}", messages());
        if is_fine {
            world.memory.write(to.start, &vec![Some(value); len]);
        }
        return;
    }
    let (raw, stream) = chosen(world);
    if is_fine {
        world.order(stream, &[], &[(to.start, len)]);
    }
    let is_fine = is_fine && stream.is_some();
    let code = acl!(
        world,
        aclrtMemsetAsync(pointer(to.start), room, value.into(), len, without_provenance_mut(raw))
    );
    assert_eq!(code == 0, is_fine, "{to:?}: {code} {}", messages());
    if let Some(stream) = stream.filter(|_| is_fine) {
        let allocation = world.memory.at(to.start).map_or(0, |found| found.number);
        world.push(stream, Task::Fill { to: Span { allocation, start: to.start, len }, value });
    }
}
