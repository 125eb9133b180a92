//! Contexts and modules.

use std::cell::RefCell;
use std::ffi::c_void;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMDiagnosticSeverity, LLVMLinkage, LLVMVisibility};

use super::error::{Error, Result, c_string, take_string};

/// A context, in which modules live.
pub struct Context {
    raw: LLVMContextRef,
    /// What the diagnostic handler heard; boxed because LLVM holds its address.
    heard: Box<RefCell<Heard>>,
}

/// What LLVM said.
#[derive(Default)]
struct Heard {
    errors: Vec<String>,
    /// Of a function whose frame is larger than asked for.
    frame: Option<String>,
}

impl Context {
    /// A new one.
    pub fn new() -> Context {
        let heard = Box::<RefCell<Heard>>::default();
        // SAFETY: the handler's argument is the box, which lives as long as the context.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data = std::ptr::from_ref(&*heard).cast_mut().cast();
            LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), data);
            raw
        };
        Context { raw, heard }
    }

    /// A module of LLVM text, verified.
    ///
    /// # Errors
    /// What LLVM refuses.
    pub fn parse(&self, text: &str) -> Result<Module<'_>> {
        let text = c_string("parse", text)?;
        let mut raw = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the text is NUL-terminated as the parser wants; parsing consumes the buffer.
        let module = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                text.as_ptr(),
                text.as_bytes().len(),
                c"kernel".as_ptr(),
            );
            if LLVMParseIRInContext(self.raw, buffer, &mut raw, &mut message) != 0 {
                return Err(Error::new("parse", take_string(message)));
            }
            Module(raw, self)
        };
        // SAFETY: the module is alive; the message is ours.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let bad = LLVMVerifyModule(module.0, action, &mut message) != 0;
            let said = take_string(message);
            if bad {
                Err(Error::new("parse", said))
            } else {
                Ok(module)
            }
        }
    }

    /// A module of bitcode, whose functions are read when they are needed.
    ///
    /// # Errors
    /// What LLVM refuses.
    pub fn read(&self, bitcode: &[u8]) -> Result<Module<'_>> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the buffer is a copy, and the module takes it over; where there is none, it is ours still.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bitcode.as_ptr().cast(),
                bitcode.len(),
                c"library".as_ptr(),
            );
            if LLVMGetBitcodeModuleInContext2(self.raw, buffer, &mut raw) != 0 {
                let heard = self.heard.borrow().errors.join("; ");
                LLVMDisposeMemoryBuffer(buffer);
                return Err(Error::new("parse", heard));
            }
        }
        Ok(Module(raw, self))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: ours; modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// Errors are kept, and warnings of large frames; others and remarks are dropped. Without a handler LLVM prints and exits.
extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: `data` is the box of the context that reports; `info` is alive during the call.
    unsafe {
        let severity = LLVMGetDiagInfoSeverity(info);
        let text = || take_string(LLVMGetDiagInfoDescription(info));
        let mut heard = (*data.cast::<RefCell<Heard>>()).borrow_mut();
        match severity {
            LLVMDiagnosticSeverity::LLVMDSError => heard.errors.push(text()),
            LLVMDiagnosticSeverity::LLVMDSWarning => {
                if let Some((_, size)) = text().split_once("stack frame size ") {
                    heard.frame = Some(format!("a stack frame of size {size}"));
                }
            }
            _ => {}
        }
    }
}

/// A module; LLVM's is freed with it.
pub struct Module<'c>(LLVMModuleRef, &'c Context);

impl<'c> Module<'c> {
    /// LLVM's own; valid as long as this value.
    pub fn raw(&self) -> LLVMModuleRef {
        self.0
    }

