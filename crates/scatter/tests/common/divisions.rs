//! The ways in which the CPU engine can do a call, and the threads to do it on.

use scatter::cpu::internals::{Limits, Pattern, Simd};

/// As a user gets it, and each pattern, whether it suits the call or not, divided so finely that
/// small problems meet every seam. The instruction sets of this machine go round; one `turn` later
/// each way has the next of them.
pub(crate) fn divisions(turn: u64) -> Vec<Limits> {
    let usual = Limits::default();
    let finely =
        [(None, usual.slots, usual.slots_at_most), (Some(2), 8, 16), (Some(7), 1, 3), (Some(1000), 1, 1)];
    // Miri takes seconds for each.
    let finely = if cfg!(miri) { &finely[2..3] } else { &finely[..] };
    let patterns = [None].into_iter().chain(Pattern::ALL.map(Some));
    let levels = Simd::all();
    let first = (turn % levels.len() as u64) as usize;
    let mut simd = levels.into_iter().cycle().skip(first);
    let divisions = patterns.flat_map(|pattern| {
        finely.iter().map(move |&(tasks, slots, slots_at_most)| Limits {
            tasks,
            slots,
            slots_at_most,
            pattern,
            ..usual
        })
    });
    let divisions = divisions.map(|limits| Limits { simd: simd.next().unwrap_or_default(), ..limits });
    [usual].into_iter().chain(divisions).collect()
}

/// Runs `f` on a pool of `threads`.
pub(crate) fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    let (mut f, mut result) = (Some(f), None);
    on_pool(threads, &mut || result = f.take().map(|f| f()));
    result.unwrap()
}

/// Not generic, so that rayon's functions are compiled once, and not for each closure.
fn on_pool(threads: usize, f: &mut (dyn FnMut() + Send)) {
    #[cfg(feature = "rayon")]
    {
        use std::collections::BTreeMap;
        use std::sync::{Arc, Mutex};
        // One pool for each number of threads, which is never dropped: rayon doesn't wait for the
        // threads of one that is dropped, and a leak checker that meets them on their way out
        // reports what they still hold.
        static POOLS: Mutex<BTreeMap<usize, Arc<rayon::ThreadPool>>> = Mutex::new(BTreeMap::new());
        let new = || Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        let pool = Arc::clone(POOLS.lock().unwrap().entry(threads).or_insert_with(new));
        pool.install(f);
    }
    #[cfg(not(feature = "rayon"))]
    {
        let _ = threads;
        f();
    }
}
