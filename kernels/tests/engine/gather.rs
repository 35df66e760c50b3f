//! What gathers, in each of its forms: for every dtype, any layouts, and bad index values.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scatter::{DType, Element, Error, Index, Op, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, plan_with};
use scatter_kernels::tiling::GatherTiling;

use crate::case::{Bad, Case, Kind, any_soc, bad_values};
use crate::tensor::Arrangement::{self, Contiguous, Expanded, ExpandedBut, Strided, Transposed};
use crate::tensor::below;

impl<T: Element, I: Index> Case<T, I> {
    /// What kernels leave in out where index has bad values: these stand for the nearest good ones.
    pub(crate) fn of_nearest(&self) -> Vec<T> {
        let mut out = self.out.storage.clone();
        let self_ = self.self_.as_ref().unwrap();
        let dim = self.problem.op().dim().unwrap().rem_euclid(self.out.layout.rank() as i64) as usize;
        let size = self_.layout.shape()[dim] as i64;
        if size == 0 {
            return out;
        }
        for at in self.out.layout.shape().coordinates() {
            let value = self.index.storage[self.index.layout.address(&at)].to_i64();
            let nearest = value.clamp(-size, size - 1);
            let mut from = at.to_vec();
            from[dim] = (if value < -size { 0 } else { nearest.rem_euclid(size) }) as usize;
            out[self.out.layout.address(&at)] = self_.storage[self_.layout.address(&from)];
        }
        out
    }
}

/// A gather along an axis, on contiguous tensors.
pub(crate) fn kind(dim: usize, self_shape: &[usize], index_shape: &[usize], index: Arrangement) -> Kind {
    Kind {
        op: Op::Gather { dim: dim as i64 },
        self_shape: self_shape.to_vec(),
        index_shape: index_shape.to_vec(),
        out: Contiguous,
        index,
        src: Contiguous,
        extent: 1,
        in_place: false,
        bad: Vec::new(),
        distinct: usize::MAX,
        seed: 1,
    }
}

fn tiling_of(
    case: &Case<impl Element, impl Index + TryFrom<i64>>,
    soc: &Soc,
    way: Algorithm,
) -> GatherTiling {
    match plan_with(&case.problem, soc, Some(way)).unwrap().steps[..] {
        [ref step] => match step.kernel {
            Kernel::Gather(tiling) => tiling,
            ref other => panic!("{other:?}"),
        },
        ref steps => panic!("{steps:?}"),
    }
}

/// Cases that each form takes, with their UB.
fn ways() -> Vec<(Algorithm, Kind, u32)> {
    let general = |dim, self_shape: &[usize], index_shape: &[usize]| {
        (Algorithm::General, kind(dim, self_shape, index_shape, Contiguous), 6 * 1024)
    };
    let rows = |self_shape: &[usize], index_shape: &[usize]| {
        (Algorithm::Rows, kind(0, self_shape, index_shape, ExpandedBut(0)), 9 * 1024)
    };
    let elements = |dim, self_shape: &[usize], index_shape: &[usize], ub| {
        (Algorithm::Elements, kind(dim, self_shape, index_shape, Contiguous), ub)
    };
    vec![
        general(1, &[5, 9], &[5, 130]),
        general(0, &[9, 13], &[70, 13]),
        rows(&[9, 70], &[300, 70]),
        rows(&[9, 700], &[40, 700]),
        rows(&[9, 3], &[300, 3]),
        // Updates are adjacent, then lanes.
        elements(1, &[13, 9], &[13, 171], 48 * 1024),
        elements(1, &[29, 40], &[29, 33], 60 * 1024),
        elements(0, &[9, 13], &[171, 13], 48 * 1024),
        elements(0, &[9, 100], &[70, 100], 60 * 1024),
        elements(0, &[300], &[3000], 60 * 1024),
    ]
}

#[test]
fn every_dtype_in_every_form() {
    for dtype in DType::ALL {
        for (number, (way, kind, ub)) in ways().into_iter().enumerate() {
            for (cores, bad) in [(1, &[][..]), (3, &[0_usize][..]), (7, &[4, 1, 6][..])] {
                let bad = bad.iter().copied().map(Bad::anywhere).collect();
                let kind = Kind { bad, seed: number as u64, ..kind.clone() };
                let soc = Soc { ub, ..Soc::default().with_cores(cores) };
                let options = Options::strict(number as u64 + 1);
                with_element!(dtype, T => {
                    Case::<T, i64>::new(&kind).check(&soc, Some(way), &options);
                    let kind = Kind { op: Op::ScatterSrcGrad { dim: kind.op.dim().unwrap() }, ..kind };
                    Case::<T, i32>::new(&kind).check(&soc, Some(way), &options);
                });
            }
        }
    }
}

