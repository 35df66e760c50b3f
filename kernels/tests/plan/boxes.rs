//! Boxes, and the axes that are cut into pieces.

use scatter_kernels::tiling::{Axis, Box2, Run};

/// A box keeps its elements apart in UB, inside its bytes, and its runs in blocks of their own.
pub(crate) fn check_box(of: &Box2, sizes: [u64; 2]) {
    let held = [0, 1].map(|axis| if of.gm[axis] == 0 { 1 } else { sizes[axis] });
    let mut places = std::collections::HashSet::new();
    for i in 0..held[0] {
        for j in 0..held[1] {
            let place = i * u64::from(of.ub[0]) + j * u64::from(of.ub[1]);
            assert!(places.insert(place), "{of:?}: {i}, {j} lies on another");
            assert!(
                place.is_multiple_of(of.element.into()) && place + u64::from(of.element) <= of.bytes.into()
            );
        }
    }
    assert!(of.bytes.is_multiple_of(32), "{of:?}");
    let blocks = match of.run {
        Run::Axis0 => of.ub[1],
        Run::Axis1 => of.ub[0],
        Run::None => of.ub[0] | of.ub[1],
        Run::Whole => 0,
    };
    assert!(blocks.is_multiple_of(32), "{of:?}");
}

/// A contiguous axis is cut at multiples of 512 bytes, or into smaller pieces.
pub(crate) fn check_cut(element: u32, stride: i64, piece: u64, pieces: u64) {
    let bytes = piece * u64::from(element);
    let is_contiguous = stride == i64::from(element);
    assert!(pieces == 1 || !is_contiguous || bytes < 512 || bytes.is_multiple_of(512), "pieces of {bytes}");
}

/// The addresses of all coordinates of a list of axes, each with its stride.
pub(crate) fn addresses(axes: &[(u64, i64)], start: i64) -> Vec<i64> {
    axes.iter().fold(vec![start], |starts, &(size, stride)| {
        starts.iter().flat_map(|&start| (0..size as i64).map(move |at| start + at * stride)).collect()
    })
}

pub(crate) fn used(axes: &[Axis], count: u32) -> &[Axis] {
    &axes[..count as usize]
}
