//! Calls that make, hold up, fail, abort, wait for and destroy streams.

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::{AclError, aclrtStream};

use crate::common::messages;
use crate::stream::{Status, Task, wait_for_gate};
use crate::world::{World, acl};

/// The most streams that a world has.
const MOST: usize = 10;
/// The code with which host functions fail their stream.
const FAILED: i32 = 507_899;

fn raw(handle: usize) -> aclrtStream {
    without_provenance_mut(handle)
}

/// The handle of a random stream, and its position in the world if the thread may use it.
pub(crate) fn chosen(world: &mut World) -> (usize, Option<usize>) {
    let usable: Vec<usize> =
        (0..world.streams.len()).filter(|&at| world.streams[at].context == world.current).collect();
    let others: Vec<usize> =
        (0..world.streams.len()).filter(|&at| world.streams[at].context != world.current).collect();
    match world.random.below(24) {
        0 => (0x1230, None),
        1 => (world.place(world.ended[0].len()).map_or(0x1230, |place| world.ended[0][place]), None),
        2 => (world.place(others.len()).map_or(0x1230, |place| world.streams[others[place]].raw), None),
        3 | 4 => {
            // Null, which stands for the default stream.
            (0, usable.iter().copied().find(|&at| !world.streams[at].is_explicit))
        }
        _ => match world.place(usable.len()) {
            None => (0, None),
            Some(place) => (world.streams[usable[place]].raw, Some(usable[place])),
        },
    }
}

pub(crate) fn create(world: &mut World) {
    if world.streams.len() >= MOST {
        return;
    }
    let mut stream = null_mut();
    let code = acl!(world, aclrtCreateStream(&mut stream));
    assert_eq!(code == 0, world.current != 0, "{}", messages());
    if code == 0 {
        world.streams.push(crate::stream::Stream::new(stream.addr(), world.current, true));
    }
}

/// Destroys a stream, after its work or by force; or tries to destroy one that can't be.
pub(crate) fn destroy(world: &mut World) {
    let (handle, place) = chosen(world);
    let place = place.filter(|&place| handle != 0 && world.streams[place].is_explicit);
    let by_force = world.random.flip();
    if by_force && let Some(place) = place {
        // Streams that wait for dropped work would go on at once, and after the stream is destroyed
        // nothing can wait for a task that has begun. So wait for both now.
        finish_waits(world, Some(place));
        if world.begun(place) > 0 {
            world.synchronize(place);
        }
    }
    if !by_force {
        world.open_gates();
    }
    let code = match by_force {
        true => acl!(world, aclrtDestroyStreamForce(raw(handle))),
        false => acl!(world, aclrtDestroyStream(raw(handle))),
    };
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    let Some(place) = place else { return };
    if by_force {
        world.streams[place].pending.clear();
    }
    world.settle(place, None);
    let stream = world.streams.remove(place);
    world.end(0, stream.raw);
}

/// Synchronises all streams that wait for events, except for `but`.
fn finish_waits(world: &mut World, but: Option<usize>) {
    for stream in (0..world.streams.len()).filter(|&stream| Some(stream) != but).collect::<Vec<_>>() {
        if world.streams[stream].pending.iter().any(|pending| matches!(pending.task, Task::Wait(..))) {
            world.synchronize(stream);
        }
    }
}

/// Waits for a stream or its device, or tries to with a handle that is none.
pub(crate) fn synchronize(world: &mut World) {
    let (handle, place) = chosen(world);
    match world.random.below(16) {
        0 => {
            world.open_gates();
            let device = world.device();
            let code = acl!(world, aclrtSynchronizeDevice());
            match device {
                Some(device) => device_is_done(world, device, code),
                None => assert_ne!(code, 0),
            }
        }
        1 => {
            let code = acl!(
                world,
                aclrtSynchronizeStreamWithTimeout(raw(handle), [0, -2][usize::from(place.is_some())])
            );
            assert_ne!(code, 0);
        }
        2 if place.is_some_and(|place| world.is_held(place)) => {
            assert_ne!(
                acl!(world, aclrtSynchronizeStreamWithTimeout(raw(handle), 1)),
                0,
                "a gate was passed"
            );
        }
        _ => {
            world.open_gates();
            let code = match world.random.flip() {
                true => acl!(world, aclrtSynchronizeStream(raw(handle))),
                false => acl!(world, aclrtSynchronizeStreamWithTimeout(raw(handle), 600_000)),
            };
            match place {
                Some(place) => {
                    world.told(place, code);
                    status(world, handle, place);
                }
                None => assert_ne!(code, 0, "a stream that is none was waited for"),
            }
        }
    }
}

