//! The Ascend C kernels, on the strict host model of Ascend C. No device has a part in it.

use core::ptr;

use scatter_kernels::launch::{self, Kernels, Memory};
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::Step;
use scatter_kernels::tiling::Status;
use scatter_kernels::{Plan, Soc, Unsupported, bad_index, plan};

use super::Engine;
use crate::call::Call;
use crate::case::Case;
use crate::random::fnv1a;
use crate::refusal::Refusal;
use crate::task::Task;

/// `scatter-kernels` with several numbers of blocks, each under several schedules of the model.
#[derive(Debug)]
pub(crate) struct Kernel {
    kernels: Kernels,
}

/// One block, several, a number that divides few sizes, and all that an Ascend 910B1 has.
const BLOCKS: [u32; 4] = [1, 2, 7, 48];
/// Which of the orders that the hardware allows.
const SEEDS: [u64; 3] = [11, 12, 13];

/// The blocks and the seed of a setting.
const fn setting(number: usize) -> (u32, u64) {
    (BLOCKS[number / SEEDS.len()], SEEDS[number % SEEDS.len()])
}

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
        let (model, settings) = (self.kernels.description(), BLOCKS.len() * SEEDS.len());
        format!(
            "the Ascend C kernels on {model}, strict, on this CPU and no NPU: {BLOCKS:?} blocks under {} seeds each, a case in \
             one of these {settings} settings, or with --every-setting in all",
            SEEDS.len()
        )
    }

    fn settings(&self) -> Vec<String> {
        let name =
            |(blocks, seed)| format!("{blocks} block{}, seed {seed}", if blocks == 1 { "" } else { "s" });
        (0..BLOCKS.len() * SEEDS.len()).map(|number| name(setting(number))).collect()
    }

    /// One, by the name: the strict model takes many times as long as any other engine.
    fn sampled(&self, case: &str) -> Vec<usize> {
        vec![(fnv1a(case) % (BLOCKS.len() * SEEDS.len()) as u64) as usize]
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
        let (blocks, seed) = self::setting(setting);
        let problem = call.problem(op)?;
        let soc = Soc::default().with_cores(blocks);
        let plan = plan(&problem, &soc).map_err(|unsupported| Refusal::Broken(unsupported.to_string()))?;
        model::configure(Some(&Options::strict(seed)));
        // Where an index is bad the kernels have written the others by the time that they know; out
        // is to be judged by what was promised of it, so they get a copy.
        let mut out = call.out.storage.clone();
        let storages = Storages {
            self_: call.self_.map_or(&[], |self_| self_.storage.bytes()),
            index: call.index.storage.bytes(),
            src: call.src.map_or(&[], |src| src.storage.bytes()),
            out: out.bytes_mut(),
        };
        // SAFETY: the storages that the problem was made from, out but for a copy of it that is as
        // large.
        let status = unsafe { launch(&self.kernels, &plan, storages, |_| ()) }?;
        if let Some(error) = bad_index(&problem, &status) {
            return Err(error.into());
        }
        call.out.storage = out;
        Ok(())
    }
}

/// The storages of a call.
#[derive(Debug)]
pub struct Storages<'a> {
    /// Empty in place.
    pub self_: &'a [u8],
    /// index's bytes.
    pub index: &'a [u8],
    /// Empty where a scalar stands for it.
    pub src: &'a [u8],
    /// out's, which are written.
    pub out: &'a mut [u8],
}

/// Workspace on a boundary of 512 bytes, on which the model's times depend: here the status words
/// of eight blocks.
#[derive(Clone, Copy)]
#[repr(C, align(512))]
struct Words([Status; 8]);

/// Runs a plan as the model is configured on this thread, and returns the status words. `launched`
/// may look at each step when it has run.
///
/// # Errors
/// What the launch says.
///
/// # Safety
/// The storages are as large as those of the problem that the plan was made for.
pub unsafe fn launch(
    kernels: &Kernels,
    plan: &Plan,
    storages: Storages<'_>,
    launched: impl FnMut(&Step),
) -> Result<Vec<Status>, Refusal> {
    let bytes = plan.workspace_bytes();
    let mut words = vec![Words([Status::GOOD; 8]); bytes.div_ceil(size_of::<Words>())];
    let Storages { self_, index, src, out } = storages;
    let memory = Memory {
        self_: range(self_),
        index: range(index),
        src: range(src),
        out: launch::Range { address: out.as_mut_ptr().cast(), bytes: out.len() as u64 },
        workspace: launch::Range { address: words.as_mut_ptr().cast(), bytes: bytes as u64 },
    };
    // SAFETY: the caller's word; the model is done with the storages when it returns.
    let done = unsafe { kernels.launch_each(plan, &memory, ptr::null_mut(), launched) };
    done.map_err(|error| Refusal::Broken(error.to_string()))?;
    Ok(words.iter().flat_map(|words| words.0).take(plan.statuses()).collect())
}

/// Bytes that are only read, which the model sees to.
fn range(bytes: &[u8]) -> launch::Range {
    launch::Range { address: bytes.as_ptr().cast_mut().cast(), bytes: bytes.len() as u64 }
}
