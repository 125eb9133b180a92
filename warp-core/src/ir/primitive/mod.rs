//! Primitives: pure operations that are a plain name with a typing rule.
//!
//! One row per primitive holds all that is known about it: name, typing rule, cost, what the interpreter computes,
//! its derivative, how the host computes it, and the builtin that it is. Everyone else reads the row: the type
//! checker and the text form the rule and the name, the interpreter the meaning, the adjoint the derivative,
//! lowering the code and the cost, the CPU backend the function, the table of builtins the signature.
//!
//! Rows stand by family, one file each (`families.rs` lists them). A row needs no entry anywhere else. Two things stand
//! apart because they are LLVM text of many lines: `lower::arith` has the code of rows that say [`Code::Several`],
//! and `backend::math::bodies` has bodies of functions that are worth vector versions.

#[macro_use]
mod families;
#[macro_use]
mod family;

mod adjoint;
mod facts;
mod row;
mod rule;

#[macro_use]
mod trigonometric;
#[macro_use]
mod power;
#[macro_use]
mod special;
#[macro_use]
mod rounding;
#[macro_use]
mod arithmetic;
#[macro_use]
mod comparison;
#[macro_use]
mod bits;

pub use adjoint::{Contributions, adjoint};
pub use facts::{Facts, Reference};
pub use row::{
    BinaryRule, Builtin, Code, DIVISION, Derivative, FUNCTION, Library, OnFloats, OnInts,
    Primitive, UnaryRule,
};
pub use rule::Rule;

use crate::ir::op::Op;

macro_rules! table {
    ($($family:ident { $($(#[doc = $doc:literal])+ $op:ident)+ })+) => {
        /// All rows, family by family.
        pub static PRIMITIVES: &[&Primitive] = &[$($(&$family::$op,)+)+];

        impl Op {
            /// The row, for operations that are a plain name.
            pub const fn primitive(self) -> Option<&'static Primitive> {
                match self {
                    $($(Op::$op => Some(&$family::$op),)+)+
                    _ => None,
                }
            }
        }
    };
}

with_primitives!(table);

impl Op {
    /// Name in the text form, for operations that are a plain name.
    pub fn name(self) -> Option<&'static str> {
        self.primitive().map(|row| row.name)
    }
    /// Typing rule, for operations that are a plain name.
    pub fn rule(self) -> Option<Rule> {
        self.primitive().map(|row| row.rule)
    }
}

#[cfg(test)]
mod tests;
