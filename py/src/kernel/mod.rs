//! Level 3: kernels, functions and builtins: decorated Python functions, what their names mean, and what they compile to.

mod annotation;
mod builtin;
mod definition;
pub mod fault;
mod function;
mod generic;
mod names;
mod needed;
mod param;
mod result;
mod scope;

pub use generic::Generic;
pub use param::{Argument, KernelParam};

use crate::dtype;
use crate::object::error::{Code, error, raise_at, raise_in_text};
use crate::runtime::config;
use crate::runtime::signal::Signal;
use definition::{Definition, Written};
use generic::Types;
use names::Names;
use needed::Needed;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use scope::PyScope;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use warp_core::adjoint;
use warp_core::backend::Code as BackendCode;
use warp_core::cache::Source as Origin;
use warp_core::device::Device;
use warp_core::error::Error;
use warp_core::front::{Failure, SourceText};
use warp_core::module::{self, Compiled, Program, Reverse};
use warp_core::turn::{Held, Turn};
use warp_core::ty::{Pattern, Type};
use warp_dlpack::raise_noted;

/// The level of what is reported: `wp.LOG_INFO`.
const INFO: u8 = 20;

/// A kernel whose text was read, and where its arguments go. Code is made of it when a device first launches it.
pub struct Ready {
    /// The IR and its description.
    pub compiled: Compiled,
    /// Whether the kernel writes each parameter.
    pub writes: Vec<bool>,
    /// How long it took to read the text.
    front: Duration,
    /// What the text's names meant.
    names: Names,
    adjoints: Mutex<Vec<Arc<CachedAdjoint>>>,
    needed: Mutex<Vec<Arc<Needed>>>,
}

/// One of a kernel's adjoints.
pub struct CachedAdjoint {
    reverse: Reverse,
    /// As IR, with the report.
    pub reversed: adjoint::Adjoint,
    program: OnceLock<Program>,
}

impl CachedAdjoint {
    /// The adjoint to be run, if somebody has made it.
    pub fn program(&self) -> Option<&Program> {
        self.program.get()
    }
}

/// A kernel: a Python function that is compiled at its first launch.
#[pyclass(frozen, extends = Definition, module = "warp", name = "Kernel")]
pub struct Kernel {
    written: Py<Written>,
    enable_backward: Option<bool>,
    check_bounds: Option<bool>,
    /// Parameters in order; those that are structs, or arrays of them, as their leaves.
    pub params: Vec<KernelParam>,
    /// Parameters as they are written, where some are structs or arrays of them.
    pub arguments: Option<Box<[Argument]>>,
    /// How many arguments a launch takes.
    pub arity: usize,
    derivation: Derivation,
    /// Of a kernel that leaves types of its parameters open. Such a one is never compiled itself, and never current.
    generic: Option<Box<Generic>>,
    /// The types of the parameters of one that was made of a generic kernel.
    types: Option<Types>,
    ready: OnceLock<Ready>,
    building: Turn,
    /// When the names were last found to mean what they meant when this was compiled: `names::generation()`; 0 before it is.
    looked: AtomicU64,
    /// The kernel of the same text with what the names mean by now, where that is something else.
    successor: Mutex<Option<Py<Kernel>>>,
}

/// How a kernel came about.
enum Derivation {
    /// The text that somebody wrote.
    Text,
    /// The adjoint of a kernel.
    Adjoint(Py<Kernel>, Reverse),
    /// A kernel for every item of a batch; says which arrays have items.
    Batch(Py<Kernel>, Vec<bool>),
    /// A kernel with values as arrays of one element; says which.
    Lift(Py<Kernel>, Vec<bool>),
    /// A kernel with parameters that are one array; says which stands for each.
    Merge(Py<Kernel>, Vec<u32>),
}

impl Derivation {
    /// The kernel that it was made of.
    fn of(&self) -> Option<&Py<Kernel>> {
        match self {
            Derivation::Text => None,
            Derivation::Adjoint(of, _)
            | Derivation::Batch(of, _)
            | Derivation::Lift(of, _)
            | Derivation::Merge(of, _) => Some(of),
        }
    }
}

