//! The host model's options and what it reports of a launch: `model/include/ascendc_model.h` in
//! Rust.

use core::ffi::c_char;
use core::ops::AddAssign;
use core::ptr;

use crate::Soc;

/// Whether the kernels are compiled so that the model charges them for their loops and basic blocks
/// (feature `cost`). Without, modelled times lack that, which is most of the scalar unit's time.
pub const CHARGES_CODE: bool = cfg!(feature = "cost");

/// How strict the model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Mode {
    /// Every rule is checked, and instructions execute as late as is allowed, in an order that a
    /// seed decides.
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
    /// The most reports that are kept of a launch; further ones are only counted.
    pub max_reports: u32,
    /// Vector cores of the device whose time is modelled; 0 is as many as the cost table says.
    pub cores: u32,
    /// The bytes of UB that a kernel may have, 248 KiB at most; 0 is what A2 and A3 have.
    pub ub: u32,
    /// Zero.
    pub reserved: u32,
}

impl Options {
    /// Strict, on the calling thread alone.
    #[must_use]
    pub const fn strict(seed: u64) -> Self {
        Self { mode: Mode::Strict, threads: 1, seed, max_reports: 32, cores: 0, ub: 0, reserved: 0 }
    }

    /// Fast, on the calling thread alone.
    #[must_use]
    pub const fn fast() -> Self {
        Self { mode: Mode::Fast, ..Self::strict(0) }
    }

    /// With this processor's cores and UB. Instructions cost what they cost on an Ascend 910B1.
    #[must_use]
    pub const fn on(self, soc: &Soc) -> Self {
        Self { cores: soc.cores, ub: soc.ub, ..self }
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
    /// Thousandths of a cycle during which the pipes were busy, in the cautious setting.
    pub busy_millicycles: [u64; 4],
    /// Words of UB that the scalar unit read.
    pub ub_scalar_reads: u64,
    /// Of these reads, those from the same buffer as the read before.
    pub ub_scalar_next_reads: u64,
    /// Words of UB that the scalar unit wrote.
    pub ub_scalar_writes: u64,
    /// Words of GM that the scalar unit read.
    pub gm_scalar_reads: u64,
    /// Iterations of loops, and calls and returns, of the scalar unit.
    pub scalar_iterations: u64,
    /// Basic blocks that the scalar unit ran through. They depend on how the compiler cuts the
    /// code.
    pub scalar_blocks: u64,
    /// Bytes of GM that DMA read.
    pub gm_read_bytes: u64,
    /// Bytes of GM that DMA wrote.
    pub gm_written_bytes: u64,
    /// Flags set.
    pub flags: u64,
    /// Barriers.
    pub barriers: u64,
    /// Thousandths of a cycle of the longest core, in each setting of the costs.
    pub millicycles: [u64; SETTINGS],
    /// The modelled time of the launch, in each setting.
    pub nanoseconds: [u64; SETTINGS],
}

impl AddAssign for Counters {
    /// The sum over successive launches.
    fn add_assign(&mut self, other: Self) {
        for (all, one) in [
            (&mut self.instructions[..], &other.instructions[..]),
            (&mut self.bytes, &other.bytes),
            (&mut self.repeats, &other.repeats),
            (&mut self.busy_millicycles, &other.busy_millicycles),
            (&mut self.millicycles, &other.millicycles),
            (&mut self.nanoseconds, &other.nanoseconds),
        ] {
            all.iter_mut().zip(one).for_each(|(all, one)| *all += one);
        }
        self.ub_scalar_reads += other.ub_scalar_reads;
        self.ub_scalar_next_reads += other.ub_scalar_next_reads;
        self.ub_scalar_writes += other.ub_scalar_writes;
        self.gm_scalar_reads += other.gm_scalar_reads;
        self.scalar_iterations += other.scalar_iterations;
        self.scalar_blocks += other.scalar_blocks;
        self.gm_read_bytes += other.gm_read_bytes;
        self.gm_written_bytes += other.gm_written_bytes;
        self.flags += other.flags;
        self.barriers += other.barriers;
    }
}

/// How many settings of the costs there are. Some costs are only known to lie between bounds: the
/// first setting has the cautious bounds, the second the hopeful ones; the third and fourth are the
/// first with the scalar unit's costs halved and doubled.
pub const SETTINGS: usize = 4;

/// The model's costs in one setting, on an Ascend 910B1, in thousandths of a cycle where no other
/// unit is named. `model/include/model/cost.h` has the source of each constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Costs {
    name: [u8; 24],
    /// Vector cores.
    pub cores: u64,
    /// Their clock.
    pub megahertz: u64,
    /// A launch that does nothing.
    pub launch_nanoseconds: u64,
    /// The same for an operator of CANN.
    pub cann_launch_nanoseconds: u64,
    /// Bytes that one core reads or writes in a cycle.
    pub gm_bytes_per_cycle: u64,
    /// Up to how many bytes of GM that a launch works on each of the bandwidths holds.
    pub gm_working_set: [u64; 3],
    /// Bytes that all cores together read and write in a nanosecond.
    pub gm_bytes_per_nanosecond: [u64; 3],
    /// The head of a copy.
    pub copy_head: u64,
    /// The head of each further block of a copy.
    pub copy_block: u64,
    /// How long the bytes of a block that isn't aligned to 512 bytes take, in percent of an aligned
    /// one.
    pub unaligned_percent: u64,
    /// From the last byte that is read to the flag that signals it.
    pub read_latency: u64,
    /// The same for a write.
    pub write_latency: u64,
    /// 256 bytes on the vector unit.
    pub vector_repeat: u64,
    /// The same with two sources in the same banks.
    pub vector_repeat_conflict: u64,
    /// The same for a Cast, Compare or Select.
    pub vector_repeat_slow: u64,
    /// From an instruction's last repeat until what waits for it can go on.
    pub vector_latency: u64,
    /// A record of 8 bytes in a pass of `MrgSort`.
    pub merge_record: u64,
    /// An iteration of a loop, without its accesses and blocks.
    pub scalar_iteration: u64,
    /// A basic block.
    pub scalar_block: u64,
    /// A scalar read of UB.
    pub scalar_read: u64,
    /// A scalar read of UB that overlaps with the one before.
    pub scalar_next_read: u64,
    /// A scalar write to UB.
    pub scalar_write: u64,
    /// A scalar read of GM.
    pub scalar_gm: u64,
    /// A repeat of `GatherMask`.
    pub gather_mask: u64,
    /// A repeat of `Sort32`, 32 records.
    pub sort32: u64,
    /// An element of `Gather`.
    pub gather: u64,
}

