//! The validated operator: what every engine takes.

mod aliasing;
mod axes;
mod indices;
mod operand;
mod rules;
mod windows;

pub(crate) use aliasing::{apart, extent};
pub use operand::Operand;
pub(crate) use rules::{index_dtype, inside_storage};

use crate::overlap::{is_same, self_overlap};
use crate::{Argument, Axes, DType, Element, Error, Layout, Op, Operator, Reduce, Scalar, with_element};

use aliasing::{meet, not_itself};
pub(crate) use rules::Addressed;
use rules::Rules;

/// A scatter of which everything is proved that can be proved without the data.
///
/// There is no way to build one but through the checks, in the order of `docs/semantics.md`, so an
/// engine relies on: dtypes agree and have the reduction; every layout lies inside its storage;
/// index fits src, and self off dim; no two elements of out share an address; and out shares memory
/// with self only by being the same tensor (then the scatter is [in place](Problem::in_place)),
/// with index and src not at all. Only a scatter with nothing to do but to [copy](Problem::is_copy)
/// may have an out that overlaps self or itself ([`Problem::is_entangled`]).
///
/// What is left to an engine are index values: in `[-size, size)` of the axis that they point into,
/// or, where they name beginnings of windows, of the number of positions where a window fits.
///
/// ```
/// use scatter::{DType, Layout, Op, Operand, Problem};
/// let operand = |dtype, shape: &[usize], address| {
///     Ok::<_, scatter::LayoutError>(Operand::new(dtype, Layout::contiguous(shape, shape.iter().product())?, address))
/// };
/// let out = operand(DType::F32, &[3, 3], 0x1000)?;
/// let index = operand(DType::I64, &[2, 3], 0x2000)?;
/// let src = operand(DType::F32, &[2, 3], 0x3000)?;
/// let problem = Problem::new(Op::ScatterAdd { dim: -2 }, &out, &index, Some(&src), &out)?;
/// assert!(problem.in_place());
/// let error = Problem::new(Op::ScatterAdd { dim: 2 }, &out, &index, Some(&src), &out).unwrap_err();
/// assert_eq!(error.to_string(), "scatter_add: dim: -2 to below 2 expected, got 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    op: Op,
    dtype: DType,
    operands: Operands,
    self_: Layout,
    out: Layout,
    /// `None` where index is empty: there is nothing to do once out is self.
    updates: Option<Updates>,
    relation: Relation,
}

/// The tensors as they were given.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Operands {
    self_: Operand,
    index: Operand,
    src: Option<Operand>,
    out: Operand,
}

/// The storage addresses of a problem's tensors, for [`Problem::rebind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Addresses {
    /// self's; out's where the operator takes no self.
    pub self_: usize,
    /// index's.
    pub index: usize,
    /// src's; ignored where there is no src.
    pub src: usize,
    /// out's.
    pub out: usize,
}

/// The tensors of a scatter that has updates, rank 0 made `[1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Updates {
    pub(crate) index: Layout,
    /// The updates, cut to the block that is read; `None` where a scalar stands for them.
    pub(crate) src: Option<Layout>,
    pub(crate) target: Target,
    /// The axes of the caller's self that index has coordinates for; self's own may be in another
    /// order.
    pub(crate) axes: Axes,
    /// Where index values name the beginnings of windows: the axis of the updates along which the
    /// elements of a window follow one another. Index, which is the same for all of them, has a
    /// stride of 0 there.
    pub(crate) window: Option<usize>,
    /// Whether the caller's index has no axes, so that the position of its value is `[]`.
    pub(crate) of_scalar: bool,
}

/// How an update finds its element of out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At the update's own coordinates, but for this axis of self, where index has the coordinate.
    Dim(usize),
    /// At this many leading coordinates from the last axis of indices, then at the update's own
    /// trailing ones.
    Nd(usize),
}

/// How out lies to self.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// It is self.
    Same,
    /// It shares nothing with self.
    Apart,
    /// It overlaps self or itself, which only a scatter with nothing to do may.
    Entangled,
}

impl Problem {
    /// Checks everything that can be checked without the data.
    ///
    /// `index` is called `indices` and `src` `updates` by some operators; `src` is `None` for
    /// operators that take none. In place, `out` is `self_`. `self_` is not looked at for operators
    /// that take none.
    ///
    /// # Errors
    /// The [`Error`] of the first rule broken, in the contract's order.
    pub fn new(
        op: Op,
        self_: &Operand,
        index: &Operand,
        src: Option<&Operand>,
        out: &Operand,
    ) -> Result<Self, Error> {
        Self::addressed(op, Addressed::of(&op), self_, index, src, out)
    }

    /// [`Problem::new`], where the way to name targets is known: it is the operator's.
    pub(crate) fn addressed(
        op: Op,
        by: Addressed,
        self_: &Operand,
        index: &Operand,
        src: Option<&Operand>,
        out: &Operand,
    ) -> Result<Self, Error> {
        Self::with(op, by, [self_, index, out], src, |_| ())
    }

