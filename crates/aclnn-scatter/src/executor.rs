//! The executors that callers hold.
//!
//! A handle is the address of a block of zeros that nobody reads here and that is never given back to the system. CANN's own
//! executor calls look for a magic number in what they are given: they find a zero, in memory that is there, and refuse.
//! What an executor is stands in a table under its handle. A handle that has ended is used again only after some hundred
//! others, so that a call with it is told what is wrong rather than running another's work.

use core::cell::UnsafeCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{ACLNN_ERR_INNER_CREATE_EXECUTOR, aclOpExecutor, fork};

use crate::calls;
use crate::failure::{Failure, ensure};
use crate::fill::Fill;
use crate::kernel::Kernel;
use crate::plan::Plan;
use crate::session::Session;

/// The bytes of a block: more than CANN's executor has in any release that we know of.
const BLOCK_BYTES: usize = 4096;
/// How many ended handles are kept unused.
const RESTING: usize = 256;

/// What a handle points to. Whoever writes to it harms nobody.
#[repr(C, align(64))]
struct Block(UnsafeCell<[u8; BLOCK_BYTES]>);

/// An executor: a plan, the CANN of its tensors, and whether it may run more than once.
#[derive(Debug)]
pub(crate) struct Executor {
    pub(crate) session: &'static Session,
    pub(crate) plan: Plan,
    /// What the kernels are told, where they compute it.
    pub(crate) kernel: Option<Box<Kernel>>,
    /// What tells the kernels a scalar that no call reads. An executor of such a CANN runs once.
    pub(crate) fill: Option<Fill>,
    pub(crate) is_repeatable: bool,
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

/// Takes an executor in.
pub(crate) fn create(
    session: &'static Session,
    plan: Plan,
    kernel: Option<Box<Kernel>>,
    fill: Option<Fill>,
) -> Result<*mut aclOpExecutor, Failure> {
    let executor = Box::new(Executor { session, plan, kernel, fill, is_repeatable: false });
    let handle = registry().insert(executor);
    if let Some(host) = session.host() {
        let status = host.register(handle, &calls::CALLS);
        if !status.is_success() {
            discard(handle);
        }
        ensure!(
            status.is_success(),
            ACLNN_ERR_INNER_CREATE_EXECUTOR,
            "host-cann doesn't take the executor: {status}"
        );
    }
    Ok(handle)
}

/// What to run for a handle. One that runs once has ended with this.
pub(crate) fn start(handle: *mut aclOpExecutor, function: &'static str) -> Found {
    let mut registry = registry();
    let Some(place) = registry.executors.get_mut(&key(handle)) else { return Found::Unknown };
    match place {
        None => Found::Ended,
        Some(executor) if executor.plan.function.name() != function => {
            Found::Other(executor.plan.function.name())
        }
        Some(executor) if executor.is_repeatable => {
            let Executor { session, plan, ref kernel, is_repeatable, .. } = **executor;
            let kernel = kernel.clone();
            Found::Live(Box::new(Executor { session, plan, kernel, fill: None, is_repeatable }))
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
/// It does what `aclDestroyAclOpExecutor` does on host-cann, with every CANN. In a fork there are none.
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
