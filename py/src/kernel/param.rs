//! Parameters of kernels: as they are written, and as a launch passes them.

use crate::dtype;
use crate::object::error::{Code, error_in_text};
use crate::object::message::describe;
use pyo3::prelude::*;
use warp_core::ty::{Elem, Type, leaves};

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParam {
    /// Name.
    pub name: String,
    /// What it holds, or what it is.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: u8,
    /// A derived kernel's gradient: it may be missing, and has the extents of this parameter.
    pub gradient_of: Option<usize>,
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

/// The parameters of a kernel from the annotations of its function, and the arguments as they are written.
///
/// # Errors
/// A parameter has no annotation, or one that is no type of kernels.
pub fn of_annotations(
    py: Python<'_>,
    kernel: &str,
    annotations: &[(String, Py<PyAny>)],
) -> PyResult<(Vec<KernelParam>, Vec<Argument>)> {
    let mut arguments = Vec::new();
    let mut params = Vec::new();
    for (param, annotation) in annotations {
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
        let ty = dtype::annotation(annotation)
            .filter(|ty| matches!(ty, Type::Elem(_) | Type::Array { .. } | Type::Struct(_)));
        let Some(ty) = ty else {
            return Err(error_in_text(
                Code::Type,
                format!(
                    "{}: the annotation is {}, which is not a kernel type; use a scalar, vector, matrix, \
                 quaternion, struct or array type",
                    place(),
                    describe(annotation)
                ),
            ));
        };
        arguments.push(Argument::new(param, &ty));
        for leaf in leaves(param, &ty) {
            let (elem, ndim) = match leaf.ty {
                Type::Array { elem, ndim } => (elem, ndim),
                Type::Elem(elem) => (elem, 0),
                _ => continue,
            };
            params.push(KernelParam {
                name: leaf.path,
                elem,
                ndim,
                gradient_of: None,
            });
        }
    }
    Ok((params, arguments))
}
