//! Moves, and addresses between spaces.

use crate::ptx::body::Body;
use crate::ptx::code::{Guard, Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, Space, Type, WINDOW};
use crate::ptx::value::{Unary, integer};

impl Body<'_, '_> {
    pub(super) fn mov(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty()?;
        form.finish()?;
        if ty.bytes() == 1 && ty != Type::Pred || ty.packed() {
            return Err(form.unknown());
        }
        if self.cursor.peek() == "{" {
            return self.unpack(form, ty);
        }
        let d = self.destination(ty)?;
        self.comma()?;
        if self.cursor.peek() == "{" {
            return self.pack(form, ty, d);
        }
        let a = self.source(ty)?;
        self.emit(Op::Move, d, [a, SINK, SINK, 0]);
        Ok(())
    }

    /// Type of each of `count` parts of a value.
    fn part(form: &Form, ty: Type, count: usize) -> Res<Type> {
        match ty.bytes() as usize / count {
            2 if count > 1 => Ok(Type::B16),
            4 if count > 1 => Ok(Type::B32),
            _ => Err(form.unknown()),
        }
    }

    fn unpack(&mut self, form: &Form, ty: Type) -> Res<()> {
        let statement = self.cursor.statement();
        let end = statement.iter().position(|w| *w == "}").unwrap_or(0);
        let count = statement[..end].iter().filter(|w| **w == ",").count() + 1;
        let part = Self::part(form, ty, count)?;
        let parts = self.list(|body| body.destination(part))?;
        let a = self.then(ty)?;
        let ops: [Unary; 4] = match part {
            Type::B32 => [|a| a & 0xffff_ffff, |a| a >> 32, |_| 0, |_| 0],
            _ => [
                |a| a & 0xffff,
                |a| a >> 16 & 0xffff,
                |a| a >> 32 & 0xffff,
                |a| a >> 48,
            ],
        };
        for (d, op) in parts.iter().zip(ops) {
            if *d != SINK {
                self.emit(Op::Unary(op), *d, [a, SINK, SINK, 0]);
            }
        }
        Ok(())
    }

    fn pack(&mut self, form: &Form, ty: Type, d: u32) -> Res<()> {
        let statement = self.cursor.statement();
        let count = statement.iter().filter(|w| **w == ",").count() + 1;
        let part = Self::part(form, ty, count)?;
        let parts = self.list(|body| body.source(part))?;
        if part == Type::B32 {
            let op = |a: u64, b: u64| a & 0xffff_ffff | b << 32;
            self.emit(Op::Binary(op), d, [parts[0], parts[1], SINK, 0]);
            return Ok(());
        }
        let pair = |a: u64, b: u64| a & 0xffff | (b & 0xffff) << 16;
        if count == 2 {
            self.emit(Op::Binary(pair), d, [parts[0], parts[1], SINK, 0]);
            return Ok(());
        }
        let quad = |a: u64, b: u64, c: u64, e: u64| {
            [e, c, b, a]
                .iter()
                .fold(0, |word, part| word << 16 | part & 0xffff)
        };
        let [a, b, c, e] = [parts[0], parts[1], parts[2], parts[3]];
        self.emit(Op::Quaternary(quad), d, [a, b, c, e]);
        Ok(())
    }

    pub(super) fn cvta(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::U64, Type::U32])?;
        let to = form.take("to");
        let space = form.space();
        form.finish()?;
        if space == Space::Generic || ty == Type::U32 {
            return Err(form.unknown());
        }
        let d = self.destination(ty)?;
        let a = self.then(ty)?;
        let window = self.constant(space.window());
        let op = if to {
            integer::subtracting(ty)
        } else {
            integer::adding(ty)
        };
        self.emit(Op::Binary(op), d, [a, window, SINK, 0]);
        Ok(())
    }

    pub(super) fn isspacep(&mut self, form: &mut Form) -> Res<()> {
        let op: Unary = match form.space() {
            Space::Shared => |a| (a.wrapping_sub(SHARED_WINDOW) < WINDOW).into(),
            Space::Local => |a| (a.wrapping_sub(LOCAL_WINDOW) < WINDOW).into(),
            Space::Param => |a| (a.wrapping_sub(PARAM_WINDOW) < WINDOW).into(),
            Space::Global => |a| (!(SHARED_WINDOW..PARAM_WINDOW + WINDOW).contains(&a)).into(),
            // Whether a device pointer is one to constants is known to the driver only.
            Space::Const | Space::Generic => return Err(form.unknown()),
        };
        form.finish()?;
        let d = self.destination(Type::Pred)?;
        let a = self.then(Type::U64)?;
        self.emit(Op::Unary(op), d, [a, SINK, SINK, 0]);
        Ok(())
    }

    /// Keeps the guard's value from now on, where results may overwrite it.
    pub(super) fn hold_guard(&mut self) {
        let guard = self.guard();
        if guard.always() {
            return;
        }
        let held = self.temporary();
        self.set_guard(Guard::ALWAYS);
        self.emit(Op::Move, held, [guard.slot(), SINK, SINK, 0]);
        self.set_guard(guard.moved_to(held));
    }
}
