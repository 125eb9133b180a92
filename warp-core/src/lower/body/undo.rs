//! Taking back what a log entry holds.

use crate::lower::body::{Body, Target};
use crate::lower::emit::text::{ins, line};
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// Writes a logged content back to where it came from, and goes on at `next`. `size` names its bytes where entries
    /// differ in them.
    pub(in crate::lower) fn write_back(
        &mut self,
        at: &str,
        content: &str,
        size: Option<&str>,
        next: &str,
    ) {
        let sizes: Vec<usize> = self.facts.logs.iter().copied().collect();
        for (k, bytes) in sizes.iter().enumerate() {
            let bits = 8 * bytes;
            // The last size needs no test.
            let other = (k + 1 < sizes.len()).then(|| {
                let (this, other) = (self.t.new_label("size"), self.t.new_label("other"));
                let size = size.unwrap_or("0");
                let is = ins!(self.t, "icmp eq i64 {size}, {bytes}");
                line!(self.t, "br i1 {is}, label %{this}, label %{other}");
                self.t.start(&this);
                other
            });
            let old = ins!(self.t, "load i{bits}, ptr {content}, align {bytes}");
            line!(self.t, "store i{bits} {old}, ptr {at}, align {bytes}");
            line!(self.t, "br label %{next}");
            if let Some(other) = other {
                self.t.start(&other);
            }
        }
    }
}
