//! `--every-cores`: whether the ratios of CANN's times to ours are the same on devices with fewer
//! cores, and our times on an Ascend 950.

use core::fmt;

use scatter_kernels::Soc;

use super::limit::Limit;

/// The vector cores of the devices that are compared. The others are compared with the last.
pub(super) const DEVICES: [u16; 3] = [20, 40, 48];

/// The relative deviation from the last device's ratio that is allowed.
const WITHIN: f64 = 0.2;

/// An Ascend 950, with its cores and its UB. CANN's path there differs from that on A2, so there is
/// no ratio.
pub(super) fn ascend_950() -> Soc {
    Soc::named("Ascend950").unwrap_or_default()
}

/// A workload on each of the devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoresRow {
    pub(super) name: &'static str,
    /// CANN's time divided by ours, where CANN's is known.
    pub(super) ratios: Option<[f64; DEVICES.len()]>,
    /// The limit of the longest launch; `None` where it wasn't run.
    pub(super) limits: [Option<Limit>; DEVICES.len()],
    /// Nanoseconds on an Ascend 950.
    pub(super) on_950: Option<u64>,
}

/// The ratios divided by the last of them.
fn by_last(ratios: [f64; DEVICES.len()]) -> [f64; DEVICES.len()] {
    let [.., last] = ratios;
    ratios.map(|ratio| ratio / last)
}

/// Whether all ratios are within [`WITHIN`] of the last.
fn is_even(ratios: [f64; DEVICES.len()]) -> bool {
    by_last(ratios).iter().all(|by_last| (by_last - 1.0).abs() <= WITHIN)
}

/// The heading of the table.
pub(super) fn head() -> String {
    let [first, second, last] = DEVICES.map(|cores| format!("{cores} cores"));
    let limits = DEVICES.map(|cores| format!("{:<11}", format!("limit, {cores}"))).concat();
    format!(
        "{:<26}{first:>10}{second:>10}{last:>10}{:>12}  {}",
        "CANN's time by ours",
        "us on 950",
        limits.trim_end()
    )
}

/// A line of the table.
impl fmt::Display for CoresRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<26}", self.name)?;
        match self.ratios {
            Some(ratios) => ratios.iter().try_for_each(|ratio| write!(f, "{ratio:>10.2}"))?,
            None => DEVICES.iter().try_for_each(|_| write!(f, "{:>10}", "-"))?,
        }
        match self.on_950 {
            Some(nanoseconds) => write!(f, "{:>12.1}", nanoseconds as f64 / 1e3)?,
            None => write!(f, "{:>12}", "-")?,
        }
        let limits = self.limits.map(|limit| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string()));
        let limits = limits.map(|limit| format!("{limit:<11}")).concat();
        match self.ratios {
            Some(ratios) if !is_even(ratios) => {
                let [first, second, _] = by_last(ratios).map(|by_last| 100.0 * (by_last - 1.0));
                writeln!(f, "  {limits}MISSED: {first:+.0} %, {second:+.0} %")
            }
            _ => writeln!(f, "  {}", limits.trim_end()),
        }
    }
}

/// The text below the table.
pub(super) fn legend(rows: &[CoresRow]) -> String {
    let [.., last] = DEVICES;
    let ratios = || rows.iter().filter_map(|row| row.ratios);
    let (all, even) = (ratios().count(), ratios().filter(|&ratios| is_even(ratios)).count());
    let (percent, Soc { cores, ub, .. }) = (100.0 * WITHIN, ascend_950());
    format!(
        "
{even} of {all} workloads have ratios within {percent} % of those on {last} cores; MISSED tells by how much the
others differ. limit, and a number of cores: the busiest pipe of the longest launch, and its working time on
the average of all cores by that of the slowest core; GM where the bandwidth of all decides. us on 950:
our kernels as they are planned for an Ascend 950, whose {cores} cores and {} KiB of UB are given the
costs of an Ascend 910B1: of its own few are published. Modelled, not measured.
",
        ub.div_ceil(1024)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_held_to_those_of_the_largest_device() {
        let limits = [Some(Limit::Gm), Some(Limit::Pipe("MTE2", 54)), None];
        let row = |ratios| CoresRow { name: "moe", ratios, limits, on_950: Some(17_140) };
        let told = |ratios| row(Some(ratios)).to_string();
        assert!(!told([8.0, 12.0, 10.0]).contains("MISSED"));
        assert!(told([7.9, 12.0, 10.0]).ends_with("-          MISSED: -21 %, +20 %\n"));
        assert!(told([9.0, 12.1, 10.0]).contains("MISSED"));
        let none = row(None).to_string();
        assert!(none.ends_with("-         -         -        17.1  GM         MTE2 54 %  -\n"), "{none}");
        let rows = [Some([10.0; 3]), Some([1.0, 10.0, 10.0]), None].map(row);
        assert!(legend(&rows).contains("1 of 2 workloads"));
        assert!(legend(&rows).contains("64 cores and 248 KiB"));
    }
}
