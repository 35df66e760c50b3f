//! Memory that the system doesn't give: a call does without, or is refused before it has written
//! anything; it never aborts.

#![allow(clippy::unwrap_used, clippy::panic)]

use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::{GlobalAlloc, Layout as Block, System};

use scatter::cpu::internals::{Limits, Pattern};
use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{Element, Error, Op, Problem, Reduce, Scalar, View, ViewMut, f16, reference};

/// Refuses allocations above a limit.
struct Limited;

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, or null.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        if block.size() > LIMIT.load(Ordering::Relaxed) {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, at: *mut u8, block: Block) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, block) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Runs something while allocations above a limit are refused.
fn limited<R>(limit: usize, run: impl FnOnce() -> R) -> R {
    LIMIT.store(limit, Ordering::Relaxed);
    let ran = run();
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    ran
}

/// A call: shapes of self and index, strides of index, and dim.
struct Case {
    self_: [usize; 2],
    index: [usize; 2],
    strides: [isize; 2],
    dim: i64,
}

/// Each is what another pattern is for.
const CASES: [Case; 5] = [
    // Rows, stored once or expanded; many targets, so that each has few updates.
    Case { self_: [3000, 48], index: [4000, 48], strides: [48, 1], dim: 0 },
    Case { self_: [3000, 48], index: [4000, 48], strides: [1, 0], dim: 0 },
    // Lines: few long ones, and small ones beside a long index.
    Case { self_: [2, 100_000], index: [2, 140_000], strides: [140_000, 1], dim: 1 },
    Case { self_: [4, 500], index: [4, 40_000], strides: [40_000, 1], dim: 1 },
    // Too few updates of a line for a copy of it.
    Case { self_: [1, 3000], index: [1, 3500], strides: [3500, 1], dim: 1 },
];

/// Whether a pattern can do a call along this axis, the first or the last. What can't is done by
/// `Sweep`, which is tried by itself.
const fn suits(pattern: Pattern, dim: i64) -> bool {
    match pattern {
        Pattern::Rows | Pattern::RowRanges | Pattern::RowBuckets | Pattern::Tiles => dim == 0,
        Pattern::Lines
        | Pattern::LineRanges
        | Pattern::LineBuckets
        | Pattern::LineCopy
        | Pattern::LineCopies => dim != 0,
        Pattern::Sweep => true,
    }
}

/// How often a call was done with less memory, and refused.
#[derive(Debug, Default)]
struct Seen {
    done: usize,
    refused: usize,
}

/// The tensors of a case.
struct Call<'a, T> {
    case: &'a Case,
    index: Vec<i64>,
    src: Vec<T>,
    self_: Vec<T>,
    /// What out holds before; it is self where that is in place.
    out: Vec<T>,
    in_place: bool,
}

impl<'a, T: Element> Call<'a, T> {
    fn new(case: &'a Case, of: fn(usize) -> T, in_place: bool) -> Self {
        let Case { self_: [rows, width], index: shape, strides, dim } = *case;
        let targets = case.self_[dim as usize];
        let len = (shape[0] - 1) * strides[0] as usize + (shape[1] - 1) * strides[1] as usize + 1;
        // Constant along rows where it is stored whole and rows are short.
        let is_constant = [[8, 1], [48, 1]].contains(&strides);
        let entry = |at: usize| if is_constant { at / strides[0] as usize } else { at };
        let index = (0..len)
            .map(|at| {
                (entry(at) * 7919 % targets) as i64
                    - if at % 3 == 0 && strides[0] == 140_000 { targets as i64 } else { 0 }
            })
            .collect();
        let values = |len: usize, first: usize| (0..len).map(|at| of(at + first)).collect::<Vec<T>>();
        let (src, self_) = (values(shape[0] * shape[1], 0), values(rows * width, 5));
        let out = if in_place { self_.clone() } else { values(rows * width, 11) };
        Self { case, index, src, self_, out, in_place }
    }