    /// The same, but as if index had no elements: out becomes self. All rules are checked, but
    /// those about aliasing as for an empty index. A problem that gathers is not changed.
    ///
    /// # Errors
    /// The [`Error`] of the first rule broken, in the contract's order.
    pub fn without_updates(
        op: Op,
        self_: &Operand,
        index: &Operand,
        src: Option<&Operand>,
        out: &Operand,
    ) -> Result<Self, Error> {
        Self::with(op, Addressed::of(&op), [self_, index, out], src, |problem| {
            if !problem.gathers() {
                problem.updates = None;
            }
        })
    }

    /// A problem that is changed before the aliasing rules are checked. (A problem is large, and
    /// callers' stacks may be small, so it is made in one place.)
    fn with(
        op: Op,
        by: Addressed,
        [self_, index, out]: [&Operand; 3],
        src: Option<&Operand>,
        change: fn(&mut Self),
    ) -> Result<Self, Error> {
        let self_ = if op.operator().signature().has_self { self_ } else { out };
        let mut checked = Rules { op: &op, self_, index, src, out }.check(by);
        if let Ok(problem) = &mut checked {
            change(problem);
            problem.relation = problem.relate()?;
        }
        checked
    }

    /// The same problem for tensors at other addresses; the aliasing rules are checked again.
    ///
    /// # Errors
    /// [`Error::SelfOverlap`] or [`Error::Overlap`].
    pub fn rebind(&self, addresses: Addresses) -> Result<Self, Error> {
        let mut moved = *self;
        let of_self = if self.starts_from_zeros() { addresses.out } else { addresses.self_ };
        moved.operands.self_.address = of_self;
        moved.operands.index.address = addresses.index;
        if let Some(src) = &mut moved.operands.src {
            src.address = addresses.src;
        }
        moved.operands.out.address = addresses.out;
        moved.relation = moved.relate()?;
        Ok(moved)
    }

    /// The same sum of other updates, which need not be multiplied: of `products`, in `sums`
    /// instead of self and out where they are in another dtype.
    ///
    /// # Errors
    /// None that the rules know of: the tensors have the shapes of those that they stand for.
    pub(crate) fn of_products(&self, products: &Operand, sums: Option<&Operand>) -> Result<Self, Error> {
        let op = match self.op {
            Op::IndexAdd { dim, .. } => Op::IndexAdd { dim, alpha: Scalar::Int(1) },
            op => op,
        };
        let Operands { self_, index, out, .. } = &self.operands;
        let (self_, out) = (sums.unwrap_or(self_), sums.unwrap_or(out));
        Self::addressed(op, Addressed::SLICES, self_, index, Some(products), out)
    }

    /// The operator with its parameters.
    #[must_use]
    pub const fn op(&self) -> &Op {
        &self.op
    }

    /// The operator's name.
    #[must_use]
    pub const fn operator(&self) -> Operator {
        self.op.operator()
    }

    /// The dtype of self, src and out.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The dtype of index; `None` where index is empty, for then it isn't checked.
    #[must_use]
    pub fn index_dtype(&self) -> Option<DType> {
        if self.is_copy() { None } else { self.operands.index.dtype.ok() }
    }

    /// How an update meets its destination.
    #[must_use]
    pub const fn reduce(&self) -> Reduce {
        self.op.reduce()
    }

    /// Whether out is self.
    #[must_use]
    pub fn in_place(&self) -> bool {
        self.relation == Relation::Same
    }

    /// Whether out starts as zeros, because the operator takes no self.
    #[must_use]
    pub const fn starts_from_zeros(&self) -> bool {
        !self.op.operator().signature().has_self
    }

    /// Whether out gets the elements of self that index names, instead of the updates.
    #[must_use]
    pub const fn gathers(&self) -> bool {
        self.op.operator().signature().gathers
    }

    /// The scalar that updates are multiplied by before they are added; `None` where the operator
    /// takes none, where there is nothing to update, and where it is 1 in the dtype of the sums, so
    /// that nothing is multiplied.
    #[must_use]
    pub fn alpha(&self) -> Option<Scalar> {
        let alpha = self.op.alpha().filter(|_| !self.is_copy())?;
        with_element!(self.dtype.accumulator(), A => {
            let [given, one] = [alpha, Scalar::Int(1)].map(A::from_scalar);
            (given != one).then_some(alpha)
        })
    }

    /// Where an index value names the beginning of several elements of out: the axis of
    /// [index](Self::index_layout) along which these follow one another. The last value of an entry
    /// is the one that does; index is the same for all of them, so it has a stride of 0 there.
    #[must_use]
    pub fn window(&self) -> Option<usize> {
        let updates = self.updates.as_ref()?;
        updates.window.filter(|_| updates.window_extent() > 1)
    }

    /// Whether there is anything to do: updates, or a copy of self to another out that has
    /// elements.
    #[must_use]
    pub fn has_work(&self) -> bool {
        !self.is_copy() || !(self.in_place() || self.out.is_empty())
    }

