//! Parameters of kernels: as they are written, and as a launch passes them.

use crate::dtype;
use crate::object::error::{Code, error_in_text};
use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::ty::{Elem, Pattern, Type, leaves};

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParam {
    /// Name.
    pub name: String,
    /// What it holds, or what it is.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: u8,
}

/// A parameter as its author wrote it, in kernels that take structs.
#[derive(Clone)]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// How many of the kernel's parameters it is.
    pub leaves: usize,
}

impl Argument {
    /// The argument of a parameter.
    pub fn new(name: &str, ty: &Type) -> Argument {
        Argument {
            name: name.to_string(),
            leaves: leaves(name, ty).len(),
            ty: ty.clone(),
        }
    }
    /// Whether it is passed as leaves.
    pub fn is_spread(&self) -> bool {
        matches!(
            self.ty,
            Type::Struct(_)
                | Type::Array {
                    elem: Elem::Struct(_),
                    ..
                }
        )
    }
}

/// The types that each parameter of a kernel admits, from the annotations of its function.
///
/// # Errors
/// A parameter has no annotation, or one that is no type of kernels.
pub fn patterns(
    py: Python<'_>,
    kernel: &str,
    annotations: &[(String, Py<PyAny>)],
) -> PyResult<Vec<Pattern>> {
    let each = annotations.iter().map(|(param, annotation)| {
        let annotation = annotation.bind(py);
        let place = || format!("parameter '{param}' of kernel '{kernel}'");
        if annotation.is_none() {
            return Err(error_in_text(
                Code::Type,
                format!(
                    "{} has no annotation; write its type, as in `{param}: float` or \
                 `{param}: wp.array(dtype=float)`",
                    place()
                ),
            ));
        }
        let pattern = dtype::pattern(annotation).filter(|pattern| match pattern {
            Pattern::Exact(ty) => is_parameter(ty),
            Pattern::Tuple(_) => false,
            _ => true,
        });
        pattern.ok_or_else(|| {
            error_in_text(
                Code::Type,
                format!(
                    "{}: the annotation is {}, which is not a kernel type; use a scalar, vector, matrix, \
                 quaternion, struct or array type",
                    place(),
                    describe(annotation)
                ),
            )
        })
    });
    each.collect()
}

/// Whether a parameter of a kernel can have this type.
pub fn is_parameter(ty: &Type) -> bool {
    matches!(ty, Type::Elem(_) | Type::Array { .. } | Type::Struct(_))
}

/// The parameters of a kernel by names and types, and the arguments as they are written.
pub fn of_types<'a>(
    params: impl Iterator<Item = (&'a str, &'a Type)>,
) -> (Vec<KernelParam>, Vec<Argument>) {
    let (mut all, mut arguments) = (Vec::new(), Vec::new());
    for (name, ty) in params {
        arguments.push(Argument::new(name, ty));
        for leaf in leaves(name, ty) {
            let (elem, ndim) = match leaf.ty {
                Type::Array { elem, ndim } => (elem, ndim),
                Type::Elem(elem) => (elem, 0),
                _ => continue,
            };
            all.push(KernelParam {
                name: leaf.path,
                elem,
                ndim,
            });
        }
    }
    (all, arguments)
}
