//! Selects cases.

use engines::random::fnv1a;
use scatter::{DType, Operator};

use crate::family::Entry;

/// The default number of cases of the matrix.
pub(crate) const CASES: usize = 30_000;

/// The criteria of a selection; an empty one accepts every case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) operators: Vec<Operator>,
    pub(crate) dtypes: Vec<DType>,
    /// A part of the name. A complete name selects only that case.
    pub(crate) text: Option<String>,
}

impl Filter {
    /// The entries that match, in the same order.
    pub(crate) fn apply(&self, mut entries: Vec<Entry>) -> Vec<Entry> {
        let is_whole_name = |text: &str| entries.iter().any(|entry| entry.name == text);
        let whole = self.text.as_deref().is_some_and(is_whole_name);
        entries.retain(|entry| {
            self.has(entry.operator, entry.dtype, &entry.name)
                && (!whole || self.text.as_ref().is_some_and(|text| entry.name == *text))
        });
        entries
    }

    /// Whether a case matches, where `text` is taken as a part of the name.
    pub(crate) fn has(&self, operator: Operator, dtype: DType, name: &str) -> bool {
        (self.operators.is_empty() || self.operators.contains(&operator))
            && (self.dtypes.is_empty() || self.dtypes.contains(&dtype))
            && self.text.as_ref().is_none_or(|text| name.contains(text.as_str()))
    }

    /// The criteria as command-line options.
    pub(crate) fn describe(&self) -> String {
        let operators = self.operators.iter().map(|operator| format!("--op {operator}"));
        let dtypes = self.dtypes.iter().map(|dtype| format!("--dtype {dtype}"));
        let text = self.text.iter().map(|text| format!("--filter {text:?}"));
        operators.chain(dtypes).chain(text).collect::<Vec<_>>().join(" ")
    }
}

