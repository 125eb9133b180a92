//! The smallest parts of the text form: values, scalars, constants, and lists of them.

use crate::dtype::Scalar;
use crate::ir::id::Value;
use crate::ir::op::Const;

pub(super) type R<T> = Result<T, String>;

pub(super) fn expect(line: &str, wanted: &str) -> R<()> {
    if line == wanted {
        Ok(())
    } else {
        Err(format!("expected `{wanted}`, found `{line}`"))
    }
}

pub(super) fn value(text: &str) -> R<Value> {
    let number = text.trim().strip_prefix('%').and_then(|n| n.parse().ok());
    number
        .map(Value)
        .ok_or_else(|| format!("expected a value, found `{text}`"))
}

pub(super) fn values(text: &str) -> R<Vec<Value>> {
    split_top(text).into_iter().map(value).collect()
}

pub(super) fn scalar(text: &str) -> R<Scalar> {
    Scalar::from_name(text.trim()).ok_or_else(|| format!("no scalar type `{text}`"))
}

/// Splits at commas that stand outside `<...>`.
pub(super) fn split_top(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

pub(super) fn constant(text: &str, ty: Scalar) -> R<Const> {
    let bad = || format!("no constant of {ty}: `{text}`");
    if ty == Scalar::Bool {
        return text.parse().map(Const::Bool).map_err(|_| bad());
    }
    if ty.is_int() {
        return text.parse().map(Const::Int).map_err(|_| bad());
    }
    match text.strip_prefix("nan:") {
        Some(hex) => u64::from_str_radix(hex, 16)
            .map(|b| Const::Float(f64::from_bits(b)))
            .map_err(|_| bad()),
        None => text.parse().map(Const::Float).map_err(|_| bad()),
    }
}
