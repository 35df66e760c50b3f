//! The model of streams: their tasks, and the effects of tasks that are known to be done.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, PoisonError};

use aclnn_scatter::sys::{
    ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_SYS_DMA, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
};

use super::memory::Memory;
use super::oracle::{Scatter, Verdict};

/// A range of bytes in one allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) allocation: u64,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Span {
    fn lives(&self, memory: &Memory) -> bool {
        memory.by_number(self.allocation).is_some()
    }
}

/// A task of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Scatter(Box<Scatter>),
    Copy {
        to: Span,
        from: Span,
    },
    Fill {
        to: Span,
        value: u8,
    },
    /// A host function that fails the stream.
    Fail(i32),
    /// Records an event: its number, and the number of the record.
    Record(usize, u64),
    /// Waits for the record of an event.
    Wait(usize, u64),
    /// A host function that waits for a gate.
    Gate(usize),
}

/// Address and size.
type Bytes = (usize, usize);

impl Task {
    /// The ranges that the task reads, and the one that it writes.
    pub(crate) fn ranges(&self) -> (Vec<Bytes>, Option<Bytes>) {
        match self {
            Self::Scatter(scatter) => {
                let (read, written) = scatter.ranges();
                (read, Some(written))
            }
            Self::Copy { to, from } => (vec![(from.start, from.len)], Some((to.start, to.len))),
            Self::Fill { to, .. } => (Vec::new(), Some((to.start, to.len))),
            _ => (Vec::new(), None),
        }
    }
}

/// A task that is not known to be done.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) task: Task,
    /// Whether it is unknown if the task was dropped, or ran before something that it depends on.
    pub(crate) is_unsure: bool,
}

/// A failure that the next synchronisation must return (`is_sure`), or may return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    pub(crate) is_sure: bool,
}

/// What `aclnnScatterStreamStatus` must report for a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Status {
    #[default]
    None,
    Bad {
        value: i64,
        size: usize,
    },
    Unknown,
}

/// A stream of host-cann.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) raw: usize,
    pub(crate) context: usize,
    /// Whether `aclrtCreateStream` made it; a default stream is made with its context.
    pub(crate) is_explicit: bool,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) status: Status,
}

impl Stream {
    pub(crate) fn new(raw: usize, context: usize, is_explicit: bool) -> Self {
        let (pending, failures, status) = Default::default();
        Self { raw, context, is_explicit, pending, failures, status }
    }

    /// Notes that it is unknown whether the pending tasks have run.
    pub(crate) fn doubt(&mut self) {
        self.pending.iter_mut().for_each(|pending| pending.is_unsure = true);
    }

    /// Whether the next synchronisation may return this code.
    pub(crate) fn accepts(&self, code: i32) -> bool {
        match self.failures.iter().position(|failure| failure.is_sure) {
            None if code == 0 => true,
            None => self.failures.iter().any(|failure| failure.code == code),
            Some(first) => self.failures[..=first].iter().any(|failure| failure.code == code),
        }
    }

    /// Applies the effect of a task that was done on a device.
    pub(crate) fn settle(&mut self, pending: &Pending, memory: &mut Memory, device: i32) {
        let is_sure = !pending.is_unsure;
        let mut fail = |code: i32, is_sure: bool| self.failures.push(Failure { code, is_sure });
        match &pending.task {
            Task::Scatter(scatter) if is_sure => {
                let (verdict, out) = scatter.verdict(memory, device);
                match verdict {
                    Verdict::Outside => fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION.0, true),
                    Verdict::BadIndex { value, size } => {
                        fail(ACL_ERROR_RT_AICPU_EXCEPTION.0, true);
                        if scatter.is_flagged && self.status == Status::None {
                            self.status = Status::Bad { value, size };
                        }
                    }
                    Verdict::Done => scatter.write_out(memory, out.as_deref()),
                    Verdict::Unknown => {
                        fail(ACL_ERROR_RT_AICPU_EXCEPTION.0, false);
                        self.status = Status::Unknown;
                        scatter.write_out(memory, None);
                    }
                }
            }
            Task::Scatter(scatter) => {
                fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION.0, false);
                fail(ACL_ERROR_RT_AICPU_EXCEPTION.0, false);
                self.status = Status::Unknown;
                scatter.write_out(memory, None);
            }
            Task::Copy { to, from } => match (is_sure, to.lives(memory) && from.lives(memory)) {
                (true, true) => {
                    let bytes = memory.peek(from.start, from.len);
                    memory.write(to.start, &bytes);
                }
                (true, false) => fail(ACL_ERROR_RT_SYS_DMA.0, true),
                (false, _) => {
                    fail(ACL_ERROR_RT_SYS_DMA.0, false);
                    forget(to, memory);
                }
            },
            Task::Fill { to, value } => match (is_sure, to.lives(memory)) {
                (true, true) => memory.write(to.start, &vec![Some(*value); to.len]),
                (true, false) => fail(ACL_ERROR_RT_SYS_DMA.0, true),
                (false, _) => {
                    fail(ACL_ERROR_RT_SYS_DMA.0, false);
                    forget(to, memory);
                }
            },
            Task::Fail(code) => fail(*code, is_sure),
            Task::Record(..) | Task::Wait(..) | Task::Gate(_) => {}
        }
    }
}

fn forget(span: &Span, memory: &mut Memory) {
    if span.lives(memory) {
        memory.forget(span.start, span.len);
    }
}

/// Whether two ranges have a byte in common.
pub(crate) fn meet(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
}

/// The closed gates, for which host functions wait.
static CLOSED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
static OPENED: Condvar = Condvar::new();

/// Closes a gate.
pub(crate) fn close_gate(gate: usize) {
    CLOSED.lock().unwrap_or_else(PoisonError::into_inner).insert(gate);
}

/// Opens one gate, or all.
pub(crate) fn open_gates(gate: Option<usize>) {
    let mut closed = CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
    match gate {
        Some(gate) => drop(closed.remove(&gate)),
        None => closed.clear(),
    }
    OPENED.notify_all();
}

/// The host function that waits for a gate.
pub(crate) unsafe extern "C" fn wait_for_gate(gate: *mut std::ffi::c_void) {
    let mut closed = CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
    while closed.contains(&gate.addr()) {
        closed = OPENED.wait(closed).unwrap_or_else(PoisonError::into_inner);
    }
}
