//! The turns of a walk's loops.

use crate::cpu::walk::{Axis, MAX_AXES, Walk};

/// Calls `run` with the innermost axis and the offsets of index, src and dst for every turn of the
/// outer loops.
#[inline(always)]
pub(in crate::cpu) fn each_run(walk: &Walk, mut run: impl FnMut(&Axis, [isize; 3])) {
    let Some((inner, outer)) = walk.axes.as_slice().split_last() else { return };
    each_turn(walk, outer, |at| run(inner, at));
}

/// Calls `plane` with the innermost axis, the one around it (of one element where there is none),
/// and the offsets of index, src and dst for every turn of the loops around both.
#[inline(always)]
pub(in crate::cpu) fn each_plane(walk: &Walk, mut plane: impl FnMut(&Axis, &Axis, [isize; 3])) {
    let Some((inner, outer)) = walk.axes.as_slice().split_last() else { return };
    let (lines, outer) = outer.split_last().unwrap_or((&Axis::SINGLE, &[]));
    each_turn(walk, outer, |at| plane(inner, lines, at));
}

/// Calls `turn` with the offsets of index, src and dst for every turn of `outer`, the outermost
/// loops of the walk.
#[inline(always)]
fn each_turn(walk: &Walk, outer: &[Axis], mut turn: impl FnMut([isize; 3])) {
    let mut turns = [0_usize; MAX_AXES];
    let mut at = [walk.index, walk.src, walk.dst];
    'turn: loop {
        turn(at);
        for (turn, axis) in turns.iter_mut().zip(outer).take(outer.len()).rev() {
            *turn += 1;
            if *turn < axis.extent {
                at.iter_mut().zip(axis.steps()).for_each(|(at, step)| *at += step);
                continue 'turn;
            }
            *turn = 0;
            let back = axis.extent as isize - 1;
            at.iter_mut().zip(axis.steps()).for_each(|(at, step)| *at -= back * step);
        }
        return;
    }
}
