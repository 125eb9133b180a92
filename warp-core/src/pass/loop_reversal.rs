//! Loops of an adjoint run upwards where the order of their iterations does not matter.
//!
//! A reverse runs iterations last to first. Where iterations read nothing that the adjoint writes, and only add to gradients and to sums,
//! any order gives the same but for rounding. Upwards is faster: processors fetch ahead what is read in order, and what stands
//! side by side in memory is a vector without being reversed.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Block, Const, Func, Intrinsic, Kind, Op, ParamId, Slot, Stmt, Value};
use crate::span::Span;
use std::collections::{HashMap, HashSet};

/// Lets loops run upwards. `gradients`: parameters that are no other's memory.
pub fn reverse_loops(func: &mut Func, gradients: &HashSet<ParamId>) {
    let mut pass = Pass {
        gradients,
        ints: HashMap::new(),
        above: HashMap::new(),
        sums: HashMap::new(),
        uses: vec![0; func.values.len()],
        types: std::mem::take(&mut func.values),
        added: Vec::new(),
    };
    for body in func.blocks_mut() {
        pass.look(body);
        pass.block(body);
        body.stmts.splice(0..0, pass.added.drain(..));
    }
    func.values = pass.types;
}

struct Pass<'a> {
    gradients: &'a HashSet<ParamId>,
    /// Constants.
    ints: HashMap<Value, i64>,
    /// Of each value that is the greater of a number and 0: that number.
    above: HashMap<Value, Value>,
    /// Terms of sums.
    sums: HashMap<Value, [Value; 2]>,
    /// How often values are read.
    uses: Vec<u32>,
    types: Vec<Scalar>,
    /// Constants for the top of the function.
    added: Vec<Stmt>,
}

impl Pass<'_> {
    fn look(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.kind.uses(|v| self.uses[v.0 as usize] += 1);
            match &stmt.kind {
                Kind::Let {
                    out,
                    op: Op::Const(Const::Int(n)),
                    ..
                } => {
                    self.ints.insert(*out, *n);
                }
                Kind::Let {
                    out,
                    op: Op::Max,
                    args,
                } if self.ints.get(&args[1]) == Some(&0) => {
                    self.above.insert(*out, args[0]);
                }
                Kind::Let {
                    out,
                    op: Op::Add,
                    args,
                } => {
                    self.sums.insert(*out, [args[0], args[1]]);
                }
                _ => {}
            }
            for inner in stmt.kind.blocks() {
                self.look(inner);
            }
        }
        for result in &block.results {
            self.uses[result.0 as usize] += 1;
        }
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let Kind::For {
                start,
                stop,
                step,
                body,
                ..
            } = &mut stmt.kind
                && [*stop, *step].iter().all(|v| self.ints.get(v) == Some(&-1))
                && let Some(iterations) = self.plus_one(*start)
                && self.has_no_order(body)
            {
                let ty = self.types[start.0 as usize];
                // No iterations below zero.
                let iterations = self.above.get(&iterations).copied().unwrap_or(iterations);
                [*start, *stop, *step] = [self.int(ty, 0), iterations, self.int(ty, 1)];
            }
            for inner in stmt.kind.blocks_mut() {
                self.block(inner);
            }
        }
    }

    /// A value that is greater by one: the number of iterations, of the number of the last iteration.
    fn plus_one(&mut self, value: Value) -> Option<Value> {
        if let Some(n) = self.ints.get(&value) {
            return Some(self.int(self.types[value.0 as usize], n + 1));
        }
        let [a, b] = *self.sums.get(&value)?;
        match [a, b].map(|v| self.ints.get(&v)) {
            [_, Some(-1)] => Some(a),
            [Some(-1), _] => Some(b),
            _ => None,
        }
    }

    fn int(&mut self, ty: Scalar, n: i64) -> Value {
        let out = Value(self.types.len() as u32);
        self.types.push(ty);
        let op = Op::Const(Const::Int(n));
        let args = [].into_iter().collect();
        self.added.push(Stmt {
            kind: Kind::Let { out, op, args },
            span: Span::default(),
        });
        out
    }

    /// Whether iterations may run in any order.
    fn has_no_order(&self, iteration: &Block) -> bool {
        let mut slots = Slots::default();
        let carried = iteration.params[1..].iter().zip(&iteration.results);
        carried.into_iter().all(|(p, r)| self.is_sum(*p, *r))
            && self.only_adds(iteration, &mut slots)
            && slots.recorded == slots.replayed
    }

    /// Whether what a loop carries stays as it is, or has something added to it, of which no iteration reads the sum.
    fn is_sum(&self, param: Value, result: Value) -> bool {
        let once = [param, result].iter().all(|v| self.uses[v.0 as usize] == 1);
        let mut terms = self.sums.get(&result).into_iter().flatten();
        result == param || once && terms.any(|term| *term == param)
    }

    /// Whether a block has no effects but adds to gradients, and reads none of these.
    fn only_adds(&self, block: &Block, slots: &mut Slots) -> bool {
        block.stmts.iter().all(|stmt| match &stmt.kind {
            Kind::Load { place, .. } => !self.gradients.contains(&place.array),
            Kind::Atomic {
                out,
                op,
                place,
                log,
                ..
            } => {
                let unread = out.is_none_or(|v| self.uses[v.0 as usize] == 0);
                let adds = *op == AtomicOp::Add && unread && !log;
                adds && self.gradients.contains(&place.array)
            }
            Kind::Let { .. } => true,
            Kind::Intrinsic { op, .. } => match op {
                Intrinsic::Record(slot) => {
                    slots.recorded.insert(*slot);
                    true
                }
                Intrinsic::Replay(slot) => {
                    slots.replayed.insert(*slot);
                    true
                }
                Intrinsic::Check(_) => true,
                op => op.effects().is_pure(),
            },
            kind @ (Kind::If { .. } | Kind::For { .. } | Kind::While { .. }) => {
                let mut inner = kind.blocks().into_iter();
                inner.all(|b| self.only_adds(b, slots))
            }
            Kind::Call { effects, .. } => effects.is_pure(),
            _ => false,
        })
    }
}

