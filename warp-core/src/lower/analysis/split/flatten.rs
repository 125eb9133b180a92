//! Conditions as operations on truth values, and choices between indices as selections: what `and`, `or` and short branches make
//! of a kernel's text are statements whose sides only compute.

use crate::dtype::Scalar;
use crate::ir::{Block, Const, Func, Kind, Op, Stmt, Value, Values};
use crate::lower::analysis::work;

/// Cycles of a side that is computed for all threads.
const CHEAP: u64 = 16;

/// Replaces each `if` that only chooses between integers or truth values by the operations that do.
pub fn flatten(func: &mut Func) {
    let mut flat = Flatten {
        types: std::mem::take(&mut func.values),
        constants: Vec::new(),
    };
    flat.constants.resize(flat.types.len(), None);
    flat.block(&mut func.body);
    func.values = flat.types;
}

struct Flatten {
    types: Vec<Scalar>,
    /// Truth values that are constants.
    constants: Vec<Option<bool>>,
}

impl Flatten {
    fn block(&mut self, block: &mut Block) {
        let mut flat: Vec<Stmt> = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.kind.blocks_mut() {
                self.block(inner);
            }
            if let Kind::Let {
                out,
                op: Op::Const(Const::Bool(truth)),
                ..
            } = stmt.kind
            {
                self.constants[out.0 as usize] = Some(truth);
            }
            let span = stmt.span;
            match stmt.kind {
                Kind::If {
                    cond,
                    then,
                    els,
                    outs,
                } if self.chooses(&then, &els, &outs) => {
                    let pairs = then.results.iter().zip(&els.results);
                    let chosen: Vec<Kind> = (outs.iter().zip(pairs))
                        .map(|(out, (a, b))| self.choice(*out, cond, *a, *b))
                        .collect();
                    flat.extend(then.stmts);
                    flat.extend(els.stmts);
                    flat.extend(chosen.into_iter().map(|kind| Stmt { kind, span }));
                }
                kind => flat.push(Stmt { kind, span }),
            }
        }
        block.stmts = flat;
    }

    /// Whether the sides of an `if` do nothing but compute a few integers and truth values.
    fn chooses(&self, then: &Block, els: &Block, outs: &[Value]) -> bool {
        let whole = |v: &Value| !self.types[v.0 as usize].is_float();
        let computes = |stmt: &Stmt| match &stmt.kind {
            Kind::Let { out, op, args } => {
                let divides = matches!(op, Op::Div | Op::FloorDiv | Op::Mod);
                !divides && whole(out) && args.iter().all(whole)
            }
            _ => false,
        };
        let all = || then.stmts.iter().chain(&els.stmts);
        !outs.is_empty()
            && outs.iter().all(whole)
            && all().all(computes)
            && all()
                .map(|stmt| work::of_stmt(&stmt.kind, &[]))
                .sum::<u64>()
                <= CHEAP
    }

    /// One of two values.
    fn choice(&self, out: Value, cond: Value, then: Value, els: Value) -> Kind {
        let constant = |v: Value| self.constants[v.0 as usize];
        let (op, args) = match (constant(then), constant(els)) {
            (_, Some(false)) => (Op::And, Values::from_slice(&[cond, then])),
            (Some(true), _) => (Op::Or, Values::from_slice(&[cond, els])),
            _ => (Op::Select, Values::from_slice(&[cond, then, els])),
        };
        Kind::Let { out, op, args }
    }
}
