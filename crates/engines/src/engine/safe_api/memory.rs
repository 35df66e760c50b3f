//! The storages of a call's tensors in device memory.

use aclnn::{DeviceBuffer, Stream};
use scatter::Argument;

use crate::call::{Call, Claim};
use crate::refusal::Refusal;
use crate::storage::Storage;

/// The whole storages of a call.
pub(super) struct Buffers {
    /// `None` in place.
    pub(super) self_: Option<DeviceBuffer>,
    pub(super) index: DeviceBuffer,
    pub(super) src: Option<DeviceBuffer>,
    pub(super) out: DeviceBuffer,
}

impl Buffers {
    /// Copies the call's storages to the device. Where the call claims that another storage begins
    /// within out's, the two share memory, and out's bytes, which are written last, remain.
    pub(super) fn of(call: &Call<'_>, stream: &Stream) -> aclnn::Result<Self> {
        let overlap = Overlap::of(call, stream)?;
        let copy = |argument, storage: &Storage| -> aclnn::Result<DeviceBuffer> {
            let bytes = storage.bytes();
            let shared = overlap.as_ref().and_then(|overlap| overlap.part(argument, bytes.len()));
            let buffer = shared.map_or_else(|| DeviceBuffer::new(stream, bytes.len()), Ok)?;
            buffer.write(0, bytes, stream)?;
            Ok(buffer)
        };
        Ok(Self {
            self_: call.self_.map(|self_| copy(Argument::SelfTensor, &self_.storage)).transpose()?,
            index: copy(Argument::Index, &call.index.storage)?,
            src: call.src.map(|src| copy(Argument::Src, &src.storage)).transpose()?,
            out: copy(Argument::Out, &call.out.storage)?,
        })
    }

    /// Copies the whole storage of out back, and checks that those of the others are unchanged. One
    /// that shares out's memory by a claim has out's bytes in it, and isn't compared.
    pub(super) fn copy_back(&self, call: &mut Call<'_>, stream: &Stream) -> Result<(), Refusal> {
        self.out.read(0, call.out.storage.bytes_mut(), stream)?;
        let is_shared = |argument| matches!(call.claim, Some(Claim::BytesAfterOut(of, _)) if of == argument);
        let apart = |argument, buffer| Some(buffer).filter(|_| !is_shared(argument));
        let sources = [
            self.self_.as_ref().and_then(|self_| apart(Argument::SelfTensor, self_)),
            apart(Argument::Index, &self.index),
            self.src.as_ref().and_then(|src| apart(Argument::Src, src)),
        ];
        call.check_sources(sources, |source, after| Ok(source.read(0, after, stream)?))
    }
}

/// One allocation for out's storage and another tensor's, which begins within or after out's.
struct Overlap<'a> {
    argument: Argument,
    /// Where the other storage begins, in bytes from the beginning of out's.
    start: usize,
    both: DeviceBuffer,
    stream: &'a Stream,
}

impl<'a> Overlap<'a> {
    /// The allocation for a call's claim; `None` without a claim about addresses.
    fn of(call: &Call<'_>, stream: &'a Stream) -> aclnn::Result<Option<Self>> {
        let Some(Claim::BytesAfterOut(argument, start)) = call.claim else { return Ok(None) };
        let others = [call.self_, Some(call.index), call.src].into_iter().flatten();
        let bytes: usize = others.map(|tensor| tensor.storage.bytes().len()).sum();
        let both = DeviceBuffer::new(stream, start + call.out.storage.bytes().len() + bytes)?;
        Ok(Some(Self { argument, start, both, stream }))
    }

    /// The part for an argument's storage of `bytes` bytes; `None` for an argument that isn't in
    /// here.
    fn part(&self, argument: Argument, bytes: usize) -> Option<DeviceBuffer> {
        let start = match argument {
            Argument::Out => 0,
            of if of == self.argument => self.start,
            _ => return None,
        };
        let address = self.both.as_raw().wrapping_byte_add(start);
        let both = self.both.clone();
        // SAFETY: `both` has the length of `start` plus all storages, so the range lies within it,
        // and the closure keeps it alive until this buffer is released. All work on it is enqueued
        // on one stream.
        Some(unsafe { DeviceBuffer::from_raw(self.stream, address, bytes, move || drop(both)) })
    }
}
