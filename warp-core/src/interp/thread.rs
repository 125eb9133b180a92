//! One thread: what each statement does.

use super::fault::Fault;
use super::memory::{Arg, Memory};
use crate::dtype::Scalar;
use crate::intrinsic::{Machine, Typed, row};
use crate::ir::num::wrap;
use crate::ir::{
    AtomicOp, Block, Comp, Const, Described, Func, Kind, Num, ObjectKind, Op, ParamType, Place,
    STACKS, Search, Slot, Stmt, Value, evaluate,
};

pub(super) struct Thread<'a> {
    pub func: &'a Func,
    pub args: &'a [Arg],
    pub memory: &'a mut Memory,
    pub tid: [i32; 4],
    pub values: Vec<Num>,
    pub records: [Vec<(Slot, Vec<Num>)>; STACKS as usize],
    pub log: Vec<(usize, usize, Num)>,
    pub printed: &'a mut String,
    pub fuel: &'a mut u64,
}

impl Machine for Thread<'_> {
    fn record(&mut self, slot: Slot, nums: Vec<Num>) {
        self.records[slot.stack as usize].push((slot, nums));
    }

    fn replay(&mut self, slot: Slot) -> Result<Vec<Num>, String> {
        let top = self.records[slot.stack as usize].pop();
        let (found, nums) = top.ok_or("replay without record")?;
        match found == slot {
            true => Ok(nums),
            false => Err(format!("replay of {slot}, but {found} was recorded")),
        }
    }

    fn object(&self, kind: ObjectKind, id: u64) -> Result<u64, String> {
        self.memory.object(kind, id)
    }

    fn read(&self, address: u64, scalar: Scalar) -> Result<Num, String> {
        let found = self.memory.outside(address, scalar);
        found.ok_or_else(|| format!("no object has memory at {address}"))
    }

    fn search(&self, search: Search, address: u64, args: &[u32]) -> Result<i32, String> {
        self.memory.search(search, address, args)
    }

    fn logged(&self) -> i64 {
        self.log.len() as i64
    }

    fn unwind(&mut self, length: i64) {
        while self.log.len() as i64 > length {
            let (buffer, at, num) = self.log.pop().expect("the log is longer");
            self.memory.buffers[buffer].data[at] = num;
        }
    }

    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
    }

    fn run(&mut self, func: &Func, args: Vec<Num>) -> Result<Vec<Num>, String> {
        let mut inner = Thread {
            func,
            args: &[Arg::Elem(args)],
            memory: self.memory,
            tid: self.tid,
            values: vec![Num::Int(0); func.values.len()],
            records: Default::default(),
            log: Vec::new(),
            printed: self.printed,
            fuel: self.fuel,
        };
        inner.block(&func.body).map_err(|fault| fault.0)
    }
}

