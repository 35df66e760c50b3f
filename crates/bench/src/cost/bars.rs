//! The bars that the kernels are held to, and which of them a workload misses.

use scatter_kernels::model::SETTINGS;

/// The scale at which the workloads are compared with CANN's path.
pub(super) const TABLE_SCALE: u32 = 16;

/// Vector cores of the device that the bars are for.
pub(super) const CORES: u16 = 48;

/// Some workloads, and what is wanted of each.
#[derive(Clone, Copy, Debug)]
struct Bar {
    whose: Whose,
    needs: &'static [Need],
    /// `--scale`.
    scale: u32,
    /// Whether it holds in all settings of the costs or in none; else the cautious one decides.
    in_every_setting: bool,
}

/// Names of workloads.
#[derive(Clone, Copy, Debug)]
enum Whose {
    These(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// What a figure is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    /// The least ratio of CANN's time to ours. It asks nothing where CANN's time is not known.
    Faster(f64),
    /// The same, or as large a part of the GM limit; the last is for short calls.
    FasterOrOfGm(f64, f64, f64),
    /// Of the GM limit.
    OfGm(f64),
    /// Picoseconds for each element.
    PerElement(f64),
    /// So many times the time of the same workload in f32, where that is run too.
    OfF32(f64),
}

/// A call below this time, in nanoseconds and in the cautious setting, is short.
const SHORT: u64 = 30_000;

/// What is hard to share among cores, and what a call costs.
const HARD: &[&str] = &["small", "one-row", "one-core", "steep", "sorted", "reversed", "one-bin"];

/// All of them. A workload of the last has no other that compares it with CANN.
const BARS: [Bar; 7] = [
    // "every workload with a CANN figure, at the table's scale, in every setting of the costs: ≥ 2
    // times CANN's speed; or ≥ 85 % of the GM limit (≥ 60 % for calls below 30 µs, launches taken
    // off)"
    Bar {
        whose: Whose::AllBut(HARD),
        needs: &[Need::FasterOrOfGm(2.0, 0.85, 0.6)],
        scale: TABLE_SCALE,
        in_every_setting: true,
    },
    // "`…-full`, `histogram`, `bins`: ≥ 20 times"
    Bar {
        whose: Whose::These(&[
            "embedding-full",
            "moe-full",
            "moe-f16-full",
            "moe-f32-full",
            "edges-full",
            "embedding-i64-full",
            "embedding-i8-full",
            "embedding-bool-full",
            "embedding-complex64-full",
            "histogram",
            "histogram-i32",
            "bins",
        ]),
        needs: &[Need::Faster(20.0)],
        scale: TABLE_SCALE,
        in_every_setting: false,
    },
    // "`dim0`, `dim1` and their dtypes: ≥ 8 times; ≤ 250 ps per element; moonshot 150"
    Bar {
        whose: Whose::These(&[
            "dim0",
            "dim0-index32",
            "dim0-f16",
            "dim0-bf16",
            "dim0-i64",
            "dim0-i32",
            "dim0-i16",
            "dim0-i8",
            "dim0-u8",
            "dim0-bool",
            "dim0-complex64",
            "dim1",
            "dim1-index32",
            "dim1-f16",
            "dim1-bf16",
            "dim1-i64",
            "dim1-i32",
            "dim1-i16",
            "dim1-i8",
            "dim1-u8",
            "dim1-bool",
            "dim1-complex64",
        ]),
        needs: &[Need::Faster(8.0), Need::PerElement(250.0)],
        scale: TABLE_SCALE,
        in_every_setting: false,
    },
    // "rows of 512 bytes and more, f32 f16 bf16 complex64, `--scale 1`: ≥ 60 % of the modelled GM
    // limit; moonshot 80 %". An index that is stored whole has the bar of `…-full`.
    Bar {
        whose: Whose::These(&["embedding", "embedding-complex64", "moe", "moe-f16", "moe-f32"]),
        needs: &[Need::OfGm(0.6)],
        scale: 1,
        in_every_setting: false,
    },
    // "rows of 256 bytes (`graph`, `edges`), `--scale 1`: ≥ 60 %"
    Bar {
        whose: Whose::These(&["graph", "edges"]),
        needs: &[Need::OfGm(0.6)],
        scale: 1,
        in_every_setting: false,
    },
    // "rows and elements of i64, i32, i16, i8, u8, bool, sums and replace: at most 3 times the time
    // of f32"
    Bar {
        whose: Whose::AllBut(&[]),
        needs: &[Need::OfF32(3.0)],
        scale: TABLE_SCALE,
        in_every_setting: false,
    },
    // "`small`; all updates to one target; Zipf with s = 1.5; sorted; reversed; one core's worth of
    // rows: no slower than CANN with launches counted; listed in the table"
    Bar {
        whose: Whose::These(HARD),
        needs: &[Need::Faster(1.0)],
        scale: TABLE_SCALE,
        in_every_setting: false,
    },
];

/// What the bars look at, each in every setting of the costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    /// The call's time.
    pub(super) nanoseconds: [u64; SETTINGS],
    /// Picoseconds.
    pub(super) per_element: [f64; SETTINGS],
    /// Which part of the GM limit, launches taken off.
    pub(super) of_gm: [f64; SETTINGS],
    /// CANN's time divided by ours.
    pub(super) ratios: Option<[f64; SETTINGS]>,
    /// The time of the same workload in f32.
    pub(super) in_f32: Option<[u64; SETTINGS]>,
}

