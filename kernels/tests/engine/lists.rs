//! `index_put` by several index tensors, which become one index in the workspace.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scatter::{DType, Element, Index, IndexList, Op, Operand, Problem, with_element};
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, Plan, Step, plan_list_with};
use scatter_kernels::{Range, Soc};

use crate::case::{Case, bad_values};
use crate::tensor::Arrangement::{self, Contiguous, Expanded, ExpandedBut, Rows, Strided, Transposed};
use crate::tensor::{Tensor, below, element};

/// A list, and what it is put into.
#[derive(Clone, Debug)]
struct Kind<'a> {
    self_shape: &'a [usize],
    /// The axes of self, and for each the shape of its index tensor, its layout and its dtype.
    indices: &'a [(usize, &'a [usize], Arrangement, DType)],
    accumulate: bool,
    in_place: bool,
    values: Arrangement,
    /// Tensors of the list, and which of [`bad_values`] each has somewhere.
    bad: &'a [(usize, usize)],
    seed: u64,
}

impl<'a> Kind<'a> {
    const fn new(self_shape: &'a [usize], indices: &'a [(usize, &'a [usize], Arrangement, DType)]) -> Self {
        Self { self_shape, indices, accumulate: true, in_place: true, values: Contiguous, bad: &[], seed: 1 }
    }
}

/// An index tensor of either dtype.
enum Indices {
    I32(Tensor<i32>),
    I64(Tensor<i64>),
}

impl Indices {
    fn new(rng: &mut ChaCha8Rng, kind: &Kind<'_>, number: usize) -> Self {
        let (_, _, _, dtype) = kind.indices[number];
        if dtype == DType::I32 {
            Self::I32(values(rng, kind, number))
        } else {
            Self::I64(values(rng, kind, number))
        }
    }

    fn operand(&self) -> Operand {
        match self {
            Self::I32(tensor) => tensor.operand(),
            Self::I64(tensor) => tensor.operand(),
        }
    }

    fn range(&self) -> Range {
        match self {
            Self::I32(tensor) => tensor.range(),
            Self::I64(tensor) => tensor.range(),
        }
    }

    fn value(&self, address: usize) -> i64 {
        match self {
            Self::I32(tensor) => tensor.storage[address].into(),
            Self::I64(tensor) => tensor.storage[address],
        }
    }
}

/// Valid values for an axis, a third of them negative, and the bad one that is asked for.
fn values<I: Index + TryFrom<i64>>(rng: &mut ChaCha8Rng, kind: &Kind<'_>, number: usize) -> Tensor<I> {
    let (axis, shape, arrangement, _) = kind.indices[number];
    let size = kind.self_shape[axis] as i64;
    let of = |value: i64| I::try_from(value).unwrap_or_else(|_| panic!("{value} is none of its dtype"));
    let mut tensor = Tensor::new(rng, shape, arrangement, |rng| {
        let wraps = if below(rng, 3) == 0 { size } else { 0 };
        of(below(rng, size as usize) as i64 - wraps)
    });
    if let Some((_, which)) = kind.bad.iter().find(|(bad, _)| *bad == number) {
        let entries: Vec<Vec<usize>> = shape_coordinates(&tensor);
        let at = &entries[below(rng, entries.len())];
        tensor.storage[tensor.layout.address(at)] = of(bad_values(size)[*which]);
    }
    tensor
}

fn shape_coordinates<T>(tensor: &Tensor<T>) -> Vec<Vec<usize>> {
    tensor.layout.shape().coordinates().map(|at| at.to_vec()).collect()
}

/// The shape of all values: the list's shape in the place of the axes, where these are neighbours,
/// and else at the front.
fn shape_of_values(kind: &Kind<'_>, list: &IndexList) -> Vec<usize> {
    let axes: Vec<usize> = kind.indices.iter().map(|(axis, ..)| *axis).collect();
    let are_neighbours = axes.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let first = if are_neighbours { axes[0] } else { 0 };
    let rest = (0..kind.self_shape.len()).filter(|axis| !axes.contains(axis));
    let mut shape: Vec<usize> = rest.map(|axis| kind.self_shape[axis]).collect();
    shape.splice(first..first, list.shape().iter().copied());
    shape
}

/// Puts the values by the kernels, and by the reference with one index that has the same
/// coordinates.
fn check_of<T: Element>(kind: &Kind<'_>, soc: &Soc, algorithm: Option<Algorithm>) -> Plan {
    let mut rng = ChaCha8Rng::seed_from_u64(kind.seed);
    let tensors: Vec<Indices> =
        (0..kind.indices.len()).map(|number| Indices::new(&mut rng, kind, number)).collect();
    let mut entries = [None; scatter::MAX_RANK];
    let mut ranges = [Range::NONE; scatter::MAX_RANK];
    for (number, ((axis, ..), tensor)) in kind.indices.iter().zip(&tensors).enumerate() {
        entries[*axis] = Some(tensor.operand());
        ranges[number] = tensor.range();
    }
    let list = IndexList::new(&entries[..kind.self_shape.len()]).unwrap();

    let layout = list.layout().unwrap();
    let mut index = Tensor { storage: vec![0; layout.storage_len()], layout };
    for at in list.shape().coordinates() {
        for (number, ((_, layout, _), tensor)) in list.tensors().zip(&tensors).enumerate() {
            let to = layout_at(&index, &at, number);
            index.storage[to] = tensor.value(layout.address(&at));
        }
    }
    let self_ = (!kind.in_place).then(|| Tensor::new(&mut rng, kind.self_shape, Strided, element));
    let src = Tensor::new(&mut rng, &shape_of_values(kind, &list), kind.values, element);
    let out: Tensor<T> = Tensor::new(&mut rng, kind.self_shape, Contiguous, element);

    let op = Op::IndexPut { axes: list.axes(), accumulate: kind.accumulate };
    let of_self = self_.as_ref().map_or(out.operand(), Tensor::operand);
    let problem =
        |index: &Operand| Problem::new(op, &of_self, index, Some(&src.operand()), &out.operand()).unwrap();
    let plan = plan_list_with(&problem(&list.operand()), &list, soc, algorithm).unwrap();
    let problem = problem(&index.operand());
    let case = Case { problem, self_, index, src: Some(src), out };
    let left = case.run(&plan, ranges, &Options::strict(kind.seed));
    assert_eq!(left.error.is_some(), !kind.bad.is_empty(), "{kind:?}");
    case.compare(&left, &plan);
    plan
}

fn layout_at(index: &Tensor<i64>, at: &[usize], number: usize) -> usize {
    index.layout.address(&[at, &[number]].concat())
}

fn check(dtype: DType, kind: &Kind<'_>, soc: &Soc, algorithm: Option<Algorithm>) -> Plan {
    with_element!(dtype, T => check_of::<T>(kind, soc, algorithm))
}

const DTYPES: [DType; 4] = [DType::Bool, DType::F16, DType::F32, DType::I64];

fn socs() -> impl Iterator<Item = Soc> {
    let of = |(cores, ub)| Soc { ub, ..Soc::default().with_cores(cores) };
    [(1, 16 * 1024), (7, 16 * 1024), (48, Soc::default().ub)].into_iter().map(of)
}

/// Blocks and places in them, as a paged cache of keys and values is written: each pair names a
/// row.
#[test]
fn pairs_name_rows() {
    for dtype in DTYPES {
        for soc in socs() {
            for dtypes in [[DType::I64; 2], [DType::I32; 2], [DType::I32, DType::I64]] {
                let indices =
                    [(0, &[500][..], Contiguous, dtypes[0]), (1, &[500][..], Contiguous, dtypes[1])];
                for accumulate in [true, false] {
                    let kind = Kind { accumulate, ..Kind::new(&[9, 16, 40], &indices) };
                    let plan = check(dtype, &kind, &soc, None);
                    // A few rows that replace others are windows.
                    let is_expected = match plan.algorithm {
                        Some(Algorithm::Windows) => !accumulate,
                        algorithm => algorithm == Some(Algorithm::Rows),
                    };
                    assert!(is_expected, "{plan:#?}");
                    let by_axis = |step: &Step| match &step.kernel {
                        Kernel::Index(index) => index.component_step != 0,
                        Kernel::Windows(windows) => windows.index_box.gm[1] > windows.index_box.gm[0],
                        _ => false,
                    };
                    assert!(plan.steps.iter().any(by_axis), "{plan:#?}");
                    let made =
                        plan.steps.iter().filter(|step| matches!(step.kernel, Kernel::CopyIndex { .. }));
                    assert_eq!(made.count(), 2);
                }
            }
        }
    }
}

/// A single tensor isn't copied.
#[test]
fn one_tensor_is_read_where_it_is() {
    for (axis, dtype) in [(0, DType::I32), (1, DType::I64), (2, DType::I32)] {
        for arrangement in [Contiguous, Strided, Expanded] {
            let indices = [(axis, &[3, 20][..], arrangement, dtype)];
            let kind = Kind { seed: axis as u64, ..Kind::new(&[4, 5, 24], &indices) };
            let plan = check(DType::F32, &kind, &Soc::default(), None);
            assert_eq!(plan.index_bytes, 0);
        }
    }
}

/// Tensors that are broadcast together, of both dtypes, in any layout, for axes that are neighbours
/// or not.
#[test]
fn tensors_are_broadcast_together() {
    for (seed, arrangement) in
        [Contiguous, Rows, Transposed, Strided, Expanded, ExpandedBut(0)].into_iter().enumerate()
    {
        for soc in socs() {
            for (number, axes) in [[0, 1], [1, 2], [0, 2], [1, 3]].into_iter().enumerate() {
                let indices = [
                    (axes[0], &[7, 1][..], arrangement, DType::I32),
                    (axes[1], &[3, 1, 70][..], arrangement, DType::I64),
                ];
                let kind = Kind {
                    in_place: number % 2 == 0,
                    accumulate: number < 3,
                    values: [Contiguous, Strided, Expanded][number % 3],
                    seed: seed as u64,
                    ..Kind::new(&[5, 6, 7, 8], &indices)
                };
                check(DType::ALL[(seed + 3 * number) % DType::ALL.len()], &kind, &soc, None);
            }
        }
    }
}

/// Rows, and elements, that tensors of both dtypes name, in several chunks and tiles, with a bad
/// value.
pub(crate) fn of_two_dtypes(soc: &Soc) {
    let len = &[1500][..];
    let indices =
        [(0, len, Contiguous, DType::I32), (1, len, Strided, DType::I32), (2, len, Strided, DType::I64)];
    for bad in [&[][..], &[(2, 0)]] {
        for self_shape in [&[3, 4, 5, 24][..], &[3, 4, 5]] {
            check(DType::F32, &Kind { bad, ..Kind::new(self_shape, &indices) }, soc, None);
        }
        let indices = [(0, &[6, 1][..], Contiguous, DType::I32), (2, &[2000][..], Contiguous, DType::I64)];
        check(DType::F32, &Kind::new(&[3, 4, 5], &indices), soc, None);
    }
}

/// A tensor that is broadcast along the last axis of all, as `rows[:, None]`: each of its values
/// fills a row, in pieces where it is long, or where UB is small.
#[test]
fn a_broadcast_tensor_fills_rows() {
    let is_repeated =
        |step: &Step| matches!(&step.kernel, Kernel::CopyIndex { tiling, .. } if tiling.repeated != 0);
    for soc in socs() {
        for (shapes, are_repeated) in [
            ([&[70, 1][..], &[33][..]], true),
            ([&[2, 3, 1], &[1, 1, 4500]], true),
            ([&[], &[700]], true),
            ([&[300, 1], &[9]], false),
        ] {
            for (arrangement, dtypes) in
                [(Contiguous, [DType::I32, DType::I64]), (Strided, [DType::I64, DType::I32])]
            {
                let indices = [0, 1].map(|axis| (axis, shapes[axis], arrangement, dtypes[axis]));
                for bad in [&[][..], &[(0, 1)], &[(1, 0)]] {
                    let kind = Kind { bad, ..Kind::new(&[8, 9, 16], &indices) };
                    let plan = check(DType::F32, &kind, &soc, None);
                    assert_eq!(plan.steps.iter().any(is_repeated), are_repeated, "{shapes:?}");
                }
            }
        }
    }
}

/// A tensor for each axis names elements, whose numbers become the index of `scatter_elements`.
/// Long enough for several chunks and tiles.
#[test]
fn tensors_for_each_axis_name_elements() {
    let is_listed = |step: &Step| matches!(step.kernel, Kernel::ElementsOfList(_));
    for soc in socs() {
        for dtypes in [[DType::I64, DType::I32, DType::I64], [DType::I32; 3]] {
            let indices = [0, 1, 2].map(|axis| (axis, &[2, 1700][..], Strided, dtypes[axis]));
            for dtype in [DType::F32, DType::Bf16, DType::Complex128] {
                for bad in [&[][..], &[(1, 0)], &[(0, 1), (2, 3)]] {
                    let kind = Kind { bad, ..Kind::new(&[9, 10, 11], &indices) };
                    let plan = check(dtype, &kind, &soc, None);
                    assert!(plan.steps.iter().any(is_listed), "{plan:#?}");
                    let plan = check(dtype, &kind, &soc, Some(Algorithm::General));
                    assert!(!plan.steps.iter().any(is_listed), "{plan:#?}");
                }
            }
        }
    }
    // There are more elements than f32 has whole numbers for.
    let indices = [0, 1].map(|axis| (axis, &[40][..], Contiguous, DType::I64));
    let plan = check(DType::Bool, &Kind::new(&[5000, 3400], &indices), &Soc::default(), None);
    assert_eq!(plan.algorithm, Some(Algorithm::General));
}

/// A value that is out of range is reported at its place in its tensor, and nothing is put there.
#[test]
fn a_bad_value_is_found_in_its_tensor() {
    for soc in socs() {
        for algorithm in [None, Some(Algorithm::General)] {
            for number in 0..3 {
                // The others are beyond what i32 has.
                for (dtype, which) in [0, 1, 3]
                    .map(|which| (DType::I32, which))
                    .into_iter()
                    .chain((0..7).map(|which| (DType::I64, which)))
                {
                    {
                        let indices = [(0, &[130][..]), (1, &[2, 1][..]), (2, &[2, 130][..])]
                            .map(|(axis, shape)| (axis, shape, Contiguous, dtype));
                        let kind = Kind {
                            bad: &[(number, which)],
                            seed: which as u64,
                            ..Kind::new(&[9, 10, 11, 32], &indices)
                        };
                        check(DType::F32, &kind, &soc, algorithm);
                    }
                }
            }
        }
    }
}

/// Tensors without axes, and as many tensors as self may have axes.
#[test]
fn tensors_have_any_rank_and_number() {
    for soc in socs() {
        let single = [(0, &[][..], Contiguous, DType::I32), (1, &[][..], Contiguous, DType::I64)];
        check(DType::F32, &Kind::new(&[5, 6, 40], &single), &soc, None);
        check(DType::F32, &Kind::new(&[5, 6], &single), &soc, None);
        let beside = [(0, &[][..], Contiguous, DType::I64), (1, &[300][..], Contiguous, DType::I32)];
        check(DType::I16, &Kind::new(&[5, 6, 40], &beside), &soc, None);
        let many = [0, 1, 2, 3, 4, 5, 6, 7].map(|axis| (axis, &[50][..], Contiguous, DType::I32));
        check(DType::F16, &Kind::new(&[2, 1, 3, 2, 1, 2, 3, 2], &many), &soc, None);
    }
}

/// However many values of an entry are bad, and however few elements their axes have, the entry
/// names none.
#[test]
fn several_bad_values_of_an_entry_name_no_element() {
    // Negative where they count from the end, or not.
    for (self_shape, seeds) in [(&[1, 1, 1, 16_000_000][..], 1), (&[1, 1, 1, 1, 1, 1, 1, 9_000_000], 2)] {
        let indices: Vec<_> =
            (0..self_shape.len()).map(|axis| (axis, &[1][..], Contiguous, DType::I64)).collect();
        let bad: Vec<_> = (1..self_shape.len()).map(|number| (number - 1, 0)).collect();
        for seed in 0..seeds {
            let kind = Kind { bad: &bad, seed, accumulate: false, ..Kind::new(self_shape, &indices) };
            check(DType::U8, &kind, &Soc::default(), Some(Algorithm::Elements));
        }
    }
}
