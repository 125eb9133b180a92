//! Kernels: parameters and body.

use crate::builtins::TypedCandidate;
use crate::error::{Code, Error, Result};
use crate::front::call::instance::{Integers, KnownIntegers};
use crate::front::control::flow::After;
use crate::front::data::pointer_based::check_local_addresses;
use crate::front::source;
use crate::front::source::reading::Reading;
use crate::front::source::scope::{Scope, SourceText};
use crate::front::walk::{Frame, ResultType, Routine, ScopeRef, Walk, Widening, Zeroed};
use crate::front::{Built, Failure, Parameter, Signature};
use crate::ir::Builder;
use crate::span::{Source, Span};
use crate::ty::{MAX_NDIM, Pattern, Type};
use ruff_python_ast::{Expr, ParameterWithDefault};
use ruff_text_size::Ranged;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Turns a kernel's text into IR.
///
/// # Errors
/// What is wrong with the text, with the texts that the error's places point into.
pub fn build(text: SourceText, scope: &dyn Scope, reading: Reading) -> Result<Built, Failure> {
    let (source, routine) = read(&text)?;
    let routine = Rc::new(routine);
    let start = || {
        let mut walk = start(&text, scope, source.clone(), Rc::clone(&routine));
        walk.reading = reading;
        walk
    };
    let (built, integers) = walk_whole(&text.name, &start, &KnownIntegers::new())?;
    if !integers.values().any(|it| matches!(it, Integers::Any)) {
        return Ok(built);
    }
    // With what is known now, fewer functions are made. What `wp.static` calls runs again and may fail then: the first walk is
    // a kernel too.
    let again = walk_whole(&text.name, &start, &integers);
    Ok(again.map_or(built, |(built, _)| built))
}

/// Walks the kernel until nothing is lacking that only a walk shows. With what is known of its functions after that.
fn walk_whole<'s>(
    name: &str,
    start: &dyn Fn() -> Walk<'s>,
    integers: &KnownIntegers,
) -> Result<(Built, KnownIntegers), Failure> {
    let (mut zeroed, mut widening) = (Zeroed::new(), Widening::new());
    let mut changed = HashMap::new();
    let mut walks = 0;
    loop {
        walks += 1;
        let mut walk = start();
        walk.integers = integers.clone();
        let routine = Rc::clone(&walk.frame.routine);
        (walk.zeroed, walk.widening, walk.changed) = (zeroed, widening, changed);
        let outcome = walk.signature(name).and_then(|signature| {
            walk.params(&signature)?;
            walk.stmts(&routine.def.body, After::END)?;
            Ok(signature)
        });
        (zeroed, widening, changed) = (walk.zeroed, walk.widening, walk.changed);
        match (outcome, walk.lacking, walk.wider) {
            (Ok(signature), ..) => {
                let func = walk.b.finish();
                let known = &walk.local_addresses;
                let checked = |block| check_local_addresses(known, block);
                if let Err(error) = func.blocks().try_for_each(checked) {
                    return Err(Failure {
                        error,
                        sources: walk.sources,
                    });
                }
                let built = Built {
                    func,
                    sources: walk.sources,
                    signature,
                };
                return Ok((built, walk.integers));
            }
            (Err(_), Some((fork, slot, ty)), _) if adds(&zeroed, fork, slot) => {
                zeroed.entry(fork).or_default().push((slot, ty));
            }
            (Err(_), _, Some((fork, slot, candidates))) if walks < MAX_FORKS => {
                let known = widening.entry((fork, slot)).or_default();
                known.resize(known.len().max(candidates.len()), Vec::new());
                for (known, candidates) in known.iter_mut().zip(candidates) {
                    let new = |new: &TypedCandidate| {
                        !known.iter().any(|k| k.candidate.is_like(&new.candidate))
                    };
                    let new: Vec<TypedCandidate> = candidates.into_iter().filter(new).collect();
                    known.extend(new);
                }
            }
            (Err(error), ..)
                if let Some(place) = walk.change.filter(|_| walks < MAX_FORKS)
                    && !changed.contains_key(&place) =>
            {
                changed.insert(place, error);
            }
            (Err(error), ..) => {
                return Err(Failure {
                    error,
                    sources: walk.sources,
                });
            }
        }
    }
}

/// Whether this variable is a new one, and few enough walks were begun.
fn adds(zeroed: &Zeroed, fork: usize, slot: usize) -> bool {
    let list = zeroed.get(&fork);
    zeroed.len() < MAX_FORKS && list.is_none_or(|list| list.iter().all(|(s, _)| *s != slot))
}

/// Kernels in which more branches and loops leave variables without a value are refused: each is one more walk.
const MAX_FORKS: usize = 100;

/// The parameters of a kernel, without walking its body.
///
/// # Errors
/// As [`build`].
pub fn signature(text: &SourceText, scope: &dyn Scope) -> Result<Signature, Failure> {
    let (source, routine) = read(text)?;
    let mut walk = start(text, scope, source, Rc::new(routine));
    walk.signature(&text.name).map_err(|error| Failure {
        error,
        sources: walk.sources,
    })
}

/// The type of what a function returns whose parameters are declared as those of a kernel.
///
/// # Errors
/// As [`build`].
pub fn result(text: &SourceText, scope: &dyn Scope) -> Result<Type, Failure> {
    let (source, routine) = read(text)?;
    let routine = Rc::new(routine);
    let mut walk = start(text, scope, source, Rc::clone(&routine));
    let outcome = walk.signature(&text.name).and_then(|signature| {
        walk.params(&signature)?;
        walk.frame.result = Some(ResultType::default());
        walk.stmts(&routine.def.body, After::END)
    });
    let found = (walk.frame.result.take()).and_then(|result| result.known);
    match outcome {
        Ok(_) => Ok(found.map_or(Type::None, |(ty, _)| ty)),
        Err(error) => Err(Failure {
            error,
            sources: walk.sources,
        }),
    }
}

