//! What the bodies of a kernel leave to the entry point: numbers that it computes, once a call, and conditions on them.

use super::text::{Text, ins, memory, read};
use crate::dtype::Scalar;
use std::collections::HashMap;
use std::fmt::Write;

/// What the entry point computes, and what must hold for the bodies that rely on it.
#[derive(Debug)]
pub struct Claims {
    /// The instructions.
    pub text: Text,
    /// Names of the conditions (i1).
    pub conditions: Vec<String>,
    names: HashMap<String, String>,
}

impl Default for Claims {
    fn default() -> Claims {
        Claims {
            text: Text::new("c"),
            conditions: Vec::new(),
            names: HashMap::new(),
        }
    }
}

impl Claims {
    /// The name of an instruction's result; equal instructions are written once.
    pub fn write(&mut self, instruction: String) -> String {
        if let Some(name) = self.names.get(&instruction) {
            return name.clone();
        }
        let name = ins!(self.text, "{instruction}");
        self.names.insert(instruction, name.clone());
        name
    }

    /// Something from the argument block, as i64.
    pub fn argument(&mut self, ty: Scalar, offset: usize) -> String {
        let key = format!("{ty} at {offset}");
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let mem = memory(ty);
        let mut name = read(&mut self.text, mem, offset, ty.size());
        if ty.bits() < 64 {
            let how = if ty.is_signed() { "sext" } else { "zext" };
            name = ins!(self.text, "{how} {mem} {name} to i64");
        }
        self.names.insert(key, name.clone());
        name
    }
}
