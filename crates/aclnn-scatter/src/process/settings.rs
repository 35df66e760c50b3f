//! The settings of a process: the engine, and how an index out of range is reported.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;

use aclnn_sys::ACLNN_ERR_PARAM_INVALID;

use crate::failure::{Failure, failure};

/// What computes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// The CPU engine on host-cann; elsewhere the kernels, or CANN's own operators where there is
    /// no library of kernels, and for what the kernels can't compute.
    #[default]
    Auto,
    /// The Ascend C kernels: on host-cann they run on the host model of Ascend C (feature `model`);
    /// elsewhere they come from the device library that `ACLNN_SCATTER_KERNELS` names, or else from
    /// the one in the folder of this library. What they can't compute is refused with 561003: a
    /// mean, or a reduction without self, with more updates of one element than 32 bits can count;
    /// and elsewhere than on host-cann the C functions of `index_add` and `index_put`, whose alpha
    /// and list can't be read there.
    Kernel,
    /// The CPU engine, as a host function of the stream. host-cann only, because it reads device
    /// memory from the CPU.
    Cpu,
    /// CANN's own operator: the function of the same name in the next library that exports it.
    Vendor,
}

/// How an index out of range is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// Phase two returns at once; `aclnnScatterStreamStatus` reports it.
    #[default]
    Flag,
    /// Phase two waits for the work, and returns 161002.
    Sync,
    /// Phase two returns at once, and `aclnnScatterStreamStatus` reports nothing. (On host-cann the
    /// stream still fails.)
    Off,
}

/// A setting that an environment variable or the program chooses.
trait Choice: Copy + Default + fmt::Debug + 'static {
    /// The variable's name.
    const VARIABLE: &'static str;
    /// Every value with its name in the variable.
    const ALL: &'static [(&'static str, Self)];
}

impl Choice for Engine {
    const VARIABLE: &'static str = "ACLNN_SCATTER_ENGINE";
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("kernel", Self::Kernel), ("cpu", Self::Cpu), ("vendor", Self::Vendor)];
}

impl Choice for Check {
    const VARIABLE: &'static str = "ACLNN_SCATTER_CHECK";
    const ALL: &'static [(&'static str, Self)] =
        &[("flag", Self::Flag), ("sync", Self::Sync), ("off", Self::Off)];
}

/// A setting: the value that the program has set, or else that of the environment variable.
struct Setting<T: 'static> {
    /// The position in [`Choice::ALL`], plus 1, of the value that the program has set; 0 if it has
    /// set none.
    set: AtomicU8,
    variable: OnceLock<Result<T, String>>,
}

impl<T: Choice> Setting<T> {
    const fn new() -> Self {
        Self { set: AtomicU8::new(0), variable: OnceLock::new() }
    }

    fn get(&self) -> Result<T, Failure> {
        let place = usize::from(self.set.load(Ordering::Relaxed));
        if let Some((_, value)) = place.checked_sub(1).and_then(|place| T::ALL.get(place)) {
            return Ok(*value);
        }
        self.variable.get_or_init(variable).as_ref().copied().map_err(|text| {
            let names: Vec<_> = T::ALL.iter().map(|(name, _)| *name).collect();
            let (variable, names) = (T::VARIABLE, names.join(", "));
            failure!(ACLNN_ERR_PARAM_INVALID, "{variable}: one of {names} expected, got {text}")
        })
    }

    fn set(&self, chosen: T)
    where
        T: PartialEq,
    {
        let place = T::ALL.iter().position(|(_, value)| *value == chosen).map_or(0, |place| place as u8 + 1);
        self.set.store(place, Ordering::Relaxed);
    }
}

/// The value of the environment variable; the default if it is unset or empty.
fn variable<T: Choice>() -> Result<T, String> {
    let Some(text) = std::env::var_os(T::VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(T::default());
    };
    let known = T::ALL.iter().find(|(name, _)| text == **name);
    known.map(|(_, value)| *value).ok_or_else(|| format!("{text:?}"))
}

static ENGINE: Setting<Engine> = Setting::new();
static CHECK: Setting<Check> = Setting::new();

/// The engine of the process; fails if the environment variable has an unknown value.
pub(crate) fn engine() -> Result<Engine, Failure> {
    ENGINE.get()
}

/// How the process reports an index out of range; fails if the environment variable has an unknown
/// value.
pub(crate) fn check() -> Result<Check, Failure> {
    CHECK.get()
}

/// Sets the engine for every later phase one of the process, instead of `ACLNN_SCATTER_ENGINE`.
pub fn set_engine(engine: Engine) {
    ENGINE.set(engine);
}

/// Sets how every later phase two of the process reports an index out of range, instead of
/// `ACLNN_SCATTER_CHECK`.
pub fn set_check(check: Check) {
    CHECK.set(check);
}

/// Whether failures are written to the standard error (`ACLNN_SCATTER_LOG=1`).
pub(crate) fn logs() -> bool {
    static LOGS: OnceLock<bool> = OnceLock::new();
    *LOGS.get_or_init(|| std::env::var_os("ACLNN_SCATTER_LOG").is_some_and(|text| text == "1"))
}
