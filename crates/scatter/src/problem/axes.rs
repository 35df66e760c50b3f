//! Operators whose index has coordinates along chosen axes: the rules of their shapes.

use super::rules::{Rules, of_some_rank};
use super::{Operand, Problem, Target, Updates};
use crate::{Argument, Axes, DType, Error, Layout, MAX_RANK, Shape};

impl Rules<'_> {
    /// What takes the place of rules 10 to 14 where index has coordinates along chosen axes of
    /// self: index's rank, the axes, index's last axis, and src's rank and shape, which is
    /// broadcast. The chosen axes become the first of self and out, so that index has the leading
    /// coordinates of its targets.
    pub(super) fn axes_updates(
        &self,
        self_: &mut Layout,
        out: &mut Layout,
    ) -> Result<Option<Updates>, Error> {
        let operator = self.op.operator();
        let index = of_some_rank(operator, Argument::Index, self.index)?;
        let axes = self.op.axes().unwrap_or_default();
        if let Some(got) = axes.iter().find(|&axis| axis >= self_.rank()) {
            return Err(Error::IndexAxis { operator, expected: self_.rank(), got });
        }
        let (rows, depth) = (index.rank() - 1, axes.count());
        if index.shape()[rows] != depth {
            let got = index.shape()[rows];
            return Err(Error::IndexShape { operator, axis: rows, expected: depth, got });
        }
        let Some(src) = self.src else {
            return Err(Error::Operand { operator, argument: Argument::Src, expected: true });
        };
        let src = match src.layout {
            Ok(layout) => layout,
            Err(_) => of_some_rank(operator, Argument::Src, src)?,
        };
        let (named, first) = self.named(&index, axes, self_)?;
        let src = src.broadcast(&named).map_err(|(axis, expected)| {
            let got = axis.map_or(src.rank(), |axis| src.shape()[axis]);
            Error::SrcBroadcast { operator, axis, expected, got }
        })?;
        // The rows of index come first.
        let src = src.with_axes_ahead(first..first + rows, 0);
        for (place, axis) in axes.iter().enumerate() {
            *self_ = self_.with_axes_ahead(axis..axis + 1, place);
            *out = out.with_axes_ahead(axis..axis + 1, place);
        }
        let src = match self.is_scalar() && depth == 0 {
            // From here on self counts as `[1]`, but src's shape ends with self's own shape, which
            // has no axis.
            true => src.with_axis_of_one().unwrap_or(src),
            false => src.at_least_1d(),
        };
        let work = Updates { axes, ..Updates::leading(depth, index, src) };
        Ok((!index.shape()[..rows].contains(&0)).then_some(work))
    }

    /// The shape of the elements that index names, and the first of its axes that are the rows of
    /// index: where the chosen axes are, if they are neighbours, or else the first.
    fn named(&self, index: &Layout, axes: Axes, self_: &Layout) -> Result<(Shape, usize), Error> {
        let rows = &index.shape()[..index.rank() - 1];
        let is_scalar = self.is_scalar();
        let first = if axes.are_neighbours() { axes.iter().next().unwrap_or(0) } else { 0 };
        let (mut sizes, mut rank) = ([0; 2 * MAX_RANK], 0);
        let mut push = |size: usize| {
            sizes[rank] = size;
            rank += 1;
        };
        let rest = (0..self_.rank()).filter(|axis| !is_scalar && !axes.iter().any(|chosen| chosen == *axis));
        let (before, behind): (Shape, Shape) = (of(rest.clone().take(first)), of(rest.skip(first)));
        before.iter().for_each(|&axis| push(self_.shape()[axis]));
        rows.iter().for_each(|&size| push(size));
        behind.iter().for_each(|&axis| push(self_.shape()[axis]));
        let operator = self.op.operator();
        let shape = Shape::new(&sizes[..rank]);
        let too_many = Error::Rank { operator, argument: Argument::Src, expected: MAX_RANK, got: rank };
        Ok((shape.ok_or(too_many)?, first))
    }
}

impl Problem {
    /// The same updates by another index of the same shape, in which an engine finds the same
    /// values, and which shares no memory with out: that is not checked. `None` where there are no
    /// updates, for another shape, and where index's dtype or layout was refused.
    #[must_use]
    pub fn with_index(&self, index: &Operand) -> Option<Self> {
        let mut problem = *self;
        let (updates, layout) = (problem.updates.as_mut()?, index.layout.ok()?);
        let is_index = matches!(index.dtype, Ok(DType::I32 | DType::I64));
        if layout.shape() != updates.index.shape() || !is_index {
            return None;
        }
        updates.index = layout;
        problem.operands.index = *index;
        Some(problem)
    }

    /// The sizes of the axes that index has coordinates for, and the same problem with these as one
    /// axis, and an index of i32 numbers of its elements, one for each entry of index; `None` where
    /// there are no updates, where self and out can't be described so, and where there are too many
    /// elements to be numbered.
    pub(crate) fn numbered(&self) -> Option<(Shape, Self)> {
        let mut problem = *self;
        let updates = problem.updates.as_mut()?;
        let Target::Nd(depth) = updates.target else { return None };
        let sizes = Shape::new(self.self_.shape().get(..depth)?)?;
        i32::try_from(sizes.elements()?).ok()?;
        problem.self_ = self.self_.with_leading_merged(depth)?;
        problem.out = self.out.with_leading_merged(depth)?;
        let rows = updates.index.rank() - 1;
        let mut shape = *updates.index.shape();
        shape.sizes_mut()[rows] = 1;
        updates.index = Layout::contiguous(&shape, shape.elements()?).ok()?;
        (updates.target, updates.axes) = (Target::Nd(1), Axes::leading(1));
        problem.operands.index = Operand::new(DType::I32, updates.index, 0);
        Some((sizes, problem))
    }
}

/// Up to [`MAX_RANK`] numbers.
fn of(numbers: impl Iterator<Item = usize>) -> Shape {
    let mut all = Shape::zeros(MAX_RANK);
    let mut count = 0;
    for (place, number) in all.sizes_mut().iter_mut().zip(numbers) {
        *place = number;
        count += 1;
    }
    Shape::new(&all[..count]).unwrap_or_default()
}

impl Updates {
    /// Updates along an axis of self.
    pub(super) fn along(dim: usize, index: Layout, src: Option<Layout>) -> Self {
        let axes = Axes::one(dim).unwrap_or_default();
        Self { index, src, target: Target::Dim(dim), axes, window: None, of_scalar: false }
    }

    /// Updates of which index has the leading coordinates along its last axis.
    pub(super) fn leading(depth: usize, index: Layout, src: Layout) -> Self {
        let axes = Axes::leading(depth);
        Self { index, src: Some(src), target: Target::Nd(depth), axes, window: None, of_scalar: false }
    }
}
