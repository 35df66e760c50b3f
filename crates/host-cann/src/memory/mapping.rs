//! Virtual memory: reserved ranges of addresses, to which pieces of physical memory are mapped.
//!
//! Physical memory is an anonymous file, so that it keeps its content and can be mapped at several
//! addresses. Reserved addresses are never returned to the system, so that nothing else is ever at
//! them.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_PARAM_INVALID, ACL_MEM_ALLOCATION_TYPE_PINNED,
    ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_LOCATION_TYPE_DEVICE, aclrtDrvMemHandle, aclrtMemGranularityOptions,
    aclrtPhysicalMemProp,
};

use super::pages::{File, Reservation, page};
use super::{Block, Space, device_space};
use crate::entry::Out;
use crate::failure::{Failure, Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::sync::lock;
use crate::{config, context, device, process, stream};

/// Sizes of physical memory are multiples of this, a huge page of a device.
const GRANULARITY: usize = 2 << 20;

/// Memory without an address.
#[derive(Debug)]
struct Physical {
    file: File,
    size: usize,
    device: i32,
    space: &'static Space,
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.space.discharge(self.size);
    }
}

/// Memory at an address of a range.
#[derive(Debug)]
struct Mapping {
    physical: Arc<Physical>,
    len: usize,
    /// `None` once it is unmapped: the mapping then stays until the block is no longer used.
    block: Option<Arc<Block>>,
}

/// Reserved addresses.
#[derive(Debug)]
struct Range {
    reservation: Reservation,
    /// Whether the program has not released it yet.
    living: bool,
    /// The mappings, by their first address.
    mappings: BTreeMap<usize, Mapping>,
}

static PHYSICAL: Table<Arc<Physical>> = Table::new(Kind::Physical);
static RANGES: Mutex<BTreeMap<usize, Range>> = Mutex::new(BTreeMap::new());

impl Range {
    fn mapping(&self, address: usize) -> Option<&Mapping> {
        let (start, mapping) = self.mappings.range(..=address).next_back()?;
        (address - start <= mapping.len).then_some(mapping)
    }

    /// Ends a mapping. The caller must unlock [`RANGES`] before it drops the block, which locks
    /// them.
    fn unmap(&mut self, start: usize) -> Option<Arc<Block>> {
        let block = self.mappings.get_mut(&start)?.block.take()?;
        block.set_freed();
        Some(block)
    }
}

/// The device of an address of a reserved range, and the block that is mapped there, if any.
pub(super) fn find(address: usize) -> Option<(i32, Option<Arc<Block>>)> {
    let ranges = lock(&RANGES);
    let (_, range) = ranges.range(..=address).next_back()?;
    range.reservation.contains(address).then(|| match range.mapping(address) {
        Some(mapping) => (mapping.physical.device, mapping.block.clone()),
        None => (0, None),
    })
}

/// Takes back the addresses of a block that is no longer used.
pub(super) fn reclaim((start, len): (usize, usize)) {
    let mapping = {
        let mut ranges = lock(&RANGES);
        let Some((_, range)) = ranges.range_mut(..=start).next_back() else { return };
        range.reservation.vacate(start, len);
        range.mappings.remove(&start)
    };
    // This may free the physical memory, which needs another lock.
    drop(mapping);
}

/// Returns of what physical memory's sizes are multiples.
///
/// # Safety
/// The properties are null or valid.
pub(crate) unsafe fn granularity(
    properties: *const aclrtPhysicalMemProp,
    option: aclrtMemGranularityOptions,
    granularity: Out<usize>,
) -> Fallible {
    // SAFETY: the properties are null or valid.
    unsafe { device_of(properties) }?;
    let out = granularity.required()?;
    ensure!(
        option.0 <= aclnn_sys::ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED.0,
        ACL_ERROR_RT_PARAM_INVALID,
        "option {} is unknown",
        option.0
    );
    out.put(GRANULARITY);
    Ok(())
}

