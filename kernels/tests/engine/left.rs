//! Bad index values: their updates are skipped and the others made, and the first bad value is
//! reported.

use scatter::{
    DType, Element, Error, Index, Layout, Op, Operand, Problem, Reduce, Target, reference, with_element,
};
use scatter_kernels::model::Options;
use scatter_kernels::plan::Algorithm::{self, General, Rows};
use scatter_kernels::plan::Kernel;
use scatter_kernels::tiling::Status;
use scatter_kernels::{Soc, bad_index};

use crate::case::{Bad, Case, Kind, bad_values, op};
use crate::sample::{kind, reduce};
use crate::tensor::Arrangement::{Contiguous, ExpandedBut, Strided};
use crate::tensor::Tensor;

impl<T: Element, I: Index> Case<T, I> {
    /// The reference's result without the updates whose index is bad: by the same scatter on a self
    /// with one row more, or as many as a window has, to which these go.
    pub(crate) fn without_bad_updates(&self) -> Vec<T> {
        let out_layout = &self.out.layout;
        let axis = match self.problem.target() {
            Some(Target::Dim(dim)) => dim,
            _ => 0,
        };
        let mut shape: Vec<usize> = out_layout.shape().to_vec();
        shape[axis] += self.extent();
        let len = shape.iter().product();
        let layout = Layout::contiguous(&shape, len).unwrap();

        let before = self.self_.as_ref().unwrap_or(&self.out);
        let mut longer = vec![T::zeroed(); len];
        for at in out_layout.shape().coordinates() {
            longer[layout.address(&at)] = before.storage[before.layout.address(&at)];
        }
        let index = self.led_elsewhere(axis);
        let index_layout = Layout::contiguous(self.index.layout.shape(), index.len()).unwrap();
        let of_out = Operand::new(T::DTYPE, layout, longer.as_ptr().addr());
        let of_index = Operand::new(DType::I64, index_layout, index.as_ptr().addr());
        let of_src = self.src.as_ref().map(Tensor::operand);
        let problem = Problem::new(*self.problem.op(), &of_out, &of_index, of_src.as_ref(), &of_out).unwrap();
        let src = self.src.as_ref().map(|src| &src.storage[..]);
        reference::run(&problem, None, &index, src, &mut longer).unwrap();

        let mut out = self.out.storage.clone();
        for at in out_layout.shape().coordinates() {
            out[out_layout.address(&at)] = longer[layout.address(&at)];
        }
        out
    }

    /// The elements of a window; 1 where there are none.
    fn extent(&self) -> usize {
        let index = self.problem.index_layout().unwrap();
        self.problem.window().map_or(1, |axis| index.shape()[axis])
    }

    /// The values of index in row-major order, none of them negative; those of a bad entry name the
    /// row behind the end of `axis`.
    fn led_elsewhere(&self, axis: usize) -> Vec<i64> {
        let (shape, index) = (self.problem.out_layout().shape(), &self.index);
        let raw: Vec<i64> = index
            .layout
            .shape()
            .coordinates()
            .map(|at| index.storage[index.layout.address(&at)].to_i64())
            .collect();
        // An entry is one value, or one for each of the leading axes.
        let axes: Vec<usize> = match self.problem.target() {
            Some(Target::Nd(depth)) => (0..depth).collect(),
            _ => vec![axis],
        };
        let mut places: Vec<i64> = axes.iter().map(|&axis| shape[axis] as i64).collect();
        if let Some(last) = places.last_mut() {
            *last -= self.extent() as i64 - 1;
        }
        raw.chunks(axes.len().max(1))
            .flat_map(|entry| {
                let sizes = places.iter().copied();
                let wrapped = entry.iter().zip(sizes).map(|(&value, size)| {
                    (-size..size).contains(&value).then_some(if value < 0 { value + size } else { value })
                });
                wrapped.collect::<Option<Vec<i64>>>().unwrap_or_else(|| {
                    axes.iter().map(|&of| if of == axis { shape[axis] as i64 } else { 0 }).collect()
                })
            })
            .collect()
    }
}

const BLOCKS: [u32; 3] = [1, 2, 7];

/// Every operator and reduction of every dtype, in one block and in several.
fn every_reduction(algorithm: Algorithm) {
    let index = if algorithm == Rows { ExpandedBut(0) } else { Contiguous };
    for dtype in DType::ALL {
        for number in 0..30 {
            let op = op(number, dtype, 0);
            let bad = [Bad::anywhere(number % 7), Bad::anywhere((number + 3) % 7), Bad::anywhere(0)];
            let of = kind(op, &[9, 70], 20, index);
            let kind = Kind { bad: bad.to_vec(), in_place: number % 2 == 0, seed: number as u64, ..of };
            let soc = Soc { ub: 7 * 1024, ..Soc::default().with_cores(BLOCKS[number % 3]) };
            with_element!(dtype, T => {
                let case = Case::<T, i64>::new(&kind);
                assert!(case.reference().is_err(), "{kind:?}");
                case.check(&soc, Some(algorithm), &Options::strict(number as u64));
            });
        }
    }
}

#[test]
fn every_reduction_of_elements() {
    every_reduction(General);
}

