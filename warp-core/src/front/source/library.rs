//! The functions and structs of `library`, parsed when a kernel first uses one, and its kernels.

use crate::error::{Code, Error, Result};
use crate::front::call::of_blocks;
use crate::front::source::scope::{External, FuncRef, Scope, SourceText};
use crate::front::source::statics::StaticScope;
use crate::ir::Const;
use crate::library::{self, Library};
use crate::ty::{Pattern, Struct, Type};
use ruff_python_ast::{Stmt, StmtClassDef};
use ruff_text_size::Ranged;
use std::sync::{Arc, OnceLock};

/// Ids of functions begin here; `py` gives others.
const FIRST_ID: u64 = 1 << 62;

/// What a name of a library stands for in kernels.
pub fn find(name: &str) -> Option<External> {
    static LOADED: [OnceLock<LibraryScope>; library::LIBRARIES.len()] =
        [const { OnceLock::new() }; library::LIBRARIES.len()];
    let mut all = library::LIBRARIES.iter().enumerate();
    let (n, it) = all.find(|(_, it)| it.names.contains(&name))?;
    let loaded = LOADED[n].get_or_init(|| {
        load(n, it, &Meanings::default()).unwrap_or_else(|why| panic!("{}: {why}", it.file))
    });
    loaded.0.resolve(&[name])
}

/// What the functions see that GPUs search meshes by.
pub fn searches() -> &'static dyn Scope {
    static LOADED: OnceLock<LibraryScope> = OnceLock::new();
    let number = library::LIBRARIES.len();
    LOADED.get_or_init(|| {
        let it = &library::SEARCHES;
        load(number, it, &Meanings::default()).unwrap_or_else(|why| panic!("{}: {why}", it.file))
    })
}

/// What names mean in a library that is written for several types.
#[derive(Clone, Debug, Default)]
pub struct Meanings {
    /// Types and constants.
    pub names: Vec<(&'static str, External)>,
    /// Other names of functions that stand in the library.
    pub functions: Vec<(&'static str, &'static str)>,
}

/// The text of a kernel of a library, and what it sees.
///
/// # Errors
/// The library cannot be read, or has no such kernel.
pub fn kernel(
    it: &Library,
    name: &str,
    meanings: &Meanings,
) -> Result<(SourceText, Arc<dyn Scope>)> {
    let number = library::LIBRARIES.len() + 1;
    match load(number, it, meanings)?.0.resolve(&[name]) {
        Some(External::Func(func)) => Ok((func.source, func.scope)),
        _ => Err(Error::new(
            Code::Bug,
            format!("{} has no kernel `{name}`", it.file),
        )),
    }
}

/// Whether a function is one that kernels may call, and not one of their own of the same name.
pub fn is_public(func: &FuncRef) -> bool {
    func.id >= FIRST_ID && library::find(&func.source.name).is_some()
}

/// The struct of a name, for who declares parameters of its type.
pub fn struct_of(name: &str) -> Option<Struct> {
    match find(name)? {
        External::Type(Type::Struct(s)) => Some(s),
        _ => None,
    }
}

/// The function that gives the next item of a query.
pub fn next_of(s: Struct) -> Option<FuncRef> {
    let mut all = library::LIBRARIES.iter().flat_map(|it| it.next);
    let (name, next) = all.find(|(name, _)| s.name() == *name)?;
    match (struct_of(name)? == s).then(|| find(next))?? {
        External::Func(func) => Some(func),
        _ => None,
    }
}

/// What the functions of a library see.
#[derive(Clone, Debug)]
struct LibraryScope(StaticScope);

impl Scope for LibraryScope {
    fn resolve(&self, path: &[&str]) -> Option<External> {
        match path {
            ["wp", name @ ("object" | "read" | "search")] => {
                Some(External::Builtin((*name).into()))
            }
            ["wp", name] if of_blocks::is_name(name) => Some(External::Builtin((*name).into())),
            path => self.0.resolve(path),
        }
    }
    fn eval_static(
        &self,
        expr: &str,
        known: &[(&str, Const)],
    ) -> std::result::Result<External, String> {
        self.0.eval_static(expr, known)
    }
    fn annotation(&self, expr: &str) -> std::result::Result<Pattern, String> {
        match expr.strip_prefix("wp.").and_then(struct_of) {
            Some(found) => Ok(Pattern::Exact(Type::Struct(found))),
            None => self.0.annotation(expr),
        }
    }
}

fn load(number: usize, it: &Library, meanings: &Meanings) -> Result<LibraryScope> {
    let bad = |what: String| Error::new(Code::Bug, what);
    let parsed = ruff_python_parser::parse_module(it.text).map_err(|e| bad(e.to_string()))?;
    let named = meanings.names.iter().cloned();
    let mut scope = named.fold(StaticScope::new(), |scope, (name, meaning)| {
        scope.with(name, meaning)
    });
    let mut functions = 0;
    for stmt in &parsed.syntax().body {
        match stmt {
            Stmt::ClassDef(class) => {
                let scope_ = LibraryScope(scope.clone());
                let made = fields(&scope_, it, class).map_err(bad)?;
                let name = class.name.as_str();
                let made = Struct::new(&format!("library.{name}"), name, made)?;
                scope = scope.with(name, External::Type(Type::Struct(made)));
            }
            Stmt::FunctionDef(def) => {
                functions += 1;
                let name = def.name.as_str();
                let overloads = match scope.resolve(&[name]) {
                    Some(External::Func(mut before)) => {
                        let mut all = std::mem::take(&mut before.overloads);
                        all.push(before);
                        all
                    }
                    _ => Vec::new(),
                };
                let range = def.range();
                let before = &it.text[..range.start().to_usize()];
                let source = SourceText {
                    name: name.to_string(),
                    file: format!("warp/{}", it.file),
                    first_line: before.matches('\n').count() as u32 + 1,
                    text: it.text[range.start().to_usize()..range.end().to_usize()].to_string(),
                };
                let func = FuncRef {
                    id: FIRST_ID + ((number as u64) << 32) + functions,
                    source,
                    scope: Arc::new(LibraryScope(scope.clone())),
                    overloads,
                    gradient: None,
                    replay: None,
                };
                let aliases = meanings.functions.iter().filter(|(_, of)| *of == name);
                for (alias, _) in aliases {
                    scope = scope.with(*alias, External::Func(func.clone()));
                }
                scope = scope.with(name, External::Func(func));
            }
            _ => return Err(bad("neither a class nor a function".into())),
        }
    }
    Ok(LibraryScope(scope))
}

/// The fields of a class: names and annotations.
fn fields(
    scope: &LibraryScope,
    it: &Library,
    class: &StmtClassDef,
) -> std::result::Result<Vec<(String, Type)>, String> {
    let mut fields = Vec::new();
    for stmt in &class.body {
        let Stmt::AnnAssign(field) = stmt else {
            continue;
        };
        let range = field.target.range();
        let name = &it.text[range.start().to_usize()..range.end().to_usize()];
        let range = field.annotation.range();
        let text = &it.text[range.start().to_usize()..range.end().to_usize()];
        match scope.annotation(text)? {
            Pattern::Exact(ty) => fields.push((name.to_string(), ty)),
            _ => return Err(format!("field {name} has no single type")),
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_libraries_have_their_names() {
        for it in library::LIBRARIES {
            for name in it.names {
                assert!(find(name).is_some(), "{name}");
            }
            for (query, _) in it.next {
                let s = struct_of(query).expect("a struct");
                assert!(next_of(s).is_some(), "{query}");
            }
        }
    }
}
