//! Memory that an operator accesses: checked as a device checks it, and kept until its host
//! function returns.

use core::ffi::{CStr, c_void};
use std::cell::RefCell;
use std::sync::Arc;

use super::{Block, Place, address, locate, made_space};

/// Bytes that an operator may access.
#[derive(Debug)]
pub(crate) struct Range<'a> {
    pub(crate) argument: &'a CStr,
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) is_written: bool,
    /// Set to where the first of them can be accessed.
    pub(crate) memory: &'a mut *mut c_void,
}

thread_local! {
    /// The blocks that are held by the host functions that this thread runs. One may run within
    /// another, whose blocks come before its own.
    static HELD: RefCell<Vec<Arc<Block>>> = const { RefCell::new(Vec::new()) };
}

/// Runs a host function, and then releases what it has held.
pub(crate) fn until_done(function: impl FnOnce()) {
    // A thread that is ending holds nothing.
    let outer = HELD.try_with(|held| held.borrow().len()).unwrap_or(0);
    function();
    let _ = HELD.try_with(|held| held.borrow_mut().truncate(outer));
}

/// Holds ranges for a host function of a device's stream, or returns why the device can't access
/// the first bad one.
pub(crate) fn hold<'a>(device: i32, ranges: impl Iterator<Item = Range<'a>>) -> Result<(), String> {
    // The device's own allocations are looked up under one lock, which must not be held during
    // slower look-ups.
    let own = made_space(device);
    let mut blocks = None;
    for range in ranges {
        *range.memory = address(range.start);
        if range.len == 0 {
            continue;
        }
        let block = own
            .filter(|space| space.contains(range.start))
            .and_then(|space| blocks.get_or_insert_with(|| space.blocks()).find(range.start))
            .filter(|block| range.len <= block.room(range.start))
            .map(Arc::clone);
        let block = match block {
            Some(block) => Some(block),
            None => {
                blocks = None;
                find(device, range.start, range.len).map_err(|reason| {
                    let Range { argument, start, len, is_written, .. } = range;
                    let argument = argument.to_string_lossy();
                    let access = if is_written { "write" } else { "read" };
                    format!("{argument}: device {device} can't {access} {len} bytes at {start:#x}: {reason}")
                })?
            }
        };
        if let Some(block) = block {
            *range.memory = block.memory(range.start);
            let _ = HELD.try_with(|held| held.borrow_mut().push(block));
        }
    }
    Ok(())
}

/// The block that holds `len` bytes from `start`; `None` for host memory that is registered with
/// devices, which belongs to the program.
fn find(device: i32, start: usize, len: usize) -> Result<Option<Arc<Block>>, String> {
    match locate(start) {
        Place::Device(owner, Some(block)) if owner == device => {
            let there = block.room(start);
            if len <= there {
                return Ok(Some(block));
            }
            let Block { base, len, .. } = *block;
            Err(format!(
                "{there} bytes are there, up to the end of the allocation of {len} bytes at {base:#x}"
            ))
        }
        Place::Device(owner, Some(_)) => Err(format!("it is memory of device {owner}")),
        Place::Device(_, None) => {
            Err("it is in no living allocation: it was freed, or lies outside of one".to_owned())
        }
        Place::Pinned(_) => Err("it is pinned host memory, which has no address on a device".to_owned()),
        Place::Registered(room) if len <= room => Ok(None),
        Place::Registered(room) => Err(format!("{room} bytes of registered host memory are there")),
        Place::Pageable if start == 0 => Err("the address is null".to_owned()),
        Place::Pageable => Err("it is host memory, or none at all".to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use core::ptr;

    use aclnn_sys::{
        ACL_HBM_MEM_HUGE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_MEM_HANDLE_TYPE_NONE,
        ACL_MEM_LOCATION_TYPE_DEVICE, aclrtMemLocation, aclrtPhysicalMemProp,
    };

    use super::*;
    use crate::c;
    use crate::memory::{Usage, device_space};

    const PIECE: usize = 2 << 20;

    fn used() -> usize {
        let Usage { used, .. } = device_space(0).unwrap().usage();
        used
    }

    /// `aclrtUnmapMem` waits for streams, but one that begins meanwhile may hold the memory.
    #[test]
    fn what_is_unmapped_while_it_is_held_stays() {
        // SAFETY: no other test of this program reads the environment.
        unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
        let (mut piece, mut range) = (ptr::null_mut(), ptr::null_mut());
        let location = aclrtMemLocation { id: 0, type_: ACL_MEM_LOCATION_TYPE_DEVICE };
        let properties = aclrtPhysicalMemProp {
            handleType: ACL_MEM_HANDLE_TYPE_NONE,
            allocationType: ACL_MEM_ALLOCATION_TYPE_PINNED,
            memAttr: ACL_HBM_MEM_HUGE,
            location,
            reserve: 0,
        };
        // SAFETY: there are places for what is made, and the properties are valid.
        unsafe {
            assert!(c::aclInit(ptr::null()).is_success() && c::aclrtSetDevice(0).is_success());
            assert!(c::aclrtMallocPhysical(&mut piece, PIECE, &properties, 0).is_success());
            assert!(c::aclrtReserveMemAddress(&mut range, PIECE, 0, ptr::null_mut(), 0).is_success());
        }
        // SAFETY: the test has reserved the addresses and allocated the physical memory, and
        // nothing else uses them.
        let map = || unsafe { c::aclrtMapMem(range, PIECE, 0, piece, 0) }.is_success();
        // SAFETY: the test has reserved the addresses, and reads nothing there while they are
        // unmapped.
        let unmap = || unsafe { c::aclrtUnmapMem(range) }.is_success();
        assert!(map());
        let start = range.expose_provenance();
        until_done(|| {
            let mut memory = ptr::null_mut();
            let range = Range { argument: c"x", start, len: PIECE, is_written: true, memory: &mut memory };
            hold(0, [range].into_iter()).unwrap();
            assert!(unmap() && !unmap());
            assert!(find(0, start, 1).is_err(), "nobody else gets it");
            assert!(!map(), "its addresses are in use");
            // SAFETY: the memory is held.
            unsafe { memory.cast::<u8>().write_bytes(7, PIECE) };
        });
        assert!(map());
        // SAFETY: the memory is mapped.
        assert_eq!(unsafe { range.cast::<u8>().read() }, 7);
        // SAFETY: the test allocated the physical memory, and frees it once.
        assert!(unsafe { c::aclrtFreePhysical(piece) }.is_success());
        assert_eq!(used(), PIECE);
        assert!(unmap());
        assert_eq!(used(), 0);
        // SAFETY: the test reserved the addresses, and nothing is mapped there any more.
        assert!(unsafe { c::aclrtReleaseMemAddress(range) }.is_success());
    }
}
