//! The reductions as types, so that an inner loop has its reduction as a constant.

use crate::Reduce;
use crate::simd::Simd;

/// A [`Reduce`] as a type.
pub(in crate::cpu) trait Rule: Send + Sync {
    const REDUCE: Reduce;
}

macro_rules! rules {
    ($($name:ident => $reduce:ident),+ $(,)?) => {$(
        #[derive(Debug)]
        pub(in crate::cpu) struct $name;
        impl Rule for $name {
            const REDUCE: Reduce = Reduce::$reduce;
        }
    )+};
}

/// Whether there are loops of every instruction set, and some for short and long rows; for the
/// other reductions there are fewer, so that less is compiled.
pub(in crate::cpu) const fn is_common(reduce: Reduce) -> bool {
    matches!(reduce, Reduce::None | Reduce::Add)
}

/// The instruction set for the loops of a reduction.
pub(in crate::cpu) const fn simd<R: Rule>(simd: Simd) -> Simd {
    if is_common(R::REDUCE) { simd } else { simd.without_avx512() }
}

rules!(Replace => None, Add => Add, Mul => Mul, Max => Max, Min => Min, Mean => Mean);
