//! The reductions as types, so that an inner loop has its reduction as a constant.

use crate::Reduce;

/// A [`Reduce`] as a type.
pub(super) trait Rule: Send + Sync {
    const REDUCE: Reduce;
}

macro_rules! rules {
    ($($name:ident => $reduce:ident),+ $(,)?) => {$(
        #[derive(Debug)]
        pub(super) struct $name;
        impl Rule for $name {
            const REDUCE: Reduce = Reduce::$reduce;
        }
    )+};
}

rules!(Replace => None, Add => Add, Mul => Mul, Max => Max, Min => Min, Mean => Mean);
