//! Loading and unloading of modules, with their variables.
use super::image::{Refused, target, text, version};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::capture;
use crate::driver::device::memory;
use crate::driver::state::{Guard, Module, State};
use crate::ptx;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// `cuModuleLoadData`.
///
/// # Safety
/// As for `text`.
pub unsafe fn load(
    g: &mut Guard,
    context: Handle,
    image: *const c_char,
) -> std::result::Result<Handle, Refused> {
    capture::refuse_unsafe(g)?;
    // SAFETY: the caller's promise.
    let text = unsafe { text(image) }?;
    let settings = &g.settings;
    if let Some(version) = version(text).filter(|v| *v > settings.ptx) {
        let (newest, dot) = (settings.ptx / 10, settings.ptx % 10);
        let log = format!(
            "ptxas: Unsupported .version {}.{}; current version is '{newest}.{dot}'",
            version / 10,
            version % 10
        );
        return Err(Refused {
            error: Error::UNSUPPORTED_PTX_VERSION,
            log,
        });
    }
    if let Some(target) = target(text).filter(|t| *t > settings.sm) {
        let log = format!("PTX for sm_{target}, but the device is sm_{}", settings.sm);
        return Err(Refused {
            error: Error::NO_BINARY_FOR_GPU,
            log,
        });
    }
    let module = ptx::Module::parse(text).map_err(|refusal| {
        let log = format!("ptxas application ptx input, {refusal}");
        eprintln!("ptx-driver: {log}");
        Refused {
            error: Error::INVALID_PTX,
            log,
        }
    })?;
    let globals = place(g, context, &module)?;
    let const_bytes = module
        .globals
        .iter()
        .filter(|v| v.space == ptx::Space::Const)
        .map(|v| v.size)
        .sum();
    let unloaded = AtomicBool::new(false);
    Ok(g.modules.insert(Arc::new(Module {
        context,
        ptx: module,
        globals,
        unloaded,
        const_bytes,
    })))
}

/// Gives a module's variables memory, with their initial values and the addresses of one another in them.
fn place(s: &mut State, context: Handle, module: &ptx::Module) -> Result<Vec<u64>> {
    let mut globals = Vec::with_capacity(module.globals.len());
    for variable in &module.globals {
        globals.push(memory::allocate(s, context, variable.size.max(1))?);
    }
    for (variable, base) in module.globals.iter().zip(&globals) {
        let mut bytes = variable.init.clone();
        // Variables without a value are zero, as PTX says.
        bytes.resize(variable.size as usize, 0);
        for (offset, other, addend) in &variable.links {
            let address = globals
                .get(*other)
                .ok_or(Error::INVALID_PTX)?
                .wrapping_add_signed(*addend);
            let place = bytes
                .get_mut(*offset..*offset + 8)
                .ok_or(Error::INVALID_PTX)?;
            place.copy_from_slice(&address.to_le_bytes());
        }
        if let Some(backing) = s.memory.at(*base).and_then(|a| a.backing.as_ref()) {
            // SAFETY: the allocation is as large as the variable, and no kernel knows it yet.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), backing.start().as_ptr(), bytes.len())
            };
        }
    }
    Ok(globals)
}

/// `cuModuleUnload`. A kernel of it that is still to run fails when its turn comes.
pub fn unload(s: &mut State, module: Handle) -> Result {
    let loaded = s.modules.remove(module).ok_or(Error::INVALID_HANDLE)?;
    loaded.unloaded.store(true, Ordering::Relaxed);
    s.functions
        .retain(|function| !Arc::ptr_eq(&function.module, &loaded));
    for base in &loaded.globals {
        memory::free(s, *base);
    }
    Ok(())
}
