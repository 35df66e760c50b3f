//! Makes a workload's tensors.

use engines::case::{Case, Expected};
use engines::random::Random;
use engines::storage::Storage;
use engines::tensor::Tensor;
use rand_distr::ZipfError;
use scatter::{Bool, Complex, DType, Element, Index, bf16, f16};

use super::{Cache, RowIndex, Shape, Targets, Update, Workload, targets};

/// An integer type of index values.
trait IndexValue: Index {
    /// Converts a value, which must be below 2^24, as those of all workloads are.
    fn of(value: i64) -> Self;
}

impl IndexValue for i32 {
    fn of(value: i64) -> Self {
        value as Self
    }
}

impl IndexValue for i64 {
    fn of(value: i64) -> Self {
        value
    }
}

/// A workload with its tensors.
#[derive(Debug)]
pub struct Drawn {
    /// The call: a scatter in place, or a gather into an out of zeros.
    pub(crate) case: Case,
    /// The number of distinct elements of self that get an update, or that are gathered.
    pub(crate) touched: usize,
}

impl Drawn {
    /// The call: a scatter in place, or a gather into an out of zeros.
    #[must_use]
    pub fn into_case(self) -> Case {
        self.case
    }
}

impl Workload {
    /// The tensors, which depend only on the seed. For sums self is 0, otherwise it is noise; what
    /// a gather writes to is 0.
    ///
    /// # Errors
    /// The parameters of a distribution are invalid.
    pub fn draw(&self, seed: u64) -> Result<Drawn, ZipfError> {
        let mut random = Random::of(seed, &format!("bench/{}", self.name));
        let (self_, src) = self.shapes();
        let (index, touched) = match self.index {
            DType::I32 => self.index::<i32>(&mut random)?,
            _ => self.index::<i64>(&mut random)?,
        };
        let is_sum = matches!(self.update(), Update::Add | Update::AddToZeros | Update::AddScaled { .. });
        let elements = self_.iter().product();
        let start = if is_sum {
            Storage::zeroed(self.dtype, elements)
        } else {
            noise(self.dtype, &mut random, elements)
        };
        let src = src.map(|src| {
            let storage = noise(self.dtype, &mut random, src.iter().product());
            match self.shape {
                Shape::Cache(cache) if cache.by_tokens => cache.transposed(storage, src),
                _ => Tensor::contiguous(storage, &src),
            }
        });
        let out = self.gathers().then(|| {
            let zeros = Storage::zeroed(self.dtype, index.elements());
            Tensor::contiguous(zeros, &index.shape)
        });
        let case = Case {
            name: format!("bench/{}", self.name),
            op: self.op(),
            self_: Tensor::contiguous(start, &self_),
            index,
            src,
            out,
            claim: None,
            expected: Expected::Reference,
        };
        Ok(Drawn { case, touched })
    }

    /// The shapes of self and src.
    pub(crate) fn shapes(&self) -> (Vec<usize>, Option<Vec<usize>>) {
        let (self_, src) = match self.shape {
            Shape::Rows { rows, width, updates, .. } => (vec![rows, width], vec![updates, width]),
            Shape::Elements { self_, index, .. } => (self_.to_vec(), index.to_vec()),
            Shape::Line { size, updates, .. } => (vec![size], vec![updates]),
            Shape::Pairs { side, width: 1, updates, .. } => (vec![side, side], vec![updates]),
            Shape::Pairs { side, width, updates, .. } => (vec![side, side, width], vec![updates, width]),
            Shape::Cache(Cache { sequences, heads, places, width, tokens, .. }) => {
                (vec![sequences, heads, places, width], vec![sequences, heads, tokens, width])
            }
        };
        let has_src = !matches!(self.update(), Update::Value | Update::Gather);
        (self_, has_src.then_some(src))
    }

    /// How elements are updated.
    const fn update(&self) -> Update {
        match self.shape {
            Shape::Rows { update, .. } | Shape::Elements { update, .. } | Shape::Line { update, .. } => {
                update
            }
            Shape::Pairs { .. } => Update::Add,
            Shape::Cache(_) => Update::Replace,
        }
    }

