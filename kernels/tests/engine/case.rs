//! Random scatters, and their runs by the reference and by the kernels.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scatter::{Addressing, DType, Element, Error, Index, Op, Problem, Reduce, Scalar, reference};
use scatter_kernels::launch::{Kernels, LaunchMemory};
use scatter_kernels::plan::{Algorithm, Plan, plan_with};
use scatter_kernels::tiling::Status;
use scatter_kernels::{Range, Soc, bad_index, model};

use crate::tensor::{Arrangement, Tensor, below, element};

/// The properties of a case; the seed decides the rest.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) op: Op,
    pub(crate) self_shape: Vec<usize>,
    pub(crate) index_shape: Vec<usize>,
    pub(crate) out: Arrangement,
    pub(crate) index: Arrangement,
    pub(crate) src: Arrangement,
    /// The elements of a window along its axis; 1 for operators without windows.
    pub(crate) extent: usize,
    pub(crate) in_place: bool,
    /// The bad values that index has.
    pub(crate) bad: Vec<Bad>,
    /// The most different values of index for an axis.
    pub(crate) distinct: usize,
    pub(crate) seed: u64,
}

/// A value that is out of range for its axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bad {
    /// Its position in the row-major order of index; `None` for any.
    pub(crate) at: Option<usize>,
    /// Which of [`bad_values`].
    pub(crate) which: usize,
}

impl Bad {
    pub(crate) const fn anywhere(which: usize) -> Self {
        Self { at: None, which }
    }
}

/// A scatter with its tensors.
pub(crate) struct Case<T, I> {
    pub(crate) problem: Problem,
    pub(crate) self_: Option<Tensor<T>>,
    pub(crate) index: Tensor<I>,
    pub(crate) src: Option<Tensor<T>>,
    pub(crate) out: Tensor<T>,
}

/// The results of the kernels: out's storage, and the bad index value that they report.
pub(crate) struct Left<T> {
    pub(crate) out: Vec<T>,
    pub(crate) error: Option<Error>,
    /// The modelled time of all launches in the cautious setting; 0 of the reference.
    #[cfg_attr(not(feature = "cost"), allow(dead_code))]
    pub(crate) nanoseconds: u64,
}

