//! `Function`: a decorated Python function that kernels call.

use super::annotation::annotation_type;
use super::definition::{self, Definition, Written};
use super::scope::PyScope;
use super::{names, overload};
use crate::object::error::{Code, error};
use crate::object::package::PACKAGE;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::{AtomicU64, Ordering};
use warp_core::front::{self, SourceText};
use warp_core::ty::{Pattern, Type};
use warp_dlpack::raise_noted;

/// A function that kernels can call.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Function")]
pub struct Function {
    written: Py<Written>,
}

#[pymethods]
impl Function {
    #[new]
    #[pyo3(signature = (func, key, namespace="", module=None, source=None, code_transformers=None))]
    fn construct<'py>(
        func: &Bound<'py, PyAny>,
        key: &str,
        namespace: &str,
        module: Option<&Bound<'py, PyAny>>,
        source: Option<&Bound<'py, PyAny>>,
        code_transformers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = namespace;
        let args = (func, key, module, source, code_transformers);
        PACKAGE.construct_function.call(func.py(), args)
    }

    /// A function of a text that was read; `earlier` is what its name meant before, `about` has its key and module, if it belongs
    /// to one.
    #[staticmethod]
    #[pyo3(signature = (function, name, source, annotations, earlier=None, about=None))]
    fn _of(
        py: Python<'_>,
        function: Py<PyAny>,
        name: String,
        source: (String, u32, String),
        annotations: Vec<(String, Py<PyAny>)>,
        earlier: Option<Py<Function>>,
        about: Option<Py<PyAny>>,
    ) -> PyResult<Py<Function>> {
        let types = annotations
            .iter()
            .map(|(_, a)| annotation_type(a.bind(py)).ok());
        let types: Vec<Option<Pattern>> = types.collect();
        let overloads = earlier.map_or(Vec::new(), |earlier| {
            let earlier = &earlier.get().written;
            let all = earlier.get().overloads.iter().chain([earlier]);
            let others = all.filter(|other| other.get().types != types);
            others.map(|other| other.clone_ref(py)).collect()
        });
        let annotations = annotations.into_iter().filter(|(_, a)| !a.is_none(py));
        let (file, first_line, text) = source;
        let name = match definition::defines(&text, &name) {
            true => name,
            false => definition::name_in_text(function.bind(py), &text)?,
        };
        let source = SourceText {
            name,
            file,
            first_line,
            text,
        };
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let written = Written {
            callable: Some(number),
            function,
            source,
            annotations: annotations.collect(),
            types,
            overloads,
            rules: Default::default(),
            about,
        };
        let written = Py::new(py, written)?;
        names::_defined();
        let made = Definition::of(py, &written).add_subclass(Function { written });
        Py::new(py, made)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.written)
    }

    /// Makes a function the derivative, or the replay, of this one or of the overload that it is for.
    fn _set_rule(&self, py: Python<'_>, rule: &Function, gradient: bool) -> PyResult<()> {
        let own = &self.written;
        let all = own.get().overloads.iter().chain([own]);
        let mut chosen: Option<(bool, &Py<Written>)> = None;
        for of in all {
            let known = match gradient {
                true => takes_adjoints(py, of, rule.written.get())?,
                false => (of.get().types == rule.written.get().types).then_some(true),
            };
            if let Some(known) = known
                && chosen.is_none_or(|(best, _)| known >= best)
            {
                chosen = Some((known, of));
            }
        }
        let Some((_, of)) = chosen else {
            return Err(no_such(py, own, rule.written.get(), gradient));
        };
        let before = {
            let mut rules = of.get().rules();
            let place = match gradient {
                true => &mut rules.gradient,
                false => &mut rules.replay,
            };
            place.replace(rule.written.clone_ref(py))
        };
        drop(before);
        names::_defined();
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<warp function '{}'>", self.written.get().source.name)
    }

    /// Runs the function as plain Python; of overloads, the one that takes arguments of these types.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let meant = overload::meant(py, &self.written, args, kwargs)?;
        Ok(meant.get().function.bind(py).call(args, kwargs)?.unbind())
    }
}

/// Whether a function takes what the derivative of another one does: its parameters, then an adjoint of each result. `Some(false)`:
/// perhaps, since the results are not known yet.
fn takes_adjoints(py: Python<'_>, of: &Py<Written>, rule: &Written) -> PyResult<Option<bool>> {
    let own = &of.get().types;
    if rule.types.len() < own.len() || rule.types[..own.len()] != own[..] {
        return Ok(None);
    }
    let adjoints = &rule.types[own.len()..];
    Ok(match results(py, of)? {
        None => Some(false),
        Some(results) => {
            let fits = |(adjoint, result): (&Option<Pattern>, &Type)| {
                adjoint
                    .as_ref()
                    .is_none_or(|pattern| pattern.admits(result))
            };
            let same = adjoints.len() == results.len();
            (same && adjoints.iter().zip(&results).all(fits)).then_some(true)
        }
    })
}

/// The types of what a function gives; None if that depends on arguments, or on what is not defined yet.
fn results(py: Python<'_>, of: &Py<Written>) -> PyResult<Option<Vec<Type>>> {
    let source = of.get().source.clone();
    let scope = PyScope::new(of.clone_ref(py), None);
    let outcome = py.detach(move || {
        let scope = scope;
        front::result(&source, &scope)
    });
    raise_noted()?;
    Ok(outcome.ok().map(|ty| match ty {
        Type::None => Vec::new(),
        Type::Tuple(items) => items.to_vec(),
        one => vec![one],
    }))
}

/// The error for a derivative or a replay that fits no overload.
#[cold]
fn no_such(py: Python<'_>, of: &Py<Written>, rule: &Written, gradient: bool) -> PyErr {
    let list = |types: &[Option<Pattern>]| {
        let each = types.iter().map(|ty| match ty {
            Some(ty) => ty.to_string(),
            None => "Any".into(),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    let name = if gradient { "func_grad" } else { "func_replay" };
    let all = of.get().overloads.iter().chain([of]);
    let each = all.map(|of| {
        let types = list(&of.get().types);
        match (gradient, results(py, of)) {
            (true, Ok(Some(results))) => {
                let adjoints: Vec<String> = results.iter().map(ToString::to_string).collect();
                let comma = if types.is_empty() || adjoints.is_empty() {
                    ""
                } else {
                    ", "
                };
                format!("({types}{comma}{})", adjoints.join(", "))
            }
            (true, _) => format!("({types}, and an adjoint of each result)"),
            (false, _) => format!("({types})"),
        }
    });
    let each = each.collect::<Vec<_>>().join(" or ");
    let then = if gradient {
        " and an adjoint of each result"
    } else {
        ""
    };
    error(
        Code::Argument,
        format!(
            "{name}: '{}' takes ({}), expected the parameters of '{}'{then}: {each}",
            rule.source.name,
            list(&rule.types),
            of.get().source.name,
        ),
    )
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    definition::add::<Function>(m)
}
