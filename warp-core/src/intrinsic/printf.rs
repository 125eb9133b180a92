//! What `printf` prints in a kernel.

use crate::dtype::Scalar;
use crate::ir::Num;

/// C's printf for the conversions that kernels have.
pub(super) fn printf(format: &str, args: &[(Scalar, Num)]) -> Result<String, String> {
    let mut out = String::new();
    let mut args = args.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            out.push('%');
            continue;
        }
        let mut spec = String::new();
        let conversion = loop {
            match chars.next() {
                Some(c) if c.is_ascii_alphabetic() && !"hlzjt".contains(c) => break c,
                Some(c) => spec.push(c),
                None => return Err(format!("format {format:?} ends in a conversion")),
            }
        };
        let (ty, num) = args.next().ok_or("more conversions than arguments")?;
        out.push_str(&c_format(&spec, conversion, *ty, *num)?);
    }
    Ok(out)
}

/// One argument by `%{spec}{conversion}`, formatted by the C library itself.
fn c_format(spec: &str, conversion: char, ty: Scalar, num: Num) -> Result<String, String> {
    let spec = spec.trim_end_matches(['h', 'l', 'z', 'j', 't']);
    let plain = spec
        .chars()
        .all(|c| c.is_ascii_digit() || "-+ #.".contains(c));
    if !plain || spec.len() > 16 {
        return Err(format!("format %{spec}{conversion}"));
    }
    let mut buffer = [0u8; 512];
    let length = if "diuxXoc".contains(conversion) {
        if ty.is_float() {
            return Err(format!("%{conversion} of {ty}"));
        }
        let length = if conversion == 'c' { "" } else { "ll" };
        let format = format!("%{spec}{length}{conversion}\0");
        // SAFETY: the format has one integer conversion of the argument's width; the buffer's
        // length is given.
        unsafe {
            libc::snprintf(
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                format.as_ptr().cast(),
                num.int(),
            )
        }
    } else if "fFeEgG".contains(conversion) {
        if !ty.is_float() {
            return Err(format!("%{conversion} of {ty}"));
        }
        let format = format!("%{spec}{conversion}\0");
        // SAFETY: as above, with one double.
        unsafe {
            let format = format.as_ptr().cast();
            libc::snprintf(
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                format,
                num.float(),
            )
        }
    } else {
        return Err(format!("conversion %{conversion}"));
    };
    let length = (length.max(0) as usize).min(buffer.len() - 1);
    Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
}
