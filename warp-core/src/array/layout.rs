//! Shape and byte strides, and the arithmetic of views on them. No memory is touched here.

use crate::error::{Code, Error, Result};
use crate::ty::MAX_NDIM;
use std::ops::Range;

/// How elements lie in memory, relative to the first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Number of dimensions, 1 to [`MAX_NDIM`].
    pub ndim: u8,
    /// Elements per dimension; unused dimensions are 1.
    pub shape: [i32; MAX_NDIM],
    /// Bytes from one element to the next; may be negative or zero; unused dimensions are 0.
    pub strides: [i64; MAX_NDIM],
}

/// What is taken of one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// One index, which removes the dimension; a negative one counts from the end.
    At(i64),
    /// `len` elements from `start` (within the dimension), `step` apart.
    Range {
        /// The first.
        start: i64,
        /// From one to the next; not 0.
        step: i64,
        /// How many.
        len: i64,
    },
    /// A new dimension of one element, which takes no dimension of the array.
    New,
}

impl Layout {
    /// Row-major and without gaps, for elements of `size` bytes.
    ///
    /// # Errors
    /// [`Code::Value`] if the shape is none of an array, or has too many elements.
    pub fn contiguous(shape: &[i64], size: usize) -> Result<Layout> {
        let mut layout = Layout::shaped(shape)?;
        // An empty dimension must not hide that the others overflow: strides are computed from them all.
        let mut stride = size as i64;
        for d in (0..shape.len()).rev() {
            layout.strides[d] = stride;
            stride = stride
                .checked_mul(shape[d].max(1))
                .filter(|s| *s <= isize::MAX as i64)
                .ok_or_else(|| too_many(shape))?;
        }
        Ok(layout)
    }
    /// With strides of the caller's; checks that every element's offset can be computed.
    ///
    /// # Errors
    /// As [`Layout::contiguous`].
    pub fn strided(shape: &[i64], strides: &[i64]) -> Result<Layout> {
        if shape.len() != strides.len() {
            return Err(Error::new(
                Code::Value,
                format!("{} strides for {} dimensions", strides.len(), shape.len()),
            ));
        }
        let mut layout = Layout::shaped(shape)?;
        layout.strides[..strides.len()].copy_from_slice(strides);
        let mut reach: i64 = 0;
        for (n, s) in shape.iter().zip(strides) {
            reach = (n - 1)
                .max(0)
                .checked_mul(s.checked_abs().unwrap_or(i64::MAX))
                .and_then(|r| r.checked_add(reach))
                .filter(|r| *r <= isize::MAX as i64 / 2)
                .ok_or_else(|| too_many(shape))?;
        }
        Ok(layout)
    }
    fn shaped(shape: &[i64]) -> Result<Layout> {
        if shape.is_empty() || shape.len() > MAX_NDIM {
            return Err(Error::new(
                Code::Value,
                format!(
                    "an array has 1 to {MAX_NDIM} dimensions, not {}",
                    shape.len()
                ),
            ));
        }
        let mut layout = Layout {
            ndim: shape.len() as u8,
            shape: [1; MAX_NDIM],
            strides: [0; MAX_NDIM],
        };
        for (d, &n) in shape.iter().enumerate() {
            if n < 0 {
                return Err(Error::new(
                    Code::Value,
                    format!("dimension {d} of shape {shape:?} is negative"),
                ));
            }
            layout.shape[d] = i32::try_from(n).map_err(|_| {
                Error::new(
                    Code::Value,
                    format!(
                        "dimension {d} of shape {shape:?} is larger than {}",
                        i32::MAX
                    ),
                )
            })?;
        }
        Ok(layout)
    }

    /// The dimensions in use.
    pub fn shape(&self) -> &[i32] {
        &self.shape[..self.ndim as usize]
    }
    /// The strides in use.
    pub fn strides(&self) -> &[i64] {
        &self.strides[..self.ndim as usize]
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
    pub fn is_contiguous(&self, size: usize) -> bool {
        let mut want = size as i64;
        for d in (0..self.ndim as usize).rev() {
            if self.shape[d] != 1 && self.strides[d] != want {
                return self.is_empty();
            }
            want *= i64::from(self.shape[d]);
        }
        true
    }
    /// Whether the dimensions in some other order are [contiguous](Layout::is_contiguous), and in this they are not.
    pub fn is_transposed(&self, size: usize) -> bool {
        let mut axes: Vec<usize> = (0..self.ndim as usize).collect();
        // The order that goes from long steps to short ones; equal ones belong to dimensions of one element.
        axes.sort_by_key(|&d| std::cmp::Reverse((self.strides[d], self.shape[d])));
        let sorted = self.transpose(&axes);
        !self.is_contiguous(size) && sorted.is_ok_and(|l| l.is_contiguous(size))
    }
    /// The bytes the elements cover, relative to the first element's address; negative strides reach below it.
    pub fn byte_range(&self, size: usize) -> Range<i64> {
        if self.is_empty() {
            return 0..0;
        }
        let (mut low, mut high) = (0, size as i64);
        for (n, s) in self.shape().iter().zip(self.strides()) {
            let reach = i64::from(n - 1) * s;
            if reach < 0 {
                low += reach;
            } else {
                high += reach;
            }
        }
        low..high
    }
    /// Whether two different indices may mean the same bytes. Never says no wrongly.
    pub fn overlaps_itself(&self, size: usize) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut dims: Vec<(i64, i64)> = (self.shape().iter().zip(self.strides()))
            .filter(|(n, _)| **n > 1)
            .map(|(n, s)| (s.abs(), i64::from(*n)))
            .collect();
        dims.sort_unstable();
        let mut covered = size as i64;
        for (stride, n) in dims {
            if stride < covered {
                return true;
            }
            covered += stride * (n - 1);
        }
        false
    }

