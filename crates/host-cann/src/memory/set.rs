//! Fills.

use core::ffi::c_void;

use aclnn_sys::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, aclrtStream};

use super::span::{Side, Span};
use crate::context;
use crate::failure::{Fallible, ensure};
use crate::stream::{self, Task};

/// A fill whose addresses are checked.
#[derive(Debug)]
pub(crate) struct Fill {
    span: Span,
    value: u8,
}

impl Fill {
    /// Fills, if the memory is still there.
    pub(crate) fn run(&self) -> Fallible {
        self.span.check_living()?;
        // SAFETY: the span was checked; memory of the runtime lives as long as it, and by the
        // contract of `aclrtMemset` the caller's own memory can be written until the fill is done.
        unsafe { self.span.memory().write_bytes(self.value, self.span.len()) };
        Ok(())
    }
}

/// Fills `count` bytes at once, or in a stream.
pub(crate) fn fill(
    memory: *mut c_void,
    room: usize,
    value: i32,
    count: usize,
    stream: Option<aclrtStream>,
) -> Fallible {
    if count == 0 {
        return Ok(());
    }
    ensure!(!memory.is_null(), ACL_ERROR_INVALID_PARAM, "devPtr is null");
    ensure!(count <= room, ACL_ERROR_RT_PARAM_INVALID, "count {count} is more than maxCount {room}");
    let context = context::current()?;
    // As C's memset: the low byte.
    let fill = Fill { span: Span::new("devPtr", memory, count)?, value: value.to_le_bytes()[0] };
    let Some(stream) = stream else { return fill.run() };
    let stream = stream::of_current(stream, &context)?;
    if fill.span.side() == Side::Pageable {
        return stream.run(Task::Fill(fill));
    }
    stream.submit(Task::Fill(fill)).map(drop)
}