impl Costs {
    /// The setting's name.
    #[must_use]
    pub fn name(&self) -> &str {
        let end = self.name.iter().position(|&byte| byte == 0).unwrap_or(self.name.len());
        self.name.get(..end).and_then(|name| core::str::from_utf8(name).ok()).unwrap_or_default()
    }

    /// The same costs for a device with another number of vector cores.
    #[must_use]
    pub const fn with_cores(mut self, cores: u64) -> Self {
        self.cores = cores;
        self
    }

    /// Bytes that all cores together move in a nanosecond, by the bytes of GM that a launch works
    /// on.
    #[must_use]
    pub fn bandwidth(&self, working_set: u64) -> u64 {
        let limits = self.gm_working_set.iter().zip(self.gm_bytes_per_nanosecond);
        limits.into_iter().find(|&(&limit, _)| working_set <= limit).map_or(1, |(_, bandwidth)| bandwidth)
    }
}

unsafe extern "C" {
    fn ascendc_model_configure(options: *const Options);
    safe fn ascendc_model_report_count() -> u64;
    fn ascendc_model_report_text(text: *mut c_char, capacity: usize) -> usize;
    fn ascendc_model_last_counters(counters: *mut Counters);
    fn ascendc_model_cost_table(setting: u32, costs: *mut Costs);
    fn ascendc_model_calibrate(costs: *const Costs);
}

/// Sets the options of the launches that this thread makes from now on; `None` restores those of
/// the environment (`SCATTER_MODEL`, `SCATTER_MODEL_SEED`, `SCATTER_MODEL_THREADS`).
pub fn configure(options: Option<&Options>) {
    // SAFETY: null, or options of the header's layout, which are copied.
    unsafe { ascendc_model_configure(options.map_or(ptr::null(), ptr::from_ref)) }
}

/// How many rules the last launch of this thread broke.
#[must_use]
pub fn report_count() -> u64 {
    ascendc_model_report_count()
}

/// The reports of this thread's last launch, one line each; empty where there are none.
#[must_use]
pub fn reports() -> String {
    // SAFETY: with a size of 0 nothing is written to the pointer.
    let length = unsafe { ascendc_model_report_text(ptr::null_mut(), 0) };
    let mut text = vec![0_u8; length + 1];
    // SAFETY: the pointer is to `text.len()` bytes that may be written.
    unsafe { ascendc_model_report_text(text.as_mut_ptr().cast(), text.len()) };
    text.truncate(length);
    String::from_utf8_lossy(&text).into_owned()
}

/// What the last launch of this thread did.
#[must_use]
pub fn counters() -> Counters {
    let mut counters = Counters::default();
    // SAFETY: the pointer is to counters in the header's layout, which may be written.
    unsafe { ascendc_model_last_counters(&mut counters) };
    counters
}

/// Has this process model its launches with another cost table from now on, instead of the built-in
/// one: [`costs`] returns it then. The costs of the scalar unit are taken from the first setting,
/// and the other settings multiply them as before.
///
/// # Safety
/// No launch is under way, and no other thread asks for the costs.
pub unsafe fn calibrate(costs: &[Costs; SETTINGS]) {
    // SAFETY: these are `SETTINGS` costs in the header's layout; no launch is under way, and no
    // other thread asks for the costs.
    unsafe { ascendc_model_calibrate(costs.as_ptr()) }
}

/// The cost table in each setting.
#[must_use]
pub fn costs() -> [Costs; SETTINGS] {
    let mut number = 0;
    [(); SETTINGS].map(|()| {
        let mut costs = Costs::default();
        // SAFETY: the pointer is to costs in the header's layout, which may be written.
        unsafe { ascendc_model_cost_table(number, &mut costs) };
        number += 1;
        costs
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_table_has_the_layout_of_the_header() {
        let [cautious, hopeful, halved, doubled] = costs();
        let all = [cautious, hopeful, halved, doubled];
        assert_eq!(all.map(|costs| costs.scalar_read), [11_000, 11_000, 5_500, 22_000]);
        assert_eq!(all.map(|costs| costs.gather), [3_000, 1_000, 3_000, 3_000]);
        let Costs { cores, megahertz, launch_nanoseconds, copy_head, unaligned_percent, .. } = cautious;
        assert_eq!(
            (cores, megahertz, launch_nanoseconds, copy_head, unaligned_percent),
            (48, 1850, 1700, 15_600, 128)
        );
        assert_eq!(halved.name(), "scalar halved");
        assert_eq!([1, 100_000_001, u64::MAX].map(|bytes| hopeful.bandwidth(bytes)), [2000, 1330, 1000]);
    }
}
