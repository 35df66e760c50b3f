//! Checks of everything that should exist, and of what is left at the end.

use std::ptr::{null, without_provenance_mut};

use aclnn_scatter::sys::ACL_SUCCESS;
use host_cann::Counters;

use super::memory::Place;
use super::world::{DEVICES, HOST, World, acl};
use crate::common::{cann, messages};

impl World {
    /// Waits for every stream, and compares all memory and all counts.
    pub(crate) fn check(&mut self) {
        for stream in 0..self.streams.len() {
            self.synchronize(stream);
        }
        let bases: Vec<usize> = self.memory.all().map(|allocation| allocation.base).collect();
        let calls = self.calls;
        bases.into_iter().for_each(|base| self.memory.compare(base, &format!("after {calls} calls")));
        assert!(self.host.iter().all(|&word| word == HOST), "memory of the program's own was written");
        assert_eq!(Counters::now(), self.counters());
        assert_eq!(aclnn_scatter::live_executors(), self.executors.len());
    }

    /// The counts that host-cann must have.
    fn counters(&self) -> Counters {
        let is_pinned = |place| place == Place::Pinned;
        let count = |pinned: bool| self.memory.all().filter(|found| is_pinned(found.place) == pinned).count();
        let mut counters = Counters::default();
        counters.device_allocations = count(false);
        counters.device_bytes = self.memory.used(|place| !is_pinned(place));
        counters.host_allocations = count(true);
        counters.host_bytes = self.memory.used(is_pinned);
        counters.contexts = self.contexts.iter().filter(|context| !context.is_primary).count();
        counters.streams = self.streams.iter().filter(|stream| stream.is_explicit).count();
        counters.events = self.events.len();
        counters.tensors = self.tensors.len();
        counters.scalars = self.scalars.len();
        counters.executors = self.executors.len();
        counters
    }

    /// Finalises the runtime, which frees what is left.
    pub(crate) fn finalize(&mut self) {
        if self.random.flip() {
            self.check();
        }
        self.open_gates();
        let left = self.counters();
        assert_eq!(acl!(self, aclFinalize()), 0, "{}", messages());
        assert_eq!(Counters::leftovers(), Some(left));
        for context in self.contexts.iter().map(|context| context.raw).collect::<Vec<_>>() {
            self.end_context(context);
        }
        for event in std::mem::take(&mut self.events) {
            self.end(1, event.raw);
        }
        self.memory.clear();
        self.uses = [0; DEVICES as usize];
    }

    /// Initialises the runtime again.
    pub(crate) fn init(&mut self) {
        // SAFETY: null stands for no configuration.
        assert_eq!(unsafe { cann().aclInit(null()) }, Ok(ACL_SUCCESS));
        self.set_device(0);
    }

    /// Destroys everything; nothing may be left.
    pub(crate) fn destroy(mut self) -> usize {
        self.check();
        for executor in std::mem::take(&mut self.executors) {
            assert_eq!(acl!(self, aclDestroyAclOpExecutor(executor.raw)), 0, "{}", messages());
        }
        for (tensor, _) in std::mem::take(&mut self.tensors) {
            assert_eq!(acl!(self, aclDestroyTensor(tensor)), 0, "{}", messages());
        }
        for scalar in std::mem::take(&mut self.scalars) {
            assert_eq!(acl!(self, aclDestroyScalar(scalar.raw)), 0, "{}", messages());
        }
        if self.current == 0 {
            self.set_device(0);
        }
        for base in
            self.memory.all().map(|allocation| (allocation.base, allocation.place)).collect::<Vec<_>>()
        {
            let address = std::ptr::with_exposed_provenance_mut(base.0);
            let code = match base.1 {
                Place::Pinned => acl!(self, aclrtFreeHost(address)),
                Place::Device(_) => acl!(self, aclrtFree(address)),
            };
            assert_eq!(code, 0, "{}", messages());
        }
        self.memory.clear();
        for event in std::mem::take(&mut self.events) {
            assert_eq!(acl!(self, aclrtDestroyEvent(without_provenance_mut(event.raw))), 0, "{}", messages());
        }
        for context in std::mem::take(&mut self.contexts) {
            let code = match context.is_primary {
                true => acl!(self, aclrtResetDeviceForce(context.device)),
                false => acl!(self, aclrtDestroyContext(without_provenance_mut(context.raw))),
            };
            assert_eq!(code, 0, "{}", messages());
        }
        assert_eq!(acl!(self, aclFinalize()), 0, "{}", messages());
        assert_eq!(Counters::leftovers(), Some(Counters::default()));
        assert_eq!(aclnn_scatter::live_executors(), 0);
        self.calls
    }
}
