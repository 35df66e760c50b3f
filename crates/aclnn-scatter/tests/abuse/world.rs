//! What there is in host-cann, as far as the calls so far tell.

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

/// How many devices there are, and the bytes of memory of each.
pub(crate) const DEVICES: i32 = 2;
pub(crate) const LIMIT: usize = 128 << 10;
/// How many ended handles of a kind are remembered.
const ENDED: usize = 16;

/// A context; the first of each device is its own.
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
    /// Never another's.
    pub(crate) number: usize,
    pub(crate) records: u64,
}

/// An executor, and what running it means.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    pub(crate) raw: *mut aclOpExecutor,
    pub(crate) which: Which,
    pub(crate) op: Op,
    /// In the form of the operator; those that were given are the same but for the index of the row
    /// form.
    pub(crate) tensors: Tensors,
    /// The tensor that was given for self and for out, where it was one.
    pub(crate) one_tensor: Option<*mut aclTensor>,
    pub(crate) is_repeatable: bool,
}

impl Executor {
    /// Whether a tensor that the work needs has no address.
    pub(crate) fn lacks_address(&self) -> bool {
        let is_copy = self.tensors.problem(self.op).is_ok_and(|problem| problem.is_copy());
        self.tensors.lack_address(is_copy, is_copy && self.one_tensor.is_some())
    }
}

/// A scalar.
#[derive(Debug)]
pub(crate) struct Scalar {
    pub(crate) raw: *mut aclScalar,
    pub(crate) value: scatter::Scalar,
}

/// Everything that lives, and some handles of what has ended.
pub(crate) struct World {
    pub(crate) random: Random,
    pub(crate) memory: Memory,
    /// Memory of this program's own, which no call may touch.
    pub(crate) host: Box<[u64]>,
    pub(crate) contexts: Vec<Context>,
    /// The context of this thread, by its handle.
    pub(crate) current: usize,
    pub(crate) uses: [usize; DEVICES as usize],
    pub(crate) streams: Vec<Stream>,
    pub(crate) events: Vec<Event>,
    pub(crate) tensors: Vec<(*mut aclTensor, Spec)>,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) executors: Vec<Executor>,
    /// Handles that have ended: streams, events, tensors, executors.
    pub(crate) ended: [VecDeque<usize>; 4],
    pub(crate) made: usize,
    /// Gates that streams wait for.
    pub(crate) closed: BTreeSet<usize>,
    pub(crate) check: Check,
    pub(crate) calls: usize,
    tally: BTreeMap<(&'static str, i32), usize>,
    is_traced: bool,
}

/// What is in [`World::host`].
pub(crate) const HOST: u64 = 0x3C3C_3C3C_3C3C_3C3C;

/// Calls a function of CANN's, and counts it.
macro_rules! acl {
    ($world:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: handles and addresses of devices are looked up, whatever they are; places and
        // memory of the host are valid.
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

    /// True for one in this number of calls.
    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.random.below(many) == 0
    }

    /// A place of a list of this length.
    pub(crate) fn place(&mut self, len: usize) -> Option<usize> {
        (len > 0).then(|| self.random.below(len))
    }

    pub(crate) fn device(&self) -> Option<i32> {
        self.context(self.current).map(|context| context.device)
    }

    pub(crate) fn context(&self, raw: usize) -> Option<&Context> {
        self.contexts.iter().find(|context| context.raw == raw)
    }

    /// `aclrtSetDevice`, which makes the device's own context at the first use.
    pub(crate) fn set_device(&mut self, device: i32) {
        let code = acl!(self, aclrtSetDevice(device));
        if !(0..DEVICES).contains(&device) {
            return assert_ne!(code, 0);
        }
        assert_eq!(code, 0, "{}", messages());
        self.uses[device as usize] += 1;
        self.note_current(device, true);
    }

    /// The thread has a context of a device, which may be new.
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

    /// A context has ended with all its streams, after their work was done.
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

    /// Remembers a handle of what has ended.
    pub(crate) fn end(&mut self, kind: usize, handle: usize) {
        self.ended[kind].push_back(handle);
        if self.ended[kind].len() > ENDED {
            self.ended[kind].pop_front();
        }
    }
}
