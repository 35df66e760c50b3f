//! Shares of `scatter_rows` are of equal size whatever the order of index, in the model's time.

use scatter::Op;
use scatter_kernels::Soc;
use scatter_kernels::model::{self, Mode, Options};
use scatter_kernels::plan::Algorithm;

use crate::case::Case;
use crate::sample::kind;
use crate::tensor::Arrangement::ExpandedBut;

/// Several chunks for each core, of which not all blocks are sorted for the sample.
const UPDATES: usize = 40_000;

/// The time of the last launch, in thousandths of a cycle, where update `i` of `updates` goes to
/// row `target(i)`.
fn time(self_shape: &[usize], updates: usize, target: impl Fn(usize) -> i64) -> u64 {
    let of = kind(Op::ScatterAdd { dim: 0 }, self_shape, updates, ExpandedBut(0));
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
        let shape = [rows, 16];
        let by_chance = time(&shape, UPDATES, |update| (update * 7919 / 13 % rows) as i64);
        let periodic = time(&shape, UPDATES, |update| (update % rows) as i64);
        assert!(periodic < 2 * by_chance, "{rows} rows: {periodic}, and {by_chance} by chance");
    }
}

/// Two cores take half of the time for one update, whichever row it goes to.
#[test]
fn a_long_row_is_shared_by_all_cores() {
    // Twice the bytes of a share.
    let shape = [16, 2 * 4096];
    let times = [0, 1, 15].map(|row| time(&shape, 1, |_| row));
    assert!(times.iter().max() < times.iter().min().map(|least| least + least / 10).as_ref(), "{times:?}");
}