impl Figures {
    /// The part of the GM limit that a call of this length is held to.
    const fn part(&self, long: f64, short: f64) -> f64 {
        if self.nanoseconds[0] < SHORT { short } else { long }
    }
}

/// Whether a workload does what it is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    need: Need,
    figures: Figures,
    in_every_setting: bool,
    /// In each setting.
    holds: [bool; SETTINGS],
}

/// What is said of the workload of this name by the bars for this scale.
pub(super) fn verdicts(name: &str, scale: u32, figures: &Figures) -> Vec<Verdict> {
    let is_asked = |bar: &&Bar| {
        bar.scale == scale
            && match bar.whose {
                Whose::These(names) => names.contains(&name),
                Whose::AllBut(names) => !names.contains(&name),
            }
    };
    let of = |bar: &Bar| {
        let in_every_setting = bar.in_every_setting;
        bar.needs.iter().filter_map(move |&need| Verdict::of(need, figures, in_every_setting))
    };
    BARS.iter().filter(is_asked).flat_map(of).collect()
}

/// The name of the same workload in f32, of one in integers.
pub(super) fn in_f32(name: &str) -> Option<String> {
    let integers = ["-i64", "-i32", "-i16", "-i8", "-u8", "-bool"];
    integers.into_iter().find(|part| name.contains(part)).map(|part| name.replace(part, ""))
}

impl Verdict {
    /// `None` where there is nothing to compare with.
    fn of(need: Need, figures: &Figures, in_every_setting: bool) -> Option<Self> {
        let mut holds = [false; SETTINGS];
        for (setting, holds) in holds.iter_mut().enumerate() {
            *holds = need.holds(figures, setting)?;
        }
        Some(Self { need, figures: *figures, in_every_setting, holds })
    }

    /// Whether the workload misses the bar.
    pub(super) fn is_missed(&self) -> bool {
        !self.holds[0] || self.in_every_setting && !self.holds.iter().all(|&holds| holds)
    }

    /// In each setting of the costs.
    pub(super) const fn holds(&self) -> &[bool; SETTINGS] {
        &self.holds
    }

    /// What is needed, in words.
    pub(super) fn need(&self) -> String {
        self.need.words(&self.figures)
    }

    /// The time by that of the same workload in f32, in the cautious setting, if that is the need.
    pub(super) fn of_f32(&self) -> Option<String> {
        matches!(self.need, Need::OfF32(_)).then(|| self.need.figure(&self.figures, 0))
    }

    /// The figure in each setting.
    pub(super) fn figures(&self) -> [String; SETTINGS] {
        core::array::from_fn(|setting| self.need.figure(&self.figures, setting))
    }
}

impl Need {
    fn holds(self, figures: &Figures, setting: usize) -> Option<bool> {
        let &Figures { nanoseconds, per_element, of_gm, ratios, in_f32 } = figures;
        Some(match self {
            Self::Faster(times) => ratios?[setting] >= times,
            Self::FasterOrOfGm(times, long, short) => {
                ratios?[setting] >= times || of_gm[setting] >= figures.part(long, short)
            }
            Self::OfGm(part) => of_gm[setting] >= part,
            Self::PerElement(most) => per_element[setting] <= most,
            Self::OfF32(most) => nanoseconds[setting] as f64 <= most * in_f32?[setting] as f64,
        })
    }

    fn words(self, figures: &Figures) -> String {
        let percent = |part: f64| format!("{} % of the GM limit", 100.0 * part);
        match self {
            Self::Faster(1.0) => String::from("no slower than CANN"),
            Self::Faster(times) => format!("{times} times CANN's speed"),
            Self::FasterOrOfGm(times, long, short) => {
                format!("{times} times CANN's speed, or {}", percent(figures.part(long, short)))
            }
            Self::OfGm(part) => percent(part),
            Self::PerElement(most) => format!("{most} ps for each element"),
            Self::OfF32(most) => format!("{most} times the time of f32"),
        }
    }

    fn figure(self, figures: &Figures, setting: usize) -> String {
        let &Figures { nanoseconds, per_element, of_gm, ratios, in_f32 } = figures;
        let ratio = ratios.map_or(f64::NAN, |ratios| ratios[setting]);
        let percent = 100.0 * of_gm[setting];
        match self {
            Self::Faster(_) => format!("{ratio:.2}"),
            Self::FasterOrOfGm(..) => format!("{ratio:.2} ({percent:.0} %)"),
            Self::OfGm(_) => format!("{percent:.0} %"),
            Self::PerElement(_) => format!("{:.0}", per_element[setting]),
            Self::OfF32(_) => {
                let base = in_f32.map_or(f64::NAN, |times| times[setting] as f64);
                format!("{:.2}", nanoseconds[setting] as f64 / base)
            }
        }
    }
}

#[cfg(test)]
mod tests;
