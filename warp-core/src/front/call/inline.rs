//! Functions (`@wp.func`): how arguments become parameters, and the walk of a body.

use crate::builtins::{self, Arg, Operand, Tree};
use crate::error::{Code, Error, Result};
use crate::front::control::flow::After;
use crate::front::data::index::count;
use crate::front::source;
use crate::front::source::scope::FuncRef;
use crate::front::walk::{Frame, ResultType, Routine, ScopeRef, VariableState, Walk};
use crate::span::Span;
use crate::ty::{Elem, Pattern, Type};
use ruff_python_ast::{Expr, ParameterWithDefault, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// What a call of a function gives.
pub(in crate::front) struct Called {
    pub result: Tree,
    /// Arguments of `wp.ref` parameters by their places in the text, with their values from now on.
    pub updates: Vec<(Span, Tree)>,
}

impl Walk<'_> {
    /// Walks a function with these arguments.
    pub fn inline(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<Called> {
        self.within(func, at, |w| {
            w.bind_args(func, args, at)?;
            w.call_shared(func, at)
        })
    }

    /// Does something in the frame of a function.
    pub fn within<T>(
        &mut self,
        func: &FuncRef,
        at: Span,
        walk: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let name = &func.source.name;
        if let Some(first) = self.active.iter().position(|f| f.id == func.id) {
            let mut path: Vec<&str> = self.active[first..]
                .iter()
                .map(|f| f.source.name.as_str())
                .collect();
            path.push(name);
            let what = match path.len() {
                2 => format!("function `{name}` calls itself"),
                _ => format!("function `{name}` calls itself: {}", path.join(" -> ")),
            };
            return Err(Error::at(Code::Recursion, at, what)
                .hint("functions are inlined, so recursion would never end: write a loop"));
        }
        let routine = self.routine(func, at)?;
        self.nested(at, |w| {
            let scope = ScopeRef::Func(func.scope.clone());
            let mut frame = Frame::new(Rc::clone(&routine), scope);
            frame.result = Some(ResultType::default());
            let outer = std::mem::replace(&mut w.frame, frame);
            w.active.push(func.clone());
            let result = walk(w);
            w.active.pop();
            w.frame = outer;
            // Spans of the mistake may lie in the function's text: say who called it.
            result.map_err(|e| match e.span {
                Some(span) if span.source != w.frame.routine.source => {
                    e.label(at, format!("`{name}` is called here"))
                }
                _ => e,
            })
        })
    }

    /// Walks the body; what the call gives.
    pub fn called(&mut self, func: &FuncRef, at: Span) -> Result<Called> {
        let result = self.body(func)?;
        let refs = self.frame.refs.clone();
        let updates = refs
            .into_iter()
            .map(|(slot, place)| Ok((place, self.read(slot, at)?)));
        let updates = updates.collect::<Result<_>>()?;
        Ok(Called { result, updates })
    }

    /// The syntax of a function, parsed once.
    pub fn routine(&mut self, func: &FuncRef, at: Span) -> Result<Rc<Routine>> {
        if let Some(known) = self.routines.get(&func.id) {
            return Ok(Rc::clone(known));
        }
        let (def, number) = self.parsed(func, at)?;
        let routine = Rc::new(Routine::new(def, number, &[]));
        self.routines.insert(func.id, Rc::clone(&routine));
        Ok(routine)
    }

    /// The syntax tree of a function, and the number of its text.
    pub fn parsed(&mut self, func: &FuncRef, at: Span) -> Result<(StmtFunctionDef, u32)> {
        let number = self.sources.len() as u32;
        let text = source::dedent(&func.source);
        let parsed = source::parse(&func.source.name, &text, number);
        self.sources.push(text);
        let called = format!("`{}` is called here", func.source.name);
        Ok((parsed.map_err(|e| e.label(at, called))?, number))
    }

    /// Gives the parameters their values.
    pub fn bind_args(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<()> {
        let name = &func.source.name;
        let routine = Rc::clone(&self.frame.routine);
        let def = &routine.def.parameters;
        if let Some(star) = def.vararg.as_ref().or(def.kwarg.as_ref()) {
            let what = format!("function `{name}` takes any number of arguments");
            return Err(
                Error::at(Code::Syntax, self.span(&**star), what).hint("name each parameter")
            );
        }
        let positional = def.posonlyargs.len() + def.args.len();
        let params: Vec<&ParameterWithDefault> = def.iter_non_variadic_params().collect();
        let mut given: Vec<Option<&Arg<'_>>> = vec![None; params.len()];
        for (n, arg) in args.iter().enumerate() {
            let index = match arg.name {
                None if n < positional => n,
                None => {
                    let what = format!(
                        "function `{name}` takes {}, {} given",
                        count(positional, "argument"),
                        args.len()
                    );
                    return Err(Error::at(Code::Argument, at, what)
                        .label(self.span(&def.range), "its parameters"));
                }
                Some(key) => {
                    let named = params.iter().position(|p| p.parameter.name.as_str() == key);
                    named.ok_or_else(|| {
                        let what = format!("function `{name}` has no parameter `{key}`");
                        Error::at(Code::Argument, arg.span, what)
                            .label(self.span(&def.range), "its parameters")
                    })?
                }
            };
            if given[index].is_some() {
                let what = format!(
                    "function `{name}` gets its parameter `{}` twice",
                    params[index].parameter.name
                );
                return Err(Error::at(Code::Argument, arg.span, what));
            }
            given[index] = Some(arg);
        }
        for (param, arg) in params.into_iter().zip(given) {
            self.bind_arg(func, param, arg, at)?;
        }
        Ok(())
    }

    fn bind_arg(
        &mut self,
        func: &FuncRef,
        param: &ParameterWithDefault,
        arg: Option<&Arg<'_>>,
        at: Span,
    ) -> Result<()> {
        let name = param.parameter.name.as_str();
        let param_at = self.span(&param.parameter);
        let declared = match &param.parameter.annotation {
            Some(annotation) => self.declared(name, annotation)?,
            None => Pattern::Any,
        };
        let (tree, from) = match arg {
            Some(arg) => (arg.tree.clone(), arg.span),
            None => match &param.default {
                Some(default) => (
                    self.default_value(func, name, default, declared.exact())?,
                    param_at,
                ),
                None => {
                    let what = format!(
                        "function `{}` is called without its argument `{name}`",
                        func.source.name
                    );
                    return Err(
                        Error::at(Code::Argument, at, what).label(param_at, "this parameter")
                    );
                }
            },
        };
        let (declared, written) = match declared {
            Pattern::Exact(Type::Ref(ty)) => (Pattern::Exact(ty.as_ref().clone()), true),
            Pattern::Exact(fixed @ Type::Fixed { elem, ndim, shape }) => {
                let found = match &tree {
                    Tree::Array(view) if view.elem == elem => self.whole_local(view),
                    _ => None,
                };
                if found.as_deref() != Some(&shape[..ndim as usize]) {
                    let what = format!(
                        "argument `{name}` of function `{}` is no local array of this shape, declared is {fixed}",
                        func.source.name
                    );
                    return Err(Error::at(Code::Type, from, what)
                        .label(param_at, format!("declared as {fixed}"))
                        .hint("wp.zeros(shape, dtype) in the kernel makes one; `array(dtype=...)` takes any array"));
                }
                (Pattern::Exact(Type::Array { elem, ndim }), false)
            }
            other => (other, false),
        };
        let found = tree.ty();
        if !declared.admits(&found) {
            let what = format!(
                "argument `{name}` of function `{}` is {found}, declared is {declared}",
                func.source.name
            );
            return Err(Error::at(Code::Type, from, what)
                .label(param_at, format!("declared as {declared}"))
                .hint(fitting(&found, &declared)));
        }
        let tree = match declared.exact() {
            Some(_) => self.typed_tree(tree),
            None => tree,
        };
        if let Some(slot) = self.local(name) {
            self.bind(slot, tree, param_at);
            if written && arg.is_some() {
                self.frame.refs.push((slot, from));
            }
        }
        Ok(())
    }

    /// A number that has met a type: it is what the type can hold.
    fn typed_tree(&mut self, tree: Tree) -> Tree {
        match &tree {
            Tree::Elem(x) => match x.as_scalar().and_then(|v| self.b.full_value(v)) {
                Some(full) => {
                    let scalar = x.elem.scalar();
                    let value = self.b.number(scalar, full);
                    Tree::Elem(Operand::scalar(scalar, value))
                }
                None => tree,
            },
            _ => tree,
        }
    }

    /// The types that an annotation of a parameter admits.
    pub fn declared(&mut self, name: &str, annotation: &Expr) -> Result<Pattern> {
        let text = self.text(annotation.range()).to_string();
        let scope = self.frame.scope.clone();
        scope.get().parameter(name, &text).map_err(|why| {
            let what = format!("the annotation of `{name}` names no type of kernels: {why}");
            Error::at(Code::Type, self.span(annotation), what)
                .hint("for example int, float, wp.vec3, wp.array(dtype=float)")
        })
    }

    fn default_value(
        &mut self,
        func: &FuncRef,
        name: &str,
        default: &Expr,
        declared: Option<&Type>,
    ) -> Result<Tree> {
        let at = self.span(default);
        let want = match declared {
            Some(Type::Elem(elem)) => Some(elem.scalar()),
            _ => None,
        };
        let found = match func.scope.default(name) {
            Some(found) => found,
            None if self.is_number(default) => return self.expr_as(default, want),
            None => func
                .scope
                .eval_static(self.text(default.range()), &[])
                .map_err(|why| {
                    let what = format!("the default value of `{name}` cannot be evaluated: {why}");
                    Error::at(Code::Value, at, what)
                })?,
        };
        self.constant(found, name, want, at)
    }

    /// Walks the body of the function whose frame is in force.
    fn body(&mut self, func: &FuncRef) -> Result<Tree> {
        let routine = Rc::clone(&self.frame.routine);
        if let Some(returns) = &routine.def.returns {
            // What cannot be read here (`tuple[...]` of somebody's own) is left to the values.
            let text = self.text(returns.range()).to_string();
            let known = self
                .frame
                .scope
                .get()
                .parameter("return", &text)
                .ok()
                .and_then(|pattern| pattern.exact().cloned());
            let at = self.span(&**returns);
            if let Some(result) = &mut self.frame.result {
                result.declared = known.is_some();
                result.known = known.map(|ty| (ty, at));
            }
        }
        let unknown = self
            .frame
            .result
            .as_ref()
            .is_some_and(|r| r.known.is_none());
        if routine.returns_in_loop && unknown {
            self.find_result(&routine)?;
        }
        let falls = self.stmts(&routine.def.body, After::END)?;
        self.take_result(func, falls)
    }

    /// Loops carry the result, so its type must be known before: found by walking the body once for nothing.
    fn find_result(&mut self, routine: &Rc<Routine>) -> Result<()> {
        let before = self.frame.env.clone();
        if let Some(result) = &mut self.frame.result {
            result.dry = true;
        }
        self.b.open(Vec::new());
        let outcome = self.stmts(&routine.def.body, After::END);
        self.b.close(Vec::new());
        self.frame.env = before;
        if let Some(result) = &mut self.frame.result {
            result.dry = false;
        }
        outcome.map(|_| ())
    }

    fn take_result(&mut self, func: &FuncRef, falls: bool) -> Result<Tree> {
        let routine = Rc::clone(&self.frame.routine);
        let known = self.frame.result.as_ref().and_then(|r| r.known.clone());
        let Some((ty, first)) = known.filter(|(ty, _)| *ty != Type::None) else {
            return Ok(Tree::None);
        };
        let name = &func.source.name;
        let name_at = self.span(&routine.def.name);
        let result = std::mem::replace(
            &mut self.frame.env[routine.result()],
            VariableState::Unbound,
        );
        match result {
            // On paths that return nothing it is zero.
            VariableState::Bound(tree, _) => return Ok(tree),
            VariableState::Poison(poison) if !falls => return Err(poison.error("result", first)),
            _ => {}
        }
        let what = format!("function `{name}` does not return {ty} on every path through it");
        Err(Error::at(Code::Type, name_at, what)
            .label(first, format!("{ty} here"))
            .hint("end it with a `return`"))
    }

    /// `return value`.
    pub fn return_value(&mut self, value: Option<&Expr>, at: Span) -> Result<()> {
        let tree = match value {
            Some(Expr::NoneLiteral(_)) | None => Tree::None,
            Some(value) => {
                if self.frame.result.is_none() {
                    let what = "a kernel returns nothing";
                    return Err(Error::at(Code::Type, self.span(value), what)
                        .hint("write results to an array; `@wp.func` functions return values"));
                }
                let declared = self.frame.result.as_ref().filter(|r| r.declared);
                let want = match declared.and_then(|r| r.known.as_ref()) {
                    Some((Type::Elem(elem), _)) if self.is_number(value) => Some(elem.scalar()),
                    _ => None,
                };
                self.expr_as(value, want)?
            }
        };
        self.b.span = at;
        let routine = Rc::clone(&self.frame.routine);
        if let Some(result) = &mut self.frame.result {
            let ty = tree.ty();
            match &result.known {
                None => result.known = Some((ty, at)),
                Some((known, first)) if *known != ty => {
                    let what = format!(
                        "function `{}` returns {known} and here {ty}",
                        routine.def.name
                    );
                    return Err(Error::at(Code::Type, at, what)
                        .label(*first, format!("{known} here"))
                        .hint(conversion(&ty, known)));
                }
                Some(_) => {}
            }
            self.bind(routine.result(), tree, at);
        }
        if routine.return_flag {
            self.set_flag(routine.returned(), at);
        }
        self.forget_round();
        Ok(())
    }
}

/// How to make a type one that is admitted.
pub(in crate::front) fn fitting(found: &Type, wanted: &Pattern) -> String {
    match wanted.exact() {
        Some(wanted) => conversion(found, wanted),
        None => format!("a type that is {wanted} is wanted"),
    }
}

/// How to make one type of another.
pub(in crate::front) fn conversion(found: &Type, wanted: &Type) -> String {
    match (found, wanted) {
        (Type::Elem(a), Type::Elem(b)) if a.with_scalar(b.scalar()) == *b => {
            let what = match a {
                Elem::Scalar(_) => format!("`wp.{}(...)`", b.scalar()),
                _ => format!("a value with components of {}", b.scalar()),
            };
            format!("types are never converted silently: write {what}")
        }
        (_, Type::Array { .. }) => format!("an {wanted} is wanted"),
        (Type::Array { ndim, .. }, Type::Elem(_)) => builtins::element_of(*ndim),
        (Type::Tuple(_) | Type::Elem(Elem::Scalar(_)), Type::Elem(elem))
            if !matches!(elem, Elem::Scalar(_) | Elem::Struct(_)) =>
        {
            format!("`{}(...)` makes one of numbers", builtins::written(*elem))
        }
        _ => format!("a {wanted} is wanted"),
    }
}
