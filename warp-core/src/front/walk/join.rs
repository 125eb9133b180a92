//! Where two paths of control meet: which values the variables have from there on.

use crate::builtins::{self, Operand, Tree, View};
use crate::front::walk::{Poison, Unset, VariableState, Walk, boolean};
use crate::ir::{Block, Kind, Stmt, Value};
use crate::span::Span;
use crate::ty::{Elem, Type};
use std::rc::Rc;

/// One of two paths: its statements, the variables at its end, whether control gets past its end.
pub(in crate::front) struct Path {
    pub block: Block,
    pub env: Vec<VariableState>,
    pub falls: bool,
}

/// An expression on one of two paths: its statements, its value, and the variables that calls in it changed.
pub(in crate::front) struct ExprPath {
    pub block: Block,
    pub tree: Tree,
    pub updates: Vec<(usize, Tree, Span)>,
}

impl ExprPath {
    /// A value that needs no statements.
    pub fn of(tree: Tree) -> ExprPath {
        ExprPath {
            block: Block::default(),
            tree,
            updates: Vec::new(),
        }
    }
}

/// Values that an `if` hands out: what each block yields.
#[derive(Default)]
struct Yields {
    then: Vec<Value>,
    els: Vec<Value>,
    outs: Vec<Value>,
    /// What the blocks do for that at their ends.
    then_stmts: Vec<Stmt>,
    els_stmts: Vec<Stmt>,
}

