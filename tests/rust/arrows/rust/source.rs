//! A source file of a crate, parsed.

use super::tokens::spelled;
use std::path::Path as FilePath;
use syn::{Attribute, Item, Meta};

/// The segments of a path, or of a module's way from the crate's root.
pub type Path = Vec<String>;

/// A file and the module that it holds.
pub struct Source {
    /// Where it stands under `src`.
    pub file: String,
    pub module: Path,
    pub syntax: syn::File,
}

impl Source {
    /// Parses the file at `file` under `src`; None if it is a test.
    ///
    /// # Panics
    ///
    /// If `text` is no Rust.
    pub fn new(file: &str, text: &str) -> Option<Self> {
        let module = module_of(file);
        if module.iter().any(|part| part == "tests") {
            return None;
        }
        let syntax = syn::parse_file(text).unwrap_or_else(|e| panic!("{file}: {e}"));
        Some(Self {
            file: file.to_string(),
            module,
            syntax,
        })
    }

    /// The modules that it declares for tests only.
    pub fn test_modules(&self) -> Vec<Path> {
        let declared = self.syntax.items.iter().filter_map(|item| match item {
            Item::Mod(it) if is_test(&it.attrs) => Some(spelled(&it.ident)),
            _ => None,
        });
        declared
            .map(|name| [&self.module[..], &[name]].concat())
            .collect()
    }
}

/// The module that the file at `file` under `src` holds.
pub fn module_of(file: &str) -> Path {
    let stem = FilePath::new(file).with_extension("");
    let parts = stem.iter().filter_map(|part| part.to_str());
    let mut module: Path = parts.map(str::to_string).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    module
}

/// Whether what has these attributes is compiled for tests only.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let cfg = list.tokens.to_string();
            cfg == "test" || cfg.replace(' ', "").starts_with("all(test,")
        }
        _ => false,
    })
}

/// The attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::ExternCrate(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::ForeignMod(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::TraitAlias(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Union(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    }
}
