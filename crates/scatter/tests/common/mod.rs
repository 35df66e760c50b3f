//! Random problems: an operator, layouts of every kind, and data, from a seed.

// Each test binary takes what it needs.
#![allow(dead_code, unused_imports, clippy::unwrap_used)]

mod divisions;

pub(crate) use divisions::{divisions, on_threads};
use proptest::prelude::*;
use scatter::cpu::internals::Limits;
use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{
    Axes, Complex, DType, Element, Error, Index, Op, Operand, Problem, Reduce, Scalar, View, ViewMut,
    reference,
};

/// The settings of a property test: `cases` random problems, or as many as proptest's own variable
/// `PROPTEST_CASES` says.
pub(crate) fn proptest_config(cases: u32) -> ProptestConfig {
    let chosen = ProptestConfig::default();
    let is_said = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if is_said { chosen.cases } else { cases }, failure_persistence: None, ..chosen }
}

/// A sequence of numbers that looks random and depends on the seed only (SplitMix64, Steele et al.,
/// 2014).
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Elements that tell a wrong order or a wrong rounding from the right one: mostly of very
/// different magnitudes.
pub(crate) trait Random: Element {
    fn random(numbers: &mut Numbers) -> Self;
}

macro_rules! random_integer {
    ($($t:ty),+) => {$(
        impl Random for $t {
            fn random(numbers: &mut Numbers) -> Self {
                if numbers.below(4) == 0 { numbers.next() as Self } else { (numbers.below(7) as Self).wrapping_sub(3) }
            }
        }
    )+};
}
random_integer!(i64, i32, i16, i8, u8);

fn random_f64(numbers: &mut Numbers) -> f64 {
    const SPECIAL: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-40, -6e-8, 65504.0];
    match numbers.below(24) {
        special @ 0..8 => SPECIAL[special],
        _ => f64::from(numbers.next() as i32) * 2f64.powi(numbers.below(40) as i32 - 50),
    }
}

macro_rules! random_float {
    ($($t:ty => $convert:expr),+) => {$(
        impl Random for $t {
            fn random(numbers: &mut Numbers) -> Self { $convert(random_f64(numbers)) }
        }
    )+};
}
random_float!(f64 => |v| v, f32 => |v| v as f32, scatter::f16 => |v| scatter::f16::from_f32(v as f32),
    scatter::bf16 => |v| scatter::bf16::from_f32(v as f32));

impl Random for scatter::Bool {
    fn random(numbers: &mut Numbers) -> Self {
        Self([0, 0, 1, 2, 255][numbers.below(5)])
    }
}

impl Random for Complex<f32> {
    fn random(numbers: &mut Numbers) -> Self {
        Self::new(f32::random(numbers), f32::random(numbers))
    }
}

impl Random for Complex<f64> {
    fn random(numbers: &mut Numbers) -> Self {
        Self::new(f64::random(numbers), f64::random(numbers))
    }
}

/// A tensor with its storage: axes in any memory order, with gaps, flips and (for sources) expanded
/// axes.
#[derive(Clone, Debug)]
pub(crate) struct Tensor<T> {
    pub(crate) storage: Vec<T>,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: usize,
}

impl<T: Copy> Tensor<T> {
    pub(crate) fn random(
        shape: &[usize],
        expand: bool,
        numbers: &mut Numbers,
        mut value: impl FnMut(&mut Numbers) -> T,
    ) -> Self {
        let rank = shape.len();
        let mut order: Vec<usize> = (0..rank).collect();
        if numbers.below(2) == 0 {
            for i in (1..rank).rev() {
                order.swap(i, numbers.below(i + 1));
            }
        }
        let (mut strides, mut step, mut offset) = (vec![0_isize; rank], 1_usize, 0_usize);
        for &axis in order.iter().rev() {
            if expand && numbers.below(4) == 0 {
                continue;
            }
            if numbers.below(5) == 0 {
                step += 1; // a gap
            }
            strides[axis] = step as isize;
            if numbers.below(6) == 0 && shape[axis] > 0 {
                strides[axis] = -(step as isize);
                offset += (shape[axis] - 1) * step;
            }
            step *= shape[axis].max(1);
        }
        let lead = numbers.below(3);
        let storage = (0..step + lead + numbers.below(3)).map(|_| value(numbers)).collect();
        Self { storage, shape: shape.to_vec(), strides, offset: offset + lead }
    }

    /// Lines of `width` elements, one after the other in `storage`, each walked with a step of 1, 0
    /// or -1.
    pub(crate) fn lines(storage: Vec<T>, width: usize, step: isize) -> Self {
        let shape = vec![storage.len() / width, width];
        let offset = if step < 0 { width - 1 } else { 0 };
        Self { storage, shape, strides: vec![width as isize, step], offset }
    }

