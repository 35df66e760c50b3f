//! The engines that are judged. A new one is a file here and a line in [`available`].

mod cpu;
mod reference;

use core::fmt;

use scatter::Error;

use crate::call::Call;
use crate::case::Case;
use crate::usage::UsageError;

pub(crate) use cpu::Cpu;
pub(crate) use reference::Reference;

/// Something that computes scatters.
pub(crate) trait Engine: Send + Sync {
    /// The name that `--engine` takes.
    fn name(&self) -> &'static str;

    /// What it is and where it runs, for the head of a report.
    fn description(&self) -> String;

    /// The ways in which it runs every case, each of which must give the same (thread counts, say). One at least.
    fn settings(&self) -> Vec<String> {
        vec![String::from("as it is")]
    }

    /// The setting to time it in: the one that a user would choose.
    fn benchmarked(&self) -> usize {
        0
    }

    /// Why it can't be asked this case, where it can't. Such cases are reported as not applicable.
    fn not_applicable(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Makes the call in the way of `self.settings()[setting]`: checks it and writes the result to `call.out`.
    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Error>;
}

/// Names an engine in messages.
impl fmt::Debug for dyn Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The engines of this machine.
pub(crate) fn available(threads: usize) -> Result<Vec<Box<dyn Engine>>, UsageError> {
    Ok(vec![Box::new(Reference), Box::new(Cpu::new(threads)?)])
}

/// Those of `engines` that are named, in the order of `engines`; all where no name is given.
pub(crate) fn select(
    mut engines: Vec<Box<dyn Engine>>,
    names: &[String],
) -> Result<Vec<Box<dyn Engine>>, UsageError> {
    if let Some(unknown) = names.iter().find(|name| engines.iter().all(|engine| engine.name() != *name)) {
        let known = engines.iter().map(|engine| engine.name()).collect();
        return Err(UsageError::Engine { got: unknown.clone(), known });
    }
    engines.retain(|engine| names.is_empty() || names.iter().any(|name| name == engine.name()));
    Ok(engines)
}

/// Runs a block with the storage types of a dtype and of an index dtype (of which an empty index has none).
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
            let chosen: Vec<_> = chosen.iter().map(|&name| name.to_owned()).collect();
            select(available(2).unwrap(), &chosen)
                .map(|engines| engines.iter().map(|e| e.name()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap(), ["reference", "cpu"]);
        assert_eq!(names(&["cpu"]).unwrap(), ["cpu"]);
        assert_eq!(
            names(&["cpu", "gpu"]).unwrap_err().to_string(),
            "unknown engine \"gpu\": expected reference or cpu"
        );
    }
}