#[test]
fn every_reduction_of_rows() {
    every_reduction(Rows);
}

/// An element or row whose only updates are bad keeps its value.
#[test]
fn what_only_bad_updates_would_touch_is_untouched() {
    for op in [reduce(Reduce::Mean, true), reduce(Reduce::Mean, false), reduce(Reduce::Add, false)] {
        for (algorithm, index) in [(General, Contiguous), (Rows, ExpandedBut(0))] {
            // Every update of the one row that is updated is bad, in place and with a copy first.
            for in_place in [true, false] {
                let all = (0..3 * 40).map(|at| Bad { at: Some(at), which: at % 7 }).collect();
                let kind = Kind { bad: all, in_place, ..kind(op, &[4, 40], 3, index) };
                let case = Case::<f32, i64>::new(&kind);
                let soc = Soc::default().with_cores(2);
                case.check(&soc, Some(algorithm), &Options::strict(1));
                let kept = case.self_.as_ref().unwrap_or(&case.out);
                let (_, left) = case.kernels(&soc, Some(algorithm), &Options::strict(2));
                for at in case.out.layout.shape().coordinates() {
                    let (got, had) =
                        (left.out[case.out.layout.address(&at)], kept.storage[kept.layout.address(&at)]);
                    assert!(got.same(had), "{at:?} is {got}, was {had}");
                }
            }
        }
    }
}

/// A sample of bad values that are far below all targets, of which each chunk's part is padded.
#[test]
fn rows_whose_sample_is_bad() {
    let (updates, columns) = (2176, 64);
    let far_below = (0..updates).map(|update| Bad { at: Some(update * columns), which: 3 });
    let of = kind(Op::ScatterAdd { dim: 0 }, &[4096, columns], updates, ExpandedBut(0));
    let case = Case::<f32, i64>::new(&Kind { bad: far_below.collect(), ..of });
    case.check(&Soc::default().with_cores(2), Some(Rows), &Options::strict(1));
}

/// Lanes are divided among blocks, and among the tasks of a block: neither runs in row-major order
/// of index.
#[test]
fn the_first_bad_value_is_that_of_the_first_position() {
    const COLUMNS: usize = 1024;
    let at = |row: usize, column: usize| row * COLUMNS + column;
    let places = [
        // The first is in the last block, the last in the first block, and the other way round.
        [at(0, COLUMNS - 1), at(1, 0), at(2, 300)],
        [at(0, 0), at(1, COLUMNS - 1), at(1, 300)],
        // In a block of the middle.
        [at(0, 300), at(1, 0), at(1, COLUMNS - 1)],
        // In one column.
        [at(1, 5), at(2, 5), at(3, 5)],
    ];
    for out in [Contiguous, Strided] {
        for blocks in [1, 2, 8] {
            for places in places {
                let bad = places.iter().zip(0..).map(|(&at, which)| Bad { at: Some(at), which }).collect();
                let of = kind(Op::ScatterAdd { dim: 0 }, &[9, COLUMNS], 5, Contiguous);
                let kind = Kind { bad, out, ..of };
                let soc = Soc { ub: 8 * 1024, ..Soc::default().with_cores(blocks) };
                let case = Case::<f32, i64>::new(&kind);
                let plan = case.check(&soc, Some(General), &Options::strict(blocks.into()));
                let tasks = match &plan.steps.last().unwrap().kernel {
                    Kernel::General(tiling) => tiling.tasks,
                    _ => 0,
                };
                assert!(tasks > blocks.into(), "{tasks} tasks");
                let (_, left) = case.kernels(&soc, Some(General), &Options::fast());
                let value = bad_values(9)[0];
                let is_first =
                    matches!(left.error, Some(Error::IndexOutOfRange { value: got, .. }) if got == value);
                assert!(is_first, "{:?}", left.error);
            }
        }
    }
}

/// Of the status words of the blocks the one with the lowest position counts, whatever their order.
#[test]
fn the_first_bad_value_is_that_of_the_lowest_position() {
    let of = kind(Op::ScatterAdd { dim: 0 }, &[4, 10], 9, Contiguous);
    let problem = Case::<f32, i64>::new(&of).problem;
    let first_bad = |positions: &[u64]| {
        let status = positions.iter().map(|&position| match position {
            GOOD => Status::GOOD,
            bad => Status { position: bad, value: 100 + bad as i64, ..Status::GOOD },
        });
        match bad_index(&problem, &status.collect::<Vec<_>>()) {
            None => None,
            Some(Error::IndexOutOfRange { position, value, .. }) => {
                assert_eq!(value, 100 + (position[0] * 10 + position[1]) as i64);
                Some((position[0], position[1]))
            }
            Some(other) => panic!("{other}"),
        }
    };
    const GOOD: u64 = u64::MAX;
    for positions in [[5, 12, 30], [30, 12, 5], [30, 5, 12], [GOOD, 5, GOOD], [12, GOOD, 5]] {
        assert_eq!(first_bad(&positions), Some((0, 5)), "{positions:?}");
    }
    assert_eq!(first_bad(&[GOOD, 0]), Some((0, 0)));
    assert_eq!((first_bad(&[GOOD, GOOD]), first_bad(&[])), (None, None));
}
