//! Operands: registers, constants, addresses, lists.

use super::body::{Body, Name};
use super::code::{Clock, Fill, Op, SINK, Slot, Special};
use super::refusal::Res;
use super::symbols::Symbol;
use super::token::{Cursor, integer};
use super::types::{CODE_WINDOW, Space, Type};
use super::value::bits;

/// A place in memory: base, offset, and the space where it is in truth.
pub(crate) struct Address {
    pub base: Slot,
    pub offset: i32,
    pub space: Space,
}

/// A constant of a type.
pub(crate) fn immediate(cursor: &mut Cursor, ty: Type) -> Res<u64> {
    let minus = cursor.eat("-");
    let word = cursor.peek();
    let refused = cursor.syntax(format!("`{word}` is no constant of type {ty:?}"));
    cursor.next()?;
    let value = constant(word, ty).ok_or_else(|| refused.clone())?;
    match (minus, ty.float(), value) {
        (false, _, value) => Ok(value),
        (true, false, value) => Ok(value.wrapping_neg()),
        (true, true, value) => Ok(value ^ 1 << (ty.bits() - 1)),
    }
}

fn constant(word: &str, ty: Type) -> Option<u64> {
    let hex = |prefix: [&str; 2], digits: usize| {
        let digits_of = prefix.iter().find_map(|p| word.strip_prefix(*p))?;
        let whole = digits_of.len() == digits;
        whole.then(|| u64::from_str_radix(digits_of, 16).ok())?
    };
    match ty.bytes() {
        4 if word.starts_with("0f") || word.starts_with("0F") => return hex(["0f", "0F"], 8),
        8 if word.starts_with("0d") || word.starts_with("0D") => return hex(["0d", "0D"], 16),
        _ => {}
    }
    match ty {
        Type::F32 if word.contains('.') => Some(word.parse::<f32>().ok()?.to_bits().into()),
        Type::F64 if word.contains('.') => Some(word.parse::<f64>().ok()?.to_bits()),
        Type::F32 | Type::F64 => None,
        _ => integer(word),
    }
}