    /// What out holds after a scatter with no larger allocations than `limit`.
    fn run(&self, op: Op, limits: &Limits, limit: usize) -> Result<Vec<T>, Error> {
        let mut out = self.out.clone();
        let ran = self.run_on(&mut out, op, limits, limit);
        if ran.is_err() {
            assert!(out.iter().zip(&self.out).all(|(a, b)| a.same(b)), "written, and refused: {ran:?}");
        }
        ran.map(|()| out)
    }

    fn run_on(&self, out: &mut [T], op: Op, limits: &Limits, limit: usize) -> Result<(), Error> {
        let Case { self_: shape, index: updates, strides, .. } = self.case;
        let index = View::strided(&self.index, updates, strides, 0).unwrap();
        let src = View::new(&self.src, updates).unwrap();
        let other = View::new(&self.self_, shape).unwrap();
        let mut out = ViewMut::new(out, shape).unwrap();
        let out = out.as_tensor_mut();
        let self_ = if self.in_place { *out.operand() } else { *other.as_tensor().operand() };
        let (index, src) = (index.as_tensor(), src.as_tensor());
        let problem = Problem::new(op, &self_, index.operand(), Some(src.operand()), out.operand()).unwrap();
        let self_ = (!self.in_place).then(|| other.as_tensor());
        let mut memory = Memory { self_, index, src: Some(src), out };
        limited(limit, || cpu::internals::run_with(&problem, &mut memory, limits))
    }
}

fn check<T: Element>(
    case: &Case,
    of: fn(usize) -> T,
    ops: &[(Reduce, bool)],
    in_place: bool,
    seen: &mut Seen,
) {
    let dim = case.dim;
    let call = Call::new(case, of, in_place);
    for &(reduce, include_self) in ops {
        let op = Op::ScatterReduce { dim, reduce, include_self };
        let expected = call.run(op, &Limits::default(), usize::MAX).unwrap();
        let patterns = Pattern::ALL.into_iter().filter(|&pattern| suits(pattern, dim));
        for pattern in patterns.map(Some).chain([None]) {
            for tasks in [Some(1), Some(3)] {
                for limit in [1 << 14, 1 << 15, 1 << 16, 1 << 18] {
                    let refused = REFUSED.load(Ordering::Relaxed);
                    let limits = Limits { tasks, pattern, ..Limits::default() };
                    let ran = call.run(op, &limits, limit);
                    let context = (case.self_, reduce, include_self, in_place, pattern, tasks, limit);
                    let was_refused = REFUSED.load(Ordering::Relaxed) > refused;
                    match ran {
                        Ok(out) => {
                            assert!(out.iter().zip(&expected).all(|(a, b)| a.same(b)), "{context:?}");
                            seen.done += usize::from(was_refused);
                        }
                        Err(Error::Memory { bytes, .. }) => {
                            assert!(was_refused && bytes > limit, "{context:?}: {bytes}");
                            seen.refused += 1;
                        }
                        Err(other) => panic!("{context:?}: {other}"),
                    }
                    if !was_refused {
                        // A higher limit changes nothing.
                        break;
                    }
                }
            }
        }
    }
}

/// Bits that are compared.
trait Same {
    fn same(&self, other: &Self) -> bool;
}
impl<T: Element> Same for T {
    fn same(&self, other: &Self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(other)
    }
}

/// A pool whose threads are there before memory is limited.
fn on_threads(run: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(run);
    #[cfg(not(feature = "rayon"))]
    run();
}