/// Any shapes and layouts, by each form that takes them; self and out may lie in any way.
#[test]
fn any_layouts() {
    let mut taken = [0; 3];
    for seed in 0..1500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sizes: &[usize] = [&[1, 2, 3, 5][..], &[1, 3, 17, 40], &[2, 8, 70]][below(&mut rng, 3)];
        let rank = 1 + below(&mut rng, if sizes.contains(&70) { 2 } else { 4 });
        let self_shape: Vec<usize> = (0..rank).map(|_| sizes[below(&mut rng, sizes.len())]).collect();
        let dim = below(&mut rng, rank);
        let mut index_shape: Vec<usize> = self_shape.iter().map(|&size| 1 + below(&mut rng, size)).collect();
        index_shape[dim] = 1 + below(&mut rng, 60);
        let index = [Contiguous, Transposed, Strided, Expanded, ExpandedBut(dim)][below(&mut rng, 5)];
        if matches!(index, ExpandedBut(_)) && below(&mut rng, 2) == 0 {
            for axis in (0..rank).filter(|&axis| axis != dim) {
                index_shape[axis] = self_shape[axis];
            }
        }
        let bad = if below(&mut rng, 4) == 0 { 1 + below(&mut rng, 2) } else { 0 };
        let kind = Kind {
            out: [Contiguous, Contiguous, Transposed, Strided][below(&mut rng, 4)],
            bad: (0..bad).map(|_| Bad::anywhere(below(&mut rng, bad_values(1).len()))).collect(),
            distinct: [1, 3, usize::MAX][below(&mut rng, 3)],
            seed,
            ..kind(dim, &self_shape, &index_shape, index)
        };
        let soc = any_soc(&mut rng, [1, 2, 7, 48][seed as usize % 4]);
        let dtype = DType::ALL[below(&mut rng, 12)];
        let outcome = std::panic::catch_unwind(|| {
            with_element!(dtype, T => if seed % 2 == 0 {
                check_all(&Case::<T, i64>::new(&kind), &soc, seed)
            } else {
                check_all(&Case::<T, i32>::new(&kind), &soc, seed)
            })
        });
        match outcome {
            Ok(ways) => taken.iter_mut().zip(ways).for_each(|(all, one)| *all += u32::from(one)),
            Err(panic) => {
                eprintln!("{dtype}, seed {seed}, {soc:?}: {kind:?}");
                std::panic::resume_unwind(panic);
            }
        }
    }
    assert!(taken.into_iter().all(|count| count > 50), "{taken:?}");
}

/// By the form that the plan chooses, and by each that takes the problem; which those are.
fn check_all<T: Element, I: Index + TryFrom<i64>>(case: &Case<T, I>, soc: &Soc, seed: u64) -> [bool; 3] {
    let options = Options::strict(seed).on(soc);
    case.check(soc, None, &options);
    [Algorithm::General, Algorithm::Rows, Algorithm::Elements].map(|way| {
        let takes = plan_with(&case.problem, soc, Some(way)).is_ok();
        if takes {
            case.check(soc, Some(way), &options);
        }
        takes
    })
}

/// The plan takes what is fastest.
#[test]
fn the_form_follows_the_layout() {
    let chosen_on = |cores, kind: &Kind| {
        let case = Case::<f32, i64>::new(kind);
        plan_with(&case.problem, &Soc::default().with_cores(cores), None).unwrap().algorithm.unwrap()
    };
    let chosen = |kind: &Kind| chosen_on(48, kind);
    assert_eq!(chosen(&kind(0, &[9, 64], &[40, 64], ExpandedBut(0))), Algorithm::Rows);
    assert_eq!(chosen(&kind(0, &[9, 64], &[40, 64], Contiguous)), Algorithm::Elements);
    assert_eq!(chosen(&kind(1, &[9, 64], &[9, 40], Contiguous)), Algorithm::Elements);
    // Where there are many elements, comparing the columns of index takes little of the time.
    assert_eq!(chosen_on(1, &kind(0, &[9, 64], &[2048, 64], Contiguous)), Algorithm::Rows);
    assert_eq!(chosen_on(1, &kind(0, &[9, 64], &[2047, 64], Contiguous)), Algorithm::Elements);
    // But not where they are in many lists.
    assert_eq!(chosen_on(1, &kind(1, &[200, 9, 64], &[200, 16, 64], Contiguous)), Algorithm::Elements);
    // Where self doesn't fit UB, fewer elements will do; but few are fetched sooner one by one.
    assert_eq!(chosen(&kind(0, &[60_000, 64], &[2000, 64], Contiguous)), Algorithm::Rows);
    assert_eq!(chosen(&kind(0, &[60_000, 64], &[60, 64], Contiguous)), Algorithm::General);
    // self doesn't fit UB; or is long beside what is read of it.
    assert_eq!(chosen(&kind(0, &[60_000], &[10_000], Contiguous)), Algorithm::General);
    assert_eq!(chosen(&kind(0, &[3000, 2], &[3, 2], Contiguous)), Algorithm::General);
    // Nothing is contiguous along the same axis.
    assert_eq!(chosen(&kind(1, &[9, 64], &[9, 40], Transposed)), Algorithm::General);
}

