//! Instructions by opcode. Each decoder takes the modifiers that it knows and refuses a form with others.

mod arithmetic;
mod atomics;
mod carry;
mod comparisons;
mod control;
mod conversions;
mod floats;
mod memory;
mod moves;
mod plain;
mod warps;
mod words;

use super::body::Body;
use super::form::Form;
use super::refusal::Res;

impl Body<'_, '_> {
    /// Reads an instruction up to its semicolon and appends what it does.
    pub(crate) fn decode(&mut self) -> Res<()> {
        let line = self.cursor.line();
        let mut form = Form::new(self.cursor.next()?, line);
        let f = &mut form;
        match f.opcode {
            "add" | "sub" | "mul" | "div" | "rem" | "abs" | "neg" | "min" | "max" | "mad"
            | "fma" | "sad" | "mul24" | "mad24" | "dp4a" => self.arithmetic(f),
            "addc" | "subc" | "madc" => self.with_carry(f),
            "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
                self.function_of_float(f)
            }
            "copysign" => self.copysign(f),
            "testp" => self.testp(f),
            "and" | "or" | "xor" | "not" | "cnot" => self.logic(f),
            "shl" | "shr" => self.shift(f),
            "shf" => self.funnel_shift(f),
            "bfe" | "bfi" => self.field(f),
            "popc" | "clz" | "brev" | "bfind" => self.count(f),
            "prmt" => self.permute(f),
            "lop3" => self.lop3(f),
            "bmsk" | "szext" => self.mask(f),
            "setp" => self.setp(f),
            "set" => self.set(f),
            "selp" => self.selp(f),
            "slct" => self.slct(f),
            "cvt" => self.cvt(f),
            "mov" => self.mov(f),
            "cvta" => self.cvta(f),
            "isspacep" => self.isspacep(f),
            "ld" | "ldu" => self.load(f),
            "st" => self.store(f),
            "prefetch" | "prefetchu" | "applypriority" | "discard" => self.prefetch(f),
            "atom" | "red" => self.atomic(f),
            "fence" | "membar" => self.fence(f),
            "bra" => self.bra(f),
            "brx" => self.brx(f),
            "call" => self.call(f),
            "ret" | "exit" | "trap" | "brkpt" => self.leave(f),
            "nanosleep" => self.nanosleep(f),
            "bar" | "barrier" => self.barrier(f),
            "shfl" => self.shuffle(f),
            "vote" => self.vote(f),
            "match" => self.match_lanes(f),
            "redux" => self.redux(f),
            "activemask" => self.activemask(f),
            "elect" => self.elect(f),
            _ => Err(form.unknown()),
        }
    }
}
