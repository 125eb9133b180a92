//! Calls of builtins, those that the front treats itself among them.

use crate::builtins::{self, Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::update::Changer;
use crate::front::walk::join::{ExprPath, same_shape};
use crate::front::walk::{Walk, boolean};
use crate::span::Span;
use ruff_python_ast::{Arguments, ExprCall, Keyword};

impl Walk<'_> {
    pub(super) fn call_builtin(
        &mut self,
        builtin: &str,
        name: &str,
        it: &ExprCall,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        match builtin {
            "static" => return self.static_value(&it.arguments, want, at),
            "tid" if it.arguments.is_empty() => return builtins::tid(&mut self.b, 1, at),
            "range" | "reversed" => {
                let what = format!("`{builtin}` stands in the head of a `for` loop only");
                return Err(Error::at(Code::Syntax, at, what).hint("for i in range(n):"));
            }
            "zeros" => return self.zeros_call(&it.arguments, at),
            "array" => return self.array_call(&it.arguments, at),
            "address_of" => return self.address_call(&it.arguments, at),
            "object" => return self.object_call(&it.arguments, at),
            "read" => return self.read_call(&it.arguments, at),
            "search" => return self.search_call(&it.arguments, at),
            "type" => return self.type_of(&it.arguments, at),
            "grad" => return self.gradient_of(&it.arguments, at),
            _ => {}
        }
        if let Some(done) = self.block_call(builtin, &it.arguments, at)? {
            return Ok(done);
        }
        let Some(row) = builtins::find(builtin) else {
            let what = format!("`{name}` cannot be used in kernels yet");
            return Err(Error::at(Code::Name, self.span(&*it.func), what));
        };
        let want = match builtin {
            "vector" | "matrix" | "quaternion" => self.named_dtype(&it.arguments)?,
            _ => None,
        };
        let mut args = self.arguments(&it.arguments, want)?;
        self.b.span = at;
        if let Some(known) = self.on_data(builtin, &mut args, at)? {
            return Ok(known);
        }
        if builtin == "where"
            && let Some(chosen) = self.choice(&mut args, at)?
        {
            return Ok(chosen);
        }
        if let (
            "len",
            [
                Arg {
                    tree: Tree::Tuple(items),
                    ..
                },
            ],
        ) = (builtin, &args[..])
        {
            let n = self.b.i32(items.len() as i32);
            return Ok(Tree::Elem(Operand::scalar(Scalar::I32, n)));
        }
        let outcome = row.call(&mut self.b, &args, at)?;
        for (n, now) in outcome.updates {
            self.update_argument(name, &it.arguments, args[n].span, now, Changer::Builtin)?;
        }
        Ok(outcome.result)
    }

    /// `wp.where(..)`: an array as the condition becomes whether it was passed; one of two structs is chosen as
    /// `x if cond else y` does it. None is left to the builtin.
    fn choice(&mut self, args: &mut [Arg<'_>], at: Span) -> Result<Option<Tree>> {
        let place = |names: &[&str], n: usize| {
            let named = |arg: &Arg<'_>| arg.name.is_some_and(|name| names.contains(&name));
            let positional = args.get(n).filter(|arg| arg.name.is_none());
            positional
                .map(|_| n)
                .or_else(|| args.iter().position(named))
        };
        let places = [
            place(&["cond", "arr"], 0),
            place(&["value_if_true"], 1),
            place(&["value_if_false"], 2),
        ];
        let Some(cond) = places[0] else {
            return Ok(None);
        };
        if let Arg {
            tree: tree @ Tree::Array(_),
            span,
            ..
        } = &mut args[cond]
        {
            *tree = boolean(builtins::truth(&mut self.b, tree, *span)?);
        }
        let ([_, Some(x), Some(y)], 3) = (places, args.len()) else {
            return Ok(None);
        };
        let (x, y) = (&args[x].tree, &args[y].tree);
        if !matches!(x, Tree::Struct(..)) || !same_shape(x, y) {
            return Ok(None);
        }
        let test = builtins::truth(&mut self.b, &args[cond].tree, args[cond].span)?;
        match self.known(test) {
            Some(true) => Ok(Some(x.clone())),
            Some(false) => Ok(Some(y.clone())),
            None => self
                .join_expr(test, ExprPath::of(x.clone()), ExprPath::of(y.clone()), at)
                .map(Some)
                .ok_or_else(|| {
                    let what = "`where` cannot choose between structs with an array that only one of them has";
                    Error::at(Code::Type, at, what).hint("give the field an array in both")
                }),
        }
    }

    /// `type(x)`: a constructor, or what a builtin takes as a type.
    fn type_of(&mut self, args: &Arguments, at: Span) -> Result<Tree> {
        let ([value], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(Error::at(Code::Argument, at, "`type` takes one value").hint("type(x)(1)"));
        };
        // Only the type of the value is asked for.
        let tree = self.expr_path(|w| w.expr(value))?.tree;
        Ok(Tree::Type(tree.ty()))
    }

    /// The number type that a call asks for by `dtype=`: numbers written in its other arguments take it.
    fn named_dtype(&mut self, args: &Arguments) -> Result<Option<Scalar>> {
        let named = |k: &&Keyword| k.arg.as_ref().is_some_and(|name| name == "dtype");
        let Some(keyword) = args.keywords.iter().find(named) else {
            return Ok(None);
        };
        match self.expr(&keyword.value)? {
            Tree::Type(ty) => Ok(ty.as_scalar()),
            _ => Ok(None),
        }
    }
}
