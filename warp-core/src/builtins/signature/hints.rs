//! What to write instead of a value that does not fit.

use crate::builtins::value::{Operand, Tree};
use crate::dtype::Scalar;
use crate::ir::{Builder, Const};
use crate::ty::{Elem, MAX_NDIM};

/// How to turn a value of `elem` into one with other components.
pub fn conversion_hint(elem: Elem, scalar: Scalar) -> String {
    let how = match elem {
        Elem::Scalar(_) => format!("wp.{scalar}(...)"),
        Elem::Vec { len, .. } => format!("wp.types.vector({len}, wp.{scalar})(...)"),
        Elem::Mat { rows, cols, .. } => {
            format!("wp.types.matrix(({rows}, {cols}), wp.{scalar})(...)")
        }
        Elem::Compound(..) | Elem::Struct(_) => {
            format!("components of wp.{scalar}")
        }
    };
    format!("{NEVER}: use {how}")
}

const NEVER: &str = "types are never converted silently";

/// How to write a number of another type, if the value is a number as it stands in the kernel's text.
pub fn number_hint(b: &Builder, x: &Operand, scalar: Scalar) -> Option<String> {
    let value = x.as_scalar().filter(|value| b.is_literal(*value))?;
    let number = match (b.as_const(value)?, b.full_value(value)) {
        (_, Some(full)) if scalar.is_float() && full.is_finite() => format!("{full:?}"),
        (Const::Int(n), _) if b.ty(value) == Scalar::I32 && scalar.is_float() => format!("{n}.0"),
        (Const::Int(n), _) if b.ty(value) == Scalar::I32 && scalar.is_int() => n.to_string(),
        _ => return None,
    };
    Some(match scalar {
        Scalar::F32 => format!("{NEVER}: write `{number}`"),
        _ => format!("{NEVER}: write `wp.{scalar}({number})`"),
    })
}

/// How to come from an array to an element of it; None if the value is no array.
pub fn index_hint(tree: &Tree) -> Option<String> {
    tree.dimensions().map(element_of)
}

/// How to come from an array of so many dimensions to an element of it.
pub fn element_of(ndim: u8) -> String {
    let indices = &["i", "j", "k", "l"][..usize::from(ndim).min(MAX_NDIM)];
    format!("index it: `a[{}]` is an element", indices.join(", "))
}

/// A type of elements as kernels write it.
pub fn written(elem: Elem) -> String {
    let short = match elem.scalar() {
        Scalar::F16 => Some("h"),
        Scalar::F32 => Some(""),
        Scalar::F64 => Some("d"),
        _ => None,
    };
    match (elem, short) {
        (Elem::Vec { len: n @ 2..=4, .. }, Some(s)) => format!("wp.vec{n}{s}"),
        (Elem::Mat { rows, cols, .. }, Some(s)) if rows == cols && (2..=4).contains(&rows) => {
            format!("wp.mat{rows}{cols}{s}")
        }
        (Elem::Compound(compound, _), Some(s)) => format!("wp.{}{s}", compound.name()),
        (Elem::Scalar(scalar), _) => format!("wp.{scalar}"),
        (Elem::Vec { len, scalar }, _) => format!("wp.types.vector({len}, wp.{scalar})"),
        (Elem::Mat { rows, cols, scalar }, _) => {
            format!("wp.types.matrix(({rows}, {cols}), wp.{scalar})")
        }
        (Elem::Compound(compound, scalar), _) => {
            format!("wp.types.{}(wp.{scalar})", compound.row().made_by)
        }
        (Elem::Struct(s), _) => s.to_string(),
    }
}
