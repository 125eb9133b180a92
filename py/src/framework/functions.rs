//! The functions that torch and Paddle have alike.

/// `from_NAME`, `to_NAME` and the names of types, with documentation that names the framework, and what they are made of.
macro_rules! tensor_functions {
    (
        $framework:ident in $adapter:ident, $name:literal, $tensor:literal,
        $from:ident, $to:ident, $dtype_from:ident($dtype:ident), $dtype_to:ident,
        by_default: $by_default:literal, becomes: $becomes:literal $(,)?
    ) => {
        impl $crate::framework::tensor::Tensors for $framework {
            const FROM: &'static str = stringify!($from);
            const TO: &'static str = stringify!($to);
            const TENSOR: &'static str = $tensor;
            #[inline(always)]
            fn fast_calls() -> &'static $crate::framework::tensor::FastCalls {
                static CALLS: $crate::framework::tensor::FastCalls =
                    $crate::framework::tensor::FastCalls::new();
                &CALLS
            }
            fn descriptors() -> &'static $crate::exchange::descriptor::Vtable {
                static VTABLE: $crate::exchange::descriptor::Vtable =
                    $crate::exchange::descriptor::Vtable {
                        view: $crate::framework::tensor::view::<$framework>,
                        array: $crate::framework::tensor::array::<$framework>,
                    };
                &VTABLE
            }
            #[inline(always)]
            fn is_exact(object: &Bound<'_, PyAny>) -> bool {
                $adapter::is_exact(object)
            }
            #[inline(always)]
            fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
                $adapter::is_tensor(object)
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
            $crate::runtime::timeline::conversion(stringify!($from), || {
                $crate::framework::tensor::from::<$framework>(
                    t,
                    dtype,
                    requires_grad,
                    grad,
                    (return_ctype, retain_grad),
                )
                .map_err($crate::object::error::of_array)
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
            $crate::runtime::timeline::conversion(stringify!($to), || {
                $crate::framework::tensor::to::<$framework>(a, requires_grad)
            })
        }

        #[doc = concat!("The Warp type of a ", $name, " dtype.")]
        ///
        /// Raises:
        ///     TypeError: There is none.
        #[pyfunction]
        fn $dtype_from<'py>($dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
            let scalar = $adapter::dtype_from($dtype)?;
            $crate::dtype::class_of($dtype.py(), warp_core::ty::Elem::Scalar(scalar))
        }

        #[doc = concat!("The ", $name, " dtype of a Warp scalar type; unsigned types of 16 bits and more become signed ones.")]
        ///
        /// Raises:
        ///     TypeError: There is none.
        #[pyfunction]
        fn $dtype_to<'py>(warp_dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
            let scalar = $crate::dtype::require_scalar(stringify!($dtype_to), warp_dtype)?;
            $adapter::dtype_to(warp_dtype.py(), scalar)
        }
    };
}

pub(super) use tensor_functions;
