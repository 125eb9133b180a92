//! Objects: their addresses, and reads of their memory.

use super::{Body, Target};
use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{ObjectKind, Search, Value};
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{ins, line, memory, register};
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

    /// `search`.
    pub(in crate::lower) fn search(&mut self, out: Value, search: Search, args: &[Value]) {
        let names: Vec<String> = args.iter().map(|arg| self.name(*arg)).collect();
        let count = search.arguments().len();
        let [addresses, numbers] = self.search_memory(count + 1, 1);
        line!(self.t, "store i64 {}, ptr {addresses}, align 8", names[0]);
        for (n, (scalar, arg)) in search.arguments().zip(&names[1..]).enumerate() {
            let at = ins!(self.t, "getelementptr i32, ptr {numbers}, i64 {n}");
            line!(self.t, "store {} {arg}, ptr {at}", register(scalar));
        }
        T::search(self, search, [&addresses, &numbers], ("1", 1));
        let at = ins!(self.t, "getelementptr i32, ptr {numbers}, i64 {count}");
        self.names[out.0 as usize] = ins!(self.t, "load i32, ptr {at}");
    }

    /// Memory for the addresses and the numbers of a search, so many for each lane.
    pub(in crate::lower) fn search_memory(&mut self, count: usize, lanes: usize) -> [String; 2] {
        let addresses = self.once(format!("%search.at{lanes}"), |body, name| {
            line!(body.head, "{name} = alloca [{lanes} x i64], align 64");
        });
        let numbers = self.once(format!("%search{count}.{lanes}"), |body, name| {
            let size = lanes * count;
            line!(body.head, "{name} = alloca [{size} x i32], align 64");
        });
        [addresses, numbers]
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
