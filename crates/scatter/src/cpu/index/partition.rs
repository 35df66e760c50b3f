//! A stable counting partition: entries into buckets, each of which keeps the order in which they
//! came.

use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::cpu::prefetch::CACHE_LINE;
use crate::cpu::threads;
use crate::cpu::threads::room::{NoMemory, reserved, zeros};

/// An entry: the number of its target, and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Entry {
    pub(in crate::cpu) target: u32,
    pub(in crate::cpu) number: u32,
}

impl Entry {
    /// The entry in 8 bytes.
    #[inline(always)]
    pub(in crate::cpu) const fn packed(self) -> u64 {
        (self.target as u64) << 32 | self.number as u64
    }

    #[inline(always)]
    const fn of(packed: u64) -> Self {
        Self { target: (packed >> 32) as u32, number: packed as u32 }
    }
}

/// Entries by group of buckets: 8 bytes for each, and as many counts per thread as there are
/// buckets, with a cache line between those of two threads.
#[derive(Debug)]
pub(in crate::cpu) struct Partition {
    entries: Vec<u64>,
    /// Per part of the entries and bucket.
    counts: Vec<AtomicU32>,
    /// The first bucket of each bucket's group.
    group_of: Vec<u32>,
    /// Where the entries of each group start, and where the last ones end.
    starts: Vec<u32>,
    /// The first bucket of each group, and the number of buckets.
    firsts: Vec<usize>,
}

/// How entries are divided.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Division {
    pub(in crate::cpu) number: usize,
    /// A bucket has `1 << shift` targets.
    pub(in crate::cpu) shift: u32,
    /// About how many groups; `None` for one of each bucket.
    pub(in crate::cpu) groups: Option<usize>,
}

/// Entries that follow one another: the bucket of target 0, the number of the first entry, and the
/// targets of all.
pub(in crate::cpu) type Block<'a> = (usize, u32, &'a [u32]);

/// Calls its function with all blocks of a range of entries, in order.
pub(in crate::cpu) type EachBlock<'a> = dyn Fn(Range<u32>, &mut dyn FnMut(Block<'_>)) + Sync + 'a;

impl Partition {
    /// Memory for `len` entries, `buckets` and `parts` at the most.
    pub(in crate::cpu) fn new(len: u32, buckets: usize, parts: usize) -> Result<Self, NoMemory> {
        Ok(Self {
            entries: zeros(len as usize)?,
            counts: reserved(parts.saturating_mul(stride(buckets)))?,
            group_of: reserved(buckets)?,
            starts: reserved(buckets + 1)?,
            firsts: reserved(buckets + 1)?,
        })
    }

    /// Partitions entries `0..len`: target `t` of a block goes to the block's bucket plus
    /// `t >> shift`. A group is a bucket, or a run of successive ones, so that there are about
    /// `groups` with an equal number of entries. `blocks` is called twice and must do the same. The
    /// entries of an earlier call are gone.
    pub(in crate::cpu) fn fill(
        &mut self,
        len: u32,
        Division { number: buckets, shift, groups }: Division,
        parts: usize,
        blocks: &EachBlock<'_>,
    ) {
        // Each part of the entries has its own counts and write positions, the parts in order. No
        // two tasks write the same count or entry: relaxed atomics say so to the compiler, and cost
        // nothing.
        let part = |number: usize| {
            let part = threads::share(len as usize, parts, number);
            part.start as u32..part.end as u32
        };
        let Self { entries, counts, group_of, starts, firsts } = self;
        counts.clear();
        let stride = stride(buckets);
        counts.resize_with(parts * stride, AtomicU32::default);
        let counts = &*counts;
        threads::run(parts, parts > 1, &|number| {
            let counts = &counts[number * stride..][..buckets];
            blocks(part(number), &mut |(bucket, _, targets)| {
                for &target in targets {
                    next(&counts[bucket + (target >> shift) as usize]);
                }
            });
        });

        // Turns counts by bucket into where the entries of each part start in each group.
        let share = groups.map_or(0, |groups| len.div_ceil(groups.max(1) as u32));
        let of_bucket = |bucket: usize| counts.iter().skip(bucket).step_by(stride);
        group_of.clear();
        group_of.resize(buckets, 0);
        let mut at = 0;
        starts.clear();
        firsts.clear();
        let mut bucket = 0;
        while bucket < buckets {
            let (first, start) = (bucket, at);
            firsts.push(first);
            starts.push(start);
            loop {
                group_of[bucket] = first as u32;
                at += of_bucket(bucket).map(|count| count.load(Ordering::Relaxed)).sum::<u32>();
                bucket += 1;
                if bucket == buckets || at - start >= share {
                    break;
                }
            }
            // From here on, a part's counter of the first bucket is its write position in the
            // group.
            let mut next = start;
            for part in counts.chunks(stride) {
                let entries: u32 =
                    part[first..bucket].iter().map(|count| count.load(Ordering::Relaxed)).sum();
                part[first].store(next, Ordering::Relaxed);
                next += entries;
            }
        }
        starts.push(at);
        firsts.push(buckets);

        let group_of = &*group_of;
        let entries = entries[..len as usize].as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: the slice covers the first `len` entries, which nobody else touches while it
        // lives; an atomic has the size of an entry and, as is asserted below, its alignment.
        let entries = unsafe { core::slice::from_raw_parts(entries, len as usize) };
        const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) };
        threads::run(parts, parts > 1, &|number| {
            let counts = &counts[number * stride..][..buckets];
            blocks(part(number), &mut |(bucket, first, targets)| {
                for (entry, &target) in (first..).zip(targets) {
                    let group = group_of[bucket + (target >> shift) as usize];
                    let at = next(&counts[group as usize]);
                    let packed = Entry { target, number: entry }.packed();
                    entries[at as usize].store(packed, Ordering::Relaxed);
                }
            });
        });
    }

    /// The number of groups.
    pub(in crate::cpu) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The buckets of a group.
    pub(in crate::cpu) fn buckets(&self, group: usize) -> Range<usize> {
        self.firsts[group]..self.firsts[group + 1]
    }

    /// The entries of a group; one may look ahead beyond them as far as those of group `end`.
    pub(in crate::cpu) fn group(&self, number: usize, end: usize) -> Group<'_> {
        let [start, after, end] =
            [number, number + 1, end.max(number + 1)].map(|at| self.starts[at] as usize);
        Group { entries: &self.entries[start..end], len: after - start }
    }

    /// The ends of turns, which are runs of successive groups. There are about `number` turns. None
    /// has more than an equal share of the groups, nor, without its last group, of the entries.
    pub(in crate::cpu) fn turns(&self, number: usize) -> Vec<usize> {
        let share = |all: usize| all.div_ceil(number.max(1)).max(1);
        let (groups, entries) = (share(self.len()), share(self.starts.last().map_or(0, |&all| all as usize)));
        let mut ends = Vec::new();
        let mut first = 0;
        for end in 1..=self.len() {
            let has = (self.starts[end] - self.starts[first]) as usize;
            if end == self.len() || end - first >= groups || has >= entries {
                ends.push(end);
                first = end;
            }
        }
        ends
    }

    /// The number of entries in the fullest group.
    pub(in crate::cpu) fn most(&self) -> usize {
        self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0)
    }
}

