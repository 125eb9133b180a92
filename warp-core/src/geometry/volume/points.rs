//! The voxels that points lie in.

use super::build::inverse;
use crate::dtype::Scalar;

/// Points in memory of the host: three numbers each, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The first number.
    pub data: *const u8,
    /// Its type: int32 for voxels, float32 or float64 for places in the world.
    pub scalar: Scalar,
    /// How many points there are.
    pub count: usize,
    /// A number for each, of so many bytes: whether it counts, which it does unless it is 0.
    pub mask: Option<(*const u8, usize)>,
}

/// Coordinates of voxels are smaller, so that those of tiles around them are int32, too.
const FARTHEST: f64 = (1u32 << 30) as f64;

impl Places {
    /// The voxels. Places are brought to index space by the inverse of a map.
    ///
    /// # Errors
    /// The number of the first point that lies in none, since it is not finite or too far away.
    ///
    /// # Safety
    /// There are as many points as this says, and nothing writes them meanwhile.
    pub unsafe fn voxels(
        &self,
        matrix: &[f64; 9],
        translation: &[f64; 3],
    ) -> Result<Vec<[i32; 3]>, usize> {
        let to_index = inverse(matrix).unwrap_or_default();
        let mut voxels = Vec::with_capacity(self.count);
        for n in 0..self.count {
            // SAFETY: the caller's promise.
            let (counts, at) = unsafe {
                let counts = (self.mask).is_none_or(|(mask, size)| {
                    (0..size).any(|k| mask.add(size * n + k).read() != 0)
                });
                (counts, self.point(n))
            };
            if !counts {
                continue;
            }
            let index = match self.scalar {
                Scalar::I32 => at,
                _ => {
                    let far = [0, 1, 2].map(|k| at[k] - translation[k]);
                    [0, 1, 2].map(|k| {
                        let row = &to_index[3 * k..3 * k + 3];
                        (row[0] * far[0] + row[1] * far[1] + row[2] * far[2] + 0.5).floor()
                    })
                }
            };
            // NaN is no voxel, either.
            if !index.iter().all(|c| c.abs() < FARTHEST) {
                return Err(n);
            }
            voxels.push(index.map(|c| c as i32));
        }
        Ok(voxels)
    }

    /// # Safety
    /// There is such a point.
    unsafe fn point(&self, n: usize) -> [f64; 3] {
        let at = self.data;
        [0, 1, 2].map(|k| {
            let k = 3 * n + k;
            // SAFETY: the caller's promise; arrays are aligned for their elements.
            unsafe {
                match self.scalar {
                    Scalar::I32 => f64::from(at.cast::<i32>().add(k).read()),
                    Scalar::F64 => at.cast::<f64>().add(k).read(),
                    _ => f64::from(at.cast::<f32>().add(k).read()),
                }
            }
        })
    }
}
