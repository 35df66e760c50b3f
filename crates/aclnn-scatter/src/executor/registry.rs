//! The table of executors, and the handles that callers hold.
//!
//! A handle is the address of a block of zeros, which this crate never reads and never frees.
//! CANN's own executor functions look for a magic number where a handle points: they find zeros in
//! valid memory, and refuse the handle. The executor itself is in a table, with its handle as key.
//! A handle whose executor has ended is reused only after at least 256 other handles have ended, so
//! that a call with an old handle gets an error instead of running another executor.

use core::cell::UnsafeCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use aclnn_sys::{aclOpExecutor, fork};

use crate::executor::call::Call;
use crate::executor::planned_kernels::PlannedKernels;
use crate::executor::scalar_fill::ScalarFill;
use crate::failure::Failure;
use crate::process::session::Session;

/// The size of a block: more than CANN's own executor has in any known release.
const BLOCK_BYTES: usize = 4096;
/// How many ended handles are kept unused before the first is reused.
const RESTING: usize = 256;

/// The memory that a handle points to. CANN may even write to it, because nothing else uses it.
#[repr(C, align(64))]
struct Block(UnsafeCell<[u8; BLOCK_BYTES]>);

/// A planned call, which phase one makes for phase two.
#[derive(Debug)]
pub(crate) struct Executor {
    pub(crate) session: &'static Session,
    pub(crate) call: Box<Call>,
    /// The kernels that compute it; `None` for the CPU engine.
    pub(crate) kernels: Option<Box<PlannedKernels>>,
    /// Writes a scalar for the kernels with a CANN that has no getter for it. Such an executor
    /// can't be made repeatable.
    pub(crate) fill: Option<ScalarFill>,
    pub(crate) is_repeatable: bool,
}

impl Executor {
    /// Bytes of workspace. `fill` and the kernels use the same ones, because the fill is done
    /// before the kernels begin.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        let kernels = self.kernels.as_ref().map_or(0, |kernels| kernels.workspace_bytes());
        kernels.max(self.fill.as_ref().map_or(0, ScalarFill::workspace_bytes))
    }

    /// Binds the call to its current addresses, and plans its kernels again if these have changed
    /// since the last time.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        let Self { call, kernels, .. } = self;
        call.settle(|call| {
            if let Some(kernels) = kernels {
                *kernels = kernels.again(call)?;
            }
            Ok(())
        })
    }
}

/// What was found under a handle.
#[derive(Debug)]
pub(crate) enum Found {
    /// The executor to run: taken out of the table if it runs once, or a copy of a repeatable one.
    Live(Box<Executor>),
    /// A live executor of another pair of functions, whose name this is. It stays in the table.
    Other(&'static str),
    /// The executor has run or was destroyed.
    Ended,
    /// The handle is not one of this crate's.
    Unknown,
}

#[derive(Default)]
struct Registry {
    /// All handles that were ever made; `None` where the executor has ended.
    executors: HashMap<usize, Option<Box<Executor>>>,
    /// Handles without an executor, the one that ended first in front.
    resting: VecDeque<usize>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// Ignores poisoning: the table is changed in single steps, so a panic can't leave it half changed.
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The key of a handle in the table.
fn key(handle: *mut aclOpExecutor) -> usize {
    handle.addr()
}

/// Stores an executor, and returns its handle.
pub(super) fn insert(executor: Box<Executor>) -> *mut aclOpExecutor {
    registry().insert(executor)
}

/// Finds the executor to run for a handle. An executor that runs once ends with this call.
pub(crate) fn find(handle: *mut aclOpExecutor, function: &'static str) -> Found {
    let mut registry = registry();
    let Some(place) = registry.executors.get_mut(&key(handle)) else { return Found::Unknown };
    match place {
        None => Found::Ended,
        Some(executor) if executor.call.function.name() != function => {
            Found::Other(executor.call.function.name())
        }
        Some(executor) if executor.is_repeatable => {
            // Before it is copied, so that later runs need not do it again. A failure is left to
            // the copy, which will fail in the same way.
            let _ = executor.settle();
            let Executor { session, ref call, ref kernels, is_repeatable, .. } = **executor;
            let (call, kernels) = (call.clone(), kernels.clone());
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

/// Changes a live executor; `None` where the handle has none.
pub(crate) fn change<R>(handle: *mut aclOpExecutor, change: impl FnOnce(&mut Executor) -> R) -> Option<R> {
    registry().executors.get_mut(&key(handle))?.as_mut().map(|executor| change(executor))
}

/// Destroys a live executor: one that has not run yet, or is repeatable. Returns false where the
/// handle is not that of a live executor of this crate.
///
/// This does with every CANN what `aclDestroyAclOpExecutor` does on host-cann. In a fork it always
/// returns false.
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

/// Queues a handle for reuse, after its executor has been taken out of the table.
fn rest(executor: &Executor, handle: *mut aclOpExecutor) {
    // First, because another executor may get the handle as soon as it is queued.
    if let Some(host) = executor.session.host() {
        host.unregister(handle);
    }
    registry().resting.push_back(key(handle));
}

/// The number of live executors: those that have not run yet, or are repeatable, and were not
/// destroyed. 0 in a fork.
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

#[cfg(test)]
mod tests {
    use super::*;

    use aclnn_sys::Cann;
    use scatter::{Argument, DType, Layout, Op, Operand, Problem};

    use crate::executor::call::Operands;
    use crate::function::Function;

    #[test]
    fn a_repeatable_executor_is_settled_once_for_all_its_runs() {
        let tensor = |dtype, address| Operand::new(dtype, Layout::contiguous(&[4], 4).unwrap(), address);
        let (out, index) = (tensor(DType::F32, 0x1000), tensor(DType::I64, 0x2000));
        let src = tensor(DType::F32, 0x3000);
        let problem = Problem::new(Op::ScatterAdd { dim: 0 }, &out, &index, Some(&src), &out).unwrap();
        let operands = Operands { self_: out, index, src: Some(src), out };
        let call = Box::new(Call::new(Function::ScatterAdd, problem, operands, None));
        let session = crate::process::session::open(Cann::from_table([]));
        let executor = Executor { session, call, kernels: None, fill: None, is_repeatable: true };
        let handle = insert(Box::new(executor));
        change(handle, |executor| executor.call.set_address(Argument::Src, 0, 0x4000)).unwrap().unwrap();
        for _ in 0..2 {
            let Found::Live(mut live) = find(handle, "aclnnScatterAdd") else { panic!("a live executor") };
            live.call.settle(|_| panic!("this run settles it again")).unwrap();
            assert_eq!(live.call.work().unwrap().0.addresses().src, 0x4000);
        }
        assert!(discard(handle));
    }
}