    pub(crate) fn view(&self) -> View<'_, T> {
        View::strided(&self.storage, &self.shape, &self.strides, self.offset).unwrap()
    }

    pub(crate) fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::strided(&mut self.storage, &self.shape, &self.strides, self.offset).unwrap()
    }

    /// The elements in row-major order.
    pub(crate) fn elements(&self) -> Vec<T> {
        let view = self.view();
        view.layout().shape().coordinates().map(|at| self.storage[view.layout().address(&at)]).collect()
    }
}

impl<T: Element> Tensor<T> {
    pub(crate) fn operand(&self) -> Operand {
        *self.view().as_tensor().operand()
    }
}

/// A scatter and its tensors. `src` is unused where the operator takes a value.
#[derive(Clone, Debug)]
pub(crate) struct Case<T, I> {
    pub(crate) op: Op,
    pub(crate) self_: Tensor<T>,
    pub(crate) index: Tensor<I>,
    pub(crate) src: Tensor<T>,
}

impl<T: Random, I: Index> Case<T, I> {
    fn has_src(&self) -> bool {
        self.op.value().is_none()
    }

    /// In place by the reference; what self's storage becomes.
    pub(crate) fn by_reference(&self) -> Result<Vec<T>, Error> {
        let mut out = self.self_.clone();
        let operand = out.operand();
        let src = self.has_src().then(|| self.src.operand());
        let problem = Problem::new(self.op, &operand, &self.index.operand(), src.as_ref(), &operand)?;
        let src = self.has_src().then_some(&self.src.storage[..]);
        reference::run(&problem, None, &self.index.storage, src, &mut out.storage)?;
        Ok(out.storage)
    }

    /// In place by the CPU engine; what self's storage becomes.
    pub(crate) fn by_cpu(&self, limits: &Limits) -> Result<Vec<T>, Error> {
        let mut out = self.self_.clone();
        self.by_cpu_on(&mut out, limits)?;
        Ok(out.storage)
    }

    /// In place by the CPU engine, on `out` in the place of self.
    pub(crate) fn by_cpu_on(&self, out: &mut Tensor<T>, limits: &Limits) -> Result<(), Error> {
        let mut out = out.view_mut();
        let (index, src) = (self.index.view(), self.src.view());
        let memory = &mut Memory {
            self_: None,
            index: index.as_tensor(),
            src: self.has_src().then(|| src.as_tensor()),
            out: out.as_tensor_mut(),
        };
        let operand = *memory.out.operand();
        let src = memory.src.map(|src| *src.operand());
        let problem = Problem::new(self.op, &operand, memory.index.operand(), src.as_ref(), &operand)?;
        cpu::internals::run_with(&problem, memory, limits)
    }

    /// Out of place by the CPU engine, into `out`.
    pub(crate) fn by_cpu_into(&self, out: &mut Tensor<T>, limits: &Limits) -> Result<(), Error> {
        let mut out = out.view_mut();
        let (self_, index, src) = (self.self_.view(), self.index.view(), self.src.view());
        let memory = &mut Memory {
            self_: self.op.operator().signature().has_self.then(|| self_.as_tensor()),
            index: index.as_tensor(),
            src: self.has_src().then(|| src.as_tensor()),
            out: out.as_tensor_mut(),
        };
        let src = memory.src.map(|src| *src.operand());
        let self_ = *self_.as_tensor().operand();
        let problem =
            Problem::new(self.op, &self_, memory.index.operand(), src.as_ref(), memory.out.operand())?;
        cpu::internals::run_with(&problem, memory, limits)
    }
}

impl<T: Random> Case<T, i64> {
    /// The same updates by index values none of which is negative. The operator has a dim.
    pub(crate) fn without_negatives(&self) -> Self {
        let rank = self.self_.shape.len() as i64;
        let size = self.self_.shape[self.op.dim().unwrap().rem_euclid(rank) as usize];
        Self { index: self.index.without_negatives(size), ..self.clone() }
    }
}

impl Tensor<i64> {
    /// The same elements of an axis of `size`, named by values none of which is negative.
    pub(crate) fn without_negatives(&self, size: usize) -> Self {
        let values = self.storage.iter().map(|value| value.rem_euclid(size as i64));
        Self { storage: values.collect(), ..self.clone() }
    }
}

/// What index values are drawn from: those of an axis, also counted from its end, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    has_negatives: bool,
}

impl Values {
    pub(crate) fn random(numbers: &mut Numbers) -> Self {
        Self { has_negatives: numbers.below(2) == 0 }
    }

    /// A value for an axis of some elements.
    pub(crate) fn draw<I: Index + From<i8>>(self, size: usize, numbers: &mut Numbers) -> I {
        let size = size.clamp(1, 60);
        I::from(match self.has_negatives {
            true => numbers.below(2 * size) as i8 - size as i8,
            false => numbers.below(size) as i8,
        })
    }
}

