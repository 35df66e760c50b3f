//! `public-api.txt` of each published crate lists its public items for review: what the source
//! declares, without bodies and documentation. `UPDATE_PUBLIC_API=1 cargo test -p xtask --test
//! public_api` writes them.
//!
//! Clippy (`unreachable_pub`) finds what is `pub` and can't be reached, so whatever is `pub`
//! belongs to the interface. Left out are what macros make, what `cargo xtask bindings` generates
//! from headers, and what only the feature `unstable-internals` shows.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use syn::{Attribute, Fields, File, ImplItem, Item, ItemMod, ItemUse, Type, Visibility, parse_quote};

const HEAD: &str =
    "// The public items; `UPDATE_PUBLIC_API=1 cargo test -p xtask --test public_api` writes this file.\n";

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Keeps only the attributes that affect how an item is used.
fn strip(attributes: &mut Vec<Attribute>) {
    let told = ["cfg", "derive", "non_exhaustive"];
    attributes.retain(|attribute| told.iter().any(|name| attribute.path().is_ident(name)));
}

fn strip_fields(fields: &mut Fields) {
    if let Fields::Named(named) = fields {
        named.named = core::mem::take(&mut named.named)
            .into_iter()
            .filter(|field| is_public(&field.vis))
            .map(|mut field| {
                strip(&mut field.attrs);
                field
            })
            .collect();
    } else if !fields.iter().any(|field| is_public(&field.vis)) {
        *fields = Fields::Unit;
    }
}

/// The public part of an item, and the name of the type or module that it belongs to; `None` if it
/// has no public part.
fn public(item: Item) -> Option<(String, Item)> {
    match item {
        Item::Struct(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            strip_fields(&mut item.fields);
            Some((item.ident.to_string(), Item::Struct(item)))
        }
        Item::Enum(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            for variant in &mut item.variants {
                strip(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|field| strip(&mut field.attrs));
            }
            Some((item.ident.to_string(), Item::Enum(item)))
        }
        Item::Type(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            Some((item.ident.to_string(), Item::Type(item)))
        }
        Item::Const(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            item.expr = parse_quote!(_);
            Some((item.ident.to_string(), Item::Const(item)))
        }
        Item::Fn(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            item.block = parse_quote!({});
            Some((item.sig.ident.to_string(), Item::Fn(item)))
        }
        Item::Macro(mut item)
            if item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export")) =>
        {
            // Which arguments it takes is told by its documentation.
            item.attrs.retain(|attribute| attribute.path().is_ident("macro_export"));
            item.mac.tokens = parse_quote!(() => {};);
            Some((item.ident.as_ref()?.to_string(), Item::Macro(item)))
        }
        Item::Trait(mut item) if is_public(&item.vis) => {
            strip(&mut item.attrs);
            for item in &mut item.items {
                match item {
                    syn::TraitItem::Fn(method) => strip(&mut method.attrs),
                    syn::TraitItem::Const(constant) => strip(&mut constant.attrs),
                    _ => {}
                }
            }
            Some((item.ident.to_string(), Item::Trait(item)))
        }
        Item::Impl(mut item) => {
            strip(&mut item.attrs);
            let of_trait = item.trait_.is_some();
            item.items
                .retain(|item| matches!(item, ImplItem::Fn(method) if !of_trait && is_public(&method.vis)));
            for item in &mut item.items {
                let ImplItem::Fn(method) = item else { continue };
                strip(&mut method.attrs);
                method.block = parse_quote!({});
            }
            let Type::Path(of) = &*item.self_ty else { return None };
            let name = match of.path.segments.last()?.ident.to_string() {
                form if ["Tensor", "AnyTensor", "TensorView"].contains(&form.as_str()) => {
                    "TensorBase".to_owned()
                }
                name => name,
            };
            (of_trait || !item.items.is_empty()).then_some((name, Item::Impl(item)))
        }
        _ => None,
    }
}

/// All files of a folder, in the same order on every machine.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn items(path: &Path) -> Vec<Item> {
    syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap().items
}

