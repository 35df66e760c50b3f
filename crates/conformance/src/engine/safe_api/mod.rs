//! The crate `aclnn`, as a Rust program calls it: tensors with methods, streams, and the memory of a device of host-cann; linked
//! in, and loaded.

mod expressible;
mod memory;
mod methods;
mod place;
#[cfg(test)]
mod tests;

use std::path::Path;

use scatter::Error;

use self::memory::Buffers;
use self::place::Place;
use super::libraries::{self, HOST_CANN};
use super::{Engine, Refusal};
use crate::call::Call;
use crate::case::Case;
use crate::usage::UsageError;

/// `aclnn` on host-cann.
#[derive(Debug)]
pub(crate) struct SafeApi {
    form: Form,
    places: Vec<Place>,
    /// Why there is no setting for a library.
    missing: Option<String>,
}

/// What the types know of the tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `Tensor<f32>`: the dtype of self, src and out, and an index of i32 or i64.
    Typed,
    /// `AnyTensor`: nothing.
    Any,
}

impl Form {
    /// The engine's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Typed => "aclnn",
            Self::Any => "aclnn-any",
        }
    }
}

impl SafeApi {
    /// Linked in, and from the library of `folder`; without one from that beside this program, if it is there.
    pub(crate) fn new(form: Form, folder: Option<&Path>) -> Result<Self, UsageError> {
        let unusable = |setting: &'static str| {
            move |problem| UsageError::Libraries { engine: form.name(), setting, problem }
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
        Ok(Self { form, places, missing })
    }
}

impl Engine for SafeApi {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn description(&self) -> String {
        let tensors = match self.form {
            Form::Typed => "typed tensors",
            Form::Any => "tensors of a dtype known at run time",
        };
        let settings = self.settings().join("; ");
        let missing = libraries::not_opened(self.missing.as_ref());
        format!("the crate aclnn with {tensors} on host-cann, a CANN on this CPU: {settings}{missing}")
    }

    fn settings(&self) -> Vec<String> {
        self.places.iter().map(|place| place.name().to_owned()).collect()
    }

    /// A program has its tensors on the device already; here they are copied there and back.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        expressible::refusal(self.form, case).map(str::to_owned)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        self.places[setting].on_stream(|stream| {
            let buffers = Buffers::of(call, stream)?;
            let called = methods::call(self.form, call, &buffers, stream);
            let told = stream.synchronize();
            let twice = |error| Refusal::Broken(format!("the stream tells twice: {error}"));
            stream.synchronize().map_err(twice)?;
            // After a refusal, too: it must not have written.
            buffers.copy_back(call, stream)?;
            outcome(called, told)
        })
    }
}

/// What a method returned and what its stream told then: a bad index comes from the stream, and all else from the method.
fn outcome(called: Result<(), Refusal>, told: aclnn::Result<()>) -> Result<(), Refusal> {
    let told = told.map_err(Refusal::from);
    let is_index = |refusal: &Refusal| matches!(refusal, Refusal::Error(Error::IndexOutOfRange { .. }));
    match (called, told) {
        (Ok(()), Err(late)) if is_index(&late) => Err(late),
        (Err(early), Ok(())) if !is_index(&early) => Err(early),
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
