//! Loops of a few iterations whose number is known are written out: indices of components become constants, and the
//! adjoint has nothing to record. Where the variable selects components (`selects.rs`) there may be more of them.

use crate::builtins::{Operand, Tree};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::front::control::flow::After;
use crate::front::control::loops::scalars;
use crate::front::control::range::Range;
use crate::front::source::facts;
use crate::front::source::reading::Reading;
use crate::front::walk::{VariableState, Walk};
use crate::ir::Const;
use crate::span::Span;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt, StmtFor};
use ruff_text_size::Ranged;

/// Beyond these a loop stays a loop.
struct Limits {
    /// Iterations of one loop.
    iterations: i128,
    /// Copies of a statement, with the loops around it.
    copies: usize,
    /// Bytes of text that result.
    bytes: usize,
}

const LIMITS: Limits = Limits {
    iterations: 8,
    copies: 64,
    bytes: 2048,
};
/// The most iterations of a loop over a range of `wp.static`.
const MAX_STATIC: i128 = 4096;
/// Of a loop whose variable selects components, all of which each iteration would have to look at: those of a lattice of 27 velocities,
/// say. Who sets `max_unroll` below its default wants fewer.
const SELECTING: Limits = Limits {
    iterations: 32,
    copies: 256,
    bytes: 16384,
};
impl Walk<'_> {
    /// The values of the loop variable, if they are known and few.
    pub fn few_rounds(&self, range: &Range, it: &StmtFor, variable: &str) -> Option<Vec<i64>> {
        let body = &it.body[..];
        let exits = facts::exits(body);
        if exits.breaks
            || exits.returns
            || range.reversed.is_some()
            || self.b.ty(range.start) == Scalar::U64
        {
            return None;
        }
        let known = |value| match self.b.as_const(value) {
            Some(Const::Int(n)) => Some(i128::from(n)),
            _ => None,
        };
        let (start, stop, step) = (known(range.start)?, known(range.stop)?, known(range.step)?);
        let distance = if step > 0 { stop - start } else { start - stop };
        let iterations = (distance + step.abs() - 1) / step.abs().max(1);
        let all = || Some((0..iterations).map(|n| (start + n * step) as i64).collect());
        let most = i128::from(self.reading.max_unroll);
        if iterations > most.max(MAX_STATIC) {
            return None;
        }
        // Whatever results: `wp.static` cannot do without.
        if self.is_seen(variable, body) && (iterations <= most || self.is_static(&it.iter)) {
            return all();
        }
        // A loop that never runs stays one: its body is checked all the same.
        let most_selecting = match most < i128::from(Reading::default().max_unroll) {
            true => most,
            false => most.max(SELECTING.iterations),
        };
        if !(1..=most_selecting).contains(&iterations) || self.is_seen(variable, body) {
            return None;
        }
        let (first, last) = (body.first()?, body.last()?);
        let bytes = (last.end().to_usize()).saturating_sub(first.start().to_usize());
        let fits = |limits: &Limits| {
            iterations <= limits.iterations && {
                let copies = self.copies * iterations as usize;
                copies <= limits.copies && copies * bytes <= limits.bytes
            }
        };
        match iterations <= most && fits(&LIMITS)
            || fits(&SELECTING) && self.selects_components(variable, body)
        {
            true => all(),
            false => None,
        }
    }

    /// Whether an argument of a range is `wp.static(...)`: who writes that wants the loop written out.
    fn is_static(&self, range: &Expr) -> bool {
        let Expr::Call(range) = range else {
            return false;
        };
        let is_static = |arg: &Expr| match arg {
            Expr::Call(call) => self.is_builtin(&call.func, "static"),
            _ => false,
        };
        range.arguments.args.iter().any(is_static)
    }

    /// Whether `wp.static` is given an expression that names the variable.
    fn is_seen(&self, variable: &str, body: &[Stmt]) -> bool {
        let mut statics = Statics {
            walk: self,
            variable,
            depth: 0,
            found: false,
        };
        statics.visit_body(body);
        statics.found
    }

    /// Walks the body once for each value.
    pub fn unrolled(
        &mut self,
        body: &[Stmt],
        slot: usize,
        values: &[i64],
        ty: Scalar,
        at: Span,
    ) -> Result<()> {
        let (mut carried, _) = self.enter_loop(body, Some(slot), None, at)?;
        if let Some(innermost) = self.frame.loops.last_mut() {
            innermost.written_out = true;
        }
        let before = self.frame.env.clone();
        self.copies *= values.len();
        self.frame.written_out.push(slot);
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                // Only what a loop would carry gets into the next iteration.
                let last = std::mem::replace(&mut self.frame.env, before.clone());
                for (slot, _, _) in &carried.slots {
                    self.frame.env[*slot] = last[*slot].clone();
                }
            }
            let iteration =
                carried
                    .slots
                    .iter()
                    .map(|(slot, tree, at)| match &self.frame.env[*slot] {
                        VariableState::Bound(now, at) => (*slot, now.clone(), *at),
                        _ => (*slot, tree.clone(), *at),
                    });
            let iteration = iteration.collect();
            if let Some(innermost) = self.frame.loops.last_mut() {
                innermost.carried = iteration;
            }
            self.b.span = at;
            let value = self.b.constant(ty, Const::Int(*value));
            self.set(slot, Tree::Elem(Operand::scalar(ty, value)), at);
            if self.stmts(body, After::END)? {
                self.check_round()?;
            }
        }
        self.copies /= values.len().max(1);
        self.frame.written_out.pop();
        self.settle_assigned(&carried);
        let mut outs = Vec::with_capacity(carried.init.len());
        for (slot, tree, _) in &mut carried.slots {
            if let VariableState::Bound(end, _) = &self.frame.env[*slot] {
                tree.clone_from(end);
            }
            scalars(tree, &mut outs);
        }
        self.leave_loop(before, &carried, &outs, (body, Some(slot)));
        Ok(())
    }
}

/// Looks for a name within `wp.static(...)`.
struct Statics<'a, 's> {
    walk: &'a Walk<'s>,
    variable: &'a str,
    /// How many of those are around.
    depth: usize,
    found: bool,
}

impl<'a> Visitor<'a> for Statics<'_, '_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) if self.walk.is_builtin(&call.func, "static") => {
                self.depth += 1;
                walk_expr(self, expr);
                self.depth -= 1;
            }
            Expr::Name(name) if self.depth > 0 && name.id.as_str() == self.variable => {
                self.found = true;
            }
            _ => walk_expr(self, expr),
        }
    }
}
