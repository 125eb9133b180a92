//! Fills, of one and two dimensions: `cuMemset...`.
use super::allocations::Allocations;
use super::view::View;
use crate::driver::base::{Error, Result};
use crate::machine::Memory;

/// `cuMemsetD*`: elements of 1, 2 or 4 bytes, in rows.
#[derive(Clone)]
pub struct Memset {
    pub dst: u64,
    pub value: u32,
    pub element: u32,
    /// Elements of a row.
    pub width: u64,
    pub height: u64,
    /// Bytes from row to row.
    pub pitch: u64,
}

impl Memset {
    pub fn bytes(&self) -> u64 {
        self.width * u64::from(self.element) * self.height
    }

    pub fn check(&self, memory: &Allocations) -> Result {
        let row = self
            .width
            .checked_mul(u64::from(self.element))
            .ok_or(Error::INVALID_VALUE)?;
        let aligned = |n: u64| n.is_multiple_of(u64::from(self.element));
        if !aligned(self.dst) || self.height > 1 && (!aligned(self.pitch) || self.pitch < row) {
            return Err(Error::INVALID_VALUE);
        }
        if row == 0 || self.height == 0 {
            return Ok(());
        }
        let bytes = (self.height - 1)
            .checked_mul(self.pitch)
            .and_then(|n| n.checked_add(row));
        if bytes.is_some_and(|n| memory.holds(self.dst, n)) {
            Ok(())
        } else {
            Err(Error::INVALID_VALUE)
        }
    }

    pub fn run(&self, view: &View) -> std::result::Result<(), String> {
        let row = self.width * u64::from(self.element);
        if row == 0 {
            return Ok(());
        }
        let pattern = self.value.to_le_bytes();
        for y in 0..self.height {
            let address = self.dst + y * self.pitch;
            let start = view
                .at(address, row)
                .ok_or_else(|| format!("a fill met {}", view.reason(address, row)))?
                .as_ptr();
            if self.element == 1 {
                // SAFETY: `at` gave the row.
                unsafe { start.write_bytes(pattern[0], row as usize) };
                continue;
            }
            for i in (0..row as usize).step_by(self.element as usize) {
                // SAFETY: inside the row.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        pattern.as_ptr(),
                        start.add(i),
                        self.element as usize,
                    )
                };
            }
        }
        Ok(())
    }
}
