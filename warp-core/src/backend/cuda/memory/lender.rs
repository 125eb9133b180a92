//! Allocators of the user's, which give out the memory of a GPU instead of the driver.

use crate::backend::memory::Memory;
use crate::device::cuda::Gpu;
use crate::error::Result;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What gives out memory.
pub trait Lender: Send + Sync {
    /// The address of new memory of so many bytes.
    ///
    /// # Errors
    /// What the user's code says.
    fn lend(&self, size: usize) -> Result<usize>;

    /// Takes memory back that nothing uses any more.
    fn take_back(&self, address: usize, size: usize);
}

struct Known {
    number: u32,
    lender: Arc<dyn Lender>,
    /// How much of it is out.
    lent: usize,
}

#[derive(Default)]
struct Lenders {
    /// By the GPU's number: its allocator.
    current: Vec<(u16, u32)>,
    known: Vec<Known>,
}

static LENDERS: Mutex<Lenders> = Mutex::new(Lenders {
    current: Vec::new(),
    known: Vec::new(),
});
/// Whether any GPU has one.
static SOME: AtomicBool = AtomicBool::new(false);

fn lenders() -> MutexGuard<'static, Lenders> {
    LENDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the allocator of a GPU's memory from now on; None: the driver.
pub fn set_lender(gpu: &Gpu, lender: Option<Arc<dyn Lender>>) {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let mut all = lenders();
    let own = gpu.ordinal.get();
    all.current.retain(|(of, _)| *of != own);
    if let Some(lender) = lender {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        all.known.push(Known {
            number,
            lender,
            lent: 0,
        });
        all.current.push((own, number));
    }
    let gone = all.forget();
    SOME.store(!all.current.is_empty(), Ordering::Release);
    drop(all);
    // Outside the lock: this may run code of the user's.
    drop(gone);
}

impl Lenders {
    /// Those that no GPU has and that have everything back.
    fn forget(&mut self) -> Vec<Known> {
        let current = &self.current;
        let gone =
            |k: &mut Known| k.lent == 0 && !current.iter().any(|(_, number)| *number == k.number);
        self.known.extract_if(.., gone).collect()
    }
}

/// Memory of the GPU's lender, and that one's number; None if it has none.
///
/// # Errors
/// What the lender says.
pub fn lend(gpu: &Gpu, size: usize) -> Result<Option<(u32, usize)>> {
    if !SOME.load(Ordering::Acquire) {
        return Ok(None);
    }
    let own = gpu.ordinal.get();
    let found = {
        let mut all = lenders();
        let number = all
            .current
            .iter()
            .find(|(of, _)| *of == own)
            .map(|(_, number)| *number);
        number.and_then(|number| {
            let known = all.known.iter_mut().find(|k| k.number == number)?;
            known.lent += 1;
            Some((number, known.lender.clone()))
        })
    };
    let Some((number, lender)) = found else {
        return Ok(None);
    };
    // Outside the lock: this runs code of the user's.
    match lender.lend(size) {
        Ok(address) => Ok(Some((number, address))),
        Err(e) => {
            settle(number);
            Err(e)
        }
    }
}

/// Gives memory back to the lender of this number.
pub fn give_back(number: u32, memory: &Memory) {
    let lender = lenders()
        .known
        .iter()
        .find(|k| k.number == number)
        .map(|k| k.lender.clone());
    if let Some(lender) = lender {
        lender.take_back(memory.base, memory.size.max(1));
    }
    settle(number);
}

fn settle(number: u32) {
    let mut all = lenders();
    for known in all.known.iter_mut().filter(|k| k.number == number) {
        known.lent = known.lent.saturating_sub(1);
    }
    let gone = all.forget();
    drop(all);
    drop(gone);
}
