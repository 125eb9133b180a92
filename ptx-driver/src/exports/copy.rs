//! Copies and fills.
use super::abi::{Memcpy2D, Memcpy3D};
use super::argument::required;
use crate::driver::base::{Handle, Result};
use crate::driver::memory::region::{self, Side};
use crate::driver::memory::transfer::{self, When};
use crate::driver::state::Guard;
use crate::driver::state::memory::{Location, Memcpy, Memset};

/// A copy between addresses of the unified space.
fn unified(
    g: &mut Guard,
    c: Handle,
    dst: u64,
    src: u64,
    bytes: usize,
    stream: Option<usize>,
) -> Result {
    let copy = Memcpy::linear(
        Location::of_unified(&g.memory, dst),
        Location::of_unified(&g.memory, src),
        bytes as u64,
    );
    let inside = matches!(
        (&copy.dst, &copy.src),
        (Location::Device(_), Location::Device(_))
    );
    let when = stream.map_or(
        if inside {
            When::Enqueued
        } else {
            When::Blocking
        },
        When::Async,
    );
    transfer::memcpy(g, c, copy, when)
}

fn to_device(g: &mut Guard, c: Handle, dst: u64, src: u64, bytes: usize, when: When) -> Result {
    let src = Location::of_host(&g.memory, src)?;
    transfer::memcpy(
        g,
        c,
        Memcpy::linear(Location::Device(dst), src, bytes as u64),
        when,
    )
}

fn to_host(g: &mut Guard, c: Handle, dst: u64, src: u64, bytes: usize, when: When) -> Result {
    let dst = Location::of_host(&g.memory, dst)?;
    transfer::memcpy(
        g,
        c,
        Memcpy::linear(dst, Location::Device(src), bytes as u64),
        when,
    )
}

fn inside(g: &mut Guard, c: Handle, dst: u64, src: u64, bytes: usize, when: When) -> Result {
    transfer::memcpy(
        g,
        c,
        Memcpy::linear(Location::Device(dst), Location::Device(src), bytes as u64),
        when,
    )
}

fn peer(
    g: &mut Guard,
    c: Handle,
    dst: (u64, usize),
    src: (u64, usize),
    bytes: usize,
    when: When,
) -> Result {
    for context in [dst.1, src.1] {
        g.context(context)?;
    }
    inside(g, c, dst.0, src.0, bytes, when)
}

fn fill(
    g: &mut Guard,
    c: Handle,
    dst: u64,
    value: u32,
    element: u32,
    count: usize,
    when: When,
) -> Result {
    transfer::memset(
        g,
        c,
        Memset {
            dst,
            value,
            element,
            width: count as u64,
            height: 1,
            pitch: 0,
        },
        when,
    )
}

/// Rows of a fill: pitch, elements, rows.
type Rows = (usize, usize, usize);

fn fill_rows(
    g: &mut Guard,
    c: Handle,
    dst: u64,
    value: u32,
    element: u32,
    rows: Rows,
    when: When,
) -> Result {
    let (pitch, width, height) = (rows.0 as u64, rows.1 as u64, rows.2 as u64);
    transfer::memset(
        g,
        c,
        Memset {
            dst,
            value,
            element,
            width,
            height,
            pitch,
        },
        when,
    )
}

fn in_2d(g: &mut Guard, c: Handle, p: &Memcpy2D, stream: Option<usize>) -> Result {
    let src = Side {
        x: p.src_x,
        y: p.src_y,
        z: 0,
        memory_type: p.src_type,
        host: p.src_host,
        device: p.src_device,
        pitch: p.src_pitch,
        height: 0,
    };
    let dst = Side {
        x: p.dst_x,
        y: p.dst_y,
        z: 0,
        memory_type: p.dst_type,
        host: p.dst_host,
        device: p.dst_device,
        pitch: p.dst_pitch,
        height: 0,
    };
    let copy = region::copy(g, dst, src, [p.width, p.height, 1])?;
    transfer::memcpy(g, c, copy, stream.map_or(When::Blocking, When::Async))
}

/// The copy that a structure describes, also for nodes of graphs.
pub(super) fn from_3d(g: &Guard, p: &Memcpy3D) -> Result<Memcpy> {
    let src = Side {
        x: p.src_x,
        y: p.src_y,
        z: p.src_z,
        memory_type: p.src_type,
        host: p.src_host,
        device: p.src_device,
        pitch: p.src_pitch,
        height: p.src_height,
    };
    let dst = Side {
        x: p.dst_x,
        y: p.dst_y,
        z: p.dst_z,
        memory_type: p.dst_type,
        host: p.dst_host,
        device: p.dst_device,
        pitch: p.dst_pitch,
        height: p.dst_height,
    };
    region::copy(g, dst, src, [p.width, p.height, p.depth])
}

fn in_3d(g: &mut Guard, c: Handle, p: &Memcpy3D, stream: Option<usize>) -> Result {
    let copy = from_3d(g, p)?;
    transfer::memcpy(g, c, copy, stream.map_or(When::Blocking, When::Async))
}

