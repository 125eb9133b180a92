//! A strip: some iterations of a loop that may run for long (`long_loop.rs`), between two looks at whether to go on.

use crate::lower::emit::text::{Text, ins};
use std::fmt::Write;

/// The iterations of a loop that are left, by what counts them: at least one.
pub struct Strip<'a> {
    /// Type of the counter.
    pub register: &'static str,
    /// The next iteration.
    pub at: &'a str,
    /// Where the loop ends: this iteration is none of it.
    pub to: &'a str,
    /// The counter counts down.
    pub down: bool,
}

impl Strip<'_> {
    /// The ends in order.
    pub fn high_low(&self) -> (&str, &str) {
        if self.down {
            (self.at, self.to)
        } else {
            (self.to, self.at)
        }
    }

    /// The iteration that comes `iterations` (i64, not beyond the end of the loop) later.
    pub fn after(&self, t: &mut Text, iterations: &str) -> String {
        let r = self.register;
        let mut iterations = iterations.to_string();
        if r != "i64" {
            iterations = ins!(t, "trunc i64 {iterations} to {r}");
        }
        let how = if self.down { "sub" } else { "add" };
        ins!(t, "{how} {r} {}, {iterations}", self.at)
    }
}
