//! The table of executors, and the handles that callers hold.
//!
//! A handle is the address of a block of zeros that nobody reads here and that is never given back
//! to the system. CANN's own executor calls look for a magic number in what they are given: they
//! find a zero, in memory that is there, and refuse. What an executor is stands in a table under
//! its handle. A handle that has ended is used again only after some hundred others, so that a call
//! with it is told what is wrong rather than running another's work.

use core::cell::UnsafeCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{aclOpExecutor, fork};

use crate::executor::call::Call;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::process::session::Session;

/// The bytes of a block: more than CANN's executor has in any release that we know of.
const BLOCK_BYTES: usize = 4096;
/// How many ended handles are kept unused.
const RESTING: usize = 256;

/// What a handle points to. Whoever writes to it harms nobody.
#[repr(C, align(64))]
struct Block(UnsafeCell<[u8; BLOCK_BYTES]>);

/// What phase one leaves for phase two.
#[derive(Debug)]
pub(crate) struct Executor {
    pub(crate) session: &'static Session,
    pub(crate) call: Call,
    /// The kernels that compute it; `None` for the CPU engine.
    pub(crate) kernels: Option<Box<PlannedKernels>>,
    /// What tells the kernels a scalar that no call reads. An executor of such a CANN runs once.
    pub(crate) fill: Option<ScalarFill>,
    pub(crate) is_repeatable: bool,
}

impl Executor {
    /// Bytes of workspace: CANN's filling of a scalar is done with them before the kernels begin.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        let kernels = self.kernels.as_ref().map_or(0, |kernels| kernels.workspace_bytes());
        kernels.max(self.fill.as_ref().map_or(0, ScalarFill::workspace_bytes))
    }
}

/// What a handle means.
#[derive(Debug)]
pub(crate) enum Found {
    /// A live executor, and the one to run: itself, if it runs once, or a copy.
    Live(Box<Executor>),
    /// One of another pair of functions; it stays as it is.
    Other(&'static str),
    /// One that has run or was destroyed.
    Ended,
    /// None of ours.
    Unknown,
}

#[derive(Default)]
struct Registry {
    /// Every handle that there ever was; `None` for one that has ended.
    executors: HashMap<usize, Option<Box<Executor>>>,
    /// Handles without an executor, the longest unused first.
    resting: VecDeque<usize>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// What the lock guards is changed in one step, so that a panic of its holder says nothing.
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle's place in the table.
fn key(handle: *mut aclOpExecutor) -> usize {
    handle.addr()
}

/// Takes an executor in, and gives its handle.
pub(super) fn insert(executor: Box<Executor>) -> *mut aclOpExecutor {
    registry().insert(executor)
}

/// What to run for a handle. One that runs once has ended with this.
pub(crate) fn start(handle: *mut aclOpExecutor, function: &'static str) -> Found {
    let mut registry = registry();
    let Some(place) = registry.executors.get_mut(&key(handle)) else { return Found::Unknown };
    match place {
        None => Found::Ended,
        Some(executor) if executor.call.function.name() != function => {
            Found::Other(executor.call.function.name())
        }
        Some(executor) if executor.is_repeatable => {
            let Executor { session, call, ref kernels, is_repeatable, .. } = **executor;
            let kernels = kernels.clone();
            Found::Live(Box::new(Executor { session, call, kernels, fill: None, is_repeatable }))
        }
        Some(_) => {
            let Some(executor) = place.take() else { return Found::Ended };
            drop(registry);
            rest(&executor, handle);
            Found::Live(executor)
        }
    }
}

/// Changes a live executor; `None` where the handle is of none.
pub(crate) fn change<R>(handle: *mut aclOpExecutor, change: impl FnOnce(&mut Executor) -> R) -> Option<R> {
    registry().executors.get_mut(&key(handle))?.as_mut().map(|executor| change(executor))
}

/// Ends an executor that has not run, or is repeatable; false where the handle is of none of ours.
///
/// It does what `aclDestroyAclOpExecutor` does on host-cann, with every CANN. In a fork there are
/// none.
pub fn discard(handle: *mut aclOpExecutor) -> bool {
    if fork::check().is_err() {
        return false;
    }
    let ended = registry().executors.get_mut(&key(handle)).and_then(Option::take);
    if let Some(executor) = &ended {
        rest(executor, handle);
    }
    ended.is_some()
}

/// Lets a handle rest whose executor has been taken out of the table.
fn rest(executor: &Executor, handle: *mut aclOpExecutor) {
    // Before the handle can be another's.
    if let Some(host) = executor.session.host() {
        host.unregister(handle);
    }
    registry().resting.push_back(key(handle));
}

/// How many executors there are that have neither run nor been destroyed; none in a fork.
#[must_use]
pub fn live_executors() -> usize {
    if fork::check().is_err() {
        return 0;
    }
    registry().executors.values().filter(|executor| executor.is_some()).count()
}

impl Registry {
    fn insert(&mut self, executor: Box<Executor>) -> *mut aclOpExecutor {
        let rested = if self.resting.len() > RESTING { self.resting.pop_front() } else { None };
        let key = rested.unwrap_or_else(|| {
            let block = Box::leak(Box::new(Block(UnsafeCell::new([0; BLOCK_BYTES]))));
            block.0.get().expose_provenance()
        });
        self.executors.insert(key, Some(executor));
        core::ptr::with_exposed_provenance_mut(key)
    }
}