impl<'a> Body<'_, 'a> {
    /// A register of exactly a type's size.
    pub fn register(&mut self, ty: Type) -> Res<Slot> {
        let word = self.cursor.peek();
        let (slot, of) = self.any_register()?;
        if of.bytes() != ty.bytes() || (of == Type::Pred) != (ty == Type::Pred) {
            let what = format!("`{word}` is a register of type {of:?}, not {ty:?}");
            return Err(self.cursor.syntax(what));
        }
        Ok(slot)
    }

    /// A register of at least a type's size.
    fn wide_register(&mut self, ty: Type) -> Res<Slot> {
        let word = self.cursor.peek();
        let (slot, of) = self.any_register()?;
        if of.bytes() < ty.bytes() || of == Type::Pred {
            let what = format!("`{word}` is a register of type {of:?}, too small for {ty:?}");
            return Err(self.cursor.syntax(what));
        }
        Ok(slot)
    }

    fn any_register(&mut self) -> Res<(Slot, Type)> {
        let word = self.cursor.peek();
        if let Some(Name::Register(slot, ty)) = self.find(word) {
            self.cursor.next()?;
            return Ok((slot, ty));
        }
        Err(self.cursor.syntax(format!("`{word}` is no register")))
    }

    /// Where a result goes.
    pub fn destination(&mut self, ty: Type) -> Res<Slot> {
        if self.cursor.eat("_") {
            return Ok(SINK);
        }
        self.register(ty)
    }

    /// Where a result goes that may be narrower than its register.
    pub fn wide_destination(&mut self, ty: Type) -> Res<Slot> {
        if self.cursor.eat("_") {
            return Ok(SINK);
        }
        self.wide_register(ty)
    }

    /// A comma, then a value.
    pub fn then(&mut self, ty: Type) -> Res<Slot> {
        self.comma()?;
        self.source(ty)
    }

    /// A value of a type.
    pub fn source(&mut self, ty: Type) -> Res<Slot> {
        match self.find(self.cursor.peek()) {
            Some(Name::Register(..)) => self.register(ty),
            _ => self.not_register(ty),
        }
    }

    /// A value whose register may be wider than it.
    pub fn wide_source(&mut self, ty: Type) -> Res<Slot> {
        match self.find(self.cursor.peek()) {
            Some(Name::Register(..)) => self.wide_register(ty),
            _ => self.not_register(ty),
        }
    }

    fn not_register(&mut self, ty: Type) -> Res<Slot> {
        let word = self.cursor.peek();
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let value = immediate(self.cursor, ty)?;
            return Ok(self.constant(value));
        }
        if ty == Type::Pred && self.cursor.peek() == "!" {
            self.cursor.next()?;
            let slot = self.register(Type::Pred)?;
            return Ok(self.negated(slot));
        }
        if let Some(slot) = self.special(word)? {
            return Ok(slot);
        }
        if ty.bytes() < 4 || ty.float() {
            return Err(self
                .cursor
                .syntax(format!("`{word}` is no value of type {ty:?}")));
        }
        self.cursor.next()?;
        let fill = self.address_of(word)?;
        let (_, offset) = self.offset()?;
        let fill = moved(fill, offset);
        Ok(self.filled(fill))
    }

    /// A negated copy of a value's bits, for predicates read as `!p`.
    pub fn negated(&mut self, slot: u32) -> u32 {
        let negated = self.temporary();
        self.emit(Op::Unary(bits::not), negated, [slot, SINK, SINK, 0]);
        negated
    }

    /// The address of a variable or function, in the space where it lies.
    fn address_of(&mut self, name: &str) -> Res<Fill> {
        match self.find(name) {
            Some(Name::Local(at, _)) => return Ok(Fill::Local(at)),
            Some(Name::Param(at)) => return Ok(Fill::Constant(at)),
            Some(Name::Shared(number)) => return Ok(Fill::Shared(number, 0)),
            Some(Name::Register(..)) | None => {}
        }
        match self.symbols.names.get(name) {
            Some(Symbol::Global(number)) => Ok(Fill::Global(*number, 0)),
            Some(Symbol::Function(number)) => {
                self.called.push((*number, self.line()));
                Ok(Fill::Constant(CODE_WINDOW + u64::from(*number) * 16))
            }
            _ => Err(self.cursor.syntax(format!("`{name}` is not declared"))),
        }
    }

    /// `+8`, `+-8` or nothing.
    fn offset(&mut self) -> Res<(bool, i64)> {
        let minus = if self.cursor.eat("+") {
            self.cursor.eat("-")
        } else if self.cursor.eat("-") {
            true
        } else {
            return Ok((false, 0));
        };
        let number = self.cursor.number()? as i64;
        Ok((true, if minus { -number } else { number }))
    }

    /// `[base+offset]`.
    pub fn address(&mut self, space: Space) -> Res<Address> {
        self.cursor.expect("[")?;
        let word = self.cursor.peek();
        let found = self.find(word);
        let (base, offset, space) = if let Some(Name::Register(slot, ty)) = found {
            if ty.bytes() < 4 {
                return Err(self.cursor.syntax(format!("`{word}` holds no address")));
            }
            self.cursor.next()?;
            let (_, offset) = self.offset()?;
            // A function's parameters lie in its frame.
            let local = space == Space::Param && !self.kernel;
            (slot, offset, if local { Space::Local } else { space })
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            let base = self.cursor.number()?;
            (self.constant(base), 0, space)
        } else {
            self.cursor.next()?;
            let fill = self.address_of(word)?;
            let (_, offset) = self.offset()?;
            let space = match (found, space) {
                (Some(Name::Local(..)), Space::Param) => Space::Local,
                _ => space,
            };
            (self.filled(moved(fill, offset)), 0, space)
        };
        self.cursor.expect("]")?;
        let offset = i32::try_from(offset);
        let offset = offset.map_err(|_| self.cursor.syntax("an offset beyond 32 bits"))?;
        Ok(Address {
            base,
            offset,
            space,
        })
    }

    /// `{a, b}`, or one operand without braces.
    pub fn list(&mut self, mut one: impl FnMut(&mut Self) -> Res<Slot>) -> Res<Vec<Slot>> {
        if !self.cursor.eat("{") {
            return Ok(vec![one(self)?]);
        }
        let mut found = vec![one(self)?];
        while self.cursor.eat(",") {
            found.push(one(self)?);
        }
        self.cursor.expect("}")?;
        Ok(found)
    }

    /// A special register, if the word is one.
    fn special(&mut self, word: &'a str) -> Res<Option<Slot>> {
        use Special::*;
        let axis = |name: &str| {
            let axis = word.strip_prefix(name)?;
            Some(match axis {
                ".x" => 0,
                ".y" => 1,
                ".z" => 2,
                _ => return None,
            })
        };
        let clock = match word {
            "%clock" => Some(Clock::Cycles),
            "%clock_hi" => Some(Clock::CyclesHigh),
            "%clock64" => Some(Clock::Cycles64),
            "%globaltimer" => Some(Clock::Nanoseconds),
            "%globaltimer_lo" => Some(Clock::NanosecondsLow),
            "%globaltimer_hi" => Some(Clock::NanosecondsHigh),
            _ => None,
        };
        if let Some(clock) = clock {
            self.cursor.next()?;
            let slot = self.temporary();
            self.emit(Op::Clock(clock), slot, [SINK; 4]);
            return Ok(Some(slot));
        }
        // Environment registers belong to a driver; this one has nothing to say in them.
        if word == "WARP_SZ" || word.starts_with("%envreg") {
            self.cursor.next()?;
            let value = if word == "WARP_SZ" { 32 } else { 0 };
            return Ok(Some(self.constant(value)));
        }
        let special = match word {
            "%laneid" => LaneId,
            "%warpid" => WarpId,
            "%nwarpid" => WarpCount,
            "%lanemask_eq" => LaneMaskEq,
            "%lanemask_lt" => LaneMaskLt,
            "%lanemask_le" => LaneMaskLe,
            "%lanemask_gt" => LaneMaskGt,
            "%lanemask_ge" => LaneMaskGe,
            "%smid" => MultiprocessorId,
            "%nsmid" => MultiprocessorCount,
            "%gridid" => GridId,
            "%dynamic_smem_size" => DynamicSharedSize,
            "%total_smem_size" => TotalSharedSize,
            _ => {
                let tid = axis("%tid").map(Tid);
                let tid = tid.or_else(|| axis("%ntid").map(Ntid));
                let tid = tid.or_else(|| axis("%ctaid").map(Ctaid));
                match tid.or_else(|| axis("%nctaid").map(Nctaid)) {
                    Some(special) => special,
                    None if word.starts_with('%') => return Err(self.cursor.unknown(word)),
                    None => return Ok(None),
                }
            }
        };
        self.cursor.next()?;
        Ok(Some(self.filled(Fill::Special(special))))
    }
}

