//! Calls: builtins, constructors and casts, `wp.static`, functions that are inlined.

use crate::builtins::{self, Arg, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::scope::External;
use crate::front::walk::Walk;
use crate::span::Span;
use crate::ty::{Elem, Type};
use ruff_python_ast::{Arguments, Expr, ExprCall, Keyword};
use ruff_text_size::Ranged;

impl Walk<'_> {
    pub fn call(&mut self, it: &ExprCall, want: Option<Scalar>) -> Result<Tree> {
        let at = self.span(it);
        self.b.span = at;
        let callee = &*it.func;
        let Some(path) = self.path(callee) else {
            return self.call_other(it, at);
        };
        let name = path.join(".");
        match self.lookup(&path) {
            Some(External::Builtin(builtin)) => self.call_builtin(&builtin, &name, it, want, at),
            Some(External::Func(func)) => {
                let args = self.arguments(&it.arguments, None)?;
                self.inline(&func, &args, at)
            }
            Some(External::Type(Type::Elem(elem))) => self.construct(elem, it, at),
            Some(External::Type(Type::Struct(s))) => self.construct_struct(s, it, at),
            Some(External::Type(ty)) => Err(self.no_constructor(&ty, at)),
            Some(External::Unsupported(found)) => {
                let what = format!("`{name}` is {found}, which kernels cannot call");
                Err(Error::at(Code::Type, self.span(callee), what)
                    .hint("kernels call builtins of `wp`, types, and functions with `@wp.func`"))
            }
            Some(External::Module(_)) => {
                let what = format!("`{name}` is a module and cannot be called");
                Err(Error::at(Code::Type, self.span(callee), what))
            }
            Some(_) => {
                let what = format!("`{name}` is a value and cannot be called");
                Err(Error::at(Code::Type, self.span(callee), what))
            }
            None => match (1..path.len())
                .rev()
                .find_map(|n| Some((n, self.lookup(&path[..n])?)))
            {
                Some((n, found)) => {
                    let (name, at) = (path[..n].join("."), self.span(callee));
                    Err(match found {
                        External::Module(_) | External::Builtin(_) | External::Func(_) => {
                            self.no_member(&name, path[n], &found, at)
                        }
                        _ => no_method(path[n], at),
                    })
                }
                None => Err(self.undefined(path[0], self.span(callee))),
            },
        }
    }

    fn call_builtin(
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
            "range" => {
                let what = "`range` stands in the head of a `for` loop only";
                return Err(Error::at(Code::Syntax, at, what).hint("for i in range(n):"));
            }
            _ => {}
        }
        let Some(row) = builtins::find(builtin) else {
            let what = format!("`{name}` cannot be used in kernels yet");
            return Err(Error::at(Code::Name, self.span(&*it.func), what));
        };
        let want = match builtin {
            "vector" | "matrix" | "quaternion" => self.named_dtype(&it.arguments)?,
            _ => None,
        };
        let args = self.arguments(&it.arguments, want)?;
        self.b.span = at;
        let outcome = row.call(&mut self.b, &args, at)?;
        for (n, now) in outcome.updates {
            self.update_argument(name, &it.arguments, args[n].span, now)?;
        }
        Ok(outcome.result)
    }

    /// `float(x)`, `wp.vec3(x, y, z)`: numbers written in the arguments take the type of the components.
    fn construct(&mut self, elem: Elem, it: &ExprCall, at: Span) -> Result<Tree> {
        builtins::check_size(elem, at)?;
        let args = self.arguments(&it.arguments, Some(elem.scalar()))?;
        self.b.span = at;
        builtins::construct(&mut self.b, elem, &args, at).map(Tree::Elem)
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

    /// A callee that is no plain name.
    fn call_other(&mut self, it: &ExprCall, at: Span) -> Result<Tree> {
        let callee = &*it.func;
        let callee_at = self.span(callee);
        match callee {
            // `wp.types.vector(length=3, dtype=float)(...)`
            Expr::Call(_) | Expr::Subscript(_) => {
                let text = self.text(callee.range()).to_string();
                match self.frame.scope.get().annotation(&text) {
                    Ok(Some(Type::Elem(elem))) => self.construct(elem, it, at),
                    Ok(Some(Type::Struct(s))) => self.construct_struct(s, it, at),
                    Ok(Some(ty)) => Err(self.no_constructor(&ty, at)),
                    Ok(None) | Err(_) => {
                        let what = format!("`{text}` is neither a function nor a type");
                        Err(Error::at(Code::Type, callee_at, what))
                    }
                }
            }
            Expr::Attribute(method) => Err(no_method(method.attr.as_str(), callee_at)),
            Expr::Name(name) => {
                let what = format!("variable `{}` is no function", name.id);
                Err(Error::at(Code::Type, callee_at, what)
                    .hint("functions have names outside the kernel"))
            }
            _ => Err(Error::at(Code::Type, callee_at, "this cannot be called")),
        }
    }

    fn no_constructor(&self, ty: &Type, at: Span) -> Error {
        let error = Error::at(
            Code::Type,
            at,
            format!("kernels cannot make values of type {ty}"),
        );
        match ty {
            Type::Array { .. } => error.hint("pass the array as a parameter"),
            _ => error,
        }
    }

    /// The arguments of a call, in order. Numbers among the positional ones take the type `want` if they can.
    pub fn arguments<'a>(
        &mut self,
        args: &'a Arguments,
        want: Option<Scalar>,
    ) -> Result<Vec<Arg<'a>>> {
        let mut out = Vec::with_capacity(args.args.len() + args.keywords.len());
        for arg in &args.args {
            let span = self.span(arg);
            match arg {
                Expr::Starred(it) => match self.expr(&it.value)? {
                    Tree::Tuple(items) => {
                        out.extend(items.iter().map(|t| Arg {
                            name: None,
                            tree: t.clone(),
                            span,
                        }));
                    }
                    other => {
                        let what = format!("`*` unpacks tuples, this is {}", other.ty());
                        return Err(Error::at(Code::Type, span, what));
                    }
                },
                arg => out.push(Arg {
                    name: None,
                    tree: self.expr_as(arg, want)?,
                    span,
                }),
            }
        }
        for keyword in &args.keywords {
            let span = self.span(&keyword.value);
            let Some(name) = &keyword.arg else {
                return Err(
                    Error::at(Code::Syntax, span, "kernels have no `**` in calls")
                        .hint("write each argument by name"),
                );
            };
            let tree = self.expr(&keyword.value)?;
            out.push(Arg {
                name: Some(name.as_str()),
                tree,
                span,
            });
        }
        Ok(out)
    }

    /// `wp.static(expr)`: Python evaluates the text.
    fn static_value(&mut self, args: &Arguments, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let ([expr], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(
                Error::at(Code::Argument, at, "`static` takes one expression")
                    .hint("wp.static(expression)"),
            );
        };
        let text = self.text(expr.range());
        // Lines of an expression in brackets need brackets when they stand alone.
        let text = if text.contains('\n') {
            format!("({text})")
        } else {
            text.to_string()
        };
        match self.frame.scope.get().eval_static(&text) {
            Ok(found) => self.constant(found, &format!("static({text})"), want, at),
            Err(why) => {
                let what = format!("`static({text})` cannot be evaluated: {why}");
                Err(Error::at(Code::Value, self.span(expr), what)
                    .hint("it is evaluated in Python when the kernel is built: variables of the kernel are not known then"))
            }
        }
    }
}

fn no_method(name: &str, at: Span) -> Error {
    let error = Error::at(
        Code::Attribute,
        at,
        format!("values in kernels have no method `{name}`"),
    );
    match builtins::find(name) {
        Some(_) => error.hint(format!(
            "write `wp.{name}(...)` with the value as its first argument"
        )),
        None => error.hint("builtins of `wp` take the value as an argument"),
    }
}
