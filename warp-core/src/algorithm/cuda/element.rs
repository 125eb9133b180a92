//! Scalars as kernels of algorithms read, add and write them; as on the CPU integers wrap, and floats are summed in float64.

use crate::dtype::{Class, Scalar};

/// What sums of a scalar are formed in. Integers of up to 32 bits wrap where they are stored.
pub const fn wide(scalar: Scalar) -> Scalar {
    match scalar {
        _ if scalar.is_float() => Scalar::F64,
        _ if scalar.bits() == 64 => Scalar::U64,
        _ => Scalar::U32,
    }
}

/// What is summed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Elements.
    Elements(Scalar),
    /// Products of elements of two arrays.
    Products(Scalar),
    /// 1 where an element differs from the one before it, and for the first; otherwise 0.
    Begins(Scalar),
}

impl Source {
    /// What sums of it are formed in.
    pub const fn wide(self) -> Scalar {
        match self {
            Source::Elements(scalar) | Source::Products(scalar) => wide(scalar),
            Source::Begins(_) => Scalar::U32,
        }
    }

    /// What the arrays hold.
    pub const fn scalar(self) -> Scalar {
        match self {
            Source::Elements(scalar) | Source::Products(scalar) | Source::Begins(scalar) => scalar,
        }
    }

    /// Whether a term takes two loads.
    pub const fn is_product(self) -> bool {
        matches!(self, Source::Products(_))
    }

    /// The function of the library that gives a term.
    pub const fn function(self) -> &'static str {
        match self {
            Source::Elements(_) => "elements",
            Source::Products(_) => "products",
            Source::Begins(_) => "begins",
        }
    }
}

/// A key that is sorted by digits of 8 bits: bytes, and how the order of numbers is that of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    size: usize,
    order: Class,
}

impl Key {
    /// A scalar as a key.
    pub fn of(scalar: Scalar) -> Key {
        let order = match scalar.class() {
            Class::Bool | Class::UInt => Class::UInt,
            Class::Int => Class::Int,
            Class::Float | Class::BFloat => Class::Float,
        };
        let size = scalar.size();
        Key { size, order }
    }

    /// Bytes.
    pub const fn size(self) -> usize {
        self.size
    }

    /// The order of its numbers, as the library tells them apart.
    pub const fn order(self) -> i128 {
        match self.order {
            Class::Int => 1,
            Class::Float | Class::BFloat => 2,
            Class::Bool | Class::UInt => 0,
        }
    }
}

/// The unsigned integer of so many bytes: 1, 2, 4 or 8.
pub fn unit(size: usize) -> Scalar {
    match size {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}
