//! Instructions that are a function of their operands.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK};
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::integer::Plain;

impl Body<'_, '_> {
    /// Reads result and operands and appends a function of them: the first two of one type, the third of another.
    pub(super) fn plain(&mut self, op: Plain, to: Type, from: Type, third: Type) -> Res<()> {
        let d = self.destination(to)?;
        let a = self.then(from)?;
        let (op, rest) = match op {
            Plain::Unary(f) => (Op::Unary(f), [SINK; 3]),
            Plain::Binary(f) => (Op::Binary(f), [self.then(from)?, SINK, SINK]),
            Plain::Ternary(f) => (Op::Ternary(f), [self.then(from)?, self.then(third)?, SINK]),
            Plain::Quaternary(f) => {
                let (b, c) = (self.then(from)?, self.then(third)?);
                (Op::Quaternary(f), [b, c, self.then(third)?])
            }
        };
        let [b, c, e] = rest;
        self.emit(op, d, [a, b, c, e]);
        Ok(())
    }

    /// A result and three operands.
    pub(super) fn four(&mut self, to: Type, from: Type, third: Type) -> Res<(u32, u32, u32, u32)> {
        let d = self.destination(to)?;
        Ok((d, self.then(from)?, self.then(from)?, self.then(third)?))
    }
}
