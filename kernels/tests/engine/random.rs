//! Random shapes, layouts, operators and block counts, for every dtype.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scatter::{DType, Op, Reduce, Scalar, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, plan_with};

use crate::case::{Bad, Case, Kind, any_soc, bad_values, op};
use crate::tensor::{Arrangement, below};

const BLOCKS: [u32; 4] = [1, 2, 7, 48];
const ARRANGEMENTS: [Arrangement; 3] = [Arrangement::Contiguous, Arrangement::Strided, Arrangement::Expanded];

/// A random case of a dtype.
fn kind(rng: &mut ChaCha8Rng, dtype: DType, seed: u64) -> Kind {
    let number = below(rng, 1 << 16);
    let sizes: &[usize] = match below(rng, 3) {
        0 => &[1, 2, 3, 5],
        1 => &[1, 3, 17, 40],
        _ => &[2, 8, 70],
    };
    let rank = 1 + below(rng, if sizes.contains(&70) { 2 } else { 4 });
    let mut self_shape: Vec<usize> = (0..rank).map(|_| sizes[below(rng, sizes.len())]).collect();
    let (is_nd, is_slices, is_embedding) = match below(rng, 8) {
        0 | 1 => (true, false, false),
        2 => (false, true, false),
        3 => (false, false, true),
        4 if rank > 1 => return windows(rng, self_shape, seed),
        _ => (false, false, false),
    };
    if is_embedding {
        self_shape = vec![sizes[below(rng, sizes.len())], sizes[below(rng, sizes.len())]];
    }
    let rank = self_shape.len();
    let dim = below(rng, rank);
    let (op, index_shape) = if is_embedding {
        // A row of out, or one beyond the last.
        let padding = (below(rng, 2) == 0).then(|| below(rng, self_shape[0] + 1));
        let scale = below(rng, 2) == 0 && Reduce::Mean.missing_for(dtype).is_none();
        let shape = (0..1 + below(rng, 2)).map(|_| sizes[below(rng, sizes.len())]).collect();
        (Op::EmbeddingBackward { padding, scale }, shape)
    } else if is_slices {
        let (dim, scalar) = (dim as i64, Scalar::Int([1, 3][below(rng, 2)]));
        let op = match below(rng, 3) {
            0 => Op::IndexCopy { dim },
            1 => Op::IndexAdd { dim, alpha: scalar },
            _ => Op::IndexFill { dim, value: scalar },
        };
        (op, vec![1 + below(rng, 60)])
    } else if is_nd {
        let depth = below(rng, rank + 1);
        let mut shape: Vec<usize> = (0..1 + below(rng, 2)).map(|_| sizes[below(rng, sizes.len())]).collect();
        shape.push(depth);
        (if below(rng, 2) == 0 { Op::ScatterNdAdd } else { Op::ScatterNdUpdate }, shape)
    } else {
        let mut shape: Vec<usize> = self_shape.iter().map(|&size| size - below(rng, size.min(2))).collect();
        shape[dim] = 1 + below(rng, 60);
        let dim = if below(rng, 2) == 0 { dim as i64 } else { dim as i64 - rank as i64 };
        (op(number, dtype, dim), shape)
    };
    let any = |rng: &mut ChaCha8Rng, most| ARRANGEMENTS[below(rng, most)];
    // With k == 0 index has no elements, and so no bad ones.
    let has_values = index_shape.iter().product::<usize>() > 0;
    let is_bad = below(rng, 8) == 0 && has_values;
    if is_bad && below(rng, 4) == 0 && !is_nd && !is_embedding {
        self_shape[dim] = 0;
    }
    let has_valid = self_shape.iter().all(|&size| size > 0);
    // Rows: one index for all of a contiguous row.
    let is_rows = op.dim().is_some() && !is_slices && below(rng, 3) == 0;
    // Few different ones, or any.
    let distinct = if below(rng, 4) == 0 { usize::MAX } else { 1 + below(rng, 40) };
    let bad_count = if is_bad { 1 + below(rng, 4) } else { 0 };
    let bad: Vec<usize> = (0..bad_count).map(|_| below(rng, bad_values(0).len())).collect();
    Kind {
        op,
        out: if is_rows { Arrangement::Contiguous } else { any(rng, 2) },
        index: match is_rows {
            _ if is_bad && !has_valid => Arrangement::Contiguous,
            true => Arrangement::ExpandedBut(dim),
            false => any(rng, 3),
        },
        src: if is_rows { Arrangement::Contiguous } else { any(rng, 3) },
        extent: 1,
        in_place: is_embedding || below(rng, 2) == 0,
        bad: bad.into_iter().map(Bad::anywhere).collect(),
        distinct,
        self_shape,
        index_shape,
        seed,
    }
}