functions! {
    ctx cuMemcpy(dst: u64, src: u64, bytes: usize) |g, c| unified(g, c, dst, src, bytes, None);
    ctx cuMemcpyAsync(dst: u64, src: u64, bytes: usize, stream: usize) |g, c| unified(g, c, dst, src, bytes, Some(stream));
    ctx cuMemcpyHtoD_v2(dst: u64, src: u64, bytes: usize) |g, c| to_device(g, c, dst, src, bytes, When::Blocking);
    ctx cuMemcpyHtoDAsync_v2(dst: u64, src: u64, bytes: usize, stream: usize) |g, c| {
        to_device(g, c, dst, src, bytes, When::Async(stream))
    };
    ctx cuMemcpyDtoH_v2(dst: u64, src: u64, bytes: usize) |g, c| to_host(g, c, dst, src, bytes, When::Blocking);
    ctx cuMemcpyDtoHAsync_v2(dst: u64, src: u64, bytes: usize, stream: usize) |g, c| {
        to_host(g, c, dst, src, bytes, When::Async(stream))
    };
    ctx cuMemcpyDtoD_v2(dst: u64, src: u64, bytes: usize) |g, c| inside(g, c, dst, src, bytes, When::Enqueued);
    ctx cuMemcpyDtoDAsync_v2(dst: u64, src: u64, bytes: usize, stream: usize) |g, c| {
        inside(g, c, dst, src, bytes, When::Async(stream))
    };
    ctx cuMemcpyPeer(dst: u64, to: usize, src: u64, from: usize, bytes: usize) |g, c| {
        peer(g, c, (dst, to), (src, from), bytes, When::Enqueued)
    };
    ctx cuMemcpyPeerAsync(dst: u64, to: usize, src: u64, from: usize, bytes: usize, stream: usize) |g, c| {
        peer(g, c, (dst, to), (src, from), bytes, When::Async(stream))
    };
    ctx cuMemcpy2D_v2(params: *const Memcpy2D) |g, c| in_2d(g, c, required(params)?, None);
    ctx cuMemcpy2DUnaligned_v2(params: *const Memcpy2D) |g, c| in_2d(g, c, required(params)?, None);
    ctx cuMemcpy2DAsync_v2(params: *const Memcpy2D, stream: usize) |g, c| in_2d(g, c, required(params)?, Some(stream));
    ctx cuMemcpy3D_v2(params: *const Memcpy3D) |g, c| in_3d(g, c, required(params)?, None);
    ctx cuMemcpy3DAsync_v2(params: *const Memcpy3D, stream: usize) |g, c| in_3d(g, c, required(params)?, Some(stream));
    ctx cuMemcpy3DPeer(params: *const Memcpy3D) |g, c| in_3d(g, c, required(params)?, None);
    ctx cuMemcpy3DPeerAsync(params: *const Memcpy3D, stream: usize) |g, c| in_3d(g, c, required(params)?, Some(stream));
    ctx cuMemsetD8_v2(dst: u64, value: u8, count: usize) |g, c| fill(g, c, dst, value.into(), 1, count, When::Enqueued);
    ctx cuMemsetD16_v2(dst: u64, value: u16, count: usize) |g, c| fill(g, c, dst, value.into(), 2, count, When::Enqueued);
    ctx cuMemsetD32_v2(dst: u64, value: u32, count: usize) |g, c| fill(g, c, dst, value, 4, count, When::Enqueued);
    ctx cuMemsetD8Async(dst: u64, value: u8, count: usize, stream: usize) |g, c| {
        fill(g, c, dst, value.into(), 1, count, When::Async(stream))
    };
    ctx cuMemsetD16Async(dst: u64, value: u16, count: usize, stream: usize) |g, c| {
        fill(g, c, dst, value.into(), 2, count, When::Async(stream))
    };
    ctx cuMemsetD32Async(dst: u64, value: u32, count: usize, stream: usize) |g, c| {
        fill(g, c, dst, value, 4, count, When::Async(stream))
    };
    ctx cuMemsetD2D8_v2(dst: u64, pitch: usize, value: u8, width: usize, height: usize) |g, c| {
        fill_rows(g, c, dst, value.into(), 1, (pitch, width, height), When::Enqueued)
    };
    ctx cuMemsetD2D16_v2(dst: u64, pitch: usize, value: u16, width: usize, height: usize) |g, c| {
        fill_rows(g, c, dst, value.into(), 2, (pitch, width, height), When::Enqueued)
    };
    ctx cuMemsetD2D32_v2(dst: u64, pitch: usize, value: u32, width: usize, height: usize) |g, c| {
        fill_rows(g, c, dst, value, 4, (pitch, width, height), When::Enqueued)
    };
    ctx cuMemsetD2D8Async(dst: u64, pitch: usize, value: u8, width: usize, height: usize, stream: usize) |g, c| {
        fill_rows(g, c, dst, value.into(), 1, (pitch, width, height), When::Async(stream))
    };
    ctx cuMemsetD2D16Async(dst: u64, pitch: usize, value: u16, width: usize, height: usize, stream: usize) |g, c| {
        fill_rows(g, c, dst, value.into(), 2, (pitch, width, height), When::Async(stream))
    };
    ctx cuMemsetD2D32Async(dst: u64, pitch: usize, value: u32, width: usize, height: usize, stream: usize) |g, c| {
        fill_rows(g, c, dst, value, 4, (pitch, width, height), When::Async(stream))
    };
}
