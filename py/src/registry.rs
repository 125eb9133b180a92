//! The frameworks: one row each. Code that treats them alike loops over the rows instead of naming them.
//!
//! A loop is unrolled when it is compiled: its body stands once for each framework, so that nothing is looked up at run time.
//! A framework whose feature is off has no part in it.

/// Calls the macro in brackets with what is given, and with a row for each framework: name, feature, crate, type and kind. The kind is `arrays`,
/// or `tensors` for those with gradients, with what `framework/functions.rs` makes their conversions of.
///
/// NumPy comes first: its adapter recognises its arrays by their type pointer, without a call of Python.
macro_rules! frameworks {
    ([$($with:tt)*] $given:tt) => {
        $($with)*! { $given
            (numpy "numpy", warp_numpy::Numpy, arrays)
            (torch "torch", warp_torch::Torch, tensors {
                from_torch, to_torch, dtype_from_torch(torch_dtype), dtype_to_torch,
                device_from_torch(torch_device), device_to_torch,
                by_default: "as the tensor itself has one", becomes: "requires a gradient",
            })
            (paddle "paddle", warp_paddle::Paddle, tensors {
                from_paddle, to_paddle, dtype_from_paddle(paddle_dtype), dtype_to_paddle,
                device_from_paddle(paddle_device), device_to_paddle,
                by_default: "if the tensor has `stop_gradient=False`", becomes: "gets `stop_gradient=False`",
            })
            (jax "jax", warp_jax::Jax, arrays)
        }
    };
}

/// `for_each_framework!(F => { ... })`: the block for each framework, with its adapter as the type `F`.
macro_rules! for_each_framework {
    ($F:ident => $body:block) => {
        $crate::registry::frameworks! { [$crate::registry::each_framework] ($F $body) }
    };
}

/// `for_each_tensor_framework!(F => { ... })`: the block for each framework whose tensors have gradients.
macro_rules! for_each_tensor_framework {
    ($F:ident => $body:block) => {
        $crate::registry::frameworks! { [$crate::registry::each_tensor_framework] ($F $body) }
    };
}

macro_rules! each_framework {
    (($F:ident $body:block) $(($name:ident $feature:tt, $adapter:ident::$framework:ident, $kind:ident $($more:tt)?))*) => {
        $(
            #[cfg(feature = $feature)]
            {
                type $F = $adapter::$framework;
                $body
            }
        )*
    };
}

macro_rules! each_tensor_framework {
    (($F:ident $body:block)) => {};
    ($given:tt ($name:ident $feature:tt, $adapter:ident::$framework:ident, arrays) $($rest:tt)*) => {
        $crate::registry::each_tensor_framework! { $given $($rest)* }
    };
    (($F:ident $body:block)
        ($name:ident $feature:tt, $adapter:ident::$framework:ident, tensors $more:tt) $($rest:tt)*
    ) => {
        $crate::registry::each_framework! {
            ($F $body) ($name $feature, $adapter::$framework, tensors $more)
        }
        $crate::registry::each_tensor_framework! { ($F $body) $($rest)* }
    };
}

pub(crate) use {
    each_framework, each_tensor_framework, for_each_framework, for_each_tensor_framework,
    frameworks,
};
