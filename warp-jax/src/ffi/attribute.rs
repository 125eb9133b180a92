//! The attributes of a call of a kernel, as `warp/_jax/lowering.py` writes them.

use super::dtype::{number_of, scalar_of};
use super::failure::{HandlerFailure, Outcome, invalid};
use super::sys;
use std::ffi::{c_int, c_void};
use warp_core::dtype::Scalar;

/// The attributes of a call.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a> {
    /// Digest of `key` and `plan`.
    pub call: &'a [u8],
    /// Which kernel.
    pub key: &'a [u8],
    /// Its name, for the case that it is not registered here.
    pub kernel: &'a [u8],
    /// How parameters are filled.
    pub plan: &'a [i32],
    /// Values that are the same at each call.
    pub values: &'a [u8],
}

/// The kinds of the attributes, sorted by name.
pub(super) const KINDS: [c_int; 5] = [
    sys::STRING,
    sys::STRING,
    sys::STRING,
    sys::ARRAY,
    sys::ARRAY,
];
const I32: c_int = number_of(Scalar::I32);
const U8: c_int = number_of(Scalar::U8);

impl<'a> Attributes<'a> {
    /// Reads the attributes of a call.
    ///
    /// # Errors
    /// There is one of another name or type: the program is one of another version.
    ///
    /// # Safety
    /// The attributes are XLA's, and outlive `'a`.
    #[inline]
    pub unsafe fn of(attrs: &'a sys::Attrs) -> Outcome<Attributes<'a>> {
        // SAFETY: there are `size` of each, and the kind says what an attribute is.
        unsafe {
            if attrs.size == 5 && *attrs.kinds.cast::<[c_int; 5]>() == KINDS {
                // XLA sorts them by name, so they stand like this. Should they ever mean something else,
                // there is no kernel with such a key.
                let [call, kernel, key, plan, values] = *attrs.values.cast::<[*const c_void; 5]>();
                return Ok(Attributes {
                    call: string(call),
                    key: string(key),
                    kernel: string(kernel),
                    plan: array(plan, I32)?,
                    values: array(values, U8)?,
                });
            }
        }
        // SAFETY: promised by the caller.
        unsafe { Attributes::by_name(attrs) }
    }

    /// # Safety
    /// As above.
    #[cold]
    unsafe fn by_name(attrs: &'a sys::Attrs) -> Outcome<Attributes<'a>> {
        let mut all = Attributes {
            call: &[],
            key: &[],
            kernel: &[],
            plan: &[],
            values: &[],
        };
        for i in 0..attrs.size.max(0) as usize {
            // SAFETY: there are `size` of each, and the kind says what an attribute is.
            unsafe {
                let (name, kind) = (&**attrs.names.add(i), *attrs.kinds.add(i));
                let value = *attrs.values.add(i);
                match (name.bytes(), kind) {
                    (b"call", sys::STRING) => all.call = string(value),
                    (b"key", sys::STRING) => all.key = string(value),
                    (b"kernel", sys::STRING) => all.kernel = string(value),
                    (b"plan", sys::ARRAY) => all.plan = array(value, I32)?,
                    (b"values", sys::ARRAY) => all.values = array(value, U8)?,
                    (name, _) => return Err(unknown(name)),
                }
            }
        }
        Ok(all)
    }
}

/// # Safety
/// The attribute is a string.
unsafe fn string<'a>(value: *const c_void) -> &'a [u8] {
    // SAFETY: promised by the caller.
    unsafe { (*value.cast::<sys::ByteSpan>()).bytes() }
}

/// # Safety
/// The attribute is an array; `T` is what `dtype` stands for.
#[inline]
unsafe fn array<'a, T>(value: *const c_void, dtype: c_int) -> Outcome<&'a [T]> {
    // SAFETY: promised by the caller.
    unsafe {
        let array = &*value.cast::<sys::Array>();
        if array.dtype != dtype {
            return Err(other(dtype));
        }
        Ok(sys::slice(array.data.cast(), array.size))
    }
}

#[cold]
fn other(dtype: c_int) -> HandlerFailure {
    let scalar = scalar_of(dtype).map_or("?", Scalar::name);
    invalid(format!("warp: an attribute is no array of {scalar}"))
}

#[cold]
fn unknown(name: &[u8]) -> HandlerFailure {
    let name = String::from_utf8_lossy(name);
    invalid(format!(
        "warp: attribute '{name}' has no meaning here; was this program made by another version of warp?"
    ))
}
