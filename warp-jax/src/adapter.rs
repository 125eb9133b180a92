//! JAX, for the one import path and the one export path.

use crate::export::wrap;
use crate::import::{hold, is_array, is_exact, is_traced};
use pyo3::prelude::*;
use warp_core::array::{Array, Owner};
use warp_core::error::Error;
use warp_core::interop::{Desc, Framework};
use warp_dlpack::{Adapter, raise};

/// JAX.
#[derive(Clone, Copy, Debug)]
pub struct Jax;

impl Framework for Jax {
    const NAME: &'static str = "JAX";
    /// Nothing writes to an array of jax's.
    const READ_ONLY: bool = true;
    const NEGATIVE_STRIDES: bool = false;
    type Cx<'a> = Python<'a>;
    type Tensor<'a> = Bound<'a, PyAny>;
    type Error = PyErr;

    fn raise(py: Python<'_>, error: Error) -> PyErr {
        raise(py, error)
    }
    fn describe(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
        hold(t, out).map(drop)
    }
    fn hold(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
        hold(t, out)
    }
    /// The array is contiguous.
    fn wrap<'a>(py: Python<'a>, array: &Array) -> PyResult<Bound<'a, PyAny>>
    where
        'a: 'a,
    {
        wrap(py, array)
    }
}

impl Adapter for Jax {
    const MODULE: &'static str = "jax";

    #[inline(always)]
    fn is_exact(object: &Bound<'_, PyAny>) -> bool {
        is_exact(object)
    }
    #[inline]
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
        is_array(object)
    }
    fn without_values(object: &Bound<'_, PyAny>) -> Option<&'static str> {
        is_traced(object).then_some(
            "is traced by jax and has no values yet; call the kernel through wp.jax_kernel",
        )
    }
}
