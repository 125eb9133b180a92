//! Object files to running code, through one ORC JIT for the process.
//!
//! Each loaded object has a library (a `JITDylib`) to itself, so that two kernels may use one name,
//! and a resource tracker, so that it can be freed. LLVM cannot delete libraries through its C
//! interface; a library whose object was freed waits here for the next one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::LLVMErrorRef;
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;

use super::host;
use super::names::{self, Known};
use crate::backend::cpu::{math, runtime};
use crate::backend::llvm::error::{Error, Result, c_string};
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::init;
use crate::backend::llvm::machine::registry;

/// A loaded object: its code stays while this lives.
#[derive(Debug)]
pub struct Loaded {
    address: usize,
    /// For debuggers, which are told first that the code goes.
    known: Option<Known>,
    tracker: LLVMOrcResourceTrackerRef,
    library: LLVMOrcJITDylibRef,
}

// SAFETY: ORC locks its session itself; the handles are only read until `drop`.
unsafe impl Send for Loaded {}
// SAFETY: as above; shared access reads one integer.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// The address of the symbol that was asked for.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Has debuggers and profilers call the functions of `object`, which was loaded, by `title` in place of `symbol`.
    #[must_use]
    pub fn named(mut self, object: &[u8], symbol: &str, title: &str) -> Loaded {
        self.known = names::tell(object, symbol, self.address, title);
        self
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        drop(self.known.take());
        let _in_use = InUse::new();
        let jit = Jit::get();
        let _one = jit.as_ref().map(|jit| jit.linking.lock());
        // SAFETY: the tracker is ours, and whoever may run the code holds this value.
        unsafe { recycle(self.tracker, self.library) }
    }
}

/// Links `object` into the process and finds `symbol` in it.
///
/// # Errors
/// What LLVM refuses: no object, no such symbol, or a function that is not defined.
pub fn load(object: &[u8], symbol: &str) -> Result<Loaded> {
    let _in_use = InUse::new();
    let jit = Jit::get()?;
    let name = c_string("link", symbol)?;
    let _one = jit.linking.lock().unwrap_or_else(PoisonError::into_inner);
    let library = jit.library()?;
    // SAFETY: session and library live as long as the process; adding consumes the buffer.
    unsafe {
        let tracker = LLVMOrcJITDylibCreateResourceTracker(library);
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            object.as_ptr().cast(),
            object.len(),
            c"kernel".as_ptr(),
        );
        let added = LLVMOrcLLJITAddObjectFileWithRT(jit.raw, tracker, buffer);
        let found = Error::check("link", added).and_then(|()| jit.find(library, &name));
        match found {
            Ok(address) => Ok(Loaded {
                address,
                known: None,
                tracker,
                library,
            }),
            Err(e) => {
                recycle(tracker, library);
                Err(e)
            }
        }
    }
}

/// Frees what `tracker` holds and keeps `library` for another object.
///
/// # Safety
/// Nothing runs or uses the code any more, and the tracker is not used again.
unsafe fn recycle(tracker: LLVMOrcResourceTrackerRef, library: LLVMOrcJITDylibRef) {
    // SAFETY: the caller's promise.
    let removed = unsafe {
        let e = LLVMOrcResourceTrackerRemove(tracker);
        LLVMOrcReleaseResourceTracker(tracker);
        Error::check("link", e)
    };
    // A library that still holds something would clash with the next object: let it rest.
    if let (Ok(()), Ok(jit)) = (removed, Jit::get()) {
        jit.free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .names
            .push(library);
    }
}

pub(super) struct Jit {
    raw: LLVMOrcLLJITRef,
    session: LLVMOrcExecutionSessionRef,
    free: Mutex<Free>,
    /// Held while an object is linked. ORC lets a thread do what another one has begun, and so
    /// return before its own work is done; one at a time, each does its own.
    linking: Mutex<()>,
}

/// Libraries without an object, and how many were ever made (for their names).
struct Free {
    names: Vec<LLVMOrcJITDylibRef>,
    made: usize,
}

// SAFETY: ORC's session and LLJIT lock for themselves, and `free` is behind a mutex.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

