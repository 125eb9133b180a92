//! `wp.vector`, `wp.matrix` and `wp.quaternion`: constructors that are told the type of the result, or see it in
//! their arguments.

use crate::builtins::operation::cast::{check_size, construct};
use crate::builtins::signature::binding::Arg;
use crate::builtins::signature::call::Call;
use crate::builtins::value::{Tree, describe_tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::Const;
use crate::ty::{Compound, Elem, Type};

/// `wp.vector(*args, length, dtype)`: length and dtype come first in the call.
pub fn vector(c: &mut Call<'_>) -> Result<Tree> {
    let len = match (&c.args[0], &c.args[2..]) {
        (Tree::None, [Tree::Elem(x)]) if matches!(x.elem, Elem::Vec { .. }) => x.elem.count(),
        (Tree::None, []) => return Err(missing(c, "length")),
        (Tree::None, all) => all.len(),
        (_, _) => size(c, 0, &c.args[0])?,
    };
    let scalar = dtype(c, 1, 2)?;
    make(
        c,
        Elem::Vec {
            len: len as u32,
            scalar,
        },
        2,
    )
}

/// `wp.matrix(*args, shape, dtype)`: shape and dtype come first in the call.
pub fn matrix(c: &mut Call<'_>) -> Result<Tree> {
    let (rows, cols) = match (&c.args[0], &c.args[2..]) {
        (Tree::None, [Tree::Elem(x)]) => match x.elem {
            Elem::Mat { rows, cols, .. } => (rows as usize, cols as usize),
            _ => return Err(missing(c, "shape")),
        },
        (Tree::None, _) => return Err(missing(c, "shape")),
        (Tree::Tuple(sizes), _) if sizes.len() == 2 => {
            (size(c, 0, &sizes[0])?, size(c, 0, &sizes[1])?)
        }
        (other, _) => {
            let what = format!("shape is {}, expected two sizes", describe_tree(other));
            return Err(Error::at(Code::Type, c.spans[0], what).hint("shape=(2, 3)"));
        }
    };
    let scalar = dtype(c, 1, 2)?;
    let (rows, cols) = (rows as u32, cols as u32);
    make(c, Elem::Mat { rows, cols, scalar }, 2)
}

/// `wp.quaternion(...)`, whose last argument is dtype.
pub fn quaternion(c: &mut Call<'_>) -> Result<Tree> {
    let last = c.args.len() - 1;
    let scalar = dtype(c, last, 0)?;
    if !scalar.is_float() {
        let what = format!("a quaternion of {scalar}: its components are floats");
        return Err(Error::at(Code::Type, c.spans[last], what));
    }
    c.args.truncate(last);
    make(c, Elem::Compound(Compound::Quat, scalar), 0)
}

/// What stands as dtype, or the number type of the first component, or float32.
fn dtype(c: &Call<'_>, at: usize, first: usize) -> Result<Scalar> {
    match (&c.args[at], c.args.get(first)) {
        (Tree::Type(Type::Elem(Elem::Scalar(scalar))), _) => Ok(*scalar),
        (Tree::None, Some(Tree::Elem(x))) => Ok(x.elem.scalar()),
        (Tree::None, _) => Ok(Scalar::F32),
        (other, _) => {
            let what = format!("dtype is {}, expected a number type", describe_tree(other));
            Err(Error::at(Code::Type, c.spans[at], what).hint("dtype=float"))
        }
    }
}

/// A size that is known when compiling.
fn size(c: &Call<'_>, at: usize, tree: &Tree) -> Result<usize> {
    let known = match tree {
        Tree::Elem(x) => x.as_scalar().and_then(|x| c.b.expr(x).as_const()),
        _ => None,
    };
    match known {
        Some(Const::Int(n)) => usize::try_from(n).map_err(|_| {
            let what = format!("{n} is no size");
            Error::at(Code::Value, c.spans[at], what)
        }),
        _ => {
            let what = format!("a size of `{}` must be known when compiling", c.name);
            let error = Error::at(Code::Value, c.spans[at], what);
            Err(error.hint("a literal, a `wp.constant` or `wp.static(...)`"))
        }
    }
}

fn missing(c: &Call<'_>, name: &str) -> Error {
    let what = format!("`{}` is called without its argument `{name}`", c.name);
    Error::at(Code::Argument, c.span, what)
}

fn make(c: &mut Call<'_>, elem: Elem, from: usize) -> Result<Tree> {
    check_size(elem, c.span)?;
    let args: Vec<Arg<'_>> = (from..c.args.len())
        .map(|i| Arg {
            name: None,
            tree: c.args[i].clone(),
            span: c.spans[i],
        })
        .collect();
    construct(&mut c.builder(), elem, &args, c.span).map(Tree::Elem)
}
