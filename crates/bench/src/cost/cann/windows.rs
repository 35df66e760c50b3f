//! `Scatter`, which copies windows into a tensor, without a look at index.
//!
//! Which calls go there, and the launches around it, from `aclnn_scatter_update.cpp` (ops-nn,
//! e5c3fa93): data, indices and updates that are not contiguous are copied before, and the five
//! dtypes of an A2 go to the one kernel. Its code for this family is in the CANN package
//! (`scatter_kv_cache.py`, 8.1.RC1), where a core loads all of index, then its share of updates
//! into one buffer, from which it stores them: a window, or as much of it as fits, by one copy in
//! each direction. What chooses among the code's thirteen modes is not public. Here a call takes
//! the faster of two:
//! - each core has whole windows, which it loads at once where all fit in UB, or else one after the
//!   other (modes 100, 102 and 104);
//! - each core has a part of every window, one after the other (mode 110).
//!
//! Counted: heads, bytes and latencies of copies, and that a load waits for the store before it out
//! of the same buffer.
//!
//! Not counted: the scalar unit's time, and the copy to data behind the kernel. In the sources the
//! kernel's result is a tensor of its own. But the kernel writes nothing beside the windows, so
//! that tensor must be data's memory, and there is nothing to copy.

use engines::case::Case;
use scatter::DType;
use scatter_kernels::model::Costs;

use super::{Absent, Kernel, Path, Work, moved};

/// Bytes of UB of a device of this family.
const UB: u64 = 196_608;

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Windows that are contiguous in data: for each sequence one for each coordinate of the axes
    /// between the first one and the windows'.
    pub(crate) windows: u64,
    /// Elements along the axis of a window, and the bytes of each.
    pub(crate) tokens: u64,
    pub(crate) token: u64,
    pub(crate) index_bytes: u64,
    /// Whether updates must be copied before.
    pub(crate) is_strided: bool,
}

impl Call {
    /// The call of a case along `axis`. There is none along the last axis, for which the kernel has
    /// other modes, nor of a data that isn't contiguous.
    pub(crate) fn of(case: &Case, axis: usize) -> Result<Self, Absent> {
        let dtype = case.dtype();
        if !matches!(dtype, DType::I8 | DType::F16 | DType::Bf16 | DType::F32 | DType::I32) {
            return Err(Absent::Unknown);
        }
        let src = case.src.as_ref().ok_or(Absent::Unknown)?;
        if axis + 1 >= src.shape.len() || !case.self_.is_contiguous() {
            return Err(Absent::Unknown);
        }
        let product = |sizes: &[usize]| sizes.iter().product::<usize>() as u64;
        Ok(Self {
            windows: product(&src.shape[..axis]),
            tokens: src.shape[axis] as u64,
            token: product(&src.shape[axis + 1..]) * dtype.size() as u64,
            index_bytes: case.index.storage.bytes().len() as u64,
            is_strided: !src.is_contiguous(),
        })
    }

    const fn bytes(&self) -> u64 {
        self.windows * self.tokens * self.token
    }

    /// The time of a core that has whole windows.
    fn whole(&self, costs: &Costs) -> u64 {
        let share = self.windows.div_ceil(costs.cores);
        let window = self.tokens * self.token;
        if share * window <= UB - self.index_bytes {
            return load(share * window, costs)
                + share * costs.copy_head
                + moved(share * window, costs)
                + costs.write_latency;
        }
        share * self.in_turn(window, costs)
    }

    /// The time of a core that has a part of every window.
    fn parts(&self, costs: &Costs) -> u64 {
        self.windows * self.in_turn(self.tokens.div_ceil(costs.cores) * self.token, costs)
    }

    /// The time in which `bytes` adjacent bytes are loaded and stored, as many at a time as fit.
    fn in_turn(&self, bytes: u64, costs: &Costs) -> u64 {
        let pieces = bytes.div_ceil(UB - self.index_bytes);
        let waits = 2 * costs.copy_head + costs.read_latency + costs.write_latency;
        pieces * waits + 2 * moved(bytes, costs)
    }
}

