//! Copies, of one, two and three dimensions: `cuMemcpy...`.
use super::allocation::Origin;
use super::allocations::Allocations;
use super::view::View;
use crate::driver::base::{Error, Result};
use crate::machine::Memory;
use std::sync::Arc;

/// One side of a copy.
#[derive(Clone)]
pub enum Location {
    /// A device address, or pinned memory.
    Device(u64),
    /// Memory of the host, touched when the copy is executed.
    Host(u64),
    /// Bytes that were read when the copy was enqueued.
    Staged(Arc<[u8]>),
}

/// Bytes in a row, rows in a slice, slices; and how far apart rows and slices lie.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    pub width: u64,
    pub height: u64,
    pub depth: u64,
    pub dst_pitch: u64,
    pub dst_slice: u64,
    pub src_pitch: u64,
    pub src_slice: u64,
}

/// A copy.
#[derive(Clone)]
pub struct Memcpy {
    pub dst: Location,
    pub src: Location,
    pub shape: Shape,
}

impl Location {
    /// The place that an address of the unified address space means.
    pub fn of_unified(memory: &Allocations, address: u64) -> Location {
        match memory.find(address) {
            Some(_) => Location::Device(address),
            None => Location::Host(address),
        }
    }

    /// The place of a host pointer: pinned memory is found by its table, so that a free before the copy is noticed.
    pub fn of_host(memory: &Allocations, address: u64) -> Result<Location> {
        match memory.find(address).map(|a| a.origin) {
            Some(Origin::Host { .. }) => Ok(Location::Device(address)),
            // A device pointer where one of the host is due.
            Some(_) => Err(Error::INVALID_VALUE),
            None => Ok(Location::Host(address)),
        }
    }
}

impl Memcpy {
    /// A copy of bytes that lie side by side.
    pub fn linear(dst: Location, src: Location, bytes: u64) -> Memcpy {
        Memcpy {
            dst,
            src,
            shape: Shape {
                width: bytes,
                height: 1,
                depth: 1,
                ..Shape::default()
            },
        }
    }

    pub fn bytes(&self) -> u64 {
        self.shape.width * self.shape.height * self.shape.depth
    }

    fn rows(&self) -> impl Iterator<Item = (u64, u64)> {
        let s = self.shape;
        (0..s.depth).flat_map(move |z| {
            (0..s.height).map(move |y| {
                (
                    z * s.dst_slice + y * s.dst_pitch,
                    z * s.src_slice + y * s.src_pitch,
                )
            })
        })
    }

    /// Refuses what no allocation holds, before anything is enqueued.
    pub fn check(&self, memory: &Allocations) -> Result {
        if self.shape.width == 0 {
            return Ok(());
        }
        let s = self.shape;
        let extent = |pitch: u64, slice: u64| {
            let rows = s.height.checked_sub(1)?.checked_mul(pitch)?;
            s.depth
                .checked_sub(1)?
                .checked_mul(slice)?
                .checked_add(rows)?
                .checked_add(s.width)
        };
        for (place, bytes) in [
            (&self.dst, extent(s.dst_pitch, s.dst_slice)),
            (&self.src, extent(s.src_pitch, s.src_slice)),
        ] {
            match place {
                Location::Device(address) if !bytes.is_some_and(|n| memory.holds(*address, n)) => {
                    return Err(Error::INVALID_VALUE);
                }
                Location::Host(0) => return Err(Error::INVALID_VALUE),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the source now if it is pageable memory of the host.
    pub fn stage(&mut self, memory: &Allocations) {
        let Location::Host(address) = self.src else {
            return;
        };
        if self.bytes() == 0 || memory.find(address).is_some() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes() as usize);
        for (_, offset) in self.rows() {
            let row = (address + offset) as *const u8;
            // SAFETY: the caller of the copy says that its source is there.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(row, self.shape.width as usize)
            });
        }
        self.src = Location::Staged(bytes.into());
        self.shape.src_pitch = self.shape.width;
        self.shape.src_slice = self.shape.width * self.shape.height;
    }

    /// Copies. The error is a sentence about the memory that is not there.
    pub fn run(&self, view: &View) -> std::result::Result<(), String> {
        let width = self.shape.width;
        if self.bytes() == 0 {
            return Ok(());
        }
        let find = |place: &Location, offset: u64| match place {
            Location::Device(base) => view
                .at(base + offset, width)
                .map(|p| p.as_ptr())
                .ok_or_else(|| format!("a copy met {}", view.reason(base + offset, width))),
            // Pinned memory may have been freed in between: then the host's pages are gone, too, and the view says so.
            Location::Host(base) => Ok((base + offset) as *mut u8),
            Location::Staged(bytes) => Ok(bytes[offset as usize..].as_ptr().cast_mut()),
        };
        for (dst, src) in self.rows() {
            let (to, from) = (find(&self.dst, dst)?, find(&self.src, src)?);
            // SAFETY: device ranges were found above and live as long as the view; the caller of the copy vouches for the host's.
            unsafe { std::ptr::copy(from, to, width as usize) };
        }
        Ok(())
    }
}
