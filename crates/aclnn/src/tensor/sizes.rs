//! The types with which a shape can be given.

use scatter::Shape;
use smallvec::{SmallVec, smallvec};

use self::sealed::ToSizes;

/// The sizes of a shape as given; more than eight are refused later.
pub(crate) type Sizes = SmallVec<[usize; 8]>;

/// A shape: an array, a slice or a `Vec` of sizes, a [`Shape`], a tuple of up to eight sizes (`()`
/// has no axes), or a single size. Sealed.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
/// use aclnn::Tensor;
///
/// let table = Tensor::<f32>::zeros((2, 3), &stream)?;
/// let same = Tensor::<f32>::zeros(table.shape(), &stream)?;
/// assert_eq!(same.reshape([3, 2])?.shape(), [3, 2]);
/// assert_eq!(table.reshape(6)?.shape(), [6]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    label = "the sizes of the axes expected",
    note = "a shape is an array, slice or `Vec` of `usize`, a `Shape`, a tuple of `usize`, or one `usize`"
)]
pub trait IntoShape: ToSizes {}

pub(crate) mod sealed {
    pub trait ToSizes {
        fn to_sizes(&self) -> super::Sizes;
    }
}

impl ToSizes for [usize] {
    fn to_sizes(&self) -> Sizes {
        SmallVec::from_slice(self)
    }
}
impl IntoShape for [usize] {}

impl<const N: usize> ToSizes for [usize; N] {
    fn to_sizes(&self) -> Sizes {
        SmallVec::from_slice(self)
    }
}
impl<const N: usize> IntoShape for [usize; N] {}

impl ToSizes for Vec<usize> {
    fn to_sizes(&self) -> Sizes {
        SmallVec::from_slice(self)
    }
}
impl IntoShape for Vec<usize> {}

impl ToSizes for Shape {
    fn to_sizes(&self) -> Sizes {
        SmallVec::from_slice(self)
    }
}
impl IntoShape for Shape {}

impl ToSizes for usize {
    fn to_sizes(&self) -> Sizes {
        smallvec![*self]
    }
}
impl IntoShape for usize {}

impl<S: ToSizes + ?Sized> ToSizes for &S {
    fn to_sizes(&self) -> Sizes {
        (**self).to_sizes()
    }
}
impl<S: IntoShape + ?Sized> IntoShape for &S {}

/// Tuples of `usize`, one letter for each size.
macro_rules! tuples {
    ($(($($letter:ident)*))*) => {$(
        impl ToSizes for ($(tuples!(@size $letter),)*) {
            fn to_sizes(&self) -> Sizes {
                let &($($letter,)*) = self;
                smallvec![$($letter),*]
            }
        }
        impl IntoShape for ($(tuples!(@size $letter),)*) {}
    )*};
    (@size $letter:ident) => { usize };
}
tuples! { () (a) (a b) (a b c) (a b c d) (a b c d e) (a b c d e f) (a b c d e f g) (a b c d e f g h) }
