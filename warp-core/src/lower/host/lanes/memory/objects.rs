//! Reads of the memory of objects, and searches.

use crate::dtype::Scalar;
use crate::ir::{Search, Value};
use crate::lower::body::Target;
use crate::lower::emit::text::{ins, line, memory, register};
use crate::lower::host::lanes::group::Group;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::target::Host;
use std::fmt::Write;

impl Group<'_> {
    /// `search`: lane by lane.
    pub(in crate::lower::host::lanes) fn search(
        &mut self,
        out: Value,
        search: Search,
        args: &[Value],
    ) {
        if self.is_uniform(out) {
            return self.body.search(out, search, args);
        }
        let lanes = self.width;
        let mut stored = Vec::new();
        for arg in args {
            if self.is_uniform(*arg) {
                stored.push(None);
                continue;
            }
            let (each, v) = (
                register(self.body.ty(*arg)),
                self.vector_type(self.body.ty(*arg)),
            );
            let (to, vector) = (self.lane_memory(each), self.vector(*arg));
            line!(self.body.t, "store {v} {vector}, ptr {to}, align 64");
            stored.push(Some((to, each)));
        }
        let results = self.lane_memory("i32");
        self.each_lane(|group, lane| {
            let mut names: Vec<String> = Vec::new();
            for (arg, stored) in args.iter().zip(&stored) {
                names.push(match stored {
                    None => group.body.name(*arg),
                    Some((from, each)) => {
                        let at = ins!(group.body.t, "getelementptr {each}, ptr {from}, i64 {lane}");
                        ins!(group.body.t, "load {each}, ptr {at}")
                    }
                });
            }
            let found = group.body.search_for(search, &names[0], &names[1..]);
            let at = ins!(group.body.t, "getelementptr i32, ptr {results}, i64 {lane}");
            line!(group.body.t, "store i32 {found}, ptr {at}");
        });
        let found = ins!(self.body.t, "load <{lanes} x i32>, ptr {results}, align 64");
        self.vectors[out.0 as usize] = found;
    }

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
