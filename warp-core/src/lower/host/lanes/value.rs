//! Values of a gang: numbers that all lanes share, numbers of the first lane, and vectors.

use super::analysis::shape::Shape;
use super::gang::{GangBody, spelled};
use crate::dtype::Scalar;
use crate::ir::Value;
use crate::lower::emit::text::{ins, line, register};
use std::fmt::Write;

impl GangBody<'_> {
    /// The type of a value as a vector.
    pub(super) fn vector_type(&self, ty: Scalar) -> String {
        format!("<{} x {}>", self.width, register(ty))
    }

    /// Whether a value is one number for all lanes.
    pub(super) fn is_uniform(&self, value: Value) -> bool {
        self.shapes.is_uniform(value)
    }

    /// Whether a value has a number for the first lane from which those of the others follow.
    pub(super) fn has_scalar(&self, value: Value) -> bool {
        self.shapes.of(value) != Shape::Varying
    }

    /// A value as a vector of all lanes.
    pub(super) fn vector(&mut self, value: Value) -> String {
        let ty = self.body.ty(value);
        match self.shapes.of(value) {
            Shape::Varying => self.vectors[value.0 as usize].clone(),
            Shape::Steps(step) => {
                let name = self.body.name(value);
                let first = self.splat(ty, &name);
                match step {
                    0 => first,
                    step => {
                        let (v, steps) = (self.vector_type(ty), self.steps(ty, step));
                        ins!(self.body.t, "add {v} {first}, {steps}")
                    }
                }
            }
        }
    }

    /// The constant vector 0, `step`, 2 `step` and so on.
    pub(super) fn steps(&self, ty: Scalar, step: i64) -> String {
        spelled(self.width, register(ty), |lane| lane as i64 * step)
    }

    /// A vector of one number.
    pub(super) fn splat(&mut self, ty: Scalar, name: &str) -> String {
        if !name.starts_with('%') {
            return format!("splat ({} {name})", register(ty));
        }
        self.body.t.splat(ty, self.width, name)
    }

    /// Writes something on all lanes.
    pub(super) fn wide<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        self.body.t.width = self.width;
        let done = write(self);
        self.body.t.width = 1;
        done
    }

    /// Lanes that run here and for which `truth` holds.
    pub(super) fn and(&mut self, truth: &str) -> String {
        let bits = self.vector_type(Scalar::Bool);
        match self.mask.clone() {
            None => truth.into(),
            // A choice and no `and`: what is undefined in lanes that do not run stays there.
            Some(mask) => ins!(
                self.body.t,
                "select {bits} {mask}, {bits} {truth}, {bits} zeroinitializer"
            ),
        }
    }

    /// Lanes for which `truth` does not hold.
    pub(super) fn not(&mut self, truth: &str) -> String {
        let bits = self.vector_type(Scalar::Bool);
        ins!(self.body.t, "xor {bits} {truth}, splat (i1 true)")
    }

    /// The lanes that run here.
    pub(super) fn running(&self) -> String {
        self.mask
            .clone()
            .unwrap_or_else(|| "splat (i1 true)".into())
    }

    /// `c ? a : b` in each lane.
    pub(super) fn choose(&mut self, ty: Scalar, c: &str, a: &str, b: &str) -> String {
        let (bits, v) = (self.vector_type(Scalar::Bool), self.vector_type(ty));
        ins!(self.body.t, "select {bits} {c}, {v} {a}, {v} {b}")
    }

    /// Writes what only some lanes run. What conditions say holds for those alone.
    pub(super) fn among<R>(&mut self, mask: String, write: impl FnOnce(&mut Self) -> R) -> R {
        let before = (self.mask.replace(mask), self.body.partial);
        self.body.partial = true;
        let done = write(self);
        (self.mask, self.body.partial) = before;
        done
    }

    /// Memory for one vector, where single lanes are read and written.
    pub(super) fn lane_memory(&mut self, each: &str) -> String {
        let name = self.body.head.fresh();
        let lanes = self.width;
        line!(
            self.body.head,
            "{name} = alloca [{lanes} x {each}], align 64"
        );
        name
    }
}
