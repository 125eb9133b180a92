//! An image that a program loads: PTX as text, and what its header says.
use crate::driver::base::Error;
use std::ffi::{CStr, c_char};

/// A refused image: the code and what the JIT's error log says.
pub struct Refused {
    pub error: Error,
    pub log: String,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused {
            error,
            log: String::new(),
        }
    }
}

/// Reads an image as text. Cubins and fatbins are refused: they hold no PTX that this driver would look for.
///
/// # Safety
/// `image` points to a fatbin, a cubin, or text with a zero at its end.
pub unsafe fn text<'a>(image: *const c_char) -> Result<&'a str, Refused> {
    if image.is_null() {
        return Err(Error::INVALID_VALUE.into());
    }
    // SAFETY: text has at least its zero; what is longer is compared as far as it is equal.
    let starts = |magic: &[u8]| {
        magic.iter().enumerate().all(|(i, byte)| {
            // SAFETY: the bytes before this one were those of the magic number, none of which is zero.
            unsafe { image.add(i).read() as u8 == *byte }
        })
    };
    for magic in [
        b"\x7fELF".as_slice(),
        b"\x50\xed\x55\xba",
        b"\xb1\x43\x62\x46",
    ] {
        if starts(magic) {
            let log = "ptx-driver takes PTX only, no cubin and no fatbin".into();
            return Err(Refused {
                error: Error::INVALID_IMAGE,
                log,
            });
        }
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(image) };
    text.to_str().map_err(|_| Refused {
        error: Error::INVALID_IMAGE,
        log: "not UTF-8".into(),
    })
}

/// The header's version, read before the rest: a newer PTX may have syntax that this parser does not know.
pub fn version(text: &str) -> Option<u32> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(".version"))?;
    let (major, minor) = line.strip_prefix(".version")?.trim().split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some(major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?)
}

/// The architecture that the header names: 75 for `sm_75`.
pub fn target(text: &str) -> Option<u32> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(".target"))?;
    let digits = line.split_once("sm_")?.1;
    digits
        .chars()
        .take_while(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .ok()
}
