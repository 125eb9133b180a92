//! Operations: the whole vocabulary of pure expressions.

use crate::ir::id::ParamId;
use std::hash::{Hash, Hasher};

/// A constant. The type of the value that it defines says how wide it is.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// `true` or `false`.
    Bool(bool),
    /// Any integer; uint64 as the same bits.
    Int(i64),
    /// Any float, already rounded to the type of its value.
    Float(f64),
}

impl Eq for Const {}

impl PartialEq for Const {
    /// Bitwise: a NaN equals itself, 0.0 differs from -0.0.
    fn eq(&self, other: &Const) -> bool {
        match (self, other) {
            (Const::Bool(a), Const::Bool(b)) => a == b,
            (Const::Int(a), Const::Int(b)) => a == b,
            (Const::Float(a), Const::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Hash for Const {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Const::Bool(b) => b.hash(state),
            Const::Int(i) => i.hash(state),
            Const::Float(f) => f.to_bits().hash(state),
        }
    }
}

macro_rules! declare {
    ($($family:ident { $($(#[doc = $doc:literal])+ $op:ident)+ })+) => {
        /// A pure operation. Integers wrap.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            /// A constant.
            Const(Const),
            /// Thread index (int32) along a launch dimension.
            Tid(u8),
            /// How many threads (int32) the launch wants a block to have: 1 on the host.
            BlockDim,
            /// Extent (int32) of a dimension of an array parameter.
            Shape(ParamId, u8),
            /// One component of a scalar, vector, matrix or quaternion parameter.
            Param(ParamId, u32),
            /// bool: whether an array parameter has data (a missing gradient has none).
            Present(ParamId),
            /// uint64: the address of the first element of an array parameter, 0 if it has no data.
            Address(ParamId),
            /// int64: bytes from one element to the next along a dimension of an array parameter.
            Stride(ParamId, u8),
            /// Conversion to the type of the result. Float to integer truncates, saturates, and
            /// turns NaN into 0; integer to integer wraps; anything to bool is `!= 0`.
            Cast,
            /// The same bits read as the type of the result, which is as wide. Neither is bool.
            Bits,
            /// (bool, T, T) -> T without evaluating lazily.
            Select,
            /// Number of iterations of `range(start, stop, step)`: never negative, 0 if step is 0.
            RangeLen,
            $($($(#[doc = $doc])+ $op,)+)+
        }
    };
}

// The primitives: one variant for each row of `ir/primitive`.
with_primitives!(declare);
