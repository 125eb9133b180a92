//! Arithmetic at any width: the types, constants and names that the same operation has on scalars and on the lanes of a vector.

use crate::dtype::Scalar;
use crate::lower::emit::lane::vector;
use crate::lower::emit::text::{Text, ins, memory};
use std::fmt::Write;

impl Text {
    /// Type of a register.
    pub fn reg(&self, ty: Scalar) -> String {
        vector(ty, self.width)
    }

    /// Type in memory.
    pub fn mem(&self, ty: Scalar) -> String {
        self.of(memory(ty))
    }

    /// The integer that is as wide as a type.
    pub fn bits(&self, ty: Scalar) -> String {
        self.of(&format!("i{}", ty.bits()))
    }

    /// Type of a truth value.
    pub fn bit(&self) -> String {
        self.of("i1")
    }

    /// So many of a type.
    pub fn of(&self, each: &str) -> String {
        match self.width {
            1 => each.into(),
            lanes => format!("<{lanes} x {each}>"),
        }
    }

    /// A constant of a register's type.
    pub fn num(&self, ty: Scalar, constant: &str) -> String {
        match self.width {
            1 => constant.into(),
            _ => format!("splat ({} {constant})", vector(ty, 1)),
        }
    }

    /// How the names of intrinsics on registers of a type end.
    pub fn suffix(&self, ty: Scalar) -> String {
        let one = match ty {
            Scalar::Bool => "i1".into(),
            _ if !ty.is_float() => format!("i{}", ty.bits()),
            Scalar::F64 => "f64".into(),
            _ => "f32".to_string(),
        };
        match self.width {
            1 => one,
            lanes => format!("v{lanes}{one}"),
        }
    }

    /// The symbol of a function of mathematics.
    pub fn function(&self, name: &str, ty: &str) -> String {
        match self.width {
            1 => format!("wm.{name}.{ty}"),
            lanes => format!("wm.v{lanes}.{name}.{ty}"),
        }
    }

    /// The name of a helper function.
    pub fn named(&self, name: &str) -> String {
        match self.width {
            1 => name.into(),
            lanes => format!("{name}.v{lanes}"),
        }
    }

    /// Whether all lanes of a truth value are true (i1).
    pub fn all(&mut self, truth: &str) -> String {
        match self.width {
            1 => truth.into(),
            lanes => {
                let bits = ins!(self, "bitcast <{lanes} x i1> {truth} to i{lanes}");
                ins!(self, "icmp eq i{lanes} {bits}, -1")
            }
        }
    }

    /// Whether any lane of a truth value is true (i1).
    pub fn any(&mut self, truth: &str) -> String {
        match self.width {
            1 => truth.into(),
            lanes => {
                let bits = ins!(self, "bitcast <{lanes} x i1> {truth} to i{lanes}");
                ins!(self, "icmp ne i{lanes} {bits}, 0")
            }
        }
    }

    /// The quotient a / b of integers of up to 32 bits, or the remainder, by way of floats. The divisor is not zero, nor is the
    /// quotient beyond the type. A quotient that is not whole lies 1 / b or more from the nearest whole number, and rounding
    /// moves it by less, since a has fewer bits than the significand; so what truncation gives is exact.
    pub fn quotient(&mut self, ty: Scalar, a: &str, b: &str, remainder: bool) -> String {
        let by = if ty.bits() == 32 {
            Scalar::F64
        } else {
            Scalar::F32
        };
        let (r, float, int) = (self.reg(ty), self.reg(by), self.reg(Scalar::I32));
        let (to, back) = match ty.is_signed() {
            true => ("sitofp", "fptosi"),
            false => ("uitofp", "fptoui"),
        };
        let [x, y] = [a, b].map(|n| ins!(self, "{to} {r} {n} to {float}"));
        let q = ins!(self, "fdiv {float} {x}, {y}");
        let q = match ty.bits() {
            32 => ins!(self, "{back} {float} {q} to {r}"),
            _ => {
                let wide = ins!(self, "{back} {float} {q} to {int}");
                ins!(self, "trunc {int} {wide} to {r}")
            }
        };
        if !remainder {
            return q;
        }
        let whole = ins!(self, "mul {r} {q}, {b}");
        ins!(self, "sub {r} {a}, {whole}")
    }
}

/// The integer that a text is, on scalars or on all lanes.
pub fn literal(text: &str) -> Option<i128> {
    let inside = text
        .strip_prefix("splat (")
        .and_then(|t| t.strip_suffix(')'));
    let number = inside.and_then(|t| Some(t.split_once(' ')?.1));
    number.unwrap_or(text).parse().ok()
}
