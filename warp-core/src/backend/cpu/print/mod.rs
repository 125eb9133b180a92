//! `printf` for kernels.
//!
//! Formatting is our own: C's needs a `va_list`, which generated code would have to build per
//! platform, and trusts the format string with memory. See [`crate::abi::runtime::PRINT`] for the
//! layout of the values.

mod spec;
mod value;

use crate::abi::Ctx;
use spec::Spec;
use std::ffi::CStr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::time::{Duration, Instant};
pub use value::Value;

/// Formats as C's `printf` does; see [`crate::abi::runtime::PRINT`].
pub fn format(text: &str, values: &[Value]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * values.len());
    let mut values = values.iter();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let (used, spec) = Spec::read(&rest[at + 1..], &mut values);
        let whole = &rest[at..at + 1 + used];
        rest = &rest[at + 1 + used..];
        match spec {
            Some(spec) if spec.conversion == '%' => out.push('%'),
            Some(spec) => match values.next() {
                Some(value) => spec.write(value, &mut out),
                None => out.push_str(whole),
            },
            None => out.push_str(whole),
        }
    }
    out.push_str(rest);
    out
}

/// Reads the values of a call.
///
/// # Safety
/// `values` is null or laid out as [`crate::abi::runtime::PRINT`] says.
unsafe fn read(values: *const u8) -> Vec<Value> {
    if values.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise: a tag string, then as many slots as it has tags.
    unsafe {
        let values = values.cast::<u64>();
        let tags = *values as *const std::ffi::c_char;
        if tags.is_null() {
            return Vec::new();
        }
        let tags = CStr::from_ptr(tags).to_bytes();
        let slots = std::slice::from_raw_parts(values.add(1), tags.len());
        self::values(tags, slots)
    }
}

/// The values of a call, from their tags and slots.
///
/// # Safety
/// The slot of a tag `s` points to a string.
pub unsafe fn values(tags: &[u8], slots: &[u64]) -> Vec<Value> {
    let value = |(tag, slot): (&u8, &u64)| match tag {
        b'b' => Value::Bool(slot & 1 != 0),
        b'i' => Value::Int(*slot as i64),
        b'f' => Value::Float(f64::from_bits(*slot)),
        b's' => {
            // SAFETY: promised by the caller.
            let text = unsafe { CStr::from_ptr(*slot as *const std::ffi::c_char) };
            Value::Text(text.to_string_lossy().into_owned())
        }
        _ => Value::Uint(*slot),
    };
    tags.iter().zip(slots).map(value).collect()
}

/// See [`crate::abi::runtime::PRINT`].
///
/// # Safety
/// `ctx` is a live context, `text` points to `len` bytes, `values` is laid out as described there.
pub unsafe extern "C" fn print(ctx: *mut Ctx, text: *const u8, len: i64, values: *const u8) {
    // SAFETY: the caller's promise.
    let (text, values, sink, data) = unsafe {
        let bytes = std::slice::from_raw_parts(text, usize::try_from(len).unwrap_or(0));
        (
            String::from_utf8_lossy(bytes),
            read(values),
            (*ctx).sink,
            (*ctx).sink_data,
        )
    };
    let line = format(&text, &values);
    match sink {
        // SAFETY: whoever set the sink promised that it takes this call from any worker.
        Some(sink) => unsafe { sink(data, line.as_ptr(), line.len() as i64) },
        None => write_stdout(line.as_bytes()),
    }
}

/// Writes to descriptor 1, one call's text in one piece. Not through Rust's buffered stdout, which
/// would keep text back when the process leaves through C's `exit`.
pub fn write_stdout(bytes: &[u8]) {
    // Not a mutex: after `fork` it may be held by a thread that the child does not have. Then, or
    // when a writer is stuck, pieces may mix.
    static BUSY: AtomicBool = AtomicBool::new(false);
    let start = Instant::now();
    while BUSY.swap(true, Acquire) && start.elapsed() < Duration::from_secs(1) {
        std::thread::yield_now();
    }
    write_all(bytes);
    BUSY.store(false, Release);
}

