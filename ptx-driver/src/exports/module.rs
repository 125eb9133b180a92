//! Modules.
use super::argument::{list, out, set_optional, string};
use crate::driver::base::Error;
use crate::driver::module::{self, Options};
use std::ffi::c_char;

functions! {
    ctx cuModuleLoadData(handle: *mut usize, image: *const c_char) |g, c| {
        let place = out(handle)?;
        place.set(module::load(g, c, image).map_err(|refused| refused.error)?)
    };
    ctx cuModuleLoadDataEx(
        handle: *mut usize,
        image: *const c_char,
        count: u32,
        names: *const u32,
        values: *mut usize,
    ) |g, c| {
        let place = out(handle)?;
        let options = Options::read(g, list(names, count as usize)?, list(values, count as usize)?)?;
        let loaded = module::load(g, c, image);
        options.write_logs(loaded.as_ref().err().map_or("", |refused| &refused.log), values);
        place.set(loaded.map_err(|refused| refused.error)?)
    };
    ctx cuModuleLoad(handle: *mut usize, path: *const c_char) |g, c| {
        let place = out(handle)?;
        let text = std::fs::read(string(path)?).map_err(|_| Error::FILE_NOT_FOUND)?;
        let text = std::ffi::CString::new(text).map_err(|_| Error::INVALID_IMAGE)?;
        place.set(module::load(g, c, text.as_ptr()).map_err(|refused| refused.error)?)
    };
    ctx cuModuleLoadFatBinary(handle: *mut usize, image: *const c_char) |_g, _c| {
        let _ = (handle, image);
        Err(Error::INVALID_IMAGE)
    };
    ctx cuModuleUnload(handle: usize) |g, _c| module::unload(g, handle);
    ctx cuModuleGetFunction(function: *mut usize, handle: usize, name: *const c_char) |g, _c| {
        let place = out(function)?;
        place.set(module::find_function(g, handle, string(name)?)?)
    };
    ctx cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, handle: usize, name: *const c_char) |g, _c| {
        let (base, size) = module::find_global(g, handle, string(name)?)?;
        set_optional(address, base);
        set_optional(bytes, size);
        Ok(())
    };
    ctx cuModuleGetFunctionCount(count: *mut u32, handle: usize) |g, _c| {
        let module = g.modules.get(handle).ok_or(Error::INVALID_HANDLE)?;
        out(count)?.set(module.ptx.kernels.len() as u32)
    };
    init cuModuleGetLoadingMode(mode: *mut u32) |_g| out(mode)?.set(1);
}
