//! Arguments as C passes them: places for results, lists, texts.

use crate::driver::base::{Error, Result};
use std::ffi::{CStr, c_char};
use std::ptr::NonNull;

/// A place of the caller's for a result.
pub(super) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    pub(super) fn set(self, value: T) -> Result {
        // SAFETY: `out`'s caller promised a place for a value, perhaps one that is not aligned.
        unsafe { self.0.as_ptr().write_unaligned(value) };
        Ok(())
    }
}

/// A place for a result that the caller must give. It is looked at before anything is made.
///
/// # Safety
/// The pointer is null or has a place for a value.
pub(super) unsafe fn out<T>(place: *mut T) -> Result<Out<T>> {
    NonNull::new(place).map(Out).ok_or(Error::INVALID_VALUE)
}

/// Writes a result that the caller may not want.
///
/// # Safety
/// As for `out`.
pub(super) unsafe fn set_optional<T>(place: *mut T, value: T) {
    if let Some(place) = NonNull::new(place) {
        // SAFETY: the caller's promise.
        unsafe { place.as_ptr().write_unaligned(value) };
    }
}

/// Values that the caller passes.
///
/// # Safety
/// The pointer is null or points to `count` values.
pub(super) unsafe fn list<'a, T>(values: *const T, count: usize) -> Result<&'a [T]> {
    match (count, values.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Error::INVALID_VALUE),
        // SAFETY: the caller's promise.
        (_, false) => Ok(unsafe { std::slice::from_raw_parts(values, count) }),
    }
}

/// A structure that the caller passes.
///
/// # Safety
/// The pointer is null or points to one.
pub(super) unsafe fn required<'a, T>(value: *const T) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { value.as_ref() }.ok_or(Error::INVALID_VALUE)
}

/// A name that the caller passes.
///
/// # Safety
/// The pointer is null or points to text with a zero at its end.
pub(super) unsafe fn string<'a>(text: *const c_char) -> Result<&'a str> {
    if text.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| Error::INVALID_VALUE)
}

/// Writes text with a zero at its end, as far as there is room.
///
/// # Safety
/// The pointer is null or has `room` bytes.
pub(super) unsafe fn write_string(text: &str, buffer: *mut c_char, room: i32) -> Result {
    if buffer.is_null() || room <= 0 {
        return Err(Error::INVALID_VALUE);
    }
    let n = text.len().min(room as usize - 1);
    // SAFETY: `n` bytes and a zero fit.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, n);
        buffer.add(n).write(0);
    }
    Ok(())
}

/// Writes handles into an array of the caller's, zero behind the last, and how many there are if the array is null.
///
/// # Safety
/// `count` is null or a place; `array` is null or has room for as many as it says.
pub(super) unsafe fn write_list<T: Copy + Default>(
    values: &[T],
    array: *mut T,
    count: *mut usize,
) -> Result {
    // SAFETY: the caller's promise.
    let room = *unsafe { required(count) }?;
    if array.is_null() {
        // SAFETY: as above.
        return unsafe { out(count) }?.set(values.len());
    }
    for i in 0..room {
        // SAFETY: inside the array.
        unsafe {
            array
                .add(i)
                .write(values.get(i).copied().unwrap_or_default())
        };
    }
    // SAFETY: as above.
    unsafe { out(count) }?.set(values.len().min(room))
}
