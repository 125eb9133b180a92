//! Calls: builtins, constructors and casts, `wp.static`, functions that are inlined.

pub(in crate::front) mod custom;
pub(in crate::front) mod gradient;
pub(in crate::front) mod inline;
pub(in crate::front) mod instance;
pub(in crate::front) mod operators;
pub(in crate::front) mod overload;
pub(in crate::front) mod shared;
pub(in crate::front) mod unpack;
pub(in crate::front) mod update;

use crate::builtins::{self, Arg, Operand, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::update::Changer;
use crate::front::source::scope::External;
use crate::front::walk::join::{ExprWay, same_shape};
use crate::front::walk::names::not_supported;
use crate::front::walk::{VariableState, Walk, boolean};
use crate::ir::Const;
use crate::span::Span;
use crate::ty::{Elem, Pattern, Type};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr, ExprAttribute, ExprCall, ExprName, Keyword, Parameter};
use ruff_text_size::{Ranged, TextRange};

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
                let called = self.call_function(&func, &args, at)?;
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
                Err(Error::at(Code::Type, callee_at, what).hint(instead_of(name)))
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
            "range" | "reversed" => {
                let what = format!("`{builtin}` stands in the head of a `for` loop only");
                return Err(Error::at(Code::Syntax, at, what).hint("for i in range(n):"));
            }
            "zeros" => return self.zeros_call(&it.arguments, at),
            "array" => return self.array_call(&it.arguments, at),
            "address_of" => return self.address_call(&it.arguments, at),
            "type" => return self.type_of(&it.arguments, at),
            "grad" => return self.gradient_of(&it.arguments, at),
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
                .join_expr(test, ExprWay::of(x.clone()), ExprWay::of(y.clone()), at)
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
        let tree = self.expr_way(|w| w.expr(value))?.tree;
        Ok(Tree::Type(tree.ty()))
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
        let base = self.expr_way(|w| w.expr(&method.value))?.tree;
        let (s, is_value) = match (&base, base.ty()) {
            (Tree::Type(Type::Struct(s)), _) => (*s, false),
            (_, Type::Struct(s)) => (s, true),
            _ => return Err(no_method(name, callee_at)),
        };
        let Some(found) = self.of_class(s, name) else {
            return Err(no_method(name, callee_at));
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

    /// `wp.static(expr)`: Python evaluates the text.
    fn static_value(&mut self, args: &Arguments, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let ([expr], []) = (&args.args[..], &args.keywords[..]) else {
            return Err(
                Error::at(Code::Argument, at, "`static` takes one expression")
                    .hint("wp.static(expression)"),
            );
        };
        let text = self.with_lengths(expr);
        // Lines of an expression in brackets need brackets when they stand alone.
        let text = if text.contains('\n') {
            format!("({text})")
        } else {
            text
        };
        let names = self.frame.routine.names.iter().zip(&self.frame.env);
        let known = names.filter_map(|(name, state)| match state {
            VariableState::Bound(Tree::Elem(x), _) => {
                Some((name.as_str(), self.b.as_const(x.as_scalar()?)?))
            }
            _ => None,
        });
        let known: Vec<(&str, Const)> = known.collect();
        let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
        if let Some((name, at)) = (self.loop_variable(expr)).filter(|(name, _)| !is_known(name)) {
            let what = format!(
                "`static({text})` cannot be evaluated: `{name}` is the variable of a loop that is not written out"
            );
            return Err(Error::at(Code::Value, at, what).hint(self.when_static()));
        }
        match self.frame.scope.get().eval_static(&text, &known) {
            Ok(found) => self.constant(found, &format!("static({text})"), want, at),
            Err(why) => {
                let what = format!("`static({text})` cannot be evaluated: {why}");
                Err(Error::at(Code::Value, self.span(expr), what).hint(self.when_static()))
            }
        }
    }

    /// The text of an expression with numbers in the place of `len(v)` and `len(a.dtype)`, where `v` is a vector or its like and
    /// `a` an array of them.
    fn with_lengths(&self, expr: &Expr) -> String {
        struct Lengths<'w, 's>(&'w Walk<'s>, Vec<(TextRange, u32)>);
        impl<'e> Visitor<'e> for Lengths<'_, '_> {
            fn visit_expr(&mut self, expr: &'e Expr) {
                match self.0.length(expr) {
                    Some(length) => self.1.push((expr.range(), length)),
                    None => walk_expr(self, expr),
                }
            }
        }
        let mut lengths = Lengths(self, Vec::new());
        lengths.visit_expr(expr);
        let start = expr.range().start().to_usize();
        let mut text = self.text(expr.range()).to_string();
        for (range, length) in lengths.1.into_iter().rev() {
            let place = range.start().to_usize() - start..range.end().to_usize() - start;
            text.replace_range(place, &length.to_string());
        }
        text
    }

    fn length(&self, expr: &Expr) -> Option<u32> {
        let Expr::Call(call) = expr else { return None };
        let (Expr::Name(name), [of], []) = (
            &*call.func,
            &call.arguments.args[..],
            &call.arguments.keywords[..],
        ) else {
            return None;
        };
        let (of, is_dtype) = match of {
            Expr::Attribute(it) if &it.attr == "dtype" => (&*it.value, true),
            of => (of, false),
        };
        let Expr::Name(of) = of else { return None };
        if name.id.as_str() != "len" || self.local("len").is_some() {
            return None;
        }
        let VariableState::Bound(tree, _) = &self.frame.env[self.local(of.id.as_str())?] else {
            return None;
        };
        let elem = match (tree, is_dtype) {
            (Tree::Elem(x), false) => x.elem,
            (Tree::Array(view), true) => view.elem,
            (Tree::Tuple(items), false) => return u32::try_from(items.len()).ok(),
            _ => return None,
        };
        match elem {
            Elem::Vec { len, .. } => Some(len),
            Elem::Mat { rows, .. } => Some(rows),
            Elem::Quat(_) => Some(4),
            Elem::Transform(_) => Some(7),
            Elem::Scalar(_) | Elem::Struct(_) => None,
        }
    }

    #[cold]
    fn when_static(&self) -> String {
        format!(
            "it is evaluated in Python when the kernel is built: variables of the kernel are not known then, but those that hold a constant, and those of loops of up to {} rounds (wp.config.max_unroll) over a constant range, or of any number over `range(wp.static(n))`, without `break` and `return`",
            self.reading.max_unroll
        )
    }

    /// A name in an expression of `wp.static` that is the variable of a loop around, and no name of the expression's own.
    fn loop_variable<'e>(&self, expr: &'e Expr) -> Option<(&'e str, Span)> {
        struct Names<'e>(Vec<&'e ExprName>, Vec<&'e str>);
        impl<'e> Visitor<'e> for Names<'e> {
            fn visit_expr(&mut self, expr: &'e Expr) {
                match expr {
                    Expr::Name(name) if name.ctx.is_load() => self.0.push(name),
                    Expr::Name(name) => self.1.push(name.id.as_str()),
                    _ => walk_expr(self, expr),
                }
            }
            fn visit_parameter(&mut self, parameter: &'e Parameter) {
                self.1.push(parameter.name.as_str());
            }
        }
        let mut names = Names(Vec::new(), Vec::new());
        names.visit_expr(expr);
        let Names(names, own) = names;
        let names = names.into_iter().filter(|n| !own.contains(&n.id.as_str()));
        let mut variables = names.filter(|name| {
            let slot = self.local(name.id.as_str());
            slot.is_some() && self.frame.loops.iter().any(|l| l.variable == slot)
        });
        variables.next().map(|n| (n.id.as_str(), self.span(n)))
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

/// What to call in place of a Python function.
#[cold]
fn instead_of(path: &str) -> String {
    let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
    match name {
        "ones" | "empty" | "full" if module == "wp" || module == "warp" => {
            "`wp.zeros(shape, dtype)` makes a local array; other arrays are made before the launch and passed".into()
        }
        _ if builtins::find(name).is_some() => format!("the builtin of kernels is `wp.{name}`"),
        _ => "kernels call builtins of `wp`, types, and functions with `@wp.func`".into(),
    }
}
