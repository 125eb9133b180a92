//! Values as 64-bit integers, where nothing wraps.

use super::{Body, Target, held_name};
use crate::dtype::Scalar;
use crate::ir::{Const, Op, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::emit::text::ins;
use std::fmt::Write;

impl<'a, T: Target> Body<'a, T> {
    /// Whether a value is what its sums and products say without wrapping, however deep [`Body::wide`] looks.
    pub(in crate::lower) fn is_exact(&self, value: Value) -> bool {
        match self.facts.defs[value.0 as usize] {
            _ if self.facts.held(value).is_some() => true,
            Def::Let(Op::Const(_) | Op::Tid(_) | Op::Shape(..), _) | Def::Index(_) => true,
            Def::Let(Op::Cast, args) => self.ty(value).bits() == 64 && self.is_exact(args[0]),
            Def::Let(Op::Add | Op::Sub | Op::Mul, args) => {
                self.ranges.fits(value) && args.iter().all(|a| self.is_exact(*a))
            }
            Def::Let(Op::Param(..), _) => true,
            _ => false,
        }
    }

    /// An int32 or int64 value as i64. Sums and products that do not wrap are formed in 64 bits, so that
    /// LLVM sees how addresses grow with the thread index.
    pub fn wide(&mut self, value: Value, depth: u32) -> String {
        self.wide_where(value, depth, &[])
    }

    /// [`Body::wide`], where some sums and products are known not to wrap.
    pub(in crate::lower) fn wide_where(
        &mut self,
        value: Value,
        depth: u32,
        exact: &[Value],
    ) -> String {
        let ty = self.ty(value);
        if ty == Scalar::I32 && self.facts.held(value).is_some() && !self.begins {
            return format!("{}.wide", held_name(value));
        }
        match self.facts.defs[value.0 as usize] {
            Def::Let(Op::Const(Const::Int(i)), _) => i.to_string(),
            Def::Let(Op::Tid(d), _) => format!("{}.wide", self.tid(d)),
            Def::Let(Op::Shape(id, d), _) => self.extent_wide(id, d as usize),
            Def::Let(Op::Cast, args) if ty == Scalar::I64 && self.ty(args[0]) == Scalar::I32 => {
                self.wide_where(args[0], depth, exact)
            }
            Def::Let(op @ (Op::Add | Op::Sub | Op::Mul), args)
                if ty == Scalar::I32
                    && depth > 0
                    && (exact.contains(&value) || self.ranges.fits(value)) =>
            {
                let [a, b] = [args[0], args[1]].map(|v| self.wide_where(v, depth - 1, exact));
                let name = op.name().expect("named");
                let flag = if self.partial { "" } else { "nsw " };
                ins!(self.t, "{name} {flag}i64 {a}, {b}")
            }
            _ if ty == Scalar::I32 => {
                let name = self.name(value);
                ins!(self.t, "sext i32 {name} to i64")
            }
            _ => self.name(value),
        }
    }
}
