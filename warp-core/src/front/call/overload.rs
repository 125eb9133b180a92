//! Functions of one name for different types: which of them a call means.

use crate::builtins::Arg;
use crate::error::{Code, Error, Result};
use crate::front::call::inline::Called;
use crate::front::source::scope::FuncRef;
use crate::front::walk::Walk;
use crate::span::Span;
use crate::ty::{Closeness, Pattern, Type};
use ruff_text_size::Ranged;

/// A parameter as overloads are compared: its name, the types that it admits, whether it has a default value.
pub(in crate::front) type Param = (String, Pattern, bool);

/// How well parameters fit: how many name the argument's type, and how many another one that looks like it.
type Fit = (usize, usize);

impl Walk<'_> {
    /// Calls a function, or the one of its overloads that takes these arguments: the types are compared exactly, and the one
    /// that names most of them wins, then the one that describes most of them (`wp.Float`), then the one that was defined last.
    pub fn call_function(&mut self, func: &FuncRef, args: &[Arg<'_>], at: Span) -> Result<Called> {
        if func.overloads.is_empty() {
            return self.call_one(func, args, at);
        }
        let mut best: Option<(Fit, &FuncRef)> = None;
        let mut accepted = Vec::new();
        for candidate in func.overloads.iter().chain([func]) {
            let params = self.params_of(candidate, at)?;
            if let Some(fit) = matches(&params, args)
                && best.is_none_or(|(most, _)| fit >= most)
            {
                best = Some((fit, candidate));
            }
            accepted.push(describe(&func.source.name, &params));
        }
        if let Some((_, chosen)) = best {
            return self.call_one(chosen, args, at);
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
                    None => Pattern::Any,
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

/// Whether parameters take these arguments, and how well.
fn matches(params: &[Param], args: &[Arg<'_>]) -> Option<Fit> {
    let mut given = vec![false; params.len()];
    let (mut named, mut described) = (0, 0);
    for (n, arg) in args.iter().enumerate() {
        let at = match arg.name {
            None => n,
            Some(name) => params.iter().position(|p| p.0 == name)?,
        };
        let (_, declared, _) = params.get(at)?;
        if std::mem::replace(&mut given[at], true) {
            return None;
        }
        let found = arg.tree.ty();
        match declared {
            Pattern::Exact(Type::Fixed { elem, ndim, .. }) => {
                let (elem, ndim) = (*elem, *ndim);
                if found != (Type::Array { elem, ndim }) {
                    return None;
                }
                named += 1;
            }
            Pattern::Exact(Type::Ref(ty)) if **ty == found => named += 1,
            declared => match declared.closeness(&found)? {
                Closeness::Exact => named += 1,
                Closeness::Like => described += 1,
                Closeness::Any => {}
            },
        }
    }
    let complete = given.iter().zip(params).all(|(given, p)| *given || p.2);
    complete.then_some((named, described))
}

fn describe(name: &str, params: &[Param]) -> String {
    let params = params.iter().map(|(name, ty, _)| format!("{name}: {ty}"));
    format!("{name}({})", params.collect::<Vec<_>>().join(", "))
}
