//! The engines under test. A new one is a file here, a line in `ENGINES`, and its name in the help
//! of [`Engines::names`]; one on host-cann also stands in `ON_HOST_CANN`, and one on the installed
//! CANN in `ON_INSTALLED`.

mod c_abi;
mod cpu;
mod kernel;
mod libraries;
mod options;
mod reference;
mod safe_api;

use core::fmt;

use crate::call::Call;
use crate::case::Case;
use crate::refusal::Refusal;
use crate::usage::UsageError;

pub use cpu::Cpu;
pub use kernel::{Storages, launch};
pub use options::Engines;
pub use reference::Reference;
pub use safe_api::{SafeApi, Timed, times};

pub(crate) use libraries::silence;

use c_abi::CAbi;
use kernel::Kernel;
use safe_api::Form;

/// Something that computes scatters.
pub trait Engine: Send + Sync {
    /// The name that `--engine` takes.
    fn name(&self) -> &'static str;

    /// What the engine is and where it runs, for the head of a report.
    fn description(&self) -> String;

    /// The settings in which it can run a case (such as numbers of threads), at least one. Each
    /// must give the same result.
    fn settings(&self) -> Vec<String> {
        vec![String::from("as it is")]
    }

    /// The settings in which the case of this name is run unless every setting is asked for: all of
    /// them, except for engines where that would take too long.
    fn sampled(&self, _case: &str) -> Vec<usize> {
        (0..self.settings().len()).collect()
    }

    /// The setting in which it is timed: the one that a user would choose.
    fn benchmarked(&self) -> usize {
        0
    }

    /// Whether benchmarks time it by default.
    fn is_benchmarked(&self) -> bool {
        true
    }

