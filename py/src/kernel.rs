//! `Kernel` and `Function`: decorated Python functions and what they compile to.

use crate::dtype;
use crate::error::raise;
use crate::scope::{PyScope, describe};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;
use warp_core::adjoint;
use warp_core::cache::Source as Origin;
use warp_core::front::{Failure, FuncRef, SourceText};
use warp_core::module::{self, Adjoint, Compiled, Native, Reverse};
use warp_core::ty::{Elem, Type};

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name.
    pub name: String,
    /// What it holds, or what it is.
    pub elem: Elem,
    /// Dimensions of an array; 0 for a value.
    pub ndim: u8,
}

/// A compiled kernel and where its arguments go.
pub struct Ready {
    /// The native code and its description.
    pub compiled: Compiled,
    /// Whether the kernel writes each parameter.
    pub writes: Vec<bool>,
    adjoints: Mutex<Vec<Arc<Slot>>>,
}

/// One of a kernel's adjoints.
pub struct Slot {
    reverse: Reverse,
    /// As IR, with the report.
    pub reversed: adjoint::Adjoint,
    native: OnceLock<Adjoint>,
}

/// A kernel: a Python function that is compiled at its first launch.
#[pyclass(frozen, module = "warp", name = "Kernel")]
pub struct Kernel {
    function: Py<PyAny>,
    source: SourceText,
    scope: Arc<PyScope>,
    enable_backward: Option<bool>,
    /// Parameters in order.
    pub params: Vec<Param>,
    ready: OnceLock<Ready>,
    building: Mutex<()>,
}

#[pymethods]
impl Kernel {
    #[new]
    fn new(
        py: Python<'_>,
        function: Py<PyAny>,
        file: String,
        line: u32,
        text: String,
        annotations: Vec<(String, Py<PyAny>)>,
        enable_backward: Option<bool>,
    ) -> PyResult<Kernel> {
        let name: String = function.bind(py).getattr("__name__")?.extract()?;
        let params = annotations.iter().map(|(param, annotation)| {
            let annotation = annotation.bind(py);
            let place = || format!("parameter '{param}' of kernel '{name}'");
            if annotation.is_none() {
                return Err(PyTypeError::new_err(format!(
                    "{} has no annotation; write its type, as in `{param}: float` or \
                     `{param}: wp.array(dtype=float)`",
                    place()
                )));
            }
            match dtype::annotation(annotation) {
                Some(Type::Elem(elem)) => Ok(Param { name: param.clone(), elem, ndim: 0 }),
                Some(Type::Array { elem, ndim }) => Ok(Param { name: param.clone(), elem, ndim }),
                _ => Err(PyTypeError::new_err(format!(
                    "{}: the annotation is {}, which is not a kernel type; use a scalar, vector, matrix, \
                     quaternion or array type",
                    place(),
                    describe(annotation)
                ))),
            }
        });
        let params = params.collect::<PyResult<Vec<Param>>>()?;
        let scope = Arc::new(PyScope::new(function.clone_ref(py), &annotations, py));
        let source = SourceText {
            name,
            file,
            first_line: line,
            text,
        };
        Ok(Kernel {
            function,
            source,
            scope,
            enable_backward,
            params,
            ready: OnceLock::new(),
            building: Mutex::new(()),
        })
    }

    /// Name of the kernel.
    #[getter]
    fn key(&self) -> &str {
        &self.source.name
    }

    #[getter(__name__)]
    fn name(&self) -> &str {
        &self.source.name
    }

    #[getter(__doc__)]
    fn doc(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__doc__")?.unbind())
    }

    /// The Python function.
    #[getter]
    fn func(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    #[getter(__wrapped__)]
    fn wrapped(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    #[getter(__module__)]
    fn module(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__module__")?.unbind())
    }

    /// By name, as functions are pickled: who unpickles it imports the module.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__qualname__")?.unbind())
    }

    fn __repr__(&self) -> String {
        format!("<warp kernel '{}'>", self.source.name)
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(PyTypeError::new_err(format!(
            "kernel '{0}' cannot be called; launch it with wp.launch({0}, dim=..., inputs=[...])",
            self.source.name
        )))
    }
}

impl Kernel {
    /// Name of the kernel.
    pub fn title(&self) -> &str {
        &self.source.name
    }

    /// Texts that spans of the compiled kernel point into.
    pub fn sources(&self) -> &[warp_core::span::Source] {
        self.ready
            .get()
            .map_or(&[], |ready| &ready.compiled.sources)
    }

    /// The compiled kernel; compiles it first if need be.
    pub fn ready(&self, py: Python<'_>) -> PyResult<&Ready> {
        match self.ready.get() {
            Some(ready) => Ok(ready),
            None => self.compile(py),
        }
    }

    #[cold]
    fn compile(&self, py: Python<'_>) -> PyResult<&Ready> {
        // The scope asks Python questions from inside, so the GIL must be free for whoever compiles.
        let options = crate::config::compile_options(py)?;
        let start = Instant::now();
        let outcome = py.detach(|| {
            let _one = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            if self.ready.get().is_some() {
                return Ok(());
            }
            let compiled = module::compile(self.source.clone(), &*self.scope, &options)?;
            let writes = compiled.access.iter().map(|a| a.writes()).collect();
            let adjoints = Mutex::new(Vec::new());
            let ready = Ready {
                compiled,
                writes,
                adjoints,
            };
            // Only this thread is here, and it found the cell empty.
            let _ = self.ready.set(ready);
            Ok(())
        });
        outcome.map_err(|failure: Failure| raise(&failure.error, &failure.sources))?;
        let ready = self.ready.get().expect("just set");
        self.report(py, "kernel", &ready.compiled.code, start)?;
        Ok(ready)
    }

