//! A device of a CANN, and its streams.

use core::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use aclnn::{Device, Engine, Runtime, Stream, Tensor};

use crate::engine::libraries::{self, HOST_CANN};
use crate::refusal::Refusal;

/// A device of a CANN.
pub(super) struct Place {
    name: String,
    /// Streams that no call uses at the moment. Declared before the device, so that they are
    /// dropped before it.
    idle: Mutex<Vec<Stream>>,
    device: Device,
}

impl Place {
    /// The host-cann that is linked in.
    pub(super) fn linked() -> Result<Self, String> {
        Self::of("linked".to_owned(), Runtime::host())
    }

    /// A device of the host-cann that is linked in.
    pub(super) fn linked_on(device: i32) -> Result<Self, String> {
        Self::on(format!("linked, device {device}"), Runtime::host(), device)
    }

    /// The host-cann in a folder.
    pub(super) fn loaded(folder: &Path) -> Result<Self, String> {
        let file = libraries::file(folder, HOST_CANN)?;
        // SAFETY: the library is host-cann by its name, whose functions have the signatures that
        // `Runtime` expects. Whoever passes the folder answers for its content.
        let runtime = unsafe { Runtime::load_from([file]) };
        Self::of(format!("dlopen of {}", folder.display()), runtime)
    }

    /// The CANN that is installed, with our operators: the kernels, unless it is host-cann.
    pub(super) fn installed() -> Result<Self, String> {
        let kernels =
            |runtime: Runtime| if runtime.is_host() { runtime } else { runtime.with_engine(Engine::Kernel) };
        let place = Self::of(String::new(), Runtime::load().map(kernels))?;
        place.tried(|soc| format!("; were the kernels built for {soc}?"))
    }

    /// The CANN that is installed, with its own operators.
    pub(super) fn vendor() -> Result<Self, String> {
        let vendor = |runtime: Runtime| runtime.with_engine(Engine::Vendor);
        let place = Self::of(String::new(), Runtime::load().map(vendor))?;
        place.tried(|_| String::new())
    }

    /// Computes a small sum as a trial, and names the device.
    fn tried(self, hint: impl FnOnce(&str) -> String) -> Result<Self, String> {
        let told = |error: aclnn::Error| error.to_string();
        let runtime = self.device.runtime();
        let (soc, devices) = (runtime.soc_name().map_err(told)?, runtime.device_count().map_err(told)?);
        let got = match self.device.stream().and_then(|stream| sum(&stream)) {
            Ok(sum) if sum == [1.0, 5.0] => None,
            Ok(sum) => Some(format!("{sum:?}")),
            // The index is valid, so the status words that report it as bad were never written: the
            // kernels didn't run.
            Err(error @ aclnn::Error::Scatter(_)) => Some(error.to_string()),
            Err(error) => return Err(error.to_string()),
        };
        if let Some(got) = got {
            return Err(format!("[1, 2] plus 3 at 1: expected [1, 5], got {got}{}", hint(&soc)));
        }
        Ok(Self { name: format!("device 0 of {devices}, {soc}"), ..self })
    }

    /// Device 0 of a runtime, called `name` in reports.
    pub(super) fn of(name: String, runtime: aclnn::Result<Runtime>) -> Result<Self, String> {
        Self::on(name, runtime, 0)
    }

    fn on(name: String, runtime: aclnn::Result<Runtime>, device: i32) -> Result<Self, String> {
        let device = runtime.and_then(|runtime| runtime.device(device)).map_err(|error| error.to_string())?;
        Ok(Self { name, idle: Mutex::default(), device })
    }

    /// The name in reports.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The device.
    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// Whether it is a device or a stand-in for one, where kernels compute.
    pub(super) fn is_device(&self) -> bool {
        !self.device.runtime().is_host()
    }

    /// Runs `work` with a stream that no other call uses meanwhile.
    pub(super) fn on_stream<T>(
        &self,
        work: impl FnOnce(&Stream) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let stream = known.map_or_else(|| self.device.stream(), Ok)?;
        let outcome = work(&stream);
        idle().push(stream);
        outcome
    }
}

/// A small call that needs everything that other calls need.
fn sum(stream: &Stream) -> aclnn::Result<Vec<f32>> {
    let mut self_ = Tensor::<f32>::new([1.0, 2.0], stream)?;
    let (index, src) = (Tensor::<i64>::new([1], stream)?, Tensor::<f32>::new([3.0], stream)?);
    self_.scatter_add_(0, &index, &src, stream)?;
    self_.to_vec(stream)
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
