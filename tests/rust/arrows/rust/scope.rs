//! The names that the items of a module or of a block declare.

use super::source::{Path, attributes, is_test};
use super::tokens::{identifiers, spelled};
use std::collections::{HashMap, HashSet};
use syn::{Item, UseTree, Visibility};

/// What a name was declared as.
#[derive(Clone)]
pub enum Binding {
    /// An item that stands here.
    Item,
    /// A child module.
    Module(Path),
    /// An import, of this path.
    Use(Path),
}

/// The names of a module or of a block.
#[derive(Default)]
pub struct Scope {
    pub names: HashMap<String, Vec<Binding>>,
    pub globs: Vec<Path>,
    /// What macros that are called for their items may define.
    pub generated: HashSet<String>,
}

impl Scope {
    /// The names that `items`, which stand in `module`, declare.
    pub fn new<'a>(items: impl IntoIterator<Item = &'a Item>, module: &[String]) -> Self {
        let mut scope = Self::default();
        for item in items {
            if !is_test(attributes(item)) {
                scope.declare(item, module);
            }
        }
        scope
    }

    fn declare(&mut self, item: &Item, module: &[String]) {
        match item {
            Item::Use(it) => {
                for leaf in leaves(it) {
                    match leaf.bound {
                        Some(name) => self.bind(name, Binding::Use(leaf.path)),
                        None if leaf.is_glob => self.globs.push(leaf.path),
                        None => {}
                    }
                }
            }
            Item::Mod(it) => {
                let name = spelled(&it.ident);
                let child = [module, std::slice::from_ref(&name)].concat();
                self.bind(name, Binding::Module(child));
            }
            Item::Macro(it) => match &it.ident {
                Some(name) => self.bind(spelled(name), Binding::Item),
                None => identifiers(it.mac.tokens.clone(), &mut self.generated),
            },
            Item::ForeignMod(it) => {
                for item in &it.items {
                    match item {
                        syn::ForeignItem::Fn(f) => self.item(&f.sig.ident),
                        syn::ForeignItem::Static(s) => self.item(&s.ident),
                        syn::ForeignItem::Type(t) => self.item(&t.ident),
                        _ => {}
                    }
                }
            }
            Item::Const(it) => self.item(&it.ident),
            Item::Enum(it) => self.item(&it.ident),
            Item::Fn(it) => self.item(&it.sig.ident),
            Item::Static(it) => self.item(&it.ident),
            Item::Struct(it) => self.item(&it.ident),
            Item::Trait(it) => self.item(&it.ident),
            Item::TraitAlias(it) => self.item(&it.ident),
            Item::Type(it) => self.item(&it.ident),
            Item::Union(it) => self.item(&it.ident),
            _ => {}
        }
    }

    fn item(&mut self, name: &syn::Ident) {
        self.bind(spelled(name), Binding::Item);
    }

    fn bind(&mut self, name: String, binding: Binding) {
        self.names.entry(name).or_default().push(binding);
    }
}

/// One name of a `use` declaration.
pub struct Leaf {
    pub path: Path,
    /// The name that it declares; none for `as _` and `*`.
    bound: Option<String>,
    is_glob: bool,
}

/// The names of a `use` declaration, none if it begins at another crate's root (`::`).
pub fn leaves(item: &syn::ItemUse) -> Vec<Leaf> {
    let mut found = Vec::new();
    if item.leading_colon.is_none() {
        flatten(&item.tree, Vec::new(), &mut found);
    }
    found
}

fn flatten(tree: &UseTree, mut prefix: Path, found: &mut Vec<Leaf>) {
    let mut leaf = |mut path: Path, name: &syn::Ident, bound: &syn::Ident| {
        let own = name == "self" && !path.is_empty();
        if !own {
            path.push(spelled(name));
        }
        let bound = match own && bound == name {
            true => path.last().cloned(),
            false => (bound != "_").then(|| spelled(bound)),
        };
        found.push(Leaf {
            path,
            bound,
            is_glob: false,
        });
    };
    match tree {
        UseTree::Path(it) => {
            prefix.push(spelled(&it.ident));
            flatten(&it.tree, prefix, found);
        }
        UseTree::Name(it) => leaf(prefix, &it.ident, &it.ident),
        UseTree::Rename(it) => leaf(prefix, &it.ident, &it.rename),
        UseTree::Glob(_) => found.push(Leaf {
            path: prefix,
            bound: None,
            is_glob: true,
        }),
        UseTree::Group(it) => {
            for tree in &it.items {
                flatten(tree, prefix.clone(), found);
            }
        }
    }
}

/// Whether a `use` declaration is a re-export.
pub fn is_reexport(item: &syn::ItemUse) -> bool {
    !matches!(item.vis, Visibility::Inherited)
}
