//! LLVM text to an object file.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, OnceLock};

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMDisposeTargetData, LLVMSetModuleDataLayout};
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use llvm_sys::{LLVMLinkage, LLVMVisibility};

use super::apart;
use super::error::{Error, Result, c_string, take_string};
use super::fork::InUse;

/// How hard LLVM tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptLevel {
    /// Code as it comes: compiles in a millisecond or two, runs several times slower.
    O0,
    /// What kernels run with.
    O2,
}

/// What an [`OptLevel`] leaves open. The default suits kernels; each field is off because it was
/// measured to cost compile time that typical kernels do not get back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Tuning {
    /// Unroll loops beyond what the vectoriser does.
    pub unroll: bool,
    /// Interleave several vector iterations.
    pub interleave: bool,
    /// Pack operations of one thread into vectors (superword-level parallelism, Larsen and Amarasinghe, 2000).
    pub pack: bool,
}

/// Parses `text`, optimises it for this machine and returns an ELF object.
///
/// Mathematics (`@wm.*`) may be called without being declared.
///
/// # Errors
/// What LLVM refuses.
pub fn compile(text: &str, level: OptLevel, tuning: Tuning) -> Result<Vec<u8>> {
    let made = compile_unless(text, level, tuning, &|| false)?;
    Ok(made.expect("nobody interrupts"))
}

/// [`compile`]; none if `interrupted`, which is asked now and then, says so first. LLVM then goes on for nobody.
///
/// # Errors
/// What LLVM refuses.
pub fn compile_unless(
    text: &str,
    level: OptLevel,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Vec<u8>>> {
    let work = on_text(text, move |module| {
        let machine = Machine::host(level)?;
        optimize(module, &machine, level, tuning)?;
        emit(module, &machine)
    });
    apart::run(work, interrupted)
}

/// The text of the module after optimisation: what debugging prints.
///
/// # Errors
/// What LLVM refuses.
pub fn optimized_text(text: &str, level: OptLevel, tuning: Tuning) -> Result<String> {
    let work = on_text(text, move |module| {
        let machine = Machine::host(level)?;
        optimize(module, &machine, level, tuning)?;
        // SAFETY: the module is alive; the string is ours.
        Ok(unsafe { take_string(LLVMPrintModuleToString(module.0)) })
    });
    let made = apart::run(work, &|| false)?;
    Ok(made.expect("nobody interrupts"))
}

/// CPU and features of this machine and the compiler's version: all that the same text needs to
/// give the same object. Part of every cache key.
pub fn host_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    let _in_use = InUse::new();
    ID.get_or_init(|| {
        let host = Host::get();
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: writes three integers.
        unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
        format!(
            "llvm {major}.{minor}.{patch} {} {} {}",
            host.triple.to_string_lossy(),
            host.cpu.to_string_lossy(),
            host.features.to_string_lossy()
        )
    })
}

/// `work` on a text, with a context and module of its own.
fn on_text<T>(
    text: &str,
    work: impl FnOnce(&Module) -> Result<T> + Clone + Send + 'static,
) -> impl FnOnce() -> Result<T> + Clone + Send + 'static {
    let text: Arc<str> = super::super::math::attach(text).into();
    move || {
        let context = Context::new()?;
        let module = context.parse(&text)?;
        work(&module)
    }
}

struct Context {
    raw: LLVMContextRef,
    /// What the diagnostic handler heard; boxed because LLVM holds its address.
    heard: Box<RefCell<Vec<String>>>,
}

impl Context {
    fn new() -> Result<Context> {
        let heard = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's argument is the box, which lives as long as the context.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data = std::ptr::from_ref(&*heard).cast_mut().cast();
            LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), data);
            raw
        };
        Ok(Context { raw, heard })
    }

    fn parse(&self, text: &str) -> Result<Module<'_>> {
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
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: ours; modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// Errors are kept; remarks and warnings are dropped. Without a handler LLVM prints and exits.
extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: `data` is the box of the context that reports; `info` is alive during the call.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == llvm_sys::LLVMDiagnosticSeverity::LLVMDSError {
            let text = take_string(LLVMGetDiagInfoDescription(info));
            (*data.cast::<RefCell<Vec<String>>>())
                .borrow_mut()
                .push(text);
        }
    }
}

/// A module; LLVM's is freed with it.
struct Module<'c>(LLVMModuleRef, &'c Context);

impl Module<'_> {
    /// The errors that the diagnostic handler heard since the module was made.
    fn check(&self, step: &'static str) -> Result<()> {
        match self.1.heard.borrow().as_slice() {
            [] => Ok(()),
            heard => Err(Error::new(step, heard.join("; "))),
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: ours, and its context is still alive.
        unsafe { LLVMDisposeModule(self.0) }
    }
}

struct Host {
    triple: std::ffi::CString,
    cpu: std::ffi::CString,
    features: std::ffi::CString,
}

impl Host {
    fn get() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| {
            // SAFETY: each returns a string of ours.
            let text = |s| std::ffi::CString::new(unsafe { take_string(s) }).unwrap_or_default();
            // SAFETY: no preconditions.
            unsafe {
                Host {
                    triple: text(LLVMGetDefaultTargetTriple()),
                    cpu: text(LLVMGetHostCPUName()),
                    features: text(LLVMGetHostCPUFeatures()),
                }
            }
        })
    }
}

struct Machine(LLVMTargetMachineRef);

