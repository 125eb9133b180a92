//! What `wp.config` says, as the compiler wants it.

use pyo3::prelude::*;
use warp_core::cache::Cache;
use warp_core::module::Options;

fn setting<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("warp.config")?.getattr(name)
}

/// How to compile.
pub fn compile_options(py: Python<'_>) -> PyResult<Options> {
    let dir = setting(py, "kernel_cache_dir")?;
    let cache = if dir.is_none() {
        Cache::open()
    } else {
        let os = py.import("os")?;
        Cache::named(os.call_method1("fspath", (dir,))?.extract::<String>()?)
    };
    let cache = cache.map_err(|e| crate::error::raise(&e, &[]))?;
    let debug = setting(py, "mode")?.extract::<String>()? == "debug";
    let check_bounds = debug || setting(py, "check_bounds")?.is_truthy()?;
    Ok(Options { cache, check_bounds, contract: false })
}

/// Whether kernels have gradients unless they say otherwise.
pub fn enable_backward(py: Python<'_>) -> PyResult<bool> {
    setting(py, "enable_backward")?.is_truthy()
}
