//! Kernels and variables of a module by name.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Function, Module, State};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

fn find(s: &State, module: Handle) -> Result<&Arc<Module>> {
    s.modules.get(module).ok_or(Error::INVALID_HANDLE)
}

/// `cuModuleGetFunction`.
pub fn find_function(s: &mut State, module: Handle, name: &str) -> Result<Handle> {
    let loaded = find(s, module)?.clone();
    let kernel = loaded
        .ptx
        .kernels
        .iter()
        .position(|k| k.name == name)
        .ok_or(Error::NOT_FOUND)?;
    // A function asked for again keeps its handle, and with it its attributes.
    let known = s
        .functions
        .iter()
        .find(|(_, f)| f.kernel == kernel && Arc::ptr_eq(&f.module, &loaded));
    if let Some((handle, _)) = known {
        return Ok(handle);
    }
    let name = std::ffi::CString::new(name).map_err(|_| Error::INVALID_VALUE)?;
    let (dynamic, carveout) = (AtomicU32::new(48 << 10), AtomicU32::new(u32::MAX));
    Ok(s.functions.insert(Arc::new(Function {
        module: loaded,
        module_handle: module,
        kernel,
        name,
        dynamic,
        carveout,
    })))
}

/// `cuModuleGetGlobal`: address and size.
pub fn find_global(s: &State, module: Handle, name: &str) -> Result<(u64, usize)> {
    let loaded = find(s, module)?;
    let index = loaded
        .ptx
        .globals
        .iter()
        .position(|v| v.name == name)
        .ok_or(Error::NOT_FOUND)?;
    Ok((
        loaded.globals[index],
        loaded.ptx.globals[index].size as usize,
    ))
}