impl<T: Element, I: Index + TryFrom<i64>> Case<T, I> {
    pub(crate) fn new(kind: &Kind) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(kind.seed);
        let gathers = kind.op.operator().signature().gathers;
        let out_shape = if gathers { &kind.index_shape } else { &kind.self_shape };
        let out = Tensor::new(&mut rng, out_shape, kind.out, element);
        let self_ = (!kind.in_place).then(|| {
            let any = [Arrangement::Contiguous, Arrangement::Strided, Arrangement::Expanded];
            let arrangement =
                if kind.out == Arrangement::Contiguous { any[0] } else { any[below(&mut rng, 3)] };
            Tensor::new(&mut rng, &kind.self_shape, arrangement, element)
        });
        let mut index = Tensor::new(&mut rng, &kind.index_shape, kind.index, |_| I::zeroed());
        fill_index(&mut rng, kind, &mut index);
        let src = (kind.op.value().is_none() && !gathers).then(|| {
            let shape = match kind.op.dim() {
                Some(dim) if matches!(kind.op, Op::ScatterUpdate { .. }) => {
                    let mut shape = kind.self_shape.clone();
                    (shape[0], shape[axis(kind, dim)]) = (kind.index_shape[0], kind.extent);
                    shape
                }
                Some(dim) if matches!(kind.op, Op::IndexCopy { .. } | Op::IndexAdd { .. }) => {
                    let mut shape = kind.self_shape.clone();
                    shape[axis(kind, dim)] = kind.index_shape[0];
                    shape
                }
                None if kind.op.operator().signature().addressing == Addressing::Rows => {
                    [&kind.index_shape, &kind.self_shape[1..]].concat()
                }
                Some(_) => kind.index_shape.iter().map(|size| size + below(&mut rng, 3)).collect(),
                None => {
                    let (&depth, rows) = kind.index_shape.split_last().unwrap();
                    [rows, &kind.self_shape[depth..]].concat()
                }
            };
            Tensor::new(&mut rng, &shape, kind.src, element)
        });
        let operand = self_.as_ref().map_or(out.operand(), Tensor::operand);
        let src_operand = src.as_ref().map(Tensor::operand);
        let problem =
            Problem::new(kind.op, &operand, &index.operand(), src_operand.as_ref(), &out.operand()).unwrap();
        Self { problem, self_, index, src, out }
    }

    /// The reference's result.
    pub(crate) fn reference(&self) -> Result<Vec<T>, Error> {
        let mut out = self.out.storage.clone();
        let self_ = self.self_.as_ref().map(|self_| &self_.storage[..]);
        let src = self.src.as_ref().map(|src| &src.storage[..]);
        reference::run(&self.problem, self_, &self.index.storage, src, &mut out)?;
        Ok(out)
    }

    /// The expected results of the kernels: those of the reference, and where that refuses a bad
    /// index value, its result for the other updates.
    pub(crate) fn expected(&self) -> Left<T> {
        match self.reference() {
            Ok(out) => Left { out, error: None, nanoseconds: 0 },
            Err(error) if self.problem.gathers() => {
                Left { out: self.of_nearest(), error: Some(error), nanoseconds: 0 }
            }
            Err(error) => Left { out: self.without_bad_updates(), error: Some(error), nanoseconds: 0 },
        }
    }

    /// The results of the kernels on the model, and their plan.
    pub(crate) fn kernels(
        &self,
        soc: &Soc,
        algorithm: Option<Algorithm>,
        options: &model::Options,
    ) -> (Plan, Left<T>) {
        let plan = plan_with(&self.problem, soc, algorithm).unwrap();
        let left = self.run(&plan, LaunchMemory::one_index(self.index.range()), options);
        (plan, left)
    }

    /// The results of a plan on the model, with these index tensors.
    pub(crate) fn run(
        &self,
        plan: &Plan,
        indices: [Range; scatter::MAX_RANK],
        options: &model::Options,
    ) -> Left<T> {
        let mut out = self.out.clone();
        let mut workspace = workspace(plan);
        let memory = LaunchMemory {
            self_: self.self_.as_ref().map_or(Range::NONE, Tensor::range),
            indices,
            src: self.src.as_ref().map_or(Range::NONE, Tensor::range),
            out: Range { address: out.storage.as_mut_ptr().cast(), ..out.range() },
            workspace: Range {
                address: workspace.as_mut_ptr().cast(),
                bytes: size_of_val(&workspace[..]) as u64,
            },
        };
        model::configure(Some(options));
        let mut nanoseconds = 0;
        // SAFETY: these are the tensors of the problem, with a copy of out that is as large.
        let launched = unsafe {
            kernels().launch_each(plan, &memory, core::ptr::null_mut(), |_| {
                nanoseconds += model::counters().nanoseconds[0];
            })
        };
        if let Err(error) = launched {
            panic!("{error}\n{plan:#?}");
        }
        let error = bad_index(&self.problem, &workspace[..plan.statuses()]);
        Left { out: out.storage, error, nanoseconds }
    }

    /// Runs the case both ways, and panics where they differ.
    pub(crate) fn check(&self, soc: &Soc, algorithm: Option<Algorithm>, options: &model::Options) -> Plan {
        let (plan, got) = self.kernels(soc, algorithm, options);
        self.compare(&got, &plan);
        plan
    }

    /// Panics where results are not those of the reference.
    pub(crate) fn compare(&self, got: &Left<T>, plan: &Plan) {
        let expected = self.expected();
        assert_eq!(got.error, expected.error, "the index value that the status words tell of\n{plan:#?}");
        for (at, (got, expected)) in got.out.iter().zip(&expected.out).enumerate() {
            assert!(
                got.same(*expected),
                "element {at} of out's storage is {got:?}, expected {expected:?}\n{plan:#?}\n{:#?}",
                self.problem
            );
        }
    }
}

/// Workspace for a plan. What no block writes tells of a bad value at a position that index has.
pub(crate) fn workspace(plan: &Plan) -> Vec<Status> {
    vec![
        Status { position: 0, value: i64::MIN, ..Status::GOOD };
        plan.workspace_bytes().div_ceil(size_of::<Status>())
    ]
}

