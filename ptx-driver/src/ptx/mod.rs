//! PTX text to instructions.
//!
//! The opposite of lenient: an instruction, modifier, type or directive that is not known is refused by its name, never left out.
//! Only what cannot change a result is dropped: hints for caches and registers, and information for debuggers.
//!
//! - `token`, `form`: words; the opcode with its modifiers. `types`, `refusal`: types and spaces; why a text is refused.
//! - `value`: what instructions compute. `code`: instructions as the machine runs them. `module`: what a text declares.
//! - `symbols`, `body`: names of a module, and of a function's body that is being read.
//! - `operand`, `decode`, `statement`, `directive`: read operands, instructions, bodies and modules. `layout`: what follows of calls.

mod body;
pub(crate) mod code;
mod decode;
mod directive;
mod form;
mod layout;
mod module;
mod operand;
mod refusal;
mod statement;
mod symbols;
mod token;
pub(crate) mod types;
pub(crate) mod value;

pub(crate) use module::Entry;
pub use module::{Global, Kernel, Module, Param};
pub use refusal::{Refusal, Why};
pub use types::Space;

use std::collections::BTreeSet;

impl Module {
    /// Reads a text.
    ///
    /// # Errors
    /// If it is no PTX, or has something that this driver does not know.
    pub fn parse(text: &str) -> Result<Module, Refusal> {
        directive::parse(text).map(|(module, _)| module)
    }
}

/// The distinct forms of instructions that a text has: opcode, modifiers and kinds of operands.
///
/// # Errors
/// As [`Module::parse`].
pub fn forms(text: &str) -> Result<BTreeSet<String>, Refusal> {
    directive::parse(text).map(|(_, forms)| forms)
}