    /// The context that it lives in.
    pub fn context(&self) -> &'c Context {
        self.1
    }

    /// The errors that the diagnostic handler heard since the context was made.
    ///
    /// # Errors
    /// If there are any.
    pub fn check(&self, step: &'static str) -> Result<()> {
        match self.1.heard.borrow().errors.as_slice() {
            [] => Ok(()),
            heard => Err(Error::new(step, heard.join("; "))),
        }
    }

    /// The function of a name.
    pub fn find(&self, name: &str) -> Option<LLVMValueRef> {
        let name = c_string("optimise", name).ok()?;
        // SAFETY: the module is alive.
        let f = unsafe { LLVMGetNamedFunction(self.0, name.as_ptr()) };
        (!f.is_null()).then_some(f)
    }

    /// The instructions that use a function of the module. They stay as they are while the iterator lives.
    pub fn uses(&self, f: LLVMValueRef) -> impl Iterator<Item = LLVMValueRef> {
        let some = |u: LLVMUseRef| (!u.is_null()).then_some(u);
        // SAFETY: the function belongs to the module, which is alive.
        let first = some(unsafe { LLVMGetFirstUse(f) });
        // SAFETY: as above; the use is one of them.
        std::iter::successors(first, move |u| some(unsafe { LLVMGetNextUse(*u) }))
            // SAFETY: as above.
            .map(|u| unsafe { LLVMGetUser(u) })
            // SAFETY: as above.
            .filter(|user| unsafe { !LLVMIsAInstruction(*user).is_null() })
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = LLVMValueRef> {
        let some = |f: LLVMValueRef| (!f.is_null()).then_some(f);
        // SAFETY: the module is alive.
        let first = some(unsafe { LLVMGetFirstFunction(self.0) });
        // SAFETY: the function belongs to the module.
        std::iter::successors(first, move |f| some(unsafe { LLVMGetNextFunction(*f) }))
    }

    /// The most basic blocks that a function has.
    pub fn most_blocks(&self) -> usize {
        // SAFETY: the functions are those of the module, which is alive.
        let counts = self.functions().map(|f| unsafe { LLVMCountBasicBlocks(f) });
        counts.max().unwrap_or(0) as usize
    }

    /// Takes in what another module of the context has, of what is internal there only what is needed.
    ///
    /// # Errors
    /// What LLVM refuses.
    pub fn link(&self, other: Module<'_>) -> Result<()> {
        // SAFETY: both are alive and of one context; linking consumes the second.
        let failed = unsafe {
            LLVMSetTarget(other.0, LLVMGetTarget(self.0));
            LLVMSetDataLayout(other.0, LLVMGetDataLayoutStr(self.0));
            let raw = other.0;
            std::mem::forget(other);
            LLVMLinkModules2(self.0, raw) != 0
        };
        self.check("optimise")?;
        match failed {
            true => Err(Error::new("optimise", "the mathematics does not link")),
            false => Ok(()),
        }
    }

    /// From now on numbers of float32 below the normal range are zero, as arguments and as results of its functions.
    pub fn flush_float32(&self) {
        self.mark("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    }

    /// Has LLVM say which function has a frame of more bytes than `most`, when it writes code; see [`Module::large_frame`].
    pub fn watch_frames(&self, most: usize) {
        self.mark("warn-stack-size", &most.to_string());
    }

    /// What LLVM said of a frame that is too large.
    pub fn large_frame(&self) -> Option<String> {
        self.1.heard.borrow().frame.clone()
    }

    /// An attribute for all functions.
    fn mark(&self, key: &str, value: &str) {
        for f in self.functions() {
            // SAFETY: module and context are alive; LLVM copies the texts.
            unsafe {
                let context = LLVMGetModuleContext(self.0);
                let attribute = LLVMCreateStringAttribute(
                    context,
                    key.as_ptr().cast(),
                    key.len() as u32,
                    value.as_ptr().cast(),
                    value.len() as u32,
                );
                LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute);
            }
        }
    }

    /// The text.
    pub fn text(&self) -> String {
        // SAFETY: the module is alive; the string is ours.
        unsafe { take_string(LLVMPrintModuleToString(self.0)) }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, and its context is still alive.
        unsafe { LLVMDisposeModule(self.0) }
    }
}

/// Gives a function internal linkage, so that it may be inlined and removed.
///
/// # Safety
/// The function is alive.
pub unsafe fn make_internal(f: LLVMValueRef) {
    // SAFETY: the caller's promise.
    unsafe {
        LLVMSetVisibility(f, LLVMVisibility::LLVMDefaultVisibility);
        LLVMSetLinkage(f, LLVMLinkage::LLVMInternalLinkage);
    }
}
