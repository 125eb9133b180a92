//! Enqueues copies and fills.
use super::copy::{Copy, Fill, Place, Shape};
use super::error::{Error, Result};
use super::handle::Handle;
use super::state::Guard;
use super::work::Op;
use super::{capture, context, execute, stream};
use std::sync::Arc;

/// Whether a call returns before its work is done.
#[derive(Clone, Copy)]
pub enum When {
    /// The call waits: in the legacy default stream.
    Blocking,
    /// In the legacy default stream, without waiting: copies inside devices, and fills.
    Enqueued,
    /// In a stream of the caller's.
    Async(Handle),
}

fn enqueue(g: &mut Guard, context: Handle, when: When, op: Op) -> Result {
    let stream = match when {
        When::Async(stream) => context::stream(g, context, stream)?,
        When::Blocking | When::Enqueued => {
            let legacy = context::stream(g, context, 0)?;
            capture::refuse_legacy(g, context)?;
            capture::refuse_unsafe(g)?;
            legacy
        }
    };
    // The memory may be gone after the call if the program relies on the documented wait.
    let waits = g.settings.pageable_waits
        && matches!(&op, Op::Copy(copy) if matches!(copy.dst, Place::Host(_)));
    let number = stream::push(g, stream, op)?;
    if let (true, Some(number)) = (waits || matches!(when, When::Blocking), number) {
        execute::finish(g, stream, number);
    }
    Ok(())
}

/// A copy. Pageable memory is read before the call returns, pinned memory when the copy is executed.
pub fn copy(g: &mut Guard, context: Handle, mut copy: Copy, when: When) -> Result {
    copy.check(&g.memory)?;
    if copy.bytes() == 0 {
        return Ok(());
    }
    if let When::Async(stream) = when {
        let stream = context::stream(g, context, stream)?;
        let capturing = g.streams.get(stream).is_some_and(|st| st.capture.is_some());
        // A graph reads its source at each launch.
        if !capturing {
            copy.stage(&g.memory);
        }
    }
    enqueue(g, context, when, Op::Copy(Arc::new(copy)))
}

/// A fill.
pub fn fill(g: &mut Guard, context: Handle, fill: Fill, when: When) -> Result {
    fill.check(&g.memory)?;
    if fill.bytes() == 0 {
        return Ok(());
    }
    enqueue(g, context, when, Op::Fill(Arc::new(fill)))
}

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
pub fn boxed(g: &Guard, dst: Side, src: Side, extent: [usize; 3]) -> Result<Copy> {
    let [width, height, depth] = extent;
    let place = |side: Side| -> Result<(Place, u64, u64)> {
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
            1 => super::copy::host(&g.memory, at(side.host as u64)?)?,
            2 => Place::Device(at(side.device)?),
            4 => super::copy::unified(&g.memory, at(side.device)?),
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
    Ok(Copy {
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
