//! Copies of every kind.

use core::ffi::c_void;
use core::ptr;

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_PARAM_INVALID, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_HOST_TO_HOST, aclrtMemcpyKind,
    aclrtStream,
};

use super::copied;
use super::span::{Side, Span};
use crate::failure::{Fallible, ensure, failure};
use crate::fault::{self, Action};
use crate::stream::{self, Task};
use crate::{context, device};

/// A rectangle of bytes; a line is a rectangle of height one.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    width: usize,
    height: usize,
    to_pitch: usize,
    from_pitch: usize,
}

/// A copy whose addresses and direction are checked.
#[derive(Debug)]
pub(crate) struct Copy {
    to: Span,
    from: Source,
    rectangle: Rectangle,
}

#[derive(Debug)]
enum Source {
    Memory(Span),
    /// What the source held when the copy was launched.
    Snapshot(Box<[u8]>),
}

impl Copy {
    /// Copies, if the memory is still there.
    pub(crate) fn run(&self) -> Fallible {
        self.to.check_living()?;
        let from = match &self.from {
            Source::Memory(span) => {
                span.check_living()?;
                span.memory().cast_const()
            }
            Source::Snapshot(bytes) => bytes.as_ptr(),
        };
        let Rectangle { width, height, to_pitch, from_pitch } = self.rectangle;
        for row in 0..height {
            // SAFETY: both spans hold every row; memory of the runtime lives as long as its span,
            // and by the contract of `aclrtMemcpy` the caller's own memory can be accessed until
            // the copy is done.
            unsafe { ptr::copy(from.add(row * from_pitch), self.to.memory().add(row * to_pitch), width) };
        }
        Ok(())
    }

    /// Whether the copy uses host memory that the caller may free or change as soon as the call
    /// returns.
    fn touches_pageable(&self) -> bool {
        let pageable = |span: &Span| span.side() == Side::Pageable;
        pageable(&self.to) || matches!(&self.from, Source::Memory(span) if pageable(span))
    }
}

/// Copies `count` bytes at once, or in a stream.
pub(crate) fn line(
    to: *mut c_void,
    room: usize,
    from: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: Option<aclrtStream>,
) -> Fallible {
    if count == 0 {
        return Ok(());
    }
    check_pointers(to, from)?;
    ensure!(
        kind.0 <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE.0,
        ACL_ERROR_INVALID_PARAM,
        "kind {} is not one of aclrtMemcpy's",
        kind.0
    );
    ensure!(count <= room, ACL_ERROR_RT_PARAM_INVALID, "count {count} is more than destMax {room}");
    let rectangle = Rectangle { width: count, height: 1, to_pitch: count, from_pitch: count };
    start(to, from, rectangle, kind, stream)
}

