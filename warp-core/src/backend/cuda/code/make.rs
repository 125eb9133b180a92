//! A kernel to code for one GPU.

use crate::backend::code::Code;
use crate::cache::Cache;
use crate::device::cuda::Gpu;
use crate::error::{Code as ErrorCode, Error, Result};
use crate::lower;
use crate::verify::Verified;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where else libdevice may be.
static FURTHER: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Adds places to search for libdevice, after those of the environment. Only the first call before the first kernel counts.
pub fn look_for_libdevice(further: Vec<PathBuf>) {
    let _ = FURTHER.set(further);
}

/// Compiles a kernel, or takes what the cache has, and gives it to the driver.
///
/// # Errors
/// The GPU is older than what there is text for; as [`crate::backend::cuda::compile()`]; what the driver says.
#[cfg(feature = "llvm")]
pub fn make(
    gpu: &'static Gpu,
    func: &Verified,
    options: &lower::Options,
    cache: &Cache,
    interrupted: &dyn Fn() -> bool,
) -> Result<Code> {
    use crate::backend::code::Executable as Any;
    use crate::backend::cuda::code::compile::{compile, parameters};
    use crate::backend::cuda::code::executable::Executable;
    use crate::backend::cuda::code::libdevice::{Libdevice, Search};
    use crate::backend::cuda::code::wanted::compiled_for;

    static LIBDEVICE: OnceLock<Option<Libdevice>> = OnceLock::new();
    // Kernels of this library's own need none, and may come before anybody has said where to look.
    let find = || {
        let mut search = Search::of_environment();
        search
            .paths
            .extend(FURTHER.get().into_iter().flatten().cloned());
        search.find()
    };
    let libdevice = match options.own {
        true => None,
        false => LIBDEVICE.get_or_init(find).as_ref(),
    };
    let Some(sm) = compiled_for(gpu.arch) else {
        return Err(Error::new(
            ErrorCode::Runtime,
            format!(
                "the GPU {} ({}) has the compute capability {}.{}; kernels need 7.5 or more",
                gpu.device(),
                gpu.name,
                gpu.arch / 10,
                gpu.arch % 10
            ),
        ));
    };
    check_parameters(&func.name, parameters(func), || {
        gpu.enter()?.driver().version()
    })?;
    let made = compile(func, options, cache, sm, libdevice, interrupted)?;
    let (spans, in_order, origin) = (made.spans.clone(), made.in_order, made.origin);
    let executable = Executable::new(gpu, made, func)?;
    Ok(Code {
        name: func.name.as_str().into(),
        device: gpu.device(),
        spans,
        in_order,
        origin,
        executable: Any::Cuda(Box::new(executable)),
    })
}

/// Refuses more parameters than the driver takes.
#[cfg(feature = "llvm")]
fn check_parameters(name: &str, bytes: usize, version: impl FnOnce() -> Result<i32>) -> Result<()> {
    use crate::backend::cuda::code::target::{
        FEW_PARAMETERS, MANY_PARAMETERS_SINCE, MOST_PARAMETERS,
    };
    if bytes <= FEW_PARAMETERS {
        return Ok(());
    }
    let what = format!("kernel '{name}' takes {bytes} bytes of parameters on GPUs");
    let hint = "pass fewer arguments or smaller structs, or an array of structs (wp.array(dtype=Struct)), which lies in the GPU's memory";
    if bytes > MOST_PARAMETERS {
        let text = format!("{what}, CUDA allows {MOST_PARAMETERS}");
        return Err(Error::new(ErrorCode::Launch, text).hint(hint));
    }
    let version = version()?;
    if version < MANY_PARAMETERS_SINCE {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        let text = format!(
            "{what}; more than {FEW_PARAMETERS} need a driver of CUDA 12.1 or later, this one is of CUDA {major}.{minor}"
        );
        return Err(Error::new(ErrorCode::Launch, text).hint(hint));
    }
    Ok(())
}

/// Refuses every kernel.
///
/// # Errors
/// [`ErrorCode::System`]: this build has no LLVM.
#[cfg(not(feature = "llvm"))]
pub fn make(
    _: &'static Gpu,
    _: &Verified,
    _: &lower::Options,
    _: &Cache,
    _: &dyn Fn() -> bool,
) -> Result<Code> {
    Err(Error::new(
        ErrorCode::System,
        "this build cannot compile kernels: it was made without LLVM",
    ))
}
