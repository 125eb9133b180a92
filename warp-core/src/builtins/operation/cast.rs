//! Conversions and constructors.

use super::compound;
use crate::builtins::formula::fold::wrap;
use crate::builtins::signature::binding::Arg;
use crate::builtins::signature::hints::{conversion_hint, index_hint};
use crate::builtins::value::{Operand, Parts, Tree, describe_tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::{Builder, Const, Op, Value};
use crate::span::Span;
use crate::ty::{Elem, Type};
use smallvec::SmallVec;

/// Converts each component; `Op::Cast` says how.
pub fn cast(b: &mut Builder, x: &Operand, scalar: Scalar) -> Operand {
    Operand {
        elem: x.elem.with_scalar(scalar),
        parts: x.parts.iter().map(|p| recast(b, *p, scalar)).collect(),
    }
}

/// A constant stays a constant, so that an integer can still index components and a number without a type comes in full.
fn recast(b: &mut Builder, value: Value, scalar: Scalar) -> Value {
    let from = b.ty(value);
    if let Some(full) = b.full_value(value).filter(|_| scalar.is_float()) {
        return b.number(scalar, full);
    }
    if from == scalar {
        return value;
    }
    let known = match b.known(value) {
        Some(Const::Int(n)) if scalar.is_int() => Some(Const::Int(wrap(scalar, n))),
        Some(Const::Int(n))
            if from != Scalar::U64 && n.unsigned_abs() < 1 << 24 && !scalar.is_narrow() =>
        {
            Some(match scalar {
                Scalar::Bool => Const::Bool(n != 0),
                float => Const::Float(float.round(n as f64)),
            })
        }
        Some(Const::Float(x)) if scalar.is_int() && x.abs() < f64::from(1 << 24) => {
            let whole = x.trunc() as i64;
            (wrap(scalar, whole) == whole).then_some(Const::Int(whole))
        }
        _ => None,
    };
    match known {
        Some(known) if b.probe.look(value).is_some() => {
            let out = b.cast(value, scalar);
            b.probe.add(out, known);
            out
        }
        Some(known) => b.constant(scalar, known),
        None => b.cast(value, scalar),
    }
}

/// The bits of a value read as another type of the same size, as in memory: nothing is converted.
///
/// # Errors
/// The sizes differ.
pub fn reinterpret(b: &mut Builder, x: &Operand, elem: Elem, span: Span) -> Result<Operand> {
    let (from, to) = (x.elem.scalar(), elem.scalar());
    if x.elem.size() != elem.size() {
        let (have, want) = (x.elem.size(), elem.size());
        let what = format!(
            "{} has {have} bytes and {elem} has {want}: bits are read as a type of the same size",
            x.elem
        );
        return Err(Error::at(Code::Type, span, what));
    }
    let words: Parts = x.parts.iter().map(|p| bits(b, *p, word(from))).collect();
    let words = match (word(from), word(to)) {
        (a, c) if a.bits() == c.bits() => words,
        (a, c) if a.bits() > c.bits() => words.iter().flat_map(|w| split(b, *w, c)).collect(),
        (a, c) => {
            let each = (c.bits() / a.bits()) as usize;
            words.chunks(each).map(|w| join(b, w, c)).collect()
        }
    };
    let parts = words.iter().map(|w| bits(b, *w, to)).collect();
    Ok(Operand { elem, parts })
}

/// The unsigned integer as wide as a type.
const fn word(ty: Scalar) -> Scalar {
    match ty.bits() {
        64 => Scalar::U64,
        32 => Scalar::U32,
        16 => Scalar::U16,
        _ => Scalar::U8,
    }
}

/// One value as another type of its width; a truth value is 0 or 1.
fn bits(b: &mut Builder, value: Value, ty: Scalar) -> Value {
    match (b.ty(value), ty) {
        (from, to) if from == to => value,
        (Scalar::Bool, _) | (_, Scalar::Bool) => b.cast(value, ty),
        _ => b.let_(ty, Op::Bits, &[value]),
    }
}

/// A word as narrower ones, the lowest first.
fn split(b: &mut Builder, word: Value, ty: Scalar) -> Parts {
    let wide = b.ty(word);
    (0..wide.bits() / ty.bits())
        .map(|i| {
            let by = b.number(wide, f64::from(i * ty.bits()));
            let moved = b.op(Op::Shr, &[word, by]);
            b.cast(moved, ty)
        })
        .collect()
}

/// A word of narrower ones, the lowest first.
fn join(b: &mut Builder, words: &[Value], ty: Scalar) -> Value {
    let mut out = b.number(ty, 0.0);
    for (i, word) in words.iter().enumerate() {
        let by = b.number(ty, (i as u32 * b.ty(*word).bits()).into());
        let word = b.cast(*word, ty);
        let moved = b.op(Op::Shl, &[word, by]);
        out = b.op(Op::Or, &[out, moved]);
    }
    out
}

/// Converts to a type of the same shape.
///
/// # Errors
/// The components do not match.
pub fn cast_elem(b: &mut Builder, x: &Operand, elem: Elem, span: Span) -> Result<Operand> {
    if x.elem.with_scalar(elem.scalar()) != elem {
        return Err(Error::at(
            Code::Type,
            span,
            format!("cannot convert {} to {elem}", x.elem),
        ));
    }
    Ok(cast(b, x, elem.scalar()))
}

/// The truth of a value: what `if x:` tests. An array is true unless None was passed for it.
///
/// # Errors
/// The value is neither true nor false.
pub fn truth(b: &mut Builder, x: &Tree, span: Span) -> Result<Value> {
    match x {
        Tree::Elem(x) if x.as_scalar().is_some() => Ok(b.cast(x.parts[0], Scalar::Bool)),
        Tree::Array(view) => Ok(view.present(b)),
        other => Err(Error::at(
            Code::Type,
            span,
            format!(
                "a condition is a scalar or an array, not {}",
                describe_tree(other)
            ),
        )
        .hint(
            "compare its components, as in `x[0] > 0.0`, or its length, as in `wp.length(x) > 0.0`",
        )),
    }
}

/// More components than this are no value that fits registers; they belong into an array.
pub const MAX_COMPONENTS: usize = 1024;

/// Refuses vectors and matrices that no kernel can hold as values.
///
/// # Errors
/// There are none or too many components.
pub fn check_size(elem: Elem, at: Span) -> Result<()> {
    // `count` cannot overflow: two factors of 32 bits.
    if elem.count() > MAX_COMPONENTS || elem.count() == 0 {
        let what = format!(
            "{elem} has {} components: 1 to {MAX_COMPONENTS} are possible",
            elem.count()
        );
        let error = Error::at(Code::Value, at, what);
        return Err(match elem.count() {
            0 => error.hint("`wp.vector(x, y, z)` is a vector of three numbers"),
            _ => error.hint("keep so many values in an array"),
        });
    }
    Ok(())
}

/// `T(args)` for any element type: `float(x)`, `wp.vec3(x, y, z)`, `wp.vec3(s)`, `wp.vec3()`,
/// `wp.quat(v, w)`, `wp.vec3d(v)`.
///
/// # Errors
/// The arguments do not make such an element.
pub fn construct(b: &mut Builder, elem: Elem, args: &[Arg<'_>], span: Span) -> Result<Operand> {
    if elem.is_spatial()
        && let Some((dtype, rest)) = args.split_last()
        && let (Some("dtype"), Tree::Type(ty)) = (dtype.name, &dtype.tree)
    {
        return spatial_of(b, elem, ty, rest, dtype.span, span);
    }
    let args = &without_known(b, elem, args)?[..];
    let named = args.iter().any(|arg| arg.name.is_some());
    let args = &in_order(elem, args)?[..];
    let scalar = elem.scalar();
    let operands = args
        .iter()
        .map(|arg| operand(arg, elem))
        .collect::<Result<Vec<&Operand>>>()?;
    let parts: Parts = match (elem, &operands[..]) {
        (_, []) => {
            let zero = b.number(scalar, 0.0);
            smallvec::smallvec![zero; elem.count()]
        }
        (Elem::Scalar(_), [x]) if x.as_scalar().is_some() => {
            smallvec::smallvec![recast(b, x.parts[0], scalar)]
        }
        (_, [x]) if x.elem.with_scalar(scalar) == elem => return Ok(cast(b, x, scalar)),
        (_, [x]) if fills(elem) && x.as_scalar().is_some() && !named => {
            let x = component_of(b, x, &args[0], elem)?;
            smallvec::smallvec![x; elem.count()]
        }
        (spatial, [w, v])
            if spatial.is_spatial()
                && w.elem == (Elem::Vec { len: 3, scalar })
                && v.elem == w.elem =>
        {
            w.parts.iter().chain(&v.parts).copied().collect()
        }
        (Elem::Compound(compound, _), all)
            if let Some(rest) = compound::way(compound, scalar, all) =>
        {
            let mut parts = Parts::new();
            for (x, arg) in all.iter().zip(args) {
                match x.as_scalar() {
                    Some(_) => parts.push(component_of(b, x, arg, elem)?),
                    None => parts.extend_from_slice(&x.parts),
                }
            }
            parts.extend(rest.iter().map(|x| b.number(scalar, *x)));
            parts
        }
        (_, all) if all.len() == elem.count() && all.iter().all(|x| x.as_scalar().is_some()) => all
            .iter()
            .zip(args)
            .map(|(x, arg)| component_of(b, x, arg, elem))
            .collect::<Result<Parts>>()?,
        _ => return Err(refuse(elem, args, span)),
    };
    Ok(Operand { elem, parts })
}

/// Whether one number stands for all components.
const fn fills(elem: Elem) -> bool {
    match elem {
        Elem::Vec { .. } | Elem::Mat { .. } => true,
        Elem::Compound(compound, _) => compound.row().fills,
        Elem::Scalar(_) | Elem::Struct(_) => false,
    }
}

/// The arguments without those that say once more what the type says: `wp.vec3(x, length=3)`, `wp.mat22(x, shape=(2, 2))`,
/// `wp.vec3d(x, dtype=wp.float64)`.
fn without_known<'a>(b: &Builder, elem: Elem, args: &[Arg<'a>]) -> Result<Vec<Arg<'a>>> {
    let number = |tree: &Tree| match tree {
        Tree::Elem(x) => x.as_scalar().and_then(|value| b.as_const(value)),
        _ => None,
    };
    let is = |tree: &Tree, n: u32| number(tree) == Some(Const::Int(i64::from(n)));
    let mut rest = Vec::with_capacity(args.len());
    for arg in args {
        let agrees = match (arg.name, elem, &arg.tree) {
            (Some("length"), Elem::Vec { len, .. }, n) => is(n, len),
            (Some("shape"), Elem::Mat { rows, cols, .. }, Tree::Tuple(shape)) => {
                matches!(&shape[..], [r, c] if is(r, rows) && is(c, cols))
            }
            (Some("shape"), Elem::Mat { .. }, _) => false,
            (Some("dtype"), Elem::Scalar(_), _) => {
                rest.push(arg.clone());
                continue;
            }
            (Some("dtype"), _, Tree::Type(ty)) => ty.as_scalar() == Some(elem.scalar()),
            _ => {
                rest.push(arg.clone());
                continue;
            }
        };
        if !agrees {
            let name = arg.name.unwrap_or_default();
            let what = format!("`{name}` is another one than that of {elem}");
            return Err(Error::at(Code::Argument, arg.span, what)
                .hint("leave it out: the type says it already"));
        }
    }
    Ok(rest)
}

