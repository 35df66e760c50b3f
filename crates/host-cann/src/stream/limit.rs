//! How long an operator may take. Here an operator is a host function, which can't be interrupted:
//! one that took too long fails its stream when it ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aclnn_sys::ACL_ERROR_RT_AICPU_TIMEOUT;

use crate::failure::{Fallible, ensure};
use crate::process;

/// Microseconds; 0 means without limit.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets how many microseconds an operator may take, and returns the value that is then in use.
pub(crate) fn set(microseconds: u64) -> Fallible<u64> {
    process::check()?;
    LIMIT.store(microseconds, Ordering::Relaxed);
    Ok(microseconds)
}

/// Removes the limit.
pub(crate) fn clear() {
    LIMIT.store(0, Ordering::Relaxed);
}

/// Measures the time that an operator takes, if there is a limit.
pub(super) struct Watch(Option<(Instant, Duration)>);

impl Watch {
    pub(super) fn start() -> Self {
        let limit = LIMIT.load(Ordering::Relaxed);
        Self((limit > 0).then(|| (Instant::now(), Duration::from_micros(limit))))
    }

    pub(super) fn check(self) -> Fallible {
        if let Some((start, limit)) = self.0 {
            let taken = start.elapsed();
            ensure!(
                taken <= limit,
                ACL_ERROR_RT_AICPU_TIMEOUT,
                "a host function took {taken:?}, and may take {limit:?}"
            );
        }
        Ok(())
    }
}
