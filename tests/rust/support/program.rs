//! A Python file as tests write it: constants, `@wp.func`s and kernels, without Python.

use std::sync::Arc;
use warp_core::front::{External, FuncRef, Scope, SourceText, StaticScope};
use warp_core::ir::Const;
use warp_core::ty::{Pattern, Struct, Type};

/// What a text defines.
pub struct Program {
    names: StaticScope,
    funcs: Vec<SourceText>,
    /// Functions with `@wp.kernel`, in order.
    pub kernels: Vec<SourceText>,
}

/// Answers for names of a program; functions see each other.
pub struct ProgramScope(pub Arc<Program>);

impl Program {
    /// Reads a text: each definition begins with its decorator at the start of a line, other
    /// lines that are not indented are `NAME = expression`.
    ///
    /// # Errors
    /// Names the constant that has no value.
    pub fn read(file: &str, text: &str) -> Result<ProgramScope, String> {
        let mut program = Program {
            names: StaticScope::new(),
            funcs: Vec::new(),
            kernels: Vec::new(),
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut at = 0;
        while at < lines.len() {
            let from = at;
            at += 1;
            if lines[from].starts_with('@') {
                let constant =
                    |l: &str| l.starts_with(|c: char| c.is_ascii_uppercase()) && l.contains(" = ");
                let continues = |l: &str| !l.starts_with('@') && !constant(l);
                while at < lines.len() && continues(lines[at]) {
                    at += 1;
                }
                let text = lines[from..at].concat();
                if lines[from].contains("struct") {
                    let (name, ty) = program.declared(&text)?;
                    program.names = program.names.with(name, External::Type(ty));
                    continue;
                }
                let name = text
                    .split_once("def ")
                    .map_or("", |(_, rest)| rest.split('(').next().unwrap_or(""));
                let name = name.trim().to_string();
                let first_line = from as u32 + 1;
                let source = SourceText {
                    name,
                    file: file.into(),
                    first_line,
                    text,
                };
                match lines[from].contains("kernel") {
                    true => program.kernels.push(source),
                    false => program.funcs.push(source),
                }
            } else if let Some((name, value)) = lines[from].split_once(" = ") {
                let value = value.trim();
                let known = match value.strip_prefix('!') {
                    Some(what) => External::Unsupported(what.to_string()),
                    None => match program.names.annotation(value) {
                        Ok(Pattern::Exact(ty)) => External::Type(ty),
                        _ => program.names.eval_static(value, &[])?,
                    },
                };
                program.names = program.names.with(name, known);
            }
        }
        Ok(ProgramScope(Arc::new(program)))
    }
}

impl Program {
    /// A struct: a line for each field.
    fn declared(&self, text: &str) -> Result<(String, Type), String> {
        let (_, class) = text.split_once("class ").ok_or("a struct is a class")?;
        let (name, body) = class.split_once(':').ok_or("no fields")?;
        let mut fields = Vec::new();
        for line in body.lines().filter(|l| !l.trim().is_empty()) {
            let (field, ty) = line.split_once(": ").ok_or("a field has a type")?;
            let ty = self.names.annotation(ty.trim())?;
            let ty = ty.exact().cloned().ok_or("of any type")?;
            fields.push((field.trim().to_string(), ty));
        }
        let made = Struct::new(text, name, fields).map_err(|e| e.message)?;
        Ok((name.to_string(), Type::Struct(made)))
    }
}

impl Scope for ProgramScope {
    fn resolve(&self, path: &[&str]) -> Option<External> {
        if let [name] = path {
            // A derivative or replay is the function below the decorator that names this one.
            let rule = |kind: &str| {
                let decorator = format!("@wp.{kind}({name})");
                let all = self.0.funcs.iter().enumerate();
                let mut found = all.filter(|(_, f)| f.text.contains(&decorator));
                let (at, f) = found.next()?;
                Some(Box::new(FuncRef {
                    id: at as u64,
                    source: f.clone(),
                    scope: Arc::new(ProgramScope(self.0.clone())),
                    overloads: Vec::new(),
                    gradient: None,
                    replay: None,
                }))
            };
            let all = self.0.funcs.iter().enumerate();
            let named = all.filter(|(_, f)| f.name == *name);
            let mut funcs: Vec<FuncRef> = named
                .map(|(at, f)| FuncRef {
                    id: at as u64,
                    source: f.clone(),
                    scope: Arc::new(ProgramScope(self.0.clone())),
                    overloads: Vec::new(),
                    gradient: rule("func_grad"),
                    replay: rule("func_replay"),
                })
                .collect();
            // The last one has those before it as overloads.
            if let Some(mut func) = funcs.pop() {
                func.overloads = funcs;
                return Some(External::Func(func));
            }
        }
        self.0.names.resolve(path)
    }
    fn eval_static(&self, expr: &str, known: &[(&str, Const)]) -> Result<External, String> {
        self.0.names.eval_static(expr, known)
    }
    fn annotation(&self, expr: &str) -> Result<Pattern, String> {
        self.0.names.annotation(expr)
    }
}
