//! Arrows between the modules of a Python package, from their syntax.
//!
//! A module points at another if it imports it or a name from it, wherever the import stands: in a function, or under
//! `TYPE_CHECKING`; or if a text of it is the module's full name, alone or as in `"warp.types:vec3"`, which is imported by that
//! name at some time. A package's `__init__.py` is a face: what it imports and does not use is no arrow of its own, and who
//! takes a name from it points at the module that defines the name.

mod module;

use crate::graph::Graph;
use module::{Import, Module};
use std::collections::BTreeMap;

/// The arrows between files. A stub says where names of its module come from, which that puts there itself.
/// Files are given as (place beside the package, text): `("warp/_base/lazy.py", "import importlib")`.
pub fn graph<F: AsRef<str>, T: AsRef<str>>(files: &[(F, T)]) -> Graph {
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    let mut stubs = Vec::new();
    for (file, text) in files {
        let module = Module::new(file.as_ref(), text.as_ref());
        match file.as_ref().ends_with(".pyi") {
            true => stubs.push(module),
            false => _ = modules.insert(module.name.clone(), module),
        }
    }
    for stub in stubs {
        if let Some(module) = modules.get_mut(&stub.name) {
            module.imports.extend(stub.imports);
        }
    }
    let package = Package { modules };
    let mut graph = Graph::default();
    for module in package.modules.values() {
        for import in &module.imports {
            let is_face_only = module.is_face && !module.used.contains(&import.bound);
            if !is_face_only {
                package.add(&mut graph, module, &import.what);
            }
        }
        for chain in &module.chains {
            for import in module.imports.iter().filter(|i| i.bound == chain[0]) {
                package.add_chain(&mut graph, module, &import.what, &chain[1..]);
            }
        }
        for text in &module.texts {
            let import = match text.split_once(':') {
                Some((of, name)) => Import::Name(of.to_string(), name.to_string()),
                None => Import::Module(text.clone()),
            };
            package.add(&mut graph, module, &import);
        }
    }
    graph
}

struct Package {
    modules: BTreeMap<String, Module>,
}

impl Package {
    /// An import's arrow, if it has one. Returns the package whose attributes are further names.
    fn add<'a>(&'a self, graph: &mut Graph, from: &Module, import: &Import) -> Option<&'a Module> {
        let (of, name) = match import {
            Import::Module(name) => return self.add_module(graph, from, name),
            Import::Name(of, name) => (self.modules.get(of)?, name),
        };
        if !of.is_face || of.defined.contains(name) {
            graph.add(&from.file, &of.file, name);
            return None;
        }
        // A package's name is what it imported under that name, else a module in it.
        match of.imports.iter().find(|i| i.is_top && i.bound == *name) {
            Some(further) if further.what != *import => self.add(graph, from, &further.what),
            _ => self.add_module(graph, from, &format!("{}.{name}", of.name)),
        }
    }

    fn add_module<'a>(
        &'a self,
        graph: &mut Graph,
        from: &Module,
        name: &str,
    ) -> Option<&'a Module> {
        let module = self.modules.get(name)?;
        if module.is_face {
            return Some(module);
        }
        let short = name.rsplit('.').next().unwrap_or(name);
        graph.add(&from.file, &module.file, short);
        None
    }

    /// The arrows of `import.a.b`.
    fn add_chain(&self, graph: &mut Graph, from: &Module, import: &Import, chain: &[String]) {
        let mut import = import.clone();
        for name in chain {
            let Some(package) = self.add(graph, from, &import) else {
                return;
            };
            import = Import::Name(package.name.clone(), name.clone());
        }
        self.add(graph, from, &import);
    }
}
