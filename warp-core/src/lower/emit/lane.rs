//! Vectors in local variables: how values are cut into them, and how LLVM writes them.

use crate::dtype::Scalar;
use crate::lower::emit::text::{Text, ins, register};
use std::fmt::Write;
use std::rc::Rc;

/// Bytes of a vector.
pub(in crate::lower) const VECTOR: usize = 32;

/// Runs of fewer components, such as those of 6 x 6 matrices, stay scalar: LLVM packs threads instead.
pub(in crate::lower) const LONG: usize = 48;

/// The value that one lane of a vector holds.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Name of the vector.
    pub vector: Rc<str>,
    /// Its number of lanes.
    pub lanes: usize,
    /// Which one.
    pub at: usize,
}

/// Whether values of a type are packed.
pub(in crate::lower) const fn packs(ty: Scalar) -> bool {
    matches!(ty, Scalar::F32 | Scalar::F64)
}

/// The type of a vector, or of a scalar where there is one lane.
pub(in crate::lower) fn vector(ty: Scalar, lanes: usize) -> String {
    match lanes {
        1 => register(ty).into(),
        lanes => format!("<{lanes} x {}>", register(ty)),
    }
}

/// Cuts a list into vectors: where each starts and its number of lanes. The last ones are short.
pub(in crate::lower) fn pieces(ty: Scalar, count: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < count {
        let lanes = (1 << (count - at).ilog2()).min(VECTOR / ty.size());
        pieces.push((at, lanes));
        at += lanes;
    }
    pieces
}

impl Text {
    /// The address of the `index`-th number from `base`.
    pub(in crate::lower) fn component(&mut self, ty: Scalar, base: &str, index: usize) -> String {
        match index {
            0 => base.into(),
            _ => ins!(
                self,
                "getelementptr inbounds {}, ptr {base}, i64 {index}",
                register(ty)
            ),
        }
    }

    /// A vector of one number.
    pub(in crate::lower) fn splat(&mut self, ty: Scalar, lanes: usize, x: &str) -> String {
        if lanes == 1 {
            return x.into();
        }
        let v = vector(ty, lanes);
        let one = ins!(
            self,
            "insertelement {v} poison, {} {x}, i64 0",
            register(ty)
        );
        ins!(
            self,
            "shufflevector {v} {one}, {v} poison, <{lanes} x i32> zeroinitializer"
        )
    }
}