    /// index, and the number of distinct elements of self that it names.
    fn index<I: IndexValue>(&self, random: &mut Random) -> Result<(Tensor, usize), ZipfError> {
        Ok(match self.shape {
            Shape::Rows { targets, rows, width, updates, index, .. } => {
                let targets = targets.draw(random, rows, updates)?;
                let touched = distinct(targets.iter().map(|&row| row as usize), rows) * width;
                let (stored, shape, strides) = match index {
                    RowIndex::Expanded => (1, vec![updates, width], vec![1, 0]),
                    RowIndex::Full => (width, vec![updates, width], vec![width as isize, 1]),
                    RowIndex::OneAxis => (1, vec![updates], vec![1]),
                };
                let mut storage = Storage::zeroed(I::DTYPE, updates * stored);
                for (row, &target) in storage.elements_mut::<I>().chunks_mut(stored).zip(&targets) {
                    row.fill(I::of(target));
                }
                (Tensor { storage, shape, strides, offset: 0 }, touched)
            }
            Shape::Elements { dim, self_, index: shape, .. } => {
                let index = uniform::<I>(random, self_[dim], shape.iter().product());
                let address = |(position, at): (usize, usize)| {
                    let mut place = [position / shape[1], position % shape[1]];
                    place[dim] = at;
                    place[0] * self_[1] + place[1]
                };
                let elements = self_.iter().product();
                let touched = distinct(positions::<I>(&index).enumerate().map(address), elements);
                (Tensor::contiguous(index, &shape), touched)
            }
            Shape::Line { size, updates, .. } => {
                let index = uniform::<I>(random, size, updates);
                let touched = distinct(positions::<I>(&index), size);
                (Tensor::contiguous(index, &[updates]), touched)
            }
            Shape::Pairs { side, width, updates, .. } => {
                let index = uniform::<I>(random, side, 2 * updates);
                let values: Vec<_> = positions::<I>(&index).collect();
                let rows = values.chunks_exact(2).map(|pair| pair[0] * side + pair[1]);
                let touched = distinct(rows, side * side) * width;
                (Tensor::contiguous(index, &[updates, 2]), touched)
            }
            Shape::Cache(cache) => {
                let Cache { sequences, heads, width, tokens, .. } = cache;
                (cache.index::<I>(random), sequences * heads * tokens * width)
            }
        })
    }
}

impl Cache {
    /// The places where the tokens of each sequence begin.
    fn index<I: IndexValue>(&self, random: &mut Random) -> Tensor {
        let Self { sequences, places, tokens, is_numbered, .. } = *self;
        let begins = uniform::<I>(random, places + 1 - tokens, sequences);
        if !is_numbered {
            return Tensor::contiguous(begins, &[sequences]);
        }
        let mut pairs = Storage::zeroed(I::DTYPE, 2 * sequences);
        let both = pairs.elements_mut::<I>().chunks_mut(2).zip(begins.elements::<I>());
        for (sequence, (pair, begin)) in both.enumerate() {
            pair.copy_from_slice(&[I::of(sequence as i64), *begin]);
        }
        Tensor::contiguous(pairs, &[sequences, 2])
    }

    /// src of this shape, stored token by token.
    fn transposed(&self, storage: Storage, shape: Vec<usize>) -> Tensor {
        let strides = [self.tokens * self.heads * self.width, self.width, self.heads * self.width, 1];
        let strides = strides.map(|stride| stride as isize).to_vec();
        Tensor { storage, shape, strides, offset: 0 }
    }
}

impl Targets {
    /// Draws the target row of each of `updates` updates.
    fn draw(self, random: &mut Random, rows: usize, updates: usize) -> Result<Vec<i64>, ZipfError> {
        match self {
            Self::Tokens => targets::tokens(random, rows, updates),
            Self::Routed => Ok(targets::routed(random, rows)),
            Self::PowerLaw => targets::edges(random, rows, updates),
            Self::Uniform => Self::Among(rows).draw(random, rows, updates),
            Self::Among(distinct) => {
                let end = distinct.min(rows) as u64;
                Ok((0..updates).map(|_| random.below(end) as i64).collect())
            }
            Self::FirstOf(parts) => Self::Among((rows / parts).max(1)).draw(random, rows, updates),
            Self::Steep => targets::steep(random, rows, updates),
            Self::Sorted => {
                let mut targets = Self::Uniform.draw(random, rows, updates)?;
                targets.sort_unstable();
                Ok(targets)
            }
            Self::Reversed => {
                let mut targets = Self::Sorted.draw(random, rows, updates)?;
                targets.reverse();
                Ok(targets)
            }
        }
    }
}