#[pymethods]
impl Kernel {
    /// A kernel of a Python function, as `@wp.kernel` makes it.
    ///
    /// Args:
    ///     func: The function.
    ///     key: What the kernel is called in its module; by default the function's qualified name, as one word.
    ///     module: A `wp.Module` or the name of one; by default that of the function.
    ///     options: What differs from the module's options: `enable_backward`, `check_bounds`, `mode`, `optimization_level`.
    ///     code_transformers: Only None or an empty list.
    ///     source: The text of the function, where Python cannot find it.
    ///
    /// Raises:
    ///     TypeError: A parameter has no annotation, or one that is not a kernel type.
    ///     OSError: The text of the function cannot be found.
    #[new]
    #[pyo3(signature = (func, key=None, module=None, options=None, code_transformers=None, source=None))]
    fn new(
        func: &Bound<'_, PyAny>,
        key: Option<&Bound<'_, PyAny>>,
        module: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        code_transformers: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Kernel>> {
        let _ = (key, module);
        let py = func.py();
        let read = py.import("warp._decorators")?.getattr("_read")?;
        let parts = read.call1((func, options, code_transformers, source))?;
        let (source, annotations, backward, checks) = parts.extract()?;
        Kernel::written(
            py,
            func.clone().unbind(),
            source,
            annotations,
            backward,
            checks,
        )
    }

    #[pyo3(signature = (func, key=None, module=None, options=None, code_transformers=None, source=None))]
    fn __init__(
        this: &Bound<'_, Self>,
        func: &Bound<'_, PyAny>,
        key: Option<&Bound<'_, PyAny>>,
        module: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        code_transformers: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (func, code_transformers, source);
        let module_of = this.py().import("warp._decorators")?.getattr("_place")?;
        module_of.call1((this, key, module, options)).map(|_| ())
    }

    /// A kernel whose text and annotations were read. It has no module yet.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        function: Py<PyAny>,
        source: (String, u32, String),
        annotations: Vec<(String, Py<PyAny>)>,
        enable_backward: Option<bool>,
        check_bounds: Option<bool>,
    ) -> PyResult<Py<Kernel>> {
        let made = Kernel::written(
            py,
            function,
            source,
            annotations,
            enable_backward,
            check_bounds,
        );
        Py::new(py, made?)
    }

    /// A digest of what the kernel does, as bytes. It is compiled for that, but not to native code.
    #[getter]
    fn hash<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let hash_of = this.py().import("warp._modules")?.getattr("hash_of")?;
        hash_of.call1((this,))
    }

    /// Nothing: kernels are told apart by their text and what its names mean.
    #[getter]
    fn sig(&self) -> &'static str {
        ""
    }

    // The lock is not waited for: who holds it is reachable.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.written)?;
        if let Some(of) = self.derivation.of() {
            visit.call(of)?;
        }
        if let Some(generic) = &self.generic {
            generic.traverse(&visit)?;
        }
        match self.successor.try_lock() {
            Ok(successor) => successor.iter().try_for_each(|k| visit.call(k)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let old = self.successor().take();
        drop(old);
        if let Some(generic) = &self.generic {
            generic.clear();
        }
    }

    /// Whether types of parameters are left open: the arguments of a launch decide.
    #[getter]
    fn is_generic(&self) -> bool {
        self.generic.is_some()
    }

    /// The kernels that were made of a generic one, by a text of their types.
    #[getter]
    fn overloads<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        generic::overloads(py, self.generic.as_deref())
    }

    /// The kernel with these types of its parameters: of a generic one, made if there is none yet.
    ///
    /// Args:
    ///     arg_types: A list of types, or a dictionary by names of parameters.
    ///
    /// Raises:
    ///     TypeError: The kernel is not generic, or a type does not fit its parameter; the message names it.
    fn add_overload<'py>(
        this: &Bound<'py, Kernel>,
        arg_types: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let kernel = this.get();
        let Some(generic) = &kernel.generic else {
            return Err(error(
                Code::Launch,
                format!(
                    "overload: kernel '{}' is not generic: the types of its parameters are all given",
                    kernel.title()
                ),
            ));
        };
        let open = generic::types_given(kernel.title(), generic, arg_types)?;
        Kernel::instance(this, generic, &open)
    }

    /// The kernel with these types of its parameters, if there is one.
    ///
    /// Raises:
    ///     TypeError: A type does not fit its parameter; the message names it.
    fn get_overload<'py>(
        this: &Bound<'py, Kernel>,
        arg_types: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        match &this.get().generic {
            Some(generic) => {
                let open = generic::types_given(this.get().title(), generic, arg_types)?;
                Kernel::made_before(this, generic, |types| types == open)
            }
            None => {
                let own = this.get().declared().into_iter().map(Pattern::Exact);
                let own: Vec<Option<Pattern>> = own.map(Some).collect();
                let given = arg_types.try_iter()?.map(|ty| Ok(dtype::pattern(&ty?)));
                let given: Vec<Option<Pattern>> = given.collect::<PyResult<_>>()?;
                Ok(Some(this.clone()).filter(|_| own == given))
            }
        }
    }

    /// The types of arguments for a launch, as annotations name them.
    ///
    /// Raises:
    ///     TypeError: An argument has no type that its parameter admits; the message names it.
    fn infer_argument_types<'py>(
        this: &Bound<'py, Kernel>,
        args: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let infer = this.py().import("warp._warp")?.getattr("_infer")?;
        infer.call1((this, args))
    }

    /// By name, as functions are pickled; one that was made of a generic kernel with its types.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let written = self.written.get();
        let name = written.attribute(py, "__qualname__")?;
        let Some(types) = &self.types else {
            return Ok(name);
        };
        let types = types
            .iter()
            .map(|(_, ty)| dtype::object_of(py, &ty.clone().into()));
        let types = PyTuple::new(py, types.collect::<PyResult<Vec<_>>>()?)?;
        let restore = py.import("warp._decorators")?.getattr("_overloaded")?;
        let module = written.attribute(py, "__module__")?;
        let made = (restore, (module, name, types)).into_pyobject(py)?;
        Ok(made.into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<warp kernel '{}'>", self.written.get().source.name)
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(error(
            Code::Call,
            format!(
                "kernel '{0}' cannot be called; launch it with wp.launch({0}, dim=..., inputs=[...])",
                self.written.get().source.name
            ),
        ))
    }
}

