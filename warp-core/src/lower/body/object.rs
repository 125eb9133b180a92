//! Objects: their addresses, and reads of their memory.

use super::{Body, Target};
use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{ObjectKind, Value};
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{ins, memory};
use std::fmt::Write;

/// What LLVM is told of the memory of objects: nothing changes it while a kernel runs.
pub(in crate::lower) const UNCHANGED: &str = ", !invariant.load !{}";

impl<T: Target> Body<'_, T> {
    /// `object`: a fault if there is none.
    pub(in crate::lower) fn object(&mut self, out: Value, kind: ObjectKind, id: Value) {
        let id = self.name(id);
        let address = T::object(self, kind, &id);
        let none = ins!(self.t, "icmp eq i64 {address}, 0");
        self.fail_if(&none, fault::OBJECT, &id, &(kind as u8).to_string());
        self.names[out.0 as usize] = address;
    }

    /// `read`.
    pub(in crate::lower) fn read_object(&mut self, out: Value, scalar: Scalar, args: &[Value]) {
        let start = self.name(args[0]);
        let start = T::reach(&mut self.t, &start);
        let index = self.wide(args[1], TERMS);
        let mem = memory(scalar);
        let at = ins!(self.t, "getelementptr {mem}, ptr {start}, i64 {index}");
        self.names[out.0 as usize] = self.t.load(scalar, &at, UNCHANGED);
    }
}