/// Checks `aclnnScatterStreamStatus` of a stream.
fn status(world: &mut World, handle: usize, place: usize) {
    // SAFETY: the struct has only numbers, for which zeros are valid.
    let mut info: aclnn_scatter::sys::aclnnScatterStatusInfo = unsafe { std::mem::zeroed() };
    // SAFETY: streams are looked up, and `info` is a live local.
    let code = unsafe { aclnn_scatter::c::aclnnScatterStreamStatus(raw(handle), &mut info) };
    world.called("aclnnScatterStreamStatus", code.0);
    assert!(code.is_success());
    match std::mem::take(&mut world.streams[place].status) {
        Status::None => assert!(info.code.is_success(), "told of {}", info.value),
        Status::Bad { value, size } => {
            assert_eq!((info.code.0, info.value, info.size), (161_002, value, size as i64));
        }
        Status::Unknown => {}
    }
}

/// Notes that all streams of a device are done, and that `code` reported the first failure.
pub(crate) fn device_is_done(world: &mut World, device: i32, code: i32) {
    let of_device = |world: &World, at: usize| {
        world.context(world.streams[at].context).is_some_and(|context| context.device == device)
    };
    let streams: Vec<usize> = (0..world.streams.len()).filter(|&at| of_device(world, at)).collect();
    let (mut must_fail, mut may_fail) = (false, false);
    for &stream in &streams {
        world.settle(stream, None);
        let stream = &mut world.streams[stream];
        must_fail |= stream.failures.iter().any(|failure| failure.is_sure);
        may_fail |= stream.failures.iter().any(|failure| failure.code == code);
        stream.failures.iter_mut().for_each(|failure| failure.is_sure = false);
        if code == 0 {
            stream.failures.clear();
        }
    }
    assert!(if code == 0 { !must_fail } else { may_fail }, "{code}: {}", messages());
}

/// Aborts a stream, which drops the work that it has not begun.
pub(crate) fn abort(world: &mut World) {
    let (handle, place) = chosen(world);
    finish_waits(world, place);
    // Null can't be used to abort the default stream.
    let place = place.filter(|_| handle != 0);
    let is_device = world.one_in(8);
    if is_device {
        let device = world.random.below(3) as i32;
        let code = acl!(world, aclrtDeviceTaskAbort(device, 1000));
        assert_eq!(code == 0, device < 2, "{code} {}", messages());
        for stream in 0..world.streams.len() {
            if world.context(world.streams[stream].context).is_some_and(|context| context.device == device) {
                world.streams[stream].doubt();
            }
        }
        for stream in 0..world.streams.len() {
            world.synchronize(stream);
        }
        return;
    }
    let known = world.streams.iter().any(|stream| stream.raw == handle);
    let code = acl!(world, aclrtStreamAbort(raw(handle)));
    assert_eq!(code == 0, known, "{code} {}", messages());
    let place = place.or_else(|| world.streams.iter().position(|stream| stream.raw == handle));
    let Some(place) = place else { return };
    // Tasks after a closed gate have not begun.
    let begun = world.begun(place);
    world.streams[place].pending.truncate(begun);
    world.streams[place].doubt();
    world.synchronize(place);
}

/// Holds up a stream until its gate is opened.
pub(crate) fn hold(world: &mut World) {
    let (handle, place) = chosen(world);
    let gate = world.new_gate();
    let argument: *mut c_void = without_provenance_mut(gate);
    let code = acl!(world, aclrtLaunchHostFunc(raw(handle), Some(wait_for_gate), argument));
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    match place {
        Some(place) => world.push(place, Task::Gate(gate)),
        None => drop(world.closed.remove(&gate)),
    }
}

/// A host function that fails its stream.
unsafe extern "C" fn fail_stream(code: *mut c_void) {
    // SAFETY: the extension is valid until the process ends.
    let extension = unsafe { &*host_cann::hostcann_extension() };
    let code = AclError(code.addr() as i32);
    // SAFETY: the message is a C string.
    let failed =
        extension.failStream.map(|fail| unsafe { fail(null_mut(), code, c"failed on purpose".as_ptr()) });
    assert!(failed.is_some_and(AclError::is_success));
}

/// A host function that tries to wait for its stream and to finalise the runtime: both must be
/// refused.
unsafe extern "C" fn misbehave(handle: *mut c_void) {
    // SAFETY: streams are looked up.
    let codes = unsafe {
        [crate::common::cann().aclrtSynchronizeStream(handle.cast()), crate::common::cann().aclFinalize()]
    };
    assert!(codes.into_iter().all(|code| code.is_ok_and(|code| !code.is_success())));
}

/// Enqueues a host function that fails its stream, or one that makes forbidden calls.
pub(crate) fn fail(world: &mut World) {
    let (handle, place) = chosen(world);
    let fails = world.random.flip();
    let code = match (fails, place) {
        (false, Some(place)) => {
            let own = world.streams[place].raw;
            acl!(world, aclrtLaunchHostFunc(raw(handle), Some(misbehave), without_provenance_mut(own)))
        }
        _ => acl!(
            world,
            aclrtLaunchHostFunc(raw(handle), Some(fail_stream), without_provenance_mut(FAILED as usize))
        ),
    };
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    if let Some(place) = place.filter(|_| fails) {
        world.push(place, Task::Fail(FAILED));
    }
}
