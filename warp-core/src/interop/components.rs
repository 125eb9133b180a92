//! Components that lie apart in memory: each as an array of its own, to be brought together.

use super::Desc;
use crate::ty::Elem;

impl Desc {
    /// Each component of the elements, in row-major order, if the last dimensions are the components of `elem`, wherever they
    /// lie; none for elements without components.
    pub fn components(&self, elem: Elem) -> Option<Vec<Desc>> {
        let inner = elem.inner_shape();
        if inner.is_empty() || elem.scalar() != self.scalar || !self.ends_in(elem) {
            return None;
        }
        let outer = self.ndim - inner.len();
        let each = (0..elem.count()).map(|k| {
            let (mut rest, mut offset) = (k as i64, 0i64);
            for d in (outer..self.ndim).rev() {
                let step = (rest % self.shape[d]).wrapping_mul(self.strides[d]);
                offset = offset.wrapping_add(step);
                rest /= self.shape[d];
            }
            Desc {
                data: self.data.wrapping_offset(offset as isize),
                ndim: outer,
                ..*self
            }
        });
        Some(each.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    fn matrix(rows: u32, cols: u32) -> Elem {
        Elem::Mat {
            scalar: Scalar::F32,
            rows,
            cols,
        }
    }

    #[test]
    fn each_component_has_its_own_offset() {
        let mut data = [0f32; 24];
        let mut desc = Desc {
            data: data.as_mut_ptr().cast(),
            ndim: 3,
            scalar: Scalar::F32,
            ..Desc::EMPTY
        };
        desc.shape[..3].copy_from_slice(&[4, 2, 3]);
        desc.strides[..3].copy_from_slice(&[4, 48, 16]);
        let parts = desc.components(matrix(2, 3)).expect("it fits");
        let first = desc.data as usize;
        let offsets: Vec<usize> = parts.iter().map(|p| p.data as usize - first).collect();
        assert_eq!(offsets, [0, 16, 32, 48, 64, 80]);
        assert!(parts.iter().all(|p| p.shape() == [4] && p.strides[0] == 4));
        assert!(desc.components(matrix(3, 2)).is_none());
        assert!(desc.components(Elem::Scalar(Scalar::F32)).is_none());
    }
}
