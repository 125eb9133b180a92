//! The extension module `warp._warp`: Python objects in front of `warp-core`.
//!
//! Not here: what kernels mean, what arrays are, how frameworks describe memory. Each file adds its classes and
//! functions in `register`; the package `warp` beside it holds names, documentation and decorators.

mod array;
mod array_call;
mod array_dlpack;
mod array_export;
mod array_fill;
mod array_make;
mod array_part;
mod array_pickle;
mod array_text;
mod builtin;
mod config;
mod convert;
mod convert_data;
mod convert_dlpack;
#[cfg(feature = "jax")]
mod convert_jax;
mod convert_list;
mod convert_numpy;
#[cfg(feature = "paddle")]
mod convert_paddle;
#[cfg(any(feature = "torch", feature = "paddle"))]
mod convert_tensor;
#[cfg(feature = "torch")]
mod convert_torch;
mod definition;
#[cfg(any(feature = "torch", feature = "paddle"))]
mod descriptor;
mod device;
mod door;
mod dtype;
mod error;
mod function;
mod gate;
mod interpret;
#[cfg(feature = "jax")]
mod jax_callback;
#[cfg(feature = "jax")]
mod jax_code;
mod kernel;
mod launch;
mod launch_call;
mod operator;
#[cfg(feature = "torch")]
mod operator_torch;
mod protocol;
mod record;
mod recorded;
mod reverse;
mod scope;
mod structs;
#[cfg(feature = "numpy")]
mod structs_numpy;
mod tape;

use pyo3::prelude::*;

/// The frameworks that this build has adapters for.
fn frameworks() -> Vec<&'static str> {
    [
        (cfg!(feature = "numpy"), "numpy"),
        (cfg!(feature = "torch"), "torch"),
        (cfg!(feature = "paddle"), "paddle"),
        (cfg!(feature = "jax"), "jax"),
    ]
    .into_iter()
    .filter_map(|(built, name)| built.then_some(name))
    .collect()
}

#[pymodule]
fn _warp(m: &Bound<'_, PyModule>) -> PyResult<()> {
    gate::install();
    // The first launch is sooner if what it needs is set up while the program imports other things.
    warp_core::front::measure_stack();
    warp_core::module::prepare();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("FRAMEWORKS", frameworks())?;
    dtype::register(m)?;
    device::register(m)?;
    array::register(m)?;
    array_dlpack::register(m)?;
    convert_dlpack::register(m)?;
    array_fill::register(m)?;
    #[cfg(any(feature = "torch", feature = "paddle"))]
    descriptor::register(m)?;
    convert_numpy::register(m)?;
    m.add_function(wrap_pyfunction!(protocol::cuda::read, m)?)?;
    #[cfg(feature = "torch")]
    convert_torch::register(m)?;
    #[cfg(feature = "paddle")]
    convert_paddle::register(m)?;
    #[cfg(feature = "jax")]
    convert_jax::register(m)?;
    config::register(m)?;
    structs::register(m)?;
    definition::register(m)?;
    kernel::register(m)?;
    function::register(m)?;
    record::register(m)?;
    recorded::register(m)?;
    tape::register(m)?;
    launch_call::register(m)?;
    operator::register(m)?;
    #[cfg(feature = "torch")]
    operator_torch::register(m)?;
    #[cfg(feature = "jax")]
    jax_code::register(m)?;
    #[cfg(feature = "jax")]
    jax_callback::register(m)?;
    m.add_function(wrap_pyfunction!(interpret::interpret, m)?)?;
    // Last: builtins leave names alone that stand for something else already.
    builtin::register(m)
}
