//! `aclnnScatterAdd` and the other functions, called as a C program calls them: two phases,
//! `aclTensor`s, streams and device memory. The CANN is host-cann, linked in and from libraries, or
//! the one that is installed.

mod expressible;
mod library;
mod memory;
mod pair;
#[cfg(test)]
mod tests;

use core::ptr::null_mut;
use std::path::Path;
use std::sync::Arc;

use scatter::{DType, Op};

use self::library::{FILES, Library};
use self::memory::{Handle, List, Tensors, Value, code};
use self::pair::Arguments;
use super::safe_api::SafeApi;
use super::{Engine, libraries};
use crate::call::Call;
use crate::case::Case;
use crate::random::fnv1a;
use crate::refusal::Refusal;
use crate::storage::Storage;
use crate::tensor::Tensor;
use crate::usage::UsageError;

/// The C functions on a CANN.
#[derive(Debug)]
pub(crate) struct CAbi {
    name: &'static str,
    libraries: Vec<Arc<Library>>,
    /// Why no libraries were opened; `None` where they were.
    missing: Option<String>,
    /// Keeps the installed CANN initialised, where the engine uses it.
    device: Option<SafeApi>,
}

impl CAbi {
    /// The engine's name on host-cann.
    pub(crate) const NAME: &'static str = "c-abi";

    /// The engine's name on the CANN that is installed.
    pub(crate) const DEVICE: &'static str = "device-c-abi";

    /// The functions that are linked in, and those of the libraries in `folder`; without a folder,
    /// those beside this program, if they are there.
    pub(crate) fn new(folder: Option<&Path>) -> Result<Self, UsageError> {
        let linked = Library::linked().map_err(unusable("linked"))?;
        match libraries::folder(folder, &FILES) {
            Ok(folder) => {
                let opened = Library::opened(&folder).map_err(unusable("dlopen"))?;
                Ok(Self { name: Self::NAME, libraries: vec![linked, opened], missing: None, device: None })
            }
            Err(missing) => {
                Ok(Self { name: Self::NAME, libraries: vec![linked], missing: Some(missing), device: None })
            }
        }
    }

    /// The functions that are linked in, with the default context of a device and streams of its
    /// own.
    pub(crate) fn linked_on(device: i32) -> Result<Self, UsageError> {
        let library = Library::linked_on(device).map_err(unusable("linked"))?;
        Ok(Self { name: Self::NAME, libraries: vec![Arc::new(library)], missing: None, device: None })
    }

    /// The operators' library of `folder`, or without one that beside this program, on device 0 of
    /// the installed CANN.
    pub(crate) fn installed(folder: Option<&Path>) -> Result<Self, UsageError> {
        let (engine, setting) = (Self::DEVICE, "the installed CANN");
        // Tried through the crate `aclnn` first: its errors say what is missing, while the C
        // functions return only codes on a device.
        let device = match SafeApi::installed() {
            Ok(device) => device,
            Err(UsageError::Libraries { reason, .. }) => {
                return Err(UsageError::Libraries { engine, setting, reason });
            }
            Err(other) => return Err(other),
        };
        let name = device.settings().join("; ");
        let library =
            libraries::folder(folder, &FILES[..1]).and_then(|folder| Library::installed(&folder, &name));
        let library = library.map_err(|reason| UsageError::Libraries { engine, setting, reason })?;
        Ok(Self { name: engine, libraries: vec![library], missing: None, device: Some(device) })
    }
}

fn unusable(setting: &'static str) -> impl FnOnce(String) -> UsageError {
    move |reason| UsageError::Libraries { engine: CAbi::NAME, setting, reason }
}

impl Engine for CAbi {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> String {
        let settings = self.settings().join("; ");
        let missing = libraries::not_opened(self.missing.as_ref());
        let cann = if self.device.is_some() { "the installed CANN" } else { "host-cann, a CANN on this CPU" };
        format!("the C functions on {cann}: {settings}{missing}")
    }

    fn settings(&self) -> Vec<String> {
        self.libraries.iter().map(|library| library.name().to_owned()).collect()
    }

    /// A time would include copies to the device and back, while a C program has its tensors there.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        let is_device = self.libraries.iter().any(|library| library.is_device());
        let refusal =
            expressible::refusal(case).or_else(|| expressible::unreadable(case).filter(|_| is_device));
        refusal.map(str::to_owned)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let library = self.libraries[setting].as_ref();
        library.enter()?;
        let tensors = Tensors::of(library, call)?;
        let outcome = run(library, call, &tensors, turn(call, setting));
        // Also after a refusal, to check that nothing was written.
        let before = library.is_device().then(|| call.out.storage.clone());
        tensors.copy_back(call)?;
        if let Some(before) = before {
            call.take_back(&before, &outcome);
        }
        outcome
    }
}

/// Which function a call is made by where several compute the same: a hash of the call chooses the
/// one for the first setting, and each further setting takes the next one.
fn turn(call: &Call<'_>, setting: usize) -> usize {
    let text = format!("{} {} {}", call.op, call.index, call.out);
    fnv1a(&text).wrapping_add(setting as u64) as usize
}

fn run(library: &Library, call: &Call<'_>, tensors: &Tensors<'_>, turn: usize) -> Result<(), Refusal> {
    let op = call.op;
    let list = op.axes().map(|axes| List::of(library, &tensors.index, call.index, axes)).transpose()?;
    let value = Value::of(library, op.scalar())?;
    let arguments = Arguments {
        op,
        self_: tensors.self_.as_ref().map(|self_| self_.handle.raw),
        index: tensors.index.handle.raw,
        indices: list.as_ref().map_or(null_mut(), |list| list.raw),
        src: tensors.src.as_ref().map_or(null_mut(), |src| src.handle.raw),
        value: value.raw,
        out: tensors.out.handle.raw,
        rows: call.out.shape.first().map_or(0, |&rows| rows as u64),
        turn,
    };
    if let (Op::ScatterNdAdd | Op::ScatterUpdate { .. } | Op::IndexPut { .. }, Some(self_)) =
        (op, arguments.self_)
    {
        copy(library, self_, arguments.out)?;
    }
    // SAFETY: the handles belong to `tensors`, which outlives `pair::run`, and that waits for the
    // stream. Each describes memory of `tensors`, except by a false claim of the call, with which
    // the operator refuses the call before it accesses memory.
    unsafe { pair::run(library, &arguments) }
}

/// Makes `out = self`, for an operator that has no parameter out, by a `scatter_add` without
/// updates.
fn copy(
    library: &Library,
    self_: *mut aclnn_sys::aclTensor,
    out: *mut aclnn_sys::aclTensor,
) -> Result<(), Refusal> {
    let nothing = Tensor::contiguous(Storage::zeroed(DType::I64, 0), &[0]);
    let index = Handle::of(library, &nothing, code(DType::I64), null_mut())?;
    let arguments = Arguments {
        op: Op::ScatterAdd { dim: 0 },
        self_: Some(self_),
        index: index.raw,
        indices: null_mut(),
        src: self_,
        value: null_mut(),
        out,
        rows: 0,
        turn: 0,
    };
    // SAFETY: self_ and out belong to the caller's tensors, and index is dropped after `pair::run`
    // has waited for the stream. self_ and out describe allocated memory; index has no elements.
    unsafe { pair::run(library, &arguments) }
}
