//! The crate `aclnn`, as a Rust program uses it: tensors with methods, streams and device memory.
//! The CANN is host-cann, linked in and loaded from a library, or the one that is installed.

mod expressible;
mod memory;
mod methods;
mod place;
#[cfg(test)]
mod tests;
mod timed;

use std::path::Path;

pub use self::timed::{Timed, times};

use self::memory::Buffers;
use self::place::Place;
use super::Engine;
use super::libraries::{self, HOST_CANN};
use crate::call::Call;
use crate::case::Case;
use crate::refusal::Refusal;
use crate::usage::UsageError;

/// `aclnn` on a CANN.
#[derive(Debug)]
pub struct SafeApi {
    name: &'static str,
    form: Form,
    places: Vec<Place>,
    /// Why no library was loaded; `None` where one was.
    missing: Option<String>,
}

/// How much the Rust types say about the tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Such as `Tensor<f32>`: the types fix the dtype of self, src and out, and that of an index of
    /// i32 or i64.
    Typed,
    /// `AnyTensor`: the dtype is known at run time only.
    Any,
}

impl Form {
    /// The engine's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typed => "aclnn",
            Self::Any => "aclnn-any",
        }
    }
}

impl SafeApi {
    /// The name of the engine on the installed CANN, with our operators.
    pub const DEVICE: &'static str = "device";

    /// The name of the engine on the installed CANN, with CANN's own operators.
    pub const VENDOR: &'static str = "device-vendor";

    /// The engine on device 0 of the installed CANN, with our operators only.
    ///
    /// # Errors
    /// The CANN or the device can't be used.
    pub fn installed() -> Result<Self, UsageError> {
        Self::on_device(Self::DEVICE, Place::installed)
    }

    /// The engine on device 0 of the installed CANN, with CANN's own operators.
    ///
    /// # Errors
    /// The CANN or the device can't be used.
    pub fn vendor() -> Result<Self, UsageError> {
        Self::on_device(Self::VENDOR, Place::vendor)
    }

    fn on_device(name: &'static str, place: fn() -> Result<Place, String>) -> Result<Self, UsageError> {
        libraries::silence();
        let setting = "the installed CANN";
        let place = place().map_err(|reason| UsageError::Libraries { engine: name, setting, reason })?;
        Ok(Self { name, form: Form::Any, places: vec![place], missing: None })
    }

    /// A device of host-cann as it is linked in, with a runtime and streams of its own.
    ///
    /// # Errors
    /// There is no such device.
    pub fn linked_on(form: Form, device: i32) -> Result<Self, UsageError> {
        let (engine, setting) = (form.name(), "linked");
        let place = Place::linked_on(device);
        let place = place.map_err(|reason| UsageError::Libraries { engine, setting, reason })?;
        Ok(Self { name: engine, form, places: vec![place], missing: None })
    }

    /// host-cann as it is linked in, and from the library in `folder`; without a folder, from the
    /// one beside this program, if it is there.
    ///
    /// # Errors
    /// The library can't be used.
    pub fn new(form: Form, folder: Option<&Path>) -> Result<Self, UsageError> {
        let unusable = |setting: &'static str| {
            move |reason| UsageError::Libraries { engine: form.name(), setting, reason }
        };
        libraries::silence();
        let mut places = vec![Place::linked().map_err(unusable("linked"))?];
        let missing = match libraries::folder(folder, &[HOST_CANN]) {
            Ok(folder) => {
                places.push(Place::loaded(&folder).map_err(unusable("dlopen"))?);
                None
            }
            Err(missing) => Some(missing),
        };
        Ok(Self { name: form.name(), form, places, missing })
    }
}

impl Engine for SafeApi {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> String {
        let tensors = match self.form {
            Form::Typed => "typed tensors",
            Form::Any => "tensors of a dtype known at run time",
        };
        let settings = self.settings().join("; ");
        let missing = libraries::not_opened(self.missing.as_ref());
        let cann = match self.name {
            Self::DEVICE => "the installed CANN",
            Self::VENDOR => "the installed CANN, by its own operators",
            _ => "host-cann, a CANN on this CPU",
        };
        format!("the crate aclnn with {tensors} on {cann}: {settings}{missing}")
    }

    fn settings(&self) -> Vec<String> {
        self.places.iter().map(|place| place.name().to_owned()).collect()
    }

    /// A time would include copies to the device and back, while a program has its tensors there.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn may_deviate(&self) -> bool {
        self.name == Self::VENDOR
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        let refusal = expressible::refusal(self.form, case)
            .or_else(|| expressible::undefined(case).filter(|_| self.may_deviate()));
        refusal.map(str::to_owned)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let place = &self.places[setting];
        place.on_stream(|stream| {
            let buffers = Buffers::of(call, stream)?;
            let called = methods::call(self.form, call, &buffers, stream);
            let told = stream.synchronize();
            let twice = |error| Refusal::Broken(format!("the stream tells twice: {error}"));
            stream.synchronize().map_err(twice)?;
            // Also after a refusal, to check that nothing was written.
            let before = place.is_device().then(|| call.out.storage.clone());
            buffers.copy_back(call, stream)?;
            let outcome = outcome(called, told);
            if let Some(before) = before {
                call.take_back(&before, &outcome);
            }
            outcome
        })
    }
}

/// Combines what a method returned and what its stream reported afterwards. A bad index must be
/// reported by the stream, and every other error by the method.
fn outcome(called: Result<(), Refusal>, told: aclnn::Result<()>) -> Result<(), Refusal> {
    let told = told.map_err(Refusal::from);
    match (called, told) {
        (Ok(()), Err(late)) if late.is_index() => Err(late),
        (Err(early), Ok(())) if !early.is_index() => Err(early),
        (Ok(()), Ok(())) => Ok(()),
        (Err(early), Ok(())) => Err(Refusal::Broken(format!("the stream was not asked for: {early}"))),
        (called, Err(late)) => {
            let called = called.map_or_else(|early| early.to_string(), |()| "success".to_owned());
            Err(Refusal::Broken(format!("the method returned {called}, and the stream told: {late}")))
        }
    }
}

impl From<aclnn::Error> for Refusal {
    fn from(error: aclnn::Error) -> Self {
        match error {
            aclnn::Error::Scatter(error) => Self::Error(*error),
            other => Self::Broken(other.to_string()),
        }
    }
}
