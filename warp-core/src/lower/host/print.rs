//! Printing: one call of the runtime for each `print`.

use super::target::Host;
use crate::abi::runtime;
use crate::ir::Value;
use crate::lower::body::Body;
use crate::lower::emit::text::{ins, line};
use std::fmt::Write;

impl Body<'_, Host<'_>> {
    /// `print`: tags and 8-byte slots, as [`runtime::PRINT`] wants them.
    pub(super) fn print(&mut self, format: &str, args: &[Value]) {
        let k = self.tail.globals.len();
        let (tags, slots) = self.print_slots(args);
        let tags_name = format!("@w.tags{k}");
        let format_name = format!("@w.format{k}");
        self.tail.globals.push(format!(
            "{format_name} = private constant {}\n{tags_name} = private constant {}\n",
            bytes(format.as_bytes()),
            bytes(tags.as_bytes())
        ));
        let count = slots.len() + 1;
        line!(self.head, "%print{k} = alloca [{count} x i64], align 8");
        line!(self.t, "store ptr {tags_name}, ptr %print{k}, align 8");
        for (i, slot) in slots.iter().enumerate() {
            let at = ins!(
                self.t,
                "getelementptr i8, ptr %print{k}, i64 {}",
                8 * (i + 1)
            );
            line!(self.t, "store i64 {slot}, ptr {at}, align 8");
        }
        let (call, length) = (runtime::PRINT, format.len());
        line!(
            self.t,
            "call void @{call}(ptr %ctx, ptr {format_name}, i64 {length}, ptr %print{k})"
        );
    }
}

/// A NUL-terminated array of bytes.
fn bytes(text: &[u8]) -> String {
    let mut out = format!("[{} x i8] c\"", text.len() + 1);
    for b in text {
        match b {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => {
                let _ = write!(out, "\\{b:02X}");
            }
            _ => out.push(char::from(*b)),
        }
    }
    out + "\\00\""
}
