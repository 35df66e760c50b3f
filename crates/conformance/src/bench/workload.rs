//! The workloads: what is added to what, at its real size.

use clap::ValueEnum;
use rand_distr::ZipfError;
use scatter::{DType, Element, Op, bf16};

use super::targets;
use crate::case::{Case, Expected};
use crate::random::Random;
use crate::storage::Storage;
use crate::task::Task;
use crate::tensor::Tensor;

/// A `scatter_add` along dim 0, in place, whose index is one number per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    /// The gradient of an embedding: 65,536 tokens of natural language (Zipf) into [50000, 256] f32
    Embedding,
    /// The combine step of a mixture of experts: 8,192 tokens, two of eight experts each, into [8192, 4096] bf16
    Moe,
    /// Message aggregation on a power-law graph: 2 million edges into [200000, 64] f32
    Graph,
}

/// The sizes of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) dtype: DType,
    /// The rows of self.
    pub(crate) rows: usize,
    /// The elements in a row.
    pub(crate) width: usize,
    /// The rows of index and src.
    pub(crate) updates: usize,
}

impl Workload {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Embedding, Self::Moe, Self::Graph];

    /// As `--workload` has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Moe => "moe",
            Self::Graph => "graph",
        }
    }

    /// The real size, with the numbers of rows divided by `divisor`; a row stays as long as it is.
    pub(crate) fn size(self, divisor: usize) -> Size {
        let (dtype, rows, width, updates) = match self {
            Self::Embedding => (DType::F32, 50_000, 256, 65_536),
            Self::Moe => (DType::Bf16, 8_192, 4_096, 16_384),
            Self::Graph => (DType::F32, 200_000, 64, 2_000_000),
        };
        let rows = (rows / divisor).max(1);
        // Two updates for each token of the mixture, whatever the division leaves of them.
        let updates = if self == Self::Moe { 2 * rows } else { (updates / divisor).max(1) };
        Size { dtype, rows, width, updates }
    }

    /// The call, the same for a seed and a divisor: self is zeros; index has stride 0 along the row, so that one i64 per
    /// row is stored.
    pub(crate) fn case(self, seed: u64, divisor: usize) -> Result<Case, ZipfError> {
        let Size { dtype, rows, width, updates } = self.size(divisor);
        let mut random = Random::of(seed, &format!("bench/{}", self.name()));
        let targets = match self {
            Self::Embedding => targets::tokens(&mut random, rows, updates)?,
            Self::Moe => targets::routed(&mut random, rows),
            Self::Graph => targets::edges(&mut random, rows, updates)?,
        };
        let src = match dtype {
            DType::Bf16 => noise(&mut random, updates * width, bf16::from_f32),
            _ => noise(&mut random, updates * width, core::convert::identity),
        };
        let index = Tensor {
            storage: Storage::of(&targets),
            shape: vec![updates, width],
            strides: vec![1, 0],
            offset: 0,
        };
        Ok(Case {
            name: format!("bench/{}", self.name()),
            task: Task::Scatter(Op::ScatterAdd { dim: 0 }),
            self_: Tensor::contiguous(Storage::zeroed(dtype, rows * width), &[rows, width]),
            index,
            src: Some(Tensor::contiguous(src, &[updates, width])),
            out: None,
            claim: None,
            expected: Expected::Reference,
        })
    }
}

/// Numbers in [-1, 1) with 24 bits each, so that the order of additions shows in their sums.
fn noise<T: Element>(random: &mut Random, len: usize, make: impl Fn(f32) -> T) -> Storage {
    let mut storage = Storage::zeroed(T::DTYPE, len);
    for pair in storage.elements_mut::<T>().chunks_mut(2) {
        let bits = random.bits();
        for (element, half) in pair.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
            *element = make((half >> 8) as f32 * 2f32.powi(-23) - 1.0);
        }
    }
    storage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_one_number_per_row() {
        for workload in Workload::ALL {
            let size = workload.size(500);
            let mut case = workload.case(7, 500).unwrap();
            assert_eq!(case.self_.shape, [size.rows, size.width]);
            assert_eq!(case.index.shape, [size.updates, size.width]);
            assert_eq!(case.index.storage.len(), size.updates);
            let Task::Scatter(op) = case.task else { panic!("{:?}", case.task) };
            assert!(case.call().problem(op).unwrap().in_place());
            let rows = 0..size.rows as i64;
            assert!(
                case.index.storage.elements::<i64>().iter().all(|row| rows.contains(row)),
                "{workload:?}"
            );
        }
    }

    #[test]
    fn the_real_sizes() {
        let sizes = Workload::ALL.map(|workload| workload.size(1));
        assert_eq!(sizes.map(|size| [size.rows, size.width]), [[50_000, 256], [8_192, 4_096], [200_000, 64]]);
        assert_eq!(sizes.map(|size| size.updates), [65_536, 16_384, 2_000_000]);
        assert_eq!(Workload::Graph.size(usize::MAX).updates, 1);
    }

    #[test]
    fn a_seed_gives_the_same_tensors_again() {
        let [one, again, other] = [1, 1, 2].map(|seed| Workload::Embedding.case(seed, 1000).unwrap());
        assert_eq!((&one.index, &one.src), (&again.index, &again.src));
        assert_ne!(one.index, other.index);
    }

    #[test]
    fn the_noise_is_spread_over_its_range() {
        let storage = noise::<f32>(&mut Random::of(1, ""), 10_001, core::convert::identity);
        let values = storage.elements::<f32>();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert!(values.iter().sum::<f32>().abs() < 500.0);
        assert!(values.iter().any(|&value| value < -0.99) && values.iter().any(|&value| value > 0.99));
    }
}
