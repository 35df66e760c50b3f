//! The machine that a plan is made for.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::sync::OnceLock;

use crate::cpu::threads::available;

/// The bytes of a line that stays in a near cache while its elements are updated in any order: a
/// quarter of the 1 MiB of L2 that a core has on the machine that this was measured on, for index,
/// src and the next line pass through as well.
const NEAR: usize = 1 << 18;

/// The properties of a machine that decide how a call is done. Its instruction set is none of them:
/// each loop takes the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The threads that tasks are spread over.
    pub threads: usize,
    /// The bytes that stay in a near cache.
    pub near: usize,
    /// Whether to prefetch what is read once, from one end to the other, by a loop that reads
    /// nothing else: index values that are checked. Of the two processors that were measured, a Zen
    /// 5 takes 0.8 of the time so, and a Zen 4, whose hardware prefetches early enough, up to 1.5
    /// times. Other processors are taken to be like the Zen 4.
    pub prefetches_single_streams: bool,
}

impl Machine {
    /// A machine with `threads`, and the caches of the one that this was measured on.
    #[must_use]
    pub const fn with_threads(threads: usize) -> Self {
        Self { threads, near: NEAR, prefetches_single_streams: false }
    }

    /// This machine, with the threads that the caller can have.
    #[must_use]
    pub fn here() -> Self {
        let prefetches_single_streams = prefetches_single_streams();
        Self { prefetches_single_streams, ..Self::with_threads(available::count()) }
    }

    /// Whether `values`, of `bytes` each, stay in a near cache.
    pub(in crate::cpu) const fn is_near(self, values: usize, bytes: usize) -> bool {
        values.saturating_mul(bytes) <= self.near
    }
}

/// [`Machine::prefetches_single_streams`] of this machine, which is found out once.
fn prefetches_single_streams() -> bool {
    // Miri knows no CPUID.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        static PREFETCHES: OnceLock<bool> = OnceLock::new();
        *PREFETCHES.get_or_init(is_zen_5)
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}

/// Whether this is an AMD processor of family 26, which Zen 5 began; later ones of the family are
/// taken to be like it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn is_zen_5() -> bool {
    use core::arch::x86_64::{__cpuid, CpuidResult};
    // SAFETY: every x86-64 processor has the instruction and these two leaves.
    #[allow(unused_unsafe, reason = "newer versions of Rust have it as a safe function")]
    let [CpuidResult { ebx, ecx, edx, .. }, CpuidResult { eax, .. }] =
        [0, 1].map(|leaf| unsafe { __cpuid(leaf) });
    let vendor = [ebx, edx, ecx].map(u32::to_le_bytes);
    let (base, extended) = (eax >> 8 & 0xf, eax >> 20 & 0xff);
    vendor.as_flattened() == b"AuthenticAMD" && base + extended == 26
}
