//! Random tensors, some almost valid and some far from it.

use std::ffi::c_void;

use aclnn_scatter::sys::aclDataType;

use super::Random;
use super::tensors::Spec;

/// A random number, often one that makes arithmetic overflow.
pub(crate) fn number(random: &mut Random) -> i64 {
    const EDGES: [i64; 12] =
        [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 1 << 31, 1 << 62, i64::MAX / 8, i64::MAX - 1, i64::MAX];
    match random.below(8) {
        0 => EDGES[random.below(EDGES.len())],
        1 => random.next() as i64,
        _ => random.below(6) as i64,
    }
}

fn numbers(random: &mut Random, len: usize) -> Vec<i64> {
    (0..len).map(|_| number(random)).collect()
}

/// A random tensor at this address.
pub(crate) fn spec(random: &mut Random, address: *mut c_void) -> Spec {
    let rank = if random.below(10) == 0 { random.below(26) } else { random.below(4) };
    let dtype = aclDataType(if random.below(6) == 0 {
        random.below(48) as i32 - 2
    } else {
        [0, 0, 3, 9][random.below(4)]
    });
    if random.flip() {
        let shape: Vec<i64> = (0..rank).map(|_| random.below(4) as i64).collect();
        let mut spec = Spec::new(dtype, &shape, address);
        spec.storage = vec![shape.iter().product::<i64>().max(1) + random.below(3) as i64];
        return spec;
    }
    let (shape, strides) = (numbers(random, rank), numbers(random, rank));
    let rank = random.below(4);
    let (offset, storage) = (number(random), numbers(random, rank));
    Spec { dtype, shape, strides, offset, storage, address }
}
