//! Generic kernels: what their parameters admit, and the kernels that were made of them, one for each choice of types.

use super::param::is_parameter;
use crate::dtype;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use warp_core::ty::{Pattern, Type};

/// A type for each parameter of a kernel, with its name.
pub type Types = Arc<[(String, Type)]>;

/// What makes a kernel generic.
pub struct Generic {
    /// Names of the parameters and the types that they admit.
    pub params: Vec<(String, Pattern)>,
    /// The parameters that are open.
    pub open: Vec<usize>,
    /// One kernel for each choice of types that was asked for so far.
    instances: Mutex<Vec<Instance>>,
}

/// A kernel for one choice of types that was asked for.
struct Instance {
    /// Types of the open parameters, in order.
    open: Box<[Type]>,
    types: Types,
    /// What it is depends on this file.
    kernel: Py<PyAny>,
}

impl Generic {
    /// Of patterns of which at least one is open; else None: the kernel is not generic.
    pub fn of(params: Vec<(String, Pattern)>) -> Option<Box<Generic>> {
        let all = params.iter().enumerate();
        let open = all.filter(|(_, (_, p))| p.exact().is_none());
        let open: Vec<usize> = open.map(|(at, _)| at).collect();
        let generic = Generic {
            params,
            open,
            instances: Mutex::default(),
        };
        (!generic.open.is_empty()).then(|| Box::new(generic))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Instance>> {
        (self.instances.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    // The lock is not waited for: who holds it is reachable.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.instances.try_lock() {
            Ok(instances) => instances.iter().try_for_each(|i| visit.call(&i.kernel)),
            Err(TryLockError::Poisoned(_) | TryLockError::WouldBlock) => Ok(()),
        }
    }

    pub fn clear(&self) {
        let old = std::mem::take(&mut *self.lock());
        drop(old);
    }

    /// The instance whose open parameters have types, in order, that `fit`, which runs no code of Python's.
    pub fn find<'py>(
        &self,
        py: Python<'py>,
        fit: impl Fn(&[Type]) -> bool,
    ) -> Option<Bound<'py, PyAny>> {
        let instances = self.lock();
        let found = instances.iter().find(|instance| fit(&instance.open));
        found.map(|instance| instance.kernel.bind(py).clone())
    }

    /// Types of all parameters, with their names, by those of the open ones.
    pub fn types(&self, open: &[Type]) -> Types {
        let mut open = open.iter();
        let each = self.params.iter().filter_map(|(name, pattern)| {
            let ty = pattern.exact().or_else(|| open.next())?;
            Some((name.clone(), ty.clone()))
        });
        each.collect()
    }

    /// Keeps an instance.
    pub fn add(&self, open: &[Type], types: Types, kernel: Py<PyAny>) {
        self.lock().push(Instance {
            open: open.into(),
            types,
            kernel,
        });
    }

    /// What is wrong with a type for a parameter, if it does not fit.
    fn refuse(&self, kernel: &str, at: usize, ty: &Type) -> Option<PyErr> {
        let (name, pattern) = &self.params[at];
        if pattern.admits(ty) && is_parameter(ty) {
            return None;
        }
        Some(error(
            Code::Launch,
            format!("kernel '{kernel}': parameter '{name}' admits {pattern}, not {ty}"),
        ))
    }
}

/// The types that a list, or a dictionary by names of parameters, gives the open parameters of a generic kernel.
///
/// # Errors
/// Another number of them, an unknown name, or no type of a parameter.
pub fn types_given(
    title: &str,
    generic: &Generic,
    given: &Bound<'_, PyAny>,
) -> PyResult<Vec<Type>> {
    let count = generic.params.len();
    let mut objects: Vec<Option<Bound<'_, PyAny>>> = Vec::new();
    if let Ok(by_name) = given.cast::<PyDict>() {
        objects.resize(count, None);
        for (name, object) in by_name.iter() {
            let name: String = name.extract()?;
            let Some(at) = generic.params.iter().position(|(n, _)| *n == name) else {
                let names: Vec<&str> = generic.params.iter().map(|(n, _)| n.as_str()).collect();
                return Err(error(
                    Code::Launch,
                    format!(
                        "overload: kernel '{title}' has no parameter '{name}'; it has {}",
                        names.join(", ")
                    ),
                ));
            };
            objects[at] = Some(object);
        }
    } else if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        for object in given.try_iter()? {
            objects.push(Some(object?));
        }
    } else {
        return Err(error(
            Code::Type,
            format!(
                "overload: expected a list of types for the parameters of kernel '{title}', or a dict of them by name, \
                 found {}",
                describe(given)
            ),
        ));
    }
    if objects.len() != count {
        return Err(error(
            Code::Launch,
            format!(
                "overload: kernel '{title}' has {count} parameters, {} types are given",
                objects.len()
            ),
        ));
    }
    let mut open = Vec::new();
    for (at, (object, (name, pattern))) in objects.iter().zip(&generic.params).enumerate() {
        let ty = match (object, pattern.exact()) {
            (Some(object), _) => dtype::pattern(object).ok_or_else(|| {
                error(
                    Code::Type,
                    format!(
                        "overload: parameter '{name}' of kernel '{title}' is given {}, which is no type of kernels",
                        describe(object)
                    ),
                )
            })?,
            (None, Some(ty)) => ty.clone().into(),
            (None, None) => pattern.clone(),
        };
        let Some(ty) = ty.exact() else {
            return Err(error(
                Code::Launch,
                format!(
                    "overload: parameter '{name}' of kernel '{title}' needs one type, {ty} is several"
                ),
            ));
        };
        if let Some(wrong) = generic.refuse(title, at, ty) {
            return Err(wrong);
        }
        if pattern.exact().is_none() {
            open.push(ty.clone());
        }
    }
    Ok(open)
}

/// What Python sees of a generic kernel's instances: by a text of their types.
///
/// # Errors
/// Python has no memory.
pub fn overloads<'py>(py: Python<'py>, generic: Option<&Generic>) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let Some(generic) = generic else {
        return Ok(all);
    };
    let instances: Vec<_> = (generic.lock().iter())
        .map(|i| (i.types.clone(), i.kernel.clone_ref(py)))
        .collect();
    for (types, kernel) in instances {
        let types: Vec<String> = types.iter().map(|(_, ty)| ty.to_string()).collect();
        all.set_item(types.join(", "), kernel)?;
    }
    Ok(all)
}
