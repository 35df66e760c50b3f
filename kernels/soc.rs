//! The processors that kernels are planned for.

/// What a plan needs to know of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soc {
    /// The name as `aclrtGetSocName` returns it, or the start of it.
    pub name: &'static str,
    /// The architecture that kernels are compiled for.
    pub arch: &'static str,
    /// Vector cores.
    pub cores: u32,
    /// The bytes of UB that a kernel may use.
    pub ub: u32,
}

/// UB of A2 and A3: 192 KiB, of which instructions that need scratch take the last 8 KiB, and 256
/// bytes are not to be used (`TMP_UB_OFFSET` in Ascend C, and its guide, "NPU architecture 2201").
const UB_2201: u32 = 184 * 1024 - 256;
/// UB of 950: 256 KiB, of which 248 are a kernel's by default ("NPU architecture 3510").
const UB_3510: u32 = 248 * 1024 - 256;

impl Soc {
    /// Every processor known here, with the `vector_core_cnt` that CANN 8.1's `platform_config` has
    /// for it, and 950's for `Ascend910_95`.
    pub const ALL: [Self; 9] = [
        Self::new("Ascend910B1", "dav-2201", 48, UB_2201),
        Self::new("Ascend910B2", "dav-2201", 48, UB_2201),
        Self::new("Ascend910B3", "dav-2201", 40, UB_2201),
        Self::new("Ascend910B4", "dav-2201", 40, UB_2201),
        Self::new("Ascend910_93", "dav-2201", 48, UB_2201),
        Self::new("Ascend910_9362", "dav-2201", 40, UB_2201),
        Self::new("Ascend910_9372", "dav-2201", 40, UB_2201),
        Self::new("Ascend950", "dav-3510", 64, UB_3510),
        // The name that host-cann reports, unless it is configured to report another; as A2.
        Self::new("HostCann", "dav-2201", 48, UB_2201),
    ];

    const fn new(name: &'static str, arch: &'static str, cores: u32, ub: u32) -> Self {
        Self { name, arch, cores, ub }
    }

    /// The processor with this name: the one whose name is its longest prefix. `None` where kernels
    /// can't be planned for it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().filter(|soc| name.starts_with(soc.name)).max_by_key(|soc| soc.name.len())
    }

    /// The same processor with another number of vector cores.
    #[must_use]
    pub const fn with_cores(mut self, cores: u32) -> Self {
        self.cores = if cores == 0 { 1 } else { cores };
        self
    }
}

impl Default for Soc {
    /// Ascend 910B1.
    fn default() -> Self {
        Self::ALL[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_finds_its_processor() {
        let cores = |name| Soc::named(name).map(|soc| (soc.cores, soc.arch));
        assert_eq!(cores("Ascend910B1"), Some((48, "dav-2201")));
        assert_eq!(cores("Ascend910B2C"), Some((48, "dav-2201")));
        assert_eq!(cores("Ascend910B4-1"), Some((40, "dav-2201")));
        assert_eq!(cores("Ascend910_9391"), Some((48, "dav-2201")));
        assert_eq!(cores("Ascend910_9362"), Some((40, "dav-2201")));
        assert_eq!(cores("Ascend910_9372"), Some((40, "dav-2201")));
        assert_eq!(cores("Ascend950PR_9599"), Some((64, "dav-3510")));
        assert_eq!(cores("Ascend310P3"), None);
        assert_eq!(Soc::default().with_cores(0).cores, 1);
    }
}
