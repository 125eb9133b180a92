//! The text form: what golden tests hold and what the cache key is made of.

use crate::ir::data::{AtomicOp, Block, Callee, Comp, Func, Kind, ParamType, Place};
use crate::ir::id::{Slot, Value};
use crate::ir::op::{Const, Op};
use crate::ty::Elem;
use std::fmt::{self, Display, Formatter, Write};

impl Display for Func {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", self.name)?;
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{}: ", param.name)?;
            match param.ty {
                ParamType::Elem(elem) => elem_text(f, elem)?,
                ParamType::Array { elem, ndim } => {
                    f.write_str("array<")?;
                    elem_text(f, elem)?;
                    write!(f, ", {ndim}")?;
                    if let Some(part) = param.part {
                        write!(f, ", {} of {} in {}", part.offset, part.size, part.group)?;
                    }
                    f.write_str(">")?;
                }
                ParamType::Local { elem, ndim, shape }
                | ParamType::Shared { elem, ndim, shape } => {
                    let space = match param.ty {
                        ParamType::Local { .. } => "local",
                        _ => "shared",
                    };
                    write!(f, "{space}<")?;
                    elem_text(f, elem)?;
                    let shape = shape[..ndim as usize].iter().map(u32::to_string);
                    write!(f, ", {}>", shape.collect::<Vec<_>>().join(" x "))?;
                }
                ParamType::Gradient { of, .. } => write!(f, "gradient<{}>", self.param(of).name)?,
                ParamType::PointerBased { elem, ndim, offset } => {
                    f.write_str("pointer_based<")?;
                    elem_text(f, elem)?;
                    write!(f, ", {ndim}, {offset}>")?;
                }
            }
        }
        match self.threads {
            None => f.write_str(") {\n")?,
            Some(threads) => writeln!(f, ") block of {threads} {{")?,
        }
        let printer = Printer { func: self };
        printer.block(f, &self.body, 1)?;
        f.write_str("}\n")?;
        for Callee { name, block, exact } in &self.callees {
            let kind = if *exact { "exact function" } else { "function" };
            writeln!(f, "{kind} {name}({}) {{", printer.defs(&block.params))?;
            printer.block(f, block, 1)?;
            writeln!(f, "  yield {}\n}}", list(&block.results))?;
        }
        Ok(())
    }
}

fn elem_text(f: &mut Formatter<'_>, elem: Elem) -> fmt::Result {
    match elem {
        Elem::Scalar(s) => write!(f, "{s}"),
        Elem::Vec { len, scalar } => write!(f, "vec<{len}, {scalar}>"),
        Elem::Mat { rows, cols, scalar } => write!(f, "mat<{rows}, {cols}, {scalar}>"),
        Elem::Compound(compound, s) => write!(f, "{}<{s}>", compound.name()),
        // The front has made leaves of it; `verify` refuses one that is left.
        Elem::Struct(s) => write!(f, "struct<{s}>"),
    }
}

struct Printer<'a> {
    func: &'a Func,
}

