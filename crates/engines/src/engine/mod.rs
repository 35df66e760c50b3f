//! The engines that are judged. A new one is a file here and a line in `ENGINES`.

mod c_abi;
mod cpu;
mod kernel;
mod libraries;
mod options;
mod reference;
mod safe_api;
#[cfg(test)]
mod sample;

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

use c_abi::CAbi;
use kernel::Kernel;
use safe_api::Form;

/// Something that computes scatters.
pub trait Engine: Send + Sync {
    /// The name that `--engine` takes.
    fn name(&self) -> &'static str;

    /// What it is and where it runs, for the head of a report.
    fn description(&self) -> String;

    /// The ways in which it runs every case, each of which must give the same (thread counts, say).
    /// One at least.
    fn settings(&self) -> Vec<String> {
        vec![String::from("as it is")]
    }

    /// The settings in which it runs the case of this name where not every case is run in all of
    /// them: all, unless that would take long.
    fn sampled(&self, _case: &str) -> Vec<usize> {
        (0..self.settings().len()).collect()
    }

    /// The setting to time it in: the one that a user would choose.
    fn benchmarked(&self) -> usize {
        0
    }

    /// Whether a benchmark times it unasked.
    fn is_benchmarked(&self) -> bool {
        true
    }

    /// Why it can't be asked this case, where it can't. Such cases are reported as not applicable.
    fn not_applicable(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Whether differences of [known kinds](crate::judge::Deviation) are counted, and no failures:
    /// those of operators that aren't ours.
    fn may_deviate(&self) -> bool {
        false
    }

    /// Makes the call in the way of `self.settings()[setting]`: checks it and writes the result to
    /// `call.out`.
    ///
    /// # Errors
    /// How it refuses the call.
    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal>;
}

/// Names an engine in messages.
impl fmt::Debug for dyn Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an engine is made.
type Make = fn(&Engines) -> Result<Box<dyn Engine>, UsageError>;

/// Every engine by name. Those on a device need a CANN that is installed, so that they run where
/// they are named only.
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

/// The engines that are named, in the order of `ENGINES`; all but a device where no name is
/// given.
///
/// # Errors
/// An unknown name, or an engine that can't be had.
pub fn chosen(options: &Engines) -> Result<Vec<Box<dyn Engine>>, UsageError> {
    let names = &options.names;
    if let Some(unknown) = names.iter().find(|name| ENGINES.iter().all(|(known, _)| known != name)) {
        let known = ENGINES.iter().map(|(name, _)| *name).collect();
        return Err(UsageError::Engine { got: unknown.clone(), known });
    }
    let is_chosen = |name: &str| match names.is_empty() {
        true => ![CAbi::DEVICE, SafeApi::DEVICE, SafeApi::VENDOR].contains(&name),
        false => names.iter().any(|chosen| chosen == name),
    };
    ENGINES.iter().filter(|(name, _)| is_chosen(name)).map(|(_, make)| make(options)).collect()
}

/// Runs a block with the storage types of a dtype and of an index dtype (of which an empty index
/// has none).
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

    #[test]
    fn engines_are_chosen_by_name() {
        let names = |chosen: &[&str]| {
            let names = chosen.iter().map(|&name| name.to_owned()).collect();
            let options = Engines { names, threads: None, c_libraries: None, pattern: None };
            super::chosen(&options).map(|engines| engines.iter().map(|e| e.name()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap(), ["reference", "cpu", "kernel", "c-abi", "aclnn", "aclnn-any"]);
        assert_eq!(names(&["cpu"]).unwrap(), ["cpu"]);
        assert_eq!(
            names(&["cpu", "gpu"]).unwrap_err().to_string(),
            "unknown engine \"gpu\": expected reference or cpu or kernel or c-abi or device-c-abi or aclnn or aclnn-any or device or device-vendor"
        );
    }
}
