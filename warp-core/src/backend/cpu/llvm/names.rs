//! Names of compiled kernels for debuggers and profilers: gdb asks the list of its JIT interface, perf reads a file.
//!
//! Both are told of each function of a loaded object, as `kernel.body`: gdb by an object file without code, made for it,
//! whose functions lie where the code is.

use crate::backend::llvm::fork::InUse;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A function of an object: its name, the section that it lies in, where it begins there, and how long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    name: String,
    section: u16,
    start: u64,
    size: u64,
}

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
    Some(register(image(base, &named)))
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

/// The number of `N` bytes at a place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(N)?)?;
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(part);
    Some(u64::from_le_bytes(wide))
}

const SYMBOLS: u64 = 2;
const FUNCTION: u64 = 2;
const SECTION_SIZE: usize = 64;
const SYMBOL_SIZE: usize = 24;

/// The functions of an ELF object of 64 bits.
fn functions(object: &[u8]) -> Option<Vec<Function>> {
    if !object.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let sections = number::<8>(object, 0x28)? as usize;
    let count = number::<2>(object, 0x3c)? as usize;
    let section = |n: usize| sections.checked_add(n.checked_mul(SECTION_SIZE)?);
    let mut found = Vec::new();
    for n in 0..count {
        let at = section(n)?;
        if number::<4>(object, at + 4)? != SYMBOLS {
            continue;
        }
        let (from, size) = (number::<8>(object, at + 24)?, number::<8>(object, at + 32)?);
        let names = section(number::<4>(object, at + 40)? as usize)?;
        let names = number::<8>(object, names + 24)? as usize;
        for k in 0..size as usize / SYMBOL_SIZE {
            let symbol = from as usize + k * SYMBOL_SIZE;
            if number::<1>(object, symbol + 4)? & 0xf != FUNCTION {
                continue;
            }
            let name = names + number::<4>(object, symbol)? as usize;
            let name = object.get(name..)?.split(|c| *c == 0).next()?;
            found.push(Function {
                name: String::from_utf8_lossy(name).into_owned(),
                section: number::<2>(object, symbol + 6)? as u16,
                start: number::<8>(object, symbol + 8)?,
                size: number::<8>(object, symbol + 16)?,
            });
        }
    }
    Some(found)
}

/// An ELF object without code whose functions lie from `base` on: what a debugger needs to name them.
fn image(base: u64, functions: &[Function]) -> Vec<u8> {
    const HEADER: usize = 64;
    const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0";
    let machine: u16 = if cfg!(target_arch = "aarch64") {
        183
    } else {
        62
    };
    let mut strings = NAMES.to_vec();
    let mut symbols = vec![0; SYMBOL_SIZE];
    let end = functions.iter().map(|f| f.start + f.size).max();
    for f in functions {
        symbols.extend((strings.len() as u32).to_le_bytes());
        // Global functions of the first section.
        symbols.extend([0x12, 0, 1, 0]);
        symbols.extend(f.start.to_le_bytes());
        symbols.extend(f.size.to_le_bytes());
        strings.extend(f.name.bytes());
        strings.push(0);
    }
    let (at_symbols, at_strings) = (HEADER, HEADER + symbols.len());
    let sections = (at_strings + strings.len()).next_multiple_of(8);
    let mut out = b"\x7fELF\x02\x01\x01".to_vec();
    out.resize(16, 0);
    // A relocatable object, version 1, without an entry point or program headers.
    out.extend([1u16, machine].map(u16::to_le_bytes).concat());
    out.extend(1u32.to_le_bytes());
    out.extend([0, 0, sections as u64].map(u64::to_le_bytes).concat());
    out.extend(0u32.to_le_bytes());
    let sizes = [HEADER as u16, 0, 0, SECTION_SIZE as u16, 4, 3];
    out.extend(sizes.map(u16::to_le_bytes).concat());
    out.extend(&symbols);
    out.extend(&strings);
    out.resize(sections + SECTION_SIZE, 0);
    let mut section = |name: u32, kind: u32, fields: [u64; 4], links: [u32; 2], each: [u64; 2]| {
        out.extend([name, kind].map(u32::to_le_bytes).concat());
        out.extend(fields.map(u64::to_le_bytes).concat());
        out.extend(links.map(u32::to_le_bytes).concat());
        out.extend(each.map(u64::to_le_bytes).concat());
    };
    // Code (allocated, executable) that the object does not hold; symbols, whose names are in section 3; names.
    let text = [6, base, HEADER as u64, end.unwrap_or(0)];
    section(1, 8, text, [0, 0], [16, 0]);
    let table = [0, 0, at_symbols as u64, symbols.len() as u64];
    section(7, 2, table, [3, 1], [8, SYMBOL_SIZE as u64]);
    let names = [0, 0, at_strings as u64, strings.len() as u64];
    section(15, 3, names, [0, 0], [1, 0]);
    out
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

#[cfg(test)]
mod tests {
    use super::{Function, functions, image};

    #[test]
    fn an_image_has_the_functions_that_it_was_made_of() {
        let function = |name: &str, start, size| Function {
            name: name.into(),
            section: 1,
            start,
            size,
        };
        let made = [function("relax", 0, 64), function("relax.gang", 64, 300)];
        assert_eq!(functions(&image(0x7f00_0000, &made)), Some(made.to_vec()));
        assert_eq!(functions(b"\xcf\xfa\xed\xfe"), None);
        let cut = &image(0, &made)[..200];
        assert_eq!(functions(cut), None);
    }
}
