//! Devices: how often they are in use, their default contexts, and which of them can access each
//! other.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use aclnn_sys::{
    ACL_ERROR_FEATURE_UNSUPPORTED, ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
    ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID,
};

use crate::context::{self, Context};
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::stream;
use crate::sync::{deadline, lock};
use crate::{memory, process};

/// The use of a device.
#[derive(Debug, Default)]
struct Device {
    /// How often `aclrtSetDevice` was called and not undone.
    uses: usize,
    /// The default context, made by the first `aclrtSetDevice`.
    primary: Option<Arc<Context>>,
}

static DEVICES: Mutex<Vec<Device>> = Mutex::new(Vec::new());
/// How many devices there are, readable without a lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The device of threads that have set none; -1 without one.
static DEFAULT: AtomicI32 = AtomicI32::new(-1);
/// Pairs of a device and another one that it may access.
static PEERS: Mutex<BTreeSet<(i32, i32)>> = Mutex::new(BTreeSet::new());

/// Creates `count` devices that are not in use.
pub(crate) fn start(count: usize) {
    *lock(&DEVICES) = (0..count).map(|_| Device::default()).collect();
    COUNT.store(count, Ordering::Relaxed);
}

/// Ends every use of every device, after the work of the default contexts is done.
pub(crate) fn stop() {
    let contexts: Vec<_> = lock(&DEVICES).iter_mut().filter_map(|device| device.primary.take()).collect();
    contexts.iter().for_each(|context| context::end(context));
    COUNT.store(0, Ordering::Relaxed);
    DEFAULT.store(-1, Ordering::Relaxed);
    lock(&DEVICES).clear();
    lock(&PEERS).clear();
}

/// Refuses a number that is no device's.
pub(crate) fn check(device: i32) -> Fallible<usize> {
    process::check()?;
    let count = lock(&DEVICES).len();
    let index = usize::try_from(device).ok().filter(|index| *index < count);
    index.ok_or_else(|| {
        failure!(ACL_ERROR_RT_INVALID_DEVICEID, "device {device} does not exist; there are {count}, from 0")
    })
}

/// Names the device of threads that have set none, if there is to be one.
pub(crate) fn set_default(device: Option<i32>) -> Fallible {
    if let Some(device) = device {
        check(device)?;
    }
    DEFAULT.store(device.unwrap_or(-1), Ordering::Relaxed);
    Ok(())
}

/// The device of threads that have set none.
pub(crate) fn default() -> Option<i32> {
    Some(DEFAULT.load(Ordering::Relaxed)).filter(|device| *device >= 0)
}

/// Makes a device the thread's. A program may begin with it.
pub(crate) fn set(device: i32) -> Fallible {
    process::start()?;
    enter(device, 1)
}

/// Makes the default device the thread's. This doesn't count as a use of the device, for nobody
/// undoes it.
pub(crate) fn enter_default(device: i32) -> Fallible {
    enter(device, 0)
}

/// Makes a device the thread's, and counts this many uses.
fn enter(device: i32, uses: usize) -> Fallible {
    let index = check(device)?;
    let mut devices = lock(&DEVICES);
    // Another thread may have ended the runtime meanwhile.
    let entry = devices
        .get_mut(index)
        .ok_or_else(|| failure!(ACL_ERROR_RT_INVALID_DEVICEID, "device {device} has gone"))?;
    let context = match &entry.primary {
        Some(context) => Arc::clone(context),
        None => {
            let context = context::make(device, true)?;
            entry.primary = Some(Arc::clone(&context));
            context
        }
    };
    entry.uses += uses;
    drop(devices);
    context::make_current(context.handle());
    Ok(())
}

/// Undoes one [`set`], or with `all` every one.
pub(crate) fn reset(device: i32, all: bool) -> Fallible {
    let index = check(device)?;
    stream::of_device(device).iter().try_for_each(|stream| stream.check_not_inside())?;
    let context = {
        let mut devices = lock(&DEVICES);
        let entry = devices.get_mut(index).filter(|device| device.uses > 0);
        let Some(entry) = entry else {
            return Err(failure!(
                ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                "device {device} has not been set, or was reset before"
            ));
        };
        entry.uses = if all { 0 } else { entry.uses - 1 };
        if entry.uses == 0 { entry.primary.take() } else { None }
    };
    if let Some(context) = context {
        context::end(&context);
    }
    Ok(())
}

