//! The state of the walk: the IR so far, the function that is walked, its variables.

pub(in crate::front) mod expr;
pub(in crate::front) mod join;
pub(in crate::front) mod kernel;
pub(in crate::front) mod logic;
pub(in crate::front) mod names;
pub(in crate::front) mod stmt;

use crate::builtins::{Tree, TypedCandidate, View};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::call::instance::{Instances, KnownIntegers};
use crate::front::source;
use crate::front::source::facts;
use crate::front::source::reading::Reading;
use crate::front::source::scope::{External, FuncRef, Scope};
use crate::ir::{Builder, Kind, ParamId, Requirement, Value};
use crate::span::{Source, Span};
use crate::stack;
use crate::ty::{Elem, Type};
use ruff_python_ast::StmtFunctionDef;
use ruff_text_size::{Ranged, TextRange};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A function's syntax and what is known of it before it is walked.
pub(in crate::front) struct Routine {
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
    /// `more`: variables besides those that the text shows.
    pub fn new(def: StmtFunctionDef, source: u32, more: &[String]) -> Routine {
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
        more.iter().for_each(|name| add(name));
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
    /// VariableState of the flag that a variable was assigned. Unbound means that it certainly was if it has a value.
    pub fn assigned(&self, slot: usize) -> usize {
        self.names.len() + 2 + slot
    }
    /// Whether this is one of those flags.
    pub fn is_assigned_flag(&self, slot: usize) -> bool {
        (self.names.len() + 2..self.slots()).contains(&slot)
    }
    /// How many there are of all these.
    pub fn slots(&self) -> usize {
        2 * self.names.len() + 2
    }
}

/// What a variable is at one point.
#[derive(Clone)]
pub(in crate::front) enum VariableState {
    /// Not assigned yet.
    Unbound,
    /// Has a value, assigned at a place.
    Bound(Tree, Span),
    /// Has no one value here; an error if it is used.
    Poison(Rc<Poison>),
}

/// Why a variable cannot be used.
pub(in crate::front) enum Poison {
    /// Assigned on one path only.
    OneWay(Unset),
    /// Types differ on two paths.
    Types((Type, Span), (Type, Span)),
    /// Different functions on two paths.
    Functions(Span, Span),
    /// Assigned in the body of a loop, which may not have run.
    Loop(Unset),
    /// A function that a loop assigns.
    LoopFunction(Span),
    /// Something else in the next iteration than before, which is refused where it is read before it is assigned anew.
    Changed(Error),
}

/// A variable that has no value on some path to here.
pub(in crate::front) struct Unset {
    /// Where it was assigned on another path.
    pub at: Span,
    /// What it is there; None: different types.
    pub ty: Option<Type>,
    /// The branch or loop behind which it may have no value.
    pub fork: usize,
}

/// Variables that are read behind a branch or a loop which may not have set them, by the number of the branch or loop in
/// the order of the walk. They are zero on the paths that do not set them. Only reading one shows that it belongs here, so
/// that a walk which meets such a variable begins anew.
pub(in crate::front) type Zeroed = HashMap<usize, Vec<(usize, Type)>>;

/// What the arrays in a variable may be that a loop assigns, by the loop's number and the variable. A loop must know them
/// when it begins, so that a walk which meets another one begins anew.
pub(in crate::front) type Widening = HashMap<(usize, usize), Vec<Vec<TypedCandidate>>>;

/// The loop that is walked.
pub(in crate::front) struct Loop {
    /// Its number, see [`Zeroed`].
    pub fork: usize,
    /// The variable of a `for` loop.
    pub variable: Option<usize>,
    /// VariableState of the flag that `continue` was taken, if one is needed.
    pub skip: Option<usize>,
    /// VariableState of the flag that `break` was taken, if there is a `break`.
    pub stop: Option<usize>,
    /// Variables that an iteration hands to the next, as they were at the start of the iteration, with where they
    /// were assigned before the loop.
    pub carried: Vec<(usize, Tree, Span)>,
    /// Its iterations are written out one after the other: a variable may be another array in each.
    pub written_out: bool,
}

/// Answers for names outside a function.
#[derive(Clone)]
pub(in crate::front) enum ScopeRef<'s> {
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
pub(in crate::front) struct Frame<'s> {
    pub routine: Rc<Routine>,
    pub scope: ScopeRef<'s>,
    /// By slot: names, the two of [`Routine`], flags of the loops that are walked.
    pub env: Vec<VariableState>,
    pub loops: Vec<Loop>,
    /// Variables of the loops that are written out here.
    pub written_out: Vec<usize>,
    /// The expressions that are walked on one path only, innermost last: variables that calls in them changed,
    /// with their values before.
    pub paths: Vec<Vec<(usize, VariableState)>>,
    /// None in a kernel, which returns nothing.
    pub result: Option<ResultType>,
    /// Parameters that the function writes, with the places of their arguments.
    pub refs: Vec<(usize, Span)>,
}

