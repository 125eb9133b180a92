//! A kernel by handle, with its attributes.
use super::module::Module;
use crate::driver::base::Handle;
use crate::ptx::Kernel;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A `CUfunction`.
pub struct Function {
    pub module: Arc<Module>,
    pub module_handle: Handle,
    /// Index into the module's kernels.
    pub kernel: usize,
    pub name: CString,
    /// Largest dynamic shared memory of a launch.
    pub dynamic: AtomicU32,
    /// Preferred carveout in percent; all ones is the default, -1.
    pub carveout: AtomicU32,
}

impl Function {
    pub fn kernel(&self) -> &Kernel {
        &self.module.ptx.kernels[self.kernel]
    }

    pub fn name(&self) -> &str {
        &self.kernel().name
    }

    /// Registers of a thread, as a compiler would allocate them: text declares each value by itself, and hardware has 255.
    pub fn registers(&self) -> u32 {
        self.kernel().registers.div_ceil(4).clamp(16, 255)
    }

    /// Threads of a block, at most: by `.maxntid`, and by registers.
    pub fn max_threads(&self) -> u32 {
        let warps = 65536 / (self.registers() * 32).next_multiple_of(256);
        let possible = (32 * warps).min(1024);
        self.kernel()
            .max_threads
            .map_or(possible, |most| most.min(possible))
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub fn max_dynamic_shared(&self) -> u64 {
        let set = u64::from(self.dynamic.load(Ordering::Relaxed));
        // Without the attribute, static and dynamic memory share 48 KiB.
        if set <= 48 << 10 {
            set.saturating_sub(self.kernel().shared_bytes)
        } else {
            set
        }
    }
}
