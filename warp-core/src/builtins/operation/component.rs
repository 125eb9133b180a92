//! Reading and replacing components of vectors, matrices and quaternions.

use crate::builtins::value::{Operand, Parts, Tree, describe_tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::{Builder, Const, Kind, Op, Size, Value};
use crate::span::Span;
use crate::ty::Elem;

/// One index of a component.
#[derive(Clone, Copy)]
enum Index {
    /// Known and in range.
    Fixed(usize),
    /// int32 from the start.
    At(Value),
}

/// `x[i]`, `x[i, j]`. `m[i]` of a matrix is a row.
///
/// A run-time index selects among the components: outside the range it gives the last one, where nothing checks.
///
/// # Errors
/// There is no such component.
pub fn component(b: &mut Builder, x: &Operand, index: &[Tree], span: Span) -> Result<Tree> {
    let parts = match (axes(x.elem), index) {
        ([_, Some(cols)], [row, col]) => {
            let rows = x.parts.len() / cols;
            let row = read_index(b, row, rows, x.elem, span)?;
            let col = read_index(b, col, cols, x.elem, span)?;
            let row = pick(b, &x.parts, cols, row);
            pick(b, &row, 1, col)
        }
        ([_, Some(cols)], [row]) => {
            let row = read_index(b, row, x.parts.len() / cols, x.elem, span)?;
            let parts = pick(b, &x.parts, cols, row);
            let (len, scalar) = (cols as u32, x.elem.scalar());
            return Ok(Tree::Elem(Operand {
                elem: Elem::Vec { len, scalar },
                parts,
            }));
        }
        ([Some(n), None], [i]) => {
            let i = read_index(b, i, n, x.elem, span)?;
            pick(b, &x.parts, 1, i)
        }
        (axes, _) => return Err(wrong_count(x.elem, axes, index.len(), span)),
    };
    Ok(Tree::Elem(Operand::scalar(x.elem.scalar(), parts[0])))
}

/// The operand after `x[i] = value` or `x[i, j] = value`; a matrix row takes a vector.
/// A run-time index outside the range changes nothing, where nothing checks.
///
/// # Errors
/// There is no such component, or the value does not fit it.
pub fn with_component(
    b: &mut Builder,
    x: &Operand,
    index: &[Tree],
    value: &Tree,
    span: Span,
) -> Result<Operand> {
    let scalar = x.elem.scalar();
    let mut parts = x.parts.clone();
    match (axes(x.elem), index) {
        ([_, Some(cols)], [row, col]) => {
            let row = read_index(b, row, parts.len() / cols, x.elem, span)?;
            let col = read_index(b, col, cols, x.elem, span)?;
            let value = expect(value, Elem::Scalar(scalar), span)?.parts[0];
            let old = pick(b, &x.parts, cols, row);
            let mut new = old.clone();
            put(b, &mut new, 1, col, &[value]);
            put(b, &mut parts, cols, row, &new);
        }
        ([_, Some(cols)], [row]) => {
            let row = read_index(b, row, parts.len() / cols, x.elem, span)?;
            let len = cols as u32;
            let value = expect(value, Elem::Vec { len, scalar }, span)?;
            put(b, &mut parts, cols, row, &value.parts);
        }
        ([Some(n), None], [i]) => {
            let i = read_index(b, i, n, x.elem, span)?;
            let value = expect(value, Elem::Scalar(scalar), span)?.parts[0];
            put(b, &mut parts, 1, i, &[value]);
        }
        (axes, _) => return Err(wrong_count(x.elem, axes, index.len(), span)),
    }
    Ok(Operand {
        elem: x.elem,
        parts,
    })
}

/// `x.name`: x, y, z, w of vectors up to 4; the parts of compounds.
///
/// # Errors
/// There is no such component.
pub fn attribute(x: &Operand, name: &str, span: Span) -> Result<Operand> {
    let (at, elem) = part(x.elem, name, span)?;
    let parts = Parts::from_slice(&x.parts[at..at + elem.count()]);
    Ok(Operand { elem, parts })
}

/// The operand after `x.name = value`.
///
/// # Errors
/// As [`attribute`], or the value does not fit.
pub fn with_attribute(x: &Operand, name: &str, value: &Tree, span: Span) -> Result<Operand> {
    let (at, elem) = part(x.elem, name, span)?;
    let value = expect(value, elem, span)?;
    let mut out = x.clone();
    out.parts[at..at + value.parts.len()].copy_from_slice(&value.parts);
    Ok(out)
}

/// What a name stands for: a component of a vector, or a part of a compound. None: there is none of this name.
pub fn named_part(elem: Elem, name: &str) -> Option<(usize, Elem)> {
    let scalar = elem.scalar();
    match elem {
        Elem::Compound(compound, _) => {
            let (at, form) = compound.part(name)?;
            Some((at, Elem::part(form, scalar)))
        }
        _ => {
            let at = letters(elem).iter().position(|letter| *letter == name)?;
            Some((at, Elem::Scalar(scalar)))
        }
    }
}

/// The names of a vector's components.
fn letters(elem: Elem) -> &'static [&'static str] {
    let n = match elem {
        Elem::Vec { len, .. } => (len as usize).min(4),
        _ => 0,
    };
    &["x", "y", "z", "w"][..n]
}