impl Thread<'_> {
    fn get(&self, value: Value) -> Num {
        self.values[value.0 as usize]
    }

    fn set(&mut self, value: Value, num: Num) {
        self.values[value.0 as usize] = num;
    }

    fn all(&self, values: &[Value]) -> Vec<Num> {
        values.iter().map(|v| self.get(*v)).collect()
    }

    fn set_all(&mut self, values: &[Value], nums: &[Num]) {
        for (value, num) in values.iter().zip(nums) {
            self.set(*value, *num);
        }
    }

    fn block(&mut self, block: &Block) -> Result<Vec<Num>, Fault> {
        self.stmts(&block.stmts)?;
        Ok(self.all(&block.results))
    }

    pub fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), Fault> {
        for stmt in stmts {
            *self.fuel = self
                .fuel
                .checked_sub(1)
                .ok_or(Fault("endless loop".into()))?;
            self.stmt(&stmt.kind)?;
        }
        Ok(())
    }

    fn stmt(&mut self, kind: &Kind) -> Result<(), Fault> {
        match kind {
            Kind::Let { out, op, args } => {
                let num = self.op(*op, self.func.ty(*out), args)?;
                self.set(*out, num);
            }
            Kind::Load { out, place } => {
                let num = self.load(place)?;
                self.set(*out, num);
            }
            Kind::Store { place, value, log } => {
                let num = self.get(*value);
                self.write(place, num, *log)?;
            }
            Kind::Atomic { .. } => self.atomic(kind)?,
            Kind::Intrinsic { op, args, outs } => {
                let args: Vec<Typed> =
                    (args.iter().map(|a| (self.func.ty(*a), self.get(*a)))).collect();
                let results = (row(op).interpret)(op, self, &args)?;
                self.set_all(outs, &results);
            }
            Kind::Call {
                callee, args, outs, ..
            } => {
                let block = &self.func.callee(*callee).block;
                let given = self.all(args);
                self.set_all(&block.params, &given);
                let results = self.block(block)?;
                self.set_all(outs, &results);
            }
            Kind::Custom {
                ins, body, outs, ..
            } => {
                let given = self.all(ins);
                self.set_all(&body.params, &given);
                let results = self.block(body)?;
                self.set_all(outs, &results);
            }
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                let block = if self.get(*cond).truth() { then } else { els };
                let results = self.block(block)?;
                self.set_all(outs, &results);
            }
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                self.for_([*start, *stop, *step], init, body, outs)?;
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => self.while_(init, [cond, body], outs)?,
        }
        Ok(())
    }

    fn while_(
        &mut self,
        init: &[Value],
        [cond, body]: [&Block; 2],
        outs: &[Value],
    ) -> Result<(), Fault> {
        let mut carried = self.all(init);
        loop {
            self.set_all(&cond.params, &carried);
            if !self.block(cond)?[0].truth() {
                break;
            }
            self.set_all(&body.params, &carried);
            carried = self.block(body)?;
        }
        self.set_all(outs, &carried);
        Ok(())
    }

    fn atomic(&mut self, kind: &Kind) -> Result<(), Fault> {
        let Kind::Atomic {
            out,
            op,
            place,
            value,
            log,
        } = kind
        else {
            return Ok(());
        };
        let (buffer, at) = self.place(place)?;
        let before = self.memory.buffers[buffer].data[at];
        let (ty, value) = (self.func.ty(*value), self.get(*value));
        let pair = |op| evaluate(op, ty, ty, &[before, value]);
        let after = match op {
            AtomicOp::Add => pair(Op::Add)?,
            AtomicOp::Min => pair(Op::Min)?,
            AtomicOp::Max => pair(Op::Max)?,
            AtomicOp::And => pair(Op::And)?,
            AtomicOp::Or => pair(Op::Or)?,
            AtomicOp::Xor => pair(Op::Xor)?,
            AtomicOp::Exchange => value,
            AtomicOp::CompareExchange(with) => {
                let given = [before, self.get(*with)];
                match evaluate(Op::Eq, ty, Scalar::Bool, &given)?.truth() {
                    true => value,
                    false => before,
                }
            }
        };
        self.write(place, after, *log)?;
        if let Some(out) = out {
            self.set(*out, before);
        }
        Ok(())
    }

    fn for_(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: &Block,
        outs: &[Value],
    ) -> Result<(), Fault> {
        let ty = self.func.ty(range[0]);
        let [start, stop, step] = range.map(|v| self.get(v));
        let iterations = evaluate(Op::RangeLen, ty, ty, &[start, stop, step])?.wide(ty);
        let mut carried = self.all(init);
        for k in 0..iterations {
            let iv = start.wide(ty) + k * step.wide(ty);
            self.set(body.params[0], Num::Int(iv as i64));
            self.set_all(&body.params[1..], &carried);
            carried = self.block(body)?;
        }
        self.set_all(outs, &carried);
        Ok(())
    }

    fn load(&self, place: &Place) -> Result<Num, Fault> {
        if let Some((of, index)) = self.func.pointer_based(place) {
            let (address, scalar) = self.reached(place, of, index)?;
            if let Some(num) = self.memory.outside(address as u64, scalar) {
                return Ok(num);
            }
        }
        let (buffer, at) = self.place(place)?;
        Ok(self.memory.buffers[buffer].data[at])
    }

    fn place(&self, place: &Place) -> Result<(usize, usize), Fault> {
        let name = &self.func.param(place.array).name;
        if let Some((of, index)) = self.func.pointer_based(place) {
            let (address, scalar) = self.reached(place, of, index)?;
            return (self.memory.at(address, scalar))
                .map_err(|Fault(what)| Fault(format!("`{name}`: {what}")));
        }
        let Arg::Array(buffer) = self.args[place.array.0 as usize] else {
            return Err(Fault(format!("`{name}` is missing and is accessed")));
        };
        let index: Vec<i64> = place.index.iter().map(|v| self.get(*v).int()).collect();
        let comp = match place.comp {
            Comp::Fixed(n) => i64::from(n),
            Comp::At(v) => self.get(v).int(),
        };
        let at = self.memory.buffers[buffer].offset(&index, comp);
        at.map(|at| (buffer, at))
            .map_err(|Fault(what)| Fault(format!("`{name}`: {what}")))
    }

    /// The address of a component that an address leads to, and its type.
    fn reached(
        &self,
        place: &Place,
        of: Described<'_>,
        index: &[Value],
    ) -> Result<(i64, Scalar), Fault> {
        let found = self.reached_in(place, of, index);
        found.map_err(|Fault(what)| {
            Fault(format!("`{}`: {what}", self.func.param(place.array).name))
        })
    }

    fn reached_in(
        &self,
        place: &Place,
        of: Described<'_>,
        index: &[Value],
    ) -> Result<(i64, Scalar), Fault> {
        let data = self.get(of.data).int();
        if data == 0 {
            return Err(Fault("there is no array".into()));
        }
        let ParamType::PointerBased { elem, offset, .. } = self.func.param(place.array).ty else {
            return Err(Fault("not pointer-based".into()));
        };
        let mut address = data + i64::from(offset);
        for (d, i) in index.iter().enumerate() {
            let (i, n) = (self.get(*i).int(), self.get(of.extents[d]).int());
            let k = if i < 0 { i + n } else { i };
            if !(0..n).contains(&k) {
                return Err(Fault(format!("index {i} is out of range for size {n}")));
            }
            address += k * self.get(of.strides[d]).int();
        }
        let comp = match place.comp {
            Comp::Fixed(n) => i64::from(n),
            Comp::At(v) => self.get(v).int(),
        };
        if !(0..elem.count() as i64).contains(&comp) {
            return Err(Fault(format!(
                "component {comp} is out of range for {elem}"
            )));
        }
        let scalar = elem.scalar();
        Ok((address + comp * scalar.size() as i64, scalar))
    }

    fn write(&mut self, place: &Place, num: Num, log: bool) -> Result<(), Fault> {
        let (buffer, at) = self.place(place)?;
        let slot = &mut self.memory.buffers[buffer].data[at];
        if log {
            self.log.push((buffer, at, *slot));
        }
        *slot = num;
        Ok(())
    }

    fn op(&self, op: Op, ty: Scalar, args: &[Value]) -> Result<Num, Fault> {
        Ok(match op {
            Op::Const(Const::Bool(b)) => Num::Int(i64::from(b)),
            Op::Const(Const::Int(i)) => Num::Int(wrap(i.into(), ty)),
            Op::Const(Const::Float(x)) => Num::Float(ty.round(x)),
            Op::Tid(d) => Num::Int(self.tid[d as usize].into()),
            Op::BlockDim => Num::Int(self.func.threads.map_or(1, |of| of.threads.into())),
            Op::Shape(id, d) => match self.args[id.0 as usize] {
                Arg::Array(buffer) => {
                    Num::Int(self.memory.buffers[buffer].shape[d as usize].into())
                }
                _ => return Err(Fault("shape of a missing array".into())),
            },
            Op::Param(id, comp) => match &self.args[id.0 as usize] {
                Arg::Elem(nums) => nums[comp as usize],
                _ => return Err(Fault("not a value".into())),
            },
            Op::Address(id) => Num::Int(self.memory.address(&self.args[id.0 as usize])),
            Op::Stride(id, d) => match self.args[id.0 as usize] {
                Arg::Array(buffer) => Num::Int(self.memory.buffers[buffer].stride(d as usize)),
                _ => return Err(Fault("a stride of a missing array".into())),
            },
            Op::Present(id) => {
                Num::Int(i64::from(matches!(self.args[id.0 as usize], Arg::Array(_))))
            }
            _ => {
                let from = self.func.ty(args[usize::from(op == Op::Select)]);
                let nums: smallvec::SmallVec<[Num; 3]> =
                    args.iter().map(|a| self.get(*a)).collect();
                evaluate(op, from, ty, &nums)?
            }
        })
    }
}
