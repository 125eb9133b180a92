//! Numbers that are not grouped as the components of an element: their dimensions as they would be.

use super::{Desc, MAX_FOREIGN_NDIM};
use crate::error::{Code, Error, Result};
use crate::ty::Elem;
use smallvec::SmallVec;

/// The dimensions of an array of scalars whose last ones are the components of `elem`, which take the place of the last ones in
/// `shape`: elements are found in the order of memory, but never across rows of several elements. So the dimensions
/// `[12]`, `[4, 3, 1]` or `[2, 6]` are `[4, 3]` or `[2, 2, 3]` of vectors of three, and `[2, 9]` are `[2, 3, 3]` of matrices of 3 x 3.
/// None where they cannot be.
pub fn regrouped(shape: &[i64], elem: Elem) -> Option<SmallVec<[i64; MAX_FOREIGN_NDIM]>> {
    let (count, inner) = (elem.count() as i64, elem.inner_shape());
    let last = shape.iter().rposition(|n| *n != 1);
    let (outer, n) = match last {
        Some(at) => (&shape[..at], shape[at]),
        None => (&shape[..0], 1),
    };
    if inner.is_empty() || n % count != 0 {
        return None;
    }
    let mut dims: SmallVec<[i64; MAX_FOREIGN_NDIM]> = outer.into();
    if n != count || dims.is_empty() {
        dims.push(n / count);
    }
    dims.extend(inner.iter().map(|n| *n as i64));
    (dims.len() <= MAX_FOREIGN_NDIM).then_some(dims)
}

impl Desc {
    /// The same memory with the components of `elem` as its last dimensions, as [`regrouped`] finds them.
    pub fn regrouped(&self, elem: Elem) -> Option<Desc> {
        let dims = regrouped(self.shape(), elem)?;
        let kept = dims.len() - elem.inner_shape().len();
        let last = self.shape().iter().rposition(|n| *n != 1).unwrap_or(0);
        let mut desc = Desc {
            ndim: dims.len(),
            ..*self
        };
        desc.shape[..dims.len()].copy_from_slice(&dims);
        // One dimension is cut in several: the steps of each are those of the next times its extent.
        let mut stride = self.strides[last];
        for d in (kept.min(last)..dims.len()).rev() {
            desc.strides[d] = stride;
            stride = stride.saturating_mul(dims[d]);
        }
        Some(desc)
    }

    /// Other dimensions for the same numbers, which lie close together in row-major order.
    ///
    /// # Errors
    /// There are more or fewer of them, they do not lie so, or there are too many dimensions.
    pub fn regroup_as(&mut self, dims: &[i64]) -> Result<()> {
        let count = |shape: &[i64]| shape.iter().map(|n| i128::from(*n)).product::<i128>();
        if count(dims) != count(self.shape()) || dims.len() > MAX_FOREIGN_NDIM {
            let text = format!(
                "{:?} numbers were found, which is {} and not {}, as {dims:?} needs",
                self.shape(),
                count(self.shape()),
                count(dims)
            );
            return Err(Error::new(Code::Value, text));
        }
        let mut stride = self.scalar.size() as i64;
        for d in (0..self.ndim).rev() {
            if self.shape[d] != 1 && self.strides[d] != stride && count(dims) != 0 {
                let text = "the numbers are not contiguous in row-major order";
                return Err(Error::new(Code::Value, text).hint("make the array contiguous first"));
            }
            stride = stride.saturating_mul(self.shape[d]);
        }
        let mut stride = self.scalar.size() as i64;
        for (d, n) in dims.iter().enumerate().rev() {
            (self.shape[d], self.strides[d]) = (*n, stride);
            stride = stride.saturating_mul(*n);
        }
        self.ndim = dims.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    const VEC3: Elem = Elem::Vec {
        len: 3,
        scalar: Scalar::F32,
    };
    const MAT22: Elem = Elem::Mat {
        scalar: Scalar::F32,
        rows: 2,
        cols: 2,
    };

    #[test]
    fn elements_are_found_in_rows() {
        for (shape, elem, want) in [
            (&[12][..], VEC3, Some(&[4, 3][..])),
            (&[3], VEC3, Some(&[1, 3])),
            (&[0], VEC3, Some(&[0, 3])),
            (&[2, 6], VEC3, Some(&[2, 2, 3])),
            (&[2, 3], VEC3, Some(&[2, 3])),
            (&[4, 3, 1], VEC3, Some(&[4, 3])),
            (&[4, 3, 1, 1], VEC3, Some(&[4, 3])),
            (&[5, 4], MAT22, Some(&[5, 2, 2])),
            (&[8, 1], MAT22, Some(&[2, 2, 2])),
            (&[3, 4], VEC3, None),
            (&[9, 2], VEC3, None),
            (&[1], VEC3, None),
            (&[], VEC3, None),
            (&[3], Elem::Scalar(Scalar::F32), None),
        ] {
            let found = regrouped(shape, elem);
            assert_eq!(found.as_deref(), want, "{shape:?} as {elem}");
        }
    }

    #[test]
    fn steps_follow_the_dimension_that_is_cut() {
        let mut desc = Desc {
            ndim: 3,
            scalar: Scalar::F32,
            ..Desc::EMPTY
        };
        desc.shape[..3].copy_from_slice(&[5, 8, 1]);
        desc.strides[..3].copy_from_slice(&[100, 8, 4]);
        let found = desc.regrouped(MAT22).expect("it fits");
        assert_eq!(found.shape(), [5, 2, 2, 2]);
        assert_eq!(found.strides[..4], [100, 32, 16, 8]);
        desc.shape[..3].copy_from_slice(&[5, 4, 1]);
        let found = desc.regrouped(MAT22).expect("it fits");
        assert_eq!(found.shape(), [5, 2, 2]);
        assert_eq!(found.strides[..3], [100, 16, 8]);
    }
}
