//! Printing: a record in a buffer that the program which launched prints from.

use super::target::Grid;
use crate::abi::grid;
use crate::ir::Value;
use crate::lower::body::Body;
use crate::lower::emit::text::{ins, line};
use crate::lower::options::Printed;
use std::fmt::Write;

impl Body<'_, Grid> {
    /// `print`: the number of the statement and its slots. What finds no room is counted only.
    pub(super) fn print(&mut self, format: &str, args: &[Value]) {
        let (tags, slots) = self.print_slots(args);
        let number = self.tail.prints.len();
        self.tail.prints.push(Printed {
            format: format.into(),
            tags,
        });
        let bytes = 8 * (slots.len() + 1);
        let header = self.once("%print".into(), |b, name| {
            let at = ins!(
                b.head,
                "getelementptr inbounds i8, ptr %launch, i64 {}",
                grid::PRINT
            );
            line!(b.head, "{name} = load ptr, ptr {at}, align 8");
        });
        let [room, printed] = ["room", "printed"].map(|l| self.t.new_label(l));
        let at = ins!(
            self.t,
            "atomicrmw add ptr {header}, i64 {bytes} monotonic, align 8"
        );
        let end = ins!(self.t, "add i64 {at}, {bytes}");
        let size_at = ins!(
            self.t,
            "getelementptr i8, ptr {header}, i64 {}",
            grid::PRINT_SIZE
        );
        let size = ins!(self.t, "load i64, ptr {size_at}, align 8");
        let fits = ins!(self.t, "icmp ule i64 {end}, {size}");
        line!(self.t, "br i1 {fits}, label %{room}, label %{printed}");
        self.t.start(&room);
        let from = ins!(
            self.t,
            "getelementptr i8, ptr {header}, i64 {}",
            grid::PRINT_HEADER
        );
        let record = ins!(self.t, "getelementptr i8, ptr {from}, i64 {at}");
        line!(self.t, "store i64 {number}, ptr {record}, align 8");
        for (k, slot) in slots.iter().enumerate() {
            let to = ins!(
                self.t,
                "getelementptr i8, ptr {record}, i64 {}",
                8 * (k + 1)
            );
            line!(self.t, "store i64 {slot}, ptr {to}, align 8");
        }
        line!(self.t, "br label %{printed}");
        self.t.start(&printed);
    }
}
