//! Additions to gradients that often add nothing are skipped where they do.
//!
//! A kernel visits more neighbours than it counts: those beyond its radius leave an `if` with zero, and so does the adjoint of what
//! they were read from. To add that zero would take as long as twenty operations, since other threads may add to the same element.
//! So additions in loops to elements that the iteration has looked up ask first whether there is anything to add.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Block, Const, Func, Kind, Op, ParamId, Stmt, Value};
use crate::span::Span;
use std::collections::{HashMap, HashSet};

/// Puts such additions into `if`s of their own. `gradients`: parameters that are no other's memory.
pub fn skip(func: &mut Func, gradients: &HashSet<ParamId>) {
    let mut pass = Pass {
        gradients,
        zero: vec![false; func.values.len()],
        idle: vec![false; func.values.len()],
        read: vec![false; func.values.len()],
        types: std::mem::take(&mut func.values),
        zeros: HashMap::new(),
        added: Vec::new(),
    };
    for body in func.blocks_mut() {
        pass.zeros.clear();
        pass.block(body, false);
        body.stmts.splice(0..0, pass.added.drain(..));
    }
    func.values = pass.types;
}

struct Pass<'a> {
    gradients: &'a HashSet<ParamId>,
    /// Constants that are 0.0 or -0.0.
    zero: Vec<bool>,
    /// Floats that are zero where some condition does not hold, but for infinities.
    idle: Vec<bool>,
    /// Values that depend on what was read, or on an earlier iteration.
    read: Vec<bool>,
    types: Vec<Scalar>,
    /// A zero of each type, at the top of the function.
    zeros: HashMap<Scalar, Value>,
    added: Vec<Stmt>,
}