fn moved(fill: Fill, by: i64) -> Fill {
    match fill {
        Fill::Constant(value) => Fill::Constant(value.wrapping_add_signed(by)),
        Fill::Global(number, offset) => Fill::Global(number, offset + by),
        Fill::Shared(number, offset) => Fill::Shared(number, offset + by),
        Fill::Local(at) => Fill::Local(at.wrapping_add_signed(by)),
        fixed @ (Fill::Special(_) | Fill::Carry) => fixed,
    }
}

/// The form of a statement: the first word, and the kind of each operand.
pub(crate) fn classes(statement: &[&str], body: &Body) -> String {
    let Some((opcode, words)) = statement.split_first() else {
        return String::new();
    };
    let mut text = opcode.to_string();
    for (at, word) in words.iter().enumerate() {
        let class = match *word {
            "," => ", ",
            "-" | "!" | "_" | "[" | "]" | "{" | "}" | "(" | ")" | "+" | "|" => word,
            w if w.starts_with(|c: char| c.is_ascii_digit()) => "imm",
            w if w.starts_with('%') && body.find(w).is_none() => w,
            w => match body.find(w) {
                Some(Name::Register(_, Type::Pred)) => "p",
                Some(Name::Register(..)) => "r",
                _ => "name",
            },
        };
        if at == 0 {
            text.push(' ');
        }
        text += class;
    }
    text
}