/// A2, the same with little UB, where tensors need many tasks, chunks and lines, or 950, which has
/// more of it.
pub(crate) fn any_soc(rng: &mut ChaCha8Rng, cores: u32) -> Soc {
    let a2 = Soc::default();
    let soc = match below(rng, 4) {
        0 => a2,
        1 => Soc { ub: 16 * 1024, ..a2 },
        2 => Soc { ub: 5 * 1024, ..a2 },
        _ => Soc::named("Ascend950").unwrap(),
    };
    soc.with_cores(cores)
}

/// Values that are out of range for an axis of `size` elements; the last ones are 0 or 1 when
/// truncated to fewer bits.
pub(crate) fn bad_values(size: i64) -> [i64; 7] {
    [size, -size - 1, i64::MAX, i32::MIN.into(), i64::MIN, 1 << 32, (1 << 32) + 1]
}

/// The axis of self that an operator names.
fn axis(kind: &Kind, dim: i64) -> usize {
    dim.rem_euclid(kind.self_shape.len() as i64) as usize
}

/// How many places the values of an entry of index can each name.
fn places(kind: &Kind) -> Vec<usize> {
    let (shape, depth) = (&kind.self_shape, kind.index_shape.last().copied().unwrap_or(0));
    match (kind.op.operator().signature().addressing, kind.op.dim()) {
        (Addressing::Windows, Some(dim)) => {
            let places = shape[axis(kind, dim)] + 1 - kind.extent;
            if kind.index_shape.len() == 1 { vec![places] } else { vec![shape[0], places] }
        }
        (_, Some(dim)) => vec![shape[axis(kind, dim)]],
        (Addressing::Rows, None) => vec![shape[0]],
        (_, None) => shape[..depth].to_vec(),
    }
}

/// Valid values, some negative, and many equal; and the requested bad ones.
fn fill_index<I: Index + TryFrom<i64>>(rng: &mut ChaCha8Rng, kind: &Kind, index: &mut Tensor<I>) {
    let entries: Vec<Vec<usize>> = index.layout.shape().coordinates().map(|at| at.to_vec()).collect();
    let sizes = places(kind);
    let size_of = |at: &[usize]| match sizes[..] {
        [size] => size as i64,
        // The values of an entry that is expanded are one value: for the smallest axis, then.
        _ if index.layout.strides().last() == Some(&0) => sizes.iter().min().copied().unwrap_or(0) as i64,
        _ => sizes[at[at.len() - 1]] as i64,
    };
    let mut put = |at: &[usize], value: i64| {
        if let Ok(value) = I::try_from(value) {
            index.storage[index.layout.address(at)] = value;
        }
    };
    for at in &entries {
        let size = size_of(at);
        let wraps = if below(rng, 3) == 0 { size } else { 0 };
        put(at, below(rng, kind.distinct.min(size as usize)) as i64 - wraps);
    }
    for bad in &kind.bad {
        let at = &entries[bad.at.unwrap_or_else(|| below(rng, entries.len()))];
        put(at, bad_values(size_of(at))[bad.which]);
    }
}

/// Any operator that a dtype has, by a number.
pub(crate) fn op(number: usize, dtype: DType, dim: i64) -> Op {
    let reduces: Vec<Reduce> =
        Reduce::ALL.into_iter().filter(|reduce| reduce.missing_for(dtype).is_none()).collect();
    let reduce = reduces[number / 5 % reduces.len()];
    match number % 5 {
        0 => Op::ScatterAdd { dim },
        1 => Op::Scatter { dim, reduce },
        2 => Op::ScatterValue { dim, value: Scalar::Int(3), reduce },
        3 => Op::ScatterReduce { dim, reduce, include_self: false },
        _ => Op::ScatterReduce { dim, reduce, include_self: true },
    }
}

/// The kernels under test: those on the host model, or those of the library that
/// `SCATTER_TEST_KERNELS` names (`kernels/tests/mutants/run` builds such).
pub(crate) fn kernels() -> Kernels {
    match std::env::var_os("SCATTER_TEST_KERNELS") {
        None => Kernels::host_model(),
        // SAFETY: the variable names a library that was built for these tests.
        Some(path) => unsafe { Kernels::load(path.as_ref()) }.unwrap(),
    }
}
