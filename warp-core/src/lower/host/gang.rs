//! A body that runs one thread at a time, and adds up as gangs in lanes do: each lane has a sum of its own, and these
//! come together where the call ends. So sums are the same on machines where lanes are not worth their access to memory.

use crate::lower::body::Body;
use crate::lower::emit::text::{ins, line, register};
use crate::lower::host::target::Host;
use std::fmt::Write;

impl<'a> Body<'a, Host<'a>> {
    /// Where a row starts: the end of the threads that run here, and the block behind their loop.
    pub(super) fn start_gangs(&mut self, [lo, hi]: [&str; 2], behind: &str) -> (String, String) {
        let epilogue = self
            .target
            .gang
            .as_ref()
            .filter(|gang| gang.epilogue.is_some());
        let Some(width) = epilogue.map(|gang| gang.width) else {
            return (hi.into(), behind.into());
        };
        let count = ins!(self.t, "sub nsw i64 {hi}, {lo}");
        let whole = ins!(self.t, "and i64 {count}, {}", -(width as i64));
        let end = ins!(self.t, "add nsw i64 {lo}, {whole}");
        let some = ins!(self.t, "icmp slt i64 {lo}, {end}");
        line!(self.t, "br i1 {some}, label %gangs, label %left");
        self.t.start("gangs");
        (end, "left".into())
    }

    /// Where a row ends: the threads that fill no gang.
    pub(super) fn end_gangs(&mut self, [end, hi]: [&str; 2], behind: &str) {
        let Some(epilogue) = self
            .target
            .gang
            .as_ref()
            .and_then(|gang| gang.epilogue.clone())
        else {
            return;
        };
        self.t.start("left");
        let some = ins!(self.t, "icmp slt i64 {end}, {hi}");
        line!(self.t, "br i1 {some}, label %epilogue, label %{behind}");
        self.t.start("epilogue");
        self.hand_over(&epilogue, [end, hi], behind);
    }

    /// Where the thread in the place `at` of a row starts that begins at `lo`: what its lane has.
    pub(super) fn start_lane(&mut self, at: &str, lo: &str) {
        let Some(width) = self.width_of_gang() else {
            return;
        };
        let at = ins!(self.t, "sub nsw i64 {at}, {lo}");
        line!(self.t, "%lane = and i64 {at}, {}", width - 1);
        for (k, _, ty) in self.slots() {
            let r = register(ty);
            line!(
                self.t,
                "%lane{k} = getelementptr inbounds {r}, ptr %lanes{k}, i64 %lane"
            );
            let sum = ins!(self.t, "load {r}, ptr %lane{k}");
            line!(self.t, "store {r} {sum}, ptr %mine{k}");
        }
    }

    /// Where a thread ends: what its lane has then.
    pub(super) fn end_lane(&mut self) {
        for (k, _, ty) in self.slots() {
            let r = register(ty);
            let sum = ins!(self.t, "load {r}, ptr %mine{k}");
            line!(self.t, "store {r} {sum}, ptr %lane{k}");
        }
    }

    /// Lanes of the gangs whose sums this body finds, if it does.
    pub(super) fn width_of_gang(&self) -> Option<usize> {
        self.target.gang.as_ref().map(|gang| gang.width)
    }
}
