//! Thread indices, array indices, atomics.

use crate::builtins::signature::call::Call;
use crate::builtins::value::view::View;
use crate::builtins::value::{Operand, Tree, describe_tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::expr::vector::{join, zip};
use crate::ir::{AtomicOp, Builder, Comp, Expr, Exprs, Op, Value, Values};
use crate::span::Span;
use crate::ty::{Elem, MAX_NDIM};

/// `wp.tid()` assigned to `n` names: an int32, or a tuple of them.
///
/// # Errors
/// A launch has not so many dimensions.
pub fn tid(b: &mut Builder, n: usize, span: Span) -> Result<Tree> {
    if n == 0 || n > MAX_NDIM {
        let message = format!("`tid` gives 1 to {MAX_NDIM} indices, {n} are wanted");
        return Err(Error::at(Code::Argument, span, message));
    }
    let mut index = |d: usize| {
        let value = b.let_(Scalar::I32, Op::Tid(d as u8), &[]);
        Tree::Elem(Operand::scalar(Scalar::I32, value))
    };
    Ok(match n {
        1 => index(0),
        n => Tree::Tuple((0..n).map(index).collect()),
    })
}

/// An array index as the IR takes it: int32 or int64.
///
/// # Errors
/// It is no int32 or int64.
pub fn index_value(b: &mut Builder, tree: &Tree, span: Span) -> Result<Value> {
    match tree {
        Tree::Elem(x) if x.as_scalar().is_some() && x.elem.scalar().is_int() => {
            let value = x.parts[0];
            Ok(match x.elem.scalar() {
                Scalar::I32 | Scalar::I64 => value,
                Scalar::U32 | Scalar::U64 => b.cast(value, Scalar::I64),
                _ => b.cast(value, Scalar::I32),
            })
        }
        other => {
            let message = format!("an array index is an integer, not {}", describe_tree(other));
            Err(Error::at(Code::Type, span, message).hint("convert with `int(...)`"))
        }
    }
}

/// `wp.lower_bound(array, value)` and `wp.lower_bound(array, begin, end, value)`: halves the range until one index is left.
pub fn lower_bound(call: &mut Call<'_>) -> Result<Tree> {
    let view = call.view(0);
    let value = call.operand(call.args.len() - 1).clone();
    if view.ndim != 1 || view.elem != value.elem {
        let message = format!(
            "`lower_bound` looks for {} in an array of one dimension of that type, this is {}",
            value.elem,
            call.args[0].ty()
        );
        return Err(Error::at(Code::Type, call.spans[0], message));
    }
    let (b, value) = (call.b, call.b.expr(value.parts[0]));
    let [begin, end] = match call.args.len() {
        4 => [call.value(1), call.value(2)],
        _ => [b.i32(0), b.expr(view.extent(&mut b.builder(), 0))],
    };
    let found = b.while_(
        &[begin, end - 1],
        |range| range[0].lt(range[1]),
        |range| {
            let (begin, last) = (range[0], range[1]);
            let middle = begin + (last - begin) / 2;
            let below = view.content(b, middle).lt(value);
            [below.select(middle + 1, begin), below.select(last, middle)]
        },
    );
    Ok(call.tree(found[0]))
}

/// `wp.atomic_*(array, i, ..., value)`: the value before.
pub fn atomic(call: &mut Call<'_>, op: AtomicOp, negate: bool) -> Result<Tree> {
    let (view, index) = target(call, &["a value"])?;
    let value = value(call, &view, call.args.len() - 1)?;
    let bits = matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor);
    if bits && !view.elem.scalar().is_int() {
        let message = format!(
            "`{}` needs integers, the array holds {}",
            call.name, view.elem
        );
        return Err(Error::at(Code::Type, call.span, message));
    }
    let element = view.element(&mut call.builder(), &index);
    let mut before = Exprs::new();
    for (i, part) in call.b.exprs(&value.parts).into_iter().enumerate() {
        let part = if negate { -part } else { part }.value();
        let old = element.atomic(&mut call.builder(), op, Comp::Fixed(i as u32), part);
        before.push(call.b.expr(old));
    }
    Ok(call.shaped(view.elem, before))
}

