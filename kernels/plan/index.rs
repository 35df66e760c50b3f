//! The plan of `scatter_index`, which turns index into a list of targets.

use super::axes::Work;
use super::update::{MARKED, count, fill};
use crate::tiling::{Axis, IndexTiling, MOST_TARGETS};

/// The entries of a chunk are a multiple of this where index has that many: a repeat of the vector
/// unit.
const REPEAT: u64 = 64;
/// The most entries of a chunk.
const CHUNK: u64 = 1984;
/// The bytes of UB that do not grow with a chunk.
const RESERVE: u64 = 1024;
/// The sorted lists of a sample are multiples of this many records: a block of UB, at which the
/// instruction that merges them needs its result to begin.
const LIST_GRAIN: u64 = 4;
/// A list of at most this many entries is never sampled: any plan of rows can sort all of it.
const SHORT: u64 = 1 << super::rows::FEWEST_BITS;
/// The sorter's room for keys, in entries: multiples of 256 bytes.
const SORT_GRAIN: u64 = 64;
/// The most chunks of a core that are sampled: to sample all would take longer than more equal
/// shares can gain.
const SAMPLED_CHUNKS: u64 = 4;
/// The most entries of a sampled chunk that are sorted.
const SAMPLED: u64 = 512;

/// The bytes of a record of a sample.
pub(super) const RECORD: usize = size_of::<u64>();

/// The bytes of the list, and of the sample behind it.
pub(super) const fn list_bytes(tiling: &IndexTiling) -> usize {
    let of_outer = tiling.padded as usize * size_of::<f32>() + tiling.sample as usize * RECORD;
    tiling.outers as usize * of_outer
}

/// Has the kernel take a sample of at most `most` entries, a multiple of 4, for each coordinate of
/// `outer`, for which each core samples a few chunks. Returns how many entries a sample has.
pub(super) fn sample(tiling: &mut IndexTiling, most: u64, cores: u64) -> u64 {
    let chunks = (SAMPLED_CHUNKS * cores / tiling.outers).max(1);
    let apart = tiling.chunks.div_ceil((most / LIST_GRAIN).min(chunks));
    let chunks = tiling.chunks.div_ceil(apart);
    let blocks = u64::from(tiling.chunk).div_ceil(SAMPLED);
    let list = most / chunks / LIST_GRAIN * LIST_GRAIN;
    // Half of what is sorted at the most, for which `bytes` leaves room.
    let picks = list.min((u64::from(tiling.chunk) / blocks / 2).max(1));
    let list = picks.next_multiple_of(LIST_GRAIN);
    tiling.picks = picks as u32;
    tiling.sample_list = list as u32;
    tiling.chunk_step = apart as u32;
    tiling.block_step = blocks as u32;
    tiling.sample = (chunks * list) as u32;
    chunks * picks
}

/// The plan for the index of rows: an entry for each update of each coordinate of `outer`, which
/// has `columns` columns that should be equal where index is not broadcast. `None` where the kernel
/// can't read this layout.
pub(super) fn plan(
    work: &Work,
    outer: &[Axis],
    columns: u64,
    index_bytes: u64,
    cores: u64,
    ub: u32,
) -> Option<IndexTiling> {
    let [update] = work.updates[..] else { return None };
    if work.window > 1 {
        return None;
    }
    let components = work.components.len() as u64;
    let together = components == 1 || work.component_stride == index_bytes as i64;
    // Otherwise all entries may have their components of one axis in a row.
    let is_row = update.index == index_bytes as i64 && work.component_stride != 0;
    let by_axis = !together && is_row && columns == 1;
    let are_few = work.target_count <= MOST_TARGETS && i32::try_from(update.size).is_ok();
    if components == 0 || !(together || by_axis) || !are_few {
        return None;
    }
    let entry = match columns {
        1 if by_axis => 1,
        1 => components,
        columns => columns,
    };
    // Entries that aren't adjacent get blocks of UB of their own.
    let values = if update.index == (entry * index_bytes) as i64 {
        entry
    } else {
        (entry * index_bytes).next_multiple_of(32) / index_bytes
    };
    let may_sample = update.size > SHORT;
    let form = match values {
        _ if by_axis => Form::ByAxis(components),
        1 if work.apart == 0 => Form::Plain,
        values => Form::Entries { values, columns },
    };
    let fits = |chunk: u64| bytes(chunk, form, index_bytes, may_sample) <= u64::from(ub);
    let outers = count(outer);
    let wanted = (outers * update.size).div_ceil(cores).next_multiple_of(REPEAT).min(CHUNK);
    let chunk = core::iter::successors(Some(wanted), |&chunk| (chunk > 1).then_some(chunk / 2))
        .find(|&chunk| fits(chunk))?;
    let mut tiling = IndexTiling {
        index_bytes: index_bytes as u32,
        index_offset: work.offsets.index,
        columns: columns as u32,
        update: Axis { out: work.apart as i64, ..update },
        outers,
        padded: update.size.next_multiple_of(REPEAT),
        chunks: update.size.div_ceil(chunk),
        chunk: chunk as u32,
        values: values as u32,
        component_step: if by_axis { work.component_stride } else { 0 },
        ..IndexTiling::default()
    };
    tiling.components = fill(&mut tiling.component, &work.components);
    tiling.outer_axes = fill(&mut tiling.outer, outer);
    Some(tiling)
}

/// How the entries of a chunk lie in UB.
#[derive(Clone, Copy)]
enum Form {
    /// Adjacent, each of one value, which is its target.
    Plain,
    /// This many values apart, with a number of columns.
    Entries { values: u64, columns: u64 },
    /// Adjacent, once for each of their components.
    ByAxis(u64),
}

/// The bytes of UB that a chunk takes.
const fn bytes(chunk: u64, form: Form, index_bytes: u64, may_sample: bool) -> u64 {
    let entries = chunk.next_multiple_of(MARKED);
    let raw = match form {
        Form::Plain => (chunk * index_bytes).next_multiple_of(32),
        Form::Entries { values, .. } => (chunk * values * index_bytes).next_multiple_of(32),
        Form::ByAxis(components) => (chunk * index_bytes).next_multiple_of(32) * components,
    };
    // For a sample: keys and words, two buffers of records of both, and the picked ones.
    let sorted = (if chunk < SAMPLED { chunk } else { SAMPLED }).next_multiple_of(SORT_GRAIN);
    let sample = if may_sample { sorted * (2 * 4 + 2 * 8) + sorted / 2 * 8 } else { 0 };
    let plain = 2 * raw + 2 * entries * 4 + 2 * entries / 8 + sample + RESERVE;
    match form {
        Form::Plain => plain,
        Form::ByAxis(_) => plain + 2 * entries * 4,
        Form::Entries { values, columns } => {
            let first = if columns > 1 { entries * 32 } else { 0 };
            plain + (chunk * values * 4).next_multiple_of(32) + 3 * entries * 4 + first
        }
    }
}
