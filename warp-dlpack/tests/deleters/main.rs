//! Deleters: once, on any thread, and never where the gate forbids it.
//!
//! These tests have a process of their own, because a process has one gate and one queue behind it: whatever another test
//! deletes would take along what these leave waiting.

#[path = "../dlpack/foreign.rs"]
mod foreign;

use foreign::{Context, Kind, ROOM, import};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use warp_core::array::owner::{self, Gate, Moment};
use warp_core::array::{Array, Owner};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::Elem;
use warp_dlpack::ffi::{DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor, DlpackFlags};
use warp_dlpack::{dtype_of, export};

const THREADS: usize = 8;
/// Miri would take hours for thousands.
const EACH: usize = if cfg!(miri) { 20 } else { 2_000 };

thread_local! {
    static MOMENT: Cell<Moment> = const { Cell::new(Moment::Now) };
}

static WAKES: AtomicUsize = AtomicUsize::new(0);

/// A gate for all tests of this process: every thread says for itself. What waits, waits in one queue, so that one
/// test runs at a time.
fn install() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    owner::install_gate(Gate {
        moment: || MOMENT.get(),
        wake: || {
            WAKES.fetch_add(1, Ordering::SeqCst);
        },
    });
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of both kinds in turns.
fn kind(i: usize) -> Kind {
    match i % 2 {
        0 => Kind::Legacy,
        _ => Kind::Versioned {
            version: DLPackVersion::CURRENT,
            flags: DlpackFlags::empty(),
        },
    }
}

/// An array on memory that somebody else deletes.
fn foreign(kind: Kind, deleted: &Arc<AtomicUsize>) -> Array {
    let numbers = std::ptr::dangling_mut();
    let tensor = DLTensor {
        data: 64 as *mut _,
        device: DLDevice::CPU,
        ndim: 1,
        dtype: dtype_of(Scalar::F32),
        shape: numbers,
        strides: numbers,
        byte_offset: 0,
    };
    let context = Context {
        shape: [3; ROOM],
        strides: [1; ROOM],
        deleted: deleted.clone(),
    };
    let (desc, owner) = import(tensor, kind, context).expect("right");
    let view = desc.view(None).expect("right");
    Array { view, owner }
}

struct Raw(*mut DLManagedTensorVersioned);
// SAFETY: a managed tensor may be deleted on any thread.
unsafe impl Send for Raw {}

impl Raw {
    fn of(array: &Array) -> Raw {
        Raw(export(array, DlpackFlags::empty())
            .expect("plain")
            .into_raw())
    }
    /// As a consumer does.
    fn delete(self) {
        // SAFETY: taken out of `export`, deleted once.
        unsafe { (*self.0).deleter.expect("ours has one")(self.0) }
    }
}

/// Deletes all exports on as many threads at once, at that moment.
fn delete_all(exports: Vec<Raw>, moment: Moment) {
    let barrier = Barrier::new(THREADS);
    let mut parts: Vec<Vec<Raw>> = (0..THREADS).map(|_| Vec::new()).collect();
    for (i, one) in exports.into_iter().enumerate() {
        parts[i % THREADS].push(one);
    }
    std::thread::scope(|scope| {
        for part in parts {
            let barrier = &barrier;
            scope.spawn(move || {
                MOMENT.set(moment);
                barrier.wait();
                part.into_iter().for_each(Raw::delete);
            });
        }
    });
}

#[test]
fn eight_threads_delete_shares_in_one_memory() {
    let _one = install();
    let array = Array::zeros(Elem::Scalar(Scalar::F64), &[4], Device::Cpu).expect("small");
    let Owner::Own(memory) = &array.owner else {
        panic!("new memory is ours")
    };
    let exports = (0..THREADS * EACH).map(|_| Raw::of(&array)).collect();
    assert_eq!(Arc::strong_count(memory), THREADS * EACH + 1);
    delete_all(exports, Moment::Now);
    assert_eq!(Arc::strong_count(memory), 1);
}

#[test]
fn eight_threads_delete_what_others_own() {
    let _one = install();
    let deleted = Arc::new(AtomicUsize::new(0));
    let count = || deleted.load(Ordering::SeqCst);
    let exports = || -> Vec<Raw> {
        (0..THREADS * EACH)
            // The array itself goes, the export stays.
            .map(|i| Raw::of(&foreign(kind(i), &deleted)))
            .collect()
    };
    delete_all(exports(), Moment::Now);
    assert_eq!(count(), THREADS * EACH);

    let woken = WAKES.load(Ordering::SeqCst);
    delete_all(exports(), Moment::Later);
    assert_eq!(count(), THREADS * EACH, "nothing runs where it may not");
    assert_eq!(WAKES.load(Ordering::SeqCst), woken + THREADS * EACH);
    owner::drain();
    assert_eq!(count(), 2 * THREADS * EACH);
    owner::drain();
    assert_eq!(count(), 2 * THREADS * EACH, "each runs once");

    delete_all(exports(), Moment::Later);
    drop(foreign(kind(0), &deleted));
    let all = 3 * THREADS * EACH + 1;
    assert_eq!(count(), all, "what waits goes with the next that goes");

    delete_all(exports(), Moment::Never);
    owner::drain();
    assert_eq!(count(), all, "leaked when the process ends");
}

#[test]
fn the_last_of_several_deletes() {
    let _one = install();
    let deleted = Arc::new(AtomicUsize::new(0));
    let array = foreign(kind(1), &deleted);
    let exports: Vec<Raw> = (0..THREADS * EACH).map(|_| Raw::of(&array)).collect();
    drop(array);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    delete_all(exports, Moment::Now);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}