    /// A part of the array: byte offset of its first element, and its layout.
    ///
    /// Dimensions without an index are kept whole. `None` means that every dimension was removed:
    /// the offset is that of one element.
    ///
    /// # Errors
    /// [`Code::Index`] if an index is out of range, there are more of them than dimensions, or the part has too many.
    pub fn index(&self, indices: &[Index]) -> Result<(i64, Option<Layout>)> {
        let mut offset = 0;
        let mut out = Layout {
            ndim: 0,
            shape: [1; MAX_NDIM],
            strides: [0; MAX_NDIM],
        };
        let mut keep = |n: i32, stride: i64| {
            let at = out.ndim as usize;
            if at == MAX_NDIM {
                let text = format!("a new dimension would be number {}", MAX_NDIM + 1);
                return Err(Error::new(
                    Code::Index,
                    format!("{text}; an array has 1 to {MAX_NDIM} dimensions"),
                ));
            }
            out.shape[at] = n;
            out.strides[at] = stride;
            out.ndim += 1;
            Ok(())
        };
        let mut d = 0;
        for index in indices {
            if *index == Index::New {
                keep(1, 0)?;
                continue;
            }
            if d == self.ndim as usize {
                return Err(self.too_many_indices(indices));
            }
            let n = i64::from(self.shape[d]);
            match *index {
                Index::At(i) => {
                    let at = if i < 0 { i + n } else { i };
                    if at < 0 || at >= n {
                        return Err(Error::new(
                            Code::Index,
                            format!("index {i} is out of range for dimension {d} of size {n}"),
                        ));
                    }
                    offset += at * self.strides[d];
                }
                Index::Range { start, step, len } => {
                    // An empty part keeps the address: `start` may lie one past the end.
                    if len > 0 {
                        offset += start * self.strides[d];
                    }
                    keep(len as i32, self.strides[d].saturating_mul(step))?;
                }
                Index::New => {}
            }
            d += 1;
        }
        for d in d..self.ndim as usize {
            keep(self.shape[d], self.strides[d])?;
        }
        Ok((offset, (out.ndim > 0).then_some(out)))
    }
    #[cold]
    fn too_many_indices(&self, indices: &[Index]) -> Error {
        let given = indices.iter().filter(|i| **i != Index::New).count();
        let text = format!("{given} indices for an array of {} dimensions", self.ndim);
        Error::new(Code::Index, text)
    }
    /// Dimensions in another order; `axes` is a permutation.
    ///
    /// # Errors
    /// [`Code::Value`] if `axes` is no order of the dimensions.
    pub fn transpose(&self, axes: &[usize]) -> Result<Layout> {
        let n = self.ndim as usize;
        let mut seen = [false; MAX_NDIM];
        let permutes = axes.len() == n
            && axes
                .iter()
                .all(|a| *a < n && !std::mem::replace(&mut seen[*a], true));
        if !permutes {
            return Err(Error::new(
                Code::Value,
                format!("axes {axes:?} are not a permutation of {n} dimensions"),
            ));
        }
        let mut out = *self;
        for (d, &a) in axes.iter().enumerate() {
            out.shape[d] = self.shape[a];
            out.strides[d] = self.strides[a];
        }
        Ok(out)
    }
    /// The same elements in another shape, one dimension of which may be -1. Needs contiguous elements.
    ///
    /// # Errors
    /// [`Code::Value`] if the elements cannot be seen in this shape without a copy.
    pub fn reshape(&self, shape: &[i64], size: usize) -> Result<Layout> {
        if !self.is_contiguous(size) {
            return Err(Error::new(
                Code::Value,
                "an array that is not contiguous cannot be reshaped without a copy",
            )
            .hint("call .contiguous() first"));
        }
        let shape = resolve_shape(shape, self.len())?;
        Layout::contiguous(&shape, size)
    }
}

/// `shape` with its -1, if any, replaced, so that it has `len` elements.
///
/// # Errors
/// [`Code::Value`] if no extent fits.
pub fn resolve_shape(shape: &[i64], len: usize) -> Result<Vec<i64>> {
    let wrong = || {
        Error::new(
            Code::Value,
            format!("{len} elements do not fill the shape {shape:?}"),
        )
    };
    let mut out = shape.to_vec();
    let open: Vec<_> = (0..shape.len()).filter(|d| shape[*d] == -1).collect();
    if open.len() > 1 {
        return Err(wrong().hint("at most one dimension may be -1"));
    }
    let known = shape
        .iter()
        .filter(|n| **n != -1)
        .try_fold(1i64, |a, n| a.checked_mul(*n).filter(|_| *n >= 0))
        .ok_or_else(wrong)?;
    if let [d] = open[..] {
        if known == 0 || len as i64 % known != 0 {
            return Err(wrong());
        }
        out[d] = len as i64 / known;
    } else if known != len as i64 {
        return Err(wrong());
    }
    Ok(out)
}

fn too_many(shape: &[i64]) -> Error {
    Error::new(
        Code::Value,
        format!("shape {shape:?} spans more bytes than there are addresses"),
    )
}
