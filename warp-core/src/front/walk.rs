//! The state of the walk: the IR so far, the function that is walked, its variables.

use crate::builtins::Tree;
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::facts;
use crate::front::scope::{FuncRef, Scope};
use crate::front::source;
use crate::ir::{Builder, Value};
use crate::span::{Source, Span};
use crate::ty::Type;
use ruff_python_ast::StmtFunctionDef;
use ruff_text_size::{Ranged, TextRange};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A function's syntax and what is known of it before it is walked.
pub(super) struct Routine {
    /// Number of its text.
    pub source: u32,
    pub def: StmtFunctionDef,
    /// VariableState of each name that is a parameter or assigned somewhere: Python's locals.
    pub locals: HashMap<String, usize>,
    /// By slot.
    pub names: Vec<String>,
    /// Whether a flag must tell that a `return` was taken.
    pub return_flag: bool,
    pub returns_in_loop: bool,
}

impl Routine {
    pub fn new(def: StmtFunctionDef, source: u32) -> Routine {
        let mut locals = HashMap::new();
        let mut names = Vec::new();
        let mut add = |name: &str| {
            if !locals.contains_key(name) {
                locals.insert(name.to_string(), names.len());
                names.push(name.to_string());
            }
        };
        def.parameters
            .iter_non_variadic_params()
            .for_each(|p| add(p.parameter.name.as_str()));
        facts::assigned(&def.body, &mut |name, change, _| {
            if change == facts::Change::Rebinds {
                add(name);
            }
        });
        let returns_in_loop = facts::returns_in_loop(&def.body);
        let return_flag = returns_in_loop || facts::needs_flag(&def.body, false, |e| e.returns);
        Routine {
            source,
            def,
            locals,
            names,
            return_flag,
            returns_in_loop,
        }
    }

    /// VariableState of the flag that a `return` was taken. Unbound means no.
    pub fn returned(&self) -> usize {
        self.names.len()
    }
    /// VariableState of the value that is returned.
    pub fn result(&self) -> usize {
        self.names.len() + 1
    }
}

/// What a variable is at one point.
#[derive(Clone)]
pub(super) enum VariableState {
    /// Not assigned yet.
    Unbound,
    /// Has a value, assigned at a place.
    Bound(Tree, Span),
    /// Has no one value here; an error if it is used.
    Poison(Rc<Poison>),
}

/// Why a variable cannot be used.
pub(super) enum Poison {
    /// Assigned on one way only.
    OneWay(Span),
    /// Types differ on two ways.
    Types((Type, Span), (Type, Span)),
    /// Different arrays on two ways.
    Arrays(Span, Span),
    /// Assigned in the body of a loop, which may not have run.
    Loop(Span),
    /// An array that a loop assigns.
    LoopArray(Span),
}

/// The loop that is walked.
pub(super) struct Loop {
    /// VariableState of the flag that `continue` was taken, if one is needed.
    pub skip: Option<usize>,
    /// VariableState of the flag that `break` was taken, if there is a `break`.
    pub stop: Option<usize>,
    /// Variables that a round hands to the next, as they were at the start of the round, with where they
    /// were assigned before the loop.
    pub carried: Vec<(usize, Tree, Span)>,
}

/// Answers for names outside a function.
#[derive(Clone)]
pub(super) enum ScopeRef<'s> {
    Kernel(&'s dyn Scope),
    Func(Arc<dyn Scope>),
}

impl ScopeRef<'_> {
    pub fn get(&self) -> &dyn Scope {
        match self {
            ScopeRef::Kernel(scope) => *scope,
            ScopeRef::Func(scope) => &**scope,
        }
    }
}

/// The function that is walked: the kernel, or one that is inlined.
pub(super) struct Frame<'s> {
    pub routine: Rc<Routine>,
    pub scope: ScopeRef<'s>,
    /// By slot: names, the two of [`Routine`], flags of the loops that are walked.
    pub env: Vec<VariableState>,
    pub loops: Vec<Loop>,
    /// The expressions that are walked on one way only, innermost last: variables that calls in them changed,
    /// with their values before.
    pub ways: Vec<Vec<(usize, VariableState)>>,
    /// None in a kernel, which returns nothing.
    pub result: Option<ResultType>,
}

/// What is known of the result of a function.
#[derive(Default)]
pub(super) struct ResultType {
    /// Type and where it was first seen.
    pub known: Option<(Type, Span)>,
    /// The type is the annotation's: numbers that are returned take it.
    pub declared: bool,
    /// Only types are wanted: loops need not carry the result.
    pub dry: bool,
}

/// The walk.
pub(super) struct Walk<'s> {
    pub b: Builder,
    pub sources: Vec<Source>,
    pub frame: Frame<'s>,
    /// Functions by id, parsed once.
    pub routines: HashMap<u64, Rc<Routine>>,
    /// Functions that are being inlined: id, name.
    pub active: Vec<FuncRef>,
    pub depth: u32,
    /// How often loops that are written out repeat what is walked.
    pub copies: usize,
}

