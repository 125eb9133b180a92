//! The rows of an array, one after the other.

use crate::abi::Strided;
use crate::ty::MAX_NDIM;

/// The innermost rows: byte offset, number of elements, stride. There are elements.
pub fn rows(elements: &Strided, mut visit: impl FnMut(isize, usize, isize)) {
    let inner = elements.ndim - 1;
    let array = &elements.array;
    let (n, stride) = (array.shape[inner] as usize, array.strides[inner] as isize);
    each_outer(elements.shape(), |index| {
        let offset: i64 = index
            .iter()
            .zip(&array.strides)
            .map(|(i, s)| *i as i64 * s)
            .sum();
        visit(offset as isize, n, stride);
    });
}

/// All indices of the outer dimensions in row-major order; the innermost stays 0.
pub fn each_outer(shape: &[i32], mut visit: impl FnMut(&[i32; MAX_NDIM])) {
    let outer = shape.len() - 1;
    let mut index = [0i32; MAX_NDIM];
    loop {
        visit(&index);
        let mut d = outer;
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
