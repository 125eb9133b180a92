//! Statements that fault unless something holds.

use super::{Body, Target};
use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{Requirement, Value};
use crate::lower::analysis::range::Range;
use crate::lower::emit::text::ins;
use std::fmt::Write;

impl<'a, T: Target> Body<'a, T> {
    /// `require`: a fault unless the condition holds.
    pub(super) fn require(&mut self, cond: Value, what: Requirement) {
        let cond = self.name(cond);
        let bad = ins!(self.t, "xor i1 {cond}, true");
        let code = match what {
            Requirement::Assertion => abi::fault::ASSERTION,
            Requirement::Assigned => abi::fault::UNASSIGNED,
        };
        self.fail_if(&bad, code, "0", "0");
    }

    /// `check`: what follows in this block may rely on it.
    pub(super) fn check(&mut self, args: &[Value], size: Option<u32>) {
        let (index, given) = (args[0], args[1]);
        let hi = match size {
            Some(size) => i128::from(size) - 1,
            None => self.ranges.of(args[2]).hi - 1,
        };
        let range = Range { lo: 0, hi };
        let known = size.is_some() && self.ranges.of(index).within(range);
        if !self.options.check_bounds || known {
            return;
        }
        let (at, given) = (self.name(index), self.name(given));
        let (ty, narrow) = match self.ty(index) {
            Scalar::I32 => ("i32", true),
            _ => ("i64", false),
        };
        let mut wide = |name: String| match narrow {
            true => ins!(self.t, "sext i32 {name} to i64"),
            false => name,
        };
        let given = wide(given);
        let (size, most) = match size {
            Some(size) => (size.to_string(), size.to_string()),
            None => {
                let name = self.names[args[2].0 as usize].clone();
                (name.clone(), wide(name))
            }
        };
        let bad = ins!(self.t, "icmp uge {ty} {at}, {size}");
        self.fail_if(&bad, abi::fault::INDEX, &given, &most);
        if hi >= 0 {
            self.ranges.restrict(index, range);
        }
    }
}
