//! The Ascend C kernels, on the strict host model of Ascend C. No device is involved.

use core::ptr;

use scatter::{Axes, IndexList, Operand, Problem};
use scatter_kernels::launch::{self, Kernels, LaunchMemory};
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::Step;
use scatter_kernels::tiling::Status;
use scatter_kernels::{Plan, Soc, Unsupported, bad_index, plan, plan_list};

use super::Engine;
use crate::call::Call;
use crate::case::Case;
use crate::random::fnv1a;
use crate::refusal::Refusal;
use crate::tensor::Tensor;

/// `scatter-kernels` with several numbers of blocks, each under several schedules of the model.
#[derive(Debug)]
pub(crate) struct Kernel {
    kernels: Kernels,
}

/// Numbers of blocks: one, two, one that divides few sizes, and all vector cores of an Ascend
/// 910B1.
const BLOCKS: [u32; 4] = [1, 2, 7, 48];
/// Seeds of the model's schedules. Each picks other orders of execution that the hardware allows.
const SEEDS: [u64; 3] = [11, 12, 13];

/// The blocks and the seed of a setting.
const fn setting(number: usize) -> (u32, u64) {
    (BLOCKS[number / SEEDS.len()], SEEDS[number % SEEDS.len()])
}

impl Kernel {
    /// The engine's name.
    pub(crate) const NAME: &'static str = "kernel";

    /// The engine on the host model.
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

    /// One setting, by a hash of the name: the strict model is many times slower than any other
    /// engine.
    fn sampled(&self, case: &str) -> Vec<usize> {
        vec![(fnv1a(case) % (BLOCKS.len() * SEEDS.len()) as u64) as usize]
    }

    /// The time that the model takes says nothing about the kernels.
    fn is_benchmarked(&self) -> bool {
        false
    }

    fn not_applicable(&self, case: &Case) -> Option<String> {
        let problem = case.clone().call().problem().ok()?;
        plan_of(&problem, &list(&case.index, problem.op().axes()), &Soc::default())
            .err()
            .map(|unsupported| unsupported.to_string())
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let (blocks, seed) = self::setting(setting);
        let problem = call.problem()?;
        let soc = Soc::default().with_cores(blocks);
        let list = list(call.index, call.op.axes());
        let plan =
            plan_of(&problem, &list, &soc).map_err(|unsupported| Refusal::Broken(unsupported.to_string()))?;
        model::configure(Some(&Options::strict(seed)));
        // SAFETY: the plan was made for this call.
        unsafe { self.follow(&plan, &problem, call) }
    }
}

impl Kernel {
    /// Runs the plan of a call. The kernels report a bad index after they have made the valid
    /// updates, but an engine is expected to leave out's elements as they were.
    ///
    /// # Safety
    /// The call's storages are as large as those of the problem that the plan was made for.
    unsafe fn follow(&self, plan: &Plan, problem: &Problem, call: &mut Call<'_>) -> Result<(), Refusal> {
        let before = call.out.storage.clone();
        let storages = Storages {
            self_: call.self_.map_or(&[], |self_| self_.storage.bytes()),
            indices: &[call.index.storage.bytes(); scatter::MAX_RANK],
            src: call.src.map_or(&[], |src| src.storage.bytes()),
            out: call.out.storage.bytes_mut(),
        };
        // SAFETY: by this function's contract the storages are as large as the plan expects.
        let status = unsafe { launch(&self.kernels, plan, storages, |_| ()) }?;
        let outcome = bad_index(problem, &status).map_or(Ok(()), |error| Err(error.into()));
        call.take_back(&before, &outcome);
        outcome
    }
}

/// The index tensors of a call of `index_put`: each is the coordinates for an axis, which index has
/// along its last axis. Empty for other calls.
fn list(index: &Tensor, axes: Option<Axes>) -> Vec<Option<Operand>> {
    let (Some(axes), Operand { layout: Ok(_), address, .. }) = (axes, index.operand()) else {
        return Vec::new();
    };
    // Each component is a copy, of which the address is that of index.
    let operand = |component: Tensor| Operand { address, ..component.operand() };
    index.components(axes).map(|component| component.map(operand)).collect()
}

