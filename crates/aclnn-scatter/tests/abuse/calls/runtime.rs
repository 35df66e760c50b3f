//! Calls for devices and contexts, and for initialising and finalising the runtime.

use std::ptr::{null, null_mut, without_provenance_mut};

use aclnn_scatter::sys::aclrtContext;

use crate::common::{cann, messages};
use crate::world::{World, acl};

/// The most contexts that a world has, including the devices' own.
const MOST: usize = 5;

fn raw(handle: usize) -> aclrtContext {
    without_provenance_mut(handle)
}

/// Compares all memory and all counts.
pub(crate) fn check(world: &mut World) {
    world.check();
}

pub(crate) fn any(world: &mut World) {
    match world.random.below(40) {
        0..6 => {
            let device = world.random.below(4) as i32 - 1;
            world.set_device(device);
        }
        6..9 => reset_device(world),
        9..14 => create_context(world),
        14..18 => destroy_context(world),
        18..28 => set_context(world),
        28..32 => ask(world),
        32 => restart(world),
        _ => misordered(world),
    }
}

fn reset_device(world: &mut World) {
    world.open_gates();
    let device = world.random.below(3) as i32;
    let by_force = world.one_in(4);
    let code = match by_force {
        true => acl!(world, aclrtResetDeviceForce(device)),
        false => acl!(world, aclrtResetDevice(device)),
    };
    let uses = world.uses.get(device as usize).copied().unwrap_or(0);
    assert_eq!(code == 0, uses > 0, "{code} {}", messages());
    if code != 0 {
        return;
    }
    let left = if by_force { 0 } else { uses - 1 };
    world.uses[device as usize] = left;
    let own = world.contexts.iter().find(|context| context.is_primary && context.device == device);
    if left == 0
        && let Some(own) = own.map(|context| context.raw)
    {
        world.end_context(own);
    }
}

fn create_context(world: &mut World) {
    if world.contexts.len() >= MOST {
        return;
    }
    let device = world.random.below(3) as i32;
    let mut context = null_mut();
    let code = acl!(world, aclrtCreateContext(&mut context, device));
    assert_eq!(code == 0, device < 2, "{code} {}", messages());
    if code == 0 {
        world.note_current(device, false);
        assert_eq!(world.current, context.addr());
    }
}

/// A random context, or a handle that is none.
fn chosen(world: &mut World) -> (usize, Option<usize>) {
    match world.place(world.contexts.len()).filter(|_| !world.one_in(6)) {
        Some(place) => (world.contexts[place].raw, Some(place)),
        None => ([0, 0x1230][world.random.below(2)], None),
    }
}

fn destroy_context(world: &mut World) {
    let (handle, place) = chosen(world);
    world.open_gates();
    let code = acl!(world, aclrtDestroyContext(raw(handle)));
    let is_own = |place: usize| !world.contexts[place].is_primary;
    assert_eq!(code == 0, place.is_some_and(is_own), "{code} {}", messages());
    if code == 0 {
        world.end_context(handle);
    }
}

fn set_context(world: &mut World) {
    let (handle, place) = chosen(world);
    let code = acl!(world, aclrtSetCurrentContext(raw(handle)));
    assert_eq!(code == 0, place.is_some(), "{code} {}", messages());
    if code == 0 {
        world.current = handle;
    }
}

fn ask(world: &mut World) {
    let mut device = -1;
    let code = acl!(world, aclrtGetDevice(&mut device));
    match world.device() {
        Some(expected) => assert_eq!((code, device), (0, expected)),
        None => assert_ne!(code, 0),
    }
    assert_ne!(acl!(world, aclrtGetDevice(null_mut())), 0);
}

/// Calls `aclInit` a second time, which must be refused. CANN counts the refused call all the same,
/// so it is then undone.
fn misordered(world: &mut World) {
    // SAFETY: null stands for no configuration.
    let again = unsafe { cann().aclInit(null()) };
    assert!(again.is_ok_and(|code| !code.is_success()), "the runtime began twice");
    let mut left = 0;
    // This undoes only the second `aclInit`.
    assert_eq!(acl!(world, aclFinalizeReference(&mut left)), 0, "{}", messages());
    assert_eq!(left, 1);
}

/// Finalises and initialises the runtime, with calls in between, which must be refused.
fn restart(world: &mut World) {
    world.finalize();
    for step in [
        super::stream::synchronize,
        super::phase::second,
        super::tensor::ask,
        super::executor::set_repeatable,
    ] {
        step(world);
    }
    assert_ne!(acl!(world, aclFinalize()), 0, "the runtime ended twice");
    let mut memory = null_mut();
    let policy = aclnn_scatter::sys::ACL_MEM_MALLOC_HUGE_FIRST;
    assert_ne!(acl!(world, aclrtMalloc(&mut memory, 64, policy)), 0, "memory without a runtime");
    world.init();
}
