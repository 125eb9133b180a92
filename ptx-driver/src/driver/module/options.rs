//! The options of `cuModuleLoadDataEx`.
use crate::driver::base::{Error, Result};
use crate::driver::state::State;
use std::ffi::c_char;

/// The options of `cuModuleLoadDataEx` that this driver looks at; the others are known and ignored.
#[derive(Default)]
pub struct Options {
    info: Option<(usize, *mut c_char)>,
    error: Option<(usize, *mut c_char)>,
    sizes: [Option<usize>; 2],
}

const WALL_TIME: u32 = 2;
const INFO_LOG_BUFFER: u32 = 3;
const INFO_LOG_SIZE: u32 = 4;
const ERROR_LOG_BUFFER: u32 = 5;
const ERROR_LOG_SIZE: u32 = 6;
const OPTIMIZATION_LEVEL: u32 = 7;
const TARGET: u32 = 9;
const KNOWN_OPTIONS: u32 = 34;

impl Options {
    /// Reads options and their values, which are integers in the place of pointers.
    pub fn read(s: &State, names: &[u32], values: &[usize]) -> Result<Options> {
        let mut options = Options::default();
        let (mut buffers, mut lengths) = ([std::ptr::null_mut(); 2], [0usize; 2]);
        for (at, (name, value)) in names.iter().zip(values).enumerate() {
            match *name {
                INFO_LOG_BUFFER => buffers[0] = *value as *mut c_char,
                ERROR_LOG_BUFFER => buffers[1] = *value as *mut c_char,
                INFO_LOG_SIZE => {
                    (lengths[0], options.sizes[0]) = (*value as u32 as usize, Some(at))
                }
                ERROR_LOG_SIZE => {
                    (lengths[1], options.sizes[1]) = (*value as u32 as usize, Some(at))
                }
                OPTIMIZATION_LEVEL if *value as u32 > 4 => return Err(Error::INVALID_VALUE),
                // A target above the device: the result could not run.
                TARGET if *value as u32 > s.settings.sm => return Err(Error::NO_BINARY_FOR_GPU),
                WALL_TIME => {}
                other if other < KNOWN_OPTIONS => {}
                _ => return Err(Error::INVALID_VALUE),
            }
        }
        let log = |i: usize| Some((lengths[i], buffers[i])).filter(|(n, p)| *n > 0 && !p.is_null());
        (options.info, options.error) = (log(0), log(1));
        Ok(options)
    }

    /// Writes the error log, an empty info log, and how long they are into the values of the size options.
    ///
    /// # Safety
    /// The buffers are as large as their sizes say, and `values` is the array that `read` was given.
    pub unsafe fn write_logs(&self, error: &str, values: *mut usize) {
        for (log, text, size) in [
            (self.info, "", self.sizes[0]),
            (self.error, error, self.sizes[1]),
        ] {
            let Some((bytes, buffer)) = log else { continue };
            let n = text.len().min(bytes - 1);
            // SAFETY: `n` and the zero fit into the buffer.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, n);
                buffer.add(n).write(0);
            }
            if let Some(at) = size {
                // SAFETY: `at` is an index of the array.
                unsafe { values.add(at).write(n) };
            }
        }
    }
}
