//! The conversions of each framework whose tensors have gradients, made from its row in the registry.

use super::tensor::{self, FastCalls, Tensors};
use crate::dtype;
use crate::exchange::descriptor::Vtable;
use crate::object::error::of_array;
use crate::registry::frameworks;
use crate::runtime::device;
use crate::runtime::timeline::conversion;
use pyo3::prelude::*;
use warp_core::ty::Elem;
use warp_dlpack::TensorAdapter;

/// `from_NAME`, `to_NAME` and the names of types and devices, with documentation that names the framework.
macro_rules! conversions {
    (()) => {};
    (() ($name:ident $feature:tt, $adapter:ident::$framework:ident, arrays) $($rest:tt)*) => {
        conversions! { () $($rest)* }
    };
    (()
        ($name:ident $feature:tt, $adapter:ident::$framework:ident, tensors {
            $from:ident, $to:ident, $dtype_from:ident($dtype:ident), $dtype_to:ident,
            $device_from:ident($device:ident), $device_to:ident,
            by_default: $by_default:literal, becomes: $becomes:literal $(,)?
        })
        $($rest:tt)*
    ) => {
        #[cfg(feature = $feature)]
        mod $name {
            use super::*;
            use $adapter::$framework;

            impl Tensors for $framework {
                const FROM: &'static str = stringify!($from);
                const TO: &'static str = stringify!($to);

                #[inline(always)]
                fn fast_calls() -> &'static FastCalls {
                    static CALLS: FastCalls = FastCalls::new();
                    &CALLS
                }
                fn descriptors() -> &'static Vtable {
                    static VTABLE: Vtable = Vtable {
                        view: tensor::view::<$framework>,
                        array: tensor::array::<$framework>,
                    };
                    &VTABLE
                }
                fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
                    let (from, to) = (wrap_pyfunction!($from, m)?, wrap_pyfunction!($to, m)?);
                    tensor::add_fast::<$framework>(m, &from, &to)?;
                    m.add_function(wrap_pyfunction!($dtype_from, m)?)?;
                    m.add_function(wrap_pyfunction!($dtype_to, m)?)?;
                    m.add_function(wrap_pyfunction!($device_from, m)?)?;
                    m.add_function(wrap_pyfunction!($device_to, m)?)
                }
            }

            /// An array that shares a tensor's memory, and its gradient.
            ///
            /// Args:
            ///     t: The tensor.
            ///     dtype: What each element is; that of the tensor by default. The last dimensions become the
            ///         components of a vector or matrix type; integers may be read as signed or unsigned, bool as bytes.
            ///     requires_grad: Whether to share the tensor's gradient too, which is made if it is missing.
            #[doc = concat!("        By default ", $by_default, ".")]
            ///     grad: The tensor or array to use as gradient.
            ///     return_ctype: Return a descriptor, which is cheaper, and good for nothing but launches.
            ///     retain_grad: Accepted for compatibility, where there is a gradient.
            ///
            /// Raises:
            ///     TypeError, ValueError: The tensor cannot be shared; the message says why.
            #[pyfunction]
            #[pyo3(signature = (t, dtype=None, requires_grad=None, grad=None, return_ctype=false, retain_grad=false))]
            fn $from<'py>(
                t: &Bound<'py, PyAny>,
                dtype: Option<&Bound<'py, PyAny>>,
                requires_grad: Option<bool>,
                grad: Option<&Bound<'py, PyAny>>,
                return_ctype: bool,
                retain_grad: bool,
            ) -> PyResult<Bound<'py, PyAny>> {
                conversion(stringify!($from), || {
                    tensor::from::<$framework>(
                        t,
                        dtype,
                        requires_grad,
                        grad,
                        (return_ctype, retain_grad),
                    )
                    .map_err(of_array)
                })
            }

            /// A tensor that shares an array's memory, and its gradient as the tensor's `grad`.
            ///
            /// Args:
            ///     a: The array.
            #[doc = concat!("    requires_grad: Whether the tensor ", $becomes, "; as the array by default.")]
            ///
            /// Raises:
            ///     BufferError: The array cannot be shared: it is read-only or has negative strides.
            #[pyfunction]
            #[pyo3(signature = (a, requires_grad=None))]
            fn $to<'py>(
                a: &Bound<'py, PyAny>,
                requires_grad: Option<bool>,
            ) -> PyResult<Bound<'py, PyAny>> {
                conversion(stringify!($to), || {
                    tensor::to::<$framework>(a, requires_grad)
                })
            }

            #[doc = concat!("The Warp type of a ", $feature, " dtype.")]
            ///
            /// Raises:
            ///     TypeError: There is none.
            #[pyfunction]
            fn $dtype_from<'py>($dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let scalar = $framework::dtype_from($dtype)?;
                dtype::class_of($dtype.py(), Elem::Scalar(scalar))
            }

            #[doc = concat!("The ", $feature, " dtype of a Warp scalar type; unsigned types of 16 bits and more become signed ones.")]
            ///
            /// Raises:
            ///     TypeError: There is none.
            #[pyfunction]
            fn $dtype_to<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                let scalar = dtype::require_scalar(stringify!($dtype_to), warp_dtype)?;
                $framework::dtype_to(warp_dtype.py(), scalar)
            }

            #[doc = concat!("The Warp device of a ", $feature, " device or of its name.")]
            ///
            /// Raises:
            ///     RuntimeError: There is none.
            #[pyfunction]
            fn $device_from<'py>($device: &Bound<'py, PyAny>) -> PyResult<Bound<'py, device::Device>> {
                tensor::device_from::<$framework>($device, stringify!($device_from))
            }

            #[doc = concat!("The name that ", $feature, " gives a Warp device; the current device for None.")]
            ///
            /// Raises:
            #[doc = concat!("    RuntimeError: ", $feature, " has no such device.")]
            #[pyfunction]
            #[pyo3(signature = (warp_device=None))]
            fn $device_to(warp_device: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
                tensor::device_to::<$framework>(warp_device, stringify!($device_to))
            }
        }
        conversions! { () $($rest)* }
    };
}

frameworks! { [conversions] () }
