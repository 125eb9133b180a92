//! Faults of kernels on GPUs: stored in one place per device, and reported at its next synchronisation. And why launches were refused.

use crate::abi::ErrorSlot;
use crate::abi::fault;
use crate::abi::grid::GridFault;
use crate::device::cuda::{Gpu, Unhindered};
use crate::error::{Bug, Error, Result};
use cudarc::driver::sys::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes an error of a fault.
pub type Explain = Box<dyn Fn(&ErrorSlot) -> Error + Send + Sync>;

/// The function that explains the faults of a kernel, by the kernel's number.
static EXPLAINED: Mutex<Option<HashMap<u32, Explain>>> = Mutex::new(None);

/// A number for a kernel that no other has in this process.
pub fn number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Says how faults of the kernel of this number read.
pub fn explain(number: u32, how: Explain) {
    lock(&EXPLAINED).get_or_insert_default().insert(number, how);
}

/// Forgets a kernel.
pub fn forget(number: u32) {
    if let Some(all) = lock(&EXPLAINED).as_mut() {
        all.remove(&number);
    }
}

thread_local! {
    /// Why the last launch of this thread that was refused was.
    static REFUSED: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// The answer of a launch that is refused. Why stays until this thread asks for [`refusal`].
#[cold]
pub fn refused(why: Error) -> ErrorSlot {
    REFUSED.set(Some(why));
    ErrorSlot {
        code: fault::DRIVER,
        ..ErrorSlot::default()
    }
}

/// Why the last launch of this thread was refused.
#[cold]
pub fn refusal() -> Error {
    let why = REFUSED.with_borrow(Clone::clone);
    why.unwrap_or_else(|| Bug("a launch was refused without a reason".into()).into())
}

/// Where kernels on a GPU note their first fault: memory of the host that the GPU writes.
#[derive(Debug)]
pub struct Board(*mut GridFault);

// SAFETY: the memory stays until the process ends; the host takes from it by atomic operations.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// An empty board.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(gpu: &Gpu) -> Result<Board> {
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        let mut memory: *mut c_void = std::ptr::null_mut();
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: writes an address, of memory that is large enough and stays.
        unsafe {
            current
                .driver()
                .mem_host_alloc(&raw mut memory, size_of::<GridFault>(), flags)?;
            memory.cast::<GridFault>().write(GridFault::default());
        }
        Ok(Board(memory.cast()))
    }

    /// Where kernels note it.
    pub const fn address(&self) -> *mut GridFault {
        self.0
    }

    fn code(&self) -> &AtomicI32 {
        // SAFETY: aligned memory that stays; kernels that may write it meanwhile write only where they find 0.
        unsafe { AtomicI32::from_ptr((&raw mut (*self.0).slot.code).cast()) }
    }

    /// Whether a kernel has begun to note a fault since [`Board::take`] was asked last.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.code().load(Ordering::Relaxed) != fault::NONE
    }

    /// The first fault since this was asked last.
    pub fn take(&self) -> Option<Error> {
        let code = self.code();
        if code.load(Ordering::Acquire) == fault::NONE {
            return None;
        }
        // SAFETY: as above; who set the code has written the rest, since the caller waited for the kernel.
        let found = unsafe { self.0.read_volatile() };
        code.store(fault::NONE, Ordering::Release);
        let explained = lock(&EXPLAINED);
        let how = explained.as_ref().and_then(|all| all.get(&found.kernel));
        Some(match how {
            Some(how) => how(&found.slot),
            None => Bug(format!("a kernel that is gone failed: {:?}", found.slot)).into(),
        })
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