impl Pass<'_> {
    fn block(&mut self, block: &mut Block, in_loop: bool) {
        let mut kept: Vec<Stmt> = Vec::with_capacity(block.stmts.len());
        let mut group: Vec<Stmt> = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            if in_loop && self.adds_nothing_often(&stmt.kind) {
                group.push(stmt);
                continue;
            }
            self.close(&mut group, &mut kept);
            let is_loop = matches!(stmt.kind, Kind::For { .. } | Kind::While { .. });
            self.enter(&stmt.kind);
            for inner in stmt.kind.blocks_mut() {
                self.block(inner, in_loop || is_loop);
            }
            self.note(&stmt.kind, in_loop);
            kept.push(stmt);
        }
        self.close(&mut group, &mut kept);
        block.stmts = kept;
    }

    /// Whether a statement adds to an element of a gradient that was looked up, and may add nothing.
    fn adds_nothing_often(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Atomic {
                out: None,
                op: AtomicOp::Add,
                place,
                value,
                log: false,
            } => {
                self.gradients.contains(&place.array)
                    && self.idle[value.0 as usize]
                    && place.index.iter().any(|v| self.read[v.0 as usize])
            }
            _ => false,
        }
    }

    /// Ends a group of additions.
    fn close(&mut self, group: &mut Vec<Stmt>, into: &mut Vec<Stmt>) {
        let Some(span) = group.first().map(|stmt| stmt.span) else {
            return;
        };
        let mut any: Option<Value> = None;
        for stmt in &*group {
            let Kind::Atomic { value, .. } = stmt.kind else {
                unreachable!("only additions are put together");
            };
            let zero = self.zero(self.types[value.0 as usize]);
            let own = self.let_(into, span, Op::Ne, &[value, zero]);
            any = Some(match any {
                Some(any) => self.let_(into, span, Op::Or, &[any, own]),
                None => own,
            });
        }
        let kind = Kind::If {
            cond: any.expect("a group has an addition"),
            then: Block {
                stmts: std::mem::take(group),
                ..Block::default()
            },
            els: Block::default(),
            outs: Vec::new(),
        };
        into.push(Stmt { kind, span });
    }

    fn let_(&mut self, into: &mut Vec<Stmt>, span: Span, op: Op, args: &[Value]) -> Value {
        let out = self.fresh(Scalar::Bool);
        let args = args.iter().copied().collect();
        into.push(Stmt {
            kind: Kind::Let { out, op, args },
            span,
        });
        out
    }

    fn fresh(&mut self, ty: Scalar) -> Value {
        self.types.push(ty);
        for known in [&mut self.zero, &mut self.idle, &mut self.read] {
            known.push(false);
        }
        Value(self.types.len() as u32 - 1)
    }

    fn zero(&mut self, ty: Scalar) -> Value {
        if let Some(known) = self.zeros.get(&ty) {
            return *known;
        }
        let out = self.fresh(ty);
        let op = Op::Const(Const::Float(0.0));
        let args = [].into_iter().collect();
        self.added.push(Stmt {
            kind: Kind::Let { out, op, args },
            span: Span::default(),
        });
        self.zeros.insert(ty, out);
        out
    }

    /// Notes what a loop carries, before its body.
    fn enter(&mut self, kind: &Kind) {
        let carried = match kind {
            Kind::For { body, .. } => vec![&body.params[1..]],
            Kind::While { cond, body, .. } => vec![&cond.params[..], &body.params[..]],
            _ => Vec::new(),
        };
        for value in carried.into_iter().flatten() {
            self.read[value.0 as usize] = true;
        }
    }

    /// Notes what is known of a statement's results. What a condition outside of all loops decides holds for all iterations.
    fn note(&mut self, kind: &Kind, in_loop: bool) {
        let of = |known: &[bool], v: Value| known[v.0 as usize];
        match kind {
            Kind::Let { out, op, args } => {
                let idle = |k: usize| of(&self.idle, args[k]);
                let at = out.0 as usize;
                self.zero[at] = matches!(op, Op::Const(Const::Float(x)) if *x == 0.0);
                self.idle[at] = self.types[at].is_float()
                    && match op {
                        Op::Mul => idle(0) || idle(1),
                        Op::Div | Op::Neg | Op::Cast => idle(0),
                        Op::Add | Op::Sub => idle(0) && idle(1),
                        Op::Select => {
                            let nothing = |k: usize| idle(k) || of(&self.zero, args[k]);
                            (idle(1) || idle(2)) && nothing(1) && nothing(2)
                        }
                        _ => false,
                    };
                self.read[at] = args.iter().any(|v| of(&self.read, *v));
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                let varies = in_loop && of(&self.read, *cond);
                for (k, out) in outs.iter().enumerate() {
                    let sides = [then.results[k], els.results[k]];
                    let [zeros, idle, read] = [&self.zero, &self.idle, &self.read]
                        .map(|known| sides.map(|v| of(known, v)));
                    let at = out.0 as usize;
                    self.zero[at] = zeros == [true; 2];
                    self.idle[at] = varies && zeros[0] != zeros[1] || idle == [true; 2];
                    self.read[at] = read.contains(&true);
                }
            }
            kind => {
                for out in kind.outs() {
                    self.read[out.0 as usize] = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::skip;
    use crate::ir::{ParamId, read};

    /// Whether additions stand in an `if`, in a kernel of a loop with these statements.
    fn skips(iteration: &str) -> bool {
        let text = format!(
            "kernel k(x: array<float32, 1>, at: array<int32, 1>, n: int32, adj_x: array<float32, 1>) {{\n\
             %0:int32 = const 0\n%1:int32 = const 1\n%2:int32 = param n 0\n%3:float32 = const 0.0\n%4:float32 = const 2.0\n\
             %13:bool = lt %2, %1\nif %13 -> (%14:float32) {{\nyield %4\n}} else {{\nyield %3\n}}\n\
             for %5:int32 in range(%0, %2, %1) with () -> () {{\n\
             %6:int32 = load at[%5]\n%7:float32 = load x[%6]\n%8:bool = lt %7, %4\n\
             if %8 -> (%9:float32) {{\nyield %7\n}} else {{\nyield %3\n}}\n{iteration}\nyield\n}}\n}}\n"
        );
        let mut func = read(&text).expect("IR");
        crate::verify::check(&func).expect("a kernel");
        skip(&mut func, &[ParamId(3)].into_iter().collect());
        crate::verify::check(&func).expect("still a kernel");
        func.to_string().matches("if ").count() > 2
    }

    #[test]
    fn additions_of_what_an_if_leaves_at_zero_are_skipped() {
        assert!(skips("atomic add adj_x[%6], %9"));
        assert!(skips(
            "%10:float32 = mul %9, %4\n%11:float32 = neg %10\natomic add adj_x[%6], %9\natomic add adj_x[%6], %11"
        ));
    }

    #[test]
    fn other_additions_stay() {
        for iteration in [
            "atomic add adj_x[%6], %7",
            "atomic add adj_x[%5], %9",
            "%10:float32 = add %9, %4\natomic add adj_x[%6], %10",
            "%10:float32 = atomic add adj_x[%6], %9",
            "atomic add adj_x[%6], %14",
            "atomic max adj_x[%6], %9",
            "atomic add x[%6], %9",
        ] {
            assert!(!skips(iteration), "{iteration}");
        }
    }
}
