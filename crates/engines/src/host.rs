//! The host-cann that is linked in, as tests of failures need it: the faults that it injects, and
//! what is left of its objects.

use core::fmt;
use std::env;

use aclnn::Runtime;
use aclnn_sys::{
    ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_DRV_INTERNAL_ERROR, ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, AclError, HOSTCANN_FAULT_ALLOCATION, HOSTCANN_FAULT_COPY,
    HOSTCANN_FAULT_RESET, HOSTCANN_FAULT_TASK, HOSTCANN_FAULT_THREAD, hostcannInjectFault,
};
use host_cann::Counters;

use crate::engine;
use crate::usage::UsageError;

/// Starts host-cann with this many devices, and keeps it until the result is dropped. Nothing in
/// the process may have used it before.
///
/// # Errors
/// It can't be used.
pub fn begin(devices: usize) -> Result<Runtime, UsageError> {
    engine::silence();
    // SAFETY: no other thread reads the environment without std's lock: nothing has used host-cann
    // before, so that it has no threads yet.
    unsafe { env::set_var("HOST_CANN_DEVICES", devices.to_string()) };
    if inject_fault().is_none() {
        let reason = String::from("its extension is hidden: unset HOST_CANN_EXTENSION");
        return Err(UsageError::Libraries { engine: "host-cann", setting: "linked", reason });
    }
    Runtime::host().map_err(|error| unusable(&error))
}

/// `injectFault` of the extension; `None` where that is hidden.
fn inject_fault() -> hostcannInjectFault {
    // SAFETY: the extension is null or valid to the end of the process.
    unsafe { host_cann::hostcann_extension().as_ref() }.and_then(|extension| extension.injectFault)
}

/// How many bytes of a device's memory are allocated.
///
/// # Errors
/// There is no such device.
pub fn allocated(device: i32) -> Result<usize, UsageError> {
    let memory = Runtime::host().and_then(|runtime| runtime.device(device)?.memory());
    memory.map(|memory| memory.total - memory.free).map_err(|error| unusable(&error))
}

fn unusable(error: &aclnn::Error) -> UsageError {
    UsageError::Libraries { engine: "host-cann", setting: "linked", reason: error.to_string() }
}

/// What host-cann lets fail; `HOSTCANN_FAULT_…` in `host_cann/extension.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// An allocation.
    Allocation,
    /// A copy.
    Copy,
    /// A task of a stream, which doesn't run.
    Task,
    /// The thread of a stream, which can't be made.
    Thread,
    /// The device is reset in the middle of a call.
    Reset,
}

impl Fault {
    /// Lets the `nth` action of this kind that this thread asks for from now on fail, counted from
    /// 1; 0 is none. It replaces the fault that the thread asked for before, and returns whether
    /// that has happened.
    pub fn inject(self, nth: u64) -> bool {
        let kind = match self {
            Self::Allocation => HOSTCANN_FAULT_ALLOCATION,
            Self::Copy => HOSTCANN_FAULT_COPY,
            Self::Task => HOSTCANN_FAULT_TASK,
            Self::Thread => HOSTCANN_FAULT_THREAD,
            Self::Reset => HOSTCANN_FAULT_RESET,
        };
        let mut struck = false;
        // SAFETY: the function may be called at any time, and `struck` is valid for a write.
        let done = inject_fault().map(|inject| unsafe { inject(kind, nth, &raw mut struck) });
        debug_assert_eq!(done, Some(AclError::SUCCESS), "`begin` has looked for the function");
        struck
    }

    /// The code that the failing call returns; `None` for a reset, after which different calls fail
    /// with different codes.
    pub const fn code(self) -> Option<AclError> {
        match self {
            Self::Allocation => Some(ACL_ERROR_RT_MEMORY_ALLOCATION),
            Self::Copy => Some(ACL_ERROR_RT_DRV_INTERNAL_ERROR),
            Self::Task => Some(ACL_ERROR_RT_AICORE_EXCEPTION),
            Self::Thread => Some(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL),
            Self::Reset => None,
        }
    }
}

/// How many objects of host-cann and how many executors of the operators exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    objects: Counters,
    executors: usize,
}

impl Live {
    /// Those that exist now.
    pub fn now() -> Self {
        Self { objects: Counters::now(), executors: aclnn_scatter::live_executors() }
    }

    /// Whether there are as many as `before`, and `kept` more bytes of devices' memory.
    pub fn is_only(&self, before: &Self, kept: usize) -> bool {
        let mut expected = *before;
        expected.objects.device_bytes += kept;
        if kept > 0 {
            // It is not known in how many allocations these bytes are.
            expected.objects.device_allocations = self.objects.device_allocations;
        }
        *self == expected
    }
}

/// `2 streams, 1 events; 0 executors of the operators`.
impl fmt::Display for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {} executors of the operators", self.objects, self.executors)
    }
}
