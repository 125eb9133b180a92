//! Indices that are checked once for a subrange, see [`crate::lower::analysis::split`]: where they grow with the thread index, all
//! are in range if the first and the last one are. What is out of range is left to the body that checks each access.

use super::{Body, Checked, Target};
use crate::dtype::Scalar;
use crate::ir::{Const, Op, ParamId, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::split::Form;
use crate::lower::emit::text::ins;
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// An index as a position from the start, if the subrange is to check it.
    pub(in crate::lower) fn subrange_index(
        &mut self,
        array: ParamId,
        dim: usize,
        index: Value,
    ) -> Option<String> {
        let form = self.facts.split?.forms.of(index);
        if !self.interior || form == Form::Other || self.ty(index) != Scalar::I32 {
            return None;
        }
        if self.is_bounded(index) {
            return None;
        }
        // What is computed in the same way is checked once.
        let index = self.facts.numbers[index.0 as usize];
        let name = Checked::name(index);
        let same = |c: &Checked| c.array == array && c.dim == dim && c.index == index;
        if !self.checked.iter().any(same) {
            self.checked.push(Checked {
                array,
                dim,
                index,
                form,
            });
        }
        let last = self.facts.dims - 1;
        Some(match form {
            Form::Along(step) => {
                let grown = match step {
                    1 => format!("%tid{last}.wide"),
                    step => ins!(self.t, "mul nsw i64 %tid{last}.wide, {step}"),
                };
                ins!(self.t, "add nsw i64 {grown}, {name}")
            }
            _ => name,
        })
    }

    /// Whether the entry point is likely to find an index in range: it is no greater than a thread index, or a condition in force says
    /// how large it is.
    fn is_bounded(&self, index: Value) -> bool {
        if self.ranges.of(index).lo < 0 {
            return false;
        }
        let (mut base, mut more) = (index, 0);
        while let Def::Let(op @ (Op::Add | Op::Sub), [a, b]) = self.facts.defs[base.0 as usize] {
            if !self.ranges.at_most(base).is_empty() {
                return true;
            }
            (base, more) = match (op, self.ranges.constant(*a), self.ranges.constant(*b)) {
                (Op::Add, _, Some(n)) => (*a, more + n),
                (Op::Add, Some(n), _) => (*b, more + n),
                (Op::Sub, _, Some(n)) => (*a, more - n),
                _ => break,
            };
        }
        match self.facts.defs[base.0 as usize] {
            _ if !self.ranges.at_most(base).is_empty() => true,
            Def::Let(Op::Const(Const::Int(_)) | Op::Param(..) | Op::Shape(..), _) => true,
            Def::Let(Op::Tid(_), _) => more <= 0,
            _ => false,
        }
    }
}
