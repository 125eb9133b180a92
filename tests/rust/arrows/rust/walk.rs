//! What the code of a file names.

use super::names::{Names, Target};
use super::scope::{Scope, is_reexport, leaves};
use super::source::{Path, Source, attributes, is_test};
use super::tokens::{self, spelled};
use std::collections::{BTreeSet, HashSet};
use syn::visit::{self, Visit};
use syn::{Block, Item, Meta, Stmt};

/// What the code of a file names.
#[derive(Default)]
pub struct Named {
    /// Items, with the files that define them: (file, name).
    pub items: BTreeSet<(String, String)>,
    /// The paths that say where they begin (`crate::`, `super::`, `self::`), from the crate's root.
    pub absolute: BTreeSet<Path>,
}

/// What the code of `source` names.
pub fn named(source: &Source, names: &Names) -> Named {
    let mut walk = Walk {
        names,
        source,
        module: source.module.clone(),
        blocks: Vec::new(),
        variables: Vec::new(),
        named: Named::default(),
    };
    walk.visit_file(&source.syntax);
    walk.named
}

struct Walk<'a> {
    names: &'a Names,
    source: &'a Source,
    /// The module that the walk is in: the file's own, or one that stands in it.
    module: Path,
    blocks: Vec<Scope>,
    /// The variables of each function around.
    variables: Vec<HashSet<String>>,
    named: Named,
}

impl Walk<'_> {
    fn name(&mut self, path: &[String]) {
        self.note_absolute(path);
        for target in self.names.resolve(&self.module, &self.blocks, path) {
            self.take(target);
        }
    }

    fn name_macro(&mut self, path: &[String]) {
        let found = self.names.resolve(&self.module, &self.blocks, path);
        match path {
            [name] if found.is_empty() => {
                let target = self.names.resolve_macro(&self.module, name);
                target.into_iter().for_each(|t| self.take(t));
            }
            _ => self.name(path),
        }
    }

    fn name_import(&mut self, item: &syn::ItemUse) {
        for leaf in leaves(item) {
            self.note_absolute(&leaf.path);
            for target in self.names.resolve(&self.module, &self.blocks, &leaf.path) {
                // A re-export of what stands below is the face of a module.
                let is_below = matches!(&target, Target::Item { module, .. } if module.starts_with(&self.source.module));
                if !(is_reexport(item) && is_below) {
                    self.take(target);
                }
            }
        }
    }

    fn name_tokens(&mut self, tokens: proc_macro2::TokenStream, single: bool) {
        for mention in tokens::paths(tokens) {
            match &mention.path[..] {
                path if mention.is_macro => self.name_macro(path),
                [name] if !single || self.is_variable(name) => {}
                path => self.name(path),
            }
        }
    }

    fn take(&mut self, target: Target) {
        if let Target::Item { file, name, .. } = target
            && file != self.source.file
        {
            self.named.items.insert((file, name));
        }
    }

    fn note_absolute(&mut self, path: &[String]) {
        let climbed = path.iter().take_while(|s| *s == "super").count();
        let (from, rest) = match path.first().map(String::as_str) {
            Some("crate") => (&[][..], &path[1..]),
            Some("self") => (&self.module[..], &path[1..]),
            Some("super") => {
                let kept = self.module.len().saturating_sub(climbed);
                (&self.module[..kept], &path[climbed..])
            }
            _ => return,
        };
        self.named.absolute.insert([from, rest].concat());
    }

    fn is_variable(&self, name: &str) -> bool {
        self.variables.iter().any(|of| of.contains(name))
    }

    fn in_function(&mut self, variables: Variables, walk: impl FnOnce(&mut Self)) {
        self.variables.push(variables.0);
        walk(self);
        self.variables.pop();
    }
}

fn path_of(path: &syn::Path) -> Path {
    path.segments.iter().map(|s| spelled(&s.ident)).collect()
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            let variables = Variables::of(|v| v.visit_impl_item_fn(item));
            self.in_function(variables, |walk| visit::visit_impl_item_fn(walk, item));
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let variables = Variables::of(|v| v.visit_trait_item_fn(item));
        self.in_function(variables, |walk| visit::visit_trait_item_fn(walk, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let variables = Variables::of(|v| v.visit_item_fn(item));
        self.in_function(variables, |walk| visit::visit_item_fn(walk, item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let around = (
            std::mem::take(&mut self.blocks),
            std::mem::take(&mut self.variables),
        );
        self.module.push(spelled(&item.ident));
        visit::visit_item_mod(self, item);
        self.module.pop();
        (self.blocks, self.variables) = around;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.name_import(item);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let items = block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        });
        self.blocks.push(Scope::new(items, &self.module));
        visit::visit_block(self, block);
        self.blocks.pop();
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if !is_test(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.name(&path_of(path));
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let name = path.path.get_ident();
        if name.is_some_and(|name| self.is_variable(&spelled(name))) {
            return;
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if !call.path.is_ident("macro_rules") {
            self.name_macro(&path_of(&call.path));
        }
        self.name_tokens(call.tokens.clone(), true);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        // Names that stand alone in attributes are those of arguments.
        if let Meta::List(list) = &attribute.meta {
            self.name_tokens(list.tokens.clone(), false);
        }
    }
}

/// The names that the patterns of a function bind.
#[derive(Default)]
struct Variables(HashSet<String>);

impl Variables {
    fn of(visit: impl FnOnce(&mut Self)) -> Self {
        let mut variables = Self::default();
        visit(&mut variables);
        variables
    }
}

impl<'ast> Visit<'ast> for Variables {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(spelled(&pattern.ident));
        visit::visit_pat_ident(self, pattern);
    }
}
