//! Reads of the memory of objects, and searches.

use crate::dtype::Scalar;
use crate::ir::{Search, Value};
use crate::lower::body::Target;
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::target::Host;
use std::fmt::Write;

impl GangBody<'_> {
    /// `search`: of all lanes at once, so that searches that wait for memory take turns.
    pub(in crate::lower::host::lanes) fn search(
        &mut self,
        out: Value,
        search: Search,
        args: &[Value],
    ) {
        if self.is_uniform(out) {
            return self.body.search(out, search, args);
        }
        let (lanes, count) = (self.width, search.arguments().len());
        let [addresses, numbers] = self.body.search_memory(count + 1, lanes);
        for (n, arg) in args.iter().enumerate() {
            let (vector, v) = (self.vector(*arg), self.vector_type(self.body.ty(*arg)));
            let to = match n.checked_sub(1) {
                None => addresses.clone(),
                Some(n) => self.numbers_of(&numbers, n),
            };
            line!(self.body.t, "store {v} {vector}, ptr {to}, align 4");
        }
        let running = match self.mask.clone() {
            None => (u64::MAX >> (64 - lanes)).to_string(),
            Some(mask) => {
                let bits = ins!(self.body.t, "bitcast <{lanes} x i1> {mask} to i{lanes}");
                self.bits_wide(&bits)
            }
        };
        let of = [addresses.as_str(), numbers.as_str()];
        Host::search(&mut self.body, search, of, (&running, lanes));
        let at = self.numbers_of(&numbers, count);
        let found = ins!(self.body.t, "load <{lanes} x i32>, ptr {at}, align 4");
        self.vectors[out.0 as usize] = found;
    }

    /// Where the numbers of all lanes lie that are one argument, or the results.
    fn numbers_of(&mut self, numbers: &str, n: usize) -> String {
        let lanes = self.width;
        ins!(
            self.body.t,
            "getelementptr [{lanes} x i32], ptr {numbers}, i64 {n}"
        )
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
