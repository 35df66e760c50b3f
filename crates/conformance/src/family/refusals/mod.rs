//! Calls that must be refused, each with exactly one error and nothing written.

use super::Cases;

/// Every such call.
pub(crate) fn cases() -> Cases {
    Cases::default()
}
