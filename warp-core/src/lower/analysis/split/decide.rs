//! Which conditions are decided in the interior, and how.

use super::data::Level;
use super::forms::{Form, Forms, Pick, SHORTEST_ROW, is_comparison};
use crate::dtype::Scalar;
use crate::ir::{Block, Const, Kind, Op, Value};
use crate::lower::options::Options;
use std::collections::HashMap;

/// Under which conditions a thread does anything.
#[derive(Clone, PartialEq, Debug)]
pub enum Works {
    /// Under none.
    Never,
    /// Under all.
    Always,
    /// Where a value is so, under these.
    If(Value, bool, Box<Works>),
    /// Under one of these.
    Any(Vec<Works>),
}

impl Works {
    /// Looks at what a thread does.
    pub fn of(block: &Block, forms: &Forms, options: &Options) -> Works {
        let mut any = Vec::new();
        for stmt in &block.stmts {
            let works = match &stmt.kind {
                Kind::Let { op, out, .. } => {
                    let divides = matches!(op, Op::Div | Op::FloorDiv | Op::Mod);
                    let int = forms.types[out.0 as usize].is_int();
                    match options.check_division && divides && int {
                        true => Works::Always,
                        false => Works::Never,
                    }
                }
                Kind::If {
                    cond, then, els, ..
                } if matches!(forms.of(*cond), Form::Fixed { .. }) && !forms.is_picked(*cond) => {
                    let sides = [then, els].map(|side| Works::of(side, forms, options));
                    // What both sides do is done under no condition.
                    if sides.iter().all(|side| *side == Works::Always) {
                        return Works::Always;
                    }
                    let truths = [true, false].into_iter();
                    let sides = sides
                        .into_iter()
                        .zip(truths)
                        .map(|(works, truth)| match works {
                            Works::Never => Works::Never,
                            works => Works::If(*cond, truth, Box::new(works)),
                        });
                    Works::one_of(sides.collect())
                }
                kind => {
                    let own = kind.effects();
                    let inner = kind.blocks_run().into_iter();
                    let all = inner.fold(own, |all, block| all.and(block.effects()));
                    // What is read may be out of range, which is a fault.
                    match all.is_pure() {
                        true => Works::Never,
                        false => Works::Always,
                    }
                }
            };
            any.push(works);
        }
        Works::one_of(any)
    }

    fn one_of(mut any: Vec<Works>) -> Works {
        any.retain(|works| *works != Works::Never);
        if any.contains(&Works::Always) {
            return Works::Always;
        }
        match any.len() {
            0 => Works::Never,
            1 => any.remove(0),
            _ => Works::Any(any),
        }
    }

    /// What is so wherever a thread does anything.
    fn implied(&self) -> Vec<(Value, bool)> {
        match self {
            Works::Never | Works::Always => Vec::new(),
            Works::If(value, truth, inner) => {
                let mut all = vec![(*value, *truth)];
                all.extend(inner.implied());
                all
            }
            Works::Any(any) => {
                let mut all = any[0].implied();
                for other in &any[1..] {
                    let other = other.implied();
                    all.retain(|one| other.contains(one));
                }
                all
            }
        }
    }

    /// Computes it; None where it always holds.
    pub fn make(&self, forms: &mut Forms) -> Option<Value> {
        match self {
            Works::Never => {
                let none = Op::Const(Const::Bool(false));
                Some(forms.make(Scalar::Bool, none, &[]))
            }
            Works::Always => None,
            Works::If(value, truth, inner) => {
                let own = literal(forms, *value, *truth);
                Some(match inner.make(forms) {
                    Some(inner) => forms.make(Scalar::Bool, Op::And, &[own, inner]),
                    None => own,
                })
            }
            Works::Any(any) => {
                let mut all: Option<Value> = None;
                for works in any {
                    let one = works.make(forms)?;
                    all = Some(match all {
                        Some(all) => forms.make(Scalar::Bool, Op::Or, &[all, one]),
                        None => one,
                    });
                }
                all
            }
        }
    }
}

/// A value, or that it does not hold.
pub fn literal(forms: &mut Forms, value: Value, truth: bool) -> Value {
    match truth {
        true => value,
        false => forms.make(Scalar::Bool, Op::Not, &[value]),
    }
}

/// What is so in the interior.
pub struct Decisions {
    /// As it was decided.
    pub assumed: Vec<(Value, bool)>,
    /// Those of them that do not hold wherever a thread does anything.
    pub borders: Vec<(Value, bool)>,
    known: HashMap<Value, bool>,
}

impl Decisions {
    /// Decides.
    pub fn new(block: &Block, forms: &mut Forms, works: &Works, level: Level) -> Decisions {
        let mut made = Decisions {
            assumed: Vec::new(),
            borders: Vec::new(),
            known: HashMap::new(),
        };
        for (value, truth) in works.implied() {
            if made.truth(forms, value).is_none() {
                made.assume(forms, value, truth);
            }
        }
        if level == Level::Borders {
            let order = forms.order.clone();
            for value in order {
                let Some(pick) = forms.picks.get(&value).copied() else {
                    continue;
                };
                let cond = made.pick(forms, value, pick);
                made.decide(forms, cond, pick.truth);
            }
            made.conditions(block, forms);
        }
        made
    }

    /// Whether selections are made as the forms of values say.
    pub fn agree(&self, forms: &Forms) -> bool {
        let mut picks = forms.picks.values();
        picks.all(|pick| self.truth(forms, pick.cond) == Some(pick.truth))
    }