impl Kernel {
    /// A kernel of a text that was read.
    fn written(
        py: Python<'_>,
        function: Py<PyAny>,
        source: (String, u32, String),
        annotations: Vec<(String, Py<PyAny>)>,
        enable_backward: Option<bool>,
        check_bounds: Option<bool>,
    ) -> PyResult<PyClassInitializer<Kernel>> {
        let (file, first_line, text) = source;
        let name: String = function.bind(py).getattr("__name__")?.extract()?;
        let patterns = param::patterns(py, &name, &annotations)?;
        let names = annotations.iter().map(|(name, _)| name.as_str());
        let types = (names.clone().zip(&patterns)).filter_map(|(n, p)| Some((n, p.exact()?)));
        let (params, arguments) = param::of_types(types);
        let arity = annotations.len();
        let generic = Generic::of(names.map(str::to_string).zip(patterns).collect());
        let spread = arguments.iter().any(Argument::is_spread);
        let arguments = spread.then(|| arguments.into_boxed_slice());
        let source = SourceText {
            name,
            file,
            first_line,
            text,
        };
        let written = Written {
            callable: None,
            types: Vec::new(),
            overloads: Vec::new(),
            about: OnceLock::new(),
            function,
            source,
            annotations: annotations.into_iter().collect(),
        };
        let written = Py::new(py, written)?;
        let base = Definition::of(py, &written);
        Ok(base.add_subclass(Kernel {
            written,
            enable_backward,
            check_bounds,
            params,
            arguments,
            arity,
            derivation: Derivation::Text,
            generic,
            types: None,
            ready: OnceLock::new(),
            building: Turn::new(),
            looked: AtomicU64::new(0),
            successor: Mutex::new(None),
        }))
    }

