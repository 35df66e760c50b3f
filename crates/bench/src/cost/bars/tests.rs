use super::*;
use crate::workload::Workload;

/// The figures of a call that takes 100 us, 200 ps for each element, and reaches half of the GM
/// limit.
const FIGURES: Figures = Figures {
    nanoseconds: [100_000; SETTINGS],
    per_element: [200.0; SETTINGS],
    of_gm: [0.5; SETTINGS],
    ratios: None,
    in_f32: None,
};

/// The bars that are missed, and those that are reached.
fn told(name: &str, scale: u32, figures: &Figures) -> [Vec<String>; 2] {
    let (missed, held): (Vec<_>, Vec<_>) =
        verdicts(name, scale, figures).into_iter().partition(Verdict::is_missed);
    [missed, held].map(|verdicts| verdicts.iter().map(Verdict::need).collect())
}

const TWICE: &str = "2 times CANN's speed, or 85 % of the GM limit";

#[test]
fn every_bar_names_workloads_that_there_are() {
    for bar in &BARS {
        let (Whose::These(names) | Whose::AllBut(names)) = bar.whose;
        for name in names {
            assert!(Workload::named_of_kernels(name).is_ok(), "{name}");
        }
    }
    let all = || Workload::of_kernels().map(Workload::name);
    for hard in Workload::hard() {
        assert!(HARD.contains(&hard.name()), "{}", hard.name());
    }
    let whole = |of: fn(&str) -> bool, one: &str| {
        let is_of = |bar: &Bar| matches!(bar.whose, Whose::These(names) if names.contains(&one));
        let Whose::These(names) = BARS.into_iter().find(is_of).unwrap().whose else { unreachable!() };
        assert!(all().filter(|name| of(name)).all(|name| names.contains(&name)), "{one}");
    };
    whole(|name| name.ends_with("-full"), "edges-full");
    whole(|name| name.starts_with("dim"), "dim0");
    whole(|name| name.starts_with("gather-dim"), "gather-dim0");
    for name in all() {
        if let Some(base) = in_f32(name) {
            assert!(all().any(|other| other == base), "{name}: {base}");
        }
    }
    assert_eq!(in_f32("embedding-bool-full").as_deref(), Some("embedding-full"));
    // There is a workload for every dtype of the bar, with rows and with elements, sums and
    // replacements.
    for base in ["embedding", "embedding-replace", "dim1", "dim0", "replace"] {
        let mut dtypes: Vec<_> = all()
            .filter(|name| in_f32(name).as_deref() == Some(base))
            .filter_map(|name| name.strip_prefix(base))
            .collect();
        dtypes.sort_unstable();
        assert_eq!(dtypes, ["-bool", "-i16", "-i32", "-i64", "-i8", "-u8"], "{base}");
    }
    assert_eq!((in_f32("dim1-index32"), in_f32("moe-f16")), (None, None));
}

#[test]
fn twice_as_fast_in_every_setting_or_near_the_limit() {
    let of = |ratios, of_gm: f64, nanoseconds: u64| {
        let figures = Figures {
            ratios: Some(ratios),
            of_gm: [of_gm; SETTINGS],
            nanoseconds: [nanoseconds; SETTINGS],
            ..FIGURES
        };
        let [missed, held] = told("embedding", TABLE_SCALE, &figures);
        let twice = if nanoseconds < 30_000 { TWICE.replace("85", "60") } else { TWICE.to_owned() };
        assert_eq!([missed.clone(), held].concat(), [twice]);
        missed.is_empty()
    };
    assert!(of([2.0; SETTINGS], 0.0, 100_000));
    assert!(!of([2.0, 2.0, 2.0, 1.99], 0.84, 100_000));
    assert!(of([2.0, 2.0, 2.0, 1.99], 0.85, 100_000));
    assert!(!of([0.5; SETTINGS], 0.6, 30_000) && of([0.5; SETTINGS], 0.6, 29_999));
}

#[test]
fn what_is_hard_is_no_slower() {
    let figures = Figures { ratios: Some([1.0, 0.5, 1.0, 1.0]), ..FIGURES };
    // The cautious setting decides; the other settings are reported too.
    assert_eq!(told("one-bin", TABLE_SCALE, &figures), [vec![], vec!["no slower than CANN".to_owned()]]);
    let [verdict] = verdicts("one-bin", TABLE_SCALE, &figures)[..] else { unreachable!() };
    assert_eq!(verdict.holds(), &[true, false, true, true]);
    assert_eq!(verdict.figures(), ["1.00", "0.50", "1.00", "1.00"]);
}

#[test]
fn other_bars_are_of_some_workloads() {
    let ratios = Some([10.0; SETTINGS]);
    let figures = Figures { ratios, in_f32: Some([30_000; SETTINGS]), ..FIGURES };
    let of = |name, scale| told(name, scale, &figures).map(|needs| needs.join("; "));
    assert_eq!(
        of("bins", TABLE_SCALE),
        ["20 times CANN's speed; 3 times the time of f32".to_owned(), TWICE.to_owned()]
    );
    let [missed, held] = of("dim1-i8", TABLE_SCALE);
    assert_eq!(missed, "3 times the time of f32");
    assert_eq!(held, format!("{TWICE}; 8 times CANN's speed; 250 ps for each element"));
    assert_eq!(of("graph", 1), ["60 % of the GM limit".to_owned(), String::new()]);
    assert_eq!(of("graph", 3), [String::new(), String::new()]);
    // Without CANN's time and without f32, only the bar on the time for each element applies.
    assert_eq!(told("dim1-i64", TABLE_SCALE, &FIGURES), [vec![], vec!["250 ps for each element".to_owned()]]);
}
