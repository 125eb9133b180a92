//! Calls: builtins, constructors and casts, `wp.static`, functions that are inlined.

mod builtin;
pub(in crate::front) mod custom;
pub(in crate::front) mod gradient;
pub(in crate::front) mod inline;
pub(in crate::front) mod instance;
pub(in crate::front) mod instead;
pub(in crate::front) mod integers;
pub(in crate::front) mod of_blocks;
mod of_library;
pub(in crate::front) mod operators;
pub(in crate::front) mod overload;
pub(in crate::front) mod shared;
mod statics;
pub(in crate::front) mod unpack;
pub(in crate::front) mod update;

use crate::builtins::{self, Arg, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::instead::{instead_of, no_method};
use crate::front::call::update::Changer;
use crate::front::source::library;
use crate::front::source::scope::External;
use crate::front::walk::Walk;
use crate::front::walk::names::not_supported;
use crate::span::Span;
use crate::ty::{Elem, Pattern, Type};
use ruff_python_ast::{Arguments, Expr, ExprAttribute, ExprCall};
use ruff_text_size::Ranged;

impl Walk<'_> {
    pub fn call(&mut self, it: &ExprCall, want: Option<Scalar>) -> Result<Tree> {
        let at = self.span(it);
        self.b.span = at;
        let callee = &*it.func;
        let Some(path) = self.path(callee) else {
            return self.call_other(it, want, at);
        };
        if let Some(found) = self.lookup(&path) {
            return self.call_found(found, &path.join("."), it, want, at);
        }
        let shorter = (1..path.len()).rev();
        let prefix = shorter.filter_map(|n| Some((n, self.lookup(&path[..n])?)));
        match prefix.into_iter().next() {
            // A type behind a name outside: `V.dtype(x)`.
            Some(_) if path[path.len() - 1] == "dtype" => self.call_other(it, want, at),
            Some((n, found)) => {
                let (name, at) = (path[..n].join("."), self.span(callee));
                if let External::Struct(..) = found {
                    return self.call_other(it, want, at);
                }
                Err(match found {
                    External::Absent(instead) => not_supported(&name, instead, at),
                    External::Module(_)
                    | External::Builtin(_)
                    | External::Func(_)
                    | External::Gradient(_) => self.no_member(&name, path[n], &found, at),
                    _ => no_method(path[n], at),
                })
            }
            None => Err(self.undefined(path[0], self.span(callee))),
        }
    }

    /// A call of what a name outside the function, or a function as a value, stands for.
    fn call_found(
        &mut self,
        found: External,
        name: &str,
        it: &ExprCall,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        let callee_at = self.span(&*it.func);
        match found {
            External::Builtin(builtin) => self.call_builtin(&builtin, name, it, want, at),
            External::Func(func) => {
                let args = self.arguments(&it.arguments, None)?;
                let called = match library::is_public(&func) {
                    true => self.call_library(&func, args, at)?,
                    false => self.call_function(&func, &args, at)?,
                };
                for (place, now) in called.updates {
                    self.update_argument(name, &it.arguments, place, now, Changer::Function)?;
                }
                Ok(called.result)
            }
            External::Gradient(of) => self.call_gradient(&of, name, it, at),
            External::Type(ty) => self.call_type(&ty, it, at),
            External::Absent(instead) => Err(not_supported(name, instead, callee_at)),
            External::Unsupported(found) => {
                let what = format!("`{name}` is {found}, which kernels cannot call");
                Err(Error::at(Code::Type, callee_at, what).hint(instead_of(name, &found)))
            }
            External::Module(_) => {
                let what = format!("`{name}` is a module and cannot be called");
                Err(Error::at(Code::Type, callee_at, what))
            }
            _ => {
                let what = format!("`{name}` is a value and cannot be called");
                Err(Error::at(Code::Type, callee_at, what))
            }
        }
    }

    /// A type as a constructor.
    fn call_type(&mut self, ty: &Type, it: &ExprCall, at: Span) -> Result<Tree> {
        match ty {
            Type::Elem(elem) => self.construct(*elem, it, at),
            Type::Struct(s) => self.construct_struct(*s, it, at),
            ty => Err(self.no_constructor(ty, at)),
        }
    }

    /// A call of what an expression gives: a function or a type.
    fn call_value(&mut self, it: &ExprCall, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let name = self.text(it.func.range()).to_string();
        let tree = self.expr(&it.func)?;
        self.b.span = at;
        match tree {
            Tree::Function(number) => {
                let found = self.functions[number as usize].clone();
                self.call_found(found, &name, it, want, at)
            }
            Tree::Type(ty) => self.call_type(&ty, it, at),
            other => {
                let what = format!("`{name}` is {}, which cannot be called", other.ty());
                Err(Error::at(Code::Type, self.span(&*it.func), what)
                    .hint("functions and types can"))
            }
        }
    }

    /// `float(x)`, `wp.vec3(x, y, z)`: numbers written in the arguments take the type of the components.
    fn construct(&mut self, elem: Elem, it: &ExprCall, at: Span) -> Result<Tree> {
        builtins::check_size(elem, at)?;
        let scalar = elem.scalar();
        // An integer type takes the low bits of a number that it cannot hold.
        let whole = matches!(elem, Elem::Scalar(_)) && scalar.is_int();
        let wraps = whole && it.arguments.args.iter().all(is_plain);
        let want = Some(scalar).filter(|_| !wraps);
        let args = self.arguments(&it.arguments, want)?;
        self.b.span = at;
        builtins::construct(&mut self.b, elem, &args, at).map(Tree::Elem)
    }

    /// A callee that is no plain name.
    fn call_other(&mut self, it: &ExprCall, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let callee = &*it.func;
        let callee_at = self.span(callee);
        match callee {
            // `type(x)(...)`, `wp.static(f)(...)`
            Expr::Call(inner)
                if ["type", "static", "grad"]
                    .iter()
                    .any(|name| self.is_builtin(&inner.func, name)) =>
            {
                self.call_value(it, want, at)
            }
            // `wp.types.vector(length=3, dtype=float)(...)`
            Expr::Call(_) | Expr::Subscript(_) => {
                let text = self.text(callee.range()).to_string();
                match self.frame.scope.get().annotation(&text) {
                    Ok(Pattern::Exact(ty)) => self.call_type(&ty, it, at),
                    Ok(open) if open != Pattern::Any => {
                        let what =
                            format!("{open} is no single type: kernels cannot make values of it");
                        Err(Error::at(Code::Type, callee_at, what)
                            .hint("`type(x)(...)` makes a value of the type that `x` has"))
                    }
                    _ => {
                        let what = format!("`{text}` is neither a function nor a type");
                        Err(Error::at(Code::Type, callee_at, what))
                    }
                }
            }
            // `x.dtype(...)`
            Expr::Attribute(member) if member.attr.as_str() == "dtype" => {
                self.call_value(it, want, at)
            }
            Expr::Attribute(method) => self.call_method(it, method, want, at),
            Expr::Name(_) => self.call_value(it, want, at),
            _ => Err(Error::at(Code::Type, callee_at, "this cannot be called")),
        }
    }

    /// `s.f(x)` and `type(s).f(s, x)`: a function that the class of a struct has.
    fn call_method(
        &mut self,
        it: &ExprCall,
        method: &ExprAttribute,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        let (name, callee_at) = (method.attr.as_str(), self.span(&*it.func));
        // Only its type is asked for.
        let base = self.expr_path(|w| w.expr(&method.value))?.tree;
        let (s, is_value) = match (&base, base.ty()) {
            (Tree::Type(Type::Struct(s)), _) => (*s, false),
            (_, Type::Struct(s)) => (s, true),
            _ => return Err(no_method(name, callee_at)),
        };
        let Some(found) = self.of_class(s, name) else {
            let what = format!("{s} has no function `{name}` that kernels can call");
            return Err(Error::at(Code::Attribute, callee_at, what).hint(format!(
                "write `@wp.func` above `def {name}` in the class, or a function that takes the struct"
            )));
        };
        if !is_value {
            return self.call_found(found, name, it, want, at);
        }
        // The struct is the first argument.
        let mut call = it.clone();
        let args =
            std::iter::once((*method.value).clone()).chain(it.arguments.args.iter().cloned());
        call.arguments.args = args.collect();
        self.call_found(found, name, &call, want, at)
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
                Expr::Starred(it) => {
                    let items = self.unpacked(&it.value, span)?;
                    out.extend(items.into_iter().map(|tree| Arg {
                        name: None,
                        tree,
                        span,
                    }));
                }
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
}

/// Whether an expression is a number or a name, with or without a sign.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::NumberLiteral(_) | Expr::Name(_) | Expr::Attribute(_) => true,
        Expr::UnaryOp(it) => matches!(&*it.operand, Expr::NumberLiteral(_)),
        _ => false,
    }
}
