//! What the extension module asks of NumPy's arrays, beside how their memory lies.

use crate::array::{Numpy, describe_plain, is_array, is_exact};
use pyo3::prelude::*;
use warp_core::interop::Desc;
use warp_dlpack::Adapter;

impl Adapter for Numpy {
    const MODULE: &'static str = "numpy";

    #[inline(always)]
    fn is_exact(object: &Bound<'_, PyAny>) -> bool {
        is_exact(object)
    }
    #[inline(always)]
    fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
        is_array(object)
    }
    #[inline(always)]
    fn describe_plain(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
        describe_plain(object, out)
    }
}
