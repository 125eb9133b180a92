//! Modules: PTX that was taken, with its variables in memory.
use super::error::{Error, Result};
use super::function::Function;
use super::handle::Handle;
use super::state::{Guard, State};
use super::{alloc, capture};
use crate::ptx;
use std::ffi::{CStr, c_char};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A module as kernels need it; they keep it after `cuModuleUnload`.
pub struct Loaded {
    pub context: Handle,
    pub module: ptx::Module,
    /// Addresses of the variables, in the module's order.
    pub globals: Vec<u64>,
    pub unloaded: AtomicBool,
    /// Bytes of static `.const` variables, for `CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES`.
    pub const_bytes: u64,
}

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
unsafe fn text<'a>(image: *const c_char) -> std::result::Result<&'a str, Refused> {
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
fn version(text: &str) -> Option<u32> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(".version"))?;
    let (major, minor) = line.strip_prefix(".version")?.trim().split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some(major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?)
}

fn target(text: &str) -> Option<u32> {
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

/// `cuModuleLoadData`.
///
/// # Safety
/// As for `text`.
pub unsafe fn load(
    g: &mut Guard,
    context: Handle,
    image: *const c_char,
) -> std::result::Result<Handle, Refused> {
    capture::refuse_unsafe(g)?;
    // SAFETY: the caller's promise.
    let text = unsafe { text(image) }?;
    let settings = &g.settings;
    if let Some(version) = version(text).filter(|v| *v > settings.ptx) {
        let (newest, dot) = (settings.ptx / 10, settings.ptx % 10);
        let log = format!(
            "ptxas: Unsupported .version {}.{}; current version is '{newest}.{dot}'",
            version / 10,
            version % 10
        );
        return Err(Refused {
            error: Error::UNSUPPORTED_PTX_VERSION,
            log,
        });
    }
    if let Some(target) = target(text).filter(|t| *t > settings.sm) {
        let log = format!("PTX for sm_{target}, but the device is sm_{}", settings.sm);
        return Err(Refused {
            error: Error::NO_BINARY_FOR_GPU,
            log,
        });
    }
    let module = ptx::Module::parse(text).map_err(|refusal| {
        let log = format!("ptxas application ptx input, {refusal}");
        eprintln!("ptx-driver: {log}");
        Refused {
            error: Error::INVALID_PTX,
            log,
        }
    })?;
    let globals = place(g, context, &module)?;
    let const_bytes = module
        .globals
        .iter()
        .filter(|v| v.space == ptx::Space::Const)
        .map(|v| v.size)
        .sum();
    let unloaded = AtomicBool::new(false);
    Ok(g.modules.insert(Arc::new(Loaded {
        context,
        module,
        globals,
        unloaded,
        const_bytes,
    })))
}

/// Gives a module's variables memory, with their initial values and the addresses of one another in them.
fn place(s: &mut State, context: Handle, module: &ptx::Module) -> Result<Vec<u64>> {
    let mut globals = Vec::with_capacity(module.globals.len());
    for variable in &module.globals {
        globals.push(alloc::internal(s, context, variable.size.max(1))?);
    }
    for (variable, base) in module.globals.iter().zip(&globals) {
        let mut bytes = variable.init.clone();
        // Variables without a value are zero, as PTX says.
        bytes.resize(variable.size as usize, 0);
        for (offset, other, addend) in &variable.links {
            let address = globals
                .get(*other)
                .ok_or(Error::INVALID_PTX)?
                .wrapping_add_signed(*addend);
            let place = bytes
                .get_mut(*offset..*offset + 8)
                .ok_or(Error::INVALID_PTX)?;
            place.copy_from_slice(&address.to_le_bytes());
        }
        if let Some(backing) = s.memory.at(*base).and_then(|a| a.backing.as_ref()) {
            // SAFETY: the allocation is as large as the variable, and no kernel knows it yet.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), backing.start().as_ptr(), bytes.len())
            };
        }
    }
    Ok(globals)
}

fn find(s: &State, module: Handle) -> Result<&Arc<Loaded>> {
    s.modules.get(module).ok_or(Error::INVALID_HANDLE)
}

/// `cuModuleUnload`. A kernel of it that is still to run fails when its turn comes.
pub fn unload(s: &mut State, module: Handle) -> Result {
    let loaded = s.modules.remove(module).ok_or(Error::INVALID_HANDLE)?;
    loaded.unloaded.store(true, Ordering::Relaxed);
    s.functions
        .retain(|function| !Arc::ptr_eq(&function.module, &loaded));
    for base in &loaded.globals {
        alloc::free_internal(s, *base);
    }
    Ok(())
}

/// `cuModuleGetFunction`.
pub fn function(s: &mut State, module: Handle, name: &str) -> Result<Handle> {
    let loaded = find(s, module)?.clone();
    let kernel = loaded
        .module
        .kernels
        .iter()
        .position(|k| k.name == name)
        .ok_or(Error::NOT_FOUND)?;
    // A function asked for again keeps its handle, and with it its attributes.
    let known = s
        .functions
        .iter()
        .find(|(_, f)| f.kernel == kernel && Arc::ptr_eq(&f.module, &loaded));
    if let Some((handle, _)) = known {
        return Ok(handle);
    }
    let name = std::ffi::CString::new(name).map_err(|_| Error::INVALID_VALUE)?;
    let (dynamic, carveout) = (AtomicU32::new(48 << 10), AtomicU32::new(u32::MAX));
    Ok(s.functions.insert(Arc::new(Function {
        module: loaded,
        handle: module,
        kernel,
        name,
        dynamic,
        carveout,
    })))
}

/// `cuModuleGetGlobal`: address and size.
pub fn global(s: &State, module: Handle, name: &str) -> Result<(u64, usize)> {
    let loaded = find(s, module)?;
    let index = loaded
        .module
        .globals
        .iter()
        .position(|v| v.name == name)
        .ok_or(Error::NOT_FOUND)?;
    Ok((
        loaded.globals[index],
        loaded.module.globals[index].size as usize,
    ))
}

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