/// `wp.spatial_vector(.., dtype=..)`: made of components as they are given, then converted.
fn spatial_of(
    b: &mut Builder,
    elem: Elem,
    ty: &Type,
    args: &[Arg<'_>],
    at: Span,
    span: Span,
) -> Result<Operand> {
    let Some(to) = ty.as_scalar().filter(|s| s.is_float()) else {
        let what = format!("`dtype` is {ty}, expected a float type");
        return Err(Error::at(Code::Type, at, what));
    };
    let from = match args.first().map(|arg| &arg.tree) {
        Some(Tree::Elem(x)) if x.elem.scalar().is_float() => x.elem.scalar(),
        _ => elem.scalar(),
    };
    let whole = construct(b, elem.with_scalar(from), args, span)?;
    Ok(cast(b, &whole, to))
}

/// The arguments with those that were given by name in their places.
fn in_order<'a>(elem: Elem, args: &[Arg<'a>]) -> Result<Vec<Arg<'a>>> {
    let names: SmallVec<[&str; 6]> = match elem {
        Elem::Compound(compound, _) => compound.row().parts.iter().map(|part| part.0).collect(),
        spatial if spatial.is_spatial() => SmallVec::from_slice(spatial_names(args)),
        _ => SmallVec::new(),
    };
    let mut places: Vec<Option<Arg<'a>>> = Vec::new();
    for arg in args {
        let Some(name) = arg.name else {
            places.push(Some(arg.clone()));
            continue;
        };
        let error = |what: String| Error::at(Code::Argument, arg.span, what);
        let Some(at) = names.iter().position(|n| *n == name) else {
            let error = error(format!("{elem} has no parameter `{name}`"));
            return Err(match &names[..] {
                [] => error.hint("it takes its components without names"),
                names => error.hint(format!("it has {}", names.join(", "))),
            });
        };
        places.resize(places.len().max(at + 1), None);
        if places[at].is_some() {
            return Err(error(format!("{elem} gets its argument `{name}` twice")));
        }
        places[at] = Some(Arg {
            name: None,
            ..arg.clone()
        });
    }
    let missing = places.iter().position(Option::is_none);
    if let (Some(at), Some(last)) = (missing, args.last()) {
        let name = names.get(at).copied().unwrap_or("");
        let what = format!("{elem} is made without its argument `{name}`");
        return Err(Error::at(Code::Argument, last.span, what));
    }
    Ok(places.into_iter().flatten().collect())
}

