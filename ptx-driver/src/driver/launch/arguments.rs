//! The arguments of a kernel, as the program passes them.
use crate::driver::base::{Error, Result};
use crate::driver::state::{Function, Params};
use std::ffi::c_void;

/// Where the arguments are, as the program passes them.
pub struct Arguments {
    /// A pointer to each argument.
    pub each: *const *const u8,
    /// Or: pairs of a name and a value, among them a buffer with all of them.
    pub extra: *const *const c_void,
}

/// Copies the arguments: the program may change them after the call.
///
/// # Safety
/// The pointers are as `cuLaunchKernel` asks for, for this kernel.
pub unsafe fn pack(function: &Function, arguments: &Arguments) -> Result<Params> {
    let kernel = function.kernel();
    let mut bytes = Params::from_elem(0, kernel.param_bytes);
    if !arguments.extra.is_null() {
        if !arguments.each.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0);
        let mut at = arguments.extra;
        loop {
            // SAFETY: the list ends with a zero, and each name has a value.
            let (name, value) = unsafe { (at.read() as usize, at.add(1)) };
            match name {
                0 => break,
                // SAFETY: as above.
                1 => buffer = unsafe { value.read() }.cast(),
                // SAFETY: as above; the value of this name points to a size.
                2 => size = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Error::INVALID_VALUE),
            }
            // SAFETY: the list goes on.
            at = unsafe { at.add(2) };
        }
        // Padding behind the last argument may be counted in.
        if size < bytes.len()
            || size > bytes.len().next_multiple_of(16)
            || buffer.is_null() && !bytes.is_empty()
        {
            return Err(Error::INVALID_VALUE);
        }
        if !bytes.is_empty() {
            // SAFETY: the buffer has `size` bytes, which are enough.
            unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
        }
        return Ok(bytes);
    }
    if arguments.each.is_null() && !kernel.params.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    for (i, param) in kernel.params.iter().enumerate() {
        // SAFETY: there is one pointer for each parameter.
        let from = unsafe { arguments.each.add(i).read() };
        let to = bytes
            .get_mut(param.offset..param.offset + param.size)
            .ok_or(Error::INVALID_PTX)?;
        if from.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: it points to an argument of the parameter's size.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), param.size) };
    }
    Ok(bytes)
}
