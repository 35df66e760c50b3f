//! Memory beside the operands. Where the system refuses it, loops that need it do nothing, and
//! others run, or the call is refused.

use bytemuck::Zeroable;

use crate::cpu::slot;
use crate::cpu::threads::available;

/// The system refused this many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct NoMemory {
    pub(in crate::cpu) bytes: usize,
}

impl NoMemory {
    fn of<T>(len: usize) -> Self {
        Self { bytes: len.saturating_mul(size_of::<T>()) }
    }
}

/// Makes the destination ready to be updated, for example by a copy of self. Loops call it once,
/// when they have all their memory and before they read or write the destination.
pub(in crate::cpu) type Ready<'a> = &'a dyn Fn();

/// An empty vector with room for `len` values.
pub(in crate::cpu) fn reserved<T>(len: usize) -> Result<Vec<T>, NoMemory> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| NoMemory::of::<T>(len))?;
    Ok(values)
}

/// Room for `len` slots of some kind: zeros, unless they are in place.
pub(in crate::cpu) fn reserved_slots(len: usize, kind: slot::Kind) -> Result<Vec<u128>, NoMemory> {
    let bytes = len.saturating_mul(kind.bytes);
    let words = bytes.div_ceil(size_of::<u128>());
    let slots = if kind.in_place { reserved(words) } else { zeros(words) };
    slots.map_err(|_| NoMemory { bytes })
}

/// `len` zeros.
pub(in crate::cpu) fn zeros<T: Zeroable>(len: usize) -> Result<Vec<T>, NoMemory> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| NoMemory::of::<T>(len))
}

/// Memory that a thread uses again while it goes from task to task.
#[derive(Debug, Default)]
pub(in crate::cpu) struct Scratch {
    words: Vec<u128>,
    counts: Vec<u32>,
}

impl Scratch {
    fn new(bytes: usize, counts: usize) -> Result<Self, NoMemory> {
        Ok(Self { words: zeros(bytes.div_ceil(size_of::<u128>()))?, counts: reserved(counts)? })
    }

    /// Memory for slots of some bytes in all, no more than the [`Room`] was made for: zeros, or
    /// values of an earlier task.
    pub(in crate::cpu) fn slots(&mut self, bytes: usize) -> *mut u8 {
        debug_assert!(bytes <= self.words.len() * size_of::<u128>());
        self.words.as_mut_ptr().cast()
    }

    /// `len` counts, all of them 0; no more than the [`Room`] was made for.
    pub(in crate::cpu) fn counts(&mut self, len: usize) -> &mut [u32] {
        self.counts.clear();
        self.counts.resize(len, 0);
        &mut self.counts
    }
}

/// A [`Scratch`] for each thread that takes part.
#[derive(Debug, Default)]
pub(in crate::cpu) struct Room {
    pub(in crate::cpu) first: Scratch,
    #[cfg_attr(
        not(feature = "rayon"),
        expect(dead_code, reason = "there is one thread, and it has the first")
    )]
    pub(in crate::cpu) others: Vec<Scratch>,
}

impl Room {
    /// Memory for the threads that `tasks` are spread over, if that is worth it: each needs `bytes`
    /// for slots and `counts` at the most. Where there is not enough for all threads, fewer take
    /// part.
    pub(in crate::cpu) fn new(
        tasks: usize,
        worth_it: bool,
        bytes: usize,
        counts: usize,
    ) -> Result<Self, NoMemory> {
        let new = || Scratch::new(bytes, counts);
        let first = new()?;
        let others = (1..available::parts(tasks, worth_it)).map_while(|_| new().ok()).collect();
        Ok(Self { first, others })
    }
}