/// The plan of a call, with the index tensors that it has, if any.
fn plan_of(problem: &Problem, list: &[Option<Operand>], soc: &Soc) -> Result<Plan, Unsupported> {
    match IndexList::new(list) {
        Ok(list) if list.axes() != Axes::NONE => plan_list(problem, &list, soc),
        _ => plan(problem, soc),
    }
}

/// The storages of a call.
#[derive(Debug)]
pub struct Storages<'a> {
    /// self's bytes; empty in place.
    pub self_: &'a [u8],
    /// index's bytes, or those of each tensor of a list.
    pub indices: &'a [&'a [u8]],
    /// src's bytes; empty where the operator takes a scalar.
    pub src: &'a [u8],
    /// out's bytes, which are written.
    pub out: &'a mut [u8],
}

/// 512 bytes of workspace, which hold the status words of eight blocks. Aligned to 512 bytes,
/// because the model's times depend on the alignment.
#[derive(Clone, Copy)]
#[repr(C, align(512))]
struct Words([Status; 8]);

/// Runs a plan under this thread's configuration of the model, and returns the status words.
/// `launched` is called after each step.
///
/// # Errors
/// A launch fails.
///
/// # Safety
/// The storages must be as large as those of the problem that the plan was made for.
pub unsafe fn launch(
    kernels: &Kernels,
    plan: &Plan,
    storages: Storages<'_>,
    launched: impl FnMut(&Step),
) -> Result<Vec<Status>, Refusal> {
    let bytes = plan.workspace_bytes();
    // A status that no block writes tells of a bad value.
    let unwritten = Status { position: 0, value: i64::MIN, ..Status::GOOD };
    let mut words = vec![Words([unwritten; 8]); bytes.div_ceil(size_of::<Words>())];
    let Storages { self_, indices: given, src, out } = storages;
    let mut indices = [launch::Range::NONE; scatter::MAX_RANK];
    for (index, bytes) in indices.iter_mut().zip(given) {
        *index = range(bytes);
    }
    let memory = LaunchMemory {
        self_: range(self_),
        indices,
        src: range(src),
        out: launch::Range { address: out.as_mut_ptr().cast(), bytes: out.len() as u64 },
        workspace: launch::Range { address: words.as_mut_ptr().cast(), bytes: bytes as u64 },
    };
    // SAFETY: by this function's contract the storages have the sizes that the plan expects, and
    // `words` has the plan's workspace size. All outlive the call, and the model has finished with
    // them when it returns.
    let done = unsafe { kernels.launch_each(plan, &memory, ptr::null_mut(), launched) };
    done.map_err(|error| Refusal::Broken(error.to_string()))?;
    Ok(words.iter().flat_map(|words| words.0).take(plan.statuses()).collect())
}

/// The range of bytes that kernels only read; the model reports a write to them.
fn range(bytes: &[u8]) -> launch::Range {
    launch::Range { address: bytes.as_ptr().cast_mut().cast(), bytes: bytes.len() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, bad};

    /// The kernels with the plan of a call whose out begins an element further on.
    #[derive(Debug)]
    struct Beside(Kernel);

    impl Engine for Beside {
        fn name(&self) -> &'static str {
            "beside"
        }

        fn description(&self) -> String {
            String::from("for tests")
        }

        fn run(&self, _setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
            let problem = call.problem()?;
            call.out.offset += 1;
            let plan = plan_of(&call.problem()?, &[], &Soc::default()).unwrap();
            call.out.offset -= 1;
            model::configure(Some(&Options::strict(SEEDS[0])));
            // SAFETY: the plan was made for storages of the same sizes.
            unsafe { self.0.follow(&plan, &problem, call) }
        }
    }

    #[test]
    fn what_is_written_beside_out_is_seen_where_an_index_is_bad() {
        assert_eq!(sample::told(&bad(), &Kernel::new(), 0), "");
        let told = sample::told(&bad(), &Beside(Kernel::new()), 0);
        assert!(told.starts_with("element 6 of out's storage, which is not out's"), "{told}");
    }
}
