//! `public-api.txt` lists the crate's public API for review: what the source declares, without
//! bodies and documentation. `UPDATE_PUBLIC_API=1 cargo test -p aclnn --test public_api` rewrites
//! it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{Attribute, Fields, File, ImplItem, Item, Type, Visibility, parse_quote};

const HEAD: &str = "// The public surface of aclnn; `UPDATE_PUBLIC_API=1 cargo test -p aclnn --test public_api` writes this file.\n";

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

/// The listing: what `lib.rs` exports, and then the items with each name.
fn listing(source: &Path) -> String {
    let given: Vec<Item> = items(&source.join("lib.rs"))
        .into_iter()
        .filter(|item| matches!(item, Item::Use(item) if is_public(&item.vis)))
        .collect();
    let given = print(given);
    let is_given =
        |name: &str| given.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name);
    let mut groups: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for (name, item) in files(source).iter().flat_map(|path| items(path)).filter_map(public) {
        groups.entry(name).or_default().push(item);
    }
    let mut text = format!("{HEAD}\n{given}");
    for (_, items) in groups.into_iter().filter(|(name, _)| is_given(name)) {
        text += "\n";
        text += &print(items);
    }
    text
}

#[test]
fn the_listing_is_that_of_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (text, path) = (listing(&root.join("src")), root.join("public-api.txt"));
    if std::env::var_os("UPDATE_PUBLIC_API").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (number, (now, then)) in text.lines().zip(committed.lines()).enumerate() {
        assert_eq!(now, then, "line {} of public-api.txt; UPDATE_PUBLIC_API=1 writes it anew", number + 1);
    }
    assert_eq!(text.lines().count(), committed.lines().count(), "UPDATE_PUBLIC_API=1 writes it anew");
}
