//! The GPUs of this machine: what they are, and their primary contexts.

mod attribute;
mod context;
mod streams;

use super::driver::Driver;
use crate::device::kind::{Device, Ordinal};
use crate::error::{Code, Error, Result};
pub use attribute::Attribute;
use context::Context;
pub use context::Current;
use cudarc::driver::sys::*;
use std::ffi::{CStr, c_int};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use streams::Busy;

/// A GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Its number.
    pub ordinal: Ordinal,
    /// What the driver calls it.
    pub handle: CUdevice,
    /// Its name, such as `NVIDIA H200`.
    pub name: String,
    /// Its number that no other GPU has.
    pub uuid: [u8; 16],
    /// Where it is on the bus, as `00000000:65:00.0`.
    pub pci_bus_id: String,
    /// Its compute capability, as 90 for 9.0.
    pub arch: u32,
    /// Bytes of memory.
    pub total_memory: usize,
    /// Whether memory comes from pools, in stream order.
    pub has_pools: bool,
    /// Whether memory is taken from them: [`POOLS_ASKED`], or what the user said.
    pools: AtomicU8,
    /// Held while a graph is recorded; no thread may wait for the whole device meanwhile.
    recording: RwLock<()>,
    context: OnceLock<Result<Context>>,
}

/// The user has not said whether a GPU's pools are to be used.
const POOLS_ASKED: u8 = 2;

/// Whether GPUs of which nothing is said use their pools.
static POOLS_AT_FIRST: AtomicBool = AtomicBool::new(true);

/// Says whether GPUs of which nothing else is said use their pools.
pub fn use_pools_at_first(yes: bool) {
    POOLS_AT_FIRST.store(yes, Ordering::Relaxed);
}

/// All GPUs; none where there is no driver.
pub fn gpus() -> &'static [Gpu] {
    found().as_deref().unwrap_or(&[])
}

/// The GPU of a number.
///
/// # Errors
/// There is no such GPU, or no driver.
pub fn gpu(ordinal: Ordinal) -> Result<&'static Gpu> {
    let absent = |e: &Error| e.clone().within(Device::Cuda(ordinal));
    let all = found().as_ref().map_err(absent)?;
    all.get(usize::from(ordinal.get())).ok_or_else(|| {
        let there: Vec<Device> = all.iter().map(Gpu::device).collect();
        Device::absent(&Device::Cuda(ordinal).alias(), &there)
    })
}

/// The GPU that a device is.
///
/// # Errors
/// It is of another kind, or there is no such GPU.
pub fn gpu_of(device: Device) -> Result<&'static Gpu> {
    let Device::Cuda(ordinal) = device else {
        let what = format!("the device \"{device}\" is no CUDA device");
        return Err(Error::new(Code::Value, what));
    };
    gpu(ordinal)
}

/// The device that an address belongs to, as the driver knows it; None for memory of the host and where there is no driver.
pub fn device_of_address(address: usize) -> Option<Device> {
    let current = gpus().first()?.enter().ok()?;
    let ask = |attribute| {
        let mut value: c_int = 0;
        let to = (&raw mut value).cast();
        // SAFETY: writes an integer; any address may be asked about.
        let asked = unsafe {
            current
                .driver()
                .pointer_get_attribute(to, attribute, address as CUdeviceptr)
        };
        asked.ok().map(|()| value)
    };
    let kind = ask(CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)?;
    if kind != CUmemorytype::CU_MEMORYTYPE_DEVICE as c_int {
        return None;
    }
    let ordinal = ask(CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)?;
    u16::try_from(ordinal).ok().map(Device::cuda)
}

/// Whether an address is memory of the host that the driver has pinned.
pub fn is_pinned(address: usize) -> bool {
    // Without a context the driver has pinned nothing.
    let Some(gpu) = gpus().iter().find(|gpu| gpu.context_handle().is_some()) else {
        return false;
    };
    let Ok(current) = gpu.enter() else {
        return false;
    };
    let mut kind: c_int = 0;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: writes an integer; any address may be asked about.
    let asked = unsafe {
        current.driver().pointer_get_attribute(
            (&raw mut kind).cast(),
            attribute,
            address as CUdeviceptr,
        )
    };
    asked.is_ok() && kind == CUmemorytype::CU_MEMORYTYPE_HOST as c_int
}

/// Why there are no GPUs.
pub fn absence() -> Option<&'static Error> {
    found().as_ref().err()
}

fn found() -> &'static Result<Vec<Gpu>> {
    static GPUS: OnceLock<Result<Vec<Gpu>>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let driver = Driver::get()?;
        let mut count = 0;
        // SAFETY: writes an integer.
        unsafe { driver.device_get_count(&raw mut count) }?;
        (0..count.min(c_int::from(i16::MAX)))
            .map(|n| Gpu::new(driver, n as u16))
            .collect()
    })
}

