//! Reads of the memory of objects.

use crate::dtype::Scalar;
use crate::ir::Value;
use crate::lower::body::Target;
use crate::lower::emit::text::{ins, memory};
use crate::lower::host::lanes::group::Group;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::target::Host;
use std::fmt::Write;

impl Group<'_> {
    /// `read`.
    pub(in crate::lower::host::lanes) fn read_object(
        &mut self,
        out: Value,
        scalar: Scalar,
        args: &[Value],
    ) {
        if self.is_uniform(out) {
            return self.body.read_object(out, scalar, args);
        }
        let (unit, ty) = (memory(scalar).to_string(), self.body.ty(args[1]));
        let index = self.vector(args[1]);
        let access = if self.is_uniform(args[0]) {
            let start = self.body.name(args[0]);
            let start = Host::reach(&mut self.body.t, &start);
            Access::Offset(start, (unit, ty, index))
        } else {
            let (starts, lanes) = (self.vector(args[0]), self.width);
            let (v, by) = (self.vector_type(Scalar::U64), self.vector_type(ty));
            let at = ins!(self.body.t, "inttoptr {v} {starts} to <{lanes} x ptr>");
            Access::Apart(ins!(
                self.body.t,
                "getelementptr {unit}, <{lanes} x ptr> {at}, {by} {index}"
            ))
        };
        self.read_into(out, &access);
    }
}
