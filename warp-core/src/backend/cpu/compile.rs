//! A kernel to native code: lowering, the cache, LLVM, and the loader.

use super::background::{self, Work};
use super::check::{self, Twin};
use super::executable::Executable;
use super::llvm::{self, OptLevel, Tuning};
use crate::abi::{ChangedArrays, Entry};
use crate::backend::code::{Code, Executable as Any};
use crate::backend::stored::Request;
use crate::cache::{Cache, Source as Origin};
use crate::device::Device;
use crate::error::{Bug, Code as ErrorCode, Error, Result};
use crate::lower;
use crate::span::Span;
use crate::verify::Verified;

/// Compiles a kernel, or loads what the cache has; see [`compiled`]. Where launches are checked, also what they are held against.
///
/// # Errors
/// Those of [`compiled`].
pub fn compile(
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    tiered: bool,
    interrupted: &dyn Fn() -> bool,
) -> Result<Code> {
    let code = compiled(func, options, cache, tiered, interrupted)?;
    if check::is_on()
        && let Any::Cpu(executable) = &code.executable
    {
        let options = lower::Options {
            lanes: lower::Lanes::Never,
            fast_compile: false,
            ..options.clone()
        };
        let scalar = compiled(func, &options, cache, false, interrupted)?;
        executable.check_against(Box::new(Twin::new(func, scalar)));
    }
    Ok(code)
}

/// Compiles a kernel, or loads what the cache has. `tiered`: code that is made sooner will do at first, where it pays; compiling
/// without optimisation takes a third of the time for the shortest kernels, and a tenth for long ones.
///
/// # Errors
/// [`crate::error::Code::Bug`] if LLVM refuses the text, which is a bug; [`crate::error::Code::System`] if no thread can be
/// started; [`crate::error::Code::Runtime`] if `interrupted` said so.
fn compiled(
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    tiered: bool,
    interrupted: &dyn Fn() -> bool,
) -> Result<Code> {
    if let Some(refusal) = llvm::refusal() {
        return Err(Error::new(ErrorCode::Value, refusal));
    }
    let options = &lower::Options {
        vector: llvm::vector_bytes(),
        gathers: llvm::gathers_well(),
        ..options.clone()
    };
    let request = Request::new(func, options, "cpu", llvm::host_id());
    if tiered && !options.fast_compile {
        // Before anything that only a compile has to know: how many processors there are is in files.
        if let Some(entry) = cache.get(&request.key) {
            return read(func, &request, &entry, options, Origin::Disk);
        }
        if background::pays() {
            return at_once(func, options, cache, request, interrupted);
        }
    }
    let (entry, origin) = cache.get_or_make(&request.key, interrupted, || {
        let lowered = lower::host::lower(func, options)?;
        let level = match options.fast_compile {
            true => OptLevel::O0,
            false => OptLevel::O2,
        };
        let object = object(&lowered.text, level, interrupted)?;
        Ok::<_, Error>(request.write(&lowered, &object))
    })?;
    read(func, &request, &entry, options, origin)
}

/// Code without optimisation, whose place optimised code takes when it is there.
fn at_once(
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    request: Request,
    interrupted: &dyn Fn() -> bool,
) -> Result<Code> {
    let lowered = lower::host::lower(func, options)?;
    let object = object(&lowered.text, OptLevel::O0, interrupted)?;
    let code = code(
        func,
        &object,
        options,
        lowered.spans.clone(),
        (lowered.in_order, lowered.gang, lowered.changed.clone()),
        Origin::Made,
    )?;
    if let Any::Cpu(executable) = &code.executable {
        let work = Work {
            request,
            lowered,
            name: options.name.clone(),
            title: func.name.clone(),
            cache: cache.clone(),
        };
        background::compile(work, executable);
    }
    Ok(code)
}

fn object(text: &str, level: OptLevel, interrupted: &dyn Fn() -> bool) -> Result<Vec<u8>> {
    llvm::compile_unless(text, level, Tuning::default(), interrupted)?
        .ok_or_else(|| Error::new(ErrorCode::Runtime, "the compile was interrupted"))
}

/// An entry of the cache as code.
fn read(
    func: &Verified,
    request: &Request,
    entry: &[u8],
    options: &lower::Options,
    origin: Origin,
) -> Result<Code> {
    let Some(stored) = request.read(entry) else {
        return Err(Bug("an entry of the cache is not what was written".into()).into());
    };
    code(
        func,
        stored.code,
        options,
        stored.spans,
        (stored.in_order, stored.gang, stored.changed),
        origin,
    )
}

fn code(
    func: &Verified,
    object: &[u8],
    options: &lower::Options,
    spans: Vec<Span>,
    (in_order, gang, changed): (bool, u32, ChangedArrays),
    origin: Origin,
) -> Result<Code> {
    let loaded = llvm::load(object, &options.name)?;
    let loaded = loaded.named(object, &options.name, &func.name);
    // SAFETY: lowering gives the symbol the type of an entry.
    let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
    // SAFETY: the text of lowering does what the launch ABI says, and `loaded` is the memory that it is in.
    let executable = unsafe { Executable::new(entry, Some(Box::new(loaded)), changed) };
    let executable = executable.in_gangs(gang);
    Ok(Code {
        name: func.name.as_str().into(),
        device: Device::Cpu,
        spans,
        in_order,
        origin,
        executable: Any::Cpu(executable),
    })
}
