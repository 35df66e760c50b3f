//! The plan of `scatter_rows`, for updates that share their index along an axis on which out and
//! src are contiguous.

use scatter::{DType, Problem, Reduce};

use super::axes::Work;
use super::update::{count, fill, split, value};
use super::{blocks, index};
use crate::tiling::{Axis, IndexTiling, RowsTiling, STATUS_BYTES};

/// Rows of fewer bytes are left to other kernels.
const WORTH_A_ROW: u64 = 64;
/// At most 2 to the power of this many entries are searched, and sorted, at once.
const MOST_BITS: u32 = 11;
/// At least 2 to the power of this many entries are searched, and sorted, at once.
pub(super) const FEWEST_BITS: u32 = 6;
/// The most rows of a group.
const GROUP: u64 = 128;
/// Rows are cut into pieces if a group would have fewer than this many.
const WANTED: u64 = 8;
/// How many rows the kernel reads together.
const FULL: u64 = 16;
/// The most entries of a list that takes little time to search.
const SHORT_LIST: u64 = 4096;
/// A row is not cut into pieces of fewer bytes.
const PIECE: u64 = 2048;
/// Where there are fewer updates than cores, several share a row, in parts of at least this many
/// bytes.
const SHARED: u64 = 16 * 1024;
/// The entries of a sample, from which shares are estimated: for up to `MANY` updates; and for
/// more, where a share's work outweighs the cost of a larger sample. Typically one of 48 shares is
/// 10 percent off with the smaller sample, and 5 with the larger.
const SAMPLES: [u64; 2] = [1024, 2048];
const MANY: u64 = 32 * 1024;

/// The most columns that are compared, because of the vector unit's repeats and the blocks of UB.
const COLUMNS: u64 = 255 * 64;
const COLUMNS_GRAIN: u64 = 8;

/// The two launches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plans {
    pub(super) index: IndexTiling,
    pub(super) index_blocks: u32,
    pub(super) rows: RowsTiling,
}

/// The plan for `cores` cores and `ub` bytes of UB; `None` where updates can't be made row by row.
///
/// Where there are more coordinates than cores, with one update each, these are put into one list:
/// a list by itself for each takes 256 bytes, and several waits in each kernel.
pub(super) fn plan(problem: &Problem, work: &Work, cores: u64, ub: u32) -> Option<Plans> {
    let plans = plan_as_is(problem, work, cores, ub)?;
    let joined = if plans.rows.outers > cores { work.of_one_list() } else { None };
    joined.and_then(|work| plan_as_is(problem, &work, cores, ub)).or(Some(plans))
}

/// [`plan`] with the given axes.
fn plan_as_is(problem: &Problem, work: &Work, cores: u64, ub: u32) -> Option<Plans> {
    let index_bytes = problem.index_dtype()?.size() as u64;
    let (outer, lane) = split(&work.batch, Some(lane(work, index_bytes)?));
    let target = match work.targets[..] {
        [] => 0,
        [target] => target.out,
        _ => return None,
    };
    let columns = if lane.index == 0 { 1 } else { lane.size };
    // Entries that have ranges of targets of their own aren't compared by columns.
    if work.target_count == 0 || (work.apart != 0 && columns > 1) {
        return None;
    }
    let mut index = index::plan(work, &outer, columns, index_bytes, cores, ub)?;
    let index_blocks = blocks(index.outers * index.chunks, cores);

    let update = index.update;
    let row = lane.size * work.element as u64;
    let outers = count(&outer);
    let shares = (cores / outers).clamp(1, update.size.max(row / SHARED));
    let comparing_blocks = if columns > 1 { index_blocks } else { 0 };
    // There are no more updates than entries.
    let most_bits = index.padded.next_power_of_two().ilog2().min(MOST_BITS);
    let bits =
        (FEWEST_BITS..=most_bits).rev().find(|&bits| fixed(bits, comparing_blocks) <= u64::from(ub) / 2)?;
    let is_scaled = problem.alpha().is_some();
    let per_byte = per_byte(problem.dtype(), problem.reduce(), is_scaled);
    let groups_with = |bits: u32, piece: u64| {
        (u64::from(ub) - fixed(bits, comparing_blocks)) / (piece.next_multiple_of(32) * per_byte + 16)
    };
    // A short list is searched in smaller chunks where that makes room for a full group.
    let is_full = |bits: u32| groups_with(bits, row) >= FULL;
    let fewer = bits - u32::from(index.padded <= SHORT_LIST && bits == MOST_BITS && !is_full(bits));
    let bits = if is_full(fewer) { fewer } else { bits };
    let groups = |piece: u64| groups_with(bits, piece);
    let mut piece = row;
    while groups(piece) < WANTED && piece > PIECE {
        piece = (piece / 2).next_multiple_of(512);
    }
    while groups(piece) == 0 && piece > WORTH_A_ROW {
        piece = (piece / 2).next_multiple_of(WORTH_A_ROW);
    }
    let group = groups(piece).min(GROUP);
    // The kernel counts the bytes of a row in 32 bits, up to a piece behind it.
    if group == 0 || row + piece > u64::from(u32::MAX) {
        return None;
    }
    let sample = sample(&mut index, shares, 1 << bits, cores);
    let mut rows = RowsTiling {
        dtype: problem.dtype() as u32,
        reduce: problem.reduce().code() as u32,
        include_self: problem.op().include_self().into(),
        has_value: (!work.has_src).into(),
        value: value(problem),
        scaled: problem.alpha().is_some().into(),
        out_offset: work.offsets.out,
        src_offset: work.offsets.src,
        told: comparing_blocks,
        outers,
        targets: work.target_count,
        out_step: target,
        updates: update.size,
        src_step: update.src,
        padded: index.padded,
        sample_at: sample.at,
        sample_step: sample.step,
        shares: shares as u32,
        row: u32::try_from(row).ok()?,
        piece: piece as u32,
        group: group as u32,
        bits,
        sample: sample.places as u32,
        sampled: sample.sampled as u32,
        sample_list: index.sample_list,
        ..RowsTiling::default()
    };
    rows.outer_axes = fill(&mut rows.outer, &outer);
    Some(Plans { index, index_blocks, rows })
}