/// `count` index values below `end`, from the uniform distribution.
fn uniform<I: IndexValue>(random: &mut Random, end: usize, count: usize) -> Storage {
    let mut storage = Storage::zeroed(I::DTYPE, count);
    for value in storage.elements_mut::<I>() {
        *value = I::of(random.below(end as u64) as i64);
    }
    storage
}

/// The values of an index without negative ones.
fn positions<I: IndexValue>(index: &Storage) -> impl Iterator<Item = usize> {
    index.elements::<I>().iter().map(|value| value.to_i64() as usize)
}

/// The number of distinct values among numbers below `end`.
fn distinct(numbers: impl Iterator<Item = usize>, end: usize) -> usize {
    let mut seen = vec![false; end];
    numbers.for_each(|number| seen[number] = true);
    seen.into_iter().filter(|&seen| seen).count()
}

/// Floats in [-1, 1) with 24 bits each, so that the order of additions shows in their sums;
/// integers of any value.
fn noise(dtype: DType, random: &mut Random, len: usize) -> Storage {
    let unit = |half: u32| (half >> 8) as f32 * 2f32.powi(-23) - 1.0;
    match dtype {
        DType::F32 => fill(random, len, unit),
        DType::F16 => fill(random, len, |half| f16::from_f32(unit(half))),
        DType::Bf16 => fill(random, len, |half| bf16::from_f32(unit(half))),
        DType::Complex64 => fill(random, len, |half| Complex::new(unit(half), unit(half.rotate_left(16)))),
        DType::Bool => fill(random, len, |half| Bool::from(half & 1 == 1)),
        _ => {
            let mut storage = Storage::zeroed(dtype, len);
            for bytes in storage.bytes_mut().chunks_mut(8) {
                bytes.copy_from_slice(&random.bits().to_ne_bytes()[..bytes.len()]);
            }
            storage
        }
    }
}

