//! Names of scalar types in the array protocols: type strings ("<f4"), buffer formats ("@l"), and why a type is refused.

use super::scalar_of;
use crate::dtype::{Class, Scalar, TABLE};
use crate::error::{Code, Error, Result};

/// The scalar of a kind letter of the array interface ('f', 'i', ...) with its size in bytes.
///
/// # Errors
/// [`Code::Type`] if no scalar is of this kind and size.
pub fn from_kind(kind: u8, size: usize) -> Result<Scalar> {
    let class = match kind {
        b'b' => Some(Class::Bool),
        b'i' => Some(Class::Int),
        b'u' => Some(Class::UInt),
        b'f' => Some(Class::Float),
        _ => None,
    };
    class
        .and_then(|c| scalar_of(c, size.checked_mul(8)?))
        .ok_or_else(|| {
            let kind = char::from(kind).escape_default().to_string();
            unsupported(&format!("{kind}{size}"), &kind)
        })
}

/// The scalar of a type string: byte order, kind and size, as in "<f4".
///
/// # Errors
/// [`Code::Type`] if the text names no scalar, [`Code::Value`] if it is in the other byte order.
pub fn from_typestr(text: &str) -> Result<Scalar> {
    let bytes = text.as_bytes();
    let parsed = match bytes {
        [order @ (b'<' | b'>' | b'|' | b'='), kind, size @ ..] => std::str::from_utf8(size)
            .ok()
            // `parse` would take a sign too.
            .filter(|s| s.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|s| s.parse::<usize>().ok())
            .map(|size| (*order, *kind, size)),
        _ => None,
    };
    let Some((order, kind, size)) = parsed else {
        return Err(Error::new(
            Code::Value,
            format!(
                "'{}' is no type string of the array interface",
                text.escape_debug()
            ),
        )
        .hint("one is byte order, kind and size in bytes, as in '<f4'"));
    };
    let scalar = from_kind(kind, size).map_err(|e| Error {
        message: e.message.replace(&format!("{}{size}", kind as char), text),
        ..e
    })?;
    check_order(order, size, text)?;
    Ok(scalar)
}

/// The scalar of a format of the buffer protocol, which is that of Python's `struct` module, for items of `size` bytes.
///
/// # Errors
/// [`Code::Type`] if the text names no scalar of this size, [`Code::Value`] if it is in the other byte order.
pub fn from_format(text: &str, size: usize) -> Result<Scalar> {
    let (order, letters) = match text.as_bytes().first() {
        Some(c @ (b'@' | b'=' | b'<' | b'>' | b'!' | b'^')) => (*c, &text[1..]),
        _ => (b'@', text),
    };
    let native = matches!(order, b'@' | b'^');
    let kind_and_size = match letters {
        "?" => Some((b'b', 1)),
        "b" => Some((b'i', 1)),
        "B" => Some((b'u', 1)),
        "h" => Some((b'i', 2)),
        "H" => Some((b'u', 2)),
        "i" => Some((b'i', 4)),
        "I" => Some((b'u', 4)),
        "l" => Some((b'i', if native { 8 } else { 4 })),
        "L" => Some((b'u', if native { 8 } else { 4 })),
        "q" | "n" => Some((b'i', 8)),
        "Q" | "N" => Some((b'u', 8)),
        "e" => Some((b'f', 2)),
        "f" => Some((b'f', 4)),
        "d" => Some((b'f', 8)),
        _ => None,
    };
    let Some((kind, own)) = kind_and_size else {
        let first = letters.chars().next().unwrap_or('V');
        let kind = match first {
            'T' => "V",
            'Z' => "c",
            'g' => "f",
            'w' | 'u' | 's' | 'p' | 'c' => "U",
            'O' | 'P' => "O",
            _ => "",
        };
        return Err(unsupported(&format!("'{}'", text.escape_debug()), kind));
    };
    if own != size {
        return Err(Error::new(
            Code::Value,
            format!("items of {size} bytes do not have the format '{text}', which has {own} bytes"),
        ));
    }
    check_order(if order == b'!' { b'>' } else { order }, size, text)?;
    from_kind(kind, size)
}

fn check_order(order: u8, size: usize, name: &str) -> Result<()> {
    let foreign = if cfg!(target_endian = "little") {
        b'>'
    } else {
        b'<'
    };
    if size > 1 && order == foreign {
        return Err(foreign_order(name));
    }
    Ok(())
}