/// Where the sample of a list is, in bytes, and how many entries it has with padding and without.
struct Sample {
    at: u64,
    step: u64,
    places: u64,
    sampled: u64,
}

/// The sample from which `shares` are estimated, of at most `most` entries: one that
/// `scatter_index` takes, or all of a short list.
fn sample(index: &mut IndexTiling, shares: u64, most: u64, cores: u64) -> Sample {
    let updates = index.update.size;
    let most = SAMPLES[usize::from(updates > MANY)].min(most);
    let list = index.padded * size_of::<f32>() as u64;
    if shares == 1 || updates <= most {
        return Sample { at: 0, step: list, places: index.padded.min(most), sampled: updates.min(most) };
    }
    let sampled = index::sample(index, most, cores);
    let places = u64::from(index.sample);
    Sample { at: index.outers * list, step: places * index::RECORD as u64, places, sampled }
}

/// The batch axis along which rows lie: index is broadcast along it, or is stored there for each
/// element, and may be equal along it.
pub(super) fn lane(work: &Work, index_bytes: u64) -> Option<usize> {
    let step = work.element as i64;
    let is_lane = |axis: &Axis| {
        let is_long =
            axis.size.saturating_mul(work.element as u64) >= WORTH_A_ROW || work.components.len() > 1;
        let may_be_equal = axis.index == index_bytes as i64
            && axis.size.is_multiple_of(COLUMNS_GRAIN)
            && axis.size <= COLUMNS;
        let is_one = axis.index == 0 || (may_be_equal && work.components.len() == 1);
        is_one && axis.out == step && (axis.src == step || !work.has_src) && is_long
    };
    work.batch.iter().position(is_lane)
}

/// The bytes of UB for sorting updates, and for the statuses of the blocks of `scatter_index`.
fn fixed(bits: u32, comparing_blocks: u32) -> u64 {
    // The last 512 bytes are for small buffers, whatever the dtype.
    let capacity = 1_u64 << bits;
    let sorter = capacity * (2 * 4 + 2 * 8);
    let updates = capacity * (2 * 4 + 3 * 4) + 2 * (capacity / 8).next_multiple_of(32);
    sorter + updates + u64::from(comparing_blocks) * STATUS_BYTES as u64 + 512
}

/// The bytes of UB for each byte of a row of a group.
fn per_byte(dtype: DType, reduce: Reduce, is_scaled: bool) -> u64 {
    let beside = match (dtype, reduce) {
        (DType::Bool, Reduce::None) => 2,
        (DType::F16 | DType::Bf16, reduce) if reduce != Reduce::None => 4,
        // The scalar unit needs no more for integers than the rows, nor what it makes of them.
        _ if is_scaled => 0,
        (DType::I8 | DType::U8 | DType::Bool, Reduce::Add) => 10,
        (DType::I64 | DType::I32 | DType::I16, Reduce::Add) => 4,
        _ => 0,
    };
    4 + beside
}