/// The device of memory with these properties, if they are supported.
unsafe fn device_of(properties: *const aclrtPhysicalMemProp) -> Fallible<i32> {
    // SAFETY: the properties are null or valid.
    let properties = unsafe { properties.as_ref() };
    let properties = properties.ok_or_else(|| failure!(ACL_ERROR_INVALID_PARAM, "prop is null"))?;
    ensure!(
        properties.handleType == ACL_MEM_HANDLE_TYPE_NONE
            && properties.allocationType == ACL_MEM_ALLOCATION_TYPE_PINNED,
        ACL_ERROR_INVALID_PARAM,
        "prop asks for another handle or allocation than there is"
    );
    ensure!(
        properties.location.type_ == ACL_MEM_LOCATION_TYPE_DEVICE,
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "physical memory is of a device here, not of the host"
    );
    let device = i32::try_from(properties.location.id).unwrap_or(i32::MAX);
    device::check(device)?;
    Ok(device)
}

/// Allocates physical memory.
///
/// # Safety
/// The properties are null or valid.
pub(crate) unsafe fn allocate(
    handle: Out<aclrtDrvMemHandle>,
    size: usize,
    properties: *const aclrtPhysicalMemProp,
    flags: u64,
) -> Fallible {
    let out = handle.required()?;
    // SAFETY: the properties are null or valid.
    let device = unsafe { device_of(properties) }?;
    ensure!(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0");
    ensure!(flags == 0, ACL_ERROR_INVALID_PARAM, "flags {flags} is reserved and must be 0");
    let none_left =
        || failure!(ACL_ERROR_RT_MEMORY_ALLOCATION, "{size} bytes can't be had from device {device}");
    let size = size.checked_next_multiple_of(GRANULARITY).ok_or_else(none_left)?;
    let space = device_space(device).filter(|space| space.charge(size)).ok_or_else(none_left)?;
    let Some(file) = File::new(size) else {
        space.discharge(size);
        return Err(none_left());
    };
    let handle = PHYSICAL.insert(Arc::new(Physical { file, size, device, space })).ok_or_else(none_left)?;
    out.put(core::ptr::without_provenance_mut(handle));
    Ok(())
}

/// Frees physical memory, as soon as it is mapped nowhere.
pub(crate) fn free(handle: aclrtDrvMemHandle) -> Fallible {
    ensure!(!handle.is_null(), ACL_ERROR_INVALID_PARAM, "handle is null");
    process::check()?;
    PHYSICAL.remove(handle.addr()).map(drop).ok_or_else(|| unknown(handle))
}

fn unknown(handle: aclrtDrvMemHandle) -> Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_RT_INVALID_HANDLE, "physical memory {handle:?} does not exist, or was freed")
}

