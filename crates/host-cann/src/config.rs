//! The settings in the environment. Devices and memory are read at each `aclInit` that starts the
//! runtime, so that a test can change them.

use std::ffi::CString;
use std::sync::OnceLock;

/// The most devices.
pub(crate) const MAX_DEVICES: usize = 64;

const DEFAULT_DEVICES: usize = 2;
const DEFAULT_MEMORY: usize = 8 << 30;

fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn flag(name: &str) -> bool {
    set(name).is_some_and(|value| value != "0")
}

/// `HOST_CANN_DEVICES`: how many devices there are.
pub(crate) fn devices() -> Result<usize, String> {
    let Some(text) = set("HOST_CANN_DEVICES") else { return Ok(DEFAULT_DEVICES) };
    let count = text.trim().parse().ok().filter(|count| (1..=MAX_DEVICES).contains(count));
    count.ok_or_else(|| format!("HOST_CANN_DEVICES is {text:?}, not a number from 1 to {MAX_DEVICES}"))
}

/// `HOST_CANN_MEMORY`: bytes of memory of each device, with a suffix `K`, `M`, `G` or `T` (powers
/// of 1024).
pub(crate) fn memory() -> Result<usize, String> {
    let Some(text) = set("HOST_CANN_MEMORY") else { return Ok(DEFAULT_MEMORY) };
    bytes(&text).ok_or_else(|| format!("HOST_CANN_MEMORY is {text:?}, not a number of bytes such as 512M"))
}

fn bytes(text: &str) -> Option<usize> {
    let text = text.trim().trim_end_matches('B').trim_end_matches('i');
    let shift = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    digits.trim_end().parse::<usize>().ok()?.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// `HOST_CANN_QUIET`: nothing is printed.
pub(crate) fn quiet() -> bool {
    flag("HOST_CANN_QUIET")
}

/// `HOST_CANN_DEBUG`: guard pages and poison around and in memory. Constant for the whole process,
/// because memory that is allocated with it can't be freed without it, and the reverse.
pub(crate) fn debug() -> bool {
    static DEBUG: OnceLock<bool> = OnceLock::new();
    *DEBUG.get_or_init(|| flag("HOST_CANN_DEBUG"))
}

/// `HOST_CANN_EXTENSION`: whether operator libraries find the functions that CANN doesn't have.
/// Without these they take the path that they take on a device. Constant for the whole process,
/// because callers keep the pointer.
pub(crate) fn has_extension() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| set("HOST_CANN_EXTENSION").is_none_or(|value| value != "0"))
}

/// `HOST_CANN_HOST_ACCESS`: whether the host can access the memory of devices at their addresses.
/// Constant for the whole process, because memory that is allocated one way isn't found in the
/// other.
pub(crate) fn host_access() -> bool {
    static ACCESS: OnceLock<bool> = OnceLock::new();
    *ACCESS.get_or_init(|| set("HOST_CANN_HOST_ACCESS").is_none_or(|value| value != "0"))
}

/// `HOST_CANN_SOC`: the name of the chip. Constant for the whole process, because callers keep the
/// pointer.
pub(crate) fn soc() -> &'static CString {
    static SOC: OnceLock<CString> = OnceLock::new();
    SOC.get_or_init(|| {
        set("HOST_CANN_SOC")
            .and_then(|name| CString::new(name).ok())
            .unwrap_or_else(|| c"HostCann".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_binary_suffixes() {
        let sizes =
            [("1000", 1000), ("64K", 64 << 10), ("512m", 512 << 20), (" 8GiB ", 8 << 30), ("1 T", 1 << 40)];
        for (text, expected) in sizes {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
        for text in ["", "0", "-1", "K", "1.5G", "99999999999T", "many"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
