//! Moves statements of a kernel into functions, so that what is said of functions can be asked of random kernels.

use std::collections::{HashMap, HashSet};
use warp_core::ir::{Block, Callee, CalleeId, Func, Kind, Stmt, Value};

/// The same kernel with runs of statements that `fits` accepts moved into functions of `least` statements or more.
pub fn outline(func: &Func, least: usize, fits: &dyn Fn(&Func, &Kind) -> bool) -> Func {
    let mut out = func.clone();
    let mut uses = HashMap::new();
    func.blocks().for_each(|block| count(block, &mut uses));
    let mut body = std::mem::take(&mut out.body);
    let mut pass = Outliner {
        source: func,
        func: &mut out,
        uses,
        least,
        fits,
    };
    pass.block(&mut body);
    out.body = body;
    out.set_effects();
    out
}

fn count(block: &Block, uses: &mut HashMap<Value, usize>) {
    for stmt in &block.stmts {
        stmt.kind.uses(|v| *uses.entry(v).or_default() += 1);
        stmt.kind.blocks().into_iter().for_each(|b| count(b, uses));
    }
    for result in &block.results {
        *uses.entry(*result).or_default() += 1;
    }
}

struct Outliner<'a> {
    source: &'a Func,
    func: &'a mut Func,
    uses: HashMap<Value, usize>,
    least: usize,
    fits: &'a dyn Fn(&Func, &Kind) -> bool,
}

impl Outliner<'_> {
    fn fits(&self, kind: &Kind) -> bool {
        let inside = |block: &&Block| block.stmts.iter().all(|stmt| self.fits(&stmt.kind));
        (self.fits)(self.source, kind) && kind.blocks().iter().all(inside)
    }

    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::new();
        let mut run = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            if self.fits(&stmt.kind) {
                run.push(stmt);
                continue;
            }
            self.end(&mut run, &mut stmts);
            stmt.kind
                .blocks_mut()
                .into_iter()
                .for_each(|b| self.block(b));
            stmts.push(stmt);
        }
        self.end(&mut run, &mut stmts);
        block.stmts = stmts;
    }

    /// Makes a function of a run of statements and calls it, if they are enough.
    fn end(&mut self, run: &mut Vec<Stmt>, into: &mut Vec<Stmt>) {
        let run = std::mem::take(run);
        if run.len() < self.least {
            into.extend(run);
            return;
        }
        let span = run[0].span;
        let mut block = Block {
            stmts: run,
            ..Block::default()
        };
        let mut within = HashMap::new();
        count(&block, &mut within);
        let mut defined = HashSet::new();
        define(&block, &mut defined);
        let mut args: Vec<Value> = (within.keys().copied())
            .filter(|v| !defined.contains(v))
            .collect();
        args.sort_unstable();
        let outs = block.stmts.iter().flat_map(|stmt| stmt.kind.outs());
        let outs: Vec<Value> = (outs.copied())
            .filter(|v| self.uses.get(v) > within.get(v))
            .collect();
        let mut names = HashMap::new();
        block.params = args
            .iter()
            .map(|arg| self.fresh(*arg, &mut names))
            .collect();
        self.rename(&mut block, &mut names);
        block.results = outs.iter().map(|out| names[out]).collect();
        let id = CalleeId(self.func.callees.len() as u32);
        self.func.callees.push(Callee {
            name: format!("f{}", id.0),
            block,
            exact: false,
        });
        let kind = Kind::Call {
            callee: id,
            args,
            outs,
            effects: Default::default(),
        };
        into.push(Stmt { kind, span });
    }

    fn fresh(&mut self, value: Value, names: &mut HashMap<Value, Value>) -> Value {
        self.func.values.push(self.func.ty(value));
        let new = Value(self.func.values.len() as u32 - 1);
        names.insert(value, new);
        new
    }

    fn rename(&mut self, block: &mut Block, names: &mut HashMap<Value, Value>) {
        for stmt in &mut block.stmts {
            stmt.kind.uses_mut(|v| *v = names[v]);
            for inner in stmt.kind.blocks_mut() {
                for param in &mut inner.params {
                    *param = self.fresh(*param, names);
                }
                self.rename(inner, names);
                inner.results.iter_mut().for_each(|v| *v = names[v]);
            }
            for out in stmt.kind.outs_mut() {
                *out = self.fresh(*out, names);
            }
        }
    }
}

fn define(block: &Block, defined: &mut HashSet<Value>) {
    defined.extend(&block.params);
    for stmt in &block.stmts {
        defined.extend(stmt.kind.outs());
        (stmt.kind.blocks().into_iter()).for_each(|b| define(b, defined));
    }
}