/// Elements made of 32 random bits each.
fn fill<T: Element>(random: &mut Random, len: usize, make: impl Fn(u32) -> T) -> Storage {
    let mut storage = Storage::zeroed(T::DTYPE, len);
    for pair in storage.elements_mut::<T>().chunks_mut(2) {
        let bits = random.bits();
        for (element, half) in pair.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
            *element = make(half);
        }
    }
    storage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gather_has_an_out() {
        for workload in Workload::of_kernels().chain(Workload::of_cpus()) {
            let mut drawn = workload.divided(500).draw(7).unwrap();
            let (gathers, shape) = (workload.gathers(), drawn.case.index.shape.clone());
            assert_eq!(drawn.case.out.as_ref().map(|out| &out.shape), gathers.then_some(&shape));
            let problem = drawn.case.call().problem().unwrap();
            let updates = problem.in_place() || problem.starts_from_zeros();
            assert_eq!((updates, problem.gathers()), (!gathers, gathers), "{workload:?}");
            let size = drawn.case.self_.storage.len();
            assert!((1..=size).contains(&drawn.touched), "{workload:?}: {} of {size}", drawn.touched);
        }
    }

    #[test]
    fn the_real_sizes() {
        for (name, self_, src) in [
            ("embedding", vec![50_000, 256], vec![65_536, 256]),
            ("moe-full", vec![8_192, 4_096], vec![16_384, 4_096]),
            ("graph", vec![200_000, 64], vec![2_000_000, 64]),
            ("bins", vec![1 << 22], vec![1 << 24]),
            ("small", vec![64, 64], vec![64, 64]),
            ("pairs", vec![1000, 1000, 64], vec![1_000_000, 64]),
            ("index-add-bf16", vec![8_192, 4_096], vec![16_384, 4_096]),
            ("index-put", vec![2048, 2048], vec![1 << 22]),
            ("top-two", vec![65_536, 64], vec![65_536, 2]),
            ("index-put-rows", vec![1000, 1000, 64], vec![1_000_000, 64]),
        ] {
            assert_eq!(Workload::named_of_cpus(name).unwrap().shapes(), (self_, Some(src)), "{name}");
        }
        for (name, sequences, tokens) in [("cache-decode", 32, 1), ("cache-prefill", 16, 512)] {
            let shapes = (vec![sequences, 8, 4096, 128], Some(vec![sequences, 8, tokens, 128]));
            assert_eq!(Workload::named_of_kernels(name).unwrap().shapes(), shapes, "{name}");
        }
        let lookup = Workload::named_of_cpus("gather-rows").unwrap();
        assert_eq!(lookup.shapes(), (vec![50_000, 256], None));
        let one = Workload::named("graph").unwrap().divided(usize::MAX);
        assert_eq!(one.shapes(), (vec![1, 64], Some(vec![1, 64])));
    }

    #[test]
    fn an_index_is_stored_once_per_row_or_at_each_element() {
        let [expanded, full] = ["embedding", "embedding-full"]
            .map(|name| Workload::named(name).unwrap().divided(1000).draw(7).unwrap().case.index);
        assert_eq!((expanded.storage.len(), full.storage.len()), (65, 65 * 256));
        assert!(
            full.storage.elements::<i64>().chunks(256).all(|row| row.iter().all(|value| *value == row[0]))
        );
    }

    #[test]
    fn tokens_fit_into_their_cache_at_every_scale() {
        for (scale, sequences, tokens, places) in [(16, 1, 512, 1024), (64, 1, 128, 256), (5000, 1, 2, 4)] {
            let drawn = |name| Workload::named_of_kernels(name).unwrap().divided(scale).draw(7).unwrap();
            let prompts = drawn("cache-prefill");
            assert_eq!(prompts.case.self_.shape, [sequences, 8, places, 128]);
            assert_eq!(prompts.touched, sequences * 8 * tokens * 128);
            let begins = prompts.case.index.storage.elements::<i64>();
            assert!(begins.iter().all(|&begin| begin as usize + tokens <= places), "{begins:?}");
            let numbered = drawn("cache-prefill-numbered").case.index;
            assert_eq!((numbered.shape, numbered.storage.elements::<i64>()[0]), (vec![sequences, 2], 0));
            // The second token's key of the first head lies behind all heads of the first token.
            let src = drawn("cache-prefill-transposed").case.src.unwrap();
            assert_eq!((&src.shape[1..], &src.strides[1..]), (&[8, tokens, 128][..], &[128, 8 * 128, 1][..]));
            // A workload with one token for each sequence isn't divided.
            assert_eq!(drawn("cache-decode").touched, 32 * 8 * 128);
        }
    }

    #[test]
    fn every_element_counts_once() {
        assert_eq!(distinct([3, 0, 3, 3].into_iter(), 5), 2);
        // Every token of `moe` gets an update.
        let moe = Workload::named("moe").unwrap().divided(512).draw(1).unwrap();
        assert_eq!(moe.touched, 16 * 4096);
    }

    #[test]
    fn a_seed_gives_the_same_tensors_again() {
        for name in ["embedding", "dim0-index32", "multiply", "dim1-complex64", "gather-rows"] {
            let workload = Workload::named_of_cpus(name).unwrap().divided(1000);
            let [one, again, other] = [1, 1, 2].map(|seed| workload.draw(seed).unwrap().case);
            assert_eq!((&one.self_, &one.index, &one.src), (&again.self_, &again.index, &again.src));
            assert_ne!(one.index, other.index);
        }
    }

    #[test]
    fn the_noise_is_spread_over_its_range() {
        let storage = noise(DType::F32, &mut Random::of(1, ""), 10_001);
        let values = storage.elements::<f32>();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert!(values.iter().sum::<f32>().abs() < 500.0);
        assert!(values.iter().any(|&value| value < -0.99) && values.iter().any(|&value| value > 0.99));
        let bools = noise(DType::Bool, &mut Random::of(1, ""), 1001);
        let set = bools.bytes().iter().filter(|&&byte| byte == 1).count();
        assert!((400..600).contains(&set) && bools.bytes().iter().all(|&byte| byte < 2), "{set}");
    }
}
