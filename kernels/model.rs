//! The host model's options and what it says of a launch: `model/include/ascendc_model.h` in Rust.

use core::ffi::c_char;
use core::ptr;

/// How strict the model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Mode {
    /// Every rule is checked, and instructions execute late, in an order that a seed decides.
    #[default]
    Strict = 0,
    /// No rule is checked, and every instruction executes at once.
    Fast = 1,
}

/// How launches run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Options {
    /// How strict the model is.
    pub mode: Mode,
    /// Threads that run blocks; 0 is one per processor.
    pub threads: u32,
    /// Decides every order that the kernel leaves open.
    pub seed: u64,
    /// Reports kept of a launch; the rest is counted only.
    pub max_reports: u32,
    /// Zero.
    pub reserved: u32,
}

impl Options {
    /// Strict, on the calling thread alone.
    #[must_use]
    pub const fn strict(seed: u64) -> Self {
        Self { mode: Mode::Strict, threads: 1, seed, max_reports: 32, reserved: 0 }
    }

    /// Fast, on the calling thread alone.
    #[must_use]
    pub const fn fast() -> Self {
        Self { mode: Mode::Fast, ..Self::strict(0) }
    }
}

/// What a launch did, summed over its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Counters {
    /// Instructions of the pipes S (scalar reads and writes of UB), V, MTE2 and MTE3.
    pub instructions: [u64; 4],
    /// Bytes that the pipes moved; S's are not counted.
    pub bytes: [u64; 4],
    /// Repeats of 256 bytes on V, bursts on MTE2 and MTE3.
    pub repeats: [u64; 4],
    /// Thousandths of a cycle during which the pipes were busy.
    pub busy_millicycles: [u64; 4],
    /// Words of UB that the scalar unit read.
    pub ub_scalar_reads: u64,
    /// Words of UB that the scalar unit wrote.
    pub ub_scalar_writes: u64,
    /// Words of GM that the scalar unit read.
    pub gm_scalar_reads: u64,
    /// Bytes of GM that DMA read.
    pub gm_read_bytes: u64,
    /// Bytes of GM that DMA wrote.
    pub gm_written_bytes: u64,
    /// Flags set.
    pub flags: u64,
    /// Barriers.
    pub barriers: u64,
    /// Thousandths of a cycle of the longest block.
    pub millicycles: u64,
    /// The modelled time of the launch.
    pub nanoseconds: u64,
}

/// What the model says that things cost, on an Ascend 910B1. `model/include/model/cost.h` has the source of each
/// constant. In thousandths of a cycle where no other unit is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Costs {
    /// Vector cores.
    pub cores: u64,
    /// Their clock.
    pub megahertz: u64,
    /// Bytes that one core reads or writes in a cycle.
    pub gm_bytes_per_cycle: u64,
    /// Bytes that all cores together read and write in a nanosecond.
    pub gm_bytes_per_nanosecond: u64,
    /// The head of a copy.
    pub copy_head: u64,
    /// The head of each further block of a copy.
    pub copy_block: u64,
    /// How long the bytes of a block off 512 bytes take, in hundredths of those of another.
    pub unaligned_percent: u64,
    /// From the last byte that is read to the flag that says so.
    pub read_latency: u64,
    /// The same of a write.
    pub write_latency: u64,
    /// 256 bytes on the vector unit.
    pub vector_repeat: u64,
    /// One scalar access to UB.
    pub scalar_ub: u64,
}

unsafe extern "C" {
    fn ascendc_model_configure(options: *const Options);
    safe fn ascendc_model_report_count() -> u64;
    fn ascendc_model_report_text(text: *mut c_char, capacity: usize) -> usize;
    fn ascendc_model_last_counters(counters: *mut Counters);
    fn ascendc_model_cost_table(costs: *mut Costs);
}

/// Sets the options of the launches that this thread makes from now on; `None` returns to those of the environment
/// (`SCATTER_MODEL`, `SCATTER_MODEL_SEED`, `SCATTER_MODEL_THREADS`).
pub fn configure(options: Option<&Options>) {
    // SAFETY: null, or options of the header's layout, which are copied.
    unsafe { ascendc_model_configure(options.map_or(ptr::null(), ptr::from_ref)) }
}

/// How many rules the last launch of this thread broke.
#[must_use]
pub fn report_count() -> u64 {
    ascendc_model_report_count()
}

/// What the last launch of this thread is reported for, one line for each; empty where there is nothing.
#[must_use]
pub fn reports() -> String {
    // SAFETY: nothing is written into no bytes.
    let length = unsafe { ascendc_model_report_text(ptr::null_mut(), 0) };
    let mut text = vec![0_u8; length + 1];
    // SAFETY: as many bytes as are said.
    unsafe { ascendc_model_report_text(text.as_mut_ptr().cast(), text.len()) };
    text.truncate(length);
    String::from_utf8_lossy(&text).into_owned()
}

/// What the last launch of this thread did.
#[must_use]
pub fn counters() -> Counters {
    let mut counters = Counters::default();
    // SAFETY: counters of the header's layout.
    unsafe { ascendc_model_last_counters(&mut counters) };
    counters
}

/// The cost table.
#[must_use]
pub fn costs() -> Costs {
    let mut costs = Costs::default();
    // SAFETY: costs of the header's layout.
    unsafe { ascendc_model_cost_table(&mut costs) };
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_table_has_the_layout_of_the_header() {
        let Costs { cores, megahertz, copy_head, unaligned_percent, read_latency, scalar_ub, .. } = costs();
        assert_eq!(
            (cores, megahertz, copy_head, unaligned_percent, read_latency, scalar_ub),
            (48, 1850, 15_600, 128, 241_000, 11_000)
        );
    }
}
