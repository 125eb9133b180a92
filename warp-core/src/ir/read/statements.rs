//! Statements of the text form: those of a line, and those that hold blocks.

use super::Reader;
use super::words::{R, constant, expect, split_top, value, values};
use crate::dtype::Scalar;
use crate::ir::data::{AtomicOp, Comp, Kind, Place, Rules, Values};
use crate::ir::effects::Effects;
use crate::ir::id::{CalleeId, ParamId, Value};
use crate::ir::intrinsic::Intrinsic;
use crate::ir::op::Op;
use crate::ir::primitive::PRIMITIVES;

impl<'a> Reader<'a> {
    pub(super) fn kind(&mut self, line: &'a str) -> R<Kind> {
        if let Some(rest) = line.strip_prefix("if ") {
            let (cond, outs) = rest.split_once(" -> (").ok_or("expected `-> (`")?;
            let cond = value(cond)?;
            let outs = self.defs(outs.strip_suffix(") {").ok_or("expected `) {`")?)?;
            let (then, end) = self.block(Vec::new())?;
            expect(end, "} else {")?;
            let (els, end) = self.block(Vec::new())?;
            expect(end, "}")?;
            return Ok(Kind::If {
                cond,
                then,
                els,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("for ") {
            let (iv, rest) = rest
                .split_once(" in range(")
                .ok_or("expected `in range(`")?;
            let (range, rest) = rest.split_once(") with (").ok_or("expected `) with (`")?;
            let [start, stop, step] = values(range)?[..] else {
                return Err("expected start, stop, step".into());
            };
            let (params, init, outs) = self.carried(rest)?;
            let iv = self.def(iv)?;
            let params = std::iter::once(iv).chain(params).collect();
            let (body, end) = self.block(params)?;
            expect(end, "}")?;
            return Ok(Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("while with (") {
            let (params, init, outs) = self.carried(rest)?;
            let (cond, middle) = self.block(params)?;
            let params = middle
                .strip_prefix("} do (")
                .and_then(|m| m.strip_suffix(") {"));
            let params = self.defs(params.ok_or("expected `} do (...) {`")?)?;
            let (body, end) = self.block(params)?;
            expect(end, "}")?;
            return Ok(Kind::While {
                init,
                cond,
                body,
                outs,
            });
        }
        if let Some(rest) = line.strip_prefix("custom with (") {
            let (params, ins, outs) = self.carried(rest)?;
            let (body, mut end) = self.block(params)?;
            let mut rules = Rules::default();
            while end != "}" {
                let rule = [
                    ("} replay (", &mut rules.replay),
                    ("} reverse (", &mut rules.reverse),
                ];
                let mut rule = rule.into_iter();
                let found = rule.find_map(|(head, rule)| Some((end.strip_prefix(head)?, rule)));
                let (params, rule) = found.ok_or("expected `}`, `} replay (` or `} reverse (`")?;
                let params = self.defs(params.strip_suffix(") {").ok_or("expected `) {`")?)?;
                let (block, next) = self.block(params)?;
                *rule = Some(block);
                end = next;
            }
            return Ok(Kind::Custom {
                ins,
                body,
                rules: Box::new(rules),
                outs,
            });
        }
        self.simple(line)
    }

    fn simple(&mut self, line: &str) -> R<Kind> {
        let (mut outs, what) = match line.split_once(" = ") {
            Some((outs, what)) if outs.starts_with('%') => (self.defs(outs)?, what),
            _ => (Vec::new(), line),
        };
        let (name, text) = what.split_once(' ').unwrap_or((what, ""));
        if let Some(read) = Intrinsic::read(name, text) {
            let (op, args) = read?;
            let args = values(args)?;
            return Ok(Kind::Intrinsic { op, args, outs });
        }
        if name == "call" {
            let (name, args) = text.split_once(' ').unwrap_or((text, ""));
            let callee = self.callees.iter().position(|callee| callee == name);
            let callee = callee.ok_or_else(|| format!("no function `{name}`"))?;
            let (callee, args) = (CalleeId(callee as u32), values(args)?);
            return Ok(Kind::Call {
                callee,
                args,
                outs,
                // Set when all functions have been read.
                effects: Effects::PURE,
            });
        }
        let out = outs.pop();
        if !outs.is_empty() {
            return Err("only an intrinsic has several results".into());
        }
        let (log, what) = match what.strip_prefix("logged ") {
            Some(rest) => (true, rest),
            None => (false, what),
        };
        if let Some(rest) = what.strip_prefix("store ") {
            let (place, v) = rest.rsplit_once(", ").ok_or("expected `place, value`")?;
            return Ok(Kind::Store {
                place: self.place(place)?,
                value: value(v)?,
                log,
            });
        }
        if let Some(rest) = what.strip_prefix("atomic ") {
            let (op, rest) = rest.split_once(' ').ok_or("expected an operation")?;
            let op = match op {
                "add" => AtomicOp::Add,
                "min" => AtomicOp::Min,
                "max" => AtomicOp::Max,
                "and" => AtomicOp::And,
                "or" => AtomicOp::Or,
                "xor" => AtomicOp::Xor,
                "exchange" => AtomicOp::Exchange,
                _ if op.starts_with("compare(") && op.ends_with(')') => {
                    AtomicOp::CompareExchange(value(&op["compare(".len()..op.len() - 1])?)
                }
                _ => return Err(format!("no atomic operation `{op}`")),
            };
            let (place, v) = rest.rsplit_once(", ").ok_or("expected `place, value`")?;
            return Ok(Kind::Atomic {
                out,
                op,
                place: self.place(place)?,
                value: value(v)?,
                log,
            });
        }
        let out = out.ok_or("no such statement")?;
        if let Some(place) = what.strip_prefix("load ") {
            return Ok(Kind::Load {
                out,
                place: self.place(place)?,
            });
        }
        let (op, args) = self.op(what, self.func.ty(out))?;
        Ok(Kind::Let { out, op, args })
    }

    fn op(&self, text: &str, ty: Scalar) -> R<(Op, Values)> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let none = Values::new();
        let pair = || -> R<(ParamId, u32)> {
            let (name, number) = rest.split_once(' ').ok_or("expected a name and a number")?;
            Ok((
                self.param(name)?,
                number.parse().map_err(|_| "expected a number")?,
            ))
        };
        Ok(match name {
            "const" => (Op::Const(constant(rest, ty)?), none),
            "tid" => (
                Op::Tid(rest.parse().map_err(|_| "expected a dimension")?),
                none,
            ),
            "block_dim" => (Op::BlockDim, none),
            "shape" => pair().map(|(id, d)| (Op::Shape(id, d as u8), none))?,
            "param" => pair().map(|(id, comp)| (Op::Param(id, comp), none))?,
            "present" => (Op::Present(self.param(rest)?), none),
            "address" => (Op::Address(self.param(rest)?), none),
            "stride" => pair().map(|(id, d)| (Op::Stride(id, d as u8), none))?,
            "cast" => (Op::Cast, values(rest)?.into()),
            "bits" => (Op::Bits, values(rest)?.into()),
            "select" => (Op::Select, values(rest)?.into()),
            "rangelen" => (Op::RangeLen, values(rest)?.into()),
            _ => {
                let row = PRIMITIVES.iter().find(|row| row.name == name);
                (
                    row.ok_or_else(|| format!("no operation `{name}`"))?.op,
                    values(rest)?.into(),
                )
            }
        })
    }

    fn place(&self, text: &str) -> R<Place> {
        let (name, rest) = text.split_once('[').ok_or("expected `[`")?;
        let (index, comp) = rest.split_once(']').ok_or("expected `]`")?;
        let comp = match comp.strip_prefix('.') {
            None => Comp::Fixed(0),
            Some(v) if v.starts_with('%') => Comp::At(value(v)?),
            Some(n) => Comp::Fixed(n.parse().map_err(|_| "expected a component")?),
        };
        Ok(Place {
            array: self.param(name)?,
            index: values(index)?.into(),
            comp,
        })
    }

    fn carried(&mut self, text: &str) -> R<(Vec<Value>, Vec<Value>, Vec<Value>)> {
        let (pairs, outs) = text.split_once(") -> (").ok_or("expected `) -> (`")?;
        let outs = outs.strip_suffix(") {").ok_or("expected `) {`")?;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        for pair in split_top(pairs) {
            let (param, from) = pair.split_once(" = ").ok_or("expected `%p = %init`")?;
            params.push(self.def(param)?);
            init.push(value(from)?);
        }
        Ok((params, init, self.defs(outs)?))
    }
}
