//! Channels from devices to the host. Only operators that host-cann doesn't have write to one, so a
//! channel can be made, asked and waited for, and is always empty.

use core::ffi::{CStr, c_char};
use core::ptr;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use aclnn_sys::{
    ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, acltdtChannelHandle, acltdtDataset,
};

use crate::device;
use crate::entry::Out;
use crate::failure::{Fallible, ensure, failure};
use crate::handle::{Kind, Table};
use crate::sync::{lock, wait_until};

/// The bytes of a channel's name with its NUL (hicann/runtime, `RT_MQ_MAX_NAME_LEN`).
const NAME_BYTES: usize = 128;

/// A channel, to which nothing is ever written.
#[derive(Debug, Default)]
struct Channel {
    has_ended: Mutex<bool>,
    ends: Condvar,
}

impl Channel {
    fn end(&self) {
        *lock(&self.has_ended) = true;
        self.ends.notify_all();
    }
}

static CHANNELS: Table<Arc<Channel>> = Table::new(Kind::Channel);
/// Sets of tensors, all without any.
static DATASETS: Table<()> = Table::new(Kind::Dataset);

/// Makes a channel.
///
/// # Safety
/// The name is null or a text with a NUL behind it.
pub(crate) unsafe fn create(device: u32, name: *const c_char) -> Fallible<*mut acltdtChannelHandle> {
    ensure!(!name.is_null(), ACL_ERROR_INVALID_PARAM, "name is null");
    // SAFETY: the name is not null, and has a NUL behind it.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul().len();
    ensure!(
        bytes <= NAME_BYTES,
        ACL_ERROR_INVALID_PARAM,
        "name has {bytes} bytes with its NUL, more than {NAME_BYTES}"
    );
    device::check(i32::try_from(device).unwrap_or(i32::MAX))?;
    handle(CHANNELS.insert(Arc::default()))
}

/// Ends a channel, and whatever waits for it.
pub(crate) fn destroy(channel: *mut acltdtChannelHandle) -> Fallible {
    let ended = CHANNELS.remove(channel.addr()).ok_or_else(|| missing(channel))?;
    ended.end();
    Ok(())
}

/// Waits for at most `milliseconds` milliseconds, or with -1 until the channel ends: nothing comes.
pub(crate) fn wait(
    channel: *const acltdtChannelHandle,
    dataset: *mut acltdtDataset,
    milliseconds: i32,
) -> Fallible {
    let waited_for = find(channel)?;
    let known = DATASETS.get(dataset.addr()).is_some();
    ensure!(known, ACL_ERROR_INVALID_PARAM, "dataset {dataset:?} does not exist, or was destroyed");
    let end = match u64::try_from(milliseconds) {
        Ok(milliseconds) => Some(Instant::now() + Duration::from_millis(milliseconds)),
        Err(_) if milliseconds == -1 => None,
        Err(_) => {
            return Err(failure!(
                ACL_ERROR_INVALID_PARAM,
                "timeout {milliseconds} is neither -1 nor positive"
            ));
        }
    };
    let mut has_ended = lock(&waited_for.has_ended);
    while !*has_ended && end.is_none_or(|end| Instant::now() < end) {
        has_ended = wait_until(&waited_for.ends, has_ended, end);
    }
    Ok(())
}

/// Nothing is in any channel.
pub(crate) fn size(channel: *const acltdtChannelHandle, size: Out<usize>) -> Fallible {
    let size = size.required()?;
    find(channel)?;
    size.put(0);
    Ok(())
}

/// Makes a set without tensors.
pub(crate) fn create_dataset() -> Fallible<*mut acltdtDataset> {
    handle(DATASETS.insert(()))
}

/// Ends a set.
pub(crate) fn destroy_dataset(dataset: *mut acltdtDataset) -> Fallible {
    DATASETS.remove(dataset.addr()).ok_or_else(|| {
        failure!(ACL_ERROR_INVALID_PARAM, "dataset {dataset:?} does not exist, or was destroyed before")
    })
}

/// How many channels and sets there are.
pub(crate) fn count() -> usize {
    CHANNELS.len() + DATASETS.len()
}

/// Ends all channels and sets.
pub(crate) fn clear() {
    CHANNELS.drain().iter().for_each(|channel| channel.end());
    DATASETS.drain();
}

fn find(channel: *const acltdtChannelHandle) -> Fallible<Arc<Channel>> {
    CHANNELS.get(channel.addr()).ok_or_else(|| missing(channel))
}

fn missing(channel: *const acltdtChannelHandle) -> crate::failure::Failure<aclnn_sys::AclError> {
    failure!(ACL_ERROR_INVALID_PARAM, "channel {channel:?} does not exist, or was destroyed")
}

fn handle<T>(number: Option<usize>) -> Fallible<*mut T> {
    let number =
        number.ok_or_else(|| failure!(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no more handles can be made"))?;
    Ok(ptr::without_provenance_mut(number))
}
