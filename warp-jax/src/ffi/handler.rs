//! The one function that XLA calls.
//!
//! It runs on threads of XLA's, several at a time, and knows nothing of Python. Whatever goes wrong becomes an error
//! of XLA's, a panic too: none may cross into XLA.

use super::call::Call;
use super::site::{self, Attributes};
use super::sys::{self, Frame, code};
use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use warp_core::dtype::Scalar;

/// The version of the interface that this speaks: the first one, which every jax accepts that has the interface.
const VERSION: (c_int, c_int) = (0, 1);

/// What went wrong: one of XLA's codes, and a message.
pub(super) struct Failure(pub c_int, pub String);

pub(super) type Outcome<T> = Result<T, Failure>;

/// The error of a call that cannot be.
#[cold]
pub(super) fn bad(message: String) -> Failure {
    Failure(code::INVALID_ARGUMENT, message)
}

/// The address of the handler, for a capsule.
pub fn address() -> *mut c_void {
    launch as *mut c_void
}

/// Launches a kernel: what XLA calls.
///
/// # Safety
/// `frame` is a call frame of XLA's.
pub unsafe extern "C" fn launch(frame: *mut Frame) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    let frame = unsafe { &*frame };
    // SAFETY: extensions of a frame are a list that ends in null.
    if unsafe { answered(frame.extensions) } {
        return null_mut();
    }
    // SAFETY: promised by the caller.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { run(frame) }));
    let Failure(code, message) = match outcome {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => Failure(code::INTERNAL, text_of(&*panic)),
    };
    // SAFETY: the interface belongs to the frame.
    unsafe { fail(frame, code, &message) }
}

/// Answers the question what this handler is, if it was asked.
///
/// # Safety
/// The extension is null or one of XLA's.
pub(super) unsafe fn answered(extension: *mut sys::Extension) -> bool {
    // SAFETY: promised by the caller.
    let Some(base) = (unsafe { extension.as_ref() }) else {
        return false;
    };
    if base.kind != sys::METADATA {
        return false;
    }
    // SAFETY: that kind of extension has metadata to fill in.
    unsafe {
        let metadata = &mut *(*extension.cast::<sys::MetadataExtension>()).metadata;
        (metadata.api_version.major, metadata.api_version.minor) = VERSION;
        metadata.traits = 0;
    }
    true
}

#[cold]
pub(super) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "warp: compiler bug, please report: panic: {}",
        text.unwrap_or("?")
    )
}

/// # Safety
/// The frame is one of XLA's.
#[cold]
pub(super) unsafe fn fail(frame: &Frame, code: c_int, message: &str) -> *mut sys::Error {
    let text = CString::new(message.replace('\0', " ")).expect("no zeros are left");
    let mut request = sys::ErrorCreate {
        struct_size: size_of::<sys::ErrorCreate>() - size_of::<c_int>(),
        extensions: null_mut(),
        message: text.as_ptr(),
        code,
    };
    // SAFETY: XLA copies the message.
    unsafe { ((*frame.api).error_create)(&raw mut request) }
}

impl<'a> Attributes<'a> {
    /// # Safety
    /// The attributes are XLA's, and outlive `'a`.
    #[inline]
    unsafe fn of(attrs: &'a sys::Attrs) -> Outcome<Attributes<'a>> {
        // SAFETY: there are `size` of each, and the kind says what an attribute is.
        unsafe {
            if attrs.size == 5 && *attrs.kinds.cast::<[c_int; 5]>() == USUAL {
                // Sorted by name they stand like this. Should they ever mean something else,
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
        let mut found = Attributes {
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
                match (bytes(name.data.cast(), name.len), kind) {
                    (b"call", sys::STRING) => found.call = string(value),
                    (b"key", sys::STRING) => found.key = string(value),
                    (b"kernel", sys::STRING) => found.kernel = string(value),
                    (b"plan", sys::ARRAY) => found.plan = array(value, I32)?,
                    (b"values", sys::ARRAY) => found.values = array(value, U8)?,
                    (name, _) => return Err(unknown(name)),
                }
            }
        }
        Ok(found)
    }
}

/// The kinds of the attributes, sorted by name.
const USUAL: [c_int; 5] = [
    sys::STRING,
    sys::STRING,
    sys::STRING,
    sys::ARRAY,
    sys::ARRAY,
];
const I32: c_int = number_of(Scalar::I32);
const U8: c_int = number_of(Scalar::U8);

#[cold]
fn other(dtype: c_int) -> Failure {
    let scalar = scalar_of(dtype).map_or("?", Scalar::name);
    bad(format!("warp: an attribute is no array of {scalar}"))
}

#[cold]
fn unknown(name: &[u8]) -> Failure {
    let name = String::from_utf8_lossy(name);
    bad(format!(
        "warp: attribute '{name}' has no meaning here; was this program made by another version of warp?"
    ))
}

/// # Safety
/// `data` is null or points to `len` values.
pub(super) unsafe fn bytes<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(data, len) }
}

/// # Safety
/// The attribute is a string.
unsafe fn string<'a>(value: *const c_void) -> &'a [u8] {
    // SAFETY: promised by the caller.
    unsafe {
        let span = &*value.cast::<sys::ByteSpan>();
        bytes(span.data.cast(), span.len)
    }
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
        Ok(bytes(array.data.cast(), array.size))
    }
}

/// XLA's numbers of types; `Scalar`s in the order of the one table.
const TYPES: [(c_int, Scalar); 13] = [
    (1, Scalar::Bool),
    (2, Scalar::I8),
    (3, Scalar::I16),
    (4, Scalar::I32),
    (5, Scalar::I64),
    (6, Scalar::U8),
    (7, Scalar::U16),
    (8, Scalar::U32),
    (9, Scalar::U64),
    (10, Scalar::F16),
    (16, Scalar::BF16),
    (11, Scalar::F32),
    (12, Scalar::F64),
];

/// The type that one of XLA's numbers stands for.
pub(super) fn scalar_of(dtype: c_int) -> Option<Scalar> {
    TYPES.iter().find(|t| t.0 == dtype).map(|t| t.1)
}

/// XLA's number for a type.
#[inline]
pub(super) const fn number_of(scalar: Scalar) -> c_int {
    TYPES[scalar as usize].0
}

/// # Safety
/// The frame is one of XLA's.
#[inline]
unsafe fn run(frame: &Frame) -> Outcome<()> {
    if frame.stage != sys::EXECUTE {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let attributes = unsafe { Attributes::of(&frame.attrs) }?;
    let call = Call {
        site: site::find(&attributes)?,
        values: attributes.values,
        args: &frame.args,
        rets: &frame.rets,
    };
    // SAFETY: promised by the caller.
    unsafe { call.run() }
}

#[cfg(test)]
mod tests;