/// What is known of the result of a function.
#[derive(Default)]
pub(in crate::front) struct ResultType {
    /// Type and where it was first seen.
    pub known: Option<(Type, Span)>,
    /// The type is the annotation's: numbers that are returned take it.
    pub declared: bool,
    /// Only types are wanted: loops need not carry the result.
    pub dry: bool,
}

/// An array of structs that hold arrays.
pub(in crate::front) struct Noted {
    /// The first leaf.
    pub array: ParamId,
    /// What it is called.
    pub name: String,
    /// The struct.
    pub elem: Elem,
}

/// The walk.
pub(in crate::front) struct Walk<'s> {
    pub b: Builder,
    pub sources: Vec<Source>,
    pub frame: Frame<'s>,
    /// Functions by id, parsed once.
    pub routines: HashMap<u64, Rc<Routine>>,
    /// Functions that have been walked.
    pub instances: Instances,
    /// Whether functions need to know the integers that they are called with.
    pub integers: KnownIntegers,
    /// Functions that are being walked.
    pub active: Vec<FuncRef>,
    /// Functions whose derivatives are walked: calls of them there are calls like others.
    pub differentiated: Vec<u64>,
    /// Whether nobody asks for derivatives of what is walked.
    pub plain: bool,
    pub depth: u32,
    /// Descriptions of arrays, by the parameter that holds them: the parameter that stands for these arrays.
    pub inside: HashMap<ParamId, ParamId>,
    /// Arrays of structs that hold arrays, whose fields have no such parameter yet.
    pub noted: Vec<Noted>,
    /// How often loops that are written out repeat what is walked.
    pub copies: usize,
    /// How the text is read.
    pub reading: Reading,
    /// Functions that stand for themselves.
    pub functions: Vec<External>,
    /// How many slots for recorded values there are so far.
    pub slots: u32,
    /// Branches and loops so far.
    pub forks: usize,
    /// Variables that branches and loops set to zero.
    pub zeroed: Zeroed,
    /// What `zeroed` lacks: the branch or loop, the variable and its type.
    pub lacking: Option<(usize, usize, Type)>,
    /// Arrays that variables of loops may be, besides those that they are before the loop.
    pub widening: Widening,
    /// Variables that a loop changes into something else, by the loop's number and the variable, and why they cannot be carried
    /// from iteration to iteration. Only a walk shows them, so that it begins anew.
    pub changed: HashMap<(usize, usize), Error>,
    /// What `changed` lacks.
    pub change: Option<(usize, usize)>,
    /// What `widening` lacks: the loop, the variable and what its arrays may be.
    pub wider: Option<(usize, usize, Vec<Vec<TypedCandidate>>)>,
    /// Addresses of local arrays, and what lies there. No statement gives these values: only `wp.array(ptr=...)` takes one.
    pub local_addresses: HashMap<Value, View>,
    /// Local arrays that stand for none: see `Walk::no_array`.
    pub absent: HashSet<ParamId>,
    /// Indices of the target of the assignment at hand that call functions, by place in the tree, once they have values: a target is
    /// looked at more than once, and calls may have effects.
    pub target_indices: HashMap<usize, Option<Vec<(Tree, Span)>>>,
}

/// Deeper nesting of statements, expressions and calls is no kernel that a person wrote; passes recurse as deep.
const MAX_DEPTH: u32 = 2000;
/// Bytes of the stack that are left for one level and for Python's evaluation of what a name or a constant is.
const RESERVE: usize = 256 << 10;
/// More values than this are no kernel that a compiler finishes in reasonable time.
const MAX_VALUES: usize = 2_000_000;

