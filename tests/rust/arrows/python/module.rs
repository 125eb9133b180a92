//! A module of a Python package, parsed: what it defines, imports and uses.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt, StmtImport, StmtImportFrom};
use std::collections::{BTreeSet, HashSet};

/// What an import names.
#[derive(Clone, PartialEq)]
pub enum Import {
    /// A module, by its full name.
    Module(String),
    /// A name of a module; it may be a module too.
    Name(String, String),
}

/// An import, and the name that it binds.
pub struct Bound {
    pub what: Import,
    pub bound: String,
    /// Whether it stands outside functions and classes.
    pub is_top: bool,
}

pub struct Module {
    /// Its full name: `warp._operator.call`.
    pub name: String,
    pub file: String,
    /// Whether this is the `__init__.py` of a package.
    pub is_face: bool,
    /// The names that it defines itself.
    pub defined: HashSet<String>,
    pub imports: Vec<Bound>,
    /// The names that its code reads.
    pub used: HashSet<String>,
    /// Names and their attributes: `wp.types.vec3` is `["wp", "types", "vec3"]`.
    pub chains: BTreeSet<Vec<String>>,
    /// Its texts, of which some are places of the package: `"warp.types"`, `"warp.types:vec3"`.
    pub texts: BTreeSet<String>,
    /// Functions and classes around.
    depth: usize,
}

impl Module {
    /// Parses the file at `file`, beside the package.
    ///
    /// # Panics
    ///
    /// If `text` is no Python.
    pub fn new(file: &str, text: &str) -> Self {
        let (stem, _) = file.rsplit_once('.').unwrap_or((file, ""));
        let package = stem.strip_suffix("/__init__");
        let parsed = ruff_python_parser::parse_module(text);
        let parsed = parsed.unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut module = Self {
            name: package.unwrap_or(stem).replace('/', "."),
            file: file.to_string(),
            is_face: package.is_some(),
            defined: HashSet::new(),
            imports: Vec::new(),
            used: HashSet::new(),
            chains: BTreeSet::new(),
            texts: BTreeSet::new(),
            depth: 0,
        };
        module.visit_body(parsed.suite());
        module
    }

    fn import(&mut self, statement: &StmtImport) {
        for alias in &statement.names {
            let name = alias.name.as_str();
            if let Some(bound) = &alias.asname {
                self.bind(Import::Module(name.to_string()), bound);
                continue;
            }
            // `import a.b` binds `a`, and imports both.
            let first = name.split('.').next().unwrap_or(name);
            self.bind(Import::Module(first.to_string()), first);
            if first != name {
                self.bind(Import::Module(name.to_string()), first);
            }
        }
    }

    fn import_from(&mut self, statement: &StmtImportFrom) {
        let named = statement
            .module
            .as_ref()
            .map(ruff_python_ast::Identifier::as_str);
        let of = match statement.level {
            0 => named.unwrap_or_default().to_string(),
            level => self.relative(level, named),
        };
        for alias in &statement.names {
            let name = alias.name.as_str();
            let what = match name {
                "*" => Import::Module(of.clone()),
                _ => Import::Name(of.clone(), name.to_string()),
            };
            let bound = alias.asname.as_ref().unwrap_or(&alias.name);
            self.bind(what, bound);
        }
    }

    /// The module that `level` dots and `name` mean.
    fn relative(&self, level: u32, name: Option<&str>) -> String {
        let mut parts: Vec<&str> = self.name.split('.').collect();
        let climbed = level as usize - usize::from(self.is_face);
        parts.truncate(parts.len().saturating_sub(climbed));
        parts.extend(name);
        parts.join(".")
    }

    fn bind(&mut self, what: Import, bound: &str) {
        self.imports.push(Bound {
            what,
            bound: bound.to_string(),
            is_top: self.depth == 0,
        });
    }

    fn define(&mut self, name: &str) {
        if self.depth == 0 {
            self.defined.insert(name.to_string());
        }
    }
}

impl Visitor<'_> for Module {
    fn visit_stmt(&mut self, statement: &Stmt) {
        let is_scope = match statement {
            Stmt::Import(it) => return self.import(it),
            Stmt::ImportFrom(it) => return self.import_from(it),
            Stmt::FunctionDef(it) => {
                self.define(&it.name);
                true
            }
            Stmt::ClassDef(it) => {
                self.define(&it.name);
                true
            }
            _ => false,
        };
        self.depth += usize::from(is_scope);
        visitor::walk_stmt(self, statement);
        self.depth -= usize::from(is_scope);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) if name.ctx.is_load() => {
                self.used.insert(name.id.to_string());
            }
            Expr::Name(name) => self.define(&name.id),
            Expr::Attribute(_) => match chain(expr) {
                Some(names) => {
                    self.used.insert(names[0].clone());
                    self.chains.insert(names);
                }
                None => visitor::walk_expr(self, expr),
            },
            Expr::StringLiteral(text) => {
                self.texts.insert(text.value.to_str().to_string());
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

/// The names of `a.b.c`; None if it begins with anything but a name.
fn chain(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Name(name) => Some(vec![name.id.to_string()]),
        Expr::Attribute(it) => {
            let mut names = chain(&it.value)?;
            names.push(it.attr.to_string());
            Some(names)
        }
        _ => None,
    }
}
