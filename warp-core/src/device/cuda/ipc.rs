//! Memory and events that other processes open.

use super::gpu::Gpu;
use crate::error::Result;
use cudarc::driver::sys::*;

/// What another process opens memory or an event with.
pub type Handle = [u8; 64];

/// The handle of memory that came from the driver itself, without a pool, by the address that it gave.
///
/// # Errors
/// What the driver says.
pub fn handle_of_memory(gpu: &Gpu, address: usize) -> Result<Handle> {
    let current = gpu.enter()?;
    let mut handle = CUipcMemHandle { reserved: [0; 64] };
    // SAFETY: writes a handle; the driver looks the address up.
    unsafe {
        current
            .driver()
            .ipc_get_mem_handle(&raw mut handle, address as CUdeviceptr)
    }?;
    Ok(handle.reserved.map(|c| c as u8))
}

/// The address of another process's memory.
///
/// # Errors
/// What the driver says: the process that made a handle cannot open it.
pub fn open_memory(gpu: &Gpu, handle: Handle) -> Result<usize> {
    let current = gpu.enter()?;
    let handle = CUipcMemHandle {
        reserved: handle.map(|b| b as _),
    };
    let lazily = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
    let mut address = 0;
    // SAFETY: writes an address.
    unsafe {
        current
            .driver()
            .ipc_open_mem_handle(&raw mut address, handle, lazily)
    }?;
    Ok(address as usize)
}

/// Closes what [`open_memory`] opened.
///
/// # Safety
/// Nothing uses the memory any more.
pub unsafe fn close_memory(gpu: &Gpu, address: usize) {
    if let Ok(current) = gpu.enter() {
        // The driver waits for nobody.
        let _waits = gpu.wait();
        // SAFETY: promised by the caller.
        unsafe {
            let _ = current.driver().context_synchronize();
            let _ = current
                .driver()
                .ipc_close_mem_handle(address as CUdeviceptr);
        }
    }
}

/// The handle of an event that was made for other processes.
///
/// # Errors
/// What the driver says.
pub fn handle_of_event(gpu: &Gpu, event: usize) -> Result<Handle> {
    let current = gpu.enter()?;
    let mut handle = CUipcEventHandle { reserved: [0; 64] };
    // SAFETY: writes a handle; the event is alive as long as its owner.
    unsafe {
        current
            .driver()
            .ipc_get_event_handle(&raw mut handle, event as CUevent)
    }?;
    Ok(handle.reserved.map(|c| c as u8))
}

/// Another process's event, to be destroyed like one of ours.
///
/// # Errors
/// What the driver says.
pub fn open_event(gpu: &Gpu, handle: Handle) -> Result<usize> {
    let current = gpu.enter()?;
    let handle = CUipcEventHandle {
        reserved: handle.map(|b| b as _),
    };
    let mut event: CUevent = std::ptr::null_mut();
    // SAFETY: writes a handle.
    unsafe {
        current
            .driver()
            .ipc_open_event_handle(&raw mut event, handle)
    }?;
    Ok(event as usize)
}
