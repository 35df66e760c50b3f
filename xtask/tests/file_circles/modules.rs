//! Which files of a crate need which.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use crate::source::{Names, Source};

/// Each file of a crate, and those that it needs.
pub(crate) type Needs = BTreeMap<String, BTreeSet<String>>;

/// How many re-exports of re-exports are followed.
const FOLLOWED: usize = 8;

/// The modules of a crate that are files, by their paths, with the names of the files.
#[derive(Default)]
pub(crate) struct Modules(BTreeMap<Names, (String, Source)>);

impl Modules {
    /// The modules that `lib.rs` declares, and so on; `text` is that of a file, if it exists.
    pub(crate) fn new(text: &impl Fn(&str) -> Option<String>) -> Self {
        let root = vec!["crate".to_owned()];
        let mut modules = Self::default();
        modules.read(&root, "lib.rs", &text("lib.rs").unwrap(), text);
        let mut exported = Vec::new();
        for (module, (_, source)) in &modules.0 {
            let path = |name: &String| (name.clone(), [module, slice::from_ref(name)].concat());
            exported.extend(source.exported.iter().map(path));
        }
        modules.0.get_mut(&root).unwrap().1.imports.extend(exported);
        modules
    }

    fn read(&mut self, module: &[String], file: &str, source: &str, text: &impl Fn(&str) -> Option<String>) {
        let source = Source::new(module, source);
        for name in &source.declared {
            let inner = [module, slice::from_ref(name)].concat();
            let files = ["", "/mod"].map(|end| format!("{}{end}.rs", inner[1..].join("/")));
            let found = files.iter().find_map(|file| Some((file, text(file)?)));
            let (file, source) = found.unwrap_or_else(|| panic!("no file of {inner:?}"));
            self.read(&inner, file, &source, text);
        }
        self.0.insert(module.to_vec(), (file.to_owned(), source));
    }

    pub(crate) fn needs(&self) -> Needs {
        let needs = self.0.iter().map(|(module, (file, source))| {
            let found = source.used().filter_map(|path| self.file(module, path, false, FOLLOWED));
            (file.clone(), found.filter(|found| *found != file).map(str::to_owned).collect())
        });
        needs.collect()
    }

    /// The file that has what `path` names; `None` for a module by itself (only what is named in it
    /// is needed), and for a path of another crate. `is_whole` says that the path goes on from
    /// `module`, and so can't name another crate.
    fn file(&self, module: &[String], path: &[String], is_whole: bool, follow: usize) -> Option<&str> {
        let (first, rest) = path.split_first()?;
        if first == "crate" && !is_whole {
            return self.file(&path[..1], rest, true, follow);
        }
        let (file, source) = &self.0[module];
        let inner = [module, slice::from_ref(first)].concat();
        let is_module = self.0.contains_key(&inner);
        match source.imports.get(first) {
            // A function may have the name of a module.
            Some(import) if follow > 0 && (!is_module || rest.is_empty()) => {
                self.file(module, &[import, rest].concat(), false, follow - 1)
            }
            _ if is_module => self.file(&inner, rest, true, follow),
            _ => is_whole.then_some(file.as_str()),
        }
    }
}

/// The files that can be reached from a file, each with the one before it on a shortest way.
fn reached<'a>(needs: &'a Needs, from: &'a str) -> BTreeMap<&'a str, &'a str> {
    let mut before = BTreeMap::new();
    let mut ends = vec![from];
    while !ends.is_empty() {
        let mut next = Vec::new();
        for end in ends {
            for file in needs.get(end).into_iter().flatten() {
                before.entry(file.as_str()).or_insert_with(|| {
                    next.push(file.as_str());
                    end
                });
            }
        }
        ends = next;
    }
    before
}

/// Whether the first file needs the second, and this one needs the first, be it through others.
pub(crate) fn closes_circle(needs: &Needs, from: &str, to: &str) -> bool {
    needs.get(from).is_some_and(|files| files.contains(to)) && reached(needs, to).contains_key(from)
}

/// The files of each circle, and a way through it.
pub(crate) fn circles(needs: &Needs) -> Vec<String> {
    let reached: BTreeMap<_, _> = needs.keys().map(|file| (file.as_str(), reached(needs, file))).collect();
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for (&first, before) in reached.iter().filter(|(first, before)| before.contains_key(*first)) {
        let files = before.keys().filter(|file| reached[*file].contains_key(first));
        let files: Vec<_> = files.copied().collect();
        if seen.insert(files.clone()) {
            let mut way = vec![first, before[first]];
            while *way.last().unwrap() != first {
                way.push(before[way.last().unwrap()]);
            }
            way.reverse();
            circles.push(format!("{}, such as {}", files.join(", "), way.join(" -> ")));
        }
    }
    circles
}
