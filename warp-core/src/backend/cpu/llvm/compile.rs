//! LLVM text to an object file.

use std::sync::Arc;

use llvm_sys::core::*;
use llvm_sys::target_machine::LLVMCodeGenFileType;

use super::balance::balance;
use super::host::{self, Host};
use crate::backend::cpu::math;
use crate::backend::llvm::apart;
use crate::backend::llvm::context::{Context, Module, make_internal};
use crate::backend::llvm::error::{Error, Result};
use crate::backend::llvm::fork::InUse;
use crate::backend::llvm::machine::Machine;
use crate::backend::llvm::passes::{self, Allowed};

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

impl OptLevel {
    /// The most bytes that a function may have on the stack; a thread has 8 MiB, as a rule. Without optimisation values share no
    /// memory, so that frames grow with the statements times the threads of a gang: functions with larger frames are optimised.
    fn most_frame(self) -> usize {
        match self {
            OptLevel::O0 => 1 << 20,
            OptLevel::O2 => 4 << 20,
        }
    }
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

/// [`compile`]; none if `interrupted`, which is asked now and then, says so first. LLVM then goes on, and its result is dropped.
///
/// # Errors
/// What LLVM refuses, and functions whose frames no stack has room for.
pub fn compile_unless(
    text: &str,
    level: OptLevel,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<Vec<u8>>> {
    let work = on_text(text, level, move |module, machine| {
        optimize(module, machine, level, tuning)?;
        module.watch_frames(level.most_frame());
        let object = machine.emit(module, LLVMCodeGenFileType::LLVMObjectFile)?;
        Ok((object, module.large_frame()))
    })?;
    match apart::run(work, interrupted)? {
        Some((_, Some(_))) if level == OptLevel::O0 => {
            compile_unless(text, OptLevel::O2, tuning, interrupted)
        }
        Some((_, Some(large))) => Err(Error::new("emit", large)),
        made => Ok(made.map(|(object, _)| object)),
    }
}

/// The assembly of a text, with LLVM's comments.
///
/// # Errors
/// What LLVM refuses.
pub fn assembly(text: &str, level: OptLevel, tuning: Tuning) -> Result<String> {
    let work = on_text(text, level, move |module, machine| {
        optimize(module, machine, level, tuning)?;
        machine.comment();
        machine.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)
    })?;
    let made = apart::run(work, &|| false)?;
    let made = made.expect("nobody interrupts");
    Ok(String::from_utf8_lossy(&made).into_owned())
}

/// The text of the module after optimisation: what debugging prints.
///
/// # Errors
/// What LLVM refuses.
pub fn optimized_text(text: &str, level: OptLevel, tuning: Tuning) -> Result<String> {
    let work = on_text(text, level, move |module, machine| {
        optimize(module, machine, level, tuning)?;
        Ok(module.text())
    })?;
    let made = apart::run(work, &|| false)?;
    Ok(made.expect("nobody interrupts"))
}

/// `work` on a text, with a context and module of its own, and the machine to compile for.
fn on_text<T>(
    text: &str,
    level: OptLevel,
    work: impl FnOnce(&Module<'_>, &Machine) -> Result<T> + Clone + Send + 'static,
) -> Result<impl FnOnce() -> Result<T> + Clone + Send + 'static> {
    let text: Arc<str> = math::attach(text).into();
    let target = host::target(&InUse::new())?;
    Ok(move || {
        let context = Context::new();
        let module = context.parse(&text)?;
        work(
            &module,
            &Host::get().machine(target, level == OptLevel::O2)?,
        )
    })
}

fn optimize(module: &Module<'_>, machine: &Machine, level: OptLevel, tuning: Tuning) -> Result<()> {
    machine.adopt(module, &Host::get().triple);
    let allowed = Allowed {
        vectors: true,
        pack: tuning.pack,
        unroll: tuning.unroll,
        interleave: tuning.interleave,
    };
    if level == OptLevel::O2 {
        passes::run(module, machine, passes::optimising(module), allowed)?;
    }
    if link_math(module)? || level == OptLevel::O0 {
        passes::run(module, machine, c"always-inline,globaldce", allowed)?;
        if level == OptLevel::O2 {
            let tidy = c"function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
            passes::run(module, machine, tidy, allowed)?;
        }
    }
    if level == OptLevel::O2 && Host::get().adds_apart() {
        balance(module);
    }
    #[cfg(target_arch = "aarch64")]
    {
        // LLVM 19 makes an atomic addition of floats a loop with a compare-exchange, and takes that for an instruction which
        // throws away whether its store failed (`stlxr wzr`): additions would be lost. What is expanded here is expanded whole,
        // since the code generator finds the compare-exchange and expands it in its turn.
        if level == OptLevel::O2 {
            passes::run(module, machine, c"function(atomic-expand)", allowed)?;
        }
        super::preserved::adopt(module);
    }
    module.check("optimise")
}

/// Links the mathematics that the module calls, now that the vectoriser has chosen versions.
/// False: it calls none of ours.
fn link_math(module: &Module<'_>) -> Result<bool> {
    // SAFETY: the module is alive; the list of used symbols is a plain global of ours.
    unsafe {
        let keep = LLVMGetNamedGlobal(module.raw(), c"llvm.compiler.used".as_ptr());
        if keep.is_null() {
            return Ok(false);
        }
        LLVMDeleteGlobal(keep);
    }
    let mut linked = Vec::new();
    let text = math::define(|name| {
        // The list that kept it is a use, too, though deleted.
        let calls = module.find(name).map_or(0, |f| module.uses(f).count());
        if calls > 0 {
            linked.push(name.to_string());
        }
        calls
    });
    if text.is_empty() {
        return Ok(true);
    }
    module.link(module.context().parse(&text)?)?;
    for name in linked {
        if let Some(f) = module.find(&name) {
            // SAFETY: the module is alive.
            unsafe { make_internal(f) };
        }
    }
    Ok(true)
}
