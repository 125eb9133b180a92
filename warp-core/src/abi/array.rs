//! An array as a kernel sees it.

use crate::ty::MAX_NDIM;
use smallvec::SmallVec;
use std::mem::offset_of;
use std::ops::Range;

/// An array as a kernel sees it. Strides are in bytes and may be negative or zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayArg {
    /// The first element; null for a missing array.
    pub data: *mut u8,
    /// Elements per dimension; unused dimensions are 1.
    pub shape: [i32; MAX_NDIM],
    /// Bytes from one element to the next, per dimension; unused dimensions are 0.
    pub strides: [i64; MAX_NDIM],
}

impl ArrayArg {
    /// The missing array, such as a gradient that was not requested.
    pub const MISSING: ArrayArg = ArrayArg {
        data: std::ptr::null_mut(),
        shape: [1; MAX_NDIM],
        strides: [0; MAX_NDIM],
    };
}

/// An array argument with all that it takes to know its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided {
    /// Where its elements are.
    pub array: ArrayArg,
    /// How many of the dimensions count.
    pub ndim: usize,
    /// Bytes of an element.
    pub size: usize,
}

impl Strided {
    /// Elements per dimension.
    pub fn shape(&self) -> &[i32] {
        &self.array.shape[..self.ndim]
    }

    /// Bytes from one element to the next, per dimension.
    pub fn strides(&self) -> &[i64] {
        &self.array.strides[..self.ndim]
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape().iter().map(|n| *n as usize).product()
    }

    /// No elements at all.
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// Row-major without gaps. Strides of dimensions with one element do not matter.
    pub fn is_contiguous(&self) -> bool {
        let mut want = self.size as i64;
        for (extent, stride) in self.shape().iter().zip(self.strides()).rev() {
            if *extent != 1 && *stride != want {
                return self.is_empty();
            }
            want *= i64::from(*extent);
        }
        true
    }

    /// Addresses that the array may touch; empty if it has no elements or no data.
    pub fn bytes(&self) -> Range<usize> {
        if self.array.data.is_null() || self.is_empty() {
            return 0..0;
        }
        let base = self.array.data as i64;
        let (mut low, mut high) = (base, base + self.size as i64);
        for (extent, stride) in self.shape().iter().zip(self.strides()) {
            let reach = (i64::from(*extent) - 1) * stride;
            low += reach.min(0);
            high += reach.max(0);
        }
        low as usize..high as usize
    }

    /// Whether two index tuples may name overlapping bytes. Exact for the usual layouts (dense, padded,
    /// sliced, transposed, broadcast); for exotic interleavings it may say yes wrongly.
    pub fn overlaps_itself(&self) -> bool {
        if self.is_empty() {
            return false;
        }
        let pairs = self.strides().iter().zip(self.shape());
        let mut dims: SmallVec<[(i64, i64); MAX_NDIM]> = pairs
            .map(|(stride, extent)| (stride.abs(), i64::from(*extent)))
            .filter(|(_, extent)| *extent > 1)
            .collect();
        dims.sort_unstable();
        let mut reach = self.size as i64;
        for (stride, extent) in dims {
            if stride < reach {
                return true;
            }
            reach += stride * (extent - 1);
        }
        false
    }
}

/// Bytes of one array argument.
pub const SIZE: usize = 56;
/// Offset of the data pointer.
pub const DATA: usize = 0;
/// Offset of the first dimension's length; 4 bytes each.
pub const SHAPE: usize = 8;
/// Offset of the first dimension's stride; 8 bytes each.
pub const STRIDES: usize = 24;

// The offsets are facts about the struct above; if one moves, the build stops here.
const _: () = {
    assert!(size_of::<ArrayArg>() == SIZE);
    assert!(offset_of!(ArrayArg, data) == DATA);
    assert!(offset_of!(ArrayArg, shape) == SHAPE);
    assert!(offset_of!(ArrayArg, strides) == STRIDES);
};
