//! A signature as overloads of a stub.

use super::python::{Names, class, scalar_of};
use crate::builtins::signature::sig::{self, Default, ParamPattern, Pattern, ScalarPat, Size};
use crate::dtype::Scalar;

/// One overload.
pub struct Form {
    /// What stands in brackets.
    pub params: String,
    /// The type of the result.
    pub result: String,
}

const FLOATS: [Scalar; 4] = [Scalar::F32, Scalar::F64, Scalar::F16, Scalar::BF16];

/// The overloads that say what a signature of a builtin does.
pub fn forms(name: &str, text: &'static str, names: &mut Names) -> Vec<Form> {
    let params: Vec<ParamPattern> = sig::parse(text).into_iter().collect();
    let mut results = results(sig::split_result(text).1);
    for result in &mut results {
        // `E` is what the first argument of that kind is.
        let is_elem = |p: &Pattern| matches!(p, Pattern::Elem(..));
        if let (true, Some(given)) = (
            is_elem(result),
            params.iter().map(|p| p.pattern).find(is_elem),
        ) {
            *result = given;
        }
    }
    if let Some(form) = of_its_own(name, &params) {
        return vec![form];
    }
    let (chosen, given): (Vec<ParamPattern>, Vec<ParamPattern>) = params
        .iter()
        .copied()
        .partition(|p| matches!(p.default, Some(Default::Type(_) | Default::None)));
    if chosen.is_empty() {
        return resolved(&given, &results, names);
    }
    // Without what chooses the type of the result, that is the type of the arguments, or the one that stands in.
    let standing = chosen.iter().find_map(|p| match p.default {
        Some(Default::Type(s)) => Some(s),
        _ => None,
    });
    let plain: Vec<Pattern> = match given.is_empty() {
        true => results
            .iter()
            .map(|p| with_scalar(*p, standing.unwrap_or(Scalar::F32)))
            .collect(),
        false => results,
    };
    let mut found = resolved(&given, &plain, names);
    found.retain(|form| form.result != "Any");
    let all: Vec<String> = params.iter().map(|p| names.part(p.pattern, &[])).collect();
    let params = list(&params, &all);
    found.push(Form {
        params,
        result: "Any".into(),
    });
    found
}

/// What no signature says.
fn of_its_own(name: &str, params: &[ParamPattern]) -> Option<Form> {
    let form = |types: &[&str], result: &str| {
        let types: Vec<String> = types.iter().map(|t| (*t).into()).collect();
        let (params, result) = (list(params, &types), result.into());
        Some(Form { params, result })
    };
    match name {
        "tid" => form(&[], "_Threads | Any"),
        "cast" => form(&["Any", "type[_Class]"], "_Class"),
        "sample_cdf" => form(&["uint32", "array[float, Any] | _Others"], "int"),
        "where" if matches!(params[1].pattern, Pattern::Array) => None,
        _ if name.starts_with("atomic_") || name == "lower_bound" => {
            let types: Vec<&str> = params
                .iter()
                .map(|p| match p.name {
                    "arr" => "array[_Element, Any] | _Others",
                    "value" | "compare" => "_Element",
                    _ => "SupportsIndex",
                })
                .collect();
            form(
                &types,
                if name == "lower_bound" {
                    "int"
                } else {
                    "_Element"
                },
            )
        }
        _ => None,
    }
}

/// The results of a signature: none, one or several.
fn results(text: &'static str) -> Vec<Pattern> {
    if text == "None" {
        return Vec::new();
    }
    match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(items) => sig::split_top(items).map(sig::pattern).collect(),
        None => vec![sig::pattern(text)],
    }
}

/// Overloads whose results follow from the arguments, and one for what is left.
fn resolved(params: &[ParamPattern], results: &[Pattern], names: &mut Names) -> Vec<Form> {
    let open: Vec<Pattern> = results
        .iter()
        .copied()
        .filter(|r| !follows(*r, params))
        .collect();
    let mut found = Vec::new();
    if open.iter().all(|r| is_known(*r, params)) && !open.is_empty() {
        let sizes = open
            .iter()
            .any(|r| sizes_of(*r).any(|n| matches!(n, Size::Var(_))));
        for s in FLOATS {
            for n in if sizes { 2..=4 } else { 2..=2 } {
                let put = |p: Pattern| with_size(with_scalar(p, s), n);
                let classes: Option<Vec<String>> =
                    results.iter().map(|r| class(put(*r), s)).collect();
                let types: Vec<String> = params
                    .iter()
                    .map(|p| {
                        class(put(p.pattern), s).unwrap_or_else(|| names.part(put(p.pattern), &[]))
                    })
                    .collect();
                if let Some(classes) = classes {
                    found.push(Form {
                        params: list(params, &types),
                        result: joined(classes),
                    });
                }
            }
        }
    }
    found.push(general(params, results, names));
    found
}

