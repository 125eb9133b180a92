//! Names of a module, and how variables are declared.

use super::code::{Function, SharedVariable};
use super::module::Global;
use super::refusal::Res;
use super::token::Cursor;
use super::types::Type;
use std::collections::HashMap;

/// Bytes of a variable at most.
const LONGEST: u64 = 1 << 32;

/// What a name of the module stands for, by number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symbol {
    Global(u32),
    Shared(u32),
    Function(u32),
}

/// What a module has declared so far.
#[derive(Default)]
pub(crate) struct Symbols<'a> {
    pub names: HashMap<&'a str, Symbol>,
    pub globals: Vec<Global>,
    pub shared: Vec<SharedVariable>,
    pub functions: Vec<Function>,
}

impl<'a> Symbols<'a> {
    /// The number of a function, new if its name is.
    pub fn function(&mut self, name: &'a str) -> u32 {
        if let Some(Symbol::Function(number)) = self.names.get(name) {
            return *number;
        }
        let number = self.functions.len() as u32;
        self.functions.push(Function {
            name: name.into(),
            ..Function::default()
        });
        self.names.insert(name, Symbol::Function(number));
        number
    }

    /// Adds a variable in shared memory. Those of functions get no name here.
    pub fn add_shared(&mut self, variable: &Variable) -> u32 {
        self.shared.push(SharedVariable {
            bytes: variable.bytes,
            align: variable.align,
            dynamic: variable.open,
        });
        self.shared.len() as u32 - 1
    }
}

/// A declared variable.
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    pub ty: Type,
    pub bytes: u64,
    pub align: u64,
    /// An array whose length is left open.
    pub open: bool,
}

/// Reads `.align 4 .b8 name[24]`, behind the state space.
pub(crate) fn variable<'a>(cursor: &mut Cursor<'a>) -> Res<Variable<'a>> {
    let (mut align, mut elements, mut ty) = (None, 1, None);
    let name = loop {
        let word = cursor.peek();
        match word {
            // These describe what a parameter points to, not the parameter.
            ".ptr" => {
                cursor.next()?;
                while matches!(cursor.peek(), ".global" | ".shared" | ".local" | ".const") {
                    cursor.next()?;
                }
                if cursor.eat(".align") {
                    cursor.number()?;
                }
                continue;
            }
            ".align" => {
                cursor.next()?;
                let bytes = cursor.number()?;
                if !bytes.is_power_of_two() {
                    return Err(cursor.syntax(format!("an alignment of {bytes}")));
                }
                align = Some(bytes);
                continue;
            }
            ".v2" => elements = 2,
            ".v4" => elements = 4,
            _ => match word.strip_prefix('.') {
                Some(name) => {
                    ty = Some(Type::named(name).ok_or_else(|| cursor.unknown(word))?);
                }
                None => break cursor.next()?,
            },
        }
        cursor.next()?;
    };
    let ty = ty.ok_or_else(|| cursor.syntax(format!("`{name}` has no type")))?;
    let element = u64::from(ty.bytes()) * elements;
    let (mut bytes, mut open) = (element, false);
    while cursor.eat("[") {
        if cursor.eat("]") {
            open = true;
            continue;
        }
        let product = bytes.checked_mul(cursor.number()?);
        let product = product.filter(|bytes| *bytes <= LONGEST);
        bytes = product.ok_or_else(|| cursor.syntax("the array is too long"))?;
        cursor.expect("]")?;
    }
    let align = align.unwrap_or(element).max(u64::from(ty.bytes()));
    Ok(Variable {
        name,
        ty,
        bytes: if open { 0 } else { bytes },
        align,
        open,
    })
}