/// A random sample of `most` entries under the seed, in their order. Every stratum has the same
/// share, or all its entries if they are fewer; within a stratum, one entry of each pattern comes
/// first. A larger sample under the same seed contains the smaller ones.
pub(crate) fn sample(mut entries: Vec<Entry>, most: usize, seed: u64) -> Vec<Entry> {
    if entries.len() <= most {
        return entries;
    }
    let key = |entry: &Entry| fnv1a(&format!("{seed}/{}", entry.name));
    let mut drawn: Vec<(usize, usize, u64, usize)> = entries
        .iter()
        .enumerate()
        .map(|(number, entry)| (entry.stratum, entry.pattern, key(entry), number))
        .collect();
    drawn.sort_unstable();
    let mut before = None;
    let first_of_pattern = |(stratum, pattern, key, number)| {
        let is_further = before.replace((stratum, pattern)) == Some((stratum, pattern));
        (stratum, is_further, key, number)
    };
    let mut drawn: Vec<_> = drawn.into_iter().map(first_of_pattern).collect();
    drawn.sort_unstable();
    // Ranks the entries of each stratum in the order in which they were drawn.
    let mut ranked = Vec::with_capacity(drawn.len());
    let (mut stratum, mut rank) = (usize::MAX, 0);
    for (of, _, key, number) in drawn {
        rank = if of == stratum { rank + 1 } else { 0 };
        stratum = of;
        ranked.push((rank, key, number));
    }
    ranked.sort_unstable();
    let mut chosen = vec![false; entries.len()];
    for &(_, _, number) in &ranked[..most] {
        chosen[number] = true;
    }
    let mut chosen = chosen.into_iter();
    entries.retain(|_| chosen.next().unwrap_or(false));
    entries
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::family::matrix;
    use engines::engine::{self, Engine, Engines};

    /// The engine with this name, on two threads.
    fn engine(name: &str) -> Box<dyn Engine> {
        let names = vec![name.to_owned()];
        let options = Engines { names, threads: Some(2), c_libraries: None, pattern: None };
        engine::chosen(&options).unwrap().remove(0)
    }

    #[test]
    fn a_sample_has_every_setting_of_cpu_for_each_operator_dtype_and_reduction() {
        let (cpu, mut settings) = (engine("cpu"), HashMap::new());
        for entry in sample(matrix::cases(42).entries, CASES, 42) {
            let sampled = cpu.sampled(&entry.name);
            assert!(sampled.starts_with(&[0, 1, 2]) && sampled.len() <= 4);
            settings.entry(entry.stratum).or_insert_with(HashSet::new).extend(sampled);
        }
        assert!(settings.values().all(|settings| settings.len() == cpu.settings().len()));
    }

    #[test]
    fn a_sample_has_every_number_of_blocks_and_every_seed_of_kernel_for_each_operator_dtype_and_reduction() {
        let kernel = engine("kernel");
        let names = kernel.settings();
        // A setting is named like `7 blocks, seed 11`.
        let parts: Vec<_> = names.iter().map(|name| name.split_once(", ").unwrap()).collect();
        let (mut blocks, mut seeds) = (HashMap::new(), HashMap::new());
        for entry in sample(matrix::cases(42).entries, CASES, 42) {
            let settings = kernel.sampled(&entry.name);
            assert_eq!(settings.len(), 1);
            let (of, seed) = parts[settings[0]];
            blocks.entry(entry.stratum).or_insert_with(HashSet::new).insert(of);
            seeds.entry(entry.stratum).or_insert_with(HashSet::new).insert(seed);
        }
        let all_blocks: HashSet<_> = parts.iter().map(|(blocks, _)| *blocks).collect();
        let all_seeds: HashSet<_> = parts.iter().map(|(_, seed)| *seed).collect();
        assert!(all_blocks.len() > 1 && all_seeds.len() > 1);
        assert_eq!(parts.iter().collect::<HashSet<_>>().len(), all_blocks.len() * all_seeds.len());
        assert!(blocks.values().all(|blocks| *blocks == all_blocks));
        assert!(seeds.values().all(|seeds| *seeds == all_seeds));
    }

    fn names(entries: &[Entry]) -> Vec<String> {
        entries.iter().map(|entry| entry.name.clone()).collect()
    }

    #[test]
    fn a_sample_has_every_stratum_and_depends_on_the_seed_alone() {
        let all = matrix::cases(1).entries;
        let strata: HashSet<usize> = all.iter().map(|entry| entry.stratum).collect();
        let drawn = sample(all, strata.len(), 1);
        assert_eq!(drawn.iter().map(|entry| entry.stratum).collect::<HashSet<_>>(), strata);
        assert_eq!(names(&drawn), names(&sample(matrix::cases(1).entries, strata.len(), 1)));
        assert_ne!(names(&drawn), names(&sample(matrix::cases(2).entries, strata.len(), 2)));

        let more: HashSet<_> =
            names(&sample(matrix::cases(1).entries, 2 * strata.len(), 1)).into_iter().collect();
        assert_eq!(more.len(), 2 * strata.len());
        assert!(names(&drawn).iter().all(|name| more.contains(name)));
    }

    #[test]
    fn the_sample_of_the_suite_has_every_pattern_of_every_stratum() {
        let kinds = |entries: &[Entry]| {
            entries.iter().map(|entry| (entry.stratum, entry.pattern)).collect::<HashSet<_>>()
        };
        let all = matrix::cases(42).entries;
        let expected = kinds(&all);
        assert_eq!(kinds(&sample(all, CASES, 42)), expected);
    }

    #[test]
    fn a_whole_name_is_that_case_alone() {
        let name = names(&matrix::cases(1).entries)[7].clone();
        let part = name.rsplit_once('/').map(|(part, _)| part.to_owned());
        let chosen = |text| {
            let filter = Filter { text, ..Filter::default() };
            names(&filter.apply(matrix::cases(1).entries))
        };
        assert_eq!(chosen(Some(name.clone())), std::slice::from_ref(&name));
        assert!(chosen(part).len() > 1);
        assert!(chosen(Some("no such name".to_owned())).is_empty());
    }
}
