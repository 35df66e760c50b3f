//! The Ascend C kernels, on the strict host model of Ascend C. No device has a part in it.

use core::ptr;

use scatter_kernels::launch::{Kernels, Memory, Range};
use scatter_kernels::model::{self, Options};
use scatter_kernels::tiling::Status;
use scatter_kernels::{Plan, Soc, Unsupported, bad_index, plan};

use super::{Engine, Refusal};
use crate::call::Call;
use crate::case::Case;
use crate::storage::Storage;
use crate::task::Task;
use crate::tensor::Tensor;

/// `scatter-kernels` with several numbers of blocks, each under another schedule of the model.
#[derive(Debug)]
pub(crate) struct Kernel {
    kernels: Kernels,
}

/// Blocks, each with the seed of its schedule.
const SETTINGS: [(u32, u64); 4] = [(1, 11), (2, 12), (7, 13), (48, 14)];

impl Kernel {
    /// The name.
    pub(crate) const NAME: &'static str = "kernel";

    /// On the host model.
    pub(crate) fn new() -> Self {
        Self { kernels: Kernels::host_model() }
    }
}

impl Engine for Kernel {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> String {
        format!("the Ascend C kernels on {}, strict, on this CPU and no NPU", self.kernels.description())
    }

    fn settings(&self) -> Vec<String> {
        let name =
            |(blocks, seed)| format!("{blocks} block{}, seed {seed}", if blocks == 1 { "" } else { "s" });
        SETTINGS.into_iter().map(name).collect()
    }

    /// The time of a model is no kernel's.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        let Task::Scatter(op) = case.task else {
            return Some(String::from("there is no kernel for a gradient"));
        };
        let problem = case.clone().call().problem(op).ok()?;
        plan(&problem, &Soc::default()).err().map(|unsupported: Unsupported| unsupported.to_string())
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let Task::Scatter(op) = call.task else {
            return Err(Refusal::Broken(String::from("there is no kernel for a gradient")));
        };
        let (blocks, seed) = SETTINGS[setting];
        let problem = call.problem(op)?;
        let soc = Soc::default().with_cores(blocks);
        let plan = plan(&problem, &soc).map_err(|unsupported| Refusal::Broken(unsupported.to_string()))?;
        model::configure(Some(&Options::strict(seed)));
        // Where an index is bad the kernels have written the others by the time that they know; out is to be judged
        // by what was promised of it, so they get a copy.
        let mut out = call.out.storage.clone();
        let status = self.launch(&plan, call, &mut out)?;
        if let Some(error) = bad_index(&problem, &status) {
            return Err(error.into());
        }
        call.out.storage = out;
        Ok(())
    }
}

impl Kernel {
    /// Runs a plan on a call's tensors but for `out`, and returns the status words.
    fn launch(&self, plan: &Plan, call: &Call<'_>, out: &mut Storage) -> Result<Vec<Status>, Refusal> {
        let mut status = vec![Status::GOOD; plan.workspace_bytes() / size_of::<Status>()];
        let read = |tensor: &Tensor| range(tensor.storage.bytes());
        let memory = Memory {
            self_: call.self_.map_or(Range::NONE, read),
            index: read(call.index),
            src: call.src.map_or(Range::NONE, read),
            out: Range { address: out.bytes_mut().as_mut_ptr().cast(), bytes: out.bytes().len() as u64 },
            status: Range {
                address: status.as_mut_ptr().cast(),
                bytes: (status.len() * size_of::<Status>()) as u64,
            },
        };
        // SAFETY: the tensors that the problem was made from, out but for a copy of it that is as large; the model
        // is done with them when it returns.
        let launched = unsafe { self.kernels.launch(plan, &memory, ptr::null_mut()) };
        launched.map_err(|error| Refusal::Broken(error.to_string()))?;
        Ok(status)
    }
}

/// Bytes that are only read, which the model sees to.
fn range(bytes: &[u8]) -> Range {
    Range { address: bytes.as_ptr().cast_mut().cast(), bytes: bytes.len() as u64 }
}
