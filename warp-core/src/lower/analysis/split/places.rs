//! Which statements split rows, for the report of a kernel.

use super::forms::is_comparison;
use super::plan::Split;
use crate::ir::{Block, Func, Kind, Op, Value};
use crate::lower::report::Splits;
use crate::span::Span;
use std::collections::HashSet;

impl Split {
    /// Where rows are split, in the order of the text; `func`: the kernel.
    pub fn places(&self, func: &Func) -> Vec<(Splits, Span)> {
        let mut found = Vec::new();
        self.look(&func.body, &mut found);
        found
    }

    fn look(&self, block: &Block, found: &mut Vec<(Splits, Span)>) {
        for stmt in &block.stmts {
            if let Kind::Let { out, .. } = &stmt.kind
                && let Some(what) = self.what(*out)
                && !found.contains(&(what, stmt.span))
            {
                found.push((what, stmt.span));
            }
            for inner in stmt.kind.blocks() {
                self.look(inner, found);
            }
        }
    }

    /// What a value does to rows.
    fn what(&self, value: Value) -> Option<Splits> {
        if self.held.contains_key(&value) {
            return Some(Splits::Division);
        }
        let forms = &self.forms;
        let compared = self.begin.lets.iter().any(|(out, op, args)| {
            *out == value && is_comparison(*op) && args.iter().any(|a| forms.grows(*a))
        });
        let decides = compared || forms.picks.contains_key(&value);
        decides.then_some(Splits::Condition)
    }
}

/// What a kernel asks of thread indices, and of what all threads share.
#[derive(Debug, Default)]
pub struct Asks {
    /// Whether conditions, or choices between values, depend on them alone.
    pub conditions: bool,
    /// Whether quotients or the lesser of two indices do.
    pub others: bool,
    /// The values that are the same for all threads, and those that depend on thread indices, too.
    shared: HashSet<Value>,
    placed: HashSet<Value>,
}

impl Asks {
    /// Looks at a kernel.
    pub fn of(func: &Func) -> Asks {
        let mut asks = Asks::default();
        asks.look(&func.body);
        asks
    }

    fn look(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                Kind::Let { out, op, args } => self.compute(*out, *op, args),
                Kind::If { cond, .. } => self.conditions |= self.placed.contains(cond),
                _ => {}
            }
            for inner in stmt.kind.blocks() {
                self.look(inner);
            }
        }
    }

    fn compute(&mut self, out: Value, op: Op, args: &[Value]) {
        let placed = |v: &Value| self.placed.contains(v);
        let shared = |v: &Value| self.shared.contains(v);
        match op {
            Op::Tid(_) => {
                self.placed.insert(out);
            }
            Op::Const(_) | Op::Param(..) | Op::Shape(..) => {
                self.shared.insert(out);
            }
            Op::Select if args.first().is_some_and(placed) => self.conditions = true,
            _ if args.is_empty() => {}
            _ if args.iter().all(shared) => {
                self.shared.insert(out);
            }
            _ if args.iter().all(|v| placed(v) || shared(v)) => {
                self.placed.insert(out);
                let divides = matches!(op, Op::Div | Op::FloorDiv | Op::Mod);
                self.others |= divides || matches!(op, Op::Min | Op::Max);
            }
            _ => {}
        }
    }
}