impl Machine {
    fn host(level: OptLevel) -> Result<Machine> {
        let host = Host::get();
        let mut target = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: strings are NUL-terminated; the message is ours.
        unsafe {
            if LLVMGetTargetFromTriple(host.triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(Error::new("optimise", take_string(message)));
            }
            let raw = LLVMCreateTargetMachine(
                target,
                host.triple.as_ptr(),
                host.cpu.as_ptr(),
                host.features.as_ptr(),
                match level {
                    OptLevel::O0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                    OptLevel::O2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                },
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if raw.is_null() {
                return Err(Error::new("optimise", "no target machine for this CPU"));
            }
            Ok(Machine(raw))
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

fn optimize(module: &Module, machine: &Machine, level: OptLevel, tuning: Tuning) -> Result<()> {
    // SAFETY: module and machine are alive; the layout is ours until disposed.
    unsafe {
        LLVMSetTarget(module.0, Host::get().triple.as_ptr());
        let layout = LLVMCreateTargetDataLayout(machine.0);
        LLVMSetModuleDataLayout(module.0, layout);
        LLVMDisposeTargetData(layout);
    }
    if level == OptLevel::O2 {
        passes(module, machine, c"default<O2>", tuning)?;
    }
    if link_math(module)? || level == OptLevel::O0 {
        passes(module, machine, c"always-inline,globaldce", tuning)?;
        if level == OptLevel::O2 {
            let tidy = c"function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
            passes(module, machine, tidy, tuning)?;
        }
    }
    module.check("optimise")
}

/// How many instructions use a function of a module that is alive. The list that kept it is a use, too, though deleted.
fn count_calls(f: LLVMValueRef) -> usize {
    let some = |u: LLVMUseRef| (!u.is_null()).then_some(u);
    // SAFETY: the function belongs to the module, and its uses stay as they are meanwhile.
    let first = some(unsafe { LLVMGetFirstUse(f) });
    // SAFETY: as above; the use is one of them.
    std::iter::successors(first, |u| some(unsafe { LLVMGetNextUse(*u) }))
        // SAFETY: as above.
        .filter(|u| unsafe { !LLVMIsAInstruction(LLVMGetUser(*u)).is_null() })
        .count()
}

/// Links the mathematics that the module calls, now that the vectoriser has chosen versions.
/// False: it calls none of ours.
fn link_math(module: &Module) -> Result<bool> {
    // SAFETY: the module is alive; the list of used symbols is a plain global of ours.
    unsafe {
        let keep = LLVMGetNamedGlobal(module.0, c"llvm.compiler.used".as_ptr());
        if keep.is_null() {
            return Ok(false);
        }
        LLVMDeleteGlobal(keep);
    }
    let find = |name: &str| {
        let name = c_string("optimise", name).ok()?;
        // SAFETY: the module is alive.
        let f = unsafe { LLVMGetNamedFunction(module.0, name.as_ptr()) };
        (!f.is_null()).then_some(f)
    };
    let mut linked = Vec::new();
    let text = super::super::math::define(|name| {
        let calls = find(name).map_or(0, count_calls);
        if calls > 0 {
            linked.push(name.to_string());
        }
        calls
    });
    if text.is_empty() {
        return Ok(true);
    }
    let math = module.1.parse(&text)?;
    // SAFETY: both are alive and of one context; linking consumes the second.
    unsafe {
        LLVMSetTarget(math.0, LLVMGetTarget(module.0));
        LLVMSetDataLayout(math.0, LLVMGetDataLayoutStr(module.0));
        let raw = math.0;
        std::mem::forget(math);
        if LLVMLinkModules2(module.0, raw) != 0 {
            return Err(Error::new("optimise", "the mathematics does not link"));
        }
        for name in linked {
            for f in [find(&name), find(&format!("{name}.rare"))]
                .into_iter()
                .flatten()
            {
                LLVMSetVisibility(f, LLVMVisibility::LLVMDefaultVisibility);
                LLVMSetLinkage(f, LLVMLinkage::LLVMInternalLinkage);
            }
        }
    }
    Ok(true)
}

fn passes(module: &Module, machine: &Machine, list: &CStr, tuning: Tuning) -> Result<()> {
    // SAFETY: all alive; the options are disposed of below.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
        LLVMPassBuilderOptionsSetSLPVectorization(options, i32::from(tuning.pack));
        LLVMPassBuilderOptionsSetLoopUnrolling(options, i32::from(tuning.unroll));
        LLVMPassBuilderOptionsSetLoopInterleaving(options, i32::from(tuning.interleave));
        let e = LLVMRunPasses(module.0, list.as_ptr(), machine.0, options);
        LLVMDisposePassBuilderOptions(options);
        Error::check("optimise", e)
    }
}

fn emit(module: &Module, machine: &Machine) -> Result<Vec<u8>> {
    let mut buffer = std::ptr::null_mut();
    let mut message = std::ptr::null_mut();
    // SAFETY: all alive; message and buffer are ours.
    let object = unsafe {
        let kind = LLVMCodeGenFileType::LLVMObjectFile;
        let bad = LLVMTargetMachineEmitToMemoryBuffer(
            machine.0,
            module.0,
            kind,
            &mut message,
            &mut buffer,
        );
        if bad != 0 {
            return Err(Error::new("emit", take_string(message)));
        }
        let start = LLVMGetBufferStart(buffer).cast::<u8>();
        let object = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        object
    };
    module.check("emit")?;
    Ok(object)
}
