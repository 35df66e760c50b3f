//! Double buffering lets DMA run ahead: in the model's time a kernel takes less than its pipes
//! would one after the other.

use scatter::Op;
use scatter_kernels::Soc;
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::Algorithm;

use crate::case::{Case, Kind};
use crate::sample::kind;
use crate::tensor::Arrangement::Contiguous;

/// The time of the last launch of a case on one core, and the time that each pipe is busy, in
/// thousandths of a cycle.
fn time(kind: &Kind) -> (u64, [u64; 4]) {
    let soc = Soc { ub: 16 * 1024, ..Soc::default().with_cores(1) };
    Case::<f32, i64>::new(kind).check(&soc, Some(Algorithm::General), &Options::strict(0));
    let counters = model::counters();
    (counters.millicycles[0], counters.busy_millicycles)
}

#[test]
fn index_and_src_come_while_elements_are_updated() {
    let kind = kind(Op::ScatterAdd { dim: 0 }, &[20, 50], 300, Contiguous);
    let (all, [scalar, _, mte2, _]) = time(&kind);
    assert!(all < scalar + mte2, "{all} of {scalar} and {mte2}");
}

#[test]
fn self_comes_while_out_goes() {
    // Without an update the copy is the last launch.
    let of = kind(Op::ScatterAdd { dim: 0 }, &[400, 100], 0, Contiguous);
    let (all, [.., mte2, mte3]) = time(&Kind { in_place: false, ..of });
    assert!(all < mte2 + mte3, "{all} of {mte2} and {mte3}");
}
