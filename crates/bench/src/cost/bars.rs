//! The bars for the kernels' modelled times, and which of them a workload misses.

use scatter_kernels::model::SETTINGS;

/// The scale at which the workloads are compared with CANN's path.
pub(super) const TABLE_SCALE: u32 = 16;

/// The vector cores of the device that the bars apply to.
pub(super) const CORES: u16 = 48;

/// A bar: what some workloads must reach.
#[derive(Clone, Copy, Debug)]
struct Bar {
    whose: Whose,
    needs: &'static [Need],
    /// The value of `--scale` to which the bar applies.
    scale: u32,
    /// Whether the bar must be reached in every setting of the costs, or else only in the cautious
    /// one.
    in_every_setting: bool,
}

/// The workloads of a bar, by name.
#[derive(Clone, Copy, Debug)]
enum Whose {
    These(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// What a bar requires.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    /// At least this ratio of CANN's time to ours. Requires nothing where CANN's time is not known.
    Faster(f64),
    /// At least this ratio, or this part of the GM limit; the third number replaces the second for
    /// short calls.
    FasterOrOfGm(f64, f64, f64),
    /// At least this part of the GM limit.
    OfGm(f64),
    /// At most this many picoseconds for each element.
    PerElement(f64),
    /// At most this many times the time of the same workload in f32, if that is run too.
    OfF32(f64),
}

/// A call that takes fewer nanoseconds than this in the cautious setting is short.
const SHORT: u64 = 30_000;

/// Workloads that are hard to share among cores, and one that measures the cost of a call.
const HARD: &[&str] = &["small", "one-row", "one-core", "steep", "sorted", "reversed", "one-bin"];

/// All bars. For workloads of the last one, no other bar compares with CANN.
const BARS: [Bar; 8] = [
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
            "gather-full",
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
    // For gathers by elements only the picoseconds of the bar above. Its ratio to CANN's time is
    // about operators that update one element after the other on the scalar unit, while CANN's
    // gather has the vector unit's Gather.
    Bar {
        whose: Whose::These(&[
            "gather-dim1",
            "gather-dim1-index32",
            "gather-dim1-f16",
            "gather-dim1-i64",
            "gather-dim1-i8",
            "gather-dim0",
            "gather-dim0-index32",
        ]),
        needs: &[Need::PerElement(250.0)],
        scale: TABLE_SCALE,
        in_every_setting: false,
    },
    // "rows of 512 bytes and more, f32 f16 bf16 complex64, `--scale 1`: ≥ 60 % of the modelled GM
    // limit; moonshot 80 %". An index that is stored whole has the bar of `…-full`.
    Bar {
        whose: Whose::These(&[
            "embedding",
            "embedding-complex64",
            "moe",
            "moe-f16",
            "moe-f32",
            "gather",
            "gather-index32",
            "gather-bf16",
        ]),
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

/// The figures that the bars apply to, each in every setting of the costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    /// The call's time.
    pub(super) nanoseconds: [u64; SETTINGS],
    /// Picoseconds for each element.
    pub(super) per_element: [f64; SETTINGS],
    /// The part of the GM limit that is reached, without the time of launches.
    pub(super) of_gm: [f64; SETTINGS],
    /// CANN's time divided by ours.
    pub(super) ratios: Option<[f64; SETTINGS]>,
    /// The time of the same workload in f32.
    pub(super) in_f32: Option<[u64; SETTINGS]>,
}

impl Figures {
    /// The required part of the GM limit, by whether the call is short.
    const fn part(&self, long: f64, short: f64) -> f64 {
        if self.nanoseconds[0] < SHORT { short } else { long }
    }
}

/// Whether a workload reaches a bar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    need: Need,
    figures: Figures,
    in_every_setting: bool,
    /// Whether the bar is reached, in each setting.
    holds: [bool; SETTINGS],
}

/// The verdicts on the workload `name` of all bars for this scale.
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

/// The name of the f32 form of a workload of integers; `None` for other workloads.
pub(super) fn in_f32(name: &str) -> Option<String> {
    let integers = ["-i64", "-i32", "-i16", "-i8", "-u8", "-bool"];
    integers.into_iter().find(|part| name.contains(part)).map(|part| name.replace(part, ""))
}

impl Verdict {
    /// The verdict of a bar; `None` where a figure that it needs is missing.
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

    /// Whether the bar is reached, in each setting of the costs.
    pub(super) const fn holds(&self) -> &[bool; SETTINGS] {
        &self.holds
    }

    /// What the bar requires, in words.
    pub(super) fn need(&self) -> String {
        self.need.words(&self.figures)
    }

    /// The time divided by that of the same workload in f32, in the cautious setting, if the bar is
    /// about that.
    pub(super) fn of_f32(&self) -> Option<String> {
        matches!(self.need, Need::OfF32(_)).then(|| self.need.figure(&self.figures, 0))
    }

    /// The figure that the bar applies to, in each setting.
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
