//! Names of compiled kernels for debuggers and profilers: gdb asks the list of its JIT interface, perf reads a file.
//!
//! Both are told of each function of a loaded object, as `kernel.body`: gdb by an object file without code, made for it,
//! whose functions lie where the code is, or, where the object says of which lines it is, by a copy of it that lies there.

use super::elf::{Function, functions, image, located};
use crate::backend::llvm::fork::InUse;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether perf is told: [`write_perf_map`].
static PERF: AtomicBool = AtomicBool::new(false);

/// Says whether each kernel that is loaded from now on is added to `/tmp/perf-PID.map`, where perf looks for names.
pub fn write_perf_map(on: bool) {
    PERF.store(on, Ordering::Relaxed);
}

/// That gdb knows of an object's functions, until this is dropped.
#[derive(Debug)]
pub struct Known(*mut Entry);

// SAFETY: the entry is only reached through the list, under its lock.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

/// Tells of the functions of an object whose function `symbol` lies at `address`. Names begin with `title` in place of
/// `symbol`. None if the object is none that is known here.
pub fn tell(object: &[u8], symbol: &str, address: usize, title: &str) -> Option<Known> {
    let all = functions(object)?;
    let own = all.iter().find(|f| f.name == symbol)?;
    let base = (address as u64).wrapping_sub(own.start);
    let own = own.section;
    let rename = |name: &str| match name.strip_prefix(symbol) {
        Some(rest) => format!("{title}{rest}"),
        None => name.to_string(),
    };
    let near = all.iter().filter(|f| f.section == own);
    let named: Vec<Function> = near
        .map(|f| Function {
            name: rename(&f.name),
            ..f.clone()
        })
        .collect();
    if PERF.load(Ordering::Relaxed) {
        add_to_perf_map(base, &named);
    }
    let file = located(object, own, base, symbol).unwrap_or_else(|| image(base, &named));
    Some(register(file))
}

fn add_to_perf_map(base: u64, functions: &[Function]) {
    let mut lines = String::new();
    for f in functions {
        let at = base.wrapping_add(f.start);
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{at:x} {:x} {}", f.size, f.name);
    }
    // The file is not there for a process that was forked; one that cannot be written is a profile without names.
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path);
    let _ = file.and_then(|mut file| file.write_all(lines.as_bytes()));
}

/// `struct jit_code_entry` of gdb.
#[repr(C)]
#[derive(Debug)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    size: u64,
    /// Not gdb's: what `file` points to.
    image: Vec<u8>,
}

/// `struct jit_descriptor` of gdb.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

const NOTHING: u32 = 0;
const REGISTERED: u32 = 1;
const UNREGISTERED: u32 = 2;

/// gdb finds it by its name, and reads it.
#[unsafe(no_mangle)]
pub static mut __jit_debug_descriptor: Descriptor = Descriptor {
    version: 1,
    action: NOTHING,
    relevant: null_mut(),
    first: null_mut(),
};

/// gdb sets a breakpoint here.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __jit_debug_register_code() {
    // The call must not be left out.
    std::hint::black_box(null_mut::<c_void>());
}

/// Held by who changes the list.
static LIST: Mutex<()> = Mutex::new(());

fn register(image: Vec<u8>) -> Known {
    let entry = Box::into_raw(Box::new(Entry {
        next: null_mut(),
        previous: null_mut(),
        file: image.as_ptr(),
        size: image.len() as u64,
        image,
    }));
    let _in_use = InUse::new();
    let _one = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: whoever reaches the list holds the lock, but for gdb, which stops all threads.
    unsafe {
        let list = &raw mut __jit_debug_descriptor;
        let first = (*list).first;
        (*entry).next = first;
        if !first.is_null() {
            (*first).previous = entry;
        }
        (*list).first = entry;
        announce(list, entry, REGISTERED);
    }
    Known(entry)
}

/// # Safety
/// The lock of the list is held.
unsafe fn announce(list: *mut Descriptor, entry: *mut Entry, action: u32) {
    // SAFETY: promised by the caller.
    unsafe {
        (*list).relevant = entry;
        (*list).action = action;
    }
    __jit_debug_register_code();
    // SAFETY: as above.
    unsafe {
        (*list).relevant = null_mut();
        (*list).action = NOTHING;
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let _in_use = InUse::new();
        let _one = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as in `register`; the entry is in the list, and freed by nobody else.
        unsafe {
            let (entry, list) = (self.0, &raw mut __jit_debug_descriptor);
            let (next, previous) = ((*entry).next, (*entry).previous);
            match previous.is_null() {
                true => (*list).first = next,
                false => (*previous).next = next,
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
            announce(list, entry, UNREGISTERED);
            drop(Box::from_raw(entry));
        }
    }
}