/// `wp.atomic_cas(array, i, ..., compare, value)`: the value before. Of a composite all components must be equal;
/// they are then written one after the other.
pub fn compare_exchange(call: &mut Call<'_>) -> Result<Tree> {
    let (view, index) = target(call, &["a value to compare", "a value"])?;
    let last = call.args.len() - 1;
    let compare = value(call, &view, last - 1)?;
    let value = value(call, &view, last)?;
    let element = view.element(&mut call.builder(), &index);
    let exchange = |b: &mut Builder, i: usize| {
        let op = AtomicOp::CompareExchange(compare.parts[i]);
        element.atomic(b, op, Comp::Fixed(i as u32), value.parts[i])
    };
    let count = value.parts.len();
    if count == 1 {
        let before = exchange(&mut call.builder(), 0);
        return Ok(call.shaped(view.elem, call.b.exprs(&[before])));
    }
    let b = call.b;
    let before: Vec<Expr<'_>> = (0..count)
        .map(|i| b.expr(element.load(&mut b.builder(), Comp::Fixed(i as u32))))
        .collect();
    let same = zip(&before, &b.exprs(&compare.parts), |a, c| a.eq(c));
    let same = join(&same, |all, one| all & one);
    let before = b.if_(
        same,
        || {
            let exchanged = (0..count).map(|i| b.expr(exchange(&mut b.builder(), i)));
            exchanged.collect()
        },
        || before.clone(),
    );
    Ok(call.shaped(view.elem, before))
}

/// The array of an atomic operation and the index of the element; `more` arguments follow.
fn target(call: &mut Call<'_>, more: &[&str]) -> Result<(View, Values)> {
    let view = call.view(0);
    if let Elem::Struct(s) = view.elem {
        let message = format!(
            "`{}` needs numbers, the array holds {s}, which is a struct",
            call.name
        );
        return Err(
            Error::at(Code::Type, call.span, message).hint("change one field: `a[i].x += y`")
        );
    }
    let wanted = view.ndim as usize;
    let given = call.args.len() - 1;
    if given != wanted + more.len() {
        let message = format!(
            "`{}` on an array of {wanted} dimension{} takes {wanted} ind{} and {}, {} given",
            call.name,
            if wanted == 1 { "" } else { "s" },
            if wanted == 1 { "ex" } else { "ices" },
            more.join(" and "),
            match given.checked_sub(more.len()) {
                None | Some(0) => "too few are".to_string(),
                Some(n) => format!("{n} and {} are", more.join(" and ")),
            }
        );
        return Err(Error::at(Code::Argument, call.span, message));
    }
    if view.elem.scalar() == Scalar::Bool {
        let message = format!("`{}` needs numbers, the array holds bool", call.name);
        return Err(Error::at(Code::Type, call.span, message));
    }
    let mut index = Values::new();
    for i in 1..=wanted {
        let (tree, span) = (call.args[i].clone(), call.spans[i]);
        index.push(index_value(&mut call.builder(), &tree, span)?);
    }
    Ok((view, index))
}

/// An argument that has the type of the array's elements.
fn value(call: &Call<'_>, view: &View, at: usize) -> Result<Operand> {
    match &call.args[at] {
        Tree::Elem(x) if x.elem == view.elem => Ok(x.clone()),
        other => {
            let message = format!(
                "the value is {}, the array holds {}",
                describe_tree(other),
                view.elem
            );
            let error = Error::at(Code::Type, call.spans[at], message);
            Err(match other {
                Tree::Elem(x) if x.elem.with_scalar(view.elem.scalar()) == view.elem => error.hint(
                    crate::builtins::signature::hints::conversion_hint(x.elem, view.elem.scalar()),
                ),
                _ => error,
            })
        }
    }
}