impl Gpu {
    fn new(driver: &Driver, ordinal: u16) -> Result<Gpu> {
        let mut handle = 0;
        let (mut name, mut bus) = ([0; 256], [0; 64]);
        let (mut uuid, mut total) = (CUuuid { bytes: [0; 16] }, 0);
        // SAFETY: each writes what its pointer has room for.
        unsafe {
            driver.device_get(&raw mut handle, ordinal.into())?;
            driver.device_get_name(name.as_mut_ptr(), name.len() as c_int, handle)?;
            driver.device_get_uuid(&raw mut uuid, handle)?;
            driver.device_get_pci_bus_id(bus.as_mut_ptr(), bus.len() as c_int, handle)?;
            driver.device_total_mem(&raw mut total, handle)?;
        }
        let text = |of: &[std::ffi::c_char]| {
            // SAFETY: the driver ends both with a zero.
            let text = unsafe { CStr::from_ptr(of.as_ptr()) };
            text.to_string_lossy().into_owned()
        };
        let mut gpu = Gpu {
            ordinal: Ordinal::new(ordinal),
            handle,
            name: text(&name),
            uuid: uuid.bytes.map(|b| b as u8),
            pci_bus_id: text(&bus),
            arch: 0,
            total_memory: total,
            has_pools: false,
            pools: AtomicU8::new(POOLS_ASKED),
            recording: RwLock::new(()),
            context: OnceLock::new(),
        };
        let major = gpu.attribute(Attribute::COMPUTE_CAPABILITY_MAJOR)?;
        let minor = gpu.attribute(Attribute::COMPUTE_CAPABILITY_MINOR)?;
        gpu.arch = (10 * major + minor) as u32;
        gpu.has_pools = driver.has_pools()
            && gpu
                .attribute(Attribute::MEMORY_POOLS_SUPPORTED)
                .unwrap_or(0)
                != 0;
        Ok(gpu)
    }

    /// The device that this is.
    pub fn device(&self) -> Device {
        Device::Cuda(self.ordinal)
    }

    /// Whether memory is taken from pools.
    #[inline]
    pub fn uses_pools(&self) -> bool {
        self.has_pools
            && match self.pools.load(Ordering::Relaxed) {
                POOLS_ASKED => POOLS_AT_FIRST.load(Ordering::Relaxed),
                said => said != 0,
            }
    }

    /// Says whether memory is taken from pools, where the GPU has them.
    pub fn use_pools(&self, yes: bool) {
        self.pools.store(yes.into(), Ordering::Relaxed);
    }

    /// What the driver says of the device.
    ///
    /// # Errors
    /// It does not know the attribute.
    pub fn attribute(&self, attribute: Attribute) -> Result<c_int> {
        let mut value = 0;
        // SAFETY: writes an integer.
        unsafe { Driver::get()?.device_get_attribute(&raw mut value, attribute.0, self.handle) }?;
        Ok(value)
    }

    /// Bytes of memory that programs can still have.
    ///
    /// # Errors
    /// What the driver says.
    pub fn free_memory(&self) -> Result<usize> {
        let current = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two integers.
        unsafe { current.driver().mem_get_info(&raw mut free, &raw mut total) }?;
        Ok(free)
    }

    /// The GPU's own number, as NVIDIA's tools write it.
    pub fn uuid_text(&self) -> String {
        let mut text = String::from("GPU");
        for (at, byte) in self.uuid.iter().enumerate() {
            if matches!(at, 0 | 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    fn context(&self) -> Result<&Context> {
        let pooled = self.has_pools.then_some(self.total_memory);
        let context = (self.context).get_or_init(|| Context::new(self.handle, pooled));
        context.as_ref().map_err(Error::clone)
    }

    /// Keeps others from waiting for the whole device, which would end the recording of a graph.
    pub fn record(&self) -> RwLockWriteGuard<'_, ()> {
        self.recording
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others from recording graphs.
    pub fn wait(&self) -> RwLockReadGuard<'_, ()> {
        self.recording
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the whole device, unless a stream is captured; then false.
    pub fn try_synchronize(&self) -> bool {
        let Ok(_waits) = self.recording.try_read() else {
            return false;
        };
        let Ok(current) = self.enter() else {
            return false;
        };
        if self
            .busy_streams(usize::MAX)
            .is_ok_and(|busy| busy.capturing)
        {
            return false;
        }
        // SAFETY: no preconditions. What went wrong is said to who waits for the device.
        let _ = unsafe { current.driver().context_synchronize() };
        true
    }

    /// The driver's handle of the primary context, once something has needed it.
    pub fn context_handle(&self) -> Option<usize> {
        self.context.get()?.as_ref().ok().map(|c| c.handle)
    }

    /// Makes the GPU's context the current one of this thread.
    ///
    /// # Errors
    /// What the driver says.
    #[inline]
    pub fn enter(&self) -> Result<Current> {
        let context = self.context()?.handle as CUcontext;
        Current::new(context, self.ordinal.get() == 0)
    }
}
