//! Copies of a box between two arrays of two or three dimensions, as the C structures describe them.
use crate::driver::base::{Error, Result};
use crate::driver::state::Guard;
use crate::driver::state::memory::{Location, Memcpy, Shape};

/// One side of a copy in two or three dimensions, as the C structures say it.
#[derive(Clone, Copy)]
pub struct Side {
    pub x: usize,
    pub y: usize,
    pub z: usize,
    pub memory_type: u32,
    pub host: usize,
    pub device: u64,
    pub pitch: usize,
    pub height: usize,
}

/// A copy of a box between two sides.
pub fn copy(g: &Guard, dst: Side, src: Side, extent: [usize; 3]) -> Result<Memcpy> {
    let [width, height, depth] = extent;
    let place = |side: Side| -> Result<(Location, u64, u64)> {
        let pitch = if side.pitch == 0 { width } else { side.pitch };
        let rows = if side.height == 0 {
            height
        } else {
            side.height
        };
        if side.x.checked_add(width).is_none_or(|end| end > pitch)
            && (height > 1 || depth > 1 || side.y > 0)
            || depth > 1 && rows < height
        {
            return Err(Error::INVALID_VALUE);
        }
        let slice = pitch.checked_mul(rows).ok_or(Error::INVALID_VALUE)?;
        let offset = [(side.z, slice), (side.y, pitch), (side.x, 1)]
            .iter()
            .try_fold(0usize, |sum, (n, size)| {
                sum.checked_add(n.checked_mul(*size)?)
            })
            .ok_or(Error::INVALID_VALUE)? as u64;
        let at = |base: u64| base.checked_add(offset).ok_or(Error::INVALID_VALUE);
        let place = match side.memory_type {
            1 => Location::of_host(&g.memory, at(side.host as u64)?)?,
            2 => Location::Device(at(side.device)?),
            4 => Location::of_unified(&g.memory, at(side.device)?),
            // CUDA arrays: there are none.
            3 => return Err(Error::NOT_SUPPORTED),
            _ => return Err(Error::INVALID_VALUE),
        };
        Ok((place, pitch as u64, slice as u64))
    };
    let (dst, dst_pitch, dst_slice) = place(dst)?;
    let (src, src_pitch, src_slice) = place(src)?;
    let (width, height, depth) = (width as u64, height as u64, depth as u64);
    width
        .checked_mul(height)
        .and_then(|n| n.checked_mul(depth))
        .ok_or(Error::INVALID_VALUE)?;
    Ok(Memcpy {
        dst,
        src,
        shape: Shape {
            width,
            height,
            depth,
            dst_pitch,
            dst_slice,
            src_pitch,
            src_slice,
        },
    })
}
