//! A box of elements of an array.

use super::span::Span;
use crate::ty::MAX_NDIM;

/// Elements of an array at equal distances along each dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The least index, per dimension.
    pub start: [i32; MAX_NDIM],
    /// How many there are, per dimension; 1 behind the last one.
    pub shape: [i32; MAX_NDIM],
    /// From one index to the next, per dimension; at least 1.
    pub step: [i32; MAX_NDIM],
}

impl Region {
    /// Of the spans of indices, which are in range.
    pub(super) fn of(spans: &[Span]) -> Region {
        let mut region = Region {
            start: [0; MAX_NDIM],
            shape: [1; MAX_NDIM],
            step: [1; MAX_NDIM],
        };
        for (dim, span) in spans.iter().enumerate() {
            // They fit, as extents do.
            region.start[dim] = if span.is_empty() { 0 } else { span.lo as i32 };
            region.shape[dim] = span.count() as i32;
            region.step[dim] = (span.step as i32).max(1);
        }
        region
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether it is all of an array of this shape.
    pub fn is_whole(&self, shape: &[i32]) -> bool {
        self.shape[..shape.len()] == *shape
    }
}
