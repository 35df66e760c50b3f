//! The CPU engine, with several numbers of threads.

use rayon::{ThreadPool, ThreadPoolBuilder};
use scatter::cpu::{self, AsTensor, AsTensorMut, Limits, Memory, Pattern};
use scatter::{Argument, Error};

use super::{Engine, Refusal, with_types};
use crate::call::Call;
use crate::task::Task;
use crate::tensor::Tensor;
use crate::usage::UsageError;

/// `scatter::cpu` in pools of its own.
#[derive(Debug)]
pub(crate) struct Cpu {
    settings: Vec<Setting>,
    /// The loops that are forced, if any.
    pattern: Option<Pattern>,
}

#[derive(Debug)]
struct Setting {
    pool: ThreadPool,
    /// Whether small calls are divided as well, into more tasks than the engine would make of them.
    divided: bool,
}

/// More threads than most tensors here have rows, and a number that divides few sizes.
const MANY: usize = 7;

impl Cpu {
    /// The name.
    pub(crate) const NAME: &'static str = "cpu";

    /// On one thread, on `threads`, and on seven with every call divided.
    pub(crate) fn new(threads: usize, pattern: Option<Pattern>) -> Result<Self, UsageError> {
        let mut counts = vec![(1, false), (threads, false), (MANY, true)];
        counts.dedup();
        let setting = |(threads, divided)| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            Ok(Setting { pool: pool.map_err(|error| UsageError::Threads { threads, error })?, divided })
        };
        Ok(Self { settings: counts.into_iter().map(setting).collect::<Result<_, UsageError>>()?, pattern })
    }

    /// The call on the threads of the caller's pool, divided as the engine thinks best.
    pub(crate) fn compute(call: &mut Call<'_>) -> Result<(), Error> {
        run(call, &Limits::default())
    }
}

impl Engine for Cpu {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> String {
        format!("the parallel engine, on this CPU: {}", self.settings().join("; "))
    }

    fn settings(&self) -> Vec<String> {
        let name = |setting: &Setting| {
            let threads = setting.pool.current_num_threads();
            let (plural, divided) = (
                if threads == 1 { "" } else { "s" },
                if setting.divided { ", every call divided" } else { "" },
            );
            format!("{threads} thread{plural}{divided}")
        };
        self.settings.iter().map(name).collect()
    }

    /// All threads, and calls divided as the engine thinks best.
    fn benchmarked(&self) -> usize {
        self.settings.iter().rposition(|setting| !setting.divided).unwrap_or(0)
    }

    fn run(&self, setting: usize, call: &mut Call<'_>) -> Result<(), Refusal> {
        let Setting { pool, divided } = &self.settings[setting];
        let limits = if *divided { divided_limits(call) } else { Limits::default() };
        let limits = Limits { pattern: self.pattern, ..limits };
        Ok(pool.install(|| run(call, &limits))?)
    }
}

/// A task for each thread and segments to match, whatever the size of the call.
fn divided_limits(call: &Call<'_>) -> Limits {
    let slots = (call.out.elements() / MANY).max(2);
    Limits { tasks: Some(MANY), slots, slots_at_most: slots, ..Limits::default() }
}

fn run(call: &mut Call<'_>, limits: &Limits) -> Result<(), Error> {
    let operator = call.task.operator();
    let of = |argument| move |got| Error::Layout { operator, argument, got };
    match call.task {
        Task::Scatter(op) => {
            let problem = call.problem(op)?;
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
                cpu::run_with(&problem, &mut memory, limits)
            })
        }
        Task::SrcGrad { dim } => {
            let problem = call.src_grad(dim)?;
            // Nobody makes this call in place; if one did, the engine would see that index isn't what it is bound to.
            let grad = call.self_.unwrap_or(call.index);
            with_types!(problem.dtype(), Some(call.index.storage.dtype()), T, I => {
                let grad = grad.view::<T>().map_err(of(Argument::Grad))?;
                let index = call.index.view::<I>().map_err(of(Argument::Index))?;
                let mut out = call.out.view_mut::<T>().map_err(of(Argument::Out))?;
                let (grad, index) = (grad.as_tensor(), index.as_tensor());
                cpu::run_src_grad_with(&problem, &grad, &index, &mut out.as_tensor_mut(), limits)
            })
        }
    }
}