#[test]
fn what_can_not_be_had_is_done_without_or_refused_before_anything_is_written() {
    on_threads(|| {
        let (mut plain, mut wide) = (Seen::default(), Seen::default());
        let ops = [(Reduce::None, true), (Reduce::Add, true), (Reduce::Add, false), (Reduce::Max, true)];
        for case in &CASES {
            for in_place in [true, false] {
                check::<f32>(case, |at| (at % 1000) as f32 * 0.37, &ops, in_place, &mut plain);
                check::<i32>(case, |at| at as i32, &ops[1..2], in_place, &mut plain);
                let means = [(Reduce::Mean, true), (Reduce::Mean, false)];
                check::<f32>(case, |at| (at % 1000) as f32 * 0.37, &means, in_place, &mut wide);
                check::<f16>(case, |at| f16::from_f32((at % 100) as f32 * 0.37), &ops, in_place, &mut wide);
            }
        }
        // Where an element is its own accumulator there is always a way.
        assert!(plain.done > 20 && plain.refused == 0, "{plain:?}");
        assert!(wide.done > 20 && wide.refused > 20, "{wide:?}");
    });
    short_rows_are_updated_as_rows();
    columns_are_swept();
    batches_are_swept_as_lines();
    long_lines_are_swept_by_parts();
    products_are_refused_or_right();
    reference_is_refused();
}

/// Short rows of f16 are updated as a line, all of whose slots are loaded; by buckets, they need
/// less, and less than by a sweep.
fn short_rows_are_updated_as_rows() {
    let expanded = Case { self_: [40_000, 4], index: [4000, 4], strides: [1, 0], dim: 0 };
    let stored = Case { self_: [40_000, 8], index: [8000, 8], strides: [8, 1], dim: 0 };
    for case in [&expanded, &stored] {
        for (reduce, include_self) in [(Reduce::Add, true), (Reduce::Add, false), (Reduce::Mean, false)] {
            for in_place in [true, false] {
                let op = Op::ScatterReduce { dim: 0, reduce, include_self };
                is_done_with_less(case, op, in_place, 1 << 17);
            }
        }
    }
}

/// Tiles of columns of f16 are loaded as a whole; a sweep goes by fewer of them.
fn columns_are_swept() {
    let case = Case { self_: [1000, 200], index: [1000, 200], strides: [200, 1], dim: 0 };
    for in_place in [true, false] {
        is_done_with_less(&case, Op::ScatterAdd { dim: 0 }, in_place, 1 << 19);
    }
}

/// The slots of a long line of f16 are refused; a sweep goes by parts of it.
fn long_lines_are_swept_by_parts() {
    let case = Case { self_: [1, 100_000], index: [1, 1000], strides: [1000, 1], dim: 1 };
    for in_place in [true, false] {
        is_done_with_less(&case, Op::ScatterAdd { dim: 1 }, in_place, 1 << 18);
    }
}

/// Rows that are multiplied are never swept: that would lose the factor.
fn products_are_refused_or_right() {
    let case = Case { self_: [3000, 48], index: [4000, 1], strides: [1, 1], dim: 0 };
    let call = Call::<f32>::new(&case, |at| (at % 1000) as f32 * 0.37, true);
    let limits = Limits { tasks: Some(3), pattern: Some(Pattern::RowBuckets), ..Limits::default() };
    let run = |limit| {
        let (mut out, src) = (call.out.clone(), call.self_.repeat(2));
        let (index, src) =
            (View::new(&call.index, &[4000]).unwrap(), View::new(&src[..4000 * 48], &[4000, 48]).unwrap());
        let mut to = ViewMut::new(&mut out, &case.self_).unwrap();
        let (index, src, to) = (index.as_tensor(), src.as_tensor(), to.as_tensor_mut());
        let (self_, op) = (*to.operand(), Op::IndexAdd { dim: 0, alpha: Scalar::Float(0.5) });
        let problem = Problem::new(op, &self_, index.operand(), Some(src.operand()), to.operand()).unwrap();
        let mut memory = Memory { self_: None, index, src: Some(src), out: to };
        let ran = limited(limit, || cpu::internals::run_with(&problem, &mut memory, &limits));
        (ran, out)
    };
    let (ran, expected) = run(usize::MAX);
    ran.unwrap();
    let refused = REFUSED.load(Ordering::Relaxed);
    match run(1 << 14) {
        (Ok(()), out) => assert_eq!(out, expected),
        (Err(error), out) => {
            assert!(matches!(error, Error::Memory { .. }), "{error}");
            assert_eq!(out, call.out);
        }
    }
    assert!(REFUSED.load(Ordering::Relaxed) > refused, "nothing was refused");
}

