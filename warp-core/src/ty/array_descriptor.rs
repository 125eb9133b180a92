//! Array descriptors: arrays in memory, as an array of structs holds them for a field that is an array.

use super::types::{Elem, Leaf, Type};
use crate::dtype::Scalar;
use smallvec::SmallVec;

/// An array descriptor, in words: addresses of data and gradient (0 for none), extents (int32, two in each
/// word, the first in the low half), strides in bytes, number of dimensions. The gradient has the same strides. The
/// code that writes a descriptor keeps it true.
pub const ARRAY_DESCRIPTOR: Elem = Elem::Vec {
    len: 9,
    scalar: Scalar::U64,
};

/// Words of an [`ARRAY_DESCRIPTOR`].
pub mod word {
    /// Address of the data.
    pub const DATA: usize = 0;
    /// Address of the gradient.
    pub const GRADIENT: usize = 1;
    /// The first extents.
    pub const SHAPE: usize = 2;
    /// The first stride.
    pub const STRIDES: usize = 4;
    /// Number of dimensions.
    pub const NDIM: usize = 8;
}

impl Leaf {
    /// What it is in memory: an array is [described](ARRAY_DESCRIPTOR).
    pub const fn stored_as(&self) -> Elem {
        match self.ty {
            Type::Elem(elem) => elem,
            _ => ARRAY_DESCRIPTOR,
        }
    }
}

/// An array in words, see [`ARRAY_DESCRIPTOR`].
pub fn describe_array(
    data: u64,
    gradient: u64,
    shape: &[i32],
    strides: &[i64],
) -> SmallVec<[u64; 9]> {
    let mut words = SmallVec::from_elem(0, ARRAY_DESCRIPTOR.count());
    words[word::DATA] = data;
    words[word::GRADIENT] = gradient;
    for (d, (extent, stride)) in shape.iter().zip(strides).enumerate() {
        words[word::SHAPE + d / 2] |= u64::from(*extent as u32) << (32 * (d % 2));
        words[word::STRIDES + d] = *stride as u64;
    }
    words[word::NDIM] = shape.len() as u64;
    words
}
