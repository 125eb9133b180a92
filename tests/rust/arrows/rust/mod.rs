//! Arrows between the files of a crate, from its syntax.
//!
//! A file points at another if its code names an item that the other defines, by a path through `crate`, `super`, `self`,
//! an imported or a child module. Re-exports are followed to the definition. Declaring a module is no arrow, nor is
//! re-exporting what stands below. Macros count with the paths in their tokens; tests do not count.

mod names;
mod scope;
mod source;
mod tokens;
mod walk;

use crate::graph::Graph;
use names::Names;
use source::Source;
use std::collections::BTreeSet;

/// A crate's sources, parsed, with what its names mean.
pub struct Crate {
    sources: Vec<Source>,
    names: Names,
}

impl Crate {
    /// Parses files, given as (place under `src`, text).
    pub fn new<F: AsRef<str>, T: AsRef<str>>(files: &[(F, T)]) -> Self {
        let mut sources: Vec<Source> = files
            .iter()
            .filter_map(|(file, text)| Source::new(file.as_ref(), text.as_ref()))
            .collect();
        let tests: Vec<_> = sources.iter().flat_map(Source::test_modules).collect();
        sources.retain(|source| !tests.iter().any(|test| source.module.starts_with(test)));
        let names = Names::new(&sources);
        Self { sources, names }
    }

    /// The arrows between its files.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        for source in &self.sources {
            for (file, name) in walk::named(source, &self.names).items {
                graph.add(&source.file, &file, &name);
            }
        }
        graph
    }

    /// For each file under a top-level module: file, room, and the rooms that its code names.
    ///
    /// A room is one of `rows`, as `a/b`, or a top-level module that no row names.
    pub fn imports(&self, rows: &[&str]) -> Vec<(&str, String, BTreeSet<String>)> {
        let mut imports = Vec::new();
        for source in &self.sources {
            let Some(own) = room(&source.module, rows) else {
                continue; // the root only declares the modules
            };
            let named = walk::named(source, &self.names);
            let written = named.absolute.iter().filter_map(|path| room(path, rows));
            let mut rooms: BTreeSet<String> = written.collect();
            let defining = named.items.iter().map(|(file, _)| source::module_of(file));
            rooms.extend(defining.filter_map(|module| room(&module, rows)));
            imports.push((source.file.as_str(), own, rooms));
        }
        imports
    }
}

/// The room that a path from the crate's root leads into: the longest row that it begins with.
fn room(path: &[String], rows: &[&str]) -> Option<String> {
    let begins = |row: &&&str| {
        let parts: Vec<&str> = row.split('/').collect();
        path.len() >= parts.len() && path.iter().zip(parts).all(|(a, b)| a == b)
    };
    let longest = rows.iter().filter(begins).max_by_key(|row| row.len());
    longest.map(|row| row.to_string()).or(path.first().cloned())
}