    /// Whether there is nothing to do but to make out equal to self: index is empty. (Of a gather
    /// out is empty, too, then.)
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        self.updates.is_none()
    }

    /// The addresses that the tensors are bound to (src's is 0 where there is none).
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        let Operands { self_, index, src, out } = &self.operands;
        Addresses {
            self_: self_.address,
            index: index.address,
            src: src.as_ref().map_or(0, |src| src.address),
            out: out.address,
        }
    }

    /// The layout of out; rank 0 is `[1]`. Its axes are in another order than the caller's where
    /// index has coordinates for axes that aren't the first (`index_put`, and `scatter_update` by
    /// two columns): they are the first here.
    #[must_use]
    pub const fn out_layout(&self) -> &Layout {
        &self.out
    }

    /// The layout of self, into which index points; rank 0 is `[1]`. It has out's shape, unless the
    /// problem [gathers](Problem::gathers), and the same order of axes. Where out [starts as
    /// zeros](Problem::starts_from_zeros) it is that of one zero, which is repeated by strides
    /// of 0.
    #[must_use]
    pub const fn self_layout(&self) -> &Layout {
        &self.self_
    }

    /// The layout of index, rank 0 made `[1]`; `None` for a copy. An index that names slices is
    /// repeated by strides of 0 to the shape of src.
    #[must_use]
    pub fn index_layout(&self) -> Option<&Layout> {
        self.updates.as_ref().map(|updates| &updates.index)
    }

    /// The layout of the block of src that is read, which has index's shape, or of updates; rank 0
    /// is `[1]`. `None` for a copy, and where a scalar stands for src.
    #[must_use]
    pub fn src_layout(&self) -> Option<&Layout> {
        self.updates.as_ref()?.src.as_ref()
    }

    /// How an update finds its element of out; `None` for a copy.
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        self.updates.as_ref().map(|updates| updates.target)
    }

    /// The error that says that an index value is out of range; `position` is its number in the
    /// row-major order of [`Problem::index_layout`]. `None` where there is no such entry.
    #[must_use]
    pub fn bad_index(&self, position: u64, value: i64) -> Option<Error> {
        let updates = self.updates()?;
        let mut coordinates = *updates.index.shape();
        let mut rest = usize::try_from(position).ok()?;
        for at in coordinates.sizes_mut().iter_mut().rev() {
            let size = *at;
            *at = rest.checked_rem(size)?;
            rest /= size;
        }
        (rest == 0).then(|| updates.bad_index(self.operator(), &self.self_, coordinates, value))
    }

    /// What there is to do once out is self; `None` where index is empty.
    pub(crate) const fn updates(&self) -> Option<&Updates> {
        self.updates.as_ref()
    }

    /// Whether out overlaps self, without being the same tensor, or itself: self must be read whole
    /// before out is written. Only a [copy](Problem::is_copy) can be so.
    #[must_use]
    pub fn is_entangled(&self) -> bool {
        self.relation == Relation::Entangled
    }

    /// Whether these are the tensors that the problem was built for. self is not needed in place,
    /// index and src are not where there is nothing to do.
    pub(crate) fn check_binding(
        &self,
        self_: Option<&Operand>,
        index: &Operand,
        src: Option<&Operand>,
        out: &Operand,
    ) -> Result<(), Error> {
        let bound = &self.operands;
        let argument = if *out != bound.out {
            Argument::Out
        } else if self_.map_or(!(self.in_place() || self.starts_from_zeros()), |self_| *self_ != bound.self_)
        {
            Argument::SelfTensor
        } else if self.is_copy() {
            return Ok(());
        } else if *index != bound.index {
            Argument::Index
        } else if src != bound.src.as_ref() {
            Argument::Src
        } else {
            return Ok(());
        };
        Err(Error::Binding { operator: self.operator(), argument })
    }

    /// The aliasing rules, the last of the contract. A scatter with nothing to do passes them all.
    fn relate(&self) -> Result<Relation, Error> {
        let operator = self.operator();
        let Operands { self_, index, src, out } = &self.operands;
        let destination = extent(&self.out, out, self.dtype);
        let origin = extent(&self.self_, self_, self.dtype);
        // What gathers is never in place, nor is what has no self, which nothing can overlap.
        let has_self = !self.starts_from_zeros();
        let same = has_self && !self.gathers() && is_same(&destination, &origin);
        let meets_self = has_self && !same && meet(&destination, &origin);

        if self.is_copy() {
            return Ok(match same {
                true => Relation::Same,
                false if meets_self || self_overlap(&self.out).is_some() => Relation::Entangled,
                false => Relation::Apart,
            });
        }
        // The caller's axes, which may be in another order.
        not_itself(operator, out.layout.as_ref().unwrap_or(&self.out))?;
        if meets_self {
            return Err(Error::Overlap { operator, argument: Argument::SelfTensor });
        }
        apart(operator, &destination, Argument::Index, index)?;
        src.as_ref().map_or(Ok(()), |src| apart(operator, &destination, Argument::Src, src))?;
        Ok(if same { Relation::Same } else { Relation::Apart })
    }
}
