//! Checks of all lanes: the lowest one that fails says what is wrong.

use super::gang::GangBody;
use crate::dtype::Scalar;
use crate::lower::emit::text::{ins, line, register};
use std::fmt::Write;

/// A number of a message.
pub enum Said<'s> {
    /// The same for all lanes (i64).
    Same(&'s str),
    /// One for each lane: an integer vector.
    Each(Scalar, &'s str),
}

impl GangBody<'_> {
    /// Ends the kernel with a run-time error if `bad` holds in a lane that runs.
    pub(super) fn fail_lanes(&mut self, bad: &str, code: i32, a: &Said<'_>, b: &Said<'_>) {
        let lanes = self.width;
        let (bits, some) = self.bits(bad);
        let [lowest, fine] = ["lowest", "fine"].map(|l| self.body.t.new_label(l));
        line!(
            self.body.t,
            "br i1 {some}, label %{lowest}, label %{fine}, !prof !6"
        );
        self.body.t.start(&lowest);
        let lane = ins!(
            self.body.t,
            "call i{lanes} @llvm.cttz.i{lanes}(i{lanes} {bits}, i1 true)"
        );
        let [a, b] = [a, b].map(|said| match said {
            Said::Same(name) => (*name).to_string(),
            Said::Each(ty, vector) => {
                let (v, r) = (self.vector_type(*ty), register(*ty));
                let one = ins!(self.body.t, "extractelement {v} {vector}, i{lanes} {lane}");
                match ty.bits() {
                    64 => one,
                    _ if ty.is_signed() => ins!(self.body.t, "sext {r} {one} to i64"),
                    _ => ins!(self.body.t, "zext {r} {one} to i64"),
                }
            }
        });
        line!(self.body.t, "br label %fault");
        self.body.note_fault(code, &a, &b);
        self.body.t.start(&fine);
    }

    /// For which lanes that run this holds, as bits, and whether for any.
    fn bits(&mut self, of: &str) -> (String, String) {
        let lanes = self.width;
        let of = self.and(of);
        let bits = ins!(self.body.t, "bitcast <{lanes} x i1> {of} to i{lanes}");
        let some = ins!(self.body.t, "icmp ne i{lanes} {bits}, 0");
        (bits, some)
    }

    /// Whether this holds for any lane that runs.
    pub(super) fn any(&mut self, of: &str) -> String {
        self.bits(of).1
    }
}