/// Reserves addresses.
pub(crate) fn reserve(
    address: Out<*mut c_void>,
    size: usize,
    alignment: usize,
    expected: *mut c_void,
    flags: u64,
) -> Fallible {
    let out = address.required()?;
    ensure!(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0");
    ensure!(flags <= 1, ACL_ERROR_INVALID_PARAM, "flags {flags} is neither 0 nor 1");
    ensure!(alignment == 0, ACL_ERROR_RT_PARAM_INVALID, "alignment {alignment} is reserved and must be 0");
    ensure!(expected.is_null(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the addresses can't be chosen");
    context::current()?;
    let none_left = || failure!(ACL_ERROR_RT_MEMORY_ALLOCATION, "{size} addresses can't be had");
    let len = size.checked_next_multiple_of(GRANULARITY.max(page())).ok_or_else(none_left)?;
    let reservation = Reservation::new(len, len, !config::host_access()).ok_or_else(none_left)?;
    let start = reservation.base();
    lock(&RANGES).insert(start, Range { reservation, living: true, mappings: BTreeMap::new() });
    out.put(super::address(start));
    Ok(())
}

/// Gives reserved addresses back.
pub(crate) fn release(address: *mut c_void) -> Fallible {
    ensure!(!address.is_null(), ACL_ERROR_INVALID_PARAM, "virPtr is null");
    process::check()?;
    let mut ranges = lock(&RANGES);
    let range = ranges.get_mut(&address.addr()).filter(|range| range.living).ok_or_else(|| {
        failure!(ACL_ERROR_RT_PARAM_INVALID, "virPtr {address:?} is not the beginning of reserved addresses")
    })?;
    let is_mapped = range.mappings.values().any(|mapping| mapping.block.is_some());
    ensure!(!is_mapped, ACL_ERROR_RT_PARAM_INVALID, "memory is still mapped at {address:?}");
    range.living = false;
    Ok(())
}

/// Maps physical memory to reserved addresses.
pub(crate) fn map(
    address: *mut c_void,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> Fallible {
    ensure!(!address.is_null(), ACL_ERROR_INVALID_PARAM, "virPtr is null");
    ensure!(!handle.is_null(), ACL_ERROR_INVALID_PARAM, "handle is null");
    ensure!(size > 0, ACL_ERROR_INVALID_PARAM, "size is 0");
    ensure!(flags == 0, ACL_ERROR_INVALID_PARAM, "flags {flags} is reserved and must be 0");
    process::check()?;
    let physical = PHYSICAL.get(handle.addr()).ok_or_else(|| unknown(handle))?;
    let start = address.addr();
    ensure!(
        [start, size, offset].iter().all(|number| number.is_multiple_of(page())),
        ACL_ERROR_RT_PARAM_INVALID,
        "address, size {size} and offset {offset} are not all multiples of a page"
    );
    ensure!(
        size <= physical.size.saturating_sub(offset),
        ACL_ERROR_RT_PARAM_INVALID,
        "{size} bytes at offset {offset} are more than the {} bytes of physical memory",
        physical.size
    );
    let mut ranges = lock(&RANGES);
    let range = ranges.range_mut(..=start).next_back().map(|(_, range)| range);
    let range =
        range.filter(|range| range.living && range.reservation.holds(start, size)).ok_or_else(|| {
            failure!(
                ACL_ERROR_RT_PARAM_INVALID,
                "{size} bytes at {address:?} are not within reserved addresses"
            )
        })?;
    let before = range.mappings.range(..start + size).next_back();
    let taken = before.is_some_and(|(other, mapping)| other + mapping.len > start);
    ensure!(
        !taken,
        ACL_ERROR_RT_PARAM_INVALID,
        "memory is mapped within {size} bytes at {address:?} already"
    );
    ensure!(
        range.reservation.occupy(start, size, &physical.file, offset),
        ACL_ERROR_RT_MEMORY_ALLOCATION,
        "the system does not map {size} bytes"
    );
    let block = Arc::new(Block::mapped(start, size, range.reservation.shift()));
    range.mappings.insert(start, Mapping { physical, len: size, block: Some(block) });
    Ok(())
}

/// Ends [`map`], after the work of the memory's device is done.
pub(crate) fn unmap(address: *mut c_void) -> Fallible {
    ensure!(!address.is_null(), ACL_ERROR_INVALID_PARAM, "virPtr is null");
    process::check()?;
    let nothing =
        || failure!(ACL_ERROR_RT_PARAM_INVALID, "virPtr {address:?} is not where memory was mapped");
    let start = address.addr();
    let device = {
        let ranges = lock(&RANGES);
        let (_, range) = ranges.range(..=start).next_back().ok_or_else(nothing)?;
        let mapping = range.mappings.get(&start).filter(|mapping| mapping.block.is_some());
        mapping.ok_or_else(nothing)?.physical.device
    };
    let streams = stream::of_device(device);
    streams.iter().try_for_each(|stream| stream.check_not_inside())?;
    streams.iter().try_for_each(|stream| stream.drain(None))?;
    let block = lock(&RANGES).range_mut(..=start).next_back().and_then(|(_, range)| range.unmap(start));
    block.map(drop).ok_or_else(nothing)
}

/// How many pieces of physical memory and how many ranges of addresses programs hold.
pub(crate) fn count() -> (usize, usize) {
    (PHYSICAL.len(), lock(&RANGES).values().filter(|range| range.living).count())
}

/// Ends all of them.
pub(super) fn clear() {
    let mut blocks = Vec::new();
    for range in lock(&RANGES).values_mut() {
        let starts: Vec<usize> = range.mappings.keys().copied().collect();
        blocks.extend(starts.into_iter().filter_map(|start| range.unmap(start)));
        range.living = false;
    }
    drop(blocks);
    PHYSICAL.drain();
}
