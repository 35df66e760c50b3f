//! Shares of `scatter_rows` are of equal size whatever the order of index: in the model's time no
//! order takes much longer than a random one.

use scatter::Op;
use scatter_kernels::Soc;
use scatter_kernels::model::{self, Mode, Options};
use scatter_kernels::plan::Algorithm;

use crate::case::Case;
use crate::sample::kind;
use crate::tensor::Arrangement::ExpandedBut;

/// Several chunks for each core, of which not all blocks are sorted for the sample.
const UPDATES: usize = 40_000;

/// The time of the last launch, in thousandths of a cycle, where update `i` goes to row
/// `target(i)`.
fn time(rows: usize, target: impl Fn(usize) -> i64) -> u64 {
    let of = kind(Op::ScatterAdd { dim: 0 }, &[rows, 16], UPDATES, ExpandedBut(0));
    let mut case = Case::<f32, i64>::new(&of);
    for (update, value) in case.index.storage.iter_mut().enumerate() {
        *value = target(update);
    }
    let options = Options { mode: Mode::Fast, ..Options::strict(0) };
    case.check(&Soc::default().with_cores(48), Some(Algorithm::Rows), &options);
    model::counters().millicycles[0]
}

#[test]
fn an_index_with_a_period_is_shared_as_one_by_chance() {
    for rows in [16, 64, 512] {
        let by_chance = time(rows, |update| (update * 7919 / 13 % rows) as i64);
        let periodic = time(rows, |update| (update % rows) as i64);
        assert!(periodic < 2 * by_chance, "{rows} rows: {periodic}, and {by_chance} by chance");
    }
}