/// Whether both are the same elements, all NaNs being equal.
pub(crate) fn same<T: Element>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(*b))
}

/// What proptest chooses and shrinks.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) dtype: DType,
    pub(crate) wide_index: bool,
    pub(crate) kind: usize,
    pub(crate) reduce: Reduce,
    pub(crate) include_self: bool,
    pub(crate) shape: Vec<usize>,
    pub(crate) axis: usize,
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let choice = (0..12_usize, any::<bool>(), 0..11_usize, 0..6_usize, any::<bool>());
    // The engine finds targets in batches of 128; a few cases have more, but not under Miri, which
    // takes minutes for one.
    let [longer_count, longer_axis] = if cfg!(miri) { [9..12, 6..9] } else { [120..300, 60..300_usize] };
    let count = prop_oneof![15 => 0..9_usize, 1 => longer_count];
    // An axis without elements, and one that takes more than a batch, now and then.
    let odd = prop_oneof![8 => Just(None), 1 => Just(Some(0)), 1 => longer_axis.prop_map(Some)];
    let sizes = (proptest::collection::vec(1..6_usize, 1..5), odd, 0..5_usize, count, any::<u64>());
    (choice, sizes).prop_map(
        |((dtype, wide_index, kind, reduce, include_self), (mut shape, odd, axis, count, seed))| {
            let last = shape.len() - 1;
            shape[last] = odd.unwrap_or(shape[last]);
            let dtype = DType::ALL[dtype];
            let reduce = Reduce::ALL[reduce];
            let reduce = if reduce.missing_for(dtype).is_some() { Reduce::Mul } else { reduce };
            let axis = axis % shape.len();
            // No index points into an axis without elements.
            let count = match shape[last] {
                0 if axis == last => 0,
                0 => count - count % 2,
                _ => count,
            };
            Plan { dtype, wide_index, kind, reduce, include_self, axis, shape, count, seed }
        },
    )
}

impl Plan {
    /// The case of this plan, for its dtypes.
    pub(crate) fn case<T: Random, I: Index + From<i8>>(&self) -> Case<T, I> {
        let mut numbers = Numbers(self.seed);
        let rank = self.shape.len();
        let self_ = Tensor::random(&self.shape, false, &mut numbers, T::random);
        let values = Values::random(&mut numbers);
        let number = |size: usize, numbers: &mut Numbers| values.draw(size, numbers);
        if self.kind == 4 {
            let depth = self.axis % rank + usize::from(self.count % 2 == 1);
            let rows = if self.count > 6 { vec![2, self.count - 5] } else { vec![self.count] };
            let slice = &self.shape[depth..];
            let mut index =
                Tensor::random(&[&rows[..], &[depth]].concat(), false, &mut numbers, |_| I::from(0));
            for at in index.clone().view().layout().shape().coordinates() {
                let address = index.view().layout().address(&at);
                index.storage[address] = number(self.shape[at[at.rank() - 1]], &mut numbers);
            }
            let src = Tensor::random(&[&rows, slice].concat(), true, &mut numbers, T::random);
            let op = if self.include_self { Op::ScatterNdAdd } else { Op::ScatterNdUpdate };
            return Case { op, self_, index, src };
        }
        let (size, dim) = (self.shape[self.axis], self.axis as i64);
        if self.kind == 7 {
            return self.windows(&mut numbers);
        }
        if self.kind == 8 {
            return self.along_axes(&mut numbers);
        }
        if self.kind == 9 {
            // Not many long rows.
            let width = self.shape[rank - 1].min(if size > 6 { 3 } else { 300 });
            let rows = if self.count > 6 { vec![2, self.count - 5] } else { vec![self.count] };
            let out = Tensor::random(&[size, width], false, &mut numbers, T::random);
            let index = Tensor::random(&rows, true, &mut numbers, |numbers| number(size, numbers));
            let grad = Tensor::random(&[&rows, &[width][..]].concat(), true, &mut numbers, T::random);
            let padding = Some(numbers.below(8)).filter(|_| numbers.below(2) == 0);
            let scale = !self.include_self && Reduce::Mean.missing_for(self.dtype).is_none();
            let op = Op::EmbeddingBackward { padding, scale };
            return Case { op, self_: out, index, src: grad };
        }
        if self.kind >= 5 {
            let mut src_shape = self.shape.clone();
            src_shape[self.axis] = self.count;
            let index = Tensor::random(&[self.count], true, &mut numbers, |numbers| number(size, numbers));
            let src = Tensor::random(&src_shape, true, &mut numbers, T::random);
            // 1, and numbers that every dtype, and every dtype's sums, can represent.
            let scalar = Scalar::from(1 + numbers.below(4) as u64);
            let op = match self.kind {
                5 => Op::IndexCopy { dim },
                6 => Op::IndexAdd { dim, alpha: scalar },
                _ => Op::IndexFill { dim, value: scalar },
            };
            return Case { op, self_, index, src };
        }
        let mut sizes: Vec<usize> =
            self.shape.iter().map(|&size| if size == 0 { 0 } else { 1 + numbers.below(size) }).collect();
        sizes[self.axis] = self.count;
        let index = Tensor::random(&sizes, true, &mut numbers, |numbers| number(size, numbers));
        let src_sizes: Vec<usize> = sizes.iter().map(|&size| size + numbers.below(2)).collect();
        let src = Tensor::random(&src_sizes, true, &mut numbers, T::random);
        let dim = if numbers.below(2) == 0 { dim } else { dim - rank as i64 };
        let (reduce, include_self) = (self.reduce, self.include_self);
        let op = match self.kind {
            0 => Op::ScatterAdd { dim },
            1 => Op::Scatter { dim, reduce },
            2 => Op::ScatterValue { dim, value: Scalar::from(numbers.below(5) as u64), reduce },
            _ => Op::ScatterReduce { dim, reduce, include_self },
        };
        Case { op, self_, index, src }
    }

