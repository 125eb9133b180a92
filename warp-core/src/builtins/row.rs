//! Rows, and how a call finds its overload.

use crate::builtins::fold;
use crate::builtins::hints::{conversion_hint, index_hint};
use crate::builtins::renamed::RENAMED;
use crate::builtins::sig::{self, Bindings, Default, ParamPattern, Pattern, ScalarPat};
use crate::builtins::value::{Operand, Parts, Tree};
use crate::builtins::view::View;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::expr::vector;
use crate::ir::primitive::Facts;
use crate::ir::{Builder, Const, Expr, Exprs, Op, Scope};
use crate::span::Span;
use crate::ty::{Elem, Type};
use smallvec::SmallVec;
use std::cell::RefMut;

/// A builtin.
#[derive(Debug)]
pub struct Row {
    /// Name after `wp.`.
    pub name: &'static str,
    /// Chapter of the reference.
    pub group: &'static str,
    /// What it does, one or a few sentences.
    pub doc: &'static str,
    /// Tried in order; the first that fits is expanded.
    pub overloads: &'static [Overload],
}

/// One signature of a builtin.
#[derive(Debug)]
pub struct Overload {
    /// `(x: F) -> F`; the module `sig` says how it is read.
    pub sig: &'static str,
    /// What it is made of.
    pub expand: Expand,
    /// How to test it.
    pub facts: Facts,
}

/// How a call becomes operations.
#[derive(Clone, Copy, Debug)]
pub enum Expand {
    /// As one primitive on the scalar arguments, in order.
    Primitive(Op),
    /// As this function emits them.
    By(fn(&mut Call<'_>) -> Result<Tree>),
}

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

/// A call whose overload is known: what an expansion works with.
#[derive(Debug)]
pub struct Call<'s> {
    /// Where operations go.
    pub s: &'s Scope<'s>,
    /// One per parameter, defaults filled in (in place of nothing [`Tree::None`]); those of a variadic parameter last. The
    /// expansion writes the new value of a `ref` parameter here.
    pub args: SmallVec<[Tree; 4]>,
    /// Place of each argument (of the call for defaults).
    pub spans: SmallVec<[Span; 4]>,
    /// Name of the row, for messages.
    pub name: &'static str,
    /// Place of the call.
    pub span: Span,
}

/// What a call gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its result.
    pub result: Tree,
    /// Arguments of `ref` parameters by their place among those given, with their values from now on.
    pub updates: SmallVec<[(usize, Tree); 1]>,
}

