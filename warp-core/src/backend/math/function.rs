//! The functions of mathematics that lowered text calls.

use super::bodies;
use super::emit::{Emit, Ty, Val};
use crate::ir::PRIMITIVES;
use std::collections::BTreeSet;

/// What promises LLVM that a function only computes.
pub const PURE: &str = "nounwind willreturn memory(none)";

/// A function of mathematics, at one precision.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name: that of a primitive, or `fmod`.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// The type of arguments and result.
    pub ty: Ty,
}

impl Function {
    /// Those of all rows that name a function ([`Primitive::library`](crate::ir::Primitive::library)), and the remainder that
    /// lowering calls where its own instructions are not exact.
    pub fn all() -> impl Iterator<Item = Function> {
        let rows = PRIMITIVES.iter().filter(|row| row.library().is_some());
        let rows = rows.map(|row| (row.name, row.rule.arity()));
        rows.chain([("fmod", 2)])
            .flat_map(|(name, arity)| [Ty::F32, Ty::F64].map(|ty| Function { name, arity, ty }))
    }

    /// `sin.f32`
    pub fn stem(self) -> String {
        format!(
            "{}.{}",
            self.name,
            if self.ty == Ty::F32 { "f32" } else { "f64" }
        )
    }

    /// The symbol at a width, without `@`.
    pub fn symbol(self, width: usize) -> String {
        match width {
            1 => format!("wm.{}", self.stem()),
            w => format!("wm.v{w}.{}", self.stem()),
        }
    }

    /// `type @symbol(type, …)`
    pub fn signature(self, width: usize) -> String {
        let ty = self.ty.at(width);
        let args = vec![ty.as_str(); self.arity].join(", ");
        format!("{ty} @{}({args})", self.symbol(width))
    }

    /// Whether there is a body of ours.
    pub fn has_body(self) -> bool {
        bodies::body(self.name, self.ty).is_some()
    }

    /// Writes the body of a function whose arguments are `%x0`, `%x1`: its result and the lanes that it does not cover.
    pub fn body(self, e: &mut Emit) -> Option<(Val, Option<Val>)> {
        let body = bodies::body(self.name, self.ty)?;
        let args: Vec<Val> = (0..self.arity)
            .map(|i| Val {
                text: format!("%x{i}"),
                ty: self.ty,
            })
            .collect();
        Some(body(e, &args))
    }
}

/// The symbols of mathematics that `text` calls.
pub fn called(text: &str) -> BTreeSet<&str> {
    let names = text.split('@').skip(1);
    let calls = names.filter_map(|name| Some(name.split_once('(')?.0));
    calls.filter(|name| name.starts_with("wm.")).collect()
}
