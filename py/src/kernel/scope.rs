//! Answers the front's questions about names from a Python function's closure and globals.

use super::annotation::annotation_type;
use super::definition::{Definition, Written};
use super::generic::Types;
use super::{builtin, names};
use crate::dtype;
use crate::object::Array;
use crate::object::message::{absent, describe};
use crate::object::package::PACKAGE;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyModule, PyString, PyTuple};
use std::sync::Arc;
use warp_core::front::{External, FuncRef, Scope};
use warp_core::ir::Const;
use warp_core::ty::{Elem, Pattern, Struct};
use warp_dlpack::{Lenient, note};

/// The names that a decorated function sees.
pub struct PyScope {
    written: Py<Written>,
    /// What the types of its parameters are, of a kernel made of a generic one.
    types: Option<Types>,
}

impl PyScope {
    pub fn new(written: Py<Written>, types: Option<Types>) -> PyScope {
        PyScope { written, types }
    }

    /// A name in the closure, then in the globals, then among Python's builtins.
    fn lookup<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        let function = self.written.get().function.bind(py);
        let free = function
            .getattr("__code__")
            .and_then(|c| c.getattr("co_freevars"));
        if let Ok(free) = free.and_then(|f| Ok(f.cast_into::<PyTuple>()?)) {
            let position = free
                .iter()
                .position(|n| n.extract::<&str>().is_ok_and(|n| n == name));
            if let Some(at) = position {
                // An empty cell has no content yet: the name is then not defined.
                let cell = function
                    .getattr("__closure__")
                    .and_then(|c| c.get_item(at))
                    .or_note()?;
                return cell.getattr("cell_contents").or_note();
            }
        }
        let globals = function
            .getattr("__globals__")
            .ok()?
            .cast_into::<PyDict>()
            .ok()?;
        if let Ok(Some(value)) = globals.get_item(name) {
            return Some(value);
        }
        (py.import("builtins").and_then(|b| b.getattr(name))).or_note()
    }

    /// The annotation of a function's result, unless it is text: a name in it may be local to where the function was defined.
    fn evaluated<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        if name != "return" {
            return None;
        }
        let function = self.written.get().function.bind(py);
        let annotations = function.getattr("__annotations__").or_note()?;
        let value = annotations.get_item(name).ok()?;
        (!value.is_instance_of::<PyString>()).then_some(value)
    }

    /// What a dotted name names.
    fn find<'py>(&self, py: Python<'py>, path: &[&str]) -> Option<Bound<'py, PyAny>> {
        let (first, rest) = path.split_first()?;
        let mut value = self.lookup(py, first)?;
        for name in rest {
            // The front knows its fields, and the types that they have.
            if struct_of(&value).is_some() {
                return None;
            }
            value = value.getattr(*name).or_note()?;
        }
        // What the package imports when it is first used.
        if (value.get_type()).is(&PACKAGE.lazy_name.get(py).or_note()?) {
            value = value.call_method0("_found").or_note()?;
        }
        Some(value)
    }
}

impl Scope for PyScope {
    fn resolve(&self, path: &[&str]) -> Option<External> {
        Python::attach(|py| {
            let found = self.find(py, path).map(|value| classify(&value));
            names::note(self.written.get().callable, path, found.as_ref());
            found
        })
    }

    fn eval_static(&self, expr: &str, known: &[(&str, Const)]) -> Result<External, String> {
        Python::attach(|py| {
            let value_of = |value: &Const| match *value {
                Const::Bool(b) => Ok(PyBool::new(py, b).to_owned().into_any()),
                Const::Int(n) => n.into_bound_py_any(py),
                Const::Float(x) => x.into_bound_py_any(py),
            };
            let known = known
                .iter()
                .map(|(name, value)| Ok((*name, value_of(value)?)));
            let known: PyResult<Vec<(&str, Bound<'_, PyAny>)>> = known.collect();
            let known = known.map_err(told)?;
            let Written {
                function, about, ..
            } = self.written.get();
            let value = PACKAGE
                .evaluate
                .call(py, (function, expr, known, about.as_ref()));
            value.map(|v| classify(&v)).map_err(told)
        })
    }

    fn annotation(&self, expr: &str) -> Result<Pattern, String> {
        Python::attach(|py| {
            let function = &self.written.get().function;
            let value = PACKAGE.evaluate.call(py, (function, expr));
            annotation_type(&value.map_err(told)?)
        })
    }

    fn parameter(&self, name: &str, expr: &str) -> Result<Pattern, String> {
        let types = self.types.iter().flat_map(|types| types.iter());
        if let Some((_, ty)) = types.into_iter().find(|(n, _)| n == name) {
            return Ok(ty.clone().into());
        }
        Python::attach(|py| match self.written.get().annotations.get(name) {
            Some(value) => annotation_type(value.bind(py)),
            None => match self.evaluated(py, name) {
                Some(value) => annotation_type(&value),
                None => self.annotation(expr),
            },
        })
    }

    fn of_class(&self, s: Struct, name: &str) -> Option<External> {
        Python::attach(|py| {
            let class = dtype::class_of(py, Elem::Struct(s)).or_note()?;
            // What the author wrote or put there, not what all structs have.
            let own = |class: Bound<'_, PyAny>| {
                let names = class.getattr("__dict__").or_note()?;
                names.get_item(name).ok().map(Bound::unbind)
            };
            let declared = class.getattr("_declared_").or_note();
            let found = own(class).or_else(|| own(declared?))?.into_bound(py);
            match classify(&found) {
                External::Unsupported(_) | External::Absent(_) | External::Module(_) => None,
                found => Some(found),
            }
        })
    }