impl Row {
    /// The `ref` parameters of all overloads, place and name: arguments for them get another value.
    pub fn updated(&self) -> impl Iterator<Item = (usize, &'static str)> + use<> {
        let with_ref = self.overloads.iter().map(|o| o.sig);
        let params = with_ref
            .filter(|sig| sig.contains("ref("))
            .flat_map(|sig| sig::parse(sig).into_iter().enumerate());
        let mut updated: SmallVec<[(usize, &'static str); 4]> = SmallVec::new();
        for (i, param) in params.filter(|(_, p)| p.updated) {
            if !updated.contains(&(i, param.name)) {
                updated.push((i, param.name));
            }
        }
        updated.into_iter()
    }

    /// Expands a call of this builtin.
    ///
    /// # Errors
    /// What is wrong with the arguments: the signatures, and which one comes closest.
    pub fn call(&self, b: &mut Builder, args: &[Arg<'_>], span: Span) -> Result<Outcome> {
        let mut best: Option<Misfit> = None;
        for overload in self.overloads {
            let params = sig::parse(overload.sig);
            match bind(self.name, &params, args) {
                Ok((slots, bindings)) => {
                    return self.expand(b, overload, &params, slots, &bindings, args, span);
                }
                Err(misfit) => {
                    if best.as_ref().is_none_or(|m| misfit.is_nearer(m)) {
                        best = Some(misfit);
                    }
                }
            }
        }
        Err(self.refuse(best, args, span))
    }

    #[allow(clippy::too_many_arguments, reason = "private continuation of `call`")]
    fn expand(
        &self,
        b: &mut Builder,
        overload: &Overload,
        params: &[ParamPattern],
        slots: Slots,
        bindings: &Bindings,
        given: &[Arg<'_>],
        span: Span,
    ) -> Result<Outcome> {
        let mut trees = SmallVec::new();
        let mut spans = SmallVec::new();
        for (i, slot) in slots.iter().enumerate() {
            match slot {
                Some(at) => {
                    trees.push(given[*at].tree.clone());
                    spans.push(given[*at].span);
                }
                None => {
                    let param = params.iter().filter(|p| !p.variadic).nth(i);
                    let (pattern, default) = param
                        .and_then(|p| Some((p.pattern, p.default?)))
                        .expect("bind refuses missing arguments");
                    trees.push(default_tree(b, default, pattern, bindings));
                    spans.push(span);
                }
            }
        }
        let mut call = Call {
            s: &Scope::new(b),
            args: trees,
            spans,
            name: self.name,
            span,
        };
        let result = match overload.expand {
            Expand::Primitive(op) => call.primitive(op),
            Expand::By(emit) => emit(&mut call)?,
        };
        let updated = params.iter().zip(&slots).zip(call.args);
        let updates = updated
            .filter(|((param, _), _)| param.updated)
            .filter_map(|((_, slot), now)| slot.map(|at| (at, now)));
        Ok(Outcome {
            result,
            updates: updates.collect(),
        })
    }

    fn refuse(&self, best: Option<Misfit>, args: &[Arg<'_>], span: Span) -> Error {
        let accepted = self.accepted();
        let Some(misfit) = best else {
            return Error::at(
                Code::Type,
                span,
                format!("`{}` cannot be called", self.name),
            );
        };
        let name = self.name;
        let error = match misfit.what {
            What::TooMany(takes) => Error::at(
                Code::Argument,
                span,
                format!(
                    "`{name}` takes {}, {} given",
                    count(takes, "argument"),
                    args.len()
                ),
            ),
            What::Unknown(at) => Error::at(
                Code::Argument,
                args[at].span,
                format!(
                    "`{name}` has no parameter `{}`",
                    args[at].name.unwrap_or("")
                ),
            ),
            What::Twice(at, param) => Error::at(
                Code::Argument,
                args[at].span,
                format!("`{name}` got its argument `{param}` twice"),
            ),
            What::Missing(param) => Error::at(
                Code::Argument,
                span,
                format!("`{name}` is called without its argument `{param}`"),
            ),
            What::Type {
                at,
                param,
                expected,
                convert,
            } => {
                let found = describe_tree(&args[at].tree);
                let message = if self.overloads.len() == 1 {
                    format!("argument `{param}` of `{name}` is {found}, expected {expected}")
                } else {
                    let types: Vec<String> =
                        args.iter().map(|arg| describe_tree(&arg.tree)).collect();
                    format!("`{name}` does not take ({})", types.join(", "))
                };
                let error = Error::at(Code::Type, args[at].span, message);
                if let Some((elem, scalar)) = convert {
                    return error.hint(format!(
                        "{}; accepted: {accepted}",
                        conversion_hint(elem, scalar)
                    ));
                }
                if let Some(hint) = index_hint(&args[at].tree) {
                    return error.hint(format!("{hint}; accepted: {accepted}"));
                }
                error
            }
        };
        error.hint(format!("accepted: {accepted}"))
    }

    /// Every signature on a line of its own, as messages and documentation list them.
    pub fn accepted(&self) -> String {
        let lines: Vec<String> = self
            .overloads
            .iter()
            .map(|overload| format!("{}{}", self.name, overload.sig))
            .collect();
        lines.join("; ")
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// A tree as messages name it.
pub fn describe_tree(tree: &Tree) -> String {
    match tree {
        Tree::Type(ty) => format!("the type {ty}"),
        other => other.ty().to_string(),
    }
}

/// For each parameter that is not variadic (then each variadic argument) the argument that was given for it.
type Slots = SmallVec<[Option<usize>; 4]>;

/// Why an overload does not fit; the one that came furthest is reported.
struct Misfit {
    depth: usize,
    what: What,
}

impl Misfit {
    /// Whether this overload came further than another one, or takes more of too many arguments.
    fn is_nearer(&self, other: &Misfit) -> bool {
        match (&self.what, &other.what) {
            (What::TooMany(a), What::TooMany(b)) => a > b,
            _ => self.depth > other.depth,
        }
    }
}

enum What {
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

fn bind(row: &str, params: &[ParamPattern], args: &[Arg<'_>]) -> Result<(Slots, Bindings), Misfit> {
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

fn default_tree(b: &mut Builder, default: Default, pattern: Pattern, bindings: &Bindings) -> Tree {
    match default {
        Default::Type(scalar) => Tree::Type(Type::scalar(scalar)),
        Default::None => Tree::None,
        Default::Number(number) => {
            let scalar = match pattern {
                Pattern::Scalar(pat) => bindings.resolve(pat),
                _ => None,
            };
            let scalar = scalar.unwrap_or(match pattern {
                Pattern::Scalar(ScalarPat::Var(b'I')) => Scalar::I32,
                _ => Scalar::F32,
            });
            let value = b.number(scalar, number);
            Tree::Elem(Operand::scalar(scalar, value))
        }
    }
}

/// What expansions read and write. Signatures were matched, so a wrong kind is a bug of the table.
impl<'s> Call<'s> {
    /// The builder itself, for what is no formula.
    pub fn b(&self) -> RefMut<'s, &'s mut Builder> {
        self.s.builder()
    }
    /// An argument that is a scalar, vector, matrix or quaternion.
    pub fn operand(&self, i: usize) -> &Operand {
        match &self.args[i] {
            Tree::Elem(operand) => operand,
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// The components of an argument.
    pub fn parts(&self, i: usize) -> Exprs<'s> {
        self.s.exprs(&self.operand(i).parts)
    }
    /// The type of an argument.
    pub fn elem(&self, i: usize) -> Elem {
        self.operand(i).elem
    }
    /// The type of an argument's components.
    pub fn scalar(&self, i: usize) -> Scalar {
        self.elem(i).scalar()
    }
    /// A scalar argument.
    pub fn value(&self, i: usize) -> Expr<'s> {
        self.s.expr(self.operand(i).parts[0])
    }
    /// A number of the type of an argument's components.
    pub fn number(&self, i: usize, x: f64) -> Expr<'s> {
        self.s.number(self.scalar(i), x)
    }
    /// An array argument.
    pub fn view(&self, i: usize) -> View {
        match &self.args[i] {
            Tree::Array(view) => view.clone(),
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// An argument that is a scalar type.
    pub fn type_arg(&self, i: usize) -> Scalar {
        match &self.args[i] {
            Tree::Type(ty) => ty.as_scalar().unwrap_or(Scalar::F32),
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// An integer argument that must be known when compiling.
    ///
    /// # Errors
    /// The argument is not known before the launch.
    pub fn static_int(&self, i: usize) -> Result<i64> {
        match self.value(i).as_const() {
            Some(Const::Int(n)) => Ok(n),
            _ => Err(self
                .error(i, "must be known when compiling")
                .hint("a literal, a `wp.constant` or `wp.static(...)`")),
        }
    }
    /// An error about one argument.
    pub fn error(&self, i: usize, what: &str) -> Error {
        let message = format!("argument {} of `{}` {what}", i + 1, self.name);
        Error::at(Code::Value, self.spans[i], message)
    }
    /// One primitive on the arguments, in order; component by component where they are composites.
    fn primitive(&self, op: Op) -> Tree {
        let elem = self.elem(0);
        let component = |at: usize| {
            let args: Parts = (0..self.args.len())
                .map(|i| self.operand(i).parts[at])
                .collect();
            self.s.expr(fold::op(&mut self.b(), op, &args))
        };
        self.shaped(elem, (0..elem.count()).map(component).collect())
    }
    /// A primitive operation on each component of the first argument.
    ///
    /// # Errors
    /// The operation does not take such a value.
    pub fn map(&self, op: Op) -> Result<Tree> {
        let out = vector::map(&self.parts(0), |x| x.apply(op));
        Ok(self.shaped(self.elem(0), out))
    }
    /// A primitive operation on the components of the first two arguments.
    ///
    /// # Errors
    /// As [`Call::map`].
    pub fn zip(&self, op: Op) -> Result<Tree> {
        let out = vector::zip(&self.parts(0), &self.parts(1), |x, y| x.with(op, y));
        Ok(self.shaped(self.elem(0), out))
    }
    /// A scalar result.
    pub fn tree(&self, x: Expr<'s>) -> Tree {
        Tree::Elem(Operand::scalar(x.ty(), x.value()))
    }
    /// A result of the given shape; its components' type is theirs.
    pub fn shaped(&self, elem: Elem, parts: Exprs<'s>) -> Tree {
        let elem = match parts.first() {
            Some(first) => elem.with_scalar(first.ty()),
            None => elem,
        };
        let parts = parts.into_iter().map(Expr::value).collect();
        Tree::Elem(Operand { elem, parts })
    }
    /// A vector result.
    pub fn vector(&self, parts: Exprs<'s>) -> Tree {
        let len = parts.len() as u32;
        self.shaped(
            Elem::Vec {
                len,
                scalar: Scalar::F32,
            },
            parts,
        )
    }
    /// A matrix result, row-major.
    pub fn matrix(&self, rows: usize, cols: usize, parts: Exprs<'s>) -> Tree {
        let elem = Elem::Mat {
            rows: rows as u32,
            cols: cols as u32,
            scalar: Scalar::F32,
        };
        self.shaped(elem, parts)
    }
    /// A quaternion result.
    pub fn quat(&self, parts: Exprs<'s>) -> Tree {
        self.shaped(Elem::Quat(Scalar::F32), parts)
    }
    /// A transform result: position, then rotation.
    pub fn transform(&self, position: &[Expr<'s>], rotation: &[Expr<'s>]) -> Tree {
        let parts = position.iter().chain(rotation).copied().collect();
        self.shaped(Elem::Transform(Scalar::F32), parts)
    }
    /// Several results.
    pub fn tuple(&self, items: impl IntoIterator<Item = Tree>) -> Tree {
        Tree::Tuple(items.into_iter().collect())
    }
}