impl Walk<'_> {
    /// Emits the `if` and sets the variables to what they are behind it. `last`: nothing follows in
    /// this iteration of the loop or in the function, so only what the next iteration takes over is kept.
    pub fn join(&mut self, cond: Value, then: Path, els: Path, last: bool, at: Span) {
        let flags_from = self.frame.routine.names.len();
        let fork = self.fork();
        let assigned = self.join_assigned(&then, &els, fork);
        let mut yields = Yields::default();
        let mut env = Vec::with_capacity(then.env.len());
        for (slot, (a, b)) in then.env.into_iter().zip(els.env).enumerate() {
            let hidden = slot >= flags_from;
            let result = self.frame.routine.result();
            let read_by_caller = slot == result || self.frame.refs.iter().any(|r| r.0 == slot);
            if self.frame.routine.is_assigned_flag(slot) {
                env.push(VariableState::Unbound);
                continue;
            }
            if last && !read_by_caller && !self.is_carried(slot) {
                env.push(left_behind(a, b, fork));
                continue;
            }
            let falls = [then.falls, els.falls];
            // A flag has a value for the path where it is unbound, and so has a variable that is read later.
            let filled = hidden || self.is_zeroed(fork, slot);
            env.push(self.join_slot(a, b, falls, (filled, fork), &mut yields));
        }
        for (slot, a, b) in assigned {
            if !matches!(env[slot], VariableState::Bound(..)) {
                continue;
            }
            let flag = self.join_value(a, b, &mut yields);
            env[self.frame.routine.assigned(slot)] = VariableState::Bound(boolean(flag), at);
        }
        self.frame.env = env;
        let (mut then, mut els) = (then.block, els.block);
        then.stmts.append(&mut yields.then_stmts);
        els.stmts.append(&mut yields.els_stmts);
        if then.stmts.is_empty() && els.stmts.is_empty() && yields.outs.is_empty() {
            return;
        }
        then.results = yields.then;
        els.results = yields.els;
        self.b.span = at;
        self.b.push(Kind::If {
            cond,
            then,
            els,
            outs: yields.outs,
        });
    }

    /// In debug mode: on each path, whether the variables were assigned that are not certain to be.
    fn join_assigned(
        &mut self,
        then: &Path,
        els: &Path,
        fork: usize,
    ) -> Vec<(usize, Value, Value)> {
        if !self.reading.debug {
            return Vec::new();
        }
        let routine = Rc::clone(&self.frame.routine);
        let mut flags = Vec::new();
        for slot in 0..routine.names.len() {
            let sides = [then, els].map(|path| {
                let flag = match &path.env[routine.assigned(slot)] {
                    VariableState::Bound(Tree::Elem(x), _) => x.as_scalar(),
                    _ => None,
                };
                (matches!(path.env[slot], VariableState::Bound(..)), flag)
            });
            let filled = self.is_zeroed(fork, slot) && sides.iter().any(|side| !side.0);
            if !filled && sides.iter().all(|side| side.1.is_none()) {
                continue;
            }
            let [a, b] = sides.map(|(bound, flag)| flag.unwrap_or_else(|| self.b.bool(bound)));
            flags.push((slot, a, b));
        }
        flags
    }

    /// Whether a variable is zero where a branch or a loop does not set it.
    pub fn is_zeroed(&self, fork: usize, slot: usize) -> bool {
        let zeroed = self.zeroed.get(&fork);
        zeroed.is_some_and(|list| list.iter().any(|(s, _)| *s == slot))
    }

    fn is_carried(&self, slot: usize) -> bool {
        let innermost = self.frame.loops.last();
        innermost.is_some_and(|l| l.carried.iter().any(|c| c.0 == slot))
    }

    fn join_slot(
        &mut self,
        a: VariableState,
        b: VariableState,
        falls: [bool; 2],
        (filled, fork): (bool, usize),
        yields: &mut Yields,
    ) -> VariableState {
        match (a, b) {
            (VariableState::Unbound, VariableState::Unbound) => VariableState::Unbound,
            (VariableState::Bound(x, at_x), VariableState::Bound(y, at_y)) => {
                if same_shape(&x, &y) {
                    let at = if falls[0] || !falls[1] { at_x } else { at_y };
                    return match self.join_tree(&x, &y, yields) {
                        Some(tree) => VariableState::Bound(tree, at),
                        None => VariableState::Poison(Rc::new(Poison::Functions(at_x, at_y))),
                    };
                }
                match falls {
                    [true, false] => self.one_sided((x, at_x, fork), true, false, yields),
                    [false, true] => self.one_sided((y, at_y, fork), false, false, yields),
                    _ => VariableState::Poison(Rc::new(Poison::Types(
                        (x.ty(), at_x),
                        (y.ty(), at_y),
                    ))),
                }
            }
            (VariableState::Bound(x, at), other)
                if falls == [true, false]
                    || (filled && matches!(other, VariableState::Unbound)) =>
            {
                self.one_sided((x, at, fork), true, falls[1], yields)
            }
            (other, VariableState::Bound(y, at))
                if falls == [false, true]
                    || (filled && matches!(other, VariableState::Unbound)) =>
            {
                self.one_sided((y, at, fork), false, falls[0], yields)
            }
            // The path that ends elsewhere has no say.
            (VariableState::Poison(p), _) if falls == [true, false] => VariableState::Poison(p),
            (_, VariableState::Poison(p)) if falls == [false, true] => VariableState::Poison(p),
            (VariableState::Unbound, _) if falls == [true, false] => VariableState::Unbound,
            (_, VariableState::Unbound) if falls == [false, true] => VariableState::Unbound,
            (VariableState::Poison(p), _) | (_, VariableState::Poison(p)) => {
                VariableState::Poison(p)
            }
            (VariableState::Bound(x, at), VariableState::Unbound)
            | (VariableState::Unbound, VariableState::Bound(x, at)) => one_way(&x, at, fork),
        }
    }

    /// A variable that has a value on one path only. Whether it may be read after the other one: `read`.
    fn one_sided(
        &mut self,
        (tree, at, fork): (Tree, Span, usize),
        in_then: bool,
        read: bool,
        yields: &mut Yields,
    ) -> VariableState {
        let other = match read {
            true => self.unset(&tree.ty()),
            false => self.zeros_like(&tree),
        };
        let Some(other) = other else {
            return one_way(&tree, at, fork);
        };
        let joined = match in_then {
            true => self.join_tree(&tree, &other, yields),
            false => self.join_tree(&other, &tree, yields),
        };
        match joined {
            Some(tree) => VariableState::Bound(tree, at),
            None => one_way(&tree, at, fork),
        }
    }

    /// Trees of the same shape as one. None: they hold different functions, or texts.
    fn join_tree(&mut self, x: &Tree, y: &Tree, yields: &mut Yields) -> Option<Tree> {
        match (x, y) {
            (Tree::Elem(x), Tree::Elem(y)) => {
                let pairs = x.parts.iter().zip(&y.parts);
                let parts = pairs
                    .map(|(x, y)| self.join_value(*x, *y, yields))
                    .collect();
                Some(Tree::Elem(Operand {
                    elem: x.elem,
                    parts,
                }))
            }
            (Tree::Tuple(x), Tree::Tuple(y)) => {
                let pairs = x.iter().zip(y.iter());
                pairs
                    .map(|(x, y)| self.join_tree(x, y, yields))
                    .collect::<Option<_>>()
                    .map(Tree::Tuple)
            }
            (Tree::Struct(s, x), Tree::Struct(_, y)) => {
                let pairs = x.iter().zip(y.iter());
                pairs
                    .map(|(x, y)| self.join_tree(x, y, yields))
                    .collect::<Option<_>>()
                    .map(|trees| Tree::Struct(*s, trees))
            }
            (Tree::Array(x), Tree::Array(y)) => Some(Tree::Array(self.join_view(x, y, yields))),
            // A field of a struct that one path leaves without an array.
            (Tree::None, Tree::Array(y)) => {
                let x = self.no_array(y.elem, y.ndim)?;
                Some(Tree::Array(self.join_view(&x, y, yields)))
            }
            (Tree::Array(x), Tree::None) => {
                let y = self.no_array(x.elem, x.ndim)?;
                Some(Tree::Array(self.join_view(x, &y, yields)))
            }
            (x, y) => (x == y).then(|| x.clone()),
        }
    }

    /// The array that is one thing on one path and another on the other.
    fn join_view(&mut self, x: &View, y: &View, yields: &mut Yields) -> View {
        if x == y {
            return x.clone();
        }
        let mut candidates = x.candidates.clone();
        let new = |candidate: &&builtins::Candidate| {
            !x.candidates.iter().any(|known| known.is_like(candidate))
        };
        candidates.extend(y.candidates.iter().filter(new).cloned());
        let which = (candidates.len() > 1).then(|| {
            self.b.open(Vec::new());
            let number_x = x.number_among(&mut self.b, &candidates);
            yields
                .then_stmts
                .append(&mut self.b.close(Vec::new()).stmts);
            self.b.open(Vec::new());
            let number_y = y.number_among(&mut self.b, &candidates);
            yields.els_stmts.append(&mut self.b.close(Vec::new()).stmts);
            self.join_value(number_x, number_y, yields)
        });
        let joined = candidates.iter().map(|candidate| {
            let zeros = candidate.zeroed(&mut self.b).values();
            let [on_x, on_y] = [x, y].map(|view| {
                let known = view
                    .candidates
                    .iter()
                    .find(|known| known.is_like(candidate));
                known.map_or_else(|| zeros.clone(), builtins::Candidate::values)
            });
            let pairs = on_x.into_iter().zip(on_y);
            let values: Vec<Value> = pairs.map(|(x, y)| self.join_value(x, y, yields)).collect();
            candidate.with_values(&mut values.into_iter())
        });
        View {
            candidates: joined.collect(),
            which,
            ..x.clone()
        }
    }

    /// A tree of the same shape with zeros for values; None if there is none.
    fn zeros_like(&mut self, tree: &Tree) -> Option<Tree> {
        match tree {
            Tree::Array(view) => {
                let zeros: Vec<Value> = view
                    .values()
                    .into_iter()
                    .map(|v| self.b.number(self.b.ty(v), 0.0))
                    .collect();
                Some(Tree::Array(view.with_values(&mut zeros.into_iter())))
            }
            Tree::Tuple(items) => {
                let items = items.iter().map(|item| self.zeros_like(item));
                items.collect::<Option<_>>().map(Tree::Tuple)
            }
            Tree::Struct(s, trees) => {
                let trees = trees.iter().map(|tree| self.zeros_like(tree));
                trees
                    .collect::<Option<_>>()
                    .map(|trees| Tree::Struct(*s, trees))
            }
            other => self.zeros(&other.ty()),
        }
    }

    fn join_value(&mut self, x: Value, y: Value, yields: &mut Yields) -> Value {
        if x == y {
            return x;
        }
        let known = yields
            .then
            .iter()
            .zip(&yields.els)
            .position(|(a, b)| (*a, *b) == (x, y));
        if let Some(at) = known {
            return yields.outs[at];
        }
        let out = self.b.fresh(self.b.ty(x));
        yields.then.push(x);
        yields.els.push(y);
        yields.outs.push(out);
        out
    }

    /// Zeros of a type; None if it holds an array.
    pub fn zeros(&mut self, ty: &Type) -> Option<Tree> {
        match ty {
            Type::Elem(elem) => Some(Tree::Elem(self.zero_elem(*elem))),
            Type::Tuple(items) => items
                .iter()
                .map(|t| self.zeros(t))
                .collect::<Option<_>>()
                .map(Tree::Tuple),
            Type::Struct(s) => {
                let fields = s.fields().iter();
                fields
                    .map(|f| self.zeros(&f.ty))
                    .collect::<Option<_>>()
                    .map(|trees| Tree::Struct(*s, trees))
            }
            Type::None => Some(Tree::None),
            Type::Array { .. } | Type::Fixed { .. } | Type::Str | Type::Function | Type::Ref(_) => {
                None
            }
        }
    }

    /// What a variable of a type holds where it was not assigned: zeros, and arrays without elements.
    pub fn unset(&mut self, ty: &Type) -> Option<Tree> {
        match ty {
            Type::Array { elem, ndim } => self.no_array(*elem, *ndim).map(Tree::Array),
            Type::Tuple(items) => {
                let items = items.iter().map(|t| self.unset(t));
                items.collect::<Option<_>>().map(Tree::Tuple)
            }
            Type::Struct(s) => {
                let fields = s.fields().iter().map(|f| self.unset(&f.ty));
                let fields = fields.collect::<Option<_>>();
                fields.map(|trees| Tree::Struct(*s, trees))
            }
            other => self.zeros(other),
        }
    }

    fn zero_elem(&mut self, elem: Elem) -> Operand {
        let zero = self.b.number(elem.scalar(), 0.0);
        Operand {
            elem,
            parts: smallvec::smallvec![zero; elem.count()],
        }
    }

    /// An expression with two paths: `x if cond else y`, `x and y`. The blocks' values must have one shape.
    pub fn join_expr(
        &mut self,
        cond: Value,
        then: ExprPath,
        els: ExprPath,
        at: Span,
    ) -> Option<Tree> {
        let mut yields = Yields::default();
        let joined = self.join_tree(&then.tree, &els.tree, &mut yields)?;
        let mut changed: Vec<(usize, Span)> = Vec::new();
        for (slot, _, at) in then.updates.iter().chain(&els.updates) {
            if changed.iter().all(|(known, _)| known != slot) {
                changed.push((*slot, *at));
            }
        }
        for (slot, at) in changed {
            let VariableState::Bound(before, _) = self.frame.env[slot].clone() else {
                continue;
            };
            let [x, y] = [&then, &els].map(|path| {
                let update = path.updates.iter().find(|(changed, ..)| *changed == slot);
                update.map_or(&before, |(_, now, _)| now)
            });
            let now = self.join_tree(x, y, &mut yields)?;
            self.update(slot, now, at);
        }
        let (mut then, mut els) = (then.block, els.block);
        then.stmts.append(&mut yields.then_stmts);
        els.stmts.append(&mut yields.els_stmts);
        then.results = yields.then;
        els.results = yields.els;
        self.b.span = at;
        self.b.push(Kind::If {
            cond,
            then,
            els,
            outs: yields.outs,
        });
        Some(joined)
    }
}