    /// The condition of a selection, which may have to be made.
    fn pick(&self, forms: &mut Forms, value: Value, pick: Pick) -> Value {
        match pick.made {
            None => pick.cond,
            Some((op, sides)) => {
                let cond = forms.make(Scalar::Bool, op, &sides);
                forms.picks.insert(value, Pick { cond, ..pick });
                cond
            }
        }
    }

    /// Decides the conditions of branches that hold for all threads but those at borders, or for those only.
    fn conditions(&mut self, block: &Block, forms: &Forms) {
        for stmt in &block.stmts {
            if let Kind::If { cond, .. } = &stmt.kind
                && let Form::Fixed { launch: false, .. } = forms.of(*cond)
                && let Some(truth) = forms.expected(*cond)
            {
                self.decide(forms, *cond, truth);
            }
            for inner in stmt.kind.blocks() {
                self.conditions(inner, forms);
            }
        }
    }

    fn decide(&mut self, forms: &Forms, cond: Value, truth: bool) {
        if self.truth(forms, cond).is_none() {
            self.borders.push((cond, truth));
            self.assume(forms, cond, truth);
        }
    }

    fn assume(&mut self, forms: &Forms, value: Value, truth: bool) {
        self.assumed.push((value, truth));
        self.follow(forms, value, truth);
    }

    /// Notes what follows.
    fn follow(&mut self, forms: &Forms, value: Value, truth: bool) {
        self.known.insert(forms.number(value), truth);
        match &forms.ops[value.0 as usize] {
            Some((Op::Not, args)) => self.follow(forms, args[0], !truth),
            Some((Op::And, args)) if truth => {
                args.iter().for_each(|a| self.follow(forms, *a, true));
            }
            Some((Op::Or, args)) if !truth => {
                args.iter().for_each(|a| self.follow(forms, *a, false));
            }
            _ => {}
        }
    }

    /// What a truth value is in the interior, if that is decided.
    pub fn truth(&self, forms: &Forms, value: Value) -> Option<bool> {
        if let Some(known) = self.known.get(&forms.number(value)) {
            return Some(*known);
        }
        if forms.types[value.0 as usize] != Scalar::Bool {
            return None;
        }
        let (op, args) = forms.ops[value.0 as usize].as_ref()?;
        match op {
            Op::Const(Const::Bool(truth)) => Some(*truth),
            Op::Not => self.truth(forms, args[0]).map(|truth| !truth),
            Op::And | Op::Or => {
                let ends = *op == Op::Or;
                match (self.truth(forms, args[0]), self.truth(forms, args[1])) {
                    (Some(a), _) | (_, Some(a)) if a == ends => Some(ends),
                    (Some(_), Some(_)) => Some(!ends),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Forms {
    /// What a condition is for all threads but those at the borders of arrays; None if nobody can say.
    pub fn expected(&self, cond: Value) -> Option<bool> {
        let (op, args) = self.ops[cond.0 as usize].as_ref()?;
        match op {
            Op::Not => self.expected(args[0]).map(|truth| !truth),
            Op::And | Op::Or => {
                let ends = *op == Op::Or;
                let [a, b] = [args[0], args[1]].map(|arg| self.expected(arg));
                match (a, b) {
                    (Some(a), _) | (_, Some(a)) if a == ends => Some(ends),
                    (Some(_), Some(_)) => Some(!ends),
                    _ => None,
                }
            }
            op if is_comparison(*op) && self.types[args[0].0 as usize].is_int() => {
                self.compared(*op, [args[0], args[1]])
            }
            _ => None,
        }
    }

    fn compared(&self, op: Op, [a, b]: [Value; 2]) -> Option<bool> {
        let rises = [self.rise(a, 8)?, self.rise(b, 8)?];
        let (index, bound, less) = match rises {
            [0, 0] => return None,
            [_, 0] => (a, b, matches!(op, Op::Lt | Op::Le)),
            [0, _] => (b, a, matches!(op, Op::Gt | Op::Ge)),
            _ => return None,
        };
        if rises[0] + rises[1] < 0 {
            return None;
        }
        match op {
            Op::Eq => return Some(false),
            Op::Ne => return Some(true),
            _ => {}
        }
        match self.constant(bound) {
            // Near the first thread.
            Some(n) if n < SHORTEST_ROW => Some(!less),
            Some(_) => None,
            // `i < n - 1` is the end of an array. `i < n` may be anything.
            None => (self.is_moved(index) || self.is_moved(bound)).then_some(less),
        }
    }

    /// By how much a value grows with a thread index, any of them; None if nobody can say.
    fn rise(&self, value: Value, depth: u32) -> Option<i64> {
        let (op, args) = self.ops[value.0 as usize].as_ref()?;
        let depth = depth.checked_sub(1)?;
        let of = |k: usize| self.rise(args[k], depth);
        match op {
            Op::Tid(_) => Some(1),
            Op::Const(_) | Op::Param(..) | Op::Shape(..) => Some(0),
            Op::Add => Some(of(0)? + of(1)?),
            Op::Sub if self.remainders.contains_key(&value) => Some(1),
            Op::Sub => Some(of(0)? - of(1)?),
            Op::Cast => of(0),
            Op::Mul => match (of(0)?, of(1)?) {
                (0, 0) => Some(0),
                _ => None,
            },
            // Rows and columns of a flat index.
            Op::Div | Op::FloorDiv | Op::Mod if of(1)? == 0 => Some(of(0)?.signum()),
            _ => None,
        }
    }

    /// Whether a value is another one and a number.
    fn is_moved(&self, value: Value) -> bool {
        match &self.ops[value.0 as usize] {
            Some((Op::Add | Op::Sub, args)) => args.iter().any(|a| self.constant(*a).is_some()),
            _ => false,
        }
    }
}
