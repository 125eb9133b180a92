//! `for` over a range; one that may end early is a `while`.

use super::Carried;
use crate::builtins::{Operand, Tree};
use crate::error::{Code, Error, Result};
use crate::front::control::range::Range;
use crate::front::walk::Walk;
use crate::ir::{Const, Kind, Op, Value};
use ruff_python_ast::{Expr, StmtFor};

impl Walk<'_> {
    /// Walks a loop; the flag that `break` ended it.
    pub fn for_loop(&mut self, it: &StmtFor) -> Result<Option<Value>> {
        if it.is_async {
            return Err(Error::at(
                Code::Syntax,
                self.span(it),
                "kernels have no `async for`",
            ));
        }
        let at = self.span(&*it.target);
        let Expr::Name(target) = &*it.target else {
            let what = "the variable of a `for` loop is one name";
            return Err(Error::at(Code::Syntax, at, what).hint("for i in range(n):"));
        };
        let slot = self.local(target.id.as_str());
        let slot = slot.ok_or_else(|| Error::at(Code::Name, at, "not a name"))?;
        if let Some(query) = self.query(&it.iter)? {
            return self.query_loop(it, query, slot);
        }
        let range = self.range(&it.iter)?;
        let ty = self.b.ty(range.start);
        if let Some(values) = self.few_rounds(&range, it, target.id.as_str()) {
            if values.is_empty() {
                return Ok(None);
            }
            self.unrolled(&it.body, slot, &values, ty, at)?;
            return Ok(None);
        }
        let (carried, stops) = self.enter_loop(&it.body, Some(slot), None, at)?;
        let before = self.frame.env.clone();
        let outs = if stops.is_empty() {
            let iv = self.b.fresh(ty);
            let params = self.b.fresh_like(&carried.init);
            self.set_carried(&carried, &params);
            self.b.open(std::iter::once(iv).chain(params).collect());
            let item = self.range_item(&range, iv);
            self.set(slot, Tree::Elem(Operand::scalar(ty, item)), at);
            let results = self.iteration(&it.body, &carried)?;
            let body = self.b.close(results);
            self.b.span = self.span(it);
            let outs = self.b.fresh_like(&carried.init);
            let init = carried.init.clone();
            let Range {
                start, stop, step, ..
            } = range;
            self.b.push(Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs: outs.clone(),
            });
            outs
        } else {
            self.ending_for(it, slot, range, &carried, &stops)?
        };
        Ok(self.leave_loop(before, &carried, &outs, (&it.body, Some(slot))))
    }

    /// A `for` that may end early. The iterations are counted, so that the variable cannot wrap past
    /// the end of its type.
    fn ending_for(
        &mut self,
        it: &StmtFor,
        slot: usize,
        range: Range,
        carried: &Carried,
        stops: &[usize],
    ) -> Result<Vec<Value>> {
        let at = self.span(&*it.target);
        let ty = self.b.ty(range.start);
        let int = |w: &mut Self, n| w.b.constant(ty, Const::Int(n));
        // With a step of one the variable itself counts.
        let plain = matches!(self.b.as_const(range.step), Some(Const::Int(1)));
        let (first, end) = match plain {
            true => (range.start, range.stop),
            false => {
                let iterations = self
                    .b
                    .op(Op::RangeLen, &[range.start, range.stop, range.step]);
                (int(self, 0), iterations)
            }
        };
        let init: Vec<Value> = std::iter::once(first)
            .chain(carried.init.iter().copied())
            .collect();
        let before = self.frame.env.clone();

        let params = self.b.fresh_like(&init);
        self.set_carried(carried, &params[1..]);
        self.b.open(params.clone());
        let more = self.b.op(Op::Lt, &[params[0], end]);
        let test = match self.any(stops) {
            None => more,
            Some(stopped) => {
                let go_on = self.b.op(Op::Not, &[stopped]);
                self.b.op(Op::And, &[go_on, more])
            }
        };
        let cond = self.b.close(vec![test]);
        self.frame.env = before;

        let params = self.b.fresh_like(&init);
        self.set_carried(carried, &params[1..]);
        self.b.open(params.clone());
        let iv = match plain {
            true => params[0],
            false => {
                let offset = self.b.op(Op::Mul, &[params[0], range.step]);
                self.b.op(Op::Add, &[range.start, offset])
            }
        };
        let item = self.range_item(&range, iv);
        self.set(slot, Tree::Elem(Operand::scalar(ty, item)), at);
        let mut results = self.iteration(&it.body, carried)?;
        let one = int(self, 1);
        results.insert(0, self.b.op(Op::Add, &[params[0], one]));
        let body = self.b.close(results);
        self.b.span = self.span(it);
        let outs = self.b.fresh_like(&init);
        self.b.push(Kind::While {
            init,
            cond,
            body,
            outs: outs.clone(),
        });
        Ok(outs[1..].to_vec())
    }
}
