//! The arrays that a mesh is made of.

use crate::error::{Code, Error, Result};

/// Where the arrays of a mesh lie, in contiguous memory of its device.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Points.
    pub points: u64,
    /// Velocities of points; 0 for none.
    pub velocities: u64,
    /// Numbers of points.
    pub indices: u64,
}

/// The arrays of a mesh, in contiguous memory of the host.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// Where kernels read them.
    pub places: Places,
    /// Points: 3 float32 each.
    pub points: *const f32,
    /// How many there are.
    pub point_count: usize,
    /// The address of the gradient of points; 0 for none.
    pub points_gradient: u64,
    /// The address of their gradient; 0 for none.
    pub velocities_gradient: u64,
    /// Numbers of points, three for each face.
    pub indices: *const i32,
    /// How many faces there are.
    pub faces: usize,
    /// A number for each face, if there are groups.
    pub groups: Option<*const i32>,
}

// SAFETY: addresses; who builds a mesh answers for them.
unsafe impl Send for Surface {}
// SAFETY: as above.
unsafe impl Sync for Surface {}

impl Surface {
    /// Refuses indices that are none of a point.
    ///
    /// # Errors
    /// [`Code::Value`] with the first such index.
    ///
    /// # Safety
    /// As [`Surface::bad_index`].
    pub unsafe fn check(&self) -> Result<()> {
        // SAFETY: the caller's promise.
        let Some((at, index)) = (unsafe { self.bad_index() }) else {
            return Ok(());
        };
        let count = self.point_count;
        let what = format!("indices[{at}] is {index}, points has {count} elements");
        Err(Error::new(Code::Value, what))
    }

    /// The first index that is not one of a point: its place and itself.
    ///
    /// # Safety
    /// There are as many indices as this says, and nothing writes them meanwhile.
    pub unsafe fn bad_index(&self) -> Option<(usize, i32)> {
        // SAFETY: the caller's promise.
        let indices = unsafe { slice(self.indices, 3 * self.faces) };
        let bad = |index: &i32| usize::try_from(*index).map_or(true, |at| at >= self.point_count);
        let at = indices.iter().position(bad)?;
        Some((at, indices[at]))
    }
}

/// A part of memory.
///
/// # Safety
/// So many lie there, and nothing writes them meanwhile.
pub unsafe fn slice<'a, T>(at: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(at, count) },
    }
}
