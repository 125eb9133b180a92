//! What `wp.config` says, as the compiler wants it.

use super::tracking;
use crate::object::error::raise_at;
use crate::object::legacy;
use crate::object::message::warn;
use crate::object::package::PACKAGE;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use warp_core::backend::cpu::pool;
use warp_core::backend::cuda::want_arch;
use warp_core::cache::Cache;
use warp_core::device::cuda::use_pools_at_first;
use warp_core::lower::Lanes;
use warp_core::module::Options;

/// Threads of a block on a GPU by default.
const BLOCK_DIM: u32 = 256;

static DETERMINISTIC: AtomicBool = AtomicBool::new(false);

/// Whether launches give bit-equal results for any number of threads.
pub fn deterministic() -> bool {
    DETERMINISTIC.load(Ordering::Relaxed)
}

static VERIFY_ACCESS: AtomicBool = AtomicBool::new(false);

/// Whether tapes check for unannounced writes to arrays.
pub fn verify_access() -> bool {
    VERIFY_ACCESS.load(Ordering::Relaxed)
}

/// What is done besides with each launch of `wp.launch`.
static WATCH: AtomicU8 = AtomicU8::new(0);
/// Launches are printed.
pub const PRINT: u8 = 1;
/// Arrays are looked through for infinities and NaN after each launch.
pub const VERIFY_FP: u8 = 2;

/// What is done besides with each launch: [`PRINT`], [`VERIFY_FP`].
#[inline]
pub fn watch() -> u8 {
    WATCH.load(Ordering::Relaxed)
}

fn set_watch(bit: u8, on: bool) {
    if on {
        WATCH.fetch_or(bit, Ordering::Relaxed);
    } else {
        WATCH.fetch_and(!bit, Ordering::Relaxed);
    }
}

static VERIFY_CUDA: AtomicBool = AtomicBool::new(false);

/// Whether each launch on a GPU is waited for, so that it says itself what goes wrong in it.
#[inline]
pub fn verify_cuda() -> bool {
    VERIFY_CUDA.load(Ordering::Relaxed)
}

static ENABLE_BACKWARD: AtomicBool = AtomicBool::new(true);

/// Whether kernels have gradients unless they say otherwise.
pub fn enable_backward() -> bool {
    ENABLE_BACKWARD.load(Ordering::Relaxed)
}

/// Called by `wp.config` when one of these is assigned: launches read them too often to ask Python.
#[pyfunction]
fn _configure(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "verify_autograd_array_access" => {
            VERIFY_ACCESS.store(value.is_truthy()?, Ordering::Relaxed);
        }
        "perf_map" => warp_core::backend::cpu::llvm::write_perf_map(value.is_truthy()?),
        "print_launches" => set_watch(PRINT, value.is_truthy()?),
        "verify_fp" => set_watch(VERIFY_FP, value.is_truthy()?),
        "ptx_target_arch" => want_arch(value.extract()?),
        "verify_cuda" => VERIFY_CUDA.store(value.is_truthy()?, Ordering::Relaxed),
        "enable_mempools_at_init" => use_pools_at_first(value.is_truthy()?),
        "enable_backward" => ENABLE_BACKWARD.store(value.is_truthy()?, Ordering::Relaxed),
        "legacy_scalar_return_types" => legacy::set_scalars(value.is_truthy()?),
        "track_memory" => tracking::configure(value.is_truthy()?),
        "deterministic" => DETERMINISTIC.store(value.is_truthy()?, Ordering::Relaxed),
        "cpu_threads" => {
            let count: Option<usize> = value.extract()?;
            // 0 asks for the default.
            pool::set_threads(count.unwrap_or(0));
        }
        _ => {}
    }
    Ok(())
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    warp_core::algorithm::cuda::keep_in(kept);
    m.add_function(wrap_pyfunction!(_configure, m)?)?;
    m.add_function(wrap_pyfunction!(_cache_dir, m)?)?;
    m.add_function(wrap_pyfunction!(_clear_cache, m)?)?;
    m.add_function(wrap_pyfunction!(_host_id, m)?)?;
    m.add_function(wrap_pyfunction!(_threads, m)?)
}

/// Whether compilations are reported.
///
/// # Errors
/// `wp.config` cannot be read.
pub fn verbose(py: Python<'_>) -> PyResult<bool> {
    Ok(setting(py, "verbose")?.is_truthy()? && !setting(py, "quiet")?.is_truthy()?)
}

fn setting<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    PACKAGE.config.get(py)?.getattr(name)
}

