//! Sums of src multiplied by alpha: for every dtype, by rows and one by one.

use scatter::{DType, Op, Scalar, with_element};
use scatter_kernels::Soc;
use scatter_kernels::model::Options;
use scatter_kernels::plan::{Algorithm, plan_with};

use crate::case::{Bad, Case, Kind};
use crate::tensor::Arrangement::{self, Contiguous, Strided};

/// The alphas that are tried: of a product that is rounded, of one that overflows, and beyond f16.
const ALPHAS: [Scalar; 5] =
    [Scalar::Float(1.0 / 3.0), Scalar::Int(-3), Scalar::Float(1e5), Scalar::Int(0), Scalar::Float(2.5)];

pub(crate) fn kind(alpha: Scalar, self_shape: &[usize], out: Arrangement) -> Kind {
    Kind {
        op: Op::IndexAdd { dim: 0, alpha },
        self_shape: self_shape.to_vec(),
        index_shape: vec![40],
        out,
        index: Contiguous,
        src: out,
        extent: 1,
        in_place: true,
        bad: Vec::new(),
        distinct: usize::MAX,
        seed: 1,
    }
}

#[test]
fn alpha_multiplies_in_the_type_of_the_accumulator() {
    let mut scaled = [0; 2];
    for dtype in DType::ALL {
        for (number, alpha) in ALPHAS.into_iter().enumerate() {
            let fits = with_element!(dtype.accumulator(), T => <T as scatter::Element>::from_scalar(alpha).is_some());
            if !fits {
                continue;
            }
            let ways = [
                (Algorithm::Rows, Contiguous),
                (Algorithm::General, Contiguous),
                (Algorithm::General, Strided),
            ];
            for (way, out) in ways {
                for bad in [None, Some(Bad::anywhere(1))] {
                    let of = kind(alpha, &[9, 70], out);
                    let kind = Kind { bad: bad.into_iter().collect(), in_place: number % 2 == 0, ..of };
                    let soc = Soc { ub: 16 * 1024, ..Soc::default().with_cores(3) };
                    with_element!(dtype, T => {
                        let case = Case::<T, i64>::new(&kind);
                        assert!(plan_with(&case.problem, &soc, Some(Algorithm::Elements)).is_err());
                        case.check(&soc, Some(way), &Options::strict(number as u64));
                    });
                    scaled[usize::from(way == Algorithm::Rows)] += 1;
                }
            }
        }
    }
    assert!(scaled.into_iter().all(|count| count > 80), "{scaled:?}");
}