    /// Says what was compiled, if `wp.config.verbose` asks for it.
    fn report(&self, py: Python<'_>, what: &str, code: &Native, start: Instant) -> PyResult<()> {
        if !crate::config::verbose(py)? {
            return Ok(());
        }
        let origin = match code.origin {
            Origin::Made => "compiled",
            Origin::Disk => "loaded from the cache",
        };
        let time = start.elapsed().as_secs_f64() * 1e3;
        let line = format!("{what} '{}' {origin} in {time:.2} ms", self.source.name);
        py.import("builtins")?.getattr("print")?.call1((line,))?;
        Ok(())
    }

    /// Whether gradients may be asked for.
    pub fn backward_enabled(&self, py: Python<'_>) -> PyResult<bool> {
        match self.enable_backward {
            Some(enabled) => Ok(enabled),
            None => crate::config::enable_backward(py),
        }
    }

    /// The adjoint as IR with its report; nothing is compiled.
    pub fn reversed(&self, py: Python<'_>, reverse: &Reverse) -> PyResult<Arc<Slot>> {
        if !self.backward_enabled(py)? {
            return Err(PyRuntimeError::new_err(format!(
                "kernel '{}' has no gradient: it was defined with enable_backward=False; \
                 remove that to differentiate it",
                self.source.name
            )));
        }
        let ready = self.ready(py)?;
        let lock = || {
            ready
                .adjoints
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let find = |slots: &[Arc<Slot>]| slots.iter().find(|s| s.reverse == *reverse).cloned();
        if let Some(slot) = find(&lock()) {
            return Ok(slot);
        }
        let made = py.detach(|| {
            let _one = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(slot) = find(&lock()) {
                return Ok(slot);
            }
            let reversed = ready.compiled.reverse(reverse)?;
            let (reverse, native) = (reverse.clone(), OnceLock::new());
            let slot = Arc::new(Slot {
                reverse,
                reversed,
                native,
            });
            lock().push(slot.clone());
            Ok(slot)
        });
        made.map_err(|failure: Failure| raise(&failure.error, &failure.sources))
    }

    /// The native adjoint; compiled when it is first asked for.
    pub fn adjoint<'a>(&self, py: Python<'_>, slot: &'a Slot) -> PyResult<&'a Adjoint> {
        if let Some(native) = slot.native.get() {
            return Ok(native);
        }
        let ready = self.ready(py)?;
        let start = Instant::now();
        let made = py.detach(|| {
            let _one = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            if slot.native.get().is_none() {
                let native = ready.compiled.adjoint(slot.reversed.clone())?;
                // Only this thread is here, and it found the cell empty.
                let _ = slot.native.set(native);
            }
            Ok(())
        });
        made.map_err(|failure: Failure| raise(&failure.error, &failure.sources))?;
        let native = slot.native.get().expect("just set");
        self.report(py, "adjoint of kernel", &native.code, start)?;
        Ok(native)
    }
}

/// A function that kernels can call.
#[pyclass(frozen, module = "warp", name = "Function")]
pub struct Function {
    function: Py<PyAny>,
    id: u64,
    source: SourceText,
    scope: Arc<PyScope>,
}

#[pymethods]
impl Function {
    #[new]
    fn new(
        py: Python<'_>,
        function: Py<PyAny>,
        name: String,
        file: String,
        line: u32,
        text: String,
        annotations: Vec<(String, Py<PyAny>)>,
    ) -> Function {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let annotations: Vec<(String, Py<PyAny>)> = annotations
            .into_iter()
            .filter(|(_, a)| !a.is_none(py))
            .collect();
        let scope = Arc::new(PyScope::new(function.clone_ref(py), &annotations, py));
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Function {
            function,
            id,
            source: SourceText {
                name,
                file,
                first_line: line,
                text,
            },
            scope,
        }
    }

    /// Name of the function.
    #[getter]
    fn key(&self) -> &str {
        &self.source.name
    }

    #[getter(__name__)]
    fn name(&self) -> &str {
        &self.source.name
    }

    #[getter(__doc__)]
    fn doc(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__doc__")?.unbind())
    }

    /// The Python function.
    #[getter]
    fn func(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    #[getter(__wrapped__)]
    fn wrapped(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    #[getter(__module__)]
    fn module(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__module__")?.unbind())
    }

    /// By name, as functions are pickled: who unpickles it imports the module.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__qualname__")?.unbind())
    }

    fn __repr__(&self) -> String {
        format!("<warp function '{}'>", self.source.name)
    }

    /// Runs the function as plain Python.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).call(args, kwargs)?.unbind())
    }
}

impl Function {
    /// The function as the front knows it.
    pub fn reference(&self, _py: Python<'_>) -> FuncRef {
        FuncRef {
            id: self.id,
            source: self.source.clone(),
            scope: self.scope.clone(),
        }
    }
}

/// Adds the classes to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Kernel>()?;
    m.add_class::<Function>()
}
