//! Documents made from the table: the reference in Markdown and the stubs for type checkers.

use crate::builtins::row::Row;
use crate::builtins::rows;
use crate::builtins::sig::{self, Default, Param, Pattern, ScalarPat};
use std::collections::HashSet;
use std::fmt::Write;

/// The reference of all builtins, in Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Builtins\n\n\
         What kernel code can call. In signatures `F` stands for any float type, `I` for any integer type, `S` \
         for any number type, `A` for any scalar type, `M`, `N`, `K` for sizes, and `E` for a scalar, vector or \
         matrix (`E(F)`: of floats). One letter means one type throughout a signature: nothing is converted silently.\n",
    );
    let mut group = "";
    for row in rows() {
        if row.group != group {
            group = row.group;
            write!(out, "\n## {group}\n").expect("writing to a String");
        }
        write!(out, "\n### {}\n\n```text\n", row.name).expect("writing to a String");
        for overload in row.overloads {
            writeln!(out, "{}{}", row.name, overload.sig).expect("writing to a String");
        }
        writeln!(out, "```\n\n{}", row.doc).expect("writing to a String");
    }
    out
}

/// Names that a module of stubs must not define: they are Python's own or keywords.
const PYTHON_ONLY: &[&str] = &["len", "print"];

/// Stubs of all builtins: the body of a `.pyi` file that defines `Any`, `overload`, `Array` and the types.
pub fn stubs() -> String {
    let mut out = String::new();
    for row in rows().filter(|row| !PYTHON_ONLY.contains(&row.name)) {
        stub(&mut out, row);
    }
    out
}

fn stub(out: &mut String, row: &Row) {
    // Patterns that differ only in what Python's types cannot say are one signature.
    let mut seen = HashSet::new();
    let lines: Vec<String> = row
        .overloads
        .iter()
        .map(|overload| head(overload.sig))
        .filter(|line| seen.insert(line.clone()))
        .collect();
    for (i, line) in lines.iter().enumerate() {
        if lines.len() > 1 {
            out.push_str("@overload\n");
        }
        let doc = if i == 0 {
            row.doc.replace('\\', "\\\\")
        } else {
            String::new()
        };
        let body = if doc.is_empty() {
            "...".into()
        } else {
            format!("\n    \"\"\"{doc}\"\"\"")
        };
        let space = if doc.is_empty() { " " } else { "" };
        writeln!(out, "def {}{line}:{space}{body}", row.name).expect("writing to a String");
    }
    out.push('\n');
}

fn head(text: &'static str) -> String {
    let (_, result) = sig::split_result(text);
    let params: Vec<String> = sig::parse(text).iter().map(parameter).collect();
    format!("({}) -> {}", params.join(", "), result_type(result))
}

fn parameter(param: &Param) -> String {
    let star = if param.variadic { "*" } else { "" };
    let default = match param.default {
        None => String::new(),
        Some(Default::Number(_) | Default::Type(_)) => " = ...".into(),
    };
    format!(
        "{star}{}: {}{default}",
        param.name,
        python_type(param.pattern)
    )
}

fn python_type(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Scalar(ScalarPat::Var(b'F' | b'G')) => "float",
        Pattern::Scalar(ScalarPat::Var(b'I')) => "int",
        Pattern::Scalar(ScalarPat::Exactly(s)) if s.is_int() => "int",
        Pattern::Scalar(ScalarPat::Exactly(s)) if s.is_float() => "float",
        Pattern::Scalar(ScalarPat::Exactly(_)) => "bool",
        Pattern::Scalar(ScalarPat::Var(_)) => "float",
        Pattern::Str => "str",
        Pattern::Type => "type",
        Pattern::Vec(..)
        | Pattern::Mat(..)
        | Pattern::Quat(_)
        | Pattern::Elem(..)
        | Pattern::Array
        | Pattern::Any => "Any",
    }
}

fn result_type(text: &'static str) -> String {
    if text == "None" {
        return "None".into();
    }
    match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(items) => {
            let items: Vec<String> = sig::split_top(items).map(result_type).collect();
            format!("tuple[{}]", items.join(", "))
        }
        None => python_type(sig::pattern(text)).into(),
    }
}