fn print(items: Vec<Item>) -> String {
    prettyplease::unparse(&File { shebang: None, attrs: Vec::new(), items })
}

/// The source of a crate, whose root is `root`.
struct Source {
    /// The items at the root.
    root: Vec<Item>,
    /// Those of all files, with the names of the files in the crate.
    files: Vec<(String, Vec<Item>)>,
    /// The names that only the unstable feature shows.
    unstable: BTreeSet<String>,
}

impl Source {
    fn read(root: &Path) -> Self {
        let folder = root.parent().unwrap();
        let read = |path: PathBuf| {
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let is_source =
                name.ends_with(".rs") && !name.contains("tests") && !name.starts_with("generated");
            is_source.then(|| (name, items(&path)))
        };
        let mut files: Vec<_> = files(folder).into_iter().filter_map(read).collect();
        let mut unstable = BTreeSet::new();
        files.retain(|(name, items)| {
            let is_unstable = name.ends_with("internals.rs");
            if is_unstable {
                let shown =
                    print(items.iter().filter(|item| matches!(item, Item::Use(_))).cloned().collect());
                let words = shown.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                unstable.extend(words.map(str::to_owned));
            }
            !is_unstable
        });
        Self { root: items(root), files, unstable }
    }

    /// What the root shows: modules, and items of others.
    fn shown(&self) -> Vec<Item> {
        let shown = |item: &Item| match item {
            Item::Use(item) if is_public(&item.vis) => {
                let mut item: ItemUse = item.clone();
                strip(&mut item.attrs);
                Some(Item::Use(item))
            }
            Item::Mod(item) if is_public(&item.vis) => {
                let mut item: ItemMod = item.clone();
                strip(&mut item.attrs);
                Some(Item::Mod(item))
            }
            _ => None,
        };
        self.root.iter().filter_map(shown).collect()
    }

    /// The listing: what the root shows, and then the items with each name.
    fn listing(self) -> String {
        let mut text = format!("{HEAD}\n{}", print(self.shown()));
        let mut groups: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        let all = self.files.into_iter().flat_map(|(_, items)| items);
        for (name, item) in all.filter_map(public) {
            if !self.unstable.contains(&name) {
                groups.entry(name).or_default().push(item);
            }
        }
        // Traits of private types, and of foreign ones, are nothing to review.
        groups.retain(|_, items| items.iter().any(|item| !matches!(item, Item::Impl(_))));
        for items in groups.into_values() {
            text += "\n";
            text += &print(items);
        }
        text
    }
}

/// The name of a published package, its folder for the listing, and its root.
fn published() -> Vec<(String, PathBuf, PathBuf)> {
    let metadata = xtask::metadata(&["--no-deps", "--offline"]).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let of = |package: &Value| {
        let is_library = |target: &&Value| target["kind"][0] == "lib";
        let library = package["targets"].as_array().unwrap().iter().find(is_library)?;
        let root = PathBuf::from(library["src_path"].as_str()?);
        // Beside `src`; the root of the kernels is in a folder of theirs.
        let folder = root.parent()?;
        let folder = if folder.ends_with("src") { folder.parent()? } else { folder };
        Some((package["name"].as_str()?.to_owned(), folder.to_path_buf(), root))
    };
    packages.filter(|package| package["publish"].is_null()).filter_map(of).collect()
}

#[test]
fn the_listings_are_those_of_the_sources() {
    let published = published();
    assert!(published.len() >= 7, "{published:?}");
    for (name, folder, root) in published {
        let (text, path) = (Source::read(&root).listing(), folder.join("public-api.txt"));
        if std::env::var_os("UPDATE_PUBLIC_API").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        for (number, (now, then)) in text.lines().zip(committed.lines()).enumerate() {
            assert_eq!(now, then, "{name}: line {} of public-api.txt", number + 1);
        }
        assert_eq!(text.lines().count(), committed.lines().count(), "{name}: lines of public-api.txt");
    }
}