impl Printer<'_> {
    fn def(&self, value: Value) -> String {
        format!("%{}:{}", value.0, self.func.ty(value))
    }

    fn defs(&self, values: &[Value]) -> String {
        values
            .iter()
            .map(|v| self.def(*v))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn carried(&self, params: &[Value], init: &[Value]) -> String {
        let pairs = params.iter().zip(init);
        pairs
            .map(|(p, i)| format!("{} = %{}", self.def(*p), i.0))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn place(&self, place: &Place) -> String {
        let mut text = format!(
            "{}[{}]",
            self.func.param(place.array).name,
            list(&place.index)
        );
        match place.comp {
            Comp::Fixed(0) if self.func.param(place.array).ty.elem().count() == 1 => {}
            Comp::Fixed(n) => write!(text, ".{n}").expect("writing to a String"),
            Comp::At(value) => write!(text, ".%{}", value.0).expect("writing to a String"),
        }
        text
    }

    fn op(&self, op: Op) -> String {
        let name = |id| &self.func.param(id).name;
        match op {
            Op::Const(Const::Bool(b)) => format!("const {b}"),
            Op::Const(Const::Int(i)) => format!("const {i}"),
            Op::Const(Const::Float(x)) if x.is_nan() => format!("const nan:{:016x}", x.to_bits()),
            Op::Const(Const::Float(x)) => format!("const {x:?}"),
            Op::Tid(d) => format!("tid {d}"),
            Op::BlockDim => "block_dim".into(),
            Op::Shape(id, d) => format!("shape {} {d}", name(id)),
            Op::Param(id, comp) => format!("param {} {comp}", name(id)),
            Op::Present(id) => format!("present {}", name(id)),
            Op::Address(id) => format!("address {}", name(id)),
            Op::Stride(id, d) => format!("stride {} {d}", name(id)),
            Op::Cast => "cast".into(),
            Op::Bits => "bits".into(),
            Op::Select => "select".into(),
            Op::RangeLen => "rangelen".into(),
            named => named.name().expect("every other operation is named").into(),
        }
    }

    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        for stmt in &block.stmts {
            f.write_str(&pad)?;
            self.stmt(f, &stmt.kind, depth)?;
        }
        if depth > 1 {
            writeln!(f, "{pad}yield {}", list(&block.results))?;
        }
        Ok(())
    }

    fn stmt(&self, f: &mut Formatter<'_>, kind: &Kind, depth: usize) -> fmt::Result {
        let logged = |log: bool| if log { "logged " } else { "" };
        match kind {
            Kind::Let { out, op, args } => {
                let space = if args.is_empty() { "" } else { " " };
                writeln!(
                    f,
                    "{} = {}{space}{}",
                    self.def(*out),
                    self.op(*op),
                    list(args)
                )
            }
            Kind::Load { out, place } => {
                writeln!(f, "{} = load {}", self.def(*out), self.place(place))
            }
            Kind::Store { place, value, log } => {
                writeln!(
                    f,
                    "{}store {}, %{}",
                    logged(*log),
                    self.place(place),
                    value.0
                )
            }
            Kind::Atomic {
                out,
                op,
                place,
                value,
                log,
            } => {
                if let Some(out) = out {
                    write!(f, "{} = ", self.def(*out))?;
                }
                let op = match op {
                    AtomicOp::Add => "add",
                    AtomicOp::Min => "min",
                    AtomicOp::Max => "max",
                    AtomicOp::And => "and",
                    AtomicOp::Or => "or",
                    AtomicOp::Xor => "xor",
                    AtomicOp::Exchange => "exchange",
                    AtomicOp::CompareExchange(with) => &format!("compare(%{})", with.0),
                };
                let place = self.place(place);
                writeln!(f, "{}atomic {op} {place}, %{}", logged(*log), value.0)
            }
            Kind::Intrinsic { op, args, outs } => {
                if !outs.is_empty() {
                    write!(f, "{} = ", self.defs(outs))?;
                }
                f.write_str(op.name())?;
                for part in [op.attribute(), list(args)] {
                    if !part.is_empty() {
                        write!(f, " {part}")?;
                    }
                }
                f.write_str("\n")
            }
            Kind::Call {
                callee, args, outs, ..
            } => {
                if !outs.is_empty() {
                    write!(f, "{} = ", self.defs(outs))?;
                }
                writeln!(f, "call {} {}", self.func.callee(*callee).name, list(args))
            }
            Kind::If { .. } | Kind::For { .. } | Kind::While { .. } | Kind::Custom { .. } => {
                self.region(f, kind, depth)
            }
        }
    }

    /// A statement that has blocks.
    fn region(&self, f: &mut Formatter<'_>, kind: &Kind, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        match kind {
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                writeln!(f, "if %{} -> ({}) {{", cond.0, self.defs(outs))?;
                self.block(f, then, depth + 1)?;
                writeln!(f, "{pad}}} else {{")?;
                self.block(f, els, depth + 1)?;
                writeln!(f, "{pad}}}")
            }
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                let (iv, carried) = body.params.split_first().expect("a for has its variable");
                writeln!(
                    f,
                    "for {} in range(%{}, %{}, %{}) with ({}) -> ({}) {{",
                    self.def(*iv),
                    start.0,
                    stop.0,
                    step.0,
                    self.carried(carried, init),
                    self.defs(outs)
                )?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{pad}}}")
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                let carried = self.carried(&cond.params, init);
                writeln!(f, "while with ({carried}) -> ({}) {{", self.defs(outs))?;
                self.block(f, cond, depth + 1)?;
                writeln!(f, "{pad}}} do ({}) {{", self.defs(&body.params))?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{pad}}}")
            }
            Kind::Custom {
                ins,
                body,
                rules,
                outs,
            } => {
                let carried = self.carried(&body.params, ins);
                writeln!(f, "custom with ({carried}) -> ({}) {{", self.defs(outs))?;
                self.block(f, body, depth + 1)?;
                for (name, rule) in [("replay", &rules.replay), ("reverse", &rules.reverse)] {
                    if let Some(rule) = rule {
                        writeln!(f, "{pad}}} {name} ({}) {{", self.defs(&rule.params))?;
                        self.block(f, rule, depth + 1)?;
                    }
                }
                writeln!(f, "{pad}}}")
            }
            flat => unreachable!("{flat:?} has no blocks"),
        }
    }
}

impl Display for Slot {
    /// The stack and the number of the pair: `0:3`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.stack, self.id)
    }
}

fn list(values: &[Value]) -> String {
    values
        .iter()
        .map(|v| format!("%{}", v.0))
        .collect::<Vec<_>>()
        .join(", ")
}
