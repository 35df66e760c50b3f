//! The layouts of boxes of two axes in UB.

use crate::tiling::{Box2, Run};

/// The bytes that DMA moves to and from UB at a time.
pub(super) const BLOCK: u32 = 32;

/// One axis of a box: its most elements, their stride in GM, and whether every box has that many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) size: u64,
    pub(super) gm: i64,
    pub(super) is_fixed: bool,
}

impl Side {
    /// An axis along which boxes may be cut short.
    pub(super) const fn cut(size: u64, gm: i64) -> Self {
        Self { size, gm, is_fixed: false }
    }

    /// Whether the tensor has one element along it.
    const fn is_still(self) -> bool {
        self.size <= 1 || self.gm == 0
    }

    /// The elements along it that UB holds.
    const fn held(self) -> u64 {
        if self.is_still() { 1 } else { self.size }
    }
}

impl Box2 {
    /// The layout in UB that needs the fewest runs; `None` where it takes more than `most` bytes.
    pub(super) fn fit(sides: [Side; 2], element: usize, most: u32) -> Option<Self> {
        let step = element as i64;
        let [moves0, moves1] = sides.map(|side| !side.is_still());
        let run = match sides {
            [_, inner] if moves1 && inner.gm == step => Self::run_along(sides, 1, step),
            [inner, _] if moves0 && inner.gm == step => Self::run_along(sides, 0, step),
            _ if !moves0 && !moves1 => Run::Whole,
            _ => Run::None,
        };
        Self::with_run(sides, element, run, most)
    }

    fn run_along(sides: [Side; 2], inner: usize, step: i64) -> Run {
        let (along, across) = (sides[inner], sides[1 - inner]);
        let follows = i64::try_from(along.size).is_ok_and(|size| size.checked_mul(step) == Some(across.gm));
        match inner {
            _ if across.is_still() || (follows && along.is_fixed) => Run::Whole,
            0 => Run::Axis0,
            _ => Run::Axis1,
        }
    }

    pub(super) fn with_run(sides: [Side; 2], element: usize, run: Run, most: u32) -> Option<Self> {
        let element = u32::try_from(element).ok()?;
        let most = u64::from(most);
        let held = sides.map(Side::held);
        let padded = |bytes: u64| bytes.next_multiple_of(BLOCK.into());
        // Boxes that do not fit are refused here, so that the arithmetic below can't overflow.
        if held[0].saturating_mul(held[1]).saturating_mul(element.into()) > most {
            return None;
        }
        let size = u64::from(element);
        let block = padded(size);
        // The strides in UB along both axes, and the bytes in all.
        let (ub, bytes) = match run {
            Run::Axis0 => ([size, padded(held[0] * size)], padded(held[0] * size) * held[1]),
            Run::Axis1 => ([padded(held[1] * size), size], padded(held[1] * size) * held[0]),
            Run::None => ([block * held[1], block], block * held[0] * held[1]),
            Run::Whole => {
                let inner_is_0 = !sides[0].is_still() && (sides[1].is_still() || sides[0].gm == size as i64);
                let ub = if inner_is_0 { [size, held[0] * size] } else { [held[1] * size, size] };
                (ub, padded(held[0] * held[1] * size))
            }
        };
        if bytes > most {
            return None;
        }
        let still = sides.map(Side::is_still);
        let keep = |axis: usize, stride: i64| if still[axis] { 0 } else { stride };
        Some(Self {
            gm: [keep(0, sides[0].gm), keep(1, sides[1].gm)],
            ub: [keep(0, ub[0] as i64) as u32, keep(1, ub[1] as i64) as u32],
            element,
            run,
            bytes: bytes as u32,
            reserved: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(size: u64, gm: i64) -> Side {
        Side { size, gm, is_fixed: true }
    }

    #[test]
    fn runs_follow_the_axis_that_is_contiguous() {
        let fit = |sides| Box2::fit(sides, 4, 1 << 16).unwrap();
        let whole = fit([Side::cut(5, 40), fixed(10, 4)]);
        assert_eq!((whole.run, whole.ub, whole.bytes), (Run::Whole, [40, 4], 224));
        let rows = fit([Side::cut(5, 40), Side::cut(10, 4)]);
        assert_eq!((rows.run, rows.ub, rows.bytes), (Run::Axis1, [64, 4], 320));
        let columns = fit([Side::cut(5, 4), Side::cut(10, 40)]);
        assert_eq!((columns.run, columns.ub, columns.bytes), (Run::Axis0, [4, 32], 320));
        let scattered = fit([Side::cut(5, 8), Side::cut(10, -40)]);
        assert_eq!((scattered.run, scattered.ub, scattered.bytes), (Run::None, [320, 32], 1600));
    }

    #[test]
    fn an_axis_that_does_not_move_takes_no_room() {
        let expanded = Box2::fit([Side::cut(1 << 40, 0), Side::cut(10, 4)], 4, 64).unwrap();
        assert_eq!((expanded.gm, expanded.ub, expanded.bytes), ([0, 4], [0, 4], 64));
        let one = Box2::fit([Side::cut(7, 0), Side::cut(1, 99)], 16, 64).unwrap();
        assert_eq!((one.gm, one.ub, one.bytes), ([0, 0], [0, 0], 32));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Box2::fit([Side::cut(u64::MAX, 4), Side::cut(u64::MAX, 8)], 4, u32::MAX).is_none());
        assert!(Box2::fit([Side::cut(4, 8), Side::cut(2, 64)], 4, 255).is_none());
        assert!(Box2::fit([Side::cut(4, 8), Side::cut(2, 64)], 4, 256).is_some());
    }
}
