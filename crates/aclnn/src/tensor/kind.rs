//! The type parameters of a tensor: its element type, if known at compile time, and whether it
//! owns, reads or writes its memory.

use core::marker::PhantomData;

use scatter::{DType, Element};

mod sealed {
    pub trait Sealed {}
}

/// A tensor's element type at compile time: an [`Element`], or [`Any`]. Sealed.
pub trait Kind: sealed::Sealed + Send + Sync + 'static {
    /// The dtype; `None` where it is known at run time only.
    const DTYPE: Option<DType>;
}

/// The element types that an index can have: `i32`, `i64`, or [`Any`], which is checked at run
/// time. Sealed.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` can't be an index",
    label = "a tensor of `i32`, of `i64`, or one whose dtype is known at run time (`Any`) expected"
)]
pub trait IndexKind: Kind {}

/// Elements of a dtype that is known at run time only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Any {}

impl<T: Element> sealed::Sealed for T {}
impl<T: Element> Kind for T {
    const DTYPE: Option<DType> = Some(T::DTYPE);
}
impl sealed::Sealed for Any {}
impl Kind for Any {
    const DTYPE: Option<DType> = None;
}
impl IndexKind for i32 {}
impl IndexKind for i64 {}
impl IndexKind for Any {}

/// How a tensor holds its memory: [`Owned`], [`Borrowed`] or [`BorrowedMut`]. Sealed.
pub trait Hold: held::Sealed + Send + Sync {}

/// A tensor that can be written: [`Owned`] or [`BorrowedMut`]. Sealed.
pub trait HoldMut: Hold {}

/// A tensor that can be cloned: a read-only view ([`Borrowed`]), whose clone is another view of the
/// same memory. Sealed.
#[diagnostic::on_unimplemented(
    message = "a tensor can't be cloned: `share` it, or make a copy with `contiguous`",
    label = "neither a copy nor the same memory is meant for sure",
    note = "`tensor.share()` is another tensor in the same memory",
    note = "`tensor.contiguous(&stream)?` is a new tensor with a copy of the elements"
)]
pub trait HoldClone: Hold {}

/// No type implements this: it gives `tensor.clone()` a helpful error message, where the compiler
/// would only say that a bound is missing.
#[diagnostic::on_unimplemented(
    message = "a tensor can't be cloned: `share` it, or make a copy with `contiguous`",
    label = "`share()` is another tensor in the same memory, `contiguous(&stream)?` a copy"
)]
pub trait CloneMeansShareOrContiguous {}

mod held {
    pub trait Sealed {}
    impl Sealed for super::Owned {}
    impl Sealed for super::Borrowed<'_> {}
    impl Sealed for super::BorrowedMut<'_> {}
}

/// The tensor owns its memory, perhaps together with others.
#[derive(Clone, Copy, Debug)]
pub enum Owned {}

/// The tensor borrows the memory of another tensor, to read it.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed<'a>(PhantomData<&'a ()>);

/// The tensor borrows the memory of another tensor, to write it.
#[derive(Debug)]
pub struct BorrowedMut<'a>(PhantomData<&'a mut ()>);

impl Hold for Owned {}
impl Hold for Borrowed<'_> {}
impl Hold for BorrowedMut<'_> {}
impl HoldClone for Borrowed<'_> {}
impl HoldMut for Owned {}
impl HoldMut for BorrowedMut<'_> {}
