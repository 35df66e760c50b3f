//! The paths in a source file.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names of a path. It begins with `crate`, or with a name of the module that it is in.
pub(crate) type Names = Vec<String>;

/// A module that is a file.
#[derive(Default)]
pub(crate) struct Source {
    module: Names,
    /// Modules below this one that are files.
    pub(crate) declared: Names,
    /// What `use`s at the module's level bring in.
    pub(crate) imports: BTreeMap<String, Names>,
    /// Macros that have their paths at the crate's root.
    pub(crate) exported: Names,
    used: BTreeSet<Names>,
    reexported: Names,
    /// Every name outside `use`s.
    names: BTreeSet<String>,
}

impl Source {
    /// Reads the text of the module with this path.
    pub(crate) fn new(module: &[String], text: &str) -> Self {
        let mut source = Self { module: module.to_vec(), ..Self::default() };
        let tokens: TokenStream = text.parse().unwrap();
        source.read(module, &tokens.into_iter().collect::<Vec<_>>());
        source
    }

    /// Every path that the file uses. A re-export is used where the file names it, too.
    pub(crate) fn used(&self) -> impl Iterator<Item = &Names> {
        let named = self.reexported.iter().filter(|name| self.names.contains(*name));
        self.used.iter().chain(named.map(|name| &self.imports[name]))
    }

    fn read(&mut self, module: &[String], tokens: &[TokenTree]) {
        let end_of = |at: usize, is_end: &dyn Fn(&TokenTree) -> bool| {
            tokens[at..].iter().position(is_end).map_or(tokens.len(), |place| at + place)
        };
        let mut is_public = false;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let next = tokens.get(at);
            if let Some(attribute) = group(next, Delimiter::Bracket).filter(|_| is(token, "#")) {
                let attribute: String = attribute.iter().map(TokenTree::to_string).collect();
                let attribute = attribute.replace(' ', "");
                if attribute.starts_with("cfg(test)") || attribute.starts_with("cfg(all(test") {
                    at = 1 + end_of(at, &|token| {
                        is(token, ";") || group(Some(token), Delimiter::Brace).is_some()
                    });
                } else if attribute == "macro_export" {
                    let place = end_of(at, &|token| is(token, "macro_rules"));
                    self.exported.extend(name(tokens.get(place + 2)));
                }
            } else if let TokenTree::Group(group) = token {
                self.read(module, &group.stream().into_iter().collect::<Vec<_>>());
            } else if is(token, "pub") {
                is_public = true;
                // `pub(crate)`, or `pub(in crate::a)`, which uses nothing.
                let limits = group(next, Delimiter::Parenthesis);
                at += usize::from(limits.is_some_and(|limits| limits.len() == 1 || is(&limits[0], "in")));
            } else if is(token, "use") {
                let end = end_of(at, &|token| is(token, ";"));
                // `use ::core::ptr` is of another crate.
                if next.is_some_and(|token| !is(token, ":")) {
                    self.read_use(module, &[], &tokens[at..end], is_public);
                }
                (at, is_public) = (end, false);
            } else if let (true, Some(inner)) = (is(token, "mod"), name(next)) {
                match group(tokens.get(at + 1), Delimiter::Brace) {
                    Some(tokens) => self.read(&[module, &[inner]].concat(), &tokens),
                    None => self.declared.push(inner),
                }
                (at, is_public) = (at + 2, false);
            } else if let Some(first) = name(Some(token)) {
                // `::core::ptr`, or what comes after `<T as Trait>`.
                let is_of_other = at > 2 && tokens[at - 3..at - 1].iter().all(|token| is(token, ":"));
                let mut path = vec![first];
                let colons = |at: usize| tokens[at..].iter().take(2).filter(|token| is(token, ":")).count();
                while let Some(name) = name(tokens.get(at + 2)).filter(|_| colons(at) == 2) {
                    path.push(name);
                    at += 3;
                }
                self.names.extend(path.iter().cloned());
                if path.len() > 1 && !is_of_other {
                    self.used.insert(whole(module, &path));
                }
                is_public = false;
            }
        }
    }

    /// Reads what comes after `use`, or after `outer::` in it.
    fn read_use(&mut self, module: &[String], outer: &[String], tree: &[TokenTree], is_public: bool) {
        let mut path = outer.to_vec();
        let mut alias = None;
        let mut tokens = tree.iter();
        while let Some(token) = tokens.next() {
            if let Some(list) = group(Some(token), Delimiter::Brace) {
                for part in list.split(|token| is(token, ",")).filter(|part| !part.is_empty()) {
                    self.read_use(module, &path, part, is_public);
                }
                return;
            } else if is(token, "as") {
                alias = name(tokens.next());
            } else if is(token, "*") || name(Some(token)).is_some() {
                path.push(token.to_string());
            }
        }
        path.pop_if(|last| last == "self");
        let Some(name) = alias.or_else(|| path.last().cloned()) else { return };
        // `pub(crate) use name;` gives a macro of this file a path.
        if path == slice::from_ref(&name) {
            return;
        }
        let path = whole(module, &path);
        if !is_public {
            self.used.insert(path.clone());
        }
        if module == self.module {
            self.reexported.extend(is_public.then(|| name.clone()));
            self.imports.insert(name, path);
        }
    }
}

fn is(token: &TokenTree, text: &str) -> bool {
    !matches!(token, TokenTree::Group(_)) && token.to_string() == text
}

fn name(token: Option<&TokenTree>) -> Option<String> {
    if let Some(TokenTree::Ident(name)) = token { Some(name.to_string()) } else { None }
}

/// The tokens between these delimiters.
fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<Vec<TokenTree>> {
    let Some(TokenTree::Group(group)) = token else { return None };
    (group.delimiter() == delimiter).then(|| group.stream().into_iter().collect())
}

/// The path without `self` and `super` at its beginning.
fn whole(module: &[String], path: &[String]) -> Names {
    let up = path.iter().take_while(|name| *name == "super" || *name == "self").count();
    if up == 0 {
        return path.to_vec();
    }
    let outer = path[..up].iter().filter(|name| *name == "super").count();
    [&module[..module.len() - outer], &path[up..]].concat()
}