/// The default context of a device.
pub(crate) fn primary_state(device: i32, flags: Out<u32>, active: Out<i32>) -> Fallible {
    let active = active.required()?;
    ensure!(flags.optional().is_none(), ACL_ERROR_INVALID_PARAM, "flags is reserved and must be null");
    let index = check(device)?;
    active.put(i32::from(lock(&DEVICES).get(index).is_some_and(|device| device.primary.is_some())));
    Ok(())
}

/// The thread's device.
pub(crate) fn current(device: Out<i32>) -> Fallible {
    let device = device.required()?;
    device.put(context::current()?.device());
    Ok(())
}

/// How many devices there are; known before `aclInit`.
pub(crate) fn count(count: Out<u32>) -> Fallible {
    let count = count.required()?;
    let started = COUNT.load(Ordering::Relaxed);
    let devices = if started > 0 { started } else { crate::config::devices().unwrap_or(0) };
    count.put(u32::try_from(devices).unwrap_or(u32::MAX));
    Ok(())
}

/// Waits for all streams of the thread's device for at most `milliseconds` milliseconds; -1 means
/// without limit.
pub(crate) fn synchronize(milliseconds: i32) -> Fallible {
    let end = deadline(milliseconds)?;
    wait(context::current()?.device(), end)
}

/// Waits for all streams of a device, and gives the first failure of one of them.
pub(crate) fn wait(device: i32, end: Option<Instant>) -> Fallible {
    let streams = stream::of_device(device);
    streams.iter().try_for_each(|stream| stream.check_not_inside())?;
    streams.iter().try_for_each(|stream| stream.drain(end))?;
    streams.iter().try_for_each(|stream| stream.take_failure())
}

/// Drops the work of all streams of a device.
pub(crate) fn abort(device: i32) -> Fallible {
    check(device)?;
    let streams = stream::of_device(device);
    streams.iter().for_each(|stream| stream.abort(aclnn_sys::ACL_ERROR_RT_DEVICE_TASK_ABORT));
    Ok(())
}

/// Whether devices can access each other: all can.
pub(crate) fn can_access(can: Out<i32>, device: i32, peer: i32) -> Fallible {
    let can = can.required()?;
    check_pair(device, peer)?;
    can.put(1);
    Ok(())
}

/// Lets the thread's device access another.
pub(crate) fn enable_peer(peer: i32, flags: u32) -> Fallible {
    ensure!(flags == 0, ACL_ERROR_FEATURE_UNSUPPORTED, "flags {flags} is reserved and must be 0");
    let device = context::current()?.device();
    check_pair(device, peer)?;
    lock(&PEERS).insert((device, peer));
    Ok(())
}

/// Ends [`enable_peer`].
pub(crate) fn disable_peer(peer: i32) -> Fallible {
    let device = context::current()?.device();
    check_pair(device, peer)?;
    let enabled = lock(&PEERS).remove(&(device, peer));
    ensure!(enabled, ACL_ERROR_RT_PARAM_INVALID, "device {device} was not let reach device {peer}");
    Ok(())
}

/// Whether [`enable_peer`] lets a device access another.
pub(crate) fn reaches(device: i32, peer: i32) -> bool {
    lock(&PEERS).contains(&(device, peer))
}

fn check_pair(device: i32, peer: i32) -> Fallible {
    ensure!(device != peer, ACL_ERROR_INVALID_PARAM, "a device is no peer of itself: both are {device}");
    check(device)?;
    check(peer)?;
    Ok(())
}

/// An attribute of a device; those of units that have no counterpart on the CPU are not supported.
pub(crate) fn describe(device: u32, attribute: aclnn_sys::aclrtDevAttr, value: Out<i64>) -> Fallible {
    let value = value.required()?;
    let device = i32::try_from(device).unwrap_or(i32::MAX);
    check(device)?;
    let number = match attribute {
        aclnn_sys::ACL_DEV_ATTR_AICPU_CORE_NUM => std::thread::available_parallelism().map_or(1, Into::into),
        aclnn_sys::ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE => {
            memory::device_space(device).map_or(0, |space| space.usage().limit)
        }
        aclnn_sys::ACL_DEV_ATTR_IS_VIRTUAL => 1,
        other => {
            return Err(failure!(
                aclnn_sys::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "attribute {} is of a unit that the CPU does not have",
                other.0
            ));
        }
    };
    value.put(i64::try_from(number).unwrap_or(i64::MAX));
    Ok(())
}
