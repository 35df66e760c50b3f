//! What bindgen found, sorted by how it is written.

use std::error::Error;

use quote::quote;
use syn::{Expr, FnArg, ForeignItem, Ident, Item, ItemConst, Pat, ReturnType, Type};

use super::docs::Docs;

/// A function of the headers.
pub(crate) struct Function {
    pub(crate) name: Ident,
    pub(crate) doc: String,
    pub(crate) arguments: Vec<(Ident, Type)>,
    pub(crate) output: Option<Type>,
}

/// A constant, of an enumeration or of a number.
pub(crate) struct Constant {
    pub(crate) name: Ident,
    /// The type's name in Rust.
    pub(crate) kind: String,
    pub(crate) value: Expr,
    pub(crate) doc: String,
}

/// All that the headers declare.
pub(crate) struct Model {
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Vec<Constant>,
    /// Types that C only names: empty structs here.
    pub(crate) opaque: Vec<(Ident, String)>,
    /// `typedef void *name`: pointers to an empty struct here, each to one of its own.
    pub(crate) handles: Vec<(Ident, String)>,
    /// Enumerations, in the order of the headers: newtypes.
    pub(crate) enumerations: Vec<(Ident, Type, String)>,
    /// Structs, unions, function pointers and implementations as bindgen returned them, with their
    /// comments.
    pub(crate) others: Vec<Item>,
}

impl Model {
    /// Sorts what bindgen wrote.
    pub(crate) fn parse(source: &str, docs: &Docs) -> Result<Self, Box<dyn Error>> {
        let doc = |name: &str| {
            docs.get(name).cloned().ok_or_else(|| format!("{name} has no comment in its header"))
        };
        let mut model = Self {
            functions: Vec::new(),
            constants: Vec::new(),
            opaque: Vec::new(),
            handles: Vec::new(),
            enumerations: Vec::new(),
            others: Vec::new(),
        };
        for item in syn::parse_file(source)?.items {
            match item {
                Item::ForeignMod(block) => {
                    for item in block.items {
                        let ForeignItem::Fn(function) = item else {
                            return Err(format!("neither function nor constant: {}", quote!(#item)).into());
                        };
                        model.functions.push(Function::parse(function, &doc)?);
                    }
                }
                Item::Const(constant) => model.constants.push(Constant::parse(constant, &doc)?),
                Item::Struct(item) if is_opaque(&item) => {
                    // A tag that differs from the type's name has no comment of its own.
                    let words = doc(&item.ident.to_string())
                        .unwrap_or_else(|_| "Known to the runtime alone.".to_owned());
                    model.opaque.push((item.ident, words));
                }
                Item::Struct(item) if matches!(item.fields, syn::Fields::Unnamed(_)) => {
                    let words = doc(&item.ident.to_string())?;
                    let field = item.fields.into_iter().next().ok_or("a newtype without a field")?;
                    model.enumerations.push((item.ident, field.ty, words));
                }
                Item::Type(item)
                    if ["aclError", "aclnnStatus"].contains(&item.ident.to_string().as_str()) => {}
                Item::Type(item) if tokens(&item.ty) == "* mut :: core :: ffi :: c_void" => {
                    model.handles.push((item.ident.clone(), doc(&item.ident.to_string())?));
                }
                Item::Type(mut item) => {
                    let words = doc(&item.ident.to_string())?;
                    item.attrs.push(syn::parse_quote!(#[doc = #words]));
                    model.others.push(Item::Type(item));
                }
                Item::Struct(mut item) => {
                    let name = item.ident.to_string();
                    let words = doc(&name)?;
                    item.attrs.insert(0, syn::parse_quote!(#[doc = #words]));
                    for field in &mut item.fields {
                        let words = field_doc(&name, field, &doc)?;
                        field.attrs.push(syn::parse_quote!(#[doc = #words]));
                    }
                    model.others.push(Item::Struct(item));
                }
                Item::Union(mut item) => {
                    let name = item.ident.to_string();
                    let words = doc(&name)?;
                    item.attrs.insert(0, syn::parse_quote!(#[doc = #words]));
                    for field in &mut item.fields.named {
                        let words = field_doc(&name, field, &doc)?;
                        field.attrs.push(syn::parse_quote!(#[doc = #words]));
                    }
                    model.others.push(Item::Union(item));
                }
                Item::Impl(item) => model.others.push(Item::Impl(item)),
                other => return Err(format!("not expected of bindgen: {}", quote!(#other)).into()),
            }
        }
        model.functions.sort_by_key(|function| function.name.to_string());
        Ok(model)
    }
}

impl Function {
    fn parse(
        item: syn::ForeignItemFn,
        doc: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Self, Box<dyn Error>> {
        let name = item.sig.ident;
        let mut arguments = Vec::new();
        for argument in item.sig.inputs {
            let FnArg::Typed(argument) = argument else {
                return Err(format!("{name} has a receiver").into());
            };
            let Pat::Ident(pattern) = *argument.pat else {
                return Err(format!("{name}: an unnamed argument").into());
            };
            arguments.push((pattern.ident, *argument.ty));
        }
        let output = match item.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, output) => Some(*output),
        };
        Ok(Self { doc: doc(&name.to_string())?, name, arguments, output })
    }
}

impl Constant {
    fn parse(item: ItemConst, doc: &dyn Fn(&str) -> Result<String, String>) -> Result<Self, Box<dyn Error>> {
        let name = item.ident.to_string();
        let plain = tokens(&item.ty);
        let kind = if name.starts_with("ACLNN_SUCCESS") || name.starts_with("ACLNN_ERR_") {
            "aclnnStatus".to_owned()
        } else if name.starts_with("ACL_ERROR_") || name == "ACL_SUCCESS" || name == "ACL_RT_SUCCESS" {
            "aclError".to_owned()
        } else {
            plain
        };
        let mut value = *item.expr;
        // bindgen writes a newtype's constant as `name(value)`.
        if let Expr::Call(call) = &value
            && let Some(inner) = call.args.first()
        {
            value = inner.clone();
        }
        Ok(Self { doc: doc(&name)?, name: item.ident, kind, value })
    }
}

/// A field's comment.
fn field_doc(
    owner: &str,
    field: &syn::Field,
    doc: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    doc(&format!("{owner}.{}", name.trim_end_matches('_')))
}

/// bindgen's form of a struct that C only names.
fn is_opaque(item: &syn::ItemStruct) -> bool {
    item.fields.iter().any(|field| field.ident.as_ref().is_some_and(|name| name == "_unused"))
}

/// Tokens as text, to compare.
fn tokens(item: &impl quote::ToTokens) -> String {
    item.to_token_stream().to_string()
}
