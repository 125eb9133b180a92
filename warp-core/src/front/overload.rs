//! Functions of one name for different types: which of them a call means.

use crate::builtins::Arg;
use crate::error::{Code, Error, Result};
use crate::front::inline::Called;
use crate::front::scope::FuncRef;
use crate::front::walk::Walk;
use crate::span::Span;
use crate::ty::Type;
use ruff_text_size::Ranged;

/// A parameter as overloads are compared: its name, its type (None: any), whether it has a default value.
pub(super) type Param = (String, Option<Type>, bool);

impl Walk<'_> {
    /// Calls a function, or the one of its overloads that takes these arguments: the types are compared exactly, and the one
    /// that names most of them wins, then the one that was defined last.
    pub fn call_function(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<Called> {
        if func.overloads.is_empty() {
            return self.inline(func, args, at);
        }
        let mut best: Option<(usize, &FuncRef)> = None;
        let mut accepted = Vec::new();
        for candidate in func.overloads.iter().chain([func]) {
            let params = self.params_of(candidate, at)?;
            if let Some(named) = matches(&params, args)
                && best.is_none_or(|(most, _)| named >= most)
            {
                best = Some((named, candidate));
            }
            accepted.push(describe(&func.source.name, &params));
        }
        if let Some((_, chosen)) = best {
            return self.inline(chosen, args, at);
        }
        let types: Vec<String> = args.iter().map(|a| a.tree.ty().to_string()).collect();
        let name = &func.source.name;
        let what = format!(
            "no overload of function `{name}` takes ({})",
            types.join(", ")
        );
        Err(Error::at(Code::Argument, at, what).hint(format!("there are {}", accepted.join("; "))))
    }

    pub fn params_of(&mut self, func: &FuncRef, at: Span) -> Result<Vec<Param>> {
        let routine = self.routine(func, at)?;
        let source = self.sources[routine.source as usize].text.clone();
        let params = routine.def.parameters.iter_non_variadic_params();
        params
            .map(|param| {
                let name = param.parameter.name.as_str();
                let ty = match &param.parameter.annotation {
                    None => None,
                    Some(annotation) => {
                        let range = annotation.range();
                        let text = &source[range.start().to_usize()..range.end().to_usize()];
                        func.scope.parameter(name, text).map_err(|why| {
                            let what = format!(
                                "the annotation of `{name}` of function `{}` names no type of kernels: {why}",
                                func.source.name
                            );
                            Error::at(Code::Type, at, what)
                        })?
                    }
                };
                Ok((name.to_string(), ty, param.default.is_some()))
            })
            .collect()
    }
}

/// Whether parameters take these arguments, and how many of them have exactly the type that is declared.
fn matches(params: &[Param], args: &[Arg<'_>]) -> Option<usize> {
    let mut given = vec![false; params.len()];
    let mut named = 0;
    for (n, arg) in args.iter().enumerate() {
        let at = match arg.name {
            None => n,
            Some(name) => params.iter().position(|p| p.0 == name)?,
        };
        let (_, declared, _) = params.get(at)?;
        if std::mem::replace(&mut given[at], true) {
            return None;
        }
        match declared {
            Some(ty) if *ty == arg.tree.ty() => named += 1,
            Some(Type::Fixed { elem, ndim, .. })
                if arg.tree.ty()
                    == (Type::Array {
                        elem: *elem,
                        ndim: *ndim,
                    }) =>
            {
                named += 1;
            }
            Some(Type::Ref(ty)) if **ty == arg.tree.ty() => named += 1,
            Some(_) => return None,
            None => {}
        }
    }
    let complete = given.iter().zip(params).all(|(given, p)| *given || p.2);
    complete.then_some(named)
}

fn describe(name: &str, params: &[Param]) -> String {
    let params = params.iter().map(|(name, ty, _)| {
        let ty = ty.as_ref().map_or("Any".to_string(), Type::to_string);
        format!("{name}: {ty}")
    });
    format!("{name}({})", params.collect::<Vec<_>>().join(", "))
}