/// 950's UB has room for more elements of one byte or two than its Gather can tell apart.
#[test]
fn more_of_self_than_gather_reaches_on_950() {
    let soc = Soc::named("Ascend950").unwrap();
    let of_kind = |dtype, kind: &Kind, soc: &Soc| {
        let options = Options::strict(1).on(soc);
        with_element!(dtype, T => Case::<T, i64>::new(kind).check(soc, None, &options)).algorithm.unwrap()
    };
    let chosen = |dtype, size: usize| of_kind(dtype, &kind(0, &[size], &[400], Contiguous), &soc);
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.size() <= 2) {
        assert_eq!(chosen(dtype, 80_000), Algorithm::General, "{dtype}");
        assert_eq!(chosen(dtype, (1 << 16) + 1), Algorithm::General, "{dtype}");
        assert_eq!(chosen(dtype, 1 << 16), Algorithm::Elements, "{dtype}");
    }
    // Two lanes by one core.
    let lanes = kind(0, &[40_000, 2], &[400, 2], Contiguous);
    assert_eq!(of_kind(DType::F16, &lanes, &soc.with_cores(1)), Algorithm::General);
    // The same bytes in words of 4.
    assert_eq!(chosen(DType::F32, 40_000), Algorithm::Elements);
}

/// Lanes that follow each other are padded to a multiple of 8, so a tile has as many of them.
#[test]
fn tiles_are_cut_where_lanes_are_padded() {
    let case = Case::<f32, i64>::new(&kind(0, &[1024, 400], &[100, 400], Contiguous));
    let GatherTiling { lane_tile, lane_tiles, .. } =
        tiling_of(&case, &Soc::default().with_cores(7), Algorithm::Elements);
    // A seventh of the lanes is 58, for which UB has no room.
    assert!(lane_tile % 8 == 0 && lane_tiles > 7, "{lane_tile} lanes, {lane_tiles} tiles");
}

/// self has no element along dim: every index value is bad, and nothing is read or written.
#[test]
fn a_self_without_elements() {
    let bad = (0..12).map(|at| Bad { at: Some(at), which: 2 }).collect();
    let kind = Kind { bad, distinct: 1, ..kind(0, &[0, 4], &[3, 4], Contiguous) };
    let case = Case::<f32, i64>::new(&kind);
    case.check(&Soc::default().with_cores(2), None, &Options::strict(1));
    let (_, left) = case.kernels(&Soc::default(), None, &Options::strict(1));
    let Some(Error::IndexOutOfRange { position, .. }) = left.error else { panic!("{:?}", left.error) };
    assert_eq!(position[..], [0, 0]);
}

/// Where index isn't stored densely, the scalar unit reads it.
#[test]
fn rows_of_an_index_with_gaps() {
    check_rows_with_gaps();
}

pub(crate) fn check_rows_with_gaps() {
    let mut of = kind(0, &[9, 70], &[300, 70], ExpandedBut(0));
    for bad in [Vec::new(), vec![Bad::anywhere(0), Bad::anywhere(4)]] {
        of.bad = bad;
        let mut case = Case::<f32, i64>::new(&of);
        let dense = case.index.clone();
        case.index.storage = dense.storage.iter().flat_map(|&value| [value, 77]).collect();
        let (strides, offset) =
            (dense.layout.strides().iter().map(|&stride| 2 * stride), dense.layout.offset());
        let strides: Vec<isize> = strides.collect();
        let len = case.index.storage.len();
        case.index.layout = scatter::Layout::new(dense.layout.shape(), &strides, 2 * offset, len).unwrap();
        let (self_, index, out) =
            (case.self_.as_ref().unwrap().operand(), case.index.operand(), case.out.operand());
        case.problem = scatter::Problem::new(of.op, &self_, &index, None, &out).unwrap();
        let soc = Soc { ub: 32 * 1024, ..Soc::default().with_cores(3) };
        assert_eq!(tiling_of(&case, &soc, Algorithm::Rows).by_scalar, 1);
        case.check(&soc, Some(Algorithm::Rows), &Options::strict(1));
    }
}
