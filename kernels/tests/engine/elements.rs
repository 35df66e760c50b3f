//! Updates by `scatter_elements`: both of its forms, with adjacent lanes and with adjacent updates,
//! for every dtype and reduction.

use scatter::{DType, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, Kernel, Plan};
use scatter_kernels::tiling::{ElementsTiling, Form};

use crate::case::{Bad, Case, Kind, bad_values, op};
use crate::tensor::Arrangement::{Contiguous, Strided, Transposed};

/// A form, and whether lanes are adjacent in index and src.
#[derive(Clone, Copy, Debug)]
struct Way {
    form: Form,
    is_along: bool,
    dim: usize,
    self_shape: &'static [usize],
    index_shape: &'static [usize],
    cores: u32,
    ub: u32,
}

const UB: u32 = 24 * 1024;
const LANES: Way = Way {
    form: Form::Lanes,
    is_along: false,
    dim: 1,
    self_shape: &[13, 9],
    index_shape: &[13, 171],
    cores: 3,
    ub: UB,
};
const PART: Way = Way {
    form: Form::Part,
    is_along: false,
    dim: 0,
    self_shape: &[50],
    index_shape: &[901],
    cores: 7,
    ub: UB,
};
const WAYS: [Way; 4] = [
    LANES,
    Way { is_along: true, dim: 0, self_shape: &[9, 13], index_shape: &[71, 13], ..LANES },
    PART,
    Way { is_along: true, self_shape: &[700, 32], index_shape: &[170, 32], cores: 16, ..PART },
];

impl Way {
    /// Updates of this kind, by an operator of a number.
    fn kind(&self, number: usize, dtype: DType) -> Kind {
        Kind {
            op: op(number, dtype, self.dim as i64),
            self_shape: self.self_shape.to_vec(),
            index_shape: self.index_shape.to_vec(),
            out: Contiguous,
            index: Contiguous,
            src: Contiguous,
            extent: 1,
            in_place: number.is_multiple_of(2),
            bad: Vec::new(),
            distinct: if number.is_multiple_of(3) { 3 } else { usize::MAX },
            seed: number as u64,
        }
    }

    fn check(&self, dtype: DType, kind: &Kind, seed: u64) -> ElementsTiling {
        let soc = Soc { ub: self.ub, ..Soc::default().with_cores(self.cores) };
        let options = Options::strict(seed);
        let plan = with_element!(dtype, T => if seed.is_multiple_of(2) {
            Case::<T, i64>::new(kind).check(&soc, Some(Algorithm::Elements), &options)
        } else {
            Case::<T, i32>::new(kind).check(&soc, Some(Algorithm::Elements), &options)
        });
        let tiling = elements_of(&plan);
        let is_along = tiling.index_box.gm[1] == i64::from(tiling.index_bytes);
        assert_eq!((tiling.form, is_along), (self.form, self.is_along), "{dtype}: {self:?}, {tiling:?}");
        tiling
    }
}

/// Whether a task owns all targets, and goes through several chunks.
pub(crate) fn owns_all_targets(tiling: &ElementsTiling) -> bool {
    let updates: u64 = tiling.update.iter().take(tiling.update_axes as usize).map(|axis| axis.size).product();
    tiling.form == Form::Part && tiling.target_parts == 1 && updates > tiling.chunk
}

pub(crate) fn elements_of(plan: &Plan) -> ElementsTiling {
    let Some(Kernel::Elements(tiling)) = plan.steps.last().map(|step| step.kernel.clone()) else {
        panic!("{plan:?}")
    };
    tiling
}

fn every_reduction(way: &Way) {
    for dtype in DType::ALL {
        for number in 0..30 {
            way.check(dtype, &way.kind(number, dtype), number as u64);
        }
    }
}

#[test]
fn all_targets_of_lanes() {
    every_reduction(&WAYS[0]);
}

#[test]
fn all_targets_along_lanes() {
    every_reduction(&WAYS[1]);
}

#[test]
fn a_part_of_the_targets() {
    every_reduction(&WAYS[2]);
}

#[test]
fn a_part_of_the_targets_along_lanes() {
    every_reduction(&WAYS[3]);
}