/// As [`line`], but refuses host memory that is not pinned.
pub(crate) fn pinned_line(
    to: *mut c_void,
    room: usize,
    from: *const c_void,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> Fallible {
    for (name, pointer) in [("dst", to.cast_const()), ("src", from)] {
        let pageable =
            count > 0 && !pointer.is_null() && Span::new(name, pointer, count)?.side() == Side::Pageable;
        ensure!(
            !pageable,
            ACL_ERROR_RT_PARAM_INVALID,
            "{name} {pointer:?} is host memory that is not pinned"
        );
    }
    line(to, room, from, count, kind, Some(stream))
}

/// Copies a rectangle at once, or in a stream.
pub(crate) fn rectangle(
    to: (*mut c_void, usize),
    from: (*const c_void, usize),
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
    stream: Option<aclrtStream>,
) -> Fallible {
    let ((to, to_pitch), (from, from_pitch)) = (to, from);
    if width == 0 || height == 0 {
        return Ok(());
    }
    check_pointers(to, from)?;
    ensure!(
        width <= to_pitch && width <= from_pitch,
        ACL_ERROR_INVALID_PARAM,
        "width {width} is more than dpitch {to_pitch} or spitch {from_pitch}"
    );
    let known = [
        ACL_MEMCPY_HOST_TO_DEVICE,
        ACL_MEMCPY_DEVICE_TO_HOST,
        ACL_MEMCPY_DEVICE_TO_DEVICE,
        ACL_MEMCPY_DEFAULT,
    ];
    ensure!(known.contains(&kind), ACL_ERROR_INVALID_PARAM, "kind {} is not one of aclrtMemcpy2d's", kind.0);
    start(to, from, Rectangle { width, height, to_pitch, from_pitch }, kind, stream)
}

fn check_pointers(to: *const c_void, from: *const c_void) -> Fallible {
    ensure!(!to.is_null(), ACL_ERROR_INVALID_PARAM, "dst is null");
    ensure!(!from.is_null(), ACL_ERROR_INVALID_PARAM, "src is null");
    Ok(())
}

fn start(
    to: *mut c_void,
    from: *const c_void,
    rectangle: Rectangle,
    kind: aclrtMemcpyKind,
    stream: Option<aclrtStream>,
) -> Fallible {
    fault::before(Action::Copy)?;
    let context = context::current()?;
    let Rectangle { width, height, to_pitch, from_pitch } = rectangle;
    let bytes = |pitch: usize| (height - 1).checked_mul(pitch).and_then(|bytes| bytes.checked_add(width));
    let too_large = || failure!(ACL_ERROR_RT_PARAM_INVALID, "{height} rows are more than there is memory");
    let to = Span::new("dst", to, bytes(to_pitch).ok_or_else(too_large)?)?;
    let from = Span::new("src", from, bytes(from_pitch).ok_or_else(too_large)?)?;
    check_direction(&to, &from, kind)?;
    let Some(stream) = stream else {
        let both = to.side().is_device() && from.side().is_device();
        ensure!(
            !(both && height > 1),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "aclrtMemcpy2d does not copy between devices' memory; aclrtMemcpy2dAsync does"
        );
        return Copy { to, from: Source::Memory(from), rectangle }.run();
    };
    let stream = stream::of_current(stream, &context)?;
    ensure!(
        to.side().is_device() || from.side().is_device(),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "a stream does not copy from host to host"
    );
    check_reach(&to, &from, stream.device())?;
    let from = if kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE {
        // SAFETY: the span was checked; memory that the runtime does not know can be read during
        // the call, by the contract of `aclrtMemcpyAsync`.
        let bytes = unsafe { core::slice::from_raw_parts(from.memory(), from.len()) };
        let none = || {
            failure!(
                ACL_ERROR_RT_MEMORY_ALLOCATION,
                "no memory for a copy of the {} bytes of src",
                bytes.len()
            )
        };
        Source::Snapshot(copied(bytes).ok_or_else(none)?)
    } else {
        Source::Memory(from)
    };
    let copy = Copy { to, from, rectangle };
    if copy.touches_pageable() {
        // According to CANN's documents, with memory that is not pinned the call returns when the
        // copy is done.
        return stream.run(Task::Copy(copy));
    }
    stream.submit(Task::Copy(copy)).map(drop)
}

/// Refuses addresses that are not where the kind of the copy says.
fn check_direction(to: &Span, from: &Span, kind: aclrtMemcpyKind) -> Fallible {
    let (from_device, to_device) = match kind {
        ACL_MEMCPY_HOST_TO_HOST => (false, false),
        ACL_MEMCPY_HOST_TO_DEVICE | ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE => (false, true),
        ACL_MEMCPY_DEVICE_TO_HOST => (true, false),
        ACL_MEMCPY_DEVICE_TO_DEVICE => (true, true),
        _ => (from.side().is_device(), to.side().is_device()),
    };
    let name = |device| if device { "device" } else { "host" };
    for (argument, span, device) in [("src", from, from_device), ("dst", to, to_device)] {
        ensure!(
            span.side().is_device() == device,
            ACL_ERROR_RT_PARAM_INVALID,
            "kind says {} to {}, but {argument} {:?} is {}",
            name(from_device),
            name(to_device),
            span.start(),
            span.side()
        );
    }
    if let (Side::Device(to), Side::Device(from)) = (to.side(), from.side()) {
        ensure!(
            to == from || device::reaches(to, from) || device::reaches(from, to),
            ACL_ERROR_RT_PARAM_INVALID,
            "device {from} and device {to} can't copy to each other before aclrtDeviceEnablePeerAccess"
        );
    }
    Ok(())
}

/// Refuses memory that is neither of the stream's device nor of one that its device can access.
fn check_reach(to: &Span, from: &Span, device: i32) -> Fallible {
    for (name, span) in [("dst", to), ("src", from)] {
        if let Side::Device(other) = span.side() {
            ensure!(
                other == device || device::reaches(device, other) || device::reaches(other, device),
                ACL_ERROR_RT_PARAM_INVALID,
                "{name} is memory of device {other}, which a stream of device {device} does not reach"
            );
        }
    }
    Ok(())
}
