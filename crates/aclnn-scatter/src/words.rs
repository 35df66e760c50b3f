//! A kernel's status words on their way to the host.
//!
//! A kernel can't say that an index was bad but by words in its workspace. The stream copies them to pinned memory behind it,
//! and whoever asks for the stream's status reads them there. That is the same on a device and on the host model.

use core::ffi::c_void;
use core::ptr;

use aclnn_sys::{
    ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_RECORDED_STATUS_COMPLETE,
    ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_SYNC, ACL_MEMCPY_DEVICE_TO_HOST, ACLNN_ERR_RUNTIME_ERROR,
    AclError, Cann, LoadError, aclrtEvent, aclrtStream,
};
use scatter::Problem;
use scatter_kernels::tiling::Status;

use crate::failure::{Failure, ensure};
use crate::function::Function;
use crate::plan::Positions;
use crate::session::Session;
use crate::status::BadIndex;

/// Words that a stream copies, and what they tell of.
#[derive(Debug)]
pub(crate) struct Words {
    session: &'static Session,
    call: Call,
    memory: *mut c_void,
    blocks: usize,
    event: aclrtEvent,
}

/// The call that the words are of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) problem: Problem,
    pub(crate) positions: Positions,
}

impl Call {
    /// The bad index that the words of so many blocks tell of, if they do.
    ///
    /// # Safety
    /// The launch is done, and its words are at this address, aligned.
    pub(crate) unsafe fn bad_index(&self, words: *const c_void, blocks: usize) -> Option<BadIndex> {
        if blocks == 0 {
            return None;
        }
        // SAFETY: the caller's word; any bytes are words.
        let words = unsafe { core::slice::from_raw_parts(words.cast::<Status>(), blocks) };
        let error = scatter_kernels::bad_index(&self.problem, words)?;
        BadIndex::of(&error, self.function.c_name(), Some(self.positions))
    }
}

// SAFETY: the memory and the event are this value's alone; CANN's functions for them may be called from any thread.
unsafe impl Send for Words {}

/// What a function of CANN's has returned.
fn succeed(name: &str, returned: Result<AclError, LoadError>) -> Result<(), Failure> {
    let code = returned?;
    ensure!(code.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: {name} returned {code}");
    Ok(())
}

impl Words {
    /// Has the stream copy a launch's words, behind the launch.
    ///
    /// # Safety
    /// `status` has the words of so many blocks, until the stream has passed the copy.
    pub(crate) unsafe fn copy(
        session: &'static Session,
        call: Call,
        status: *const c_void,
        blocks: usize,
        stream: aclrtStream,
    ) -> Result<Self, Failure> {
        let cann = &session.cann;
        let bytes = blocks * size_of::<Status>();
        let mut words = Self { session, call, memory: ptr::null_mut(), blocks, event: ptr::null_mut() };
        // SAFETY: there is a place for the address.
        succeed("aclrtMallocHost", unsafe { cann.aclrtMallocHost(&mut words.memory, bytes) })?;
        let flags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS;
        // SAFETY: there is a place for the event.
        succeed("aclrtCreateEventWithFlag", unsafe {
            cann.aclrtCreateEventWithFlag(&mut words.event, flags)
        })?;
        let (to, kind) = (words.memory, ACL_MEMCPY_DEVICE_TO_HOST);
        // SAFETY: as many bytes are at both addresses; the host's stay until the event has come.
        let copied = unsafe { cann.aclrtMemcpyAsync(to, bytes, status, bytes, kind, stream) };
        succeed("aclrtMemcpyAsync", copied)?;
        // SAFETY: event and stream are alive.
        let recorded = unsafe { cann.aclrtRecordEvent(words.event, stream) };
        if let Err(failure) = succeed("aclrtRecordEvent", recorded) {
            // When the copy is done will not be known, so that its memory is given up.
            words.memory = ptr::null_mut();
            return Err(failure);
        }
        Ok(words)
    }

    /// Whether the copy is done.
    pub(crate) fn are_there(&self) -> bool {
        let mut status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: the event is alive, and there is a place for its status.
        let asked = unsafe { self.cann().aclrtQueryEventStatus(self.event, &mut status) };
        matches!(asked, Ok(code) if code.is_success()) && status == ACL_EVENT_RECORDED_STATUS_COMPLETE
    }

    /// The bad index that they tell of, if they do. They are there.
    pub(crate) fn bad_index(&self) -> Option<BadIndex> {
        // SAFETY: so many words were copied there, and pinned memory is aligned to 64 bytes and more.
        unsafe { self.call.bad_index(self.memory, self.blocks) }
    }

    fn cann(&self) -> &Cann {
        &self.session.cann
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // What a runtime that has ended says of them makes no difference.
        if !self.event.is_null() {
            // SAFETY: the event is this value's.
            let _ = unsafe { self.cann().aclrtDestroyEvent(self.event) };
        }
        if !self.memory.is_null() {
            // SAFETY: the memory is this value's; its copy is done, or was not begun.
            let _ = unsafe { self.cann().aclrtFreeHost(self.memory) };
        }
    }
}
