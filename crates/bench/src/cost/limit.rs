//! The resource that limits a launch.

use core::fmt;

use scatter_kernels::model::{Costs, Counters, costs};

/// The resource that limits a launch: a pipe of the cores, or GM, which all cores share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// The bandwidth of GM takes longer than any core.
    Gm,
    /// The busiest pipe, and how busy it is on the average of all cores, as a percentage of the
    /// longest core's time. The rest is latencies, and cores that have less work.
    Pipe(&'static str, u64),
}

/// The pipes in the order of [`Counters`].
const PIPES: [&str; 4] = ["S", "V", "MTE2", "MTE3"];

impl Limit {
    /// The limit of a launch with `blocks` blocks, in the cautious setting.
    pub(super) fn of(counters: &Counters, blocks: u32) -> Self {
        let Costs { megahertz, launch_nanoseconds, .. } = costs()[0];
        let cores = counters.millicycles[0] / megahertz;
        if counters.nanoseconds[0].saturating_sub(launch_nanoseconds) > cores + 1 {
            return Self::Gm;
        }
        let (mut busiest, mut most) = (PIPES[0], 0);
        for (pipe, busy) in PIPES.into_iter().zip(counters.busy_millicycles) {
            if busy > most {
                (busiest, most) = (pipe, busy);
            }
        }
        Self::Pipe(busiest, 100 * most / (u64::from(blocks) * counters.millicycles[0]).max(1))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gm => write!(f, "GM"),
            Self::Pipe(name, percent) => write!(f, "{name} {percent} %"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_pipe_limits_unless_memory_does() {
        // Two cores, of which the slower takes 10 us at 1850 MHz. MTE2 is busy for 15 us in total,
        // which is 75 % of twice 10 us.
        let millicycles = [18_500_000; 4];
        let counters = |nanoseconds| Counters {
            millicycles,
            nanoseconds: [nanoseconds; 4],
            busy_millicycles: [7_000_000, 1_000_000, 27_750_000, 9_000_000],
            ..Counters::default()
        };
        let of = |nanoseconds| Limit::of(&counters(nanoseconds), 2).to_string();
        assert_eq!(of(11_700), "MTE2 75 %");
        assert_eq!(of(12_700), "GM");
        assert_eq!(Limit::of(&Counters::default(), 0).to_string(), "S 0 %");
    }
}
