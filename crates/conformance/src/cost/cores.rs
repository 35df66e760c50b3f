//! `--every-cores`: whether the kernels are as much faster than CANN's on devices of fewer cores.

use core::fmt;

/// Vector cores of the devices that are compared; the last is the one that the others are held to.
pub(super) const DEVICES: [u16; 3] = [20, 40, 48];

/// How far a ratio may be from that of the last device, as a part of it.
const WITHIN: f64 = 0.2;

/// A workload's ratios of CANN's time to ours, on each of the devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratios {
    pub(super) name: &'static str,
    pub(super) ratios: [f64; DEVICES.len()],
}

impl Ratios {
    /// Each by the last.
    fn by_last(&self) -> [f64; DEVICES.len()] {
        let [.., last] = self.ratios;
        self.ratios.map(|ratio| ratio / last)
    }

    /// Whether they are within a fifth of the last.
    fn is_even(&self) -> bool {
        self.by_last().iter().all(|by_last| (by_last - 1.0).abs() <= WITHIN)
    }
}

/// The head of the table.
pub(super) fn head() -> String {
    let [first, second, last] = DEVICES.map(|cores| format!("{cores} cores"));
    format!("{:<26}{first:>10}{second:>10}{last:>10}", "CANN's time by ours")
}

/// A line of the table.
impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<26}", self.name)?;
        self.ratios.iter().try_for_each(|ratio| write!(f, "{ratio:>10.2}"))?;
        if self.is_even() {
            return writeln!(f);
        }
        let [first, second, _] = self.by_last().map(|by_last| 100.0 * (by_last - 1.0));
        writeln!(f, "  MISSED: {first:+.0} %, {second:+.0} %")
    }
}

/// What is said beneath the table.
pub(super) fn legend(rows: &[Ratios]) -> String {
    let [.., last] = DEVICES;
    let even = rows.iter().filter(|row| row.is_even()).count();
    let (all, percent) = (rows.len(), 100.0 * WITHIN);
    format!(
        "\n{even} of {all} workloads have ratios within {percent} % of those on {last} cores. Modelled, not measured.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_held_to_those_of_the_largest_device() {
        let told = |ratios| Ratios { name: "moe", ratios }.to_string();
        assert!(!told([8.0, 12.0, 10.0]).contains("MISSED"));
        assert!(told([7.9, 12.0, 10.0]).ends_with("MISSED: -21 %, +20 %\n"));
        assert!(told([9.0, 12.1, 10.0]).contains("MISSED"));
        let rows = [[10.0; 3], [1.0, 10.0, 10.0]].map(|ratios| Ratios { name: "moe", ratios });
        assert!(legend(&rows).contains("1 of 2 workloads"));
    }
}