/// A variable at the end of an iteration which no next one takes over: only its type is kept.
fn left_behind(a: VariableState, b: VariableState, fork: usize) -> VariableState {
    match (a, b) {
        (VariableState::Bound(x, at), _) | (_, VariableState::Bound(x, at)) => {
            one_way(&x, at, fork)
        }
        (VariableState::Poison(p), _) | (_, VariableState::Poison(p)) => VariableState::Poison(p),
        _ => VariableState::Unbound,
    }
}

/// A variable that only one path sets.
fn one_way(tree: &Tree, at: Span, fork: usize) -> VariableState {
    let ty = Some(tree.ty());
    VariableState::Poison(Rc::new(Poison::OneWay(Unset { at, ty, fork })))
}

/// Whether two trees have the same type, arrays and texts included.
pub(in crate::front) fn same_shape(x: &Tree, y: &Tree) -> bool {
    match (x, y) {
        (Tree::Elem(x), Tree::Elem(y)) => x.elem == y.elem,
        (Tree::Tuple(x), Tree::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| same_shape(x, y))
        }
        (Tree::Struct(x, _), Tree::Struct(y, _)) => x == y,
        (Tree::Array(x), Tree::Array(y)) => (x.elem, x.ndim) == (y.elem, y.ndim),
        (Tree::Str(_), Tree::Str(_))
        | (Tree::Function(_), Tree::Function(_))
        | (Tree::None, Tree::None) => true,
        (Tree::Type(x), Tree::Type(y)) => x == y,
        _ => false,
    }
}