    fn default(&self, name: &str) -> Option<External> {
        Python::attach(|py| {
            let function = self.written.get().function.bind(py);
            let code = function.getattr("__code__").ok()?;
            if let Ok(Some(value)) = function
                .getattr("__kwdefaults__")
                .and_then(|d| Ok(d.cast_into::<PyDict>()?))
                .and_then(|d| d.get_item(name))
            {
                return Some(classify(&value));
            }
            let names = code
                .getattr("co_varnames")
                .ok()?
                .cast_into::<PyTuple>()
                .ok()?;
            let count: usize = code.getattr("co_argcount").ok()?.extract().ok()?;
            let defaults = function
                .getattr("__defaults__")
                .ok()?
                .cast_into::<PyTuple>()
                .ok()?;
            let at = names
                .iter()
                .position(|n| n.extract::<&str>().is_ok_and(|n| n == name))?;
            let value = defaults
                .get_item(at.checked_sub(count - defaults.len())?)
                .ok()?;
            Some(classify(&value))
        })
    }
}

/// An exception as a text. It is raised itself, once the front is done, if it must pass.
fn told(error: PyErr) -> String {
    let text = error.to_string();
    note(error);
    text
}

/// The struct of which a Python object is an instance.
fn struct_of(value: &Bound<'_, PyAny>) -> Option<Struct> {
    match dtype::elem_of(value.get_type().as_any()) {
        Some(Elem::Struct(s)) => Some(s),
        _ => None,
    }
}

/// What a Python object means inside a kernel.
pub fn classify(value: &Bound<'_, PyAny>) -> External {
    // `bool` before `int`: it is a subclass.
    if let Ok(b) = value.cast::<PyBool>() {
        return External::Bool(b.is_true());
    }
    if let Some(constant) = dtype::constant(value) {
        return External::Constant(constant);
    }
    if value.is_instance_of::<PyInt>() {
        return match value.extract::<i128>() {
            Ok(i) => External::Int(i),
            Err(_) => External::Unsupported("an integer of more than 128 bits".into()),
        };
    }
    if let Ok(x) = value.cast::<PyFloat>() {
        return External::Float(x.value());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return match text.to_cow() {
            Ok(text) => External::Str(text.into()),
            Err(_) => External::Unsupported("a string that is not UTF-8".into()),
        };
    }
    if let Ok(definition) = value.cast::<Definition>()
        && let Some(function) = reference(value.py(), definition.get())
    {
        return External::Func(function);
    }
    if let Some(name) = builtin::name_of(value) {
        return External::Builtin(name);
    }
    if let Some(of) = builtin::gradient_of(value) {
        return External::Gradient(Box::new(classify(&of)));
    }
    if let Ok(array) = value.cast::<Array>()
        && !array.get().is_annotation()
    {
        return External::Unsupported(describe(value));
    }
    if let Some(ty) = dtype::annotation(value) {
        return External::Type(ty);
    }
    if let Some(s) = struct_of(value)
        && let Some(values) = dtype::values(value, s)
    {
        let values = values.iter().map(|value| classify(&value));
        return External::Struct(s, values.collect());
    }
    if let Ok(module) = value.cast::<PyModule>() {
        let name = module.name().and_then(|n| n.extract::<String>());
        return External::Module(name.unwrap_or_else(|_| "module".into()));
    }
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        let items = value
            .try_iter()
            .and_then(|items| items.map(|i| Ok(classify(&i?))).collect());
        return match items.or_note() {
            Some(items) => External::Tuple(items),
            None => External::Unsupported(describe(value)),
        };
    }
    match absent(value) {
        Some(instead) => External::Absent(instead),
        None => External::Unsupported(describe(value)),
    }
}

/// A function as the front knows it, with its overloads; None for a kernel.
fn reference(py: Python<'_>, definition: &Definition) -> Option<FuncRef> {
    let written = &definition.written;
    let overloads = written.get().overloads.iter();
    // Each overload knows those before it, which are here already.
    let overloads = overloads.filter_map(|o| alone(py, o)).collect();
    Some(FuncRef {
        overloads,
        ..alone(py, written)?
    })
}

/// A function without its overloads.
fn alone(py: Python<'_>, written: &Py<Written>) -> Option<FuncRef> {
    let rule = |rule: &Option<Py<Written>>| rule.as_ref().map(|rule| rule.clone_ref(py));
    let (gradient, replay) = {
        let rules = written.get().rules();
        (rule(&rules.gradient), rule(&rules.replay))
    };
    let rule = |rule: Option<Py<Written>>| alone(py, &rule?).map(Box::new);
    Some(FuncRef {
        id: written.get().callable?,
        source: written.get().source.clone(),
        scope: Arc::new(PyScope::new(written.clone_ref(py), None)),
        overloads: Vec::new(),
        gradient: rule(gradient),
        replay: rule(replay),
    })
}
