//! Where a subrange ends at the latest.

use super::super::target::Host;
use super::super::threads::FIRST;
use super::NEVER;
use crate::ir::Op;
use crate::lower::analysis::split::End;
use crate::lower::body::Body;
use crate::lower::emit::text::ins;
use std::fmt::Write;

impl<'a> Body<'a, Host<'a>> {
    /// The first of these ends and another one.
    pub(super) fn end_of(
        &mut self,
        ends: impl IntoIterator<Item = End>,
        mut end: String,
    ) -> String {
        for one in ends {
            let after = self.threads_until(one);
            end = self.sooner(&end, &after);
        }
        end
    }

    /// The earlier one of an end and another one, which is so many threads further.
    pub(super) fn sooner(&mut self, end: &str, after: &str) -> String {
        let at = ins!(self.t, "add nsw i64 {FIRST}, {after}");
        ins!(self.t, "call i64 @llvm.smin.i64(i64 {end}, i64 {at})")
    }

    /// How many threads further a subrange ends at the latest: 1 or more.
    pub(super) fn threads_until(&mut self, end: End) -> String {
        match end {
            End::Compare { op, sides, rise } => {
                let [a, b] = sides.map(|v| self.begun(v));
                let apart = ins!(self.t, "sub nsw i64 {a}, {b}");
                // The comparison changes where the difference reaches a number, or falls below it.
                let at = match op {
                    Op::Le | Op::Gt => 1,
                    _ => 0,
                };
                let equal = matches!(op, Op::Eq | Op::Ne);
                let left = match (rise > 0, equal) {
                    (true, _) => ins!(self.t, "sub nsw i64 {at}, {apart}"),
                    (false, true) => apart.clone(),
                    (false, false) => ins!(self.t, "add nsw i64 {apart}, {}", 1 - at),
                };
                let threads = self.ceiling(&left, rise.abs());
                let ahead = ins!(self.t, "icmp sgt i64 {left}, 0");
                let mut until = ins!(self.t, "select i1 {ahead}, i64 {threads}, i64 {NEVER}");
                if equal {
                    let here = ins!(self.t, "icmp eq i64 {apart}, 0");
                    until = ins!(self.t, "select i1 {here}, i64 1, i64 {until}");
                }
                until
            }
            End::Quotient { of, by, rise } => {
                let [of, by] = [of, by].map(|v| self.begun(v));
                let by = self.divisor(&by);
                let done = ins!(self.t, "srem i64 {of}, {by}");
                let left = ins!(self.t, "sub nsw i64 {by}, {done}");
                // Quotients of negative numbers are not followed.
                let negative = ins!(self.t, "icmp slt i64 {of}, 0");
                let natural = ins!(self.t, "sub nsw i64 0, {of}");
                let left = ins!(self.t, "select i1 {negative}, i64 {natural}, i64 {left}");
                self.ceiling(&left, rise)
            }
            End::Wrap { of, rise } => {
                let of = self.begun(of);
                let left = match rise > 0 {
                    true => ins!(self.t, "sub nsw i64 {}, {of}", i32::MAX),
                    false => ins!(self.t, "sub nsw i64 {of}, {}", i32::MIN),
                };
                let threads = match rise.abs() {
                    1 => left,
                    by => ins!(self.t, "sdiv i64 {left}, {by}"),
                };
                ins!(self.t, "add nsw i64 {threads}, 1")
            }
        }
    }

    /// A quotient by a known number, rounded up.
    pub(super) fn ceiling(&mut self, of: &str, by: i64) -> String {
        if by == 1 {
            return of.into();
        }
        let more = ins!(self.t, "add nsw i64 {of}, {}", by - 1);
        ins!(self.t, "sdiv i64 {more}, {by}")
    }

    /// A divisor that is not 0, or less.
    pub(super) fn divisor(&mut self, by: &str) -> String {
        let some = ins!(self.t, "icmp sgt i64 {by}, 0");
        ins!(self.t, "select i1 {some}, i64 {by}, i64 1")
    }
}
