//! The types that the arguments of a launch give a generic kernel.

use super::spread::Values;
use crate::dtype::{self, own_type};
use crate::exchange::memory;
use crate::exchange::reader::Use;
use crate::kernel::{Generic, Kernel};
use crate::object::Array;
use crate::object::error::{Code, Mismatch, error};
use crate::object::message::{array_of, describe};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList};
use smallvec::SmallVec;
use warp_core::dtype::Scalar;
use warp_core::ty::{COMPOUNDS, Elem, Pattern, Type};

/// Types of the open parameters of a generic kernel.
type Open = SmallVec<[Type; 8]>;

/// The kernel that a generic one is for the arguments of a launch.
///
/// # Errors
/// Another number of arguments, or one without a type that its parameter admits; the error names it.
pub fn instance<'py>(
    kernel: &Bound<'py, Kernel>,
    generic: &Generic,
    inputs: Option<&Bound<'py, PyAny>>,
    outputs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Kernel>> {
    let mut args = super::args::Args::default();
    args.collect(kernel.get(), inputs, outputs)?;
    // Without a list of types: what most launches pass says its type at a glance.
    let fit = |types: &[Type]| {
        let values = generic.open.iter().map(|at| &args.all[*at]);
        values.zip(types).all(|(value, ty)| is_plainly(value, ty))
    };
    if let Some(found) = Kernel::made_before(kernel, generic, fit)? {
        return Ok(found);
    }
    let open = open_types(kernel.get(), generic, &args.all)?;
    Kernel::instance(kernel, generic, &open)
}

/// Whether a value is of a type, for arrays of ours and Python's numbers; of others it says no.
#[inline]
fn is_plainly(value: &Bound<'_, PyAny>, ty: &Type) -> bool {
    match ty {
        Type::Array { elem, ndim } => value.cast::<Array>().is_ok_and(|array| {
            let view = array.get().view();
            view.elem == *elem && view.ndim == *ndim
        }),
        Type::Elem(Elem::Scalar(Scalar::F32)) => value.is_exact_instance_of::<PyFloat>(),
        Type::Elem(Elem::Scalar(Scalar::I32)) => value.is_exact_instance_of::<PyInt>(),
        Type::Elem(Elem::Scalar(Scalar::Bool)) => value.is_exact_instance_of::<PyBool>(),
        _ => false,
    }
}

fn open_types(kernel: &Kernel, generic: &Generic, args: &Values<'_>) -> PyResult<Open> {
    let mut open = Open::new();
    for at in &generic.open {
        let (name, pattern) = &generic.params[*at];
        let ty = type_of(&args[*at], pattern).map_err(|e| kernel.refuse(e, name))?;
        open.push(ty);
    }
    Ok(open)
}

/// The type of an argument for a parameter that leaves types open.
fn type_of(value: &Bound<'_, PyAny>, pattern: &Pattern) -> Result<Type, Mismatch> {
    let found = match own_type(value) {
        Some(ty) => Some(ty).filter(|ty| pattern.admits(ty)),
        None => Python::attach(|_| foreign_type(value, pattern))?,
    };
    found.ok_or_else(|| {
        let hint = match pattern {
            Pattern::Array { .. } => array_of(value),
            _ => "",
        };
        let text = format!("expected {pattern}, found {}{hint}", describe(value));
        Mismatch(error(Code::Launch, text))
    })
}

/// The type of an array of others: its last dimensions are components where the parameter's elements have some.
fn foreign_type(value: &Bound<'_, PyAny>, pattern: &Pattern) -> Result<Option<Type>, Mismatch> {
    if value.is_none() {
        return Ok(None);
    }
    let Some((desc, _owner)) = memory::foreign(value, Use::Read).map_err(Mismatch)? else {
        return Ok(None);
    };
    let view = desc
        .view(None)
        .map_err(|e| Mismatch(warp_dlpack::raise(value.py(), e)))?;
    let Elem::Scalar(scalar) = view.elem else {
        return Ok(None);
    };
    let layout = view.layout();
    let shape = layout.shape();
    let extent = |back: usize| {
        let at = shape.len().checked_sub(back)?;
        u32::try_from(shape[at]).ok()
    };
    let (last, before) = (extent(1), extent(2));
    let compounds = COMPOUNDS.iter().map(|row| {
        let fits = last == Some(row.compound.count() as u32);
        (fits.then_some(Elem::Compound(row.compound, scalar)), 1)
    });
    let elems = [
        (Some(Elem::Scalar(scalar)), 0),
        (last.map(|len| Elem::Vec { len, scalar }), 1),
        (
            before
                .zip(last)
                .map(|(rows, cols)| Elem::Mat { rows, cols, scalar }),
            2,
        ),
    ];
    // Where elements may be anything, numbers are meant.
    let parts = matches!(pattern, Pattern::Array { of, .. } if **of != Pattern::Any);
    let elems = elems
        .into_iter()
        .chain(compounds)
        .take(if parts { usize::MAX } else { 1 });
    let mut candidates = elems.filter_map(|(elem, inner)| {
        let ndim = shape.len().checked_sub(inner).filter(|n| *n > 0)?;
        let (elem, ndim) = (elem?, u8::try_from(ndim).ok()?);
        Some(Type::Array { elem, ndim })
    });
    Ok(candidates.find(|ty| pattern.admits(ty)))
}

/// The types of arguments for a kernel, as annotations name them.
#[pyfunction]
fn _infer<'py>(
    kernel: &Bound<'py, Kernel>,
    args: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = kernel.py();
    let mut all = super::args::Args::default();
    all.collect(kernel.get(), Some(args), None)?;
    let types: Vec<Type> = match kernel.get().generic() {
        None => kernel.get().declared(),
        Some(generic) => {
            let open = open_types(kernel.get(), generic, &all.all)?;
            let mut open = open.into_iter();
            let each = generic
                .params
                .iter()
                .map(|(_, pattern)| match pattern.exact() {
                    Some(ty) => Some(ty.clone()),
                    None => open.next(),
                });
            each.flatten().collect()
        }
    };
    let objects = types.into_iter().map(|ty| dtype::object_of(py, &ty.into()));
    PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_infer, m)?)
}