/// A few columns are taken for lines, also where batches of index run backwards, and the lines are
/// swept.
fn batches_are_swept_as_lines() {
    let (batches, rows, updates, columns) = (3, 50, 400, 3);
    let shape = [batches, updates, columns];
    let index: Vec<i64> = (0..batches * updates * columns).map(|at| (at * 7919 % rows) as i64).collect();
    let src: Vec<f32> = (0..index.len()).map(|at| (at % 97) as f32 * 0.37).collect();
    let batch = updates * columns;
    let strides = [-(batch as isize), columns as isize, 1];
    let run = |limit| {
        let mut out = vec![0.5_f32; batches * rows * columns];
        let index = View::strided(&index, &shape, &strides, (batches - 1) * batch).unwrap();
        let src = View::new(&src, &shape).unwrap();
        let mut to = ViewMut::new(&mut out, &[batches, rows, columns]).unwrap();
        let (index, src, to) = (index.as_tensor(), src.as_tensor(), to.as_tensor_mut());
        let self_ = *to.operand();
        let op = Op::ScatterAdd { dim: 1 };
        let problem = Problem::new(op, &self_, index.operand(), Some(src.operand()), to.operand()).unwrap();
        let mut memory = Memory { self_: None, index, src: Some(src), out: to };
        let limits = Limits { tasks: Some(3), pattern: Some(Pattern::LineBuckets), ..Limits::default() };
        limited(limit, || cpu::internals::run_with(&problem, &mut memory, &limits)).unwrap();
        out
    };
    let (expected, refused) = (run(usize::MAX), REFUSED.load(Ordering::Relaxed));
    assert_eq!(run(1 << 12), expected);
    assert!(REFUSED.load(Ordering::Relaxed) > refused, "nothing was refused");
}

/// A call of f16 by one task that is refused what it asks for first, and done.
fn is_done_with_less(case: &Case, op: Op, in_place: bool, limit: usize) {
    let call = Call::<f16>::new(case, |at| f16::from_f32((at % 100) as f32 * 0.37), in_place);
    let limits = Limits { tasks: Some(1), ..Limits::default() };
    let refused = REFUSED.load(Ordering::Relaxed);
    let expected = call.run(op, &limits, usize::MAX).unwrap();
    let out = call.run(op, &limits, limit).unwrap();
    let context = (case.self_, op, in_place);
    assert!(REFUSED.load(Ordering::Relaxed) > refused, "{context:?}: nothing was refused");
    assert!(out.iter().zip(&expected).all(|(a, b)| a.same(b)), "{context:?}");
}

fn reference_is_refused() {
    let index = [0_i64, 3];
    let src = [1.0_f32, 2.0];
    let mut out = vec![0.5_f32; 10_000];
    let before = out.clone();
    let problem = {
        let mut out = ViewMut::new(&mut out, &[10_000]).unwrap();
        let (index, src) = (View::new(&index, &[2]).unwrap(), View::new(&src, &[2]).unwrap());
        let out = out.as_tensor_mut();
        let (index, src) = (index.as_tensor(), src.as_tensor());
        let self_ = *out.operand();
        Problem::new(Op::ScatterAdd { dim: 0 }, &self_, index.operand(), Some(src.operand()), out.operand())
            .unwrap()
    };
    let refused = limited(1 << 12, || reference::run(&problem, None, &index, Some(&src), &mut out));
    let error = refused.unwrap_err();
    assert_eq!(error.to_string(), "scatter_add: 240000 bytes of host memory expected, got none");
    assert_eq!(out, before);
}