fn part(elem: Elem, name: &str, span: Span) -> Result<(usize, Elem)> {
    named_part(elem, name).ok_or_else(|| {
        let error = Error::at(
            Code::Attribute,
            span,
            format!("{elem} has no attribute `{name}`"),
        );
        match elem {
            Elem::Vec { .. } => error.hint(format!("it has {}", letters(elem).join(", "))),
            Elem::Mat { .. } => error.hint("components are `m[i, j]`, rows `m[i]`"),
            Elem::Compound(compound, _) => error.hint(format!("it has {}", compound.row().has)),
            _ => error,
        }
    })
}

/// Sizes along which an element is indexed.
fn axes(elem: Elem) -> [Option<usize>; 2] {
    match elem {
        Elem::Scalar(_) => [None, None],
        Elem::Mat { rows, cols, .. } => [Some(rows as usize), Some(cols as usize)],
        other => [Some(other.count()), None],
    }
}

fn wrong_count(elem: Elem, axes: [Option<usize>; 2], given: usize, span: Span) -> Error {
    let axes = axes.iter().flatten().count();
    let message = match axes {
        0 => format!("a {elem} has no components to index"),
        1 => format!("{elem} takes 1 index, {given} given"),
        _ => format!("{elem} takes 1 or 2 indices, {given} given"),
    };
    Error::at(Code::Type, span, message)
}

fn read_index(b: &mut Builder, tree: &Tree, n: usize, elem: Elem, span: Span) -> Result<Index> {
    let value = match tree {
        Tree::Elem(x) if x.as_scalar().is_some() && x.elem.scalar().is_int() => x.parts[0],
        other => {
            let error = Error::at(
                Code::Type,
                span,
                format!("an index is an integer, not {}", describe_tree(other)),
            );
            return Err(error);
        }
    };
    if let Some(Const::Int(i)) = b.as_const(value) {
        let from_start = if i < 0 { i + n as i64 } else { i };
        return match usize::try_from(from_start) {
            Ok(at) if at < n => Ok(Index::Fixed(at)),
            _ => Err(Error::at(
                Code::Value,
                span,
                format!("index {i} is out of range for {elem}, which has {n} along it"),
            )
            .hint(format!("indices go from -{n} to {}", n - 1))),
        };
    }
    let value = b.cast(value, Scalar::I32);
    let zero = b.i32(0);
    let size = b.i32(n as i32);
    let negative = b.op(Op::Lt, &[value, zero]);
    let wrapped = b.op(Op::Add, &[value, size]);
    let index = b.select(negative, wrapped, value);
    Ok(Index::At(checked(b, index, value, n as u32)))
}

/// An index of a component, counted from the start, that the kernel checks where it checks any; `given`: as it was written.
pub fn checked(b: &mut Builder, index: Value, given: Value, size: u32) -> Value {
    b.push(Kind::check(index, given, Size::Fixed(size)));
    index
}

/// The `index`-th run of `stride` values.
fn pick(b: &mut Builder, parts: &[Value], stride: usize, index: Index) -> Parts {
    let n = parts.len() / stride;
    match index {
        Index::Fixed(i) => Parts::from_slice(&parts[i * stride..(i + 1) * stride]),
        Index::At(at) => {
            let mut out = Parts::from_slice(&parts[(n - 1) * stride..]);
            for i in (0..n - 1).rev() {
                let here = b.i32(i as i32);
                let here = b.op(Op::Eq, &[at, here]);
                for (out, part) in out.iter_mut().zip(&parts[i * stride..]) {
                    *out = b.select(here, *part, *out);
                }
            }
            out
        }
    }
}

/// Replaces the `index`-th run of `stride` values.
fn put(b: &mut Builder, parts: &mut Parts, stride: usize, index: Index, new: &[Value]) {
    for i in 0..parts.len() / stride {
        let run = &mut parts[i * stride..(i + 1) * stride];
        match index {
            Index::Fixed(at) if at == i => run.copy_from_slice(new),
            Index::Fixed(_) => {}
            Index::At(at) => {
                let here = b.i32(i as i32);
                let here = b.op(Op::Eq, &[at, here]);
                for (old, new) in run.iter_mut().zip(new) {
                    *old = b.select(here, *new, *old);
                }
            }
        }
    }
}

fn expect(value: &Tree, elem: Elem, span: Span) -> Result<&Operand> {
    match value {
        Tree::Elem(x) if x.elem == elem => Ok(x),
        other => {
            let error = Error::at(
                Code::Type,
                span,
                format!(
                    "this component is {elem}, the value {}",
                    describe_tree(other)
                ),
            );
            Err(match other {
                Tree::Elem(x) if x.elem.with_scalar(elem.scalar()) == elem => error.hint(
                    crate::builtins::signature::hints::conversion_hint(x.elem, elem.scalar()),
                ),
                _ => error,
            })
        }
    }
}
