//! The model of host-cann's state, which follows the calls.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ptr::null_mut;

use aclnn_scatter::Check;
use aclnn_scatter::sys::{aclOpExecutor, aclScalar, aclTensor};
use scatter::Op;

use super::memory::Memory;
use super::oracle::Tensors;
use super::stream::Stream;
use crate::common::tensors::Spec;
use crate::common::which::Which;
use crate::common::{Random, cann, messages};

/// The number of devices, and the memory of each in bytes.
pub(crate) const DEVICES: i32 = 2;
pub(crate) const LIMIT: usize = 128 << 10;
/// How many destroyed handles of each kind are remembered.
const ENDED: usize = 16;

/// A context; the first of each device is the device's default one.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) raw: usize,
    pub(crate) device: i32,
    pub(crate) is_primary: bool,
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) raw: usize,
    /// A number that no other event ever has.
    pub(crate) number: usize,
    pub(crate) records: u64,
}

/// An executor, and what it computes.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    pub(crate) raw: *mut aclOpExecutor,
    pub(crate) which: Which,
    pub(crate) op: Op,
    /// The tensors in the form of the operator. Only the index of the row form differs from the
    /// given one.
    pub(crate) tensors: Tensors,
    /// The tensor, if self and out were given as the same handle.
    pub(crate) one_tensor: Option<*mut aclTensor>,
    pub(crate) is_repeatable: bool,
}

impl Executor {
    /// Whether a tensor that the work needs has a null address.
    pub(crate) fn lacks_address(&self) -> bool {
        let is_copy = self.tensors.problem(self.op).is_ok_and(|problem| problem.is_copy());
        let has_self = self.op.operator().signature().has_self;
        let is_nothing = is_copy && (self.which.gathers() || has_self && self.one_tensor.is_some());
        self.tensors.lack_address(is_copy, is_nothing)
    }
}

/// A scalar.
#[derive(Debug)]
pub(crate) struct Scalar {
    pub(crate) raw: *mut aclScalar,
    pub(crate) value: scatter::Scalar,
}

/// All live objects, and some handles of destroyed ones.
pub(crate) struct World {
    pub(crate) random: Random,
    pub(crate) memory: Memory,
    /// The test's own memory, which no call may access.
    pub(crate) host: Box<[u64]>,
    pub(crate) contexts: Vec<Context>,
    /// The handle of this thread's current context.
    pub(crate) current: usize,
    pub(crate) uses: [usize; DEVICES as usize],
    pub(crate) streams: Vec<Stream>,
    pub(crate) events: Vec<Event>,
    pub(crate) tensors: Vec<(*mut aclTensor, Spec)>,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) executors: Vec<Executor>,
    /// Destroyed handles of streams, events, tensors and executors.
    pub(crate) ended: [VecDeque<usize>; 4],
    pub(crate) made: usize,
    /// The closed gates, which hold up streams.
    pub(crate) closed: BTreeSet<usize>,
    pub(crate) check: Check,
    pub(crate) calls: usize,
    tally: BTreeMap<(&'static str, i32), usize>,
    is_traced: bool,
}

/// The contents of [`World::host`].
pub(crate) const HOST: u64 = 0x3C3C_3C3C_3C3C_3C3C;

/// Calls a function of CANN's, and counts it.
macro_rules! acl {
    ($world:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: handles and device addresses are looked up, whatever their value; pointers for
        // results and host memory are valid.
        let code = unsafe { $crate::common::cann().$name($($argument),*) }.unwrap();
        $world.called(stringify!($name), code.0);
        code.0
    }};
}
pub(crate) use acl;

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let _ = cann();
        let mut world = Self {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            memory: Memory::default(),
            host: vec![HOST; 512].into_boxed_slice(),
            contexts: Vec::new(),
            current: 0,
            uses: [0; DEVICES as usize],
            streams: Vec::new(),
            events: Vec::new(),
            tensors: Vec::new(),
            scalars: Vec::new(),
            executors: Vec::new(),
            ended: Default::default(),
            made: 0,
            closed: BTreeSet::new(),
            check: Check::Flag,
            calls: 0,
            tally: BTreeMap::new(),
            is_traced: std::env::var_os("ABUSE_TRACE").is_some(),
        };
        world.host.as_ptr().expose_provenance();
        world.set_device(0);
        world
    }

    pub(crate) fn called(&mut self, name: &'static str, code: i32) {
        self.calls += 1;
        *self.tally.entry((name, code)).or_default() += 1;
        if self.is_traced {
            eprintln!("{}: {name} returned {code}", self.calls);
        }
    }

    /// How often each function returned each code.
    pub(crate) fn tally(&self) -> &BTreeMap<(&'static str, i32), usize> {
        &self.tally
    }

    /// True in one of `many` cases, at random.
    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.random.below(many) == 0
    }

    /// A random position in a list of this length; `None` if it is empty.
    pub(crate) fn place(&mut self, len: usize) -> Option<usize> {
        (len > 0).then(|| self.random.below(len))
    }

    pub(crate) fn device(&self) -> Option<i32> {
        self.context(self.current).map(|context| context.device)
    }

    pub(crate) fn context(&self, raw: usize) -> Option<&Context> {
        self.contexts.iter().find(|context| context.raw == raw)
    }

    /// Calls `aclrtSetDevice`, which makes the device's default context at the first use.
    pub(crate) fn set_device(&mut self, device: i32) {
        let code = acl!(self, aclrtSetDevice(device));
        if !(0..DEVICES).contains(&device) {
            return assert_ne!(code, 0);
        }
        assert_eq!(code, 0, "{}", messages());
        self.uses[device as usize] += 1;
        self.note_current(device, true);
    }

    /// Notes the thread's current context, which may be new, of a device.
    pub(crate) fn note_current(&mut self, device: i32, is_primary: bool) {
        let (mut context, mut stream) = (null_mut(), null_mut());
        assert_eq!(acl!(self, aclrtGetCurrentContext(&mut context)), 0);
        self.current = context.addr();
        if self.context(self.current).is_none() {
            self.contexts.push(Context { raw: self.current, device, is_primary });
            assert_eq!(acl!(self, aclrtCtxGetCurrentDefaultStream(&mut stream)), 0);
            self.streams.push(Stream::new(stream.addr(), self.current, false));
        }
    }

    /// Notes that a context was destroyed with all its streams, after their work was done.
    pub(crate) fn end_context(&mut self, raw: usize) {
        for stream in 0..self.streams.len() {
            if self.streams[stream].context == raw {
                self.settle(stream, None);
            }
        }
        let (ended, live): (Vec<_>, Vec<_>) =
            self.streams.drain(..).partition(|stream| stream.context == raw);
        self.streams = live;
        ended.iter().for_each(|stream| self.end(0, stream.raw));
        self.contexts.retain(|context| context.raw != raw);
        if self.current == raw {
            self.current = 0;
        }
    }

    /// Remembers a destroyed handle.
    pub(crate) fn end(&mut self, kind: usize, handle: usize) {
        self.ended[kind].push_back(handle);
        if self.ended[kind].len() > ENDED {
            self.ended[kind].pop_front();
        }
    }
}