/// The overload with type variables.
fn general(params: &[ParamPattern], results: &[Pattern], names: &mut Names) -> Form {
    let is_whole =
        |p: &ParamPattern| results.contains(&p.pattern) && !matches!(p.pattern, Pattern::Scalar(_));
    // A variable that stands at one place says nothing.
    let mut letters: Vec<u8> = Vec::new();
    for p in params.iter().filter(|p| !is_whole(p)) {
        letters.extend(variables(p.pattern));
    }
    for r in results.iter().filter(|r| matches!(r, Pattern::Scalar(_))) {
        letters.extend(variables(*r));
    }
    let single: Vec<u8> = letters
        .iter()
        .copied()
        .filter(|l| letters.iter().filter(|m| *m == l).count() == 1)
        .collect();
    let types: Vec<String> = params
        .iter()
        .map(|p| match is_whole(p) {
            true => names.whole(p.pattern),
            false => names.part(p.pattern, &single),
        })
        .collect();
    let given: Vec<String> = results
        .iter()
        .map(|r| match (follows(*r, params), scalar_of(*r)) {
            (true, _) => names.whole(*r),
            (false, Some(ScalarPat::Exactly(s))) => class_or_any(*r, s),
            _ => "Any".into(),
        })
        .collect();
    Form {
        params: list(params, &types),
        result: joined(given),
    }
}

fn class_or_any(pattern: Pattern, s: Scalar) -> String {
    match pattern {
        Pattern::Scalar(_) => super::python::python(s),
        _ => class(pattern, s).unwrap_or("Any".into()),
    }
}

/// Whether a result is what one of the arguments is.
fn follows(result: Pattern, params: &[ParamPattern]) -> bool {
    let has = |p: &ParamPattern| match result {
        Pattern::Scalar(s) => matches!(s, ScalarPat::Var(_)) && scalar_of(p.pattern) == Some(s),
        _ => p.pattern == result,
    };
    matches!(result, Pattern::Scalar(ScalarPat::Exactly(_))) || params.iter().any(has)
}

/// Whether the arguments have each variable of a result.
fn is_known(result: Pattern, params: &[ParamPattern]) -> bool {
    let bound: Vec<u8> = params.iter().flat_map(|p| variables(p.pattern)).collect();
    let mut own = variables(result).peekable();
    own.peek().is_some() && own.all(|l| bound.contains(&l))
}

fn sizes_of(pattern: Pattern) -> impl Iterator<Item = Size> {
    let sizes = match pattern {
        Pattern::Vec(n, _) => [Some(n), None],
        Pattern::Mat(r, c, _) => [Some(r), Some(c)],
        _ => [None, None],
    };
    sizes.into_iter().flatten()
}

fn variables(pattern: Pattern) -> impl Iterator<Item = u8> {
    let sizes = sizes_of(pattern).filter_map(|n| match n {
        Size::Var(letter) => Some(letter),
        Size::Exactly(_) => None,
    });
    let scalar = match (pattern, scalar_of(pattern)) {
        (Pattern::Elem(..), _) => None,
        (_, Some(ScalarPat::Var(letter))) => Some(letter),
        _ => None,
    };
    sizes.chain(scalar)
}

fn with_scalar(pattern: Pattern, scalar: Scalar) -> Pattern {
    let s = ScalarPat::Exactly(scalar);
    match pattern {
        Pattern::Scalar(ScalarPat::Var(_)) => Pattern::Scalar(s),
        Pattern::Vec(n, ScalarPat::Var(_)) => Pattern::Vec(n, s),
        Pattern::Mat(r, c, ScalarPat::Var(_)) => Pattern::Mat(r, c, s),
        Pattern::Compound(of, ScalarPat::Var(_)) => Pattern::Compound(of, s),
        other => other,
    }
}

fn with_size(pattern: Pattern, size: u32) -> Pattern {
    let put = |n: Size| match n {
        Size::Var(_) => Size::Exactly(size),
        exactly => exactly,
    };
    match pattern {
        Pattern::Vec(n, s) => Pattern::Vec(put(n), s),
        Pattern::Mat(r, c, s) => Pattern::Mat(put(r), put(c), s),
        other => other,
    }
}

fn list(params: &[ParamPattern], types: &[String]) -> String {
    let one = |(p, ty): (&ParamPattern, &String)| {
        let star = if p.variadic { "*" } else { "" };
        let default = if p.default.is_some() { " = ..." } else { "" };
        format!("{star}{}: {ty}{default}", p.name)
    };
    let all: Vec<String> = params.iter().zip(types).map(one).collect();
    all.join(", ")
}

fn joined(mut types: Vec<String>) -> String {
    match types.len() {
        0 => "None".into(),
        1 => types.remove(0),
        _ => format!("tuple[{}]", types.join(", ")),
    }
}