/// Deeper nesting of statements, expressions and calls would endanger the stack.
const MAX_DEPTH: u32 = 220;
/// More values than this are no kernel that a compiler finishes in reasonable time.
const MAX_VALUES: usize = 2_000_000;

impl<'s> Frame<'s> {
    pub fn new(routine: Rc<Routine>, scope: ScopeRef<'s>) -> Frame<'s> {
        let env = vec![VariableState::Unbound; routine.names.len() + 2];
        Frame {
            routine,
            scope,
            env,
            loops: Vec::new(),
            ways: Vec::new(),
            result: None,
        }
    }
}

impl Walk<'_> {
    pub fn span(&self, node: &impl Ranged) -> Span {
        source::span(self.frame.routine.source, node.range())
    }

    pub fn text(&self, range: TextRange) -> &str {
        let source = self.sources.get(self.frame.routine.source as usize);
        let text = source.map_or("", |s| s.text.as_str());
        text.get(range.start().to_usize()..range.end().to_usize())
            .unwrap_or("")
    }

    /// Goes one level deeper.
    pub fn nested<T>(&mut self, at: Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            let what = "this is nested too deeply";
            return Err(Error::at(Code::Syntax, at, what)
                .hint("compute parts of it in statements or functions of their own"));
        }
        if self.b.func().values.len() > MAX_VALUES {
            let what = format!("the kernel has grown beyond {MAX_VALUES} operations");
            return Err(Error::at(Code::Syntax, at, what)
                .hint("functions are inlined at each call: use loops instead of many calls, smaller matrices"));
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    pub fn bind(&mut self, slot: usize, tree: Tree, at: Span) {
        self.frame.env[slot] = VariableState::Bound(tree, at);
    }

    pub fn local(&self, name: &str) -> Option<usize> {
        self.frame.routine.locals.get(name).copied()
    }

    /// The value of a local variable.
    pub fn read(&self, slot: usize, at: Span) -> Result<Tree> {
        let name = self
            .frame
            .routine
            .names
            .get(slot)
            .map_or("result", String::as_str);
        match &self.frame.env[slot] {
            VariableState::Bound(tree, _) => Ok(tree.clone()),
            VariableState::Unbound => {
                let what = format!("variable `{name}` is used before it is assigned");
                let hint =
                    "a name that a function assigns anywhere is its own variable everywhere in it";
                Err(Error::at(Code::Name, at, what).hint(hint))
            }
            VariableState::Poison(poison) => Err(poison.error(name, at)),
        }
    }

    /// Whether a flag is set; None: certainly not.
    pub fn flag(&self, slot: usize) -> Option<Value> {
        match &self.frame.env[slot] {
            VariableState::Bound(Tree::Elem(x), _) => x.as_scalar(),
            _ => None,
        }
    }

    pub fn set_flag(&mut self, slot: usize, at: Span) {
        let set = self.b.bool(true);
        self.bind(slot, boolean(set), at);
    }
}

/// A bool as an operand.
pub(super) fn boolean(value: Value) -> Tree {
    Tree::Elem(crate::builtins::Operand::scalar(Scalar::Bool, value))
}

impl Poison {
    /// Where the variable was assigned.
    pub fn place(&self, otherwise: Span) -> Span {
        match self {
            Poison::OneWay(at) | Poison::Loop(at) | Poison::LoopArray(at) => *at,
            Poison::Types(_, (_, at)) | Poison::Arrays(_, at) => match *at == Span::default() {
                true => otherwise,
                false => *at,
            },
        }
    }

    pub fn error(&self, name: &str, at: Span) -> Error {
        let error = |what: String| Error::at(Code::Name, at, what);
        match self {
            Poison::OneWay(assigned) => {
                error(format!("variable `{name}` may not be assigned here"))
                    .label(*assigned, "assigned only on this way")
                    .hint(format!(
                        "give `{name}` a value before the `if`, or in its other branch too"
                    ))
            }
            Poison::Types((a, at_a), (b, at_b)) => {
                let what = format!("variable `{name}` is {a} on one way and {b} on another");
                Error::at(Code::Type, at, what)
                    .label(*at_a, format!("{a} here"))
                    .label(*at_b, format!("{b} here"))
                    .hint("a variable has one type: convert one of them, or use two names")
            }
            Poison::Arrays(a, b) => {
                let what = format!("variable `{name}` is a different array on each way");
                Error::at(Code::Type, at, what)
                    .label(*a, "one array here")
                    .label(*b, "another here")
                    .hint("which array is read must be known when compiling: read the element inside the branches")
            }
            Poison::Loop(assigned) => error(format!(
                "variable `{name}` is not assigned if the loop does not run"
            ))
            .label(*assigned, "assigned in the loop")
            .hint(format!("give `{name}` a value before the loop")),
            Poison::LoopArray(assigned) => {
                let what = format!("variable `{name}` is an array that a loop assigns");
                Error::at(Code::Type, at, what)
                    .label(*assigned, "assigned in the loop")
                    .hint("use a name of its own for the array inside the loop")
            }
        }
    }
}
