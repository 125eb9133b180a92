//! Arguments that are structs, or arrays of structs, as the leaves that a kernel is passed. An array of structs is one array
//! for each leaf, on the same memory.
//!
//! A kernel has [`Kernel::arguments`] only where one of them is a struct; a launch without structs looks at one pointer. A
//! tape keeps which leaves are parts of which array ([`Root`]), so that the leaves take the gradient that the array has
//! when it is asked for.

use crate::dtype::{expected, values};
#[cfg(feature = "numpy")]
use crate::exchange::structured;
use crate::kernel::{Argument, Kernel};
use crate::object::Array;
use crate::object::error::{Code, Mismatch, error, refuse};
use crate::object::message::{array_of, describe};
use crate::object::part::part;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::ty::{Elem, Leaf, Struct, Type};

/// A leaf that is part of an array of structs.
pub struct Root<'py> {
    /// Which parameter of the kernel.
    pub param: usize,
    /// The array of structs.
    pub array: Bound<'py, Array>,
    /// Which part of its elements.
    pub leaf: &'static Leaf,
}

/// Values for a kernel's parameters.
pub type Values<'py> = SmallVec<[Bound<'py, PyAny>; 12]>;

/// Puts the leaves of all arguments in the places of a kernel's parameters.
///
/// # Errors
/// An argument is not what its parameter wants; the error names it.
pub fn spread<'py>(
    kernel: &Kernel,
    arguments: &[Argument],
    given: &[Bound<'py, PyAny>],
) -> PyResult<(Values<'py>, Vec<Root<'py>>)> {
    let mut out = Spread::default();
    for (argument, value) in arguments.iter().zip(given) {
        let first = out.values.len();
        let fail = |e: PyErr, at: usize| {
            let name = kernel.params.get(at).filter(|_| at > first);
            let name = name.map_or(argument.name.as_str(), |p| p.name.as_str());
            kernel.refuse(Mismatch(e), name)
        };
        match argument.ty {
            Type::Struct(s) => {
                if let Err(e) = out.instance(value, s) {
                    return Err(fail(e, out.values.len()));
                }
                out.fill_missing(kernel, first, value.py())?;
            }
            Type::Array {
                elem: Elem::Struct(s),
                ndim,
            } => out.array(value, s, ndim).map_err(|e| fail(e, first))?,
            _ => out.values.push(value.clone()),
        }
    }
    Ok((out.values, out.roots))
}

/// Gradients for some arguments as those of their leaves.
///
/// # Errors
/// A gradient is not what its parameter wants; the error names it.
pub fn spread_gradients<'py>(
    kernel: &Kernel,
    arguments: &[Argument],
    given: Vec<Option<Bound<'py, PyAny>>>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let mut all = Vec::new();
    for (argument, gradient) in arguments.iter().zip(given) {
        let Some(gradient) = gradient else {
            all.resize_with(all.len() + argument.leaves, || None);
            continue;
        };
        let mut out = Spread::default();
        let outcome = match argument.ty {
            Type::Struct(s) => out.instance(&gradient, s),
            Type::Array {
                elem: Elem::Struct(s),
                ndim,
            } => out.array(&gradient, s, ndim),
            _ => {
                all.push(Some(gradient));
                continue;
            }
        };
        outcome.map_err(|e| kernel.refuse(Mismatch(e), &argument.name))?;
        // Of a struct's fields only arrays have gradients.
        let arrays = out.values.into_iter();
        all.extend(arrays.map(|v| Some(v).filter(|v| v.is_instance_of::<Array>() || has_shape(v))));
    }
    Ok(all)
}

fn has_shape(value: &Bound<'_, PyAny>) -> bool {
    #[cfg(feature = "numpy")]
    return warp_numpy::is_array(value);
    #[cfg(not(feature = "numpy"))]
    return (warp_dlpack::Lenient::or_note(value.hasattr("shape"))).unwrap_or(false);
}

/// Leaves as they are found.
#[derive(Default)]
struct Spread<'py> {
    values: Values<'py>,
    roots: Vec<Root<'py>>,
}

impl<'py> Spread<'py> {
    fn instance(&mut self, value: &Bound<'py, PyAny>, s: Struct) -> PyResult<()> {
        let Some(values) = values(value, s) else {
            return Err(expected(s, value));
        };
        for (field, value) in s.fields().iter().zip(values.iter()) {
            match field.ty {
                Type::Struct(inner) if inner.is_indexed() && value.is_none() => {
                    let each = std::iter::repeat_n(value, field.leaves);
                    self.values.extend(each);
                }
                Type::Struct(inner) => self.instance(&value, inner)?,
                Type::Array {
                    elem: Elem::Struct(inner),
                    ndim,
                } if !value.is_none() => self.array(&value, inner, ndim)?,
                Type::Array { .. } => {
                    let each = std::iter::repeat_n(value, field.leaves);
                    self.values.extend(each);
                }
                _ => self.values.push(value),
            }
        }
        Ok(())
    }

    fn array(&mut self, value: &Bound<'py, PyAny>, s: Struct, ndim: u8) -> PyResult<()> {
        let wanted = Type::Array {
            elem: Elem::Struct(s),
            ndim,
        };
        if let Ok(array) = value.cast::<Array>() {
            let view = array.get().view();
            if view.elem == Elem::Struct(s) && view.ndim == ndim {
                for leaf in s.stored() {
                    self.roots.push(Root {
                        param: self.values.len(),
                        array: array.clone(),
                        leaf,
                    });
                    self.values.push(part(array, leaf)?.into_any());
                }
                return Ok(());
            }
            if let Elem::Struct(other) = view.elem
                && other.name() == s.name()
                && other != s
            {
                return Err(error(
                    Code::Launch,
                    format!(
                        "expected an array of {}, found one of {}",
                        s.describe(),
                        other.describe()
                    ),
                ));
            }
        }
        #[cfg(feature = "numpy")]
        if structured::is_structured(value) {
            let dims: usize = value.getattr("ndim")?.extract()?;
            if dims == ndim as usize && s.is_plain() {
                for leaf in s.leaves() {
                    self.values.push(structured::field(value, s, leaf)?);
                }
                return Ok(());
            }
        }
        Err(error(
            Code::Launch,
            format!(
                "expected {wanted}, found {}{}",
                describe(value),
                array_of(value)
            ),
        ))
    }

    /// An array that a struct does not have is an empty one, which is false where a kernel asks.
    fn fill_missing(&mut self, kernel: &Kernel, first: usize, py: Python<'py>) -> PyResult<()> {
        for at in first..self.values.len() {
            let param = &kernel.params[at];
            if param.ndim == 0 || !self.values[at].is_none() {
                continue;
            }
            let empty =
                Array::blank(param.elem, param.ndim as usize).map_err(refuse(py, "array"))?;
            self.values[at] = empty.object(py)?.into_any();
        }
        Ok(())
    }
}
