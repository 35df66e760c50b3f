//! A device of a CANN, and streams of it.

use core::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use aclnn::{Device, Runtime, Stream};

use crate::engine::Refusal;
use crate::engine::libraries::{self, HOST_CANN};

/// Device 0 of a CANN.
pub(super) struct Place {
    name: String,
    /// Streams that no call uses now. They come before the device, to be gone before it.
    idle: Mutex<Vec<Stream>>,
    device: Device,
}

impl Place {
    /// The host-cann that is linked in.
    pub(super) fn linked() -> Result<Self, String> {
        Self::of("linked".to_owned(), Runtime::host())
    }

    /// The host-cann of a folder.
    pub(super) fn loaded(folder: &Path) -> Result<Self, String> {
        let file = libraries::file(folder, HOST_CANN)?;
        // SAFETY: a library of this name is host-cann: whoever names the folder answers for it.
        let runtime = unsafe { Runtime::load_from([file]) };
        Self::of(format!("dlopen of {}", folder.display()), runtime)
    }

    /// That of a runtime, by whatever name.
    pub(super) fn of(name: String, runtime: aclnn::Result<Runtime>) -> Result<Self, String> {
        let device = runtime.and_then(|runtime| runtime.device(0)).map_err(|error| error.to_string())?;
        Ok(Self { name, idle: Mutex::default(), device })
    }

    /// What it is.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Runs something with a stream that nobody else uses meanwhile.
    pub(super) fn on_stream(&self, work: impl FnOnce(&Stream) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let stream = known.map_or_else(|| self.device.stream(), Ok)?;
        let outcome = work(&stream);
        idle().push(stream);
        outcome
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
