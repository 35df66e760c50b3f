//! The CPU engine, with several numbers of threads and each instruction set.

use rayon::ThreadPool;
use scatter::cpu::internals::{Limits, Pattern, Simd};
use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{Argument, Error};

use super::{Engine, with_types};
use crate::call::Call;
use crate::random::fnv1a;
use crate::refusal::Refusal;
use crate::tensor::Tensor;
use crate::threads;
use crate::usage::UsageError;

/// `scatter::cpu` in several thread pools, in each with each instruction set of this machine.
#[derive(Debug)]
pub struct Cpu {
    pools: Vec<Pool>,
    /// The instruction sets, best first.
    levels: Vec<Simd>,
    /// The pattern to use wherever it can do a call; `None` lets the engine choose.
    pattern: Option<Pattern>,
}

#[derive(Debug)]
struct Pool {
    threads: ThreadPool,
    /// Whether to divide every call into tasks, even one that the engine would leave whole.
    divided: bool,
}

/// A number of threads that exceeds the rows of most tensors here and divides few sizes.
const MANY: usize = 7;

impl Cpu {
    /// The engine's name.
    pub const NAME: &'static str = "cpu";

    /// Settings of one thread, `threads` threads, and seven threads with every call divided.
    ///
    /// # Errors
    /// A pool of `threads` threads can't be made.
    pub fn new(threads: usize, pattern: Option<Pattern>) -> Result<Self, UsageError> {
        let mut counts = vec![(1, false), (threads, false), (MANY, true)];
        counts.dedup();
        let pool = |(count, divided)| Ok(Pool { threads: threads::pool(count)?, divided });
        let pools = counts.into_iter().map(pool).collect::<Result<_, UsageError>>()?;
        Ok(Self { pools, levels: Simd::all().into_iter().rev().collect(), pattern })
    }

    /// The pool and the instruction set of a setting. The first settings are all pools with the
    /// best instruction set.
    fn setting(&self, number: usize) -> (&Pool, Simd) {
        (&self.pools[number % self.pools.len()], self.levels[number / self.pools.len()])
    }

    /// Computes the call in the calling thread's pool, divided as the engine chooses.
    ///
    /// # Errors
    /// The first rule that the call breaks, or an index out of range.
    pub fn compute(call: &mut Call<'_>) -> Result<(), Error> {
        run(call, &Limits::default())
    }
}

impl Engine for Cpu {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> String {
        let names = self.settings();
        let (usual, others) = names.split_at(self.pools.len());
        let described = format!("the parallel engine, on this CPU: {}", usual.join("; "));
        let [best, lesser @ ..] = &self.levels[..] else { return described };
        if lesser.is_empty() {
            return format!("{described}; {} instructions", best.name());
        }
        let lesser: Vec<_> = lesser.iter().map(|simd| simd.name()).collect();
        format!(
            "{described}, with {} instructions; a case also in one of these {} settings with {}, or with --every-setting in all",
            best.name(),
            others.len(),
            lesser.join(" or ")
        )
    }

    fn settings(&self) -> Vec<String> {
        let name = |number: usize| {
            let (pool, simd) = self.setting(number);
            let threads = pool.threads.current_num_threads();
            let plural = if threads == 1 { "" } else { "s" };
            let divided = if pool.divided { ", every call divided" } else { "" };
            let level = if number < self.pools.len() { String::new() } else { format!(", {}", simd.name()) };
            format!("{threads} thread{plural}{divided}{level}")
        };
        (0..self.pools.len() * self.levels.len()).map(name).collect()
    }

    /// All pools with the best instruction set, and one of the other settings by a hash of the
    /// name.
    fn sampled(&self, case: &str) -> Vec<usize> {
        let usual = self.pools.len();
        let others = usual * (self.levels.len() - 1);
        let other = |others| usual + (fnv1a(case) % others as u64) as usize;
        (0..usual).chain((others > 0).then(|| other(others))).collect()
    }

    /// All threads, with calls divided as the engine chooses.
    fn benchmarked(&self) -> usize {
        self.pools.iter().rposition(|pool| !pool.divided).unwrap_or(0)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let (Pool { threads, divided }, simd) = self.setting(setting);
        let limits = if *divided { divided_limits(call) } else { Limits::default() };
        let limits = Limits { pattern: self.pattern, simd, ..limits };
        Ok(threads.install(|| run(call, &limits))?)
    }
}

/// Limits that divide even a small call: a task for each of the [`MANY`] threads, and segments of
/// a seventh of out's elements (at least two).
fn divided_limits(call: &Call<'_>) -> Limits {
    let slots = (call.out.elements() / MANY).max(2);
    Limits { tasks: Some(MANY), slots, slots_at_most: slots, ..Limits::default() }
}

fn run(call: &mut Call<'_>, limits: &Limits) -> Result<(), Error> {
    let operator = call.op.operator();
    let of = |argument| move |got| Error::Layout { operator, argument, got };
    let problem = call.problem()?;
    with_types!(problem.dtype(), problem.index_dtype(), T, I => {
        let self_ = call.self_.map(Tensor::view::<T>).transpose().map_err(of(Argument::SelfTensor))?;
        let src = call.src.map(Tensor::view::<T>).transpose().map_err(of(Argument::Src))?;
        let index = call.index.view::<I>().map_err(of(Argument::Index))?;
        let mut out = call.out.view_mut::<T>().map_err(of(Argument::Out))?;
        let mut memory = Memory {
            self_: self_.as_ref().map(AsTensor::as_tensor),
            index: index.as_tensor(),
            src: src.as_ref().map(AsTensor::as_tensor),
            out: out.as_tensor_mut(),
        };
        cpu::internals::run_with(&problem, &mut memory, limits)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn settings_are_every_pool_with_every_instruction_set() {
        let cpu = Cpu::new(2, None).unwrap();
        let settings: Vec<_> = (0..cpu.settings().len())
            .map(|number| {
                let (Pool { threads, divided }, simd) = cpu.setting(number);
                (threads.current_num_threads(), *divided, simd)
            })
            .collect();
        let best_first = Simd::all().into_iter().rev();
        let expected: Vec<_> = best_first
            .flat_map(|simd| {
                [(1, false), (2, false), (7, true)].map(|(threads, divided)| (threads, divided, simd))
            })
            .collect();
        assert_eq!(settings, expected);
        assert_eq!(cpu.setting(0).1, Simd::default());
        assert_eq!(cpu.settings().iter().collect::<HashSet<_>>().len(), expected.len());
        assert_eq!(cpu.settings()[cpu.benchmarked()], "2 threads");
        for simd in Simd::all() {
            assert!(cpu.description().contains(simd.name()), "{}", cpu.description());
        }
    }
}
