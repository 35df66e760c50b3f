//! Calls for events.

use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::{aclrtEvent, aclrtEventRecordedStatus};

use super::stream::chosen;
use crate::common::messages;
use crate::stream::Task;
use crate::world::{Event, World, acl};

/// The most events that a world has.
const MOST: usize = 8;

fn raw(handle: usize) -> aclrtEvent {
    without_provenance_mut(handle)
}

/// A random event, or a handle that was destroyed or never was one.
fn chosen_event(world: &mut World) -> (usize, Option<usize>) {
    match world.place(world.events.len()).filter(|_| !world.one_in(10)) {
        Some(place) => (world.events[place].raw, Some(place)),
        None => (world.place(world.ended[1].len()).map_or(0x1230, |place| world.ended[1][place]), None),
    }
}

pub(crate) fn any(world: &mut World) {
    match world.random.below(8) {
        0 | 1 => create(world),
        2 => destroy(world),
        3 | 4 => record(world),
        5 => wait(world),
        6 => ask(world),
        _ => synchronize(world),
    }
}

fn create(world: &mut World) {
    if world.events.len() >= MOST {
        return;
    }
    let mut event = null_mut();
    let code = acl!(world, aclrtCreateEvent(&mut event));
    assert_eq!(code == 0, world.current != 0, "{}", messages());
    if code == 0 {
        world.made += 1;
        let number = world.made;
        world.events.push(Event { raw: event.addr(), number, records: 0 });
    }
}

fn destroy(world: &mut World) {
    let (handle, place) = chosen_event(world);
    let code = acl!(world, aclrtDestroyEvent(raw(handle)));
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    if let Some(place) = place {
        let event = world.events.swap_remove(place);
        world.end(1, event.raw);
    }
}

fn record(world: &mut World) {
    let (handle, event) = chosen_event(world);
    let (stream, place) = chosen(world);
    let code = acl!(world, aclrtRecordEvent(raw(handle), without_provenance_mut(stream)));
    assert_eq!(code == 0, event.is_some() && place.is_some(), "{code} {}", messages());
    if let Some((event, stream)) = event.zip(place) {
        world.events[event].records += 1;
        let (number, record) = (world.events[event].number, world.events[event].records);
        world.push(stream, Task::Record(number, record));
    }
}

fn wait(world: &mut World) {
    let (handle, event) = chosen_event(world);
    let (stream, place) = chosen(world);
    let code = acl!(world, aclrtStreamWaitEvent(without_provenance_mut(stream), raw(handle)));
    assert_eq!(code == 0, event.is_some() && place.is_some(), "{code} {}", messages());
    if let Some((event, stream)) = event.zip(place) {
        let (number, record) = (world.events[event].number, world.events[event].records);
        world.push(stream, Task::Wait(number, record));
    }
}

fn ask(world: &mut World) {
    let (handle, event) = chosen_event(world);
    let mut status = aclrtEventRecordedStatus(0);
    let code = acl!(world, aclrtQueryEventStatus(raw(handle), &mut status));
    assert_eq!(code == 0, event.is_some(), "{code} {}", messages());
    let (other, _) = chosen_event(world);
    let mut milliseconds = 0.0;
    // Any result is right: whether both events are complete, and in which order, depends on the
    // streams.
    acl!(world, aclrtEventElapsedTime(&mut milliseconds, raw(handle), raw(other)));
}

fn synchronize(world: &mut World) {
    let (handle, event) = chosen_event(world);
    world.open_gates();
    let code = acl!(world, aclrtSynchronizeEvent(raw(handle)));
    // For an event any result is right: the work before it may have been dropped.
    assert!(event.is_some() || code != 0, "an event that is none was waited for");
}