/// A random case of an index that names where windows begin, by one column or by two.
fn windows(rng: &mut ChaCha8Rng, self_shape: Vec<usize>, seed: u64) -> Kind {
    let rank = self_shape.len();
    let dim = 1 + below(rng, rank - 1);
    let index_shape = match below(rng, 2) {
        0 => vec![1 + below(rng, self_shape[0])],
        _ => vec![1 + below(rng, 30), 2],
    };
    let any = |rng: &mut ChaCha8Rng, most| ARRANGEMENTS[below(rng, most)];
    let bad = if below(rng, 4) == 0 { 1 + below(rng, 4) } else { 0 };
    Kind {
        op: Op::ScatterUpdate { dim: if below(rng, 2) == 0 { dim as i64 } else { dim as i64 - rank as i64 } },
        out: any(rng, 2),
        index: any(rng, 3),
        src: any(rng, 3),
        extent: 1 + below(rng, self_shape[dim]),
        in_place: below(rng, 2) == 0,
        bad: (0..bad).map(|_| Bad::anywhere(below(rng, bad_values(0).len()))).collect(),
        distinct: usize::MAX,
        self_shape,
        index_shape,
        seed,
    }
}

fn run(dtype: DType, cases: u64) {
    for seed in 0..cases {
        let mut rng = ChaCha8Rng::seed_from_u64(seed * 1000 + dtype as u64);
        let kind = kind(&mut rng, dtype, seed);
        let soc = any_soc(&mut rng, BLOCKS[seed as usize % 4]);
        let options = Options::strict(seed).on(&soc);
        let outcome = std::panic::catch_unwind(|| {
            with_element!(dtype, T => if seed % 2 == 0 {
                check(&Case::<T, i64>::new(&kind), &soc, &options);
            } else {
                check(&Case::<T, i32>::new(&kind), &soc, &options);
            });
        });
        if let Err(panic) = outcome {
            eprintln!("{dtype}, seed {seed}, {} blocks, {} bytes of UB: {kind:?}", soc.cores, soc.ub);
            std::panic::resume_unwind(panic);
        }
    }
}

/// By the algorithm that the plan chooses, and by the others that can take the problem.
fn check<T: scatter::Element, I: scatter::Index + TryFrom<i64>>(
    case: &Case<T, I>,
    soc: &Soc,
    options: &Options,
) {
    let plan = case.check(soc, None, options);
    for algorithm in Algorithm::ALL {
        let is_chosen = plan.algorithm.is_none_or(|chosen| chosen == algorithm);
        if !is_chosen && plan_with(&case.problem, soc, Some(algorithm)).is_ok() {
            case.check(soc, Some(algorithm), options);
        }
    }
}

/// Every operator and reduction of every dtype on rows, in groups of one and of many updates.
#[test]
fn every_reduction_in_rows() {
    for dtype in DType::ALL {
        for number in 0..30 {
            let kind = Kind {
                op: op(number, dtype, 0),
                self_shape: vec![9, 70],
                index_shape: vec![40, 70],
                out: Arrangement::Contiguous,
                index: Arrangement::ExpandedBut(0),
                src: Arrangement::Contiguous,
                extent: 1,
                in_place: number % 2 == 0,
                bad: Vec::new(),
                distinct: 9,
                seed: number as u64,
            };
            let ub = if number % 3 == 0 { Soc::default().ub } else { 8 * 1024 };
            let soc = Soc { ub, ..Soc::default().with_cores(3) };
            with_element!(dtype, T => {
                let options = Options::strict(number as u64);
                Case::<T, i64>::new(&kind).check(&soc, Some(Algorithm::Rows), &options);
            });
        }
    }
}

macro_rules! dtypes {
    ($($name:ident: $dtype:ident,)*) => {$(
        #[test]
        fn $name() {
            run(DType::$dtype, 120);
        }
    )*};
}

dtypes! {
    bf16: Bf16, f16: F16, f32: F32, f64: F64, i64: I64, i32: I32, i16: I16, i8: I8, u8: U8, bool: Bool,
    complex64: Complex64, complex128: Complex128,
}
