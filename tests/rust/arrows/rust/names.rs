//! What paths mean in a crate: the way from a path to the file that defines an item.

use super::scope::{Binding, Scope};
use super::source::{Path, Source, attributes, is_test};
use super::tokens::spelled;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use syn::Item;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module.
    Module(Path),
    /// An item, with the module and the file that define it.
    Item {
        module: Path,
        file: String,
        name: String,
    },
}

struct Module {
    file: String,
    scope: Scope,
}

/// The modules of a crate.
#[derive(Default)]
pub struct Names {
    modules: BTreeMap<Path, Module>,
    /// `macro_rules!` by name: the modules that define one.
    macros: HashMap<String, Vec<Path>>,
}

impl Names {
    /// The names of the crate that `sources` make up.
    pub fn new(sources: &[Source]) -> Self {
        let mut names = Self::default();
        for source in sources {
            names.add(source.module.clone(), &source.file, &source.syntax.items);
        }
        names
    }

    fn add(&mut self, module: Path, file: &str, items: &[Item]) {
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(it) => {
                    if let Some((_, inner)) = &it.content {
                        let child = [&module[..], &[spelled(&it.ident)]].concat();
                        self.add(child, file, inner);
                    }
                }
                Item::Macro(it) => {
                    if let Some(name) = &it.ident {
                        let defined = self.macros.entry(spelled(name)).or_default();
                        defined.push(module.clone());
                    }
                }
                _ => {}
            }
        }
        let scope = Scope::new(items, &module);
        let file = file.to_string();
        self.modules.insert(module, Module { file, scope });
    }

    /// What `path` leads to from inside `module`, within `blocks` (the innermost last): nothing if it leaves the crate.
    pub fn resolve(
        &self,
        module: &[String],
        blocks: &[Scope],
        path: &[String],
    ) -> BTreeSet<Target> {
        self.follow(module, blocks, path, &mut HashSet::new())
    }

    /// What the macro called `name` in `module` is. A macro that nothing imports is that of the nearest module around,
    /// or the only one of its name (`#[macro_use]`, `#[macro_export]`).
    pub fn resolve_macro(&self, module: &[String], name: &str) -> Option<Target> {
        let defined = self.macros.get(name)?;
        let around = defined.iter().filter(|m| module.starts_with(m));
        let nearest = around.max_by_key(|m| m.len());
        let only = (defined.len() == 1).then(|| &defined[0]);
        nearest.or(only).map(|m| self.item(m, name))
    }

    fn item(&self, module: &[String], name: &str) -> Target {
        Target::Item {
            module: module.to_vec(),
            file: self.modules[module].file.clone(),
            name: name.to_string(),
        }
    }

    fn follow(
        &self,
        module: &[String],
        blocks: &[Scope],
        path: &[String],
        seen: &mut HashSet<(Path, Path)>,
    ) -> BTreeSet<Target> {
        let Some((first, rest)) = path.split_first() else {
            return BTreeSet::new();
        };
        let mut current = match first.as_str() {
            "crate" => BTreeSet::from([Target::Module(Path::new())]),
            "self" => BTreeSet::from([Target::Module(module.to_vec())]),
            "super" => match module.split_last() {
                Some((_, parent)) => BTreeSet::from([Target::Module(parent.to_vec())]),
                None => return BTreeSet::new(),
            },
            name => self.look_up(module, blocks, name, seen),
        };
        for name in rest {
            current = self.step(&current, name, seen);
        }
        current
    }

    /// One segment on from `current`. What follows an item (a variant, an associated function) is still that item.
    fn step(
        &self,
        current: &BTreeSet<Target>,
        name: &str,
        seen: &mut HashSet<(Path, Path)>,
    ) -> BTreeSet<Target> {
        let mut inside = BTreeSet::new();
        for target in current {
            if let Target::Module(module) = target {
                inside.extend(self.member(module, name, seen));
            }
        }
        if !inside.is_empty() {
            return inside;
        }
        let items: BTreeSet<Target> = current
            .iter()
            .filter(|t| matches!(t, Target::Item { .. }))
            .cloned()
            .collect();
        if !items.is_empty() {
            return items;
        }
        // Nothing declares it, so a macro that the module calls does.
        current
            .iter()
            .filter_map(|target| match target {
                Target::Module(module) if self.modules.contains_key(module) => {
                    Some(self.item(module, name))
                }
                _ => None,
            })
            .collect()
    }

    /// What `module` calls `name`.
    fn member(
        &self,
        module: &[String],
        name: &str,
        seen: &mut HashSet<(Path, Path)>,
    ) -> BTreeSet<Target> {
        if name == "super" {
            let parent = module.split_last().map(|(_, p)| p.to_vec());
            return parent.map(Target::Module).into_iter().collect();
        }
        match self.modules.get(module) {
            Some(found) => self.of_scope(&found.scope, module, name, seen),
            None => BTreeSet::new(),
        }
    }

    fn look_up(
        &self,
        module: &[String],
        blocks: &[Scope],
        name: &str,
        seen: &mut HashSet<(Path, Path)>,
    ) -> BTreeSet<Target> {
        for scope in blocks.iter().rev() {
            let found = self.of_scope(scope, module, name, seen);
            if !found.is_empty() {
                return found;
            }
        }
        self.member(module, name, seen)
    }

    /// What `scope`, which stands in `module`, calls `name`.
    fn of_scope(
        &self,
        scope: &Scope,
        module: &[String],
        name: &str,
        seen: &mut HashSet<(Path, Path)>,
    ) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        for binding in scope.names.get(name).into_iter().flatten() {
            match binding {
                Binding::Item => found.extend([self.item(module, name)]),
                Binding::Module(child) => found.extend([Target::Module(child.clone())]),
                // The imports of a module may lead back to themselves: `use a::a`.
                Binding::Use(path) => {
                    if seen.insert((module.to_vec(), path.clone())) {
                        found.extend(self.follow(module, &[], path, seen));
                        seen.remove(&(module.to_vec(), path.clone()));
                    }
                }
            }
        }
        if !found.is_empty() {
            return found;
        }
        if scope.generated.contains(name) {
            return BTreeSet::from([self.item(module, name)]);
        }
        for glob in &scope.globs {
            let key = (module.to_vec(), [&glob[..], &["*".to_string()]].concat());
            if seen.insert(key.clone()) {
                for target in self.follow(module, &[], glob, seen) {
                    if let Target::Module(of) = target {
                        found.extend(self.member(&of, name, seen));
                    }
                }
                seen.remove(&key);
            }
        }
        found
    }
}