/// A spatial vector is made of an angular and a linear part, or of their components.
fn spatial_names(args: &[Arg<'_>]) -> &'static [&'static str] {
    const PARTS: &[&str] = &["w", "v"];
    let of_parts = args
        .iter()
        .any(|arg| arg.name.is_some_and(|name| PARTS.contains(&name)));
    match of_parts {
        true => PARTS,
        false => &["wx", "wy", "wz", "vx", "vy", "vz"],
    }
}

fn operand<'a>(arg: &'a Arg<'_>, elem: Elem) -> Result<&'a Operand> {
    match &arg.tree {
        Tree::Elem(operand) => Ok(operand),
        other => {
            let what = format!("{elem} cannot be made of {}", describe_tree(other));
            let error = Error::at(Code::Type, arg.span, what);
            Err(match (index_hint(other), other) {
                (Some(hint), _) => error.hint(hint),
                (None, Tree::Type(_)) => error.hint(
                    "`wp.types.vector(length, dtype)` and `wp.types.matrix(shape, dtype)` are types; values name \
                     theirs by `dtype=`",
                ),
                (None, Tree::Str(_)) if elem.scalar().is_float() => error.hint(
                    "kernels know no numbers in strings; `wp.inf`, `-wp.inf` and `wp.nan` are numbers",
                ),
                (None, _) => error,
            })
        }
    }
}

/// A scalar that becomes a component: of the component's type, or a written number, which integers truncate.
fn component_of(b: &mut Builder, x: &Operand, arg: &Arg<'_>, elem: Elem) -> Result<Value> {
    let (value, scalar) = (x.parts[0], elem.scalar());
    if b.ty(value) == scalar {
        return Ok(value);
    }
    let written = matches!(b.as_const(value), Some(Const::Int(_))) || b.full_value(value).is_some();
    if written && scalar != Scalar::Bool {
        return Ok(recast(b, value, scalar));
    }
    Err(Error::at(
        Code::Type,
        arg.span,
        format!("a component of {elem} is {scalar}, this is {}", x.elem),
    )
    .hint(conversion_hint(x.elem, scalar)))
}

fn refuse(elem: Elem, args: &[Arg<'_>], span: Span) -> Error {
    let types: Vec<String> = args.iter().map(|a| describe_tree(&a.tree)).collect();
    let error = Error::at(
        Code::Argument,
        span,
        format!("{elem} cannot be made of ({})", types.join(", ")),
    );
    let n = elem.count();
    let s = elem.scalar();
    match elem {
        Elem::Scalar(_) => error.hint("one scalar is converted"),
        Elem::Vec { .. } => error.hint(format!(
            "nothing (zeros), one {s} for all components, {n} components, {}or a vector of {n}",
            if elem.is_spatial() {
                "an angular and a linear part (vectors of 3), "
            } else {
                ""
            }
        )),
        Elem::Mat { rows, .. } => {
            let of_rows = matches!(args.first().map(|a| &a.tree),
                Some(Tree::Elem(x)) if matches!(x.elem, Elem::Vec { .. }));
            error.hint(if of_rows && args.len() == rows as usize {
                "`wp.matrix_from_rows` and `wp.matrix_from_cols` take vectors".to_string()
            } else {
                format!(
                    "nothing (zeros), one {s} for all components, {n} components row by row, \
                     or a matrix of this shape"
                )
            })
        }
        Elem::Compound(compound, _) => error.hint(compound.row().made_of),
        // Structs are made elsewhere.
        Elem::Struct(_) => error,
    }
}