    /// Why the engine can't run this case, which is then reported as not applicable; `None` where
    /// it can.
    fn not_applicable(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Whether differences of [known kinds](crate::judge::Deviation) are counted apart from
    /// failures. True only for an engine that calls CANN's own operators.
    fn may_deviate(&self) -> bool {
        false
    }

    /// Runs the call in the setting `self.settings()[setting]`: checks it and writes the result to
    /// `call.out`.
    ///
    /// # Errors
    /// The engine refuses the call.
    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal>;
}

/// Names an engine in messages.
impl fmt::Debug for dyn Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Makes an engine with these options.
type Make = fn(&Engines) -> Result<Box<dyn Engine>, UsageError>;

/// Every engine by name. The device engines need an installed CANN, so they run only where they are
/// named.
const ENGINES: [(&str, Make); 9] = [
    (Reference::NAME, |_| Ok(Box::new(Reference))),
    (Cpu::NAME, |options| Ok(Box::new(Cpu::new(options.threads(), options.pattern)?))),
    (Kernel::NAME, |_| Ok(Box::new(Kernel::new()))),
    (CAbi::NAME, |options| Ok(Box::new(CAbi::new(options.c_libraries.as_deref())?))),
    (CAbi::DEVICE, |options| Ok(Box::new(CAbi::installed(options.c_libraries.as_deref())?))),
    (Form::Typed.name(), |options| Ok(Box::new(SafeApi::new(Form::Typed, options.c_libraries.as_deref())?))),
    (Form::Any.name(), |options| Ok(Box::new(SafeApi::new(Form::Any, options.c_libraries.as_deref())?))),
    (SafeApi::DEVICE, |_| Ok(Box::new(SafeApi::installed()?))),
    (SafeApi::VENDOR, |_| Ok(Box::new(SafeApi::vendor()?))),
];

/// The engines on the CANN that is installed.
const ON_INSTALLED: [&str; 3] = [CAbi::DEVICE, SafeApi::DEVICE, SafeApi::VENDOR];

/// The engines that are named, in the order of `ENGINES`; without a name all but the device
/// engines.
///
/// An engine on host-cann and one on the installed CANN can't be in one process. The first loads
/// `libhost_cann.so`, where there is one, and names it in `ACLNN_LIBRARY_PATH`, so that the other
/// would find host-cann instead of the installed CANN; and `device-c-abi` chooses the kernels by
/// `ACLNN_SCATTER_ENGINE`, which `c-abi` reads too.
///
/// # Errors
/// A name is unknown, an engine can't be made, or two can't be in one process.
pub fn chosen(options: &Engines) -> Result<Vec<Box<dyn Engine>>, UsageError> {
    let names = &options.names;
    if let Some(unknown) = names.iter().find(|name| ENGINES.iter().all(|(known, _)| known != name)) {
        let known = ENGINES.iter().map(|(name, _)| *name).collect();
        return Err(UsageError::Engine { got: unknown.clone(), known });
    }
    let is_chosen = |name: &str| match names.is_empty() {
        true => !ON_INSTALLED.contains(&name),
        false => names.iter().any(|chosen| chosen == name),
    };
    let first_of = |names: [&'static str; 3]| names.into_iter().find(|name| is_chosen(name));
    if let (Some(host), Some(installed)) = (first_of(ON_HOST_CANN), first_of(ON_INSTALLED)) {
        return Err(UsageError::TwoCanns { host, installed });
    }
    ENGINES.iter().filter(|(name, _)| is_chosen(name)).map(|(_, make)| make(options)).collect()
}

/// The engines on host-cann. They can use another device of the one that is linked in than device
/// 0.
pub const ON_HOST_CANN: [&str; 3] = [CAbi::NAME, Form::Typed.name(), Form::Any.name()];

/// One of [`ON_HOST_CANN`] on a device, with nothing that it shares with other engines: what it
/// holds of host-cann goes when it is dropped.
///
/// # Errors
/// There is no such device, or it can't be used.
pub fn on_device(name: &str, device: i32) -> Result<Box<dyn Engine>, UsageError> {
    match name {
        CAbi::NAME => Ok(Box::new(CAbi::linked_on(device)?)),
        _ if name == Form::Typed.name() => Ok(Box::new(SafeApi::linked_on(Form::Typed, device)?)),
        _ if name == Form::Any.name() => Ok(Box::new(SafeApi::linked_on(Form::Any, device)?)),
        _ => Err(UsageError::Engine { got: name.to_owned(), known: ON_HOST_CANN.to_vec() }),
    }
}

/// Runs a block with `$T` and `$I` as the Rust types of a dtype and an index dtype (`None` for an
/// empty index, which becomes i64).
macro_rules! with_types {
    ($dtype:expr, $index:expr, $T:ident, $I:ident => $body:expr) => {
        scatter::with_element!($dtype, $T => match $index {
            Some(scatter::DType::I32) => {
                type $I = i32;
                $body
            }
            _ => {
                type $I = i64;
                $body
            }
        })
    };
}
use with_types;

#[cfg(test)]
mod tests {
    use super::*;

    /// The engines that these names choose.
    fn names(chosen: &[&str]) -> Result<Vec<&'static str>, UsageError> {
        let names = chosen.iter().map(|&name| name.to_owned()).collect();
        let options = Engines { names, threads: None, c_libraries: None, pattern: None };
        crate::engine::chosen(&options).map(|engines| engines.iter().map(|e| e.name()).collect())
    }

    #[test]
    fn engines_are_chosen_by_name() {
        assert_eq!(names(&[]).unwrap(), ["reference", "cpu", "kernel", "c-abi", "aclnn", "aclnn-any"]);
        assert_eq!(names(&["cpu"]).unwrap(), ["cpu"]);
        assert_eq!(
            names(&["cpu", "gpu"]).unwrap_err().to_string(),
            "unknown engine \"gpu\": expected reference or cpu or kernel or c-abi or device-c-abi or aclnn or aclnn-any or device or device-vendor"
        );
    }

    #[test]
    fn engines_on_host_cann_and_on_the_installed_cann_are_refused_together() {
        for (host, installed) in ON_HOST_CANN.iter().flat_map(|host| ON_INSTALLED.map(|other| (host, other)))
        {
            assert_eq!(
                names(&["cpu", installed, host]).unwrap_err().to_string(),
                format!(
                    "engines {host} and {installed}: host-cann and the installed CANN can't be in one process; run one after the other"
                )
            );
        }
    }
}
