//! Random branches and loops.

use super::Generator;
use warp_core::dtype::Scalar;
use warp_core::ir::{Op, Value};

impl Generator {
    pub(super) fn branch(&mut self, depth: usize) {
        let cond = self.cond();
        let before = self.vars.clone();
        self.b.open(Vec::new());
        self.statements(depth - 1);
        let then = self.b.close(self.vars.all());
        self.vars = before;
        self.b.open(Vec::new());
        if self.random.chance(60) {
            self.statements(depth - 1);
        }
        let els = self.b.close(self.vars.all());
        let outs = self.b.fresh_like(&then.results);
        self.vars.set(&outs);
        self.b.push(warp_core::ir::Kind::If {
            cond,
            then,
            els,
            outs,
        });
    }

    /// A `for`, upward or downward, over a number of rounds known at run time.
    pub(super) fn count(&mut self, depth: usize) {
        let rounds = self.rounds();
        let [zero, one] = [0, 1].map(|k| self.b.i32(k));
        let range = match self.random.below(3) {
            0 => [rounds, zero, self.b.i32(-1)],
            1 => {
                let two = self.b.i32(2);
                let end = self.b.op(Op::Mul, &[rounds, two]);
                [one, end, two]
            }
            _ => [zero, rounds, one],
        };
        // Upward ranges of any integer type, downward ones of those that have a -1.
        let types = [
            Scalar::I32,
            Scalar::I64,
            Scalar::I8,
            Scalar::U8,
            Scalar::U32,
            Scalar::U64,
        ];
        let last = if range[1] == zero { 3 } else { 6 };
        let ty = types[self.random.below(last)];
        let range = range.map(|v| self.b.cast(v, ty));
        let init = self.vars.all();
        let iv = self.b.fresh(ty);
        let carried = self.b.fresh_like(&init);
        self.vars.set(&carried);
        let params = [iv].into_iter().chain(carried).collect();
        self.b.open(params);
        if self.random.chance(70) {
            let at = self.random.below(self.vars.ints.len());
            self.vars.ints[at] = self.b.cast(iv, Scalar::I32);
        }
        self.statements(depth - 1);
        let body = self.b.close(self.vars.all());
        let outs = self.b.fresh_like(&init);
        self.vars.set(&outs);
        let [start, stop, step] = range;
        self.b.push(warp_core::ir::Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs,
        });
    }

    /// A loop that counts and may end early, as `break` makes it.
    pub(super) fn until(&mut self, depth: usize) {
        let rounds = self.rounds();
        let extra = [self.b.i32(0), self.b.bool(false)];
        let init: Vec<Value> = self.vars.all().into_iter().chain(extra).collect();
        let count = init.len() - 2;

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        let [k, done] = [params[count], params[count + 1]];
        if self.random.chance(25) {
            self.vars.set(&params[..count]);
            self.write();
        }
        let more = self.b.op(Op::Lt, &[k, rounds]);
        let going = self.b.op(Op::Not, &[done]);
        let test = self.b.op(Op::And, &[more, going]);
        let cond = self.b.close(vec![test]);

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        self.vars.set(&params[..count]);
        let [k, done] = [params[count], params[count + 1]];
        self.statements(depth - 1);
        let stop = self.cond();
        // The rest of the body runs only where the loop was not left.
        let before = self.vars.clone();
        self.b.open(Vec::new());
        let mut results = self.vars.all();
        results.push(stop);
        let then = self.b.close(results);
        self.b.open(Vec::new());
        self.statements(depth - 1);
        let mut results = self.vars.all();
        results.push(done);
        let els = self.b.close(results);
        self.vars = before;
        let outs = self.b.fresh_like(&els.results);
        self.vars.set(&outs[..count]);
        self.b.push(warp_core::ir::Kind::If {
            cond: stop,
            then,
            els,
            outs: outs.clone(),
        });
        let one = self.b.i32(1);
        let next = self.b.op(Op::Add, &[k, one]);
        let mut results = self.vars.all();
        results.extend([next, outs[count]]);
        let body = self.b.close(results);
        let outs = self.b.fresh_like(&init);
        self.vars.set(&outs[..count]);
        self.b.push(warp_core::ir::Kind::While {
            init,
            cond,
            body,
            outs,
        });
    }
}