impl Jit {
    /// The JIT of this process. It is never disposed of: kernels may live until exit.
    pub(super) fn get() -> Result<&'static Jit> {
        static JIT: OnceLock<Result<Jit>> = OnceLock::new();
        JIT.get_or_init(Jit::new).as_ref().map_err(Clone::clone)
    }

    fn new() -> Result<Jit> {
        let in_use = InUse::new();
        init(&in_use);
        host::target(&in_use)?;
        // It looks its target up.
        let _one = registry(&in_use);
        let mut raw = null_mut();
        // SAFETY: a null builder asks for the defaults: host target, JITLink, in-process memory.
        unsafe {
            Error::check("link", LLVMOrcCreateLLJIT(&mut raw, null_mut()))?;
            let session = LLVMOrcLLJITGetExecutionSession(raw);
            LLVMOrcExecutionSessionSetErrorReporter(session, on_error, null_mut());
            Ok(Jit {
                raw,
                session,
                free: Mutex::new(Free {
                    names: Vec::new(),
                    made: 0,
                }),
                linking: Mutex::new(()),
            })
        }
    }

    /// An empty library that finds the runtime and mathematics when an object asks for them.
    fn library(&self) -> Result<LLVMOrcJITDylibRef> {
        let made = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(library) = free.names.pop() {
                return Ok(library);
            }
            free.made += 1;
            free.made
        };
        let name = c_string("link", &format!("kernel {made}"))?;
        // SAFETY: the name is fresh; the library takes the generator over, which has no data.
        unsafe {
            let library = LLVMOrcExecutionSessionCreateBareJITDylib(self.session, name.as_ptr());
            let generator = LLVMOrcCreateCustomCAPIDefinitionGenerator(define, null_mut(), forget);
            LLVMOrcJITDylibAddGenerator(library, generator);
            Ok(library)
        }
    }

    /// Links what `library` holds and returns the address of `name` in it.
    ///
    /// # Safety
    /// `library` belongs to this session.
    unsafe fn find(&self, library: LLVMOrcJITDylibRef, name: &CString) -> Result<usize> {
        let (send, receive) = channel();
        // SAFETY: the names are retained for the session; the handler, which is called once, takes
        // over the boxed sender.
        unsafe {
            let mut order = [LLVMOrcCJITDylibSearchOrderElement {
                JD: library,
                JDLookupFlags:
                    LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchAllSymbols,
            }];
            let mut names = [LLVMOrcCLookupSetElement {
                Name: LLVMOrcExecutionSessionIntern(self.session, name.as_ptr()),
                LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
            }];
            LLVMOrcExecutionSessionLookup(
                self.session,
                LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
                order.as_mut_ptr(),
                order.len(),
                names.as_mut_ptr(),
                names.len(),
                on_found,
                Box::into_raw(Box::new(send)).cast(),
            );
        }
        let silent = || Err(Error::new("link", "the lookup did not answer"));
        let found = receive.recv().unwrap_or_else(|_| silent());
        let heard = HEARD.take();
        found.map_err(|mut e| {
            for cause in heard {
                e.message += "; ";
                e.message += &cause;
            }
            e
        })
    }
}

/// Addresses of our own symbols by name. The process is never searched, so nothing that another library of the process
/// exports can take their place.
fn symbols() -> &'static HashMap<String, usize> {
    static SYMBOLS: OnceLock<HashMap<String, usize>> = OnceLock::new();
    SYMBOLS.get_or_init(|| {
        let runtime = runtime::symbols(host::registers()).into_iter();
        let runtime = runtime.map(|(name, address)| (name.to_string(), address));
        runtime.chain(math::symbols()).collect()
    })
}

/// ORC asks for names that `library` lacks: those of ours are defined in it. An object needs few
/// of the hundreds that there are.
extern "C" fn define(
    _: LLVMOrcDefinitionGeneratorRef,
    _: *mut c_void,
    _: *mut LLVMOrcLookupStateRef,
    _: LLVMOrcLookupKind,
    library: LLVMOrcJITDylibRef,
    _: LLVMOrcJITDylibLookupFlags,
    asked: LLVMOrcCLookupSet,
    count: usize,
) -> LLVMErrorRef {
    // SAFETY: `asked` holds `count` names that live during the call.
    let asked = unsafe { std::slice::from_raw_parts(asked, count) };
    let mut pairs: Vec<_> = asked
        .iter()
        .filter_map(|element| known(element.Name))
        .collect();
    if pairs.is_empty() {
        return null_mut();
    }
    // SAFETY: defining consumes the unit, and the unit the references to the names that `known` made.
    unsafe {
        let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
        LLVMOrcJITDylibDefine(library, unit)
    }
}

/// The generator has no data to free.
extern "C" fn forget(_: *mut c_void) {}

/// What ORC wants to know of a symbol of ours, with a reference to its name; none if it is not ours.
fn known(name: LLVMOrcSymbolStringPoolEntryRef) -> Option<LLVMOrcCSymbolMapPair> {
    // SAFETY: the entry is alive, and its text ends with NUL.
    let text = unsafe { CStr::from_ptr(LLVMOrcSymbolStringPoolEntryStr(name)) };
    let address = *symbols().get(text.to_str().ok()?)?;
    // SAFETY: as above.
    unsafe { LLVMOrcRetainSymbolStringPoolEntry(name) };
    let flags = LLVMJITSymbolFlags {
        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8
            | LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
        TargetFlags: 0,
    };
    Some(LLVMOrcCSymbolMapPair {
        Name: name,
        Sym: LLVMJITEvaluatedSymbol {
            Address: address as u64,
            Flags: flags,
        },
    })
}

type Answer = Sender<Result<usize>>;

extern "C" fn on_found(e: LLVMErrorRef, pairs: LLVMOrcCSymbolMapPairs, n: usize, to: *mut c_void) {
    // SAFETY: `to` is the box that `Jit::find` made, given to this call alone; the error is handed
    // over; `pairs` holds `n`.
    unsafe {
        let to = Box::from_raw(to.cast::<Answer>());
        let found = Error::check("link", e).and_then(|()| match n {
            0 => Err(Error::new("link", "the symbol has no address")),
            _ => Ok((*pairs).Sym.Address as usize),
        });
        let _ = to.send(found);
    }
}

thread_local! {
    /// Errors that ORC reported on this thread during a lookup.
    static HEARD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// ORC reports the cause here (a missing symbol) and fails the lookup with the consequence.
extern "C" fn on_error(_: *mut c_void, e: LLVMErrorRef) {
    // SAFETY: the error is handed over to us.
    if let Err(e) = unsafe { Error::check("link", e) } {
        HEARD.with_borrow_mut(|heard| heard.push(e.message));
    }
}