fn read(text: &SourceText) -> Result<(Source, Routine), Failure> {
    let source = source::dedent(text);
    match source::parse(&text.name, &source, 0) {
        Ok(def) => Ok((source, Routine::new(def, 0, &[]))),
        Err(error) => Err(Failure {
            error,
            sources: vec![source],
        }),
    }
}

fn start<'s>(
    text: &SourceText,
    scope: &'s dyn Scope,
    source: Source,
    routine: Rc<Routine>,
) -> Walk<'s> {
    Walk {
        b: Builder::new(text.name.as_str()),
        sources: vec![source],
        frame: Frame::new(routine, ScopeRef::Kernel(scope)),
        routines: HashMap::new(),
        instances: HashMap::new(),
        integers: HashMap::new(),
        active: Vec::new(),
        differentiated: Vec::new(),
        plain: false,
        inside: HashMap::new(),
        noted: Vec::new(),
        depth: 0,
        copies: 1,
        reading: Reading::default(),
        functions: Vec::new(),
        slots: 0,
        forks: 0,
        zeroed: Zeroed::new(),
        lacking: None,
        widening: Widening::new(),
        wider: None,
        changed: HashMap::new(),
        change: None,
        local_addresses: HashMap::new(),
        absent: HashSet::new(),
        target_indices: HashMap::new(),
    }
}

impl Walk<'_> {
    fn signature(&mut self, name: &str) -> Result<Signature> {
        let routine = Rc::clone(&self.frame.routine);
        let def = &routine.def;
        if def.is_async {
            return Err(Error::at(
                Code::Syntax,
                self.span(&def.name),
                "a kernel cannot be `async`",
            ));
        }
        let list = &def.parameters;
        if let Some(star) = list.vararg.as_ref().or(list.kwarg.as_ref()) {
            let what = format!("kernel `{name}` takes any number of arguments");
            return Err(
                Error::at(Code::Syntax, self.span(&**star), what).hint("name each parameter")
            );
        }
        if let Some(returns) = def
            .returns
            .as_deref()
            .filter(|r| !matches!(r, Expr::NoneLiteral(_)))
            .filter(|r| {
                let scope = self.frame.scope.get();
                let found = scope.parameter("return", self.text(r.range()));
                !matches!(found, Ok(Pattern::Exact(Type::None)))
            })
        {
            return Err(
                Error::at(Code::Type, self.span(returns), "a kernel returns nothing")
                    .hint("write results to an array; `@wp.func` functions return values"),
            );
        }
        let mut seen: Vec<&str> = Vec::new();
        for param in list.iter_non_variadic_params() {
            let name = param.parameter.name.as_str();
            if seen.contains(&name) {
                let what = format!("two parameters are called `{name}`");
                return Err(Error::at(Code::Syntax, self.span(&param.parameter), what));
            }
            seen.push(name);
        }
        let params = list.iter_non_variadic_params().map(|p| self.parameter(p));
        Ok(Signature {
            name: name.to_string(),
            params: params.collect::<Result<_>>()?,
        })
    }

    fn parameter(&mut self, param: &ParameterWithDefault) -> Result<Parameter> {
        let name = param.parameter.name.as_str();
        let span = self.span(&param.parameter);
        if let Some(default) = param.default.as_deref() {
            let what = format!("parameter `{name}` of a kernel has a default value");
            return Err(Error::at(Code::Syntax, self.span(default), what)
                .hint("a launch gives every argument: leave the default out"));
        }
        let Some(annotation) = &param.parameter.annotation else {
            let what = format!("parameter `{name}` has no type");
            return Err(Error::at(Code::Type, span, what).hint(format!(
                "write `{name}: float`, `{name}: wp.array(dtype=float)` or the like"
            )));
        };
        let at = self.span(&**annotation);
        let declared = self.declared(name, annotation)?;
        let ty = match declared.exact() {
            Some(ty @ (Type::Elem(_) | Type::Struct(_) | Type::Array { .. })) => ty.clone(),
            other => {
                let what = format!("parameter `{name}` of a kernel cannot be {declared}");
                if let Some(Type::Ref(_) | Type::Fixed { .. }) = other {
                    return Err(Error::at(Code::Type, at, what).hint(
                        "such parameters are for `@wp.func`: kernels are passed values and arrays",
                    ));
                }
                return Err(Error::at(Code::Type, at, what).hint(
                    "kernels take scalars, vectors, matrices, quaternions, structs and arrays of them",
                ));
            }
        };
        self.check_type(&ty, at)?;
        if let Type::Array { ndim, .. } = ty
            && !(1..=MAX_NDIM).contains(&usize::from(ndim))
        {
            let what = format!("an array has 1 to {MAX_NDIM} dimensions, not {ndim}");
            return Err(Error::at(Code::Value, at, what));
        }
        Ok(Parameter {
            name: name.to_string(),
            ty,
            span,
        })
    }

    /// Makes the parameters variables.
    fn params(&mut self, signature: &Signature) -> Result<()> {
        for (slot, param) in signature.params.iter().enumerate() {
            let tree = self.param_tree(&param.name, &param.ty, param.span);
            let at: Span = param.span;
            self.bind(slot, tree, at);
        }
        // Behind what is passed, and all at once: a walk that begins anew must find them where they were.
        self.declare_noted();
        Ok(())
    }
}
