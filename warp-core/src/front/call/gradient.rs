//! `wp.grad(f)(x, y)`: the partial derivatives of a function at a place.

use crate::adjoint::{self, Part};
use crate::builtins::{self, Arg, Operand, Tree};
use crate::error::{Code, Error, Result};
use crate::front::control::loops::scalars;
use crate::front::source::scope::External;
use crate::front::walk::Walk;
use crate::ir::{Block, Value};
use crate::span::Span;
use ruff_python_ast::{Arguments, ExprCall};

/// What the derivatives are formed with respect to: values that stand for the inputs, and the inputs.
#[derive(Default)]
struct Inputs {
    params: Vec<Value>,
    values: Vec<Value>,
}

impl Walk<'_> {
    /// `wp.grad(f)`: a function as a value.
    pub fn gradient_of(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let ([of], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(Error::at(Code::Argument, at, "`grad` takes one function")
                .hint("wp.grad(f)(x) gives the derivative of f at x"));
        };
        let place = self.span(of);
        match self.expr(of)? {
            Tree::Function(number) => {
                let of = Box::new(self.functions[number as usize].clone());
                Ok(Tree::Function(self.function(External::Gradient(of))))
            }
            other => {
                let what = format!("`grad` takes a function, this is {}", other.ty());
                Err(Error::at(Code::Type, place, what).hint("a `@wp.func` or a builtin of `wp`"))
            }
        }
    }

    /// The derivatives of a function with respect to each argument: one value for one argument, else a tuple.
    pub fn call_gradient(
        &mut self,
        of: &External,
        name: &str,
        it: &ExprCall,
        at: Span,
    ) -> Result<Tree> {
        let args = self.arguments(&it.arguments, None)?;
        self.b.span = at;
        let mut inputs = Inputs::default();
        let mut inner = Vec::with_capacity(args.len());
        for arg in &args {
            inner.push(Arg {
                name: arg.name,
                tree: self.input(&arg.tree, &mut inputs, arg.span)?,
                span: arg.span,
            });
        }
        self.b.open(inputs.params);
        let outer = std::mem::replace(&mut self.plain, false);
        let result = match of {
            External::Func(func) => {
                let called = self.call_function(func, &inner, at)?;
                if !called.updates.is_empty() {
                    let what = format!("`{name}`: the function writes one of its arguments");
                    return Err(Error::at(Code::Type, at, what)
                        .hint("`wp.grad` takes functions that give their results"));
                }
                called.result
            }
            External::Builtin(builtin) => match builtins::find(builtin) {
                Some(row) => row.call(&mut self.b, &inner, at)?.result,
                None => {
                    let what = format!("`{name}`: `{builtin}` has no gradient");
                    return Err(Error::at(Code::Type, at, what));
                }
            },
            _ => {
                let what = format!(
                    "`{name}`: functions have gradients, gradients of gradients are not formed here"
                );
                return Err(Error::at(Code::Type, at, what)
                    .hint("call `wp.grad` in a function, and take the gradient of that"));
            }
        };
        self.plain = outer;
        let mut results = Vec::new();
        scalars(&result, &mut results);
        results.retain(|value| self.b.ty(*value).is_float());
        if results.is_empty() {
            let what = format!(
                "`{name}`: the function gives {}, of which there is no gradient",
                result.ty()
            );
            return Err(
                Error::at(Code::Type, at, what).hint("it gives floats, or values that hold some")
            );
        }
        let block = self.b.close(results);
        if let Some(effect) = effect(&block) {
            let what = format!("`{name}`: the function writes an array");
            return Err(Error::at(Code::Type, effect, what)
                .label(at, "its gradient is asked for here")
                .hint("`wp.grad` takes functions that give their results"));
        }
        let part = Part {
            block,
            inputs: inputs.values,
        };
        let parts = adjoint::partials(&mut self.b, part, &mut self.slots)?;
        let mut parts = parts.into_iter();
        // Functions are no numbers: they have no place in the result.
        let numbers = args
            .iter()
            .filter(|arg| !matches!(arg.tree, Tree::Function(_)));
        let each = numbers.map(|arg| self.partial(&arg.tree, &mut parts));
        let mut each: Vec<Tree> = each.collect();
        match each.len() {
            1 => Ok(each.remove(0)),
            _ => Ok(Tree::Tuple(each.into())),
        }
    }

    /// An argument with values of its own in place of its floats.
    fn input(&mut self, tree: &Tree, inputs: &mut Inputs, at: Span) -> Result<Tree> {
        match tree {
            Tree::Elem(x) if x.elem.scalar().is_float() => {
                let params = self.b.fresh_like(&x.parts);
                inputs.params.extend(&params);
                inputs.values.extend(&x.parts);
                Ok(Tree::Elem(Operand {
                    elem: x.elem,
                    parts: params.into(),
                }))
            }
            Tree::Tuple(items) => {
                let items = items.iter().map(|item| self.input(item, inputs, at));
                Ok(Tree::Tuple(items.collect::<Result<_>>()?))
            }
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|field| self.input(field, inputs, at));
                Ok(Tree::Struct(*s, fields.collect::<Result<_>>()?))
            }
            Tree::Elem(_) | Tree::None | Tree::Function(_) => Ok(tree.clone()),
            Tree::Array(_) | Tree::Str(_) | Tree::Type(_) => {
                let what = format!(
                    "`wp.grad`: there is no derivative with respect to {}",
                    tree.ty()
                );
                Err(Error::at(Code::Type, at, what)
                    .hint("numbers, vectors, matrices and structs of them have one; read elements of arrays before the call"))
            }
        }
    }

    /// The derivatives with respect to an argument; zeros for integers.
    fn partial(&mut self, tree: &Tree, parts: &mut impl Iterator<Item = Value>) -> Tree {
        match tree {
            Tree::Elem(x) if x.elem.scalar().is_float() => Tree::Elem(Operand {
                elem: x.elem,
                parts: parts.by_ref().take(x.parts.len()).collect(),
            }),
            Tree::Tuple(items) => {
                Tree::Tuple(items.iter().map(|item| self.partial(item, parts)).collect())
            }
            Tree::Struct(s, fields) => {
                let fields = fields.iter().map(|field| self.partial(field, parts));
                Tree::Struct(*s, fields.collect())
            }
            other => self.zeros(&other.ty()).unwrap_or(Tree::None),
        }
    }
}

/// Where a block writes an array.
fn effect(block: &Block) -> Option<Span> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        kind if kind.effects().writes => Some(stmt.span),
        kind => kind.blocks_run().into_iter().find_map(effect),
    })
}
