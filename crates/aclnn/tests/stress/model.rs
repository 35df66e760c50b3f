//! The model of a thread: what its data should be, and which errors it may get.

use std::collections::BTreeSet;

use aclnn::scatter::{self, Op, Operand, Problem};
use aclnn::{DType, Error, Layout, Reduce, Result};

/// The number of elements in each tensor's memory.
pub(crate) const LEN: usize = 24;

/// Identifies a failure: the index value that was out of range, which is different for each
/// failure.
pub(crate) type Failure = i64;

/// Pseudorandom numbers.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub(crate) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// What a tensor's memory should hold.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// `None` where it is unspecified: the result of failed work in new memory.
    pub(crate) elements: Option<Vec<i64>>,
    /// The failures of the work that the data comes from.
    pub(crate) failures: BTreeSet<Failure>,
    /// The streams of that work.
    pub(crate) streams: BTreeSet<u64>,
}

impl Data {
    pub(crate) fn of(elements: Vec<i64>) -> Self {
        Self { elements: Some(elements), failures: BTreeSet::new(), streams: BTreeSet::new() }
    }

    /// Records that work of a stream, which read `read`, has written to `self`, all of it or a
    /// part.
    pub(crate) fn comes_from<'a>(
        &mut self,
        stream: u64,
        read: impl IntoIterator<Item = &'a Data>,
        is_whole: bool,
    ) {
        if is_whole {
            self.failures.clear();
            self.streams.clear();
        }
        self.streams.insert(stream);
        for data in read {
            self.failures.extend(&data.failures);
            self.streams.extend(&data.streams);
        }
    }

    /// The elements of a layout, in row-major order.
    pub(crate) fn read(&self, layout: &Layout) -> Option<Vec<i64>> {
        let elements = self.elements.as_ref()?;
        Some(layout.shape().coordinates().map(|at| elements[layout.address(&at)]).collect())
    }

    /// Writes the elements of a layout; `None` for unspecified ones.
    pub(crate) fn write(&mut self, layout: &Layout, from: Option<&[i64]>) {
        let is_whole = layout.elements() == LEN;
        match (self.elements.as_mut(), from) {
            (Some(elements), Some(from)) => {
                let places = layout.shape().coordinates().map(|at| layout.address(&at));
                places.zip(from).for_each(|(place, &element)| elements[place] = element);
            }
            (None, Some(from)) if is_whole => {
                self.elements = Some(vec![0; LEN]);
                self.write(layout, Some(from));
            }
            (_, None) => self.elements = None,
            (None, _) => {}
        }
    }

    /// Scatters a part of src into a layout; the reference of `scatter` computes it.
    pub(crate) fn scatter(&mut self, layout: &Layout, index: &Index, src: &Self, src_layout: &Layout) {
        let (Some(elements), Some(from)) = (&mut self.elements, &src.elements) else {
            self.elements = None;
            return;
        };
        let operand = |layout, address| Operand::new(DType::I64, layout, address);
        let (out, src) = (operand(*layout, 0x1_0000), operand(*src_layout, 0x3_0000));
        let indices = Layout::contiguous(&index.shape, index.values.len()).unwrap();
        let op = Op::Scatter { dim: index.dim, reduce: index.reduce };
        let problem = Problem::new(op, &out, &operand(indices, 0x2_0000), Some(&src), &out).unwrap();
        scatter::reference::run(&problem, None, &index.values, Some(from), elements).unwrap();
    }
}

/// The index of a scatter, with its dim and reduction.
pub(crate) struct Index {
    pub(crate) dim: i64,
    pub(crate) reduce: Reduce,
    pub(crate) shape: [usize; 2],
    pub(crate) values: Vec<i64>,
}

impl Index {
    /// A random index in range, for a self and a src of these shapes.
    pub(crate) fn new(numbers: &mut Numbers, self_: &[usize], src: &[usize]) -> Self {
        let axis = numbers.below(2);
        let mut shape = [src[0], src[1]];
        shape[1 - axis] = shape[1 - axis].min(self_[1 - axis]);
        let size = self_[axis];
        let values = (0..shape[0] * shape[1]).map(|_| numbers.below(2 * size) as i64 - size as i64).collect();
        let reduce = [Reduce::None, Reduce::Add, Reduce::Mul, Reduce::Max][numbers.below(4)];
        Self { dim: axis as i64, reduce, shape, values }
    }
}

/// The index value that an error reports.
#[track_caller]
pub(crate) fn failure(error: &Error) -> Failure {
    let Error::Scatter(rule) = error else { panic!("{error}") };
    let scatter::Error::IndexOutOfRange { value, .. } = **rule else { panic!("{error}") };
    value
}

/// Checks the outcome of a call that waits for a stream: an error if and only if `wanted` has
/// failures, and then one of them. Returns it.
#[track_caller]
pub(crate) fn expect_failure<T>(outcome: Result<T>, wanted: &BTreeSet<Failure>) -> Option<Failure> {
    match outcome {
        Ok(_) => {
            assert!(wanted.is_empty(), "nobody is told of {wanted:?}");
            None
        }
        Err(error) => {
            let told = failure(&error);
            assert!(wanted.contains(&told), "{error}; expected one of {wanted:?}");
            Some(told)
        }
    }
}
