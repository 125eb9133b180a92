//! A kernel to native code: lowering, the cache, LLVM, and the loader.

use crate::backend::code::Code;
use crate::cache::Cache;
use crate::error::Result;
use crate::lower;
use crate::verify::Verified;

/// Compiles a kernel, or loads what the cache has.
///
/// # Errors
/// [`crate::error::Code::Bug`] if LLVM refuses the text, which is a bug; [`crate::error::Code::Runtime`] if `interrupted`
/// said so.
#[cfg(feature = "llvm")]
pub fn compile(
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    interrupted: &dyn Fn() -> bool,
) -> Result<Code> {
    use super::executable::Executable;
    use super::llvm::{self, OptLevel, Tuning};
    use crate::abi::Entry;
    use crate::backend::code::Executable as Any;
    use crate::backend::stored::Request;
    use crate::device::Device;
    use crate::error::{Bug, Code as ErrorCode, Error};

    if let Some(refusal) = llvm::refusal() {
        return Err(Error::new(ErrorCode::Value, refusal));
    }
    let options = &lower::Options {
        vector: llvm::vector_bytes(),
        ..options.clone()
    };
    let request = Request::new(func, options, "cpu", llvm::host_id());
    let (entry, origin) = cache.get_or_make(&request.key, interrupted, || {
        let lowered = lower::host::lower(func, options);
        let tuning = Tuning::default();
        let level = match options.fast_compile {
            true => OptLevel::O0,
            false => OptLevel::O2,
        };
        let made = llvm::compile_unless(&lowered.text, level, tuning, interrupted);
        let object = made
            .map_err(bug)?
            .ok_or_else(|| Error::new(ErrorCode::Runtime, "the compile was interrupted"))?;
        Ok::<_, Error>(request.write(&lowered, &object))
    })?;
    let Some(stored) = request.read(&entry) else {
        return Err(Bug("an entry of the cache is not what was written".into()).into());
    };
    let loaded = llvm::load(stored.code, &options.name).map_err(bug)?;
    // SAFETY: lowering gives the symbol the type of an entry.
    let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
    // SAFETY: the text of lowering does what the launch ABI says, and `loaded` is the memory that it is in.
    let executable = unsafe { Executable::new(entry, Some(Box::new(loaded))) };
    Ok(Code {
        name: func.name.as_str().into(),
        device: Device::Cpu,
        spans: stored.spans,
        in_order: stored.in_order,
        origin,
        executable: Any::Cpu(executable),
    })
}

#[cfg(feature = "llvm")]
fn bug(error: super::llvm::Error) -> crate::error::Error {
    crate::error::Bug(error.to_string()).into()
}

/// Refuses every kernel.
///
/// # Errors
/// [`crate::error::Code::System`]: this build has no LLVM.
#[cfg(not(feature = "llvm"))]
pub fn compile(_: &Verified, _: &lower::Options, _: &Cache, _: &dyn Fn() -> bool) -> Result<Code> {
    Err(crate::error::Error::new(
        crate::error::Code::System,
        "this build cannot compile kernels: it was made without LLVM",
    ))
}
