//! How arguments are matched to the parameters of an overload.

use crate::builtins::signature::renamed::RENAMED;
use crate::builtins::signature::sig::{Bindings, ParamPattern, Pattern};
use crate::builtins::value::Tree;
use crate::dtype::Scalar;
use crate::span::Span;
use crate::ty::{Elem, Type};
use smallvec::SmallVec;

/// An argument as written.
#[derive(Clone, Debug)]
pub struct Arg<'a> {
    /// Given by name.
    pub name: Option<&'a str>,
    /// What it is.
    pub tree: Tree,
    /// Where it stands.
    pub span: Span,
}

/// For each parameter that is not variadic (then each variadic argument) the argument that was given for it.
pub(super) type Slots = SmallVec<[Option<usize>; 4]>;

/// Why an overload does not fit; the one that came furthest is reported.
pub(super) struct Misfit {
    depth: usize,
    pub what: What,
}

impl Misfit {
    /// Whether this overload came further than another one, or takes more of too many arguments.
    pub fn is_nearer(&self, other: &Misfit) -> bool {
        match (&self.what, &other.what) {
            (What::TooMany(a), What::TooMany(b)) => a > b,
            _ => self.depth > other.depth,
        }
    }
}

/// What does not fit.
pub(super) enum What {
    TooMany(usize),
    Unknown(usize),
    Twice(usize, &'static str),
    Missing(&'static str),
    Type {
        at: usize,
        param: &'static str,
        expected: String,
        convert: Option<(Elem, Scalar)>,
    },
}

/// The argument for each parameter, and what the variables of the signature stand for.
pub(super) fn bind(
    row: &str,
    params: &[ParamPattern],
    args: &[Arg<'_>],
) -> Result<(Slots, Bindings), Misfit> {
    let misfit = |depth, what| Err(Misfit { depth, what });
    let rest = params.iter().position(|p| p.variadic);
    let positional = rest.unwrap_or(params.len());
    let fixed: SmallVec<[&ParamPattern; 4]> = params.iter().filter(|p| !p.variadic).collect();
    let mut slots: Slots = smallvec::smallvec![None; fixed.len()];
    for (at, arg) in args.iter().enumerate() {
        let index = match arg.name {
            None if at < positional => at,
            None if rest.is_some() => {
                slots.push(Some(at));
                continue;
            }
            None => return misfit(0, What::TooMany(positional)),
            Some(name) => match fixed.iter().position(|p| is_named(row, p, name)) {
                Some(index) => index,
                None => return misfit(0, What::Unknown(at)),
            },
        };
        if slots[index].is_some() {
            return misfit(0, What::Twice(at, fixed[index].name));
        }
        slots[index] = Some(at);
    }
    for (param, slot) in fixed.iter().zip(&slots) {
        if slot.is_none() && param.default.is_none() {
            return misfit(0, What::Missing(param.name));
        }
    }
    let mut bindings = Bindings::default();
    for (i, slot) in slots.iter().enumerate() {
        let Some(at) = *slot else { continue };
        let param = match fixed.get(i) {
            Some(param) => param,
            None => &params[positional],
        };
        let before = bindings;
        if !fits(&mut bindings, param.pattern, &args[at].tree) {
            let ty = args[at].tree.ty();
            let convert = match (&ty, before.wanted_scalar(param.pattern, &ty)) {
                (Type::Elem(elem), Some(scalar)) => Some((*elem, scalar)),
                _ => None,
            };
            let what = What::Type {
                at,
                param: param.name,
                expected: before.describe(param.pattern),
                convert,
            };
            return misfit(i + 1, what);
        }
    }
    Ok((slots, bindings))
}

/// Whether an argument of this name is for a parameter: by its name or an older one.
fn is_named(row: &str, param: &ParamPattern, name: &str) -> bool {
    param.name == name || RENAMED.contains(&(row, name, param.name))
}

fn fits(bindings: &mut Bindings, pattern: Pattern, tree: &Tree) -> bool {
    match (pattern, tree) {
        (Pattern::Type, Tree::Type(ty)) => ty.as_scalar().is_some(),
        (Pattern::Any, _) => true,
        (_, Tree::Type(_) | Tree::None | Tree::Tuple(_)) => false,
        (pattern, tree) => bindings.matches(pattern, &tree.ty()),
    }
}
