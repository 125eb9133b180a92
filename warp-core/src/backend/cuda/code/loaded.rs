//! A kernel in the memory of a GPU.

use crate::backend::cuda::memory::deferred::{Deferred, give_back_unless_captured};
use crate::device::cuda::{Attribute, Gpu, Unhindered, failed};
use crate::error::{Bug, Code, Error, Result};
use cudarc::driver::sys::*;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes for what the driver's compiler says.
const LOG: usize = 8192;

/// A module with one kernel.
#[derive(Debug)]
pub struct Loaded {
    gpu: &'static Gpu,
    module: usize,
    function: usize,
    /// The most threads of a block, by the registers that the kernel takes.
    most_threads: u32,
    /// What [`Loaded::resident_blocks`] said last: threads of a block, and blocks in the lower half.
    resident: AtomicU64,
}

impl Loaded {
    /// Gives PTX to the driver, which compiles it.
    ///
    /// # Errors
    /// The driver is too old for the text, or refuses it, which is a bug.
    pub fn new(gpu: &'static Gpu, ptx: &CStr, symbol: &str) -> Result<Loaded> {
        let current = gpu.enter()?;
        let driver = current.driver();
        let _unhindered = Unhindered::begin();
        let mut log = vec![0u8; LOG];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG as *mut c_void];
        let mut module: CUmodule = std::ptr::null_mut();
        // SAFETY: the text ends with a zero; the options name a buffer of ours and its size.
        let loaded = unsafe {
            driver.module_load_data_ex(
                &raw mut module,
                ptx.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        loaded.map_err(|e| {
            let said = log.split(|b| *b == 0).next().unwrap_or_default();
            let said = String::from_utf8_lossy(said).trim().to_string();
            match e.code {
                Code::Runtime if e.message.contains("INVALID_PTX") => {
                    Bug(format!("{}: {said}", e.message)).into()
                }
                Code::Runtime if e.message.contains("UNSUPPORTED_PTX_VERSION") => {
                    let mut version = 0;
                    // SAFETY: writes an integer.
                    let _ = unsafe { driver.driver_get_version(&raw mut version) };
                    Error::new(
                        Code::Runtime,
                        format!(
                            "the CUDA driver, of version {}.{}, is too old for what kernels are compiled to: {said}",
                            version / 1000,
                            version % 1000 / 10
                        ),
                    )
                    .hint("install a newer driver, of CUDA 12.1 or later for kernels with many parameters, of 11.8 or later for the others")
                }
                _ if said.is_empty() => e,
                _ => e.hint(said),
            }
        })?;
        let name =
            CString::new(symbol).map_err(|_| Bug(format!("a kernel is called {symbol:?}")))?;
        let mut function: CUfunction = std::ptr::null_mut();
        // SAFETY: writes a handle; the module was just loaded.
        unsafe { driver.module_get_function(&raw mut function, module, name.as_ptr()) }?;
        let mut most = 0;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: writes an integer.
        unsafe { driver.function_get_attribute(&raw mut most, attribute, function) }?;
        Ok(Loaded {
            gpu,
            module: module as usize,
            function: function as usize,
            most_threads: most.max(1) as u32,
            resident: AtomicU64::new(0),
        })
    }

    /// Whose memory it is in.
    pub(in crate::backend::cuda) const fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    /// The driver's handle.
    pub(in crate::backend::cuda) const fn function(&self) -> CUfunction {
        self.function as CUfunction
    }

    /// The most threads of a block, by the registers that the kernel takes.
    pub const fn most_threads(&self) -> u32 {
        self.most_threads
    }

    /// How many blocks of this kernel run at a time on the whole GPU.
    ///
    /// # Errors
    /// What the driver says.
    pub fn resident_blocks(&self, threads: u32) -> Result<u32> {
        let known = self.resident.load(Ordering::Relaxed);
        if known >> 32 == u64::from(threads) {
            return Ok(known as u32);
        }
        let current = self.gpu.enter()?;
        let mut blocks = 0;
        // SAFETY: writes an integer.
        unsafe {
            current.driver().occupancy_blocks(
                &raw mut blocks,
                self.function as CUfunction,
                threads as c_int,
                0,
            )
        }?;
        let multiprocessors = self.gpu.attribute(Attribute::MULTIPROCESSOR_COUNT)?;
        let resident = (blocks.max(1) * multiprocessors.max(1)) as u32;
        let known = u64::from(threads) << 32 | u64::from(resident);
        self.resident.store(known, Ordering::Relaxed);
        Ok(resident)
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// `params` points to what the kernel takes, and what that points to is alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    #[inline]
    pub unsafe fn launch(
        &self,
        blocks: u32,
        threads: u32,
        stream: CUstream,
        params: &mut [*mut c_void],
    ) -> Result<()> {
        let current = self.gpu.enter()?;
        // SAFETY: promised by the caller.
        match unsafe {
            current.driver().try_launch(
                self.function as CUfunction,
                blocks,
                threads,
                stream,
                params,
            )
        } {
            0 => Ok(()),
            code => Err(failed(
                "cuLaunchKernel",
                code,
                current.driver().describe(code),
            )),
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the module is ours and nobody launches its kernel any more. While somebody captures it stays.
        unsafe { give_back_unless_captured(Deferred::Module(self.gpu, self.module)) };
    }
}
