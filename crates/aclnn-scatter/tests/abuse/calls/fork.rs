//! Calls in a forked child process, which has none of host-cann's threads: each call works, or
//! returns an error that names the fork.

use std::ptr::{null_mut, without_provenance_mut};

use aclnn_scatter::sys::{ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_HOST_TO_DEVICE};

use super::address::pointer;
use super::phase::Launch;
use crate::common::{cann, messages};
use crate::world::World;

/// The time limit of a child in seconds, much more than it needs.
const SECONDS: u32 = 60;

/// Forks. The child makes some calls and ends.
pub(crate) fn fork(world: &mut World) {
    // A fork takes as long as hundreds of calls.
    if !world.one_in(16) {
        return;
    }
    let calls: Vec<usize> = (0..1 + world.random.below(6)).map(|_| world.random.below(14)).collect();
    // SAFETY: the child only makes calls that are documented to work after a fork, and ends with
    // `_exit`, which runs no destructors.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: `alarm` takes any number.
        unsafe { libc::alarm(SECONDS) };
        let run = std::panic::AssertUnwindSafe(|| calls.into_iter().all(|number| is_fine(world, number)));
        let is_fine = std::panic::catch_unwind(run).unwrap_or(false);
        // SAFETY: `_exit` takes any number.
        unsafe { libc::_exit(i32::from(!is_fine)) };
    }
    let mut status = 0;
    // SAFETY: `child` is a child of this process, and `status` a live local.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child of a fork ended with {status:#x} (0xe: it hung)");
    world.called("fork", 0);
}

/// Makes a call that would work in the parent.
fn is_fine(world: &mut World, number: usize) -> bool {
    let _ = messages();
    let own = world.streams.iter().find(|stream| stream.context == world.current);
    let stream = without_provenance_mut(own.map_or(0, |stream| stream.raw));
    let event = without_provenance_mut(world.events.first().map_or(0, |event| event.raw));
    let base = world.memory.all().next().map_or(0, |found| found.base);
    let (mut place, mut context, mut made) = (null_mut(), null_mut(), null_mut());
    let byte = 7_u8;
    // SAFETY: handles are the parent's, which are looked up; pointers for results and host memory
    // are valid.
    let code = unsafe {
        match number {
            0 => cann().aclrtSetDevice(0),
            1 => cann().aclrtMalloc(&mut place, 64, ACL_MEM_MALLOC_HUGE_FIRST),
            2 => cann().aclrtMallocHost(&mut place, 64),
            3 => cann().aclrtMemset(pointer(base), 1, 1, 1),
            4 => cann().aclrtMemcpy(pointer(base), 1, (&raw const byte).cast(), 1, ACL_MEMCPY_HOST_TO_DEVICE),
            5 => cann().aclrtSynchronizeStream(stream),
            6 => cann().aclrtSynchronizeDevice(),
            7 => cann().aclrtCreateStream(&mut made),
            8 => cann().aclrtRecordEvent(event, stream),
            9 => cann().aclrtSynchronizeEvent(event),
            10 => cann().aclrtCreateContext(&mut context, 0),
            11 => cann().aclrtFree(pointer(base)),
            12 => cann().aclFinalize(),
            _ => return second(world, stream),
        }
    };
    code.is_ok_and(|code| code.is_success() || messages().contains("fork"))
}

/// Calls phase two of the first executor.
fn second(world: &mut World, stream: aclnn_scatter::sys::aclrtStream) -> bool {
    if world.executors.is_empty() {
        return true;
    }
    let launch = Launch::own(world, 0);
    let status = launch.which.second(launch.raw, stream);
    status.is_success() || messages().contains("fork")
}