fn write_all(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice is readable.
        let n = unsafe { libc::write(1, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(n) {
            Ok(n) if n > 0 => bytes = &bytes[n.min(bytes.len())..],
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            // A closed standard output is not a reason to stop computing.
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::value::as_int;
    use super::*;
    use std::ffi::{c_char, c_int};

    unsafe extern "C" {
        fn snprintf(out: *mut c_char, n: usize, format: *const c_char, ...) -> c_int;
    }

    /// What C prints for one value.
    fn c(format: &str, value: &Value) -> String {
        let format = std::ffi::CString::new(format).unwrap();
        let mut out = [0 as c_char; 512];
        // SAFETY: formats of these tests take one value of the kind that is passed.
        unsafe {
            match value {
                Value::Float(f) => snprintf(out.as_mut_ptr(), 512, format.as_ptr(), *f),
                other => snprintf(out.as_mut_ptr(), 512, format.as_ptr(), as_int(other)),
            };
            CStr::from_ptr(out.as_ptr()).to_str().unwrap().to_string()
        }
    }

    #[test]
    fn numbers_print_as_c_prints_them() {
        let flags = ["", "-", "+", " ", "0", "#", "-#", "+0", "#0", "- "];
        let sizes = ["", "1", "12", "0.3", ".0", ".1", "10.4", "20.12", "5.0"];
        let floats = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            1e-5,
            123_456.0,
            999_999.5,
            1e6,
            1e21,
            1e-300,
            5e-324,
            2.5,
            3.5,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.000_099_999_99,
            1.0 / 3.0,
        ];
        let ints = [0, 1, -1, 42, -100_000, i64::MAX, i64::MIN];
        for flag in flags {
            for size in sizes {
                for conversion in ["f", "e", "g", "F", "E", "G"] {
                    let f = format!("[%{flag}{size}{conversion}]");
                    for x in floats {
                        let v = Value::Float(x);
                        // glibc before 2.38 drops the zeros of `%#g` where rounding carries.
                        if flag.contains('#') && x == 999_999.5 {
                            continue;
                        }
                        if x.abs() < 1e30 || !conversion.eq_ignore_ascii_case("f") {
                            assert_eq!(format(&f, std::slice::from_ref(&v)), c(&f, &v), "{f} {x}");
                        }
                    }
                }
                for conversion in ["d", "u", "x", "X"] {
                    let f = format!("[%{flag}{size}ll{conversion}]");
                    for i in ints {
                        let v = Value::Int(i);
                        assert_eq!(format(&f, std::slice::from_ref(&v)), c(&f, &v), "{f} {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn odd_formats_do_no_harm() {
        assert_eq!(format("%d %d", &[Value::Int(1)]), "1 %d");
        assert_eq!(format("100%", &[]), "100%");
        assert_eq!(format("%5%|%%", &[]), "%|%");
        assert_eq!(format("%é %y", &[Value::Int(1)]), "%é %y");
        assert_eq!(
            format("%*d|%-*d|", &[4, 7, 4, 7].map(Value::Int)),
            "   7|7   |"
        );
        assert_eq!(
            format("%s %s", &[Value::Bool(true), Value::Text("é".into())]),
            "True é"
        );
        assert_eq!(
            format("%f %d", &[Value::Int(3), Value::Float(2.9)]),
            "3.000000 2"
        );
        assert_eq!(
            format("%c%c", &[Value::Int(65), Value::Int(-1)]),
            "A\u{fffd}"
        );
        assert_eq!(format("%nan", &[Value::Int(1)]), "%nan");
    }

    unsafe extern "C" fn keep(data: *mut std::ffi::c_void, text: *const u8, len: i64) {
        // SAFETY: the test passes a String.
        unsafe {
            let text = std::slice::from_raw_parts(text, len as usize);
            (*data.cast::<String>()).push_str(std::str::from_utf8(text).unwrap());
        }
    }

    #[test]
    fn values_are_read_by_their_tags() {
        let mut heard = String::new();
        let mut ctx = Ctx::new();
        ctx.sink = Some(keep);
        ctx.sink_data = (&raw mut heard).cast();
        let values = [
            c"ifusb".as_ptr() as u64,
            -3i64 as u64,
            1.5f64.to_bits(),
            u64::MAX,
            c"hi".as_ptr() as u64,
            1,
        ];
        let text = "%d %g %u %s %d\n";
        // SAFETY: laid out as documented.
        unsafe {
            print(
                &mut ctx,
                text.as_ptr(),
                text.len() as i64,
                values.as_ptr().cast(),
            )
        };
        assert_eq!(heard, "-3 1.5 18446744073709551615 hi 1\n");
    }
}
