//! Rows: builtins, their overloads, and the expansion of a call.

use crate::builtins::signature::binding::{Arg, Misfit, Slots, What, bind};
use crate::builtins::signature::call::Call;
use crate::builtins::signature::hints::{conversion_hint, index_hint, number_hint};
use crate::builtins::signature::sig::{self, Bindings, Default, ParamPattern, Pattern, ScalarPat};
use crate::builtins::value::{Operand, Tree, describe_tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::primitive::Facts;
use crate::ir::{Builder, ExprBuilder, Op};
use crate::span::Span;
use crate::ty::Type;
use smallvec::SmallVec;

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
        Err(self.refuse(b, best, args, span))
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
            b: &ExprBuilder::new(b),
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

    fn refuse(&self, b: &Builder, best: Option<Misfit>, args: &[Arg<'_>], span: Span) -> Error {
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
                    let hint = literal_hint(b, args, at, (elem.scalar(), scalar))
                        .unwrap_or_else(|| conversion_hint(elem, scalar));
                    return error.hint(format!("{hint}; accepted: {accepted}"));
                }
                if let Some(hint) = index_hint(&args[at].tree) {
                    return error.hint(format!("{hint}; accepted: {accepted}"));
                }
                error
            }
        };
        error.hint(format!("accepted: {accepted}"))
    }

    /// Every signature, with the name.
    pub fn signatures(&self) -> impl Iterator<Item = String> {
        let overloads = self.overloads.iter();
        overloads.map(|overload| format!("{}{}", self.name, overload.sig))
    }

    /// Every signature, as messages and documentation list them.
    pub fn accepted(&self) -> String {
        self.signatures().collect::<Vec<_>>().join("; ")
    }
}

/// How to write a number of the text, where argument `at` has the first type and should have the second: this
/// argument, or, where a float meets numbers without a point, one of those.
fn literal_hint(
    b: &Builder,
    args: &[Arg<'_>],
    at: usize,
    (found, wanted): (Scalar, Scalar),
) -> Option<String> {
    let number = |i: usize, scalar| match &args[i].tree {
        Tree::Elem(x) => number_hint(b, x, scalar),
        _ => None,
    };
    let others = || {
        (0..args.len())
            .filter(|i| *i != at)
            .find_map(|i| number(i, found))
    };
    match found.is_float() && wanted.is_int() {
        true => others().or_else(|| number(at, wanted)),
        false => number(at, wanted),
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
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
            // Of a type that no argument has: as a number that the author wrote.
            let (scalar, value) = match (scalar, pattern) {
                (Some(scalar), _) => (scalar, b.number(scalar, number)),
                (None, Pattern::Scalar(ScalarPat::Var(b'I'))) => {
                    (Scalar::I32, b.number(Scalar::I32, number))
                }
                _ => (Scalar::F32, b.untyped(Scalar::F32, number)),
            };
            Tree::Elem(Operand::scalar(scalar, value))
        }
    }
}