/// A copy of `bytes` bytes to UB that is waited for.
fn load(bytes: u64, costs: &Costs) -> u64 {
    costs.copy_head + moved(bytes, costs) + costs.read_latency
}

/// The whole path of a call.
pub(crate) fn path(call: &Call, costs: &Costs) -> Path {
    let (whole, parts) = (call.whole(costs), call.parts(costs));
    let blocks = if whole <= parts { call.windows } else { call.tokens }.min(costs.cores);
    let (bytes, index) = (call.bytes(), blocks * call.index_bytes);
    let work = Work {
        millicycles: load(call.index_bytes, costs) + whole.min(parts),
        moved_bytes: index + 2 * bytes,
        working_set: call.index_bytes + 2 * bytes,
    };
    let mut path = Path {
        kernel: Kernel::Scatter,
        launches: 1,
        blocks,
        scalar_accesses: 0,
        read_bytes: index + bytes,
        written_bytes: bytes,
        picoseconds: work.launched(costs),
    };
    if call.is_strided {
        path.also(bytes, bytes, costs);
    }
    path
}

#[cfg(test)]
mod tests {
    use scatter_kernels::model::costs;

    use super::*;
    use crate::workload::Workload;

    /// One token of 256 bytes for each of 32 sequences with 8 heads.
    const DECODE: Call = Call { windows: 256, tokens: 1, token: 256, index_bytes: 256, is_strided: false };

    #[test]
    fn a_window_is_what_is_contiguous_behind_its_axis() {
        let of = |name: &str| {
            let drawn = Workload::named_of_kernels(name).unwrap().divided(16).draw(1).unwrap();
            Call::of(&drawn.case, 2).unwrap()
        };
        let Call { windows, tokens, token, index_bytes, is_strided } = of("cache-decode");
        assert_eq!((windows, tokens, token, index_bytes, is_strided), (256, 1, 256, 256, false));
        let Call { windows, tokens, token, .. } = of("cache-prefill");
        assert_eq!((windows, tokens, token), (8, 512, 256));
        assert!(of("cache-prefill-transposed").is_strided);
        assert_eq!(of("cache-prefill-numbered").index_bytes, 16);
        let other = Workload::named_of_kernels("cache-decode").unwrap().divided(16).draw(1).unwrap();
        assert!(Call::of(&other.case, 3).is_err(), "the last axis");
    }

    #[test]
    fn few_bytes_are_loaded_at_once_and_stored_window_by_window() {
        let costs = &costs()[0];
        let path = path(&DECODE, costs);
        assert_eq!((path.launches, path.blocks), (1, 48));
        assert_eq!((path.read_bytes, path.written_bytes), (256 * 256 + 48 * 256, 256 * 256));
        // Six windows on the longest core: index, all windows, and six stores.
        let cycles = load(256, costs)
            + load(6 * 256, costs)
            + 6 * costs.copy_head
            + moved(6 * 256, costs)
            + costs.write_latency;
        let expected = cycles * 1000 / costs.megahertz + costs.cann_launch_nanoseconds * 1000;
        assert_eq!(path.picoseconds, expected);
    }

    #[test]
    fn few_long_windows_are_cut_for_all_cores() {
        let costs = &costs()[0];
        let prompt = Call { windows: 8, tokens: 512, index_bytes: 8, ..DECODE };
        let cut = path(&prompt, costs);
        assert_eq!((cut.blocks, cut.read_bytes), (48, 8 * 512 * 256 + 48 * 8));
        // With as many windows as cores each has a whole one.
        let many = Call { windows: 48, ..prompt };
        assert!(many.whole(costs) < many.parts(costs));
        // What fits in UB is loaded by one copy, and waited for once.
        let [held, more] = [768, 769].map(|tokens| Call { tokens, index_bytes: 0, ..many }.whole(costs));
        assert!(more - held > costs.read_latency, "{held} {more}");
        // Updates that are not contiguous are copied by another launch.
        let strided = path(&Call { is_strided: true, ..prompt }, costs);
        assert_eq!((strided.launches, strided.read_bytes), (2, cut.read_bytes + 8 * 512 * 256));
    }
}
