//! Addresses to memory: which space, and where in it.

use super::fault::FaultKind;
use super::tlb::Tlb;
use crate::ptx::Space;
use crate::ptx::types::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};

/// What is done with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Read,
    Write,
    Atomic,
}

/// Where an access landed.
pub(super) struct Found {
    pub host: *mut u8,
    /// Global or shared memory, which others see; else the thread's own or constant.
    pub space: Space,
    /// Address in that space.
    pub at: u64,
}

/// Memory that a thread sees besides the device's.
pub(super) struct NearMemory<'a> {
    pub local: &'a mut [u8],
    pub shared: &'a mut [u8],
    pub params: &'a [u8],
}

impl NearMemory<'_> {
    /// Finds `bytes` bytes, aligned to their number.
    #[inline(always)]
    pub fn find(
        &mut self,
        tlb: &mut Tlb,
        space: Space,
        address: u64,
        bytes: u64,
        how: Use,
    ) -> Result<Found, FaultKind> {
        if address & (bytes - 1) != 0 {
            return Err(FaultKind::Misaligned);
        }
        let global = matches!(space, Space::Global | Space::Const)
            || space == Space::Generic && address.wrapping_sub(SHARED_WINDOW) >= 3 * WINDOW;
        if global {
            let host = tlb.at(address, bytes).ok_or(FaultKind::IllegalAddress)?;
            return Ok(Found {
                host,
                space: Space::Global,
                at: address,
            });
        }
        self.near(space, address, bytes, how)
            .ok_or(FaultKind::IllegalAddress)
    }

    #[inline]
    fn near(&mut self, space: Space, address: u64, bytes: u64, how: Use) -> Option<Found> {
        let (space, at) = match (space, address & !(WINDOW - 1)) {
            (Space::Generic, SHARED_WINDOW) => (Space::Shared, address - SHARED_WINDOW),
            (Space::Generic, LOCAL_WINDOW) => (Space::Local, address - LOCAL_WINDOW),
            (Space::Generic, PARAM_WINDOW) => (Space::Param, address - PARAM_WINDOW),
            _ => (space, address),
        };
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(bytes as usize)?;
        let host = match space {
            Space::Shared => self.shared.get_mut(start..end)?.as_mut_ptr(),
            Space::Local if how != Use::Atomic => self.local.get_mut(start..end)?.as_mut_ptr(),
            Space::Param if how == Use::Read => self.params.get(start..end)?.as_ptr().cast_mut(),
            _ => return None,
        };
        Some(Found { host, space, at })
    }
}

/// Reads a value of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// So many bytes can be read.
#[inline(always)]
pub(super) unsafe fn read(host: *const u8, bytes: u8) -> u64 {
    // SAFETY: the caller's promise; the host's alignment may be less than the device's.
    unsafe {
        match bytes {
            1 => u64::from(host.read()),
            2 => u64::from(host.cast::<u16>().read_unaligned()),
            4 => u64::from(host.cast::<u32>().read_unaligned()),
            _ => host.cast::<u64>().read_unaligned(),
        }
    }
}

/// Writes the low 1, 2, 4 or 8 bytes of a value.
///
/// # Safety
/// So many bytes can be written.
#[inline(always)]
pub(super) unsafe fn write(host: *mut u8, bytes: u8, value: u64) {
    // SAFETY: the caller's promise; the host's alignment may be less than the device's.
    unsafe {
        match bytes {
            1 => host.write(value as u8),
            2 => host.cast::<u16>().write_unaligned(value as u16),
            4 => host.cast::<u32>().write_unaligned(value as u32),
            _ => host.cast::<u64>().write_unaligned(value),
        }
    }
}

/// A loaded value extended by its sign.
#[inline(always)]
pub(super) fn extended(value: u64, bytes: u8) -> u64 {
    let gap = 64 - 8 * u32::from(bytes);
    ((value << gap) as i64 >> gap) as u64
}