/// The bytes of the counts of `buckets` buckets for `parts` parts.
pub(in crate::cpu) const fn count_bytes(buckets: usize, parts: usize) -> usize {
    stride(buckets) * parts * size_of::<AtomicU32>()
}

/// The distance from the counts of one part to those of the next, in counts. No cache line has
/// counts of two parts, which two threads would write in turn.
const fn stride(buckets: usize) -> usize {
    buckets + CACHE_LINE / size_of::<AtomicU32>()
}

/// Returns a count, and then increments it.
#[inline(always)]
fn next(count: &AtomicU32) -> u32 {
    let old = count.load(Ordering::Relaxed);
    count.store(old + 1, Ordering::Relaxed);
    old
}

/// The entries of one group.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Group<'a> {
    /// The group's entries, and behind them those of the groups that follow.
    entries: &'a [u64],
    len: usize,
}

impl<'a> Group<'a> {
    /// The first `len` of packed entries; one may look ahead to the others.
    pub(in crate::cpu) fn new(entries: &'a [u64], len: usize) -> Self {
        Self { entries, len }
    }

    /// The number of entries.
    #[inline(always)]
    pub(in crate::cpu) const fn len(&self) -> usize {
        self.len
    }

    /// The entry at `at`, one of these.
    #[inline(always)]
    pub(in crate::cpu) fn entry(&self, at: usize) -> Entry {
        Entry::of(self.entries[at])
    }

    /// The entries, in order.
    #[inline(always)]
    pub(in crate::cpu) fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries[..self.len].iter().map(|&packed| Entry::of(packed))
    }

    /// The entry at `at`, which may be one of the groups that follow; `None` beyond them.
    #[inline(always)]
    pub(in crate::cpu) fn ahead(&self, at: usize) -> Option<Entry> {
        self.entries.get(at).map(|&packed| Entry::of(packed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_keep_the_order_in_which_entries_came() {
        let targets: Vec<u32> = (0..1000_u32).map(|entry| entry.wrapping_mul(2_654_435_761) >> 24).collect();
        let blocks = |range: Range<u32>, visit: &mut dyn FnMut(Block<'_>)| {
            for first in range.clone().step_by(7) {
                visit((0, first, &targets[first as usize..range.end.min(first + 7) as usize]));
            }
        };
        for (parts, groups) in
            [(1, None), (2, None), (1001, None), (1, Some(1)), (5, Some(3)), (2, Some(100))]
        {
            let mut partition = Partition::new(1000, 16, parts).unwrap();
            partition.fill(1000, Division { number: 16, shift: 4, groups }, parts, &blocks);
            let (mut seen, mut buckets) = (0, 0);
            for number in 0..partition.len() {
                let (group, range) = (partition.group(number, partition.len()), partition.buckets(number));
                assert_eq!(range.start, buckets);
                buckets = range.end;
                let entries: Vec<Entry> = group.iter().collect();
                assert!(entries.iter().all(|entry| range.contains(&(entry.target as usize >> 4))));
                assert!(entries.iter().all(|entry| entry.target == targets[entry.number as usize]));
                assert!(entries.is_sorted_by(|a, b| a.number < b.number), "{parts} parts: {entries:?}");
                seen += entries.len();
            }
            assert_eq!((seen, buckets), (1000, 16), "{parts} parts, {groups:?} groups");
            assert!(groups.is_none_or(|groups| partition.len() <= groups));
            for number in [1, 3, 1000] {
                let ends = partition.turns(number);
                assert!(ends.is_sorted_by(|a, b| a < b) && ends.last() == Some(&partition.len()), "{ends:?}");
            }
        }
    }
}