impl<'s> Frame<'s> {
    pub fn new(routine: Rc<Routine>, scope: ScopeRef<'s>) -> Frame<'s> {
        // The second half are the flags of `assigned`.
        let env = vec![VariableState::Unbound; routine.slots()];
        Frame {
            routine,
            scope,
            env,
            loops: Vec::new(),
            written_out: Vec::new(),
            paths: Vec::new(),
            result: None,
            refs: Vec::new(),
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
        let left = stack::left();
        if left < RESERVE {
            let what = format!(
                "this is nested too deeply for the stack of the thread that compiles the kernel: {} KiB of it are left",
                left >> 10
            );
            return Err(Error::at(Code::Runtime, at, what).hint(
                "compile it on the main thread (wp.load_module), or call threading.stack_size(8 << 20) \
                 before the thread is made",
            ));
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

    /// Binds a variable that is assigned here.
    pub fn set(&mut self, slot: usize, tree: Tree, at: Span) {
        let assigned = self.frame.routine.assigned(slot);
        self.frame.env[assigned] = VariableState::Unbound;
        self.bind(slot, tree, at);
    }

    pub fn local(&self, name: &str) -> Option<usize> {
        self.frame.routine.locals.get(name).copied()
    }

    /// The number of the branch or loop that is walked next.
    pub fn fork(&mut self) -> usize {
        self.forks += 1;
        self.forks
    }

    /// The value of a local variable.
    pub fn read(&mut self, slot: usize, at: Span) -> Result<Tree> {
        if self.reading.debug
            && let Some(cond) = self.flag(self.frame.routine.assigned(slot))
        {
            self.b.span = at;
            let what = Requirement::Assigned;
            self.b.push(Kind::require(cond, what));
        }
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
            VariableState::Poison(poison) => {
                let error = poison.error(name, at);
                if let Poison::OneWay(unset) | Poison::Loop(unset) = &**poison
                    && let Some(ty) = unset.ty.clone().filter(can_be_unset)
                {
                    // A value of one iteration of a loop lasts in the next one.
                    let mut loops = self.frame.loops.iter().map(|l| l.fork);
                    let fork = loops.find(|fork| *fork < unset.fork);
                    self.lacking = Some((fork.unwrap_or(unset.fork), slot, ty));
                }
                Err(error)
            }
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
pub(in crate::front) fn boolean(value: Value) -> Tree {
    Tree::Elem(crate::builtins::Operand::scalar(Scalar::Bool, value))
}

impl Poison {
    /// Where the variable was assigned.
    pub fn place(&self, otherwise: Span) -> Span {
        match self {
            Poison::OneWay(unset) | Poison::Loop(unset) => unset.at,
            Poison::LoopFunction(at) => *at,
            Poison::Changed(error) => error.span.unwrap_or(otherwise),
            Poison::Types(_, (_, at)) | Poison::Functions(_, at) => match *at == Span::default() {
                true => otherwise,
                false => *at,
            },
        }
    }

    /// The type of the variable, if it has one.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Poison::OneWay(unset) | Poison::Loop(unset) => unset.ty.clone(),
            _ => None,
        }
    }

    pub fn error(&self, name: &str, at: Span) -> Error {
        let error = |what: String| Error::at(Code::Name, at, what);
        match self {
            Poison::OneWay(unset) => error(format!("variable `{name}` may not be assigned here"))
                .label(unset.at, "assigned only on this path")
                .hint(format!(
                    "give `{name}` a value before the `if`, or in its other branch too"
                )),
            Poison::Types((a, at_a), (b, at_b)) => {
                let what = format!("variable `{name}` is {a} on one path and {b} on another");
                Error::at(Code::Type, at, what)
                    .label(*at_a, format!("{a} here"))
                    .label(*at_b, format!("{b} here"))
                    .hint("a variable has one type: convert one of them, or use two names")
            }
            Poison::Functions(a, b) => {
                let what = format!("variable `{name}` is a different function on each path");
                Error::at(Code::Type, at, what)
                    .label(*a, "one here")
                    .label(*b, "another here")
                    .hint("which one is meant must be known when compiling: call the function inside the branches")
            }
            Poison::Loop(unset) => error(format!(
                "variable `{name}` is not assigned if the loop does not run"
            ))
            .label(unset.at, "assigned in the loop")
            .hint(format!("give `{name}` a value before the loop")),
            Poison::Changed(error) => error.clone(),
            Poison::LoopFunction(assigned) => {
                let what = format!("variable `{name}` is a function that a loop assigns");
                Error::at(Code::Type, at, what)
                    .label(*assigned, "assigned in the loop")
                    .hint("use a name of its own for it inside the loop")
            }
        }
    }
}

/// Whether a variable of a type can be unset: see `Walk::unset`.
pub(in crate::front) fn can_be_unset(ty: &Type) -> bool {
    match ty {
        Type::Elem(_) | Type::None => true,
        Type::Array { elem, .. } => !matches!(elem, Elem::Struct(s) if !s.is_plain()),
        Type::Tuple(items) => items.iter().all(can_be_unset),
        Type::Struct(s) => s.fields().iter().all(|f| can_be_unset(&f.ty)),
        Type::Fixed { .. } | Type::Str | Type::Function | Type::Ref(_) => false,
    }
}
