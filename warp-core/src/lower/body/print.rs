//! What a `print` hands over: tags and 8-byte slots, as [`crate::abi::runtime::PRINT`] wants them.

use crate::dtype::Scalar;
use crate::ir::Value;
use crate::lower::body::{Body, Target};
use crate::lower::emit::text::{ins, register};
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// The tags of values, and the slot of each (i64).
    pub(in crate::lower) fn print_slots(&mut self, args: &[Value]) -> (String, Vec<String>) {
        let mut tags = String::new();
        let mut slots = Vec::new();
        for arg in args {
            let (ty, name) = (self.ty(*arg), self.name(*arg));
            let (tag, slot) = match ty {
                Scalar::Bool => ('b', ins!(self.t, "zext i1 {name} to i64")),
                Scalar::F64 => ('f', ins!(self.t, "bitcast double {name} to i64")),
                _ if ty.is_float() => {
                    let wide = ins!(self.t, "fpext float {name} to double");
                    ('f', ins!(self.t, "bitcast double {wide} to i64"))
                }
                _ => {
                    let (tag, how) = match ty.is_signed() {
                        true => ('i', "sext"),
                        false => ('u', "zext"),
                    };
                    let wide = match ty.bits() {
                        64 => name,
                        _ => ins!(self.t, "{how} {} {name} to i64", register(ty)),
                    };
                    (tag, wide)
                }
            };
            tags.push(tag);
            slots.push(slot);
        }
        (tags, slots)
    }
}
