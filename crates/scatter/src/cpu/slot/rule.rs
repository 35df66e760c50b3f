//! The reductions as types, so that an inner loop has its reduction as a constant; and the factor
//! of a sum.

use bytemuck::NoUninit;

use crate::{Element, Reduce};

/// A [`Reduce`] as a type.
pub(in crate::cpu) trait Rule: Send + Sync {
    const REDUCE: Reduce;
    /// Whether updates are multiplied by a factor before they are added.
    const SCALED: bool = false;
}

/// A sum of updates that are multiplied by a factor.
#[derive(Debug)]
pub(in crate::cpu) struct AddScaled;

impl Rule for AddScaled {
    const REDUCE: Reduce = Reduce::Add;
    const SCALED: bool = true;
}

/// The bytes of an element at the beginning of 16, which are aligned for every dtype.
pub(in crate::cpu) fn bits<T: NoUninit>(element: T) -> u128 {
    let mut bits = 0_u128;
    bytemuck::bytes_of_mut(&mut bits)[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&element));
    bits
}

/// What updates are multiplied by: an element of the type in which sums are accumulated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Factor(u128);

impl Factor {
    pub(in crate::cpu) fn new<T: Element>(factor: T::Acc) -> Self {
        Self(bits(factor))
    }

    /// The factor; zero where there is none.
    #[inline(always)]
    pub(in crate::cpu) fn get<T: Element>(&self) -> T::Acc {
        bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&self.0)[..size_of::<T::Acc>()])
    }
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

/// Whether the rule is a common one: Replace, or a sum without a factor. Its loops over rows are
/// compiled for every instruction set, and apart for rows of a part's length. To compile less,
/// those of other rules are not, except `Loops::by_target`.
pub(in crate::cpu) const fn is_common<R: Rule>() -> bool {
    matches!(R::REDUCE, Reduce::None | Reduce::Add) && !R::SCALED
}

rules!(Replace => None, Add => Add, Mul => Mul, Max => Max, Min => Min, Mean => Mean);