/// How to compile a kernel; `check_bounds`: what the kernel itself says.
///
/// # Errors
/// A setting has no meaning, or the cache cannot be opened.
pub fn compile_options(
    py: Python<'_>,
    check_bounds: Option<bool>,
    about: Option<&Py<PyAny>>,
) -> PyResult<Options> {
    let cache = match setting(py, "cache_kernels")?.is_truthy()? {
        true => cache(py)?,
        false => Cache::none(),
    };
    if let Some(why) = cache.refused() {
        warn_refused(py, why)?;
    }
    // What the kernel or its module says goes before the settings.
    let own = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        if let Some(about) = about {
            let found = about.bind(py).call_method1("option", (name,))?;
            if !found.is_none() {
                return Ok(found);
            }
        }
        setting(py, name)
    };
    let debug = own("mode")?.extract::<String>()? == "debug";
    let fast_compile = own("optimization_level")?.extract::<Option<u8>>()? == Some(0);
    let check_bounds = match check_bounds {
        Some(own) => own,
        None => debug || setting(py, "check_bounds")?.is_truthy()?,
    };
    Ok(Options {
        cache,
        check_bounds,
        debug,
        max_unroll: own("max_unroll")?.extract()?,
        fast_compile,
        tiered: setting(py, "tiered_compilation")?.is_truthy()?,
        fuse_fp: said(py, about, "fuse_fp")?.unwrap_or(true),
        fast_math: said(py, about, "fast_math")?.unwrap_or(false),
        lanes: lanes(&own("lanes")?)?,
        deterministic: match about {
            Some(about) => {
                let option = about.bind(py).call_method1("option", ("deterministic",))?;
                option.is_truthy()?
            }
            None => false,
        },
        block_dim: said(py, about, "block_dim")?.unwrap_or(BLOCK_DIM),
        line_info: own("lineinfo")?.is_truthy()?,
    })
}

/// What the setting says that the name of a kind, or a number of lanes, stands for.
fn lanes(value: &Bound<'_, PyAny>) -> PyResult<Lanes> {
    if let Ok(width) = value.extract::<u8>() {
        return Ok(Lanes::Groups(width));
    }
    Ok(match value.extract::<String>()?.as_str() {
        "always" => Lanes::Always,
        "never" => Lanes::Never,
        _ => Lanes::Auto,
    })
}

/// What a kernel or its module says of an option that is no setting; None where neither does.
fn said<T>(py: Python<'_>, about: Option<&Py<PyAny>>, name: &str) -> PyResult<Option<T>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    match about {
        Some(about) => about.bind(py).call_method1("option", (name,))?.extract(),
        None => Ok(None),
    }
}

/// Where kernels of this library's own are kept: as the settings say, nowhere if these have no meaning.
fn kept() -> Cache {
    Python::attach(|py| match setting(py, "cache_kernels") {
        Ok(keeps) if keeps.is_truthy().unwrap_or(false) => {
            cache(py).unwrap_or_else(|_| Cache::none())
        }
        _ => Cache::none(),
    })
}

/// The folder of compiled kernels, as the settings say.
fn cache(py: Python<'_>) -> PyResult<Cache> {
    let dir = setting(py, "kernel_cache_dir")?;
    let cache = if dir.is_none() {
        Cache::open()
    } else {
        let os = py.import("os")?;
        Cache::named(os.call_method1("fspath", (dir,))?.extract::<String>()?)
    };
    cache.map_err(|e| raise_at(&e))
}

/// Where compiled kernels are kept; None: nowhere.
#[pyfunction]
fn _cache_dir(py: Python<'_>) -> PyResult<Option<String>> {
    Ok(cache(py)?.dir().map(|dir| dir.display().to_string()))
}

/// Removes all compiled kernels from the folder.
#[pyfunction]
fn _clear_cache(py: Python<'_>) -> PyResult<()> {
    cache(py)?.clear().map_err(|e| raise_at(&e))
}

/// What compiled kernels depend on besides their text: compiler, target and the CPU's features.
#[pyfunction]
fn _host_id() -> &'static str {
    warp_core::backend::cpu::host_id()
}

/// How many threads run a launch.
#[pyfunction]
fn _threads() -> usize {
    pool::threads()
}

/// Warns of a cache that is not used: once, not with each kernel.
fn warn_refused(py: Python<'_>, why: &str) -> PyResult<()> {
    static LAST: Mutex<String> = Mutex::new(String::new());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if *last == why {
        return Ok(());
    }
    *last = why.to_string();
    // Warnings run Python code.
    drop(last);
    warn::<PyRuntimeWarning>(py, why)
}