    /// The adjoint of a kernel as a kernel of its own: its parameters are those of `of`, then a gradient
    /// `adj_NAME` for each array of floats.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn adjoint_of<'py>(
        of: &Bound<'py, Kernel>,
        reverse: Reverse,
    ) -> PyResult<Bound<'py, Kernel>> {
        let py = of.py();
        let slot = of.get().reversed(py, &reverse)?;
        let mut params = of.get().params.clone();
        for array in slot.reversed.report.arrays.iter() {
            if array.grad.is_some() {
                let at = array.param.0 as usize;
                let mut param = params[at].clone();
                param.name = format!("adj_{}", param.name);
                param.gradient_of = Some(at);
                params.push(param);
            }
        }
        let derivation = Derivation::Adjoint(of.clone().unbind(), reverse);
        // Operators, which derive kernels, refuse structs.
        of.get().derived(py, params, None, derivation)
    }

    /// A kernel for every item of a batch: the launch, and the arrays that `arrays` marks, have a dimension
    /// more in front. None if there are too many dimensions already.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn batch_of<'py>(
        of: &Bound<'py, Kernel>,
        arrays: Vec<bool>,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        let py = of.py();
        let ready = of.get().ready(py)?;
        if warp_core::pass::batch::batch(&ready.compiled.program.func, &arrays).is_none() {
            return Ok(None);
        }
        let mut params = of.get().params.clone();
        for (param, batched) in params.iter_mut().zip(&arrays) {
            param.ndim += u8::from(param.ndim > 0 && *batched);
        }
        let derivation = Derivation::Batch(of.clone().unbind(), arrays);
        of.get().derived(py, params, None, derivation).map(Some)
    }

    /// The kernel with the values that `values` marks as arrays of one element.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn lift_of<'py>(
        of: &Bound<'py, Kernel>,
        values: Vec<bool>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let mut params = of.get().params.clone();
        for (param, lifted) in params.iter_mut().zip(&values) {
            if param.ndim == 0 && *lifted {
                param.ndim = 1;
            }
        }
        let derivation = Derivation::Lift(of.clone().unbind(), values);
        of.get().derived(of.py(), params, None, derivation)
    }

    /// The kernel where every access to parameter `i` is one to parameter `stands[i]`, which is given the same array.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn merge_of<'py>(
        of: &Bound<'py, Kernel>,
        stands: Vec<u32>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let params = of.get().params.clone();
        let derivation = Derivation::Merge(of.clone().unbind(), stands);
        of.get().derived(of.py(), params, None, derivation)
    }

    /// The instance of a generic kernel whose open parameters have types, in order, that `fit`, if there is one.
    ///
    /// # Errors
    /// A bug: it is no kernel.
    #[inline]
    pub fn made_before<'py>(
        of: &Bound<'py, Kernel>,
        generic: &Generic,
        fit: impl Fn(&[Type]) -> bool,
    ) -> PyResult<Option<Bound<'py, Kernel>>> {
        let found = generic.find(of.py(), fit);
        found.map(|kernel| Ok(kernel.cast_into()?)).transpose()
    }

    /// The instance of a generic kernel with these types of its open parameters, in order, which these admit. It is made if
    /// there is none yet.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn instance<'py>(
        of: &Bound<'py, Kernel>,
        generic: &Generic,
        open: &[Type],
    ) -> PyResult<Bound<'py, Kernel>> {
        // As in `Kernel::current`.
        Python::attach(|_| {
            let known = |types: &[Type]| types == open;
            if let Some(found) = Kernel::made_before(of, generic, known)? {
                return Ok(found);
            }
            let types = generic.types(open);
            let made = Kernel::of_types(of, types.clone())?;
            // Another thread may have made one meanwhile.
            if let Some(found) = Kernel::made_before(of, generic, known)? {
                return Ok(found);
            }
            generic.add(open, types, made.clone().into_any().unbind());
            Ok(made)
        })
    }

    /// The kernel that a generic one is for these types of all parameters, which it admits.
    ///
    /// # Errors
    /// Python has no memory.
    fn of_types<'py>(of: &Bound<'py, Kernel>, types: Types) -> PyResult<Bound<'py, Kernel>> {
        let (params, arguments) = param::of_types(types.iter().map(|(n, ty)| (n.as_str(), ty)));
        let spread = arguments.iter().any(Argument::is_spread);
        let arguments = spread.then(|| arguments.into_boxed_slice());
        let derivation = Derivation::Text;
        of.get()
            .made(of.py(), params, arguments, derivation, Some(types))
    }

    fn derived<'py>(
        &self,
        py: Python<'py>,
        params: Vec<KernelParam>,
        arguments: Option<Box<[Argument]>>,
        derivation: Derivation,
    ) -> PyResult<Bound<'py, Kernel>> {
        self.made(py, params, arguments, derivation, self.types.clone())
    }

    fn made<'py>(
        &self,
        py: Python<'py>,
        params: Vec<KernelParam>,
        arguments: Option<Box<[Argument]>>,
        derivation: Derivation,
        types: Option<Types>,
    ) -> PyResult<Bound<'py, Kernel>> {
        let kernel = Kernel {
            written: self.written.clone_ref(py),
            enable_backward: self.enable_backward,
            check_bounds: self.check_bounds,
            arity: arguments.as_ref().map_or(params.len(), |a| a.len()),
            params,
            arguments,
            derivation,
            generic: None,
            types,
            ready: OnceLock::new(),
            building: Turn::new(),
            looked: AtomicU64::new(0),
            successor: Mutex::new(None),
        };
        Bound::new(py, Definition::of(py, &self.written).add_subclass(kernel))
    }

    /// Whether nothing was defined since the kernel's names were looked up. Where something was, [`Kernel::current`] says
    /// which kernel to launch.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.looked.load(Ordering::Relaxed) == names::generation()
    }

    /// This kernel; or, where its names mean something else than when it was compiled, one of the same text, to be compiled with
    /// what they mean now. What was recorded with the old one keeps it.
    ///
    /// # Errors
    /// The kernel is generic; or what looking a name up raises, if it is no `Exception`.
    #[cold]
    pub fn current<'py>(this: &Bound<'py, Kernel>) -> PyResult<Bound<'py, Kernel>> {
        if let Some(generic) = &this.get().generic {
            let open = generic.params.iter().find(|(_, p)| p.exact().is_none());
            let (name, pattern) = open.expect("a generic kernel has one");
            return Err(error(
                Code::Launch,
                format!(
                    "kernel '{0}' is generic: parameter '{name}' admits {pattern}; give it types first, with \
                     wp.overload({0}, [...])",
                    this.get().title()
                ),
            ));
        }
        // Within a fast call, what is let go here would otherwise be kept for a while.
        Python::attach(|_| Kernel::looked_up_again(this))
    }

    fn looked_up_again<'py>(this: &Bound<'py, Kernel>) -> PyResult<Bound<'py, Kernel>> {
        let py = this.py();
        let generation = names::generation();
        let successor = this.get().successor().as_ref().map(|k| k.bind(py).clone());
        let latest = successor.as_ref().unwrap_or(this);
        let kernel = latest.get();
        let Some(ready) = kernel.at_hand().filter(|_| !kernel.is_current()) else {
            return Ok(latest.clone());
        };
        let same = ready.names.still_mean(&kernel.scope(py));
        raise_noted()?;
        if same {
            kernel.looked.store(generation, Ordering::Relaxed);
            return Ok(latest.clone());
        }
        let made = kernel.derived(
            py,
            kernel.params.clone(),
            kernel.arguments.clone(),
            Derivation::Text,
        )?;
        // A thread that made one at the same time launches its own.
        let old = this.get().successor().replace(made.clone().unbind());
        drop(old);
        Ok(made)
    }

    /// What the names in the text mean.
    fn scope(&self, py: Python<'_>) -> PyScope {
        PyScope::new(self.written.clone_ref(py), self.types.clone())
    }

    /// What makes the kernel generic, if it is.
    pub fn generic(&self) -> Option<&Generic> {
        self.generic.as_deref()
    }

    fn successor(&self) -> MutexGuard<'_, Option<Py<Kernel>>> {
        self.successor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Names of the parameters as they are written.
    pub fn names(&self) -> Vec<&str> {
        if let Some(generic) = &self.generic {
            return generic
                .params
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
        }
        match &self.arguments {
            Some(arguments) => arguments.iter().map(|a| a.name.as_str()).collect(),
            None => self.params.iter().map(|p| p.name.as_str()).collect(),
        }
    }

    /// Types of the parameters as they are written; none of a generic kernel.
    pub fn declared(&self) -> Vec<Type> {
        match &self.arguments {
            Some(arguments) => arguments.iter().map(|a| a.ty.clone()).collect(),
            None => {
                let params = self.params.iter();
                params
                    .map(|p| match (p.elem, p.ndim) {
                        (elem, 0) => Type::of(elem),
                        (elem, ndim) => Type::Array { elem, ndim },
                    })
                    .collect()
            }
        }
    }

    /// Name of the kernel.
    pub fn title(&self) -> &str {
        &self.written.get().source.name
    }

    /// Texts that spans of the compiled kernel point into.
    pub fn sources(&self) -> &[warp_core::span::Source] {
        self.ready
            .get()
            .map_or(&[], |ready| &ready.compiled.sources)
    }

    /// The compiled kernel, if it is compiled.
    #[inline]
    pub fn at_hand(&self) -> Option<&Ready> {
        self.ready.get()
    }

    /// The compiled kernel; compiles it first if need be.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn ready(&self, py: Python<'_>) -> PyResult<&Ready> {
        match self.ready.get() {
            Some(ready) => Ok(ready),
            None => self.compile(py),
        }
    }

    #[cold]
    fn compile(&self, py: Python<'_>) -> PyResult<&Ready> {
        // The scope asks Python questions from inside, so the GIL must be free for whoever compiles.
        let options =
            config::compile_options(py, self.check_bounds, self.written.get().about.get())?;
        // What this one is derived of is compiled first, and keeps its own lock.
        let adjoint = match &self.derivation {
            Derivation::Adjoint(of, reverse) => {
                let of = of.get();
                Some((of.ready(py)?, reverse, of.reversed(py, reverse)?))
            }
            _ => None,
        };
        let changed = match &self.derivation {
            Derivation::Batch(of, _) | Derivation::Lift(of, _) | Derivation::Merge(of, _) => {
                Some(of.get().ready(py)?)
            }
            _ => None,
        };
        let (start, signal) = (Instant::now(), Signal::default());
        let generation = names::generation();
        let scope = self.scope(py);
        let outcome = py.detach(|| {
            // Let go in here: outside, a fast call would put that off.
            let scope = scope;
            let _one = self.turn(&signal)?;
            if self.ready.get().is_some() {
                return Ok(());
            }
            let (compiled, names) =
                names::looked_up(|| match (adjoint, changed, &self.derivation) {
                    (Some((of, reverse, slot)), _, _) => {
                        of.compiled.derive(reverse, slot.reversed.clone())
                    }
                    (_, Some(of), Derivation::Batch(_, arrays)) => {
                        let batched = of.compiled.batch(arrays);
                        batched.expect("`batch_of` has tried")
                    }
                    (_, Some(of), Derivation::Lift(_, values)) => of.compiled.lift(values),
                    (_, Some(of), Derivation::Merge(_, stands)) => of.compiled.merge(stands),
                    _ => module::compile(self.written.get().source.clone(), &scope, &options),
                });
            let compiled = compiled?;
            let writes = compiled.access.iter().map(|a| a.writes()).collect();
            let adjoints = Mutex::new(Vec::new());
            let ready = Ready {
                compiled,
                writes,
                front: start.elapsed(),
                names,
                adjoints,
                needed: Mutex::default(),
            };
            // Only this thread is here, and it found the cell empty.
            let _ = self.ready.set(ready);
            self.looked.store(generation, Ordering::Relaxed);
            Ok(())
        });
        signal.check()?;
        raise_noted()?;
        outcome.map_err(|failure: Failure| raise_in_text(&failure.error, &failure.sources))?;
        Ok(self.ready.get().expect("just set"))
    }

    /// Waits until no other thread reads this kernel's text or derives from it.
    fn turn(&self, signal: &Signal) -> Result<Held<'_>, Failure> {
        let held = self.building.take(&|| Python::attach(|py| signal.came(py)));
        held.ok_or_else(|| Failure {
            error: Error::new(Code::Runtime, "the compile was interrupted"),
            sources: Vec::new(),
        })
    }

    /// Compiles a program of this kernel's, itself or an adjoint, for a device.
    ///
    /// # Errors
    /// There is no such device, or the compiler has a bug.
    #[cold]
    pub fn compile_for<'a>(
        &self,
        py: Python<'_>,
        program: &'a Program,
        device: Device,
    ) -> PyResult<&'a BackendCode> {
        let mut start = Instant::now();
        let signal = Signal::default();
        let interrupted = || Python::attach(|py| signal.came(py));
        let code = py.detach(|| program.code_unless(device, &interrupted));
        signal.check()?;
        let code = code.map_err(|error| raise_at(&error))?;
        let own = self
            .ready
            .get()
            .filter(|r| std::ptr::eq(&r.compiled.program, program));
        let what = match own {
            Some(ready) => {
                start = start.checked_sub(ready.front).unwrap_or(start);
                "kernel"
            }
            None => "adjoint of kernel",
        };
        self.report(py, what, code, start)?;
        Ok(code)
    }

    /// Tells the logger what was compiled, if `wp.config.verbose` asks for it.
    fn report(
        &self,
        py: Python<'_>,
        what: &str,
        code: &BackendCode,
        start: Instant,
    ) -> PyResult<()> {
        if !config::verbose(py)? {
            return Ok(());
        }
        let origin = match code.origin {
            Origin::Made => "compiled",
            Origin::Disk => "loaded from the cache",
        };
        let time = start.elapsed().as_secs_f64() * 1e3;
        let line = format!(
            "{what} '{}' {origin} in {time:.2} ms",
            self.written.get().source.name
        );
        let log = py.import("warp._logging")?.getattr("log")?;
        log.call1((INFO, line))?;
        Ok(())
    }

    /// Whether gradients may be asked for.
    pub fn backward_enabled(&self) -> bool {
        self.enable_backward.unwrap_or_else(config::enable_backward)
    }

    /// The adjoint as IR with its report; nothing is compiled.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn reversed(&self, py: Python<'_>, reverse: &Reverse) -> PyResult<Arc<CachedAdjoint>> {
        if !self.backward_enabled() {
            return Err(error(
                Code::Runtime,
                format!(
                    "kernel '{}' has no gradient: it was defined with enable_backward=False; \
                 remove that to differentiate it",
                    self.written.get().source.name
                ),
            ));
        }
        let ready = self.ready(py)?;
        let lock = || {
            ready
                .adjoints
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let find =
            |slots: &[Arc<CachedAdjoint>]| slots.iter().find(|s| s.reverse == *reverse).cloned();
        if let Some(slot) = find(&lock()) {
            return Ok(slot);
        }
        let signal = Signal::default();
        let made = py.detach(|| {
            let _one = self.turn(&signal)?;
            if let Some(slot) = find(&lock()) {
                return Ok(slot);
            }
            let reversed = ready.compiled.reverse(reverse)?;
            let (reverse, program) = (reverse.clone(), OnceLock::new());
            let slot = Arc::new(CachedAdjoint {
                reverse,
                reversed,
                program,
            });
            lock().push(slot.clone());
            Ok(slot)
        });
        signal.check()?;
        made.map_err(|failure: Failure| raise_in_text(&failure.error, &failure.sources))
    }

    /// What the gradient of a launch may need. Which gradients an adjoint sets to zero is known in the backward pass, and
    /// one that does reads more than one that does not: this is what is read by the one that sets all.
    ///
    /// # Errors
    /// The kernel has no gradient.
    pub fn needed(&self, py: Python<'_>, aliases: &[u32]) -> PyResult<Arc<Needed>> {
        let ready = self.ready(py)?;
        let lock = || ready.needed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().iter().find(|n| n.aliases == aliases) {
            return Ok(found.clone());
        }
        let reverse = |consume| Reverse {
            aliases: aliases.to_vec(),
            consume,
        };
        let written = (0u32..).zip(&ready.writes).filter(|(_, writes)| **writes);
        let all = reverse(written.map(|(param, _)| param).collect());
        let slot = match self.reversed(py, &all) {
            Ok(slot) => slot,
            // It cannot set all: a backward pass that asks for that says so.
            Err(_) => self.reversed(py, &reverse(Vec::new()))?,
        };
        let needed = Arc::new(Needed::of(aliases, &slot.reversed.report));
        lock().push(needed.clone());
        Ok(needed)
    }

    /// The adjoint as a program; made when it is first asked for.
    ///
    /// # Errors
    /// The adjoint does not compile.
    pub fn adjoint<'a>(&self, py: Python<'_>, slot: &'a CachedAdjoint) -> PyResult<&'a Program> {
        if let Some(program) = slot.program.get() {
            return Ok(program);
        }
        let ready = self.ready(py)?;
        let signal = Signal::default();
        let made = py.detach(|| {
            let _one = self.turn(&signal)?;
            if slot.program.get().is_none() {
                let program = ready.compiled.adjoint(slot.reversed.clone())?;
                // Only this thread is here, and it found the cell empty.
                let _ = slot.program.set(program);
            }
            Ok(())
        });
        signal.check()?;
        made.map_err(|failure: Failure| raise_in_text(&failure.error, &failure.sources))?;
        Ok(slot.program.get().expect("just set"))
    }
}

/// Adds the classes to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    definition::register(m)?;
    names::register(m)?;
    definition::add::<Kernel>(m)?;
    result::register(m)?;
    function::register(m)
}

/// Adds every builtin that has no function of its name in the module yet.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register_builtins(m: &Bound<'_, PyModule>) -> PyResult<()> {
    builtin::register(m)
}