/// A task that owns all targets looks for the bad values of every chunk. A strided out takes a
/// block of UB for each element, which are too many for the 16-bit places of `Form::Lanes`.
#[test]
fn a_part_that_is_all_of_the_targets() {
    let way = Way { self_shape: &[4200], index_shape: &[9001], cores: 1, ub: Soc::default().ub, ..PART };
    for dtype in [DType::I8, DType::U8, DType::I16] {
        for (which, number) in [0, 12, 14].into_iter().enumerate() {
            let bad = vec![Bad::anywhere(0); which];
            let kind = Kind { out: Strided, bad, seed: 0, ..way.kind(number, dtype) };
            let tiling = way.check(dtype, &kind, which as u64);
            assert!(owns_all_targets(&tiling), "{dtype}: {tiling:?}");
        }
    }
}

/// Bad values are skipped, wherever they are, and the first is reported.
#[test]
fn bad_values_are_left_out() {
    for way in WAYS {
        let entries: usize = way.index_shape.iter().product();
        for which in 0..bad_values(0).len() {
            for dtype in [DType::F32, DType::F16, DType::I64, DType::Bool, DType::Complex128] {
                let places = [entries - 1 - which, entries / 2, entries / 3 + which];
                let bad = places.map(|at| Bad { at: Some(at), which });
                let number = 10 * which; // an addition, or a mean
                let kind = Kind { bad: bad.to_vec(), ..way.kind(number, dtype) };
                way.check(dtype, &kind, which as u64);
            }
        }
    }
}

/// Where lanes are adjacent in out, a place names a block of UB: there are more elements than 16
/// bits can number. With f16 the targets are loaded and stored in several pieces.
#[test]
fn more_elements_than_places_can_name() {
    let way =
        Way { dim: 0, is_along: true, self_shape: &[3000, 5], index_shape: &[400, 5], cores: 1, ..LANES };
    let way = Way { ub: Soc::default().ub, ..way };
    for (dtype, is_beyond) in
        [(DType::I8, true), (DType::Bool, true), (DType::F16, false), (DType::Bf16, false)]
    {
        let kind = way.kind(0, dtype);
        let soc = Soc { ub: way.ub, ..Soc::default().with_cores(way.cores) };
        let plan = with_element!(dtype, T => {
            Case::<T, i64>::new(&kind).check(&soc, Some(Algorithm::Elements), &Options::strict(1))
        });
        let tiling = elements_of(&plan);
        assert_eq!(tiling.form, Form::Lanes, "{dtype}: {tiling:?}");
        assert_eq!(tiling.held > 1 << 16, is_beyond, "{dtype}: {tiling:?}");
        assert_eq!(u64::from(tiling.piece) < tiling.targets, !is_beyond, "{dtype}: {tiling:?}");
    }
}

/// Long runs of f16 are loaded some targets at a time, and few at last: their stride is larger than
/// a repeat's can be.
#[test]
fn long_runs_come_in_pieces() {
    let way = Way { self_shape: &[2, 2088], index_shape: &[2, 300], cores: 1, ..LANES };
    for dtype in [DType::F16, DType::Bf16] {
        let kind = way.kind(0, dtype);
        let soc = Soc::default().with_cores(way.cores);
        let plan = with_element!(dtype, T => {
            Case::<T, i64>::new(&kind).check(&soc, Some(Algorithm::Elements), &Options::strict(1))
        });
        let tiling = elements_of(&plan);
        assert!(tiling.form == Form::Lanes && tiling.held_lane * 4 / 32 > 255, "{tiling:?}");
        assert!((1..=64).contains(&(tiling.targets % u64::from(tiling.piece))), "{tiling:?}");
    }
}

/// Lanes are adjacent in index and src, but targets are in out.
#[test]
fn lanes_of_a_transposed_out() {
    let way = Way { self_shape: &[7000, 32], index_shape: &[1000, 32], ..WAYS[3] };
    for (number, dtype) in [DType::F32, DType::F16, DType::I64, DType::I8].into_iter().enumerate() {
        let kind = Kind { out: Transposed, ..way.kind(number, dtype) };
        let soc = Soc { ub: way.ub, ..Soc::default().with_cores(way.cores) };
        with_element!(dtype, T => Case::<T, i64>::new(&kind).check(&soc, None, &Options::strict(1)));
    }
}