    /// A case whose index has coordinates along chosen axes.
    fn along_axes<T: Random, I: Index + From<i8>>(&self, numbers: &mut Numbers) -> Case<T, I> {
        let chosen: Vec<usize> = (0..self.shape.len()).filter(|_| numbers.below(2) == 0).collect();
        // No index points into an axis without elements.
        let count = if chosen.iter().any(|&axis| self.shape[axis] == 0) { 0 } else { self.count };
        let rows = if count > 6 { vec![2, count - 5] } else { vec![count] };
        let values = Values::random(numbers);
        let mut index =
            Tensor::random(&[&rows[..], &[chosen.len()]].concat(), false, numbers, |_| I::from(0));
        for at in index.clone().view().layout().shape().coordinates() {
            let address = index.view().layout().address(&at);
            index.storage[address] = values.draw(self.shape[chosen[at[at.rank() - 1]]], numbers);
        }
        let axes = Axes::new(&chosen).unwrap();
        let first = if axes.are_neighbours() { chosen.first().copied().unwrap_or(0) } else { 0 };
        let mut named: Vec<usize> = (0..self.shape.len())
            .filter(|axis| !chosen.contains(axis))
            .map(|axis| self.shape[axis])
            .collect();
        named.splice(first..first, rows);
        // src is broadcast along some axes, and lacks some of the first.
        let lacking = numbers.below(named.len() + 1) / 2;
        let src_shape: Vec<usize> =
            named[lacking..].iter().map(|&size| if numbers.below(4) == 0 { 1 } else { size }).collect();
        let self_ = Tensor::random(&self.shape, false, numbers, T::random);
        let src = Tensor::random(&src_shape, true, numbers, T::random);
        Case { op: Op::IndexPut { axes, accumulate: self.include_self }, self_, index, src }
    }

    /// A case whose index values name where windows begin.
    fn windows<T: Random, I: Index + From<i8>>(&self, numbers: &mut Numbers) -> Case<T, I> {
        let (mut shape, mut axis) = (self.shape.clone(), self.axis);
        if axis == 0 {
            shape.insert(0, 1 + numbers.below(4));
            axis = 1;
        }
        let has_columns = self.include_self;
        let count = if shape.contains(&0) { 0 } else { self.count };
        let count = if has_columns { count } else { count.min(shape[0]) };
        let extent = numbers.below(shape[axis] + 1);
        let mut sizes = shape.clone();
        (sizes[0], sizes[axis]) = (count, extent);
        let self_ = Tensor::random(&shape, false, numbers, T::random);
        let src = Tensor::random(&sizes, true, numbers, T::random);
        let places = [shape[0], shape[axis] + 1 - extent.max(1)];
        let values = Values::random(numbers);
        let index = if has_columns {
            let mut index = Tensor::random(&[count, 2], false, numbers, |_| I::from(0));
            for at in index.clone().view().layout().shape().coordinates() {
                let address = index.view().layout().address(&at);
                index.storage[address] = values.draw(places[at[1]], numbers);
            }
            index
        } else {
            Tensor::random(&[count], true, numbers, |numbers| values.draw(places[1], numbers))
        };
        Case { op: Op::ScatterUpdate { dim: axis as i64 }, self_, index, src }
    }
}

/// Runs a generic function for the dtypes of a plan: `on_case!(plan, case => …)`.
#[macro_export]
macro_rules! on_case {
    ($plan:expr, $case:ident => $body:expr) => {
        scatter::with_element!($plan.dtype, T => if $plan.wide_index {
            let $case = $plan.case::<T, i64>();
            $body
        } else {
            let $case = $plan.case::<T, i32>();
            $body
        })
    };
}
