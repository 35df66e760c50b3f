//! A library of operators that holds the memory that it accesses.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::mpsc::channel;

use aclnn_sys::*;

use super::{acl, extension, fails, launch, malloc, message, ok, stream};

/// Bytes of the operator's argument `x`, which it reads, or `y`, which it writes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes(&'static CStr, pub(crate) usize, pub(crate) usize);

impl Bytes {
    pub(crate) fn x(address: *mut c_void, bytes: usize) -> Self {
        Self(c"x", address.expose_provenance(), bytes)
    }

    pub(crate) fn y(address: *mut c_void, bytes: usize) -> Self {
        Self(c"y", address.expose_provenance(), bytes)
    }

    pub(crate) fn range(self) -> hostcannRange {
        let Self(argument, address, bytes) = self;
        let address = ptr::with_exposed_provenance(address);
        let memory = ptr::null_mut();
        hostcannRange { argument: argument.as_ptr(), address, bytes, isWritten: argument == c"y", memory }
    }
}

/// Calls `holdMemory` on the calling thread.
pub(crate) fn hold(stream: aclrtStream, ranges: &[Bytes]) -> AclError {
    let mut ranges: Vec<_> = ranges.iter().map(|range| range.range()).collect();
    // SAFETY: the names are C strings, and the number is that of the ranges.
    unsafe {
        extension().holdMemory.unwrap()(stream, c"aclnnTest".as_ptr(), ranges.as_mut_ptr(), ranges.len())
    }
}

/// Runs an operator that holds these ranges, and returns the result of that.
pub(crate) fn run(stream: aclrtStream, ranges: &[Bytes]) -> AclError {
    let (ranges, (sender, receiver)) = (ranges.to_vec(), channel());
    launch(stream, move || sender.send(hold(ptr::null_mut(), &ranges)).unwrap());
    receiver.recv().unwrap()
}

/// The operator may access these ranges.
pub(crate) fn passes(stream: aclrtStream, ranges: &[Bytes]) {
    assert_eq!(run(stream, ranges), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
}

/// The operator may not, and the stream's next synchronisation, and no other, fails with these
/// words.
macro_rules! refuses {
    ($stream:expr, $ranges:expr, $($word:expr),*) => {{
        assert_eq!($crate::common::operator::run($stream, $ranges), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        $crate::common::fails!(aclrtSynchronizeStream($stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "aclnnTest: ", $($word),*);
        $crate::common::ok!(aclrtSynchronizeStream($stream));
    }};
}
pub(crate) use refuses;

/// An operator may access the first `end` bytes of an allocation and no others. The allocation is
/// freed.
pub(crate) fn an_allocation_has_an_end(memory: *mut c_void, end: usize) {
    let stream = stream();
    let at = |offset: usize| memory.wrapping_byte_add(offset);
    passes(stream, &[Bytes::x(memory, end), Bytes::y(at(end - 1), 1), Bytes::x(memory, 1)]);
    let all = format!("y: device 0 can't write {} bytes at {memory:?}", end + 1);
    refuses!(stream, &[Bytes::y(memory, end + 1)], &all, &format!("{end} bytes are there"));
    refuses!(stream, &[Bytes::x(at(end - 1), 2)], "x: device 0 can't read 2 bytes", "1 bytes are there");
    refuses!(stream, &[Bytes::x(at(end), 1)], "0 bytes are there");
    refuses!(stream, &[Bytes::x(memory, usize::MAX)], "18446744073709551615 bytes");
    refuses!(stream, &[Bytes::x(memory.wrapping_byte_sub(1), 1)], "no living allocation");
    ok!(aclrtFree(memory));
    refuses!(stream, &[Bytes::x(memory, 1)], "x: device 0 can't read 1 bytes", "it was freed");
    ok!(aclrtDestroyStream(stream));
}

/// Frees memory while an operator holds it, which writes there afterwards. `after` gets the address
/// when the stream no longer uses it, but still exists.
pub(crate) fn freed_while_it_is_held(bytes: usize, after: impl FnOnce(*mut c_void)) {
    let (stream, memory) = (stream(), malloc(bytes));
    let ((held, is_held), (go, wait)) = (channel(), channel());
    let range = Bytes::y(memory, bytes);
    launch(stream, move || {
        held.send(hold(ptr::null_mut(), &[range])).unwrap();
        wait.recv().unwrap();
        let memory = ptr::with_exposed_provenance_mut::<u8>(range.1);
        // SAFETY: the memory is held, so it still exists although it was freed.
        unsafe { memory.write_bytes(7, range.2) };
    });
    assert_eq!(is_held.recv().unwrap(), ACL_SUCCESS);
    ok!(aclrtFree(memory));
    let other = malloc(bytes);
    assert_ne!(other, memory, "its addresses are in use");
    go.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
    after(memory);
    ok!(aclrtFree(other));
    ok!(aclrtDestroyStream(stream));
}
