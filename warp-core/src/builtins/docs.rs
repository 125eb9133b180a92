//! Documents made from the table: the reference in Markdown and the stubs for type checkers.

use crate::builtins::constants::CONSTANTS;
use crate::builtins::rows;
use crate::builtins::signature::row::Row;
use crate::builtins::signature::sig::{self, Default, ParamPattern, Pattern, ScalarPat};
use smallvec::SmallVec;
use std::fmt::Write;

/// The reference of all builtins, in Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Builtins\n\n\
         <!-- Made from the table in warp-core/src/builtins; `BLESS=1 cargo test -p tests --test builtins` writes it anew. -->\n\n\
         What kernel code can call. In signatures `F` stands for any float type, `I` for any integer type, `S` \
         for any number type, `A` for any scalar type, `M`, `N`, `K` for sizes, and `E` for a scalar, vector or \
         matrix (`E(F)`: of floats). One letter means one type throughout a signature: nothing is converted silently. \
         `ref(T)` is a variable of type T, to which the call gives another value.\n",
    );
    out.push_str("\n## Constants\n\n");
    let names = CONSTANTS.iter().map(|(name, _)| format!("`wp.{name}`"));
    let names: Vec<String> = names.collect();
    writeln!(
        out,
        "{}, each in lower case too: Python floats. In kernels they are float32, or what stands around them \
         asks for, as in `wp.float64(wp.PI)`.",
        names.join(", ")
    )
    .expect("writing to a String");
    let mut group = "";
    for row in rows() {
        if row.group != group {
            group = row.group;
            write!(out, "\n## {group}\n").expect("writing to a String");
        }
        write!(out, "\n### {}\n\n", row.name).expect("writing to a String");
        for overload in row.overloads {
            writeln!(out, "- `{}{}`", row.name, overload.sig).expect("writing to a String");
        }
        writeln!(out, "\n{}", row.doc).expect("writing to a String");
    }
    out
}

/// Names that are Python's own and no use after `wp.`.
const PYTHON_ONLY: &[&str] = &["len", "print"];

/// Stubs of all builtins: the body of a `.pyi` file that imports `Any` and `overload`.
pub fn stubs() -> String {
    let mut out = String::new();
    for (name, _) in CONSTANTS {
        let lower = name.to_ascii_lowercase();
        writeln!(out, "{name}: float\n{lower}: float").expect("writing to a String");
    }
    out.push('\n');
    for row in rows().filter(|row| !PYTHON_ONLY.contains(&row.name)) {
        stub(&mut out, row);
    }
    out
}

fn stub(out: &mut String, row: &Row) {
    // Python's types cannot tell vectors of different types apart: signatures of one form are joined.
    let mut forms: Vec<(SmallVec<[ParamPattern; 4]>, Vec<String>)> = Vec::new();
    for overload in row.overloads {
        let params = sig::parse(overload.sig);
        let mut types: Vec<String> = params
            .iter()
            .map(|p| python_type(p.pattern).to_string())
            .collect();
        types.push(match row.name {
            // One index, or as many as there are names that it is assigned to.
            "tid" => "Any".into(),
            _ => result_type(sig::split_result(overload.sig).1),
        });
        let same = |known: &SmallVec<[ParamPattern; 4]>| {
            let key = |p: &[ParamPattern]| (p.len(), p.iter().position(|p| p.variadic));
            key(known) == key(&params)
        };
        match forms.iter_mut().find(|(known, _)| same(known)) {
            Some((_, known)) => {
                let pairs = known.iter_mut().zip(&types);
                pairs.for_each(|(a, b)| *a = join(a, b));
            }
            None => forms.push((params, types)),
        }
    }
    let overloaded = if forms.len() > 1 { "@overload\n" } else { "" };
    for (i, (params, types)) in forms.iter().enumerate() {
        let list: Vec<String> = params.iter().zip(types).map(parameter).collect();
        let body = match i {
            0 => format!("\n    \"\"\"{}\"\"\"", row.doc.replace('\\', "\\\\")),
            _ => " ...".into(),
        };
        let (name, result) = (row.name, types.last().expect("a result"));
        writeln!(
            out,
            "{overloaded}def {name}({}) -> {result}:{body}",
            list.join(", ")
        )
        .expect("writing to a String");
    }
    out.push('\n');
}

fn join(a: &str, b: &str) -> String {
    match (a, b) {
        (a, b) if a == b => a.into(),
        ("int", "float") | ("float", "int") => "float".into(),
        _ => "Any".into(),
    }
}

fn parameter((param, ty): (&ParamPattern, &String)) -> String {
    let star = if param.variadic { "*" } else { "" };
    let default = match param.default {
        None => "",
        Some(Default::Number(_) | Default::Type(_) | Default::None) => " = ...",
    };
    format!("{star}{}: {ty}{default}", param.name)
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
        | Pattern::Compound(..)
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
