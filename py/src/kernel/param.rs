//! Parameters of kernels: as they are written, and as a launch passes them.

use crate::dtype;
use crate::object::error::{Code, error_in_text};
use crate::object::message::{describe, name_of};
use crate::object::package::PACKAGE;
use pyo3::prelude::*;
use pyo3::types::PyType;
use warp_core::ty::{Elem, Pattern, Type, leaves};
use warp_dlpack::Lenient;

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
        if annotation.is_none() && matches!(param.as_str(), "self" | "cls") {
            let text = format!(
                "{}: a kernel is no method; define it outside of the class, and pass what it needs of the object",
                place()
            );
            return Err(error_in_text(Code::Type, text));
        }
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
                    "{}: the annotation is {}, which is not a kernel type; {}",
                    place(),
                    describe(&imported(annotation)),
                    instead_of(param, &imported(annotation))
                ),
            )
        })
    });
    each.collect()
}

/// A class of the package that is imported when it is first used.
fn imported<'py>(annotation: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    let py = annotation.py();
    let lazy = PACKAGE.lazy_name.get(py).or_note();
    match lazy.is_some_and(|lazy| annotation.get_type().is(&lazy)) {
        true => (annotation.call_method0("_found").or_note()).unwrap_or_else(|| annotation.clone()),
        false => annotation.clone(),
    }
}

/// What to write in the place of an annotation that is no type of kernels.
#[cold]
fn instead_of(param: &str, annotation: &Bound<'_, PyAny>) -> String {
    let of = annotation.getattr_opt("__origin__").or_note().flatten();
    let of = of.as_ref().unwrap_or(annotation);
    let (name, module) = (
        name_of(of),
        of.getattr_opt("__module__").or_note().flatten(),
    );
    let module: String = module.and_then(|m| m.extract().ok()).unwrap_or_default();
    match name.as_str() {
        "array" if module.starts_with("warp") => {
            format!(
                "write what it holds, as in `{param}: wp.array[float]` or `{param}: wp.array2d[wp.vec3]`"
            )
        }
        "Mesh" | "Bvh" | "HashGrid" | "Volume" if module.starts_with("warp") => {
            format!("annotate `{param}: wp.uint64` and pass the {name}, or its id")
        }
        "list" | "ndarray" | "Tensor" | "Array" | "Sequence" | "Iterable" => {
            format!(
                "an array of numbers is `{param}: wp.array[float]`, one of two dimensions `wp.array2d[float]`"
            )
        }
        "tuple" => format!("a few numbers are a vector, as in `{param}: wp.vec3`, many an array"),
        "str" | "bytes" => {
            "kernels are passed no texts: pass a number that stands for it".to_string()
        }
        "dict" | "set" => {
            format!("named values are a class with `@wp.struct`, whose name annotates `{param}`")
        }
        _ if of.is_instance_of::<PyType>() => {
            format!(
                "write `@wp.struct` above `class {name}`, if it is to be a type of kernels, or use a scalar, vector or array type"
            )
        }
        _ => format!(
            "write a type, as in `{param}: float`, `{param}: wp.vec3` or `{param}: wp.array[float]`"
        ),
    }
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