/// The error about a type whose bytes stand in the order of another machine.
#[cold]
pub fn foreign_order(name: &str) -> Error {
    Error::new(
        Code::Type,
        format!("the type {name} has its bytes in foreign order"),
    )
    .hint("convert it: a.astype(a.dtype.newbyteorder('='))")
}

/// The error about a type that kernels do not have; `kind` is its letter in the array interface, "" if it has none.
#[cold]
pub fn unsupported(name: &str, kind: &str) -> Error {
    let what = match kind {
        "c" => "complex numbers have no counterpart",
        "m" | "M" => "dates and times have no counterpart",
        "O" => "Python objects have no counterpart",
        "S" | "U" | "a" => "text has no counterpart",
        "V" => "raw bytes and records have no counterpart",
        _ => "it has no counterpart",
    };
    let narrow = ["float8", "float6", "float4", "int4", "int2", "int1"]
        .iter()
        .any(|n| name.trim_start_matches('u').starts_with(n));
    let hint = match kind {
        "c" => {
            "pass the parts, a.real and a.imag, or the pairs: a.view('float32') or 'float64'".into()
        }
        "m" | "M" => "pass the underlying numbers: a.view('int64')".into(),
        "O" => "give the array a numeric type: a.astype('float32')".into(),
        "V" => "pass one array for each field, or the bytes: a.view('uint8')".into(),
        _ if narrow => {
            "convert it, as with a.astype('float16'), or pass the bits: a.view('uint8')".into()
        }
        _ => {
            let known: Vec<_> = TABLE.iter().map(|r| r.name).collect();
            format!("supported: {}", known.join(", "))
        }
    };
    Error::new(Code::Type, format!("the type {name}: {what}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_string_of_the_table_reads_back() {
        for row in TABLE.iter().filter(|r| !r.typestr.is_empty()) {
            assert_eq!(from_typestr(row.typestr).unwrap(), row.scalar);
            let native = row.typestr.replace(['<', '|'], "=");
            assert_eq!(from_typestr(&native).unwrap(), row.scalar);
            let swapped = from_typestr(&row.typestr.replace('<', ">"));
            match row.bits {
                8 => assert_eq!(swapped.unwrap(), row.scalar),
                _ => assert!(swapped.unwrap_err().to_string().contains("foreign order")),
            }
        }
    }

    #[test]
    fn formats_are_those_of_python_on_64_bits() {
        for (format, size, scalar) in [
            ("?", 1, Scalar::Bool),
            ("l", 8, Scalar::I64),
            ("<l", 4, Scalar::I32),
            ("=Q", 8, Scalar::U64),
            ("@N", 8, Scalar::U64),
            ("e", 2, Scalar::F16),
            ("<d", 8, Scalar::F64),
            (">B", 1, Scalar::U8),
        ] {
            assert_eq!(from_format(format, size).unwrap(), scalar, "{format}");
        }
        for (format, size, says) in [
            (">f", 4, "foreign order"),
            ("!d", 8, "foreign order"),
            ("l", 4, "8 bytes"),
            ("Zf", 8, "complex"),
            ("T{<f:x:<i:n:}", 8, "records"),
            ("O", 8, "objects"),
            ("w", 4, "text"),
            ("g", 16, "no counterpart"),
            ("", 1, "no counterpart"),
            ("ff", 8, "no counterpart"),
        ] {
            let e = from_format(format, size).unwrap_err().to_string();
            assert!(e.contains(says), "{format}: {e}");
        }
    }

    #[test]
    fn refusals_name_the_type_and_say_what_to_do() {
        for (text, says) in [
            ("<c8", "complex"),
            ("<M8", "dates"),
            ("|O8", "objects"),
            ("<U3", "text"),
            ("|V12", "records"),
            ("<f16", "supported"),
            ("<i3", "supported"),
        ] {
            let e = from_typestr(text).unwrap_err().to_string();
            assert!(e.contains(says) && e.contains(text), "{text}: {e}");
        }
        for text in [
            "",
            "f4",
            "<f",
            "<f+4",
            "<f4x",
            "<f99999999999999999999",
            "é",
        ] {
            assert!(from_typestr(text).is_err(), "{text}");
        }
        assert!(
            unsupported("float8_e4m3fn", "V")
                .to_string()
                .contains("uint8")
        );
    }
}