/// What an iteration records and replays: the same, where it leaves nothing to another iteration.
#[derive(Default)]
struct Slots {
    recorded: HashSet<Slot>,
    replayed: HashSet<Slot>,
}

#[cfg(test)]
mod tests {
    use super::reverse_loops;
    use crate::ir::{ParamId, read};

    /// The loop of a kernel with `iteration` in it, `carried` from one to the next: whether it runs upwards.
    fn is_reversed(carried: &str, iteration: &str) -> bool {
        // What is replayed was recorded.
        let before = match iteration.contains("0:1") {
            true => {
                "for %20:int32 in range(%0, %2, %21) with () -> () {\nrecord 0:1 %3\nyield\n}\n"
            }
            false => "",
        };
        let text = format!(
            "kernel k(x: array<float32, 1>, n: int32, adj_x: array<float32, 1>, adj_y: array<float32, 1>) {{\n\
             %0:int32 = const 0\n%1:int32 = const -1\n%2:int32 = param n 0\n%3:float32 = const 1.0\n%21:int32 = const 1\n\
             %4:int32 = max %2, %0\n%5:int32 = add %4, %1\n\
             {before}\
             for %6:int32 in range(%5, %1, %1) with {carried} {{\n{iteration}\n}}\n}}\n"
        );
        let mut func = read(&text).expect("IR");
        crate::verify::check(&func).expect("a kernel");
        reverse_loops(&mut func, &[ParamId(2), ParamId(3)].into_iter().collect());
        crate::verify::check(&func).expect("still a kernel");
        let text = func.to_string();
        let looped = text
            .lines()
            .find(|line| line.trim_start().starts_with("for %6:"));
        looped.is_some_and(|line| line.contains(", %2, %"))
    }

    #[test]
    fn rounds_that_only_add_run_upwards() {
        assert!(is_reversed("() -> ()", "atomic add adj_x[%6], %3\nyield"));
        let read =
            "%7:float32 = load x[%6]\natomic add adj_x[%6], %7\natomic add adj_y[%6], %7\nyield";
        assert!(is_reversed("() -> ()", read));
        let inner = "for %7:int32 in range(%0, %2, %21) with () -> () {\nrecord 0:0 %3\nyield\n}\n\
                     for %8:int32 in range(%0, %2, %21) with () -> () {\n%9:float32 = replay 0:0\nyield\n}\nyield";
        assert!(is_reversed("() -> ()", inner));
        let sum =
            "%8:float32 = load x[%6]\n%9:float32 = add %7, %8\natomic add adj_x[%6], %8\nyield %9";
        assert!(is_reversed("(%7:float32 = %3) -> (%10:float32)", sum));
    }

    #[test]
    fn other_rounds_keep_their_order() {
        for iteration in [
            "x[%6] = %3\nyield",
            "%7:float32 = load adj_y[%6]\natomic add adj_x[%0], %7\nyield",
            "atomic max adj_x[%0], %3\nyield",
            "%7:float32 = atomic add adj_x[%0], %3\natomic add adj_y[%6], %7\nyield",
            "atomic add x[%6], %3\nyield",
            "%7:float32 = replay 0:1\nyield",
            "print \"{}\" %6\nyield",
        ] {
            let iteration = iteration.replace("x[%6] = %3", "store x[%6], %3");
            assert!(!is_reversed("() -> ()", &iteration), "{iteration}");
        }
        let carried = "(%7:float32 = %3) -> (%10:float32)";
        for iteration in [
            "%8:float32 = load x[%6]\n%9:float32 = add %7, %8\natomic add adj_x[%6], %9\nyield %9",
            "%8:float32 = load x[%6]\n%9:float32 = mul %7, %8\nyield %9",
            "%8:float32 = load x[%6]\n%9:float32 = add %7, %8\natomic add adj_x[%6], %7\nyield %9",
        ] {
            assert!(!is_reversed(carried, iteration), "{iteration}");
        }
    }
}
