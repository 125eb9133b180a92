//! Functions whose derivative or replay their author wrote (`@wp.func_grad`, `@wp.func_replay`): a call of one is a statement of its
//! own, with the function, the replay and the derivative walked as blocks of it.
//!
//! In a derivative `wp.adjoint[x]` is a variable: zeros at first, of the type of the parameter `x`, and what it holds at last is
//! added to the adjoint of the argument. Of an array it is the array's gradient.

mod derivative;
mod rewrite;

use crate::builtins::{Arg, Operand, Tree};
use crate::error::{Code, Error, Result};
use crate::front::call::inline::Called;
use crate::front::control::loops::scalars;
use crate::front::source::scope::FuncRef;
use crate::front::walk::{VariableState, Walk};
use crate::ir::{Block, Kind, Rules, Value};
use crate::span::Span;
use std::rc::Rc;

/// The arguments of a call as one of its blocks gets them.
#[derive(Default)]
struct Given {
    trees: Vec<Tree>,
    /// The block's parameters.
    params: Vec<Value>,
    /// What they stand for.
    ins: Vec<Value>,
}

impl Walk<'_> {
    /// Calls a function that is not overloaded, or one of the overloads.
    pub fn call_one(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<Called> {
        let ruled = func.gradient.is_some() && !self.plain || func.replay.is_some();
        if !ruled || self.differentiated.contains(&func.id) {
            return self.inline(func, args, at);
        }
        let (names, bound) = self.within(func, at, |w| w.bound_to(func, args, at))?;

        // Gradients of gradients are nobody's parameters: such a call, in a derivative, is one like others.
        if bound.iter().any(|tree| self.has_gradient(tree)) {
            return self.inline(func, args, at);
        }
        let given = self.given(&bound);
        let ins = given.ins;
        let arg = |(name, tree)| Arg {
            name: Some(name),
            tree,
            span: at,
        };
        let args: Vec<Arg<'_>> = names
            .iter()
            .map(String::as_str)
            .zip(given.trees)
            .map(arg)
            .collect();
        // What the derivative replaces is differentiated by nobody.
        let outer = self.plain;
        self.plain |= func.gradient.is_some();
        self.b.open(given.params);
        let result = self.inline(func, &args, at)?.result;
        self.plain = outer;
        let mut results = Vec::new();
        if !is_plain(&result) || !scalars(&result, &mut results) {
            let what = format!(
                "function `{}` with a derivative or replay of its own gives {}",
                func.source.name,
                result.ty()
            );
            return Err(Error::at(Code::Type, at, what)
                .hint("it can give numbers, vectors, matrices, and structs and tuples of them"));
        }
        let body = self.b.close(results);

        let mut rules = Rules::default();
        self.differentiated.push(func.id);
        let outer = std::mem::replace(&mut self.plain, true);
        if let Some(replay) = &func.replay {
            rules.replay = Some(self.replay(func, replay, &bound, &result, at)?);
        }
        self.plain = outer;
        if let Some(gradient) = &func.gradient
            && !self.plain
        {
            rules.reverse = Some(self.derivative(func, gradient, &bound, &result, at)?);
        }
        self.differentiated.pop();

        self.b.span = at;
        let outs = self.b.fresh_like(&body.results);
        self.b.push(Kind::Custom {
            ins,
            body,
            rules: Box::new(rules),
            outs: outs.clone(),
        });
        Ok(Called {
            result: with_scalars(&result, &mut outs.into_iter()),
            updates: Vec::new(),
        })
    }

    /// Whether a value holds the gradient of an array.
    fn has_gradient(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Array(view) => {
                let mut candidates = view.candidates.iter();
                candidates.any(|candidate| self.b.func().gradient_of(candidate.array).is_some())
            }
            Tree::Tuple(items) | Tree::Struct(_, items) => {
                items.iter().any(|item| self.has_gradient(item))
            }
            _ => false,
        }
    }

    /// The names of the parameters of the function whose frame is in force, and their values.
    fn bound_to(
        &mut self,
        func: &FuncRef,
        args: &[Arg<'_>],
        at: Span,
    ) -> Result<(Vec<String>, Vec<Tree>)> {
        self.bind_args(func, args, at)?;
        if let Some((_, place)) = self.frame.refs.first() {
            let what = format!(
                "function `{}` with a derivative or replay of its own writes one of its arguments",
                func.source.name
            );
            return Err(Error::at(Code::Type, *place, what)
                .hint("return the value, or write it to an array"));
        }
        let routine = Rc::clone(&self.frame.routine);
        let params = routine.def.parameters.iter_non_variadic_params();
        let each = params.map(|param| {
            let name = param.parameter.name.as_str();
            let tree = match self.local(name).map(|slot| &self.frame.env[slot]) {
                Some(VariableState::Bound(tree, _)) => tree.clone(),
                _ => Tree::None,
            };
            (name.to_string(), tree)
        });
        Ok(each.unzip())
    }

    /// Arguments with values of their own in place of their floats. Constants stay what they are.
    fn given(&mut self, bound: &[Tree]) -> Given {
        let mut given = Given::default();
        let trees = bound.iter().map(|tree| self.stand_in(tree, &mut given));
        given.trees = trees.collect();
        given
    }

    fn stand_in(&mut self, tree: &Tree, given: &mut Given) -> Tree {
        match tree {
            Tree::Elem(x) if x.elem.scalar().is_float() => {
                let parts = x.parts.iter().map(|part| {
                    if self.b.as_const(*part).is_some() {
                        return *part;
                    }
                    let param = self.b.fresh(self.b.ty(*part));
                    given.params.push(param);
                    given.ins.push(*part);
                    param
                });
                Tree::Elem(Operand {
                    elem: x.elem,
                    parts: parts.collect(),
                })
            }
            Tree::Tuple(items) => {
                Tree::Tuple(items.iter().map(|t| self.stand_in(t, given)).collect())
            }
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|t| self.stand_in(t, given));
                Tree::Struct(*s, fields.collect())
            }
            other => other.clone(),
        }
    }

    fn replay(
        &mut self,
        func: &FuncRef,
        replay: &FuncRef,
        bound: &[Tree],
        like: &Tree,
        at: Span,
    ) -> Result<Block> {
        let given = self.given(bound);
        self.b.open(given.params);
        let args = positional(given.trees, at);
        let result = self.inline(replay, &args, at)?.result;
        if result.ty() != like.ty() {
            let what = format!(
                "`{}`, the replay of `{}`, gives {}, the function gives {}",
                replay.source.name,
                func.source.name,
                result.ty(),
                like.ty()
            );
            return Err(Error::at(Code::Type, at, what)
                .hint("a replay gives what the function gave, for example from an array"));
        }
        let mut results = Vec::new();
        scalars(&result, &mut results);
        Ok(self.b.close(results))
    }
}

fn positional<'a>(trees: Vec<Tree>, span: Span) -> Vec<Arg<'a>> {
    let arg = |tree| Arg {
        name: None,
        tree,
        span,
    };
    trees.into_iter().map(arg).collect()
}

/// Whether a result is made of values alone.
fn is_plain(tree: &Tree) -> bool {
    match tree {
        Tree::Elem(_) | Tree::None => true,
        Tree::Tuple(items) | Tree::Struct(_, items) => items.iter().all(is_plain),
        _ => false,
    }
}

/// A result with other scalars.
fn with_scalars(tree: &Tree, scalars: &mut impl Iterator<Item = Value>) -> Tree {
    match tree {
        Tree::Elem(x) => Tree::Elem(Operand {
            elem: x.elem,
            parts: scalars.by_ref().take(x.parts.len()).collect(),
        }),
        Tree::Tuple(items) => Tree::Tuple(items.iter().map(|t| with_scalars(t, scalars)).collect()),
        Tree::Struct(s, fields) => Tree::Struct(
            *s,
            fields.iter().map(|t| with_scalars(t, scalars)).collect(),
        ),
        other => other.clone(),
    }
}
